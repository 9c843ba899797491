//! St. Venant–Kirchhoff: ψ = μ E:E + λ/2 tr²E with the Green strain E = ½(FᵀF − I).
//!
//! P = F(2μE + λ tr E I) (Sifakis, Barbič 2012, "FEM simulation of 3D deformable solids",
//! Section 3.3). In principal stretches ψᵢ = σᵢ(μ(σᵢ² − 1) + λ tr E). It sees only FᵀF, so an
//! inverted element rests as well as an upright one.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::green_strain;
use pliant_math::lanes::Lanes;

use super::density::Density;
use super::isotropic::Spectrum;

/// St. Venant–Kirchhoff elasticity.
///
/// ```
/// use glam::DMat3;
/// use pliant_model::material::{density::Density, stvk::StVenantKirchhoff};
/// let doubled = DMat3::from_diagonal([2.0, 1.0, 1.0].into());
/// let (energy, _) = StVenantKirchhoff::stress(&doubled, 1.0, 0.0);
/// assert_eq!(energy, 1.5 * 1.5); // E = diag(3/2, 0, 0)
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct StVenantKirchhoff;

impl Density for StVenantKirchhoff {
    const NAME: &'static str = "stvk";
    const RECOVERS_FROM_INVERSION: bool = false;

    fn stress(f: &DMat3, mu: f64, lambda: f64) -> (f64, DMat3) {
        let strain = (f.transpose() * *f - DMat3::IDENTITY) * 0.5;
        let trace = strain.diagonal().element_sum();
        let square: f64 = strain.to_cols_array().iter().map(|e| e * e).sum();
        let second = strain * (2.0 * mu) + DMat3::from_diagonal(DVec3::splat(lambda * trace));
        (mu * square + 0.5 * lambda * trace * trace, *f * second)
    }

    fn spectrum(sigma: DVec3, mu: f64, lambda: f64) -> Spectrum {
        let squares = sigma * sigma;
        let volumetric = 0.5 * lambda * (squares - DVec3::ONE).element_sum();
        Spectrum::new(
            |i, j| {
                let diagonal =
                    if i == j { mu * (3.0 * squares[i] - 1.0) + volumetric } else { 0.0 };
                diagonal + lambda * sigma[i] * sigma[j]
            },
            |i, j, _| mu * (squares[i] + squares[j] - sigma[i] * sigma[j] - 1.0) + volumetric,
            |i, j, _| mu * (squares[i] + squares[j] + sigma[i] * sigma[j] - 1.0) + volumetric,
        )
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        lambda: L,
    ) -> (L, [L; 9]) {
        let strain = green_strain(f);
        let [a, b, c, d, e, g] = strain.entries;
        let diagonal = a.mul_add(a, b.mul_add(b, c * c));
        let off = d.mul_add(d, e.mul_add(e, g * g));
        let square = off.mul_add(mu.constant(2.0), diagonal);
        let half_trace = lambda * strain.trace * mu.constant(0.5);
        let energy =
            (mu * square).mul_add(mu.constant(0.25), half_trace * strain.trace * mu.constant(0.25));
        if !STRESS {
            return (energy, *f);
        }
        // S = μ(C − I) + λ/2 tr(C − I) I
        let [a, b, c] =
            [mu.mul_add(a, half_trace), mu.mul_add(b, half_trace), mu.mul_add(c, half_trace)];
        let [d, e, g] = [mu * d, mu * e, mu * g];
        let mut stress = *f;
        for i in 0..3 {
            let [x, y, z] = [f[3 * i], f[3 * i + 1], f[3 * i + 2]];
            stress[3 * i] = x.mul_add(a, y.mul_add(d, z * e));
            stress[3 * i + 1] = x.mul_add(d, y.mul_add(b, z * g));
            stress[3 * i + 2] = x.mul_add(e, y.mul_add(g, z * c));
        }
        (energy, stress)
    }
}
