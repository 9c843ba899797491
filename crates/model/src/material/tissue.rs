//! Passive soft tissue: ψ = μ‖F − R‖² + λ/2 (det F − 1)², R the rotation closest to F.
//!
//! P = 2μ(F − R) + λ(J − 1) cof F. The shear term of co-rotated elasticity with a volume term
//! that sees volume itself, as the passive part of physics-based faces has it (Ichim, Kadleček,
//! Kavan, Pauly 2017, "Phace: physics-based face modeling and animation", Section 3, there
//! without the ½). In principal stretches ψᵢ = 2μ(σᵢ − 1) + λ(J − 1) σⱼσₖ.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{
    cofactors, determinant, polar_distance_lanes, polar_lanes, squared_norm, svd_rotation_variant,
};
use pliant_math::lanes::Lanes;

use super::density::Density;
use super::isotropic::{Spectrum, area, scalar_cofactors, twist_sum};

/// Shear measured from the closest rotation, volume by the determinant.
///
/// ```
/// use glam::DMat3;
/// use pliant_model::material::{density::Density, tissue::Tissue};
/// let doubled = DMat3::from_diagonal([2.0, 1.0, 1.0].into());
/// assert_eq!(Tissue::stress(&doubled, 3.0, 4.0).0, 3.0 + 0.5 * 4.0); // J/m³
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Tissue;

impl Density for Tissue {
    const NAME: &'static str = "tissue";
    const RECOVERS_FROM_INVERSION: bool = true;

    fn stress(f: &DMat3, mu: f64, lambda: f64) -> (f64, DMat3) {
        let svd = svd_rotation_variant(f);
        let strain = svd.sigma - DVec3::ONE;
        let swell = f.determinant() - 1.0;
        let energy = mu * strain.length_squared() + 0.5 * lambda * swell * swell;
        let volumetric = scalar_cofactors(f) * (lambda * swell);
        (energy, (*f - svd.rotation()) * (2.0 * mu) + volumetric)
    }

    fn spectrum(sigma: DVec3, mu: f64, lambda: f64) -> Spectrum {
        let pressure = lambda * (sigma.element_product() - 1.0);
        Spectrum::new(
            |i, j| {
                let own = if i == j { 2.0 * mu } else { pressure * sigma[3 - i - j] };
                own + lambda * area(sigma, i) * area(sigma, j)
            },
            |i, j, k| 2.0 * mu - 4.0 * mu / twist_sum(sigma, i, j) + pressure * sigma[k],
            |_, _, k| 2.0 * mu - pressure * sigma[k],
        )
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        lambda: L,
    ) -> (L, [L; 9]) {
        let cofactors = cofactors(f);
        let swell = determinant(f, &cofactors, -1.0);
        let pressure = lambda * swell;
        let volumetric = pressure * swell * mu.constant(0.5);
        if !STRESS {
            // SAFETY: the caller is a kernel of L.
            let (distance, _) = unsafe { polar_distance_lanes(f) };
            return (mu.mul_add(distance, volumetric), *f);
        }
        // SAFETY: as above.
        let (rotation, _) = unsafe { polar_lanes(f) };
        let twice = mu + mu;
        let (mut difference, mut stress) = (*f, *f);
        for k in 0..9 {
            difference[k] = f[k] - rotation[k];
            stress[k] = twice.mul_add(difference[k], pressure * cofactors[k]);
        }
        (mu.mul_add(squared_norm(&difference), volumetric), stress)
    }
}
