//! Checks that the parts of a template fit together.

use std::path::Path;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::diagnosis::{FindingKind, findings};
use pliant_mesh::{Mesh, SignedDistance, Surface};

use crate::error::FaceError;
use crate::template::{BARED, TEETH, Template, in_the_open};

/// Bone nearer to the skin than this is worth a remark (m).
const SHALLOW: f64 = 0.002;

/// Refuses a head with a hole in a bone or a muscle, or with one of them outside the skin. Returns
/// remarks about what is unusual. `path` is named in errors: the folder it was read from.
///
/// ```
/// use pliant_face::{Template, template_folder::check};
/// use pliant_math::team::Team;
/// let team = Team::new(2);
/// let mut head = Template::built_in(0.006, &team)?;
/// head.skull.mesh.triangles.remove(100);
/// let error = check(&head, "my head".as_ref(), &team).unwrap_err();
/// assert!(error.to_string().starts_with("my head: the skull has a hole"));
/// # Ok::<(), pliant_face::FaceError>(())
/// ```
pub fn check(template: &Template, path: &Path, team: &Team) -> Result<Vec<String>, FaceError> {
    let mut remarks = Vec::new();
    let skin = SignedDistance::new(&template.skin.mesh);
    let open = open_edges(&template.skin.mesh);
    if let Some((edges, _)) = open {
        remarks.push(format!("the skin has {edges} open edges: it is closed in thought"));
    }
    for (part, bone) in [("the skull", &template.skull), ("the mandible", &template.mandible)] {
        closed(&without_teeth(bone), part, path)?;
        let depth = inside(&bone.mesh.positions, &in_flesh(bone), &skin, part, path, team)?;
        if depth < SHALLOW {
            remarks.push(format!("{part} comes as near to the skin as {:.1} mm", 1e3 * depth));
        }
    }
    for muscle in &template.muscles {
        let part = format!("the muscle {}", muscle.name);
        closed(
            &Mesh::surface(muscle.solid.positions.clone(), muscle.solid.triangles.clone()),
            &part,
            path,
        )?;
        let points = &muscle.solid.positions;
        inside(points, &vec![true; points.len()], &skin, &part, path, team)?;
        if muscle.curve.len() < 2 {
            let problem = "has a curve of fewer than two points".to_owned();
            return Err(FaceError::Part { path: path.to_owned(), part, problem });
        }
    }
    for (shape, recipe) in &template.recipes {
        let known = |name: &String| template.muscles.iter().any(|muscle| muscle.name == *name);
        if let Some((name, _)) = recipe.muscles.iter().find(|(name, _)| !known(name)) {
            let part = format!("the recipe of {shape}");
            let problem = format!("names the muscle {name}, which the template does not have");
            return Err(FaceError::Part { path: path.to_owned(), part, problem });
        }
    }
    for (expression, weights) in &template.expressions {
        if let Some((name, _)) = weights.iter().find(|(name, _)| template.shape(name).is_none()) {
            let names = template.shapes.iter().map(|shape| shape.name.as_str());
            remarks
                .push(format!("the expression {expression} uses {name}, which is no shape here"));
            remarks.extend(nearest(name, names).map(|n| format!("the nearest to {name} is {n}")));
        }
    }
    Ok(remarks)
}

/// The known name that is most like one.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let likeness = |other: &&str| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let best = known.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) > 0.8).then(|| best.to_owned())
}

fn open_edges(mesh: &Mesh) -> Option<(usize, u32)> {
    let open = findings(mesh).into_iter().find(|f| f.kind == FindingKind::OpenEdge)?;
    Some((open.count, open.elements.first().copied().unwrap_or(0)))
}

fn closed(mesh: &Mesh, part: &str, path: &Path) -> Result<(), FaceError> {
    let Some((edges, triangle)) = open_edges(mesh) else { return Ok(()) };
    let corner =
        mesh.triangles.get(triangle as usize).and_then(|t| mesh.positions.get(t[0] as usize));
    let DVec3 { x, y, z } = corner.copied().unwrap_or_default();
    Err(FaceError::Hole { path: path.to_owned(), part: part.to_owned(), edges, triangle, x, y, z })
}

/// The least depth under the skin (m) of the points that are asked for, which must not be negative.
fn inside(
    points: &[DVec3],
    asked: &[bool],
    skin: &SignedDistance,
    part: &str,
    path: &Path,
    team: &Team,
) -> Result<f64, FaceError> {
    let mut depths = skin.at_all(points, team);
    depths
        .iter_mut()
        .zip(asked)
        .filter(|(_, asked)| !**asked)
        .for_each(|(d, _)| *d = f64::INFINITY);
    let (mut least, mut vertex) = (f64::INFINITY, 0);
    for (v, &depth) in (0u32..).zip(&depths) {
        if depth < least {
            (least, vertex) = (depth, v);
        }
    }
    if least >= 0.0 {
        return Ok(least);
    }
    let vertices = depths.iter().filter(|d| **d < 0.0).count();
    let (path, part) = (path.to_owned(), part.to_owned());
    Err(FaceError::OutsideSkin { path, part, vertices, vertex, by_mm: -1e3 * least })
}

/// Which vertices of a bone are to be in flesh: teeth, and what is bared, stand in the open mouth.
fn in_flesh(bone: &Surface) -> Vec<bool> {
    in_the_open(bone, &[TEETH, BARED]).iter().map(|open| !open).collect()
}

/// A bone without its teeth and gums, which are there to be looked at.
fn without_teeth(bone: &Surface) -> Mesh {
    let open = in_the_open(bone, &[TEETH]);
    let triangles = bone.mesh.triangles.iter().filter(|t| !t.iter().any(|&v| open[v as usize]));
    Mesh::surface(bone.mesh.positions.clone(), triangles.copied().collect())
}
