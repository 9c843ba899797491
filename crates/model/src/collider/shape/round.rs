//! Distance and curvature around a core: what balls, capsules and tori share.

use glam::{DMat3, DVec3};

use super::Distance;
use crate::potentials::square;

/// Corners of an outline around a circle.
pub const SEGMENTS: usize = 64;

/// Distance and normal of a point `away` from a core, with the surface at `radius` around it.
pub fn around(away: DVec3, radius: f64, at_core: DVec3) -> Distance {
    let length = away.length();
    let normal = if length > f64::MIN_POSITIVE { away / length } else { at_core };
    Distance::exact(length - radius, normal)
}

/// 1/length, or 0 for no length.
pub fn inverse(length: f64) -> f64 {
    if length > f64::MIN_POSITIVE { 1.0 / length } else { 0.0 }
}

/// Curvature k along a direction in the surface, and `across` at a right angle to it.
pub fn round(normal: DVec3, along: DVec3, k: f64, across: f64) -> DMat3 {
    square(along) * k + square(normal.cross(along)) * across
}

/// Curvature k in all directions in the surface.
pub fn ball(normal: DVec3, k: f64) -> DMat3 {
    round(normal, normal.any_orthonormal_or_y(), k, k)
}

/// Directions at a right angle.
pub trait Orthonormal {
    /// Some vector of length 1 at a right angle to this one; y if this one has no direction.
    fn any_orthonormal_or_y(self) -> DVec3;
}

impl Orthonormal for DVec3 {
    fn any_orthonormal_or_y(self) -> DVec3 {
        self.try_normalize().map_or(DVec3::Y, |unit| unit.any_orthonormal_vector())
    }
}
