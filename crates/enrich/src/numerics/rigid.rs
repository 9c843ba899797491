//! Rigid alignment of two point sets.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::polar;

/// Rotation R and centres a, b such that R(x − a) + b comes closest to `to` for x in `from`.
pub fn closest_rigid(from: &[DVec3], to: &[DVec3]) -> (DMat3, DVec3, DVec3) {
    let mean = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let (a, b) = (mean(from), mean(to));
    let outer = |x: DVec3, y: DVec3| DMat3::from_cols(y * x.x, y * x.y, y * x.z);
    let covariance =
        from.iter().zip(to).fold(DMat3::ZERO, |sum, (&x, &y)| sum + outer(x - a, y - b));
    let rotation = polar(&covariance);
    if rotation.is_finite() { (rotation, a, b) } else { (DMat3::IDENTITY, a, b) }
}
