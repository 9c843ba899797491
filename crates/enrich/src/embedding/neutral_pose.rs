//! Choice of a neutral pose whose parts do not touch (section 8.1 of \[li2017enriching\]).
//!
//! Parts closer to each other than a cell are welded by the tets, such as the legs in a gallop. If
//! another pose of the input has less contact, that pose is filled instead of the rest shape.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, Ray, SurfaceTree, WindingTree};

use super::samples::{self, Sample};
use crate::numerics::weighted_sums::fill;

/// Share of the area in contact below which the contact is a crease, not two parts.
const CREASE: f64 = 0.01;
/// Share of the rest shape's contact that a better pose has at most.
const BETTER: f64 = 0.7;

/// Share of a surface's area that lies inside another part, or less than `size` \[m\] in front of
/// one.
fn contact_share(surface: &Mesh, size: f64, team: &Team) -> f64 {
    let tree = SurfaceTree::new(surface);
    let winding = WindingTree::new(&tree);
    let samples = samples::inside_triangles(surface, size);
    let normal = |t: [u32; 3]| {
        let [a, b, c] = t.map(|v| surface.positions[v as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let in_contact = |sample: &Sample| {
        let (point, out) = (sample.position(&surface.positions), normal(sample.corners));
        if out == DVec3::ZERO {
            return false;
        }
        let start = point + out * (1e-3 * size);
        let ray = Ray { origin: start, direction: out };
        let faces = |hit: pliant_mesh::Hit| {
            normal(surface.triangles[hit.triangle as usize]).dot(out) < -0.2
        };
        tree.cast(&ray, size, surface).is_some_and(faces) || winding.at(&tree, start) >= 0.75
    };
    let mut found = vec![false; samples.len()];
    fill(&mut found, team, |k| in_contact(&samples[k]));
    let area = |chosen: bool| -> f64 {
        let own = samples.iter().zip(&found).filter(|(_, f)| !chosen || **f);
        own.map(|(s, _)| s.area).sum()
    };
    let all = area(false);
    if all > 0.0 { area(true) / all } else { 0.0 }
}

/// Returns the pose with the least contact, if it has clearly less than `rest`.
pub fn find(rest: &Mesh, poses: &[Vec<DVec3>], size: f64, team: &Team) -> Option<usize> {
    let own = contact_share(rest, size, team);
    if own < CREASE {
        return None;
    }
    let share = |pose: &Vec<DVec3>| {
        contact_share(&Mesh::surface(pose.clone(), rest.triangles.clone()), size, team)
    };
    let shares: Vec<f64> = poses.iter().map(share).collect();
    let best = (0..poses.len()).min_by(|&a, &b| shares[a].total_cmp(&shares[b]))?;
    (shares[best] < BETTER * own).then_some(best)
}
