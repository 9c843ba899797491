//! Is a pose good to be filled? Parts nearer to each other than a cell are welded by it (section 8.1),
//! legs in a gallop for one. Where the input has a pose in which they are farther apart, that one can be
//! the neutral shape.

use glam::DVec3;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::{Mesh, Ray, SurfaceTree, WindingTree};

use crate::samples;

/// Points per item of the team's work.
const BLOCK: usize = 128;
/// Of the area: less than this that touches is a crease, not a pair of parts.
const CREASE: f64 = 0.01;
/// A pose must have at most this share of the rest shape's contact to be better.
const BETTER: f64 = 0.7;

/// The share of a surface's area that has another part of it less than `size` \[m\] in front, or that is
/// inside of one.
pub fn crowded(surface: &Mesh, size: f64, team: &Team) -> f64 {
    let tree = SurfaceTree::new(surface);
    let winding = WindingTree::new(&tree);
    let samples = samples::inside_triangles(surface, size);
    let normal = |t: [u32; 3]| {
        let [a, b, c] = t.map(|v| surface.positions[v as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let is_crowded = |sample: &samples::Sample| {
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
    let shared = SharedSlice::new(&mut found);
    team.each(samples.len().div_ceil(BLOCK), &|item, _| {
        for k in item * BLOCK..((item + 1) * BLOCK).min(samples.len()) {
            // SAFETY: each item writes its own block.
            unsafe { *shared.at(k) = is_crowded(&samples[k]) };
        }
    });
    let area = |chosen: bool| -> f64 {
        let own = samples.iter().zip(&found).filter(|(_, f)| !chosen || **f);
        own.map(|(s, _)| s.area).sum()
    };
    let all = area(false);
    if all > 0.0 { area(true) / all } else { 0.0 }
}

/// Which of some poses is a better neutral shape than `rest`, if one is.
pub fn better_neutral(rest: &Mesh, poses: &[Vec<DVec3>], size: f64, team: &Team) -> Option<usize> {
    let own = crowded(rest, size, team);
    if own < CREASE {
        return None;
    }
    let share = |pose: &Vec<DVec3>| {
        crowded(&Mesh::surface(pose.clone(), rest.triangles.clone()), size, team)
    };
    let shares: Vec<f64> = poses.iter().map(share).collect();
    let best = (0..poses.len()).min_by(|&a, &b| shares[a].total_cmp(&shares[b]))?;
    (shares[best] < BETTER * own).then_some(best)
}
