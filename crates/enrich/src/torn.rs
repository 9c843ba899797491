//! Tets that the input itself tears or crushes: between parts that are only near each other and were
//! welded, in folds of skin, at joints that bend like straws.
//!
//! What they would pull with is no strength of flesh, and next to what follows exactly it would be all
//! that the simulation sees. They are left soft, and vertices that they held follow the input instead.

use glam::DVec3;

use crate::bound::Bound;
use crate::fit::Fitting;
use crate::poisson::Element;

/// A tet with a mean stretch ‖F‖ / √3 beyond this is torn.
const TORN: f64 = 1.4;
/// A tet with less of its volume than this is crushed.
const CRUSHED: f64 = 0.2;
/// What is left of the stiffness.
pub const LEFT: f64 = 0.02;

/// For every tet whether one of some poses tears or crushes it.
pub fn find(bound: &Bound, poses: &[Vec<DVec3>], fitting: &mut Fitting) -> Vec<bool> {
    let elements = Element::all(&bound.solid);
    let mut torn = vec![false; elements.len()];
    let mut solid = bound.solid.positions.clone();
    for pose in poses {
        fitting.fit(pose, &mut solid);
        for (torn, element) in torn.iter_mut().zip(&elements) {
            let f = element.deformation(&solid);
            let squares: f64 = f.to_cols_array().iter().map(|x| x * x).sum();
            *torn |= squares > 3.0 * TORN * TORN || f.determinant() < CRUSHED;
        }
    }
    torn
}

/// Of the tets around every vertex, the share by volume that is torn.
pub fn shares(bound: &Bound, torn: &[bool]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); bound.solid.positions.len()];
    for (element, &torn) in Element::all(&bound.solid).iter().zip(torn) {
        for &v in &element.corners {
            let (part, all) = &mut sums[v as usize];
            *all += element.volume;
            *part += if torn { element.volume } else { 0.0 };
        }
    }
    sums.into_iter().map(|(part, all)| if all > 0.0 { part / all } else { 0.0 }).collect()
}
