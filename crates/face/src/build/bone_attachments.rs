//! Attachment of flesh to bone: pinned or sliding (section 4 and Fig. 3-f of \[ichim2017phace\]).

use glam::DVec3;
use pliant_mesh::{Graded, Mesh, SignedDistance, SurfaceTree};

use crate::model::{BoneHold, BoundaryPart};
use crate::template::Template;

/// Under these regions flesh slides over the skull.
const SLIDING: [&str; 2] = ["forehead", "brow"];
/// Around the origin of a muscle that comes from bone it does not (m).
const ORIGIN: f64 = 0.005;
/// An origin further from bone than this is not on it (m).
const ON_BONE: f64 = 0.006;

/// Flesh in teeth is gum, and does not move against them; nor does what is as near to them as this
/// (m) and lies deeper than the lining of lips and cheeks, which slides.
const GUM: f64 = 0.0007;

/// What each vertex lies on.
pub fn parts(flesh: &Graded) -> Vec<Option<BoundaryPart>> {
    let part = |label: u32| match label {
        0 => BoundaryPart::Skin,
        1 => BoundaryPart::Skull,
        _ => BoundaryPart::Mandible,
    };
    flesh.surfaces.iter().map(|on| on.as_ref().map(|(label, _)| part(*label))).collect()
}

/// What holds each vertex at `positions`.
pub fn holds(
    flesh: &Graded,
    positions: &[DVec3],
    skull: &Mesh,
    template: &Template,
) -> Vec<BoneHold> {
    let skin = SurfaceTree::new(&template.skin.mesh);
    let bone = SurfaceTree::new(skull);
    let mut slides = vec![false; template.skin.mesh.positions.len()];
    for region in &template.regions {
        if SLIDING.iter().any(|name| region.name.starts_with(name)) {
            for &v in &region.vertices {
                slides.get_mut(v as usize).into_iter().for_each(|slides| *slides = true);
            }
        }
    }
    let origins: Vec<DVec3> = template
        .muscles
        .iter()
        .filter_map(|muscle| muscle.curve.first().copied())
        .filter(|p| bone.closest_within(*p, ON_BONE).is_some())
        .filter(|p| !is_on_galea(template, *p))
        .collect();
    let teeth = template.teeth_proxies.each_ref().map(SignedDistance::new);
    let hold = |v: usize| {
        let is_lining = flesh.surfaces[v].as_ref().is_some_and(|(label, _)| *label == 0);
        let gum = if is_lining { 0.0 } else { GUM };
        if flesh.is_cut[v] || teeth[0].at(positions[v]) > -gum {
            return BoneHold::Skull;
        }
        if teeth[1].at(positions[v]) > -gum {
            return BoneHold::Mandible;
        }
        let Some((label, found)) = &flesh.surfaces[v] else { return BoneHold::Free };
        match label {
            0 => BoneHold::Free,
            1 => {
                let p = positions[v];
                let over =
                    skin.closest(p).map(|c| template.skin.mesh.triangles[c.triangle as usize]);
                let under_sliding = over.is_some_and(|t| t.iter().any(|&s| slides[s as usize]));
                let at_origin = origins.iter().any(|origin| origin.distance(p) < ORIGIN);
                let normal = normal(skull, found.triangle);
                match normal {
                    Some(normal) if under_sliding && !at_origin => BoneHold::Sliding(normal),
                    _ => BoneHold::Skull,
                }
            }
            _ => BoneHold::Mandible,
        }
    };
    (0..positions.len()).map(hold).collect()
}

/// Frontalis comes from the galea, which slides with it.
fn is_on_galea(template: &Template, origin: DVec3) -> bool {
    let own = template.muscles.iter().filter(|m| m.curve.first() == Some(&origin));
    own.into_iter().any(|muscle| muscle.origin.contains("galea"))
}

fn normal(mesh: &Mesh, triangle: u32) -> Option<DVec3> {
    let [a, b, c] = mesh.triangles.get(triangle as usize)?.map(|v| mesh.positions[v as usize]);
    (b - a).cross(c - a).try_normalize()
}
