//! Registers a template to your head mesh: its bones, teeth, muscles, eyes, hinge, regions and
//! landmarks are warped under your skin.
//!
//! Markers that both heads have give a similarity and a first warp; then the template's skin is
//! drawn onto the other in rounds, each a smoother spline through more points than the last
//! (non-rigid iterated closest points; Allen et al. 2003). What the warp leaves too near to the new
//! skin is pushed under it.

mod connected_pieces;
mod containment;
mod correspondence;
mod read_head;
pub(crate) mod shape_names;
mod teeth;
mod template_parts;
mod warp;
mod warp_fit;

use std::path::Path;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{Attribute, Bounds, Group, Mesh, Surface};

use self::connected_pieces::{part, pieces};
use self::containment::SkinCover;
pub use self::read_head::read_own_head;
use self::teeth::own_teeth;
use self::template_parts::{bone, hinge, moved, muscle, own_eye};
use self::warp_fit::fitted;
use crate::anatomy::landmarks::Landmark;
use crate::anatomy::regions::IN_MOUTH;
use crate::error::FaceError;
use crate::template::{Blendshape, Eye, Template};

/// A head as an artist made it, y up and looking along z.
#[derive(Clone, Debug, Default)]
pub struct OwnHead {
    pub name: String,
    /// The skin, its largest piece, and perhaps eyeballs and other things (m).
    pub surface: Surface,
    /// Displacements of all its vertices (m); those of the template are taken where there are none.
    pub shapes: Vec<Blendshape>,
    /// Points of the skin by the names of the template's landmarks (m).
    pub markers: Vec<Landmark>,
}

/// Puts the parts of a template into a head. Also returns remarks; `path` is named in errors.
///
/// # Errors
/// When markers are unknown, too few or not those of an upright head in metres.
///
/// ```
/// use pliant_face::{OwnHead, Template, register};
/// use pliant_math::team::Team;
/// let team = Team::new(2);
/// let head = Template::built_in(0.008, &team)?;
/// let mut own = OwnHead { surface: head.skin.clone(), ..OwnHead::default() };
/// own.markers = head.landmarks.clone();
/// own.surface.mesh.positions.iter_mut().for_each(|p| p.x *= 1.1);
/// own.markers.iter_mut().for_each(|marker| marker.position.x *= 1.1);
/// let (wider, _) = register(&head, &own, "my head".as_ref(), &team)?;
/// let ratio = wider.eyes[0].center.x / head.eyes[0].center.x;
/// assert!((ratio - 1.1).abs() < 0.02);
/// # Ok::<(), pliant_face::FaceError>(())
/// ```
pub fn register(
    template: &Template,
    own: &OwnHead,
    path: &Path,
    team: &Team,
) -> Result<(Template, Vec<String>), FaceError> {
    let mut remarks = Vec::new();
    let all = pieces(&own.surface.mesh);
    let Some(largest) = all.first() else {
        let (part, problem) = ("the skin".to_owned(), "has no triangles".to_owned());
        return Err(FaceError::Part { path: path.to_owned(), part, problem });
    };
    let (mut skin, vertices) = part(&own.surface, &largest.triangles);
    let warp = fitted(template, &skin.mesh, &own.markers, path)?;
    let warped = moved(&template.skin.mesh, &warp, team);
    let like = correspondence::correspondence(&skin.mesh, &warped, team);
    let shapes: Vec<Blendshape> = if own.shapes.is_empty() {
        let carried = |d: DVec3| warp.similarity.scale * (warp.similarity.rotation * d);
        template.shapes.iter().map(|s| correspondence::shape(template, s, &like, carried)).collect()
    } else {
        own.shapes.iter().map(|shape| chosen(shape, &vertices)).collect()
    };
    let opens = |s: &&Blendshape| {
        shape_names::meaning(&s.name) == Some(shape_names::Meaning::Whole("jawOpen"))
    };
    let opening = shapes.iter().find(opens).map(|shape| &shape.displacement[..]);
    let regions = correspondence::regions(template, &like, opening);
    if !skin.attributes.iter().any(|a| a.name == Attribute::COLOR) {
        skin.attributes.extend(correspondence::attribute(template, &like, Attribute::COLOR));
    }
    let cover = SkinCover::new(&skin.mesh, in_mouth(&skin.mesh, &regions));
    let eyes: Vec<Eye> =
        template.eyes.iter().map(|eye| own_eye(eye, &warp, own, &all[1..], team)).collect();
    let muscles = template.muscles.iter().map(|m| muscle(m, &warp, &cover, team)).collect();
    let (recipes, expressions) = renamed(template, own, &shapes, &mut remarks);
    let line = warp.at(stomion(template));
    let whole = own.shapes.iter().find(opens).map(|shape| &shape.displacement[..]);
    let teeth = match mouth_bounds(&skin.mesh, &regions) {
        Some(mouth) => own_teeth(own, &all[1..], &mouth, whole, line, team)?,
        None => None,
    };
    let row = |k: usize| teeth.as_ref().map(|teeth| &teeth.rows[k]);
    let skull = bone(&template.skull, row(0), &warp, &cover, team);
    let mandible = bone(&template.mandible, row(1), &warp, &cover, team);
    let teeth_proxies = match &teeth {
        Some(teeth) => teeth.proxies.clone(),
        None => template.teeth_proxies.each_ref().map(|mesh| moved(mesh, &warp, team)),
    };
    let landmarks = template.landmarks.iter().map(|l| {
        let marked = own.markers.iter().find(|m| m.name == l.name);
        let position = marked.map_or_else(|| warp.at(l.position), |m| m.position);
        Landmark { name: l.name.clone(), position }
    });
    let registered = Template {
        name: own.name.clone(),
        landmarks: landmarks.collect(),
        teeth_proxies,
        hinge: hinge(&template.hinge, &warp),
        skin,
        eyes,
        skull,
        mandible,
        muscles,
        regions,
        shapes,
        recipes,
        expressions,
    };
    Ok((registered, remarks))
}

fn chosen(shape: &Blendshape, vertices: &[u32]) -> Blendshape {
    let at = |v: &u32| shape.displacement.get(*v as usize).copied().unwrap_or_default();
    Blendshape { name: shape.name.clone(), displacement: vertices.iter().map(at).collect() }
}

fn stomion(template: &Template) -> DVec3 {
    let found = template.landmarks.iter().find(|l| l.name == "stomion");
    found.map_or(DVec3::ZERO, |l| l.position)
}

fn mouth_bounds(skin: &Mesh, regions: &[Group]) -> Option<Bounds> {
    let inside = regions.iter().filter(|r| IN_MOUTH.contains(&r.name.as_str()));
    let walls: Vec<DVec3> =
        inside.flat_map(|r| r.vertices.iter().map(|&v| skin.positions[v as usize])).collect();
    Bounds::of(&walls)
}

fn in_mouth(skin: &Mesh, regions: &[Group]) -> Vec<bool> {
    let mut inside = vec![false; skin.positions.len()];
    for region in regions.iter().filter(|r| IN_MOUTH.contains(&r.name.as_str())) {
        region.vertices.iter().for_each(|&v| inside[v as usize] = true);
    }
    skin.triangles.iter().map(|t| t.iter().any(|&v| inside[v as usize])).collect()
}

type Recipes = Vec<(String, crate::expression::Recipe)>;
type Expressions = Vec<(String, Vec<(String, f64)>)>;

/// Recipes and expressions for shapes by their own names, beside those of ARKit.
fn renamed(
    template: &Template,
    own: &OwnHead,
    shapes: &[Blendshape],
    remarks: &mut Vec<String>,
) -> (Recipes, Expressions) {
    let shapes: Vec<String> = shapes.iter().map(|shape| shape.name.clone()).collect();
    let mut recipes = template.recipes.clone();
    let mut without = Vec::new();
    for name in &shapes {
        if recipes.iter().any(|recipe| recipe.0 == *name) {
            continue;
        }
        match shape_names::recipe_of(name) {
            Some(recipe) => recipes.push((name.clone(), recipe)),
            None => without.push(name.as_str()),
        }
    }
    if !without.is_empty() && !own.shapes.is_empty() {
        remarks.push(format!("no muscles are known for {}", without.join(", ")));
    }
    let expressions = template.expressions.iter();
    let expressions =
        expressions.map(|(name, weights)| (name.clone(), shape_names::renamed(weights, &shapes)));
    (recipes, expressions.filter(|(_, weights)| !weights.is_empty()).collect())
}
