//! Gravity: E = −Σ m g·x, the one linear potential.
//!
//! It has no chunks: whoever sums the gradient per vertex has the mass at hand and adds these.

use glam::DVec3;

/// Energy of one vertex of mass `m` \[kg\] at `x` \[m\] \[J\].
#[inline(always)]
pub fn energy(m: f64, x: DVec3, gravity: DVec3) -> f64 {
    -m * gravity.dot(x)
}

/// Its gradient \[N\]: minus the weight.
#[inline(always)]
pub fn gradient(m: f64, gravity: DVec3) -> DVec3 {
    -m * gravity
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifting_a_kilogram_by_a_metre_stores_its_weight() {
        let g = DVec3::new(0.0, -9.81, 0.0);
        let lifted = energy(1.0, DVec3::Y, g) - energy(1.0, DVec3::ZERO, g);
        assert!((lifted - 9.81).abs() < 1e-12);
        assert_eq!(gradient(2.0, g).y, 19.62);
    }
}
