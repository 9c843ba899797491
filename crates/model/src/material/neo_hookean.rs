//! Stable neo-Hookean elasticity (Smith, de Goes, Kim 2018, "Stable Neo-Hookean Flesh
//! Simulation", Equation 14, less its constant):
//!
//! ψ = μ/2 (I − 3) + λ/2 (J − 1)² − ¾μ (J − 1) − μ/2 ln((I + 1)/4), I = ‖F‖², J = det F,
//!
//! P = μ(1 − 1/(I + 1)) F + (λ(J − 1) − ¾μ) cof F. With a and g the factors of F and cof F,
//! ψᵢ = aσᵢ + g σⱼσₖ in principal stretches.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{GreenStrain, cofactors, determinant, green_strain};
use pliant_math::lanes::{Lanes, WIDTH_F64};

use super::density::Density;
use super::isotropic::{Spectrum, area, scalar_cofactors};

/// Stable neo-Hookean elasticity. Its μ and λ are those of the model: see [`model_parameters`].
///
/// ```
/// use glam::DMat3;
/// use pliant_model::material::{density::Density, neo_hookean::StableNeoHookean};
/// let (energy, stress) = StableNeoHookean::stress(&DMat3::from_rotation_x(0.3), 1.0, 2.0);
/// assert!(energy.abs() < 1e-15 && stress.abs_diff_eq(DMat3::ZERO, 1e-15));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct StableNeoHookean;

/// (μ, λ) of the model that behaves, for small strains, like linear elasticity with the Lamé
/// parameters `mu` and `lambda` \[Pa\]: (4/3 μ, λ + 5/6 μ), Section 3.4 of the paper.
///
/// ```
/// use pliant_model::material::neo_hookean::model_parameters;
/// assert_eq!(model_parameters(3.0, 1.0), (4.0, 3.5));
/// ```
pub fn model_parameters(mu: f64, lambda: f64) -> (f64, f64) {
    (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu)
}

impl Density for StableNeoHookean {
    const NAME: &'static str = "neo-hookean";
    const RECOVERS_FROM_INVERSION: bool = true;

    fn stress(f: &DMat3, mu: f64, lambda: f64) -> (f64, DMat3) {
        let strain = f.transpose() * *f - DMat3::IDENTITY;
        let minors = scalar_cofactors(&strain).diagonal().element_sum();
        let invariants = Invariants {
            trace: strain.diagonal().element_sum(),
            higher: minors + strain.determinant(),
            swell: f.determinant() - 1.0,
        };
        let on_f = mu * (1.0 - 1.0 / (invariants.trace + 4.0));
        let on_cofactors = lambda * invariants.swell - 0.75 * mu;
        (invariants.energy(mu, lambda), *f * on_f + scalar_cofactors(f) * on_cofactors)
    }

    fn spectrum(sigma: DVec3, mu: f64, lambda: f64) -> Spectrum {
        let invariant = sigma.length_squared() + 1.0;
        let on_f = mu * (1.0 - 1.0 / invariant);
        let on_cofactors = lambda * (sigma.element_product() - 1.0) - 0.75 * mu;
        let of_logarithm = 2.0 * mu / (invariant * invariant);
        Spectrum::new(
            |i, j| {
                let own = if i == j { on_f } else { on_cofactors * sigma[3 - i - j] };
                own + of_logarithm * sigma[i] * sigma[j] + lambda * area(sigma, i) * area(sigma, j)
            },
            |_, _, k| on_f + on_cofactors * sigma[k],
            |_, _, k| on_f - on_cofactors * sigma[k],
        )
    }

    #[inline(always)]
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        lambda: L,
    ) -> (L, [L; 9]) {
        const { assert!(L::WIDTH == WIDTH_F64) };
        let GreenStrain { trace, minors, determinant: third, .. } = green_strain(f);
        let cofactors = cofactors(f);
        let swell = determinant(f, &cofactors, -1.0);
        let higher = minors + third;
        let far = trace.abs().mask_above(mu.constant(NEAR))
            | (swell * swell).mask_above(mu.constant(NEAR));
        let energy = if far == 0 {
            let gap = swell.mul_add(swell, -higher);
            let sheared = mu.constant(0.375).mul_add(gap, logarithmic(trace) * mu.constant(0.5));
            mu.mul_add(sheared, lambda * swell * swell * mu.constant(0.5))
        } else {
            let mut lanes = [[0.0; WIDTH_F64]; 5];
            for (values, to) in [trace, higher, swell, mu, lambda].iter().zip(&mut lanes) {
                // SAFETY: `to` holds `WIDTH` numbers.
                unsafe { values.store(to.as_mut_ptr()) }
            }
            let energies = energies(&lanes);
            // SAFETY: `WIDTH` numbers, and the caller is a kernel of L.
            unsafe { L::load(energies.as_ptr()) }
        };
        let mut stress = *f;
        if STRESS {
            let one = mu.constant(1.0);
            let on_f = mu * (one - one.div(trace + mu.constant(4.0)));
            let on_cofactors = lambda.mul_add(swell, mu * mu.constant(-0.75));
            for k in 0..9 {
                stress[k] = on_f.mul_add(f[k], on_cofactors * cofactors[k]);
            }
        }
        (energy, stress)
    }

    /// The inverse of [`model_parameters`].
    fn own_parameters(mu: f64, lambda: f64) -> (f64, f64) {
        model_parameters(mu, lambda)
    }

    fn lame_at_rest(mu: f64, lambda: f64) -> (f64, f64) {
        (0.75 * mu, lambda - 0.625 * mu)
    }
}

/// |I − 3| and (J − 1)² of elements that are near rest: there, digits are kept by computing from
/// the strain, and a short series has the logarithm.
const NEAR: f64 = 1.0;

/// x − ln(1 + x) with x = trace / 4 and |x| ≤ ¼. With u = x/(2 + x), ln(1 + x) is 2 artanh u, and
/// x − 2u = x u.
#[inline(always)]
fn logarithmic<L: Lanes>(trace: L) -> L {
    let x = trace * trace.constant(0.25);
    let u = x.div(x + x.constant(2.0));
    let square = u * u;
    // |u| ≤ 1/7: the first term left out is 2u²¹/21, below 1e-16 of the sum.
    let mut series = x.constant(1.0 / 19.0);
    for k in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        series = series.mul_add(square, x.constant(1.0 / k));
    }
    let beyond = square * series * u.constant(-2.0);
    u.mul_add(x, beyond * u)
}

/// What the energy depends on, in quantities that vanish at rest.
struct Invariants {
    /// tr(FᵀF − I) = I − 3.
    trace: f64,
    /// Second plus third invariant of FᵀF − I.
    higher: f64,
    /// J − 1.
    swell: f64,
}

impl Invariants {
    /// ψ = ⅜μ (i₁ − 2(J − 1)) + μ/2 (¼i₁ − ln(1 + ¼i₁)) + λ/2 (J − 1)².
    ///
    /// The first term is of second order at rest. From J² = 1 + i₁ + i₂ + i₃ it follows that
    /// i₁ − 2(J − 1) = (J − 1)² − i₂ − i₃, where nothing of first order has to cancel.
    fn energy(&self, mu: f64, lambda: f64) -> f64 {
        let square = self.swell * self.swell;
        let near_rest = self.trace.abs() < NEAR && square < NEAR;
        let gap = if near_rest { square - self.higher } else { self.trace - 2.0 * self.swell };
        let quarter = 0.25 * self.trace;
        // from a crate, not from the system: the same bits everywhere
        let logarithmic = quarter - libm::log1p(quarter);
        mu * (0.375 * gap + 0.5 * logarithmic) + 0.5 * lambda * square
    }
}

/// ψ lane by lane: the logarithm has no vector form here.
#[inline(never)]
fn energies(lanes: &[[f64; WIDTH_F64]; 5]) -> [f64; WIDTH_F64] {
    let [trace, higher, swell, mu, lambda] = lanes;
    std::array::from_fn(|l| {
        Invariants { trace: trace[l], higher: higher[l], swell: swell[l] }.energy(mu[l], lambda[l])
    })
}
