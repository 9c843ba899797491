//! Co-rotated linear elasticity: ψ = μ‖F − R‖² + λ/2 tr²(RᵀF − I), R the rotation closest to F.
//!
//! P = 2μ(F − R) + λ tr(RᵀF − I) R (McAdams et al. 2011, "Efficient elasticity for character
//! skinning with contact and collisions", Section 3). In principal stretches, with t = Σσᵢ:
//! ψᵢ = 2μ(σᵢ − 1) + λ(t − 3).

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{
    polar_distance_lanes, polar_lanes, squared_norm, svd_rotation_variant,
};
use pliant_math::lanes::Lanes;

use super::density::Density;
use super::isotropic::{Spectrum, twist_sum};

/// Co-rotated linear elasticity.
///
/// ```
/// use glam::DMat3;
/// use pliant_model::material::{corotated::Corotated, density::Density};
/// let doubled = DMat3::from_diagonal([2.0, 1.0, 1.0].into());
/// let (energy, stress) = Corotated::stress(&doubled, 3.0, 4.0);
/// assert_eq!(energy, 3.0 + 0.5 * 4.0); // J/m³
/// assert_eq!(stress.x_axis.x, 2.0 * 3.0 + 4.0); // Pa
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Corotated;

impl Density for Corotated {
    const NAME: &'static str = "corotated";
    const RECOVERS_FROM_INVERSION: bool = true;

    fn stress(f: &DMat3, mu: f64, lambda: f64) -> (f64, DMat3) {
        let svd = svd_rotation_variant(f);
        let rotation = svd.rotation();
        let strain = svd.sigma - DVec3::ONE;
        let trace = strain.element_sum();
        let energy = mu * strain.length_squared() + 0.5 * lambda * trace * trace;
        (energy, (*f - rotation) * (2.0 * mu) + rotation * (lambda * trace))
    }

    fn spectrum(sigma: DVec3, mu: f64, lambda: f64) -> Spectrum {
        let trace = (sigma - DVec3::ONE).element_sum();
        Spectrum::new(
            |i, j| if i == j { 2.0 * mu + lambda } else { lambda },
            |i, j, _| 2.0 * mu + (2.0 * lambda * trace - 4.0 * mu) / twist_sum(sigma, i, j),
            |_, _, _| 2.0 * mu,
        )
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        lambda: L,
    ) -> (L, [L; 9]) {
        let half = mu.constant(0.5);
        if !STRESS {
            // SAFETY: the caller is a kernel of L.
            let (distance, trace) = unsafe { polar_distance_lanes(f) };
            return (mu.mul_add(distance, lambda * trace * trace * half), *f);
        }
        // SAFETY: as above.
        let (rotation, trace) = unsafe { polar_lanes(f) };
        let trace = trace - mu.constant(3.0);
        let (on_difference, on_rotation) = (mu + mu, lambda * trace);
        let (mut difference, mut stress) = (*f, *f);
        for k in 0..9 {
            difference[k] = f[k] - rotation[k];
            stress[k] = on_difference.mul_add(difference[k], on_rotation * rotation[k]);
        }
        (mu.mul_add(squared_norm(&difference), on_rotation * trace * half), stress)
    }
}
