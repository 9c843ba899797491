//! As rigid as possible: ψ = μ‖F − R‖², R the rotation closest to F; λ is not used.
//!
//! P = 2μ(F − R) (Chao, Pinkall, Sanan, Schröder 2010, "A simple geometric model for elastic
//! deformations", Section 3).

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{
    polar_distance_lanes, polar_lanes, squared_norm, svd_rotation_variant,
};
use pliant_math::lanes::Lanes;

use super::corotated::Corotated;
use super::density::Density;
use super::isotropic::Spectrum;

/// As-rigid-as-possible elasticity: co-rotated without its volumetric term.
///
/// ```
/// use glam::{DMat3, DVec3};
/// use pliant_model::material::{arap::Arap, density::Density};
/// let collapsed = Arap::stress(&DMat3::ZERO, 2.0, 0.0).0;
/// assert_eq!(collapsed, 2.0 * 3.0); // J/m³
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Arap;

impl Density for Arap {
    const NAME: &'static str = "arap";
    const RECOVERS_FROM_INVERSION: bool = true;

    fn stress(f: &DMat3, mu: f64, _lambda: f64) -> (f64, DMat3) {
        let svd = svd_rotation_variant(f);
        let energy = mu * (svd.sigma - glam::DVec3::ONE).length_squared();
        (energy, (*f - svd.rotation()) * (2.0 * mu))
    }

    fn spectrum(sigma: DVec3, mu: f64, _lambda: f64) -> Spectrum {
        Corotated::spectrum(sigma, mu, 0.0)
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        _lambda: L,
    ) -> (L, [L; 9]) {
        if !STRESS {
            // SAFETY: the caller is a kernel of L.
            return (mu * unsafe { polar_distance_lanes(f) }.0, *f);
        }
        // SAFETY: as above.
        let (rotation, _) = unsafe { polar_lanes(f) };
        let twice = mu + mu;
        let (mut difference, mut stress) = (*f, *f);
        for k in 0..9 {
            difference[k] = f[k] - rotation[k];
            stress[k] = twice * difference[k];
        }
        (mu * squared_norm(&difference), stress)
    }

    fn lame_at_rest(mu: f64, _lambda: f64) -> (f64, f64) {
        (mu, 0.0)
    }
}
