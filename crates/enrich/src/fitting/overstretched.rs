//! Tets that the input itself overstretches or crushes.
//!
//! They lie between welded parts, in folds of skin, and at sharply bending joints.
//!
//! Their forces would dominate the simulation next to vertices that follow exactly, and represent
//! no flesh. Their stiffness is reduced, and the vertices around them follow the input instead.

use glam::DVec3;

use crate::embedding::EmbeddedSurface;
use crate::fitting::{Fitting, squared_norm};
use crate::numerics::poisson::Element;

/// Mean stretch ‖F‖ / √3 beyond which a tet is overstretched.
const OVERSTRETCHED: f64 = 1.4;
/// Share of its rest volume below which a tet is crushed.
const CRUSHED: f64 = 0.2;
/// Share of the stiffness that such a tet keeps.
pub const STIFFNESS_LEFT: f64 = 0.02;

/// For every tet, true if one of the poses overstretches or crushes it.
pub fn find(embedded: &EmbeddedSurface, poses: &[Vec<DVec3>], fitting: &mut Fitting) -> Vec<bool> {
    let elements = Element::all(&embedded.solid);
    let mut overstretched = vec![false; elements.len()];
    let mut solid = embedded.solid.positions.clone();
    for pose in poses {
        fitting.fit(pose, &mut solid);
        for (overstretched, element) in overstretched.iter_mut().zip(&elements) {
            let f = element.deformation(&solid);
            *overstretched |=
                squared_norm(&f) > 3.0 * OVERSTRETCHED * OVERSTRETCHED || f.determinant() < CRUSHED;
        }
    }
    overstretched
}

/// Share by volume of overstretched tets around each vertex of Ω.
pub fn volume_shares(embedded: &EmbeddedSurface, overstretched: &[bool]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); embedded.solid.positions.len()];
    for (element, &overstretched) in Element::all(&embedded.solid).iter().zip(overstretched) {
        for &v in &element.corners {
            let (part, all) = &mut sums[v as usize];
            *all += element.volume;
            *part += if overstretched { element.volume } else { 0.0 };
        }
    }
    sums.into_iter().map(|(part, all)| if all > 0.0 { part / all } else { 0.0 }).collect()
}
