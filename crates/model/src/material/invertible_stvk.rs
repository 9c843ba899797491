//! St. Venant–Kirchhoff that pushes back when flattened and inverted.
//!
//! In signed principal stretches ψ = μ Σ φ(σᵢ) + λ/2 (Σ e(σᵢ))² with e = ½(σ² − 1), φ = e²; the
//! force of φ weakens below σ = 1/√3, where φ″ changes sign. So below τ = 0.6, just above it,
//! φ goes on as its second-order Taylor polynomial and e as its tangent: the energy is C¹,
//! equals St. Venant–Kirchhoff where all σᵢ ≥ τ, and resists every further compression. Stresses
//! through the signed decomposition: Irving, Teran, Fedkiw 2004, "Invertible finite elements for
//! robust simulation of large deformation", Section 5; extending the energy instead of the
//! stress: Stomakhin et al. 2012, "Energetically consistent invertible elasticity", Section 4.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{
    GreenStrain, SvdLanes, cofactors, determinant, green_strain, product_with_transpose, svd_lanes,
    svd_rotation_variant,
};
use pliant_math::lanes::Lanes;

use super::density::Density;
use super::isotropic::{self, Spectrum, twist_sum};
use super::stvk::StVenantKirchhoff;

/// St. Venant–Kirchhoff elasticity, extended below a stretch of [`THRESHOLD`].
///
/// ```
/// use glam::DMat3;
/// use pliant_model::material::{density::Density, invertible_stvk::InvertibleStVenantKirchhoff};
/// let inverted = DMat3::from_diagonal([1.0, 1.0, -1.0].into());
/// let (_, stress) = InvertibleStVenantKirchhoff::stress(&inverted, 1.0, 0.0);
/// assert!(stress.z_axis.z < 0.0); // towards the right side
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct InvertibleStVenantKirchhoff;

/// τ, the stretch below which the energy is extended.
pub const THRESHOLD: f64 = 0.6;

impl Density for InvertibleStVenantKirchhoff {
    const NAME: &'static str = "invertible-stvk";
    const RECOVERS_FROM_INVERSION: bool = true;

    fn stress(f: &DMat3, mu: f64, lambda: f64) -> (f64, DMat3) {
        let svd = svd_rotation_variant(f);
        let stretches = svd.sigma.to_array().map(Stretch::at);
        let strain: f64 = stretches.iter().map(|s| s.strain).sum();
        let shear: f64 = stretches.iter().map(|s| s.energy).sum();
        let slopes = stretches.map(|s| mu * s.slope + lambda * strain * s.strain_slope);
        let energy = mu * shear + 0.5 * lambda * strain * strain;
        (energy, isotropic::stress(&svd, DVec3::from_array(slopes)))
    }

    fn spectrum(sigma: DVec3, mu: f64, lambda: f64) -> Spectrum {
        let stretches = sigma.to_array().map(Stretch::at);
        let strain: f64 = stretches.iter().map(|s| s.strain).sum();
        let slope =
            |i: usize| mu * stretches[i].slope + lambda * strain * stretches[i].strain_slope;
        Spectrum::new(
            |i, j| {
                let (s, t) = (&stretches[i], &stretches[j]);
                let diagonal = mu * s.curvature + lambda * strain * s.strain_curvature;
                let coupling = lambda * s.strain_slope * t.strain_slope;
                if i == j { diagonal + coupling } else { coupling }
            },
            |i, j, _| (slope(i) + slope(j)) / twist_sum(sigma, i, j),
            |i, j, _| {
                let (of_slope, of_strain) = divided_differences(sigma[i], sigma[j]);
                mu * of_slope + lambda * strain * of_strain
            },
        )
    }

    /// The formula of St. Venant–Kirchhoff where all lanes are above the threshold; else all of
    /// them through their principal stretches, which is the same to rounding.
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        lambda: L,
    ) -> (L, [L; 9]) {
        // SAFETY: the caller is a kernel of L.
        unsafe {
            if below_threshold(f) == 0 {
                return StVenantKirchhoff::lanes::<L, STRESS>(f, mu, lambda);
            }
            let SvdLanes { u, sigma, v } = svd_lanes(f);
            let stretches = [stretch(sigma[0]), stretch(sigma[1]), stretch(sigma[2])];
            let [a, b, c] = stretches;
            let strain = a.strain + b.strain + c.strain;
            let volumetric = lambda * strain;
            let half = volumetric * mu.constant(0.5);
            let energy = mu.mul_add(a.energy + b.energy + c.energy, half * strain);
            if !STRESS {
                return (energy, *f);
            }
            let mut scaled = u;
            for (axis, s) in stretches.iter().enumerate() {
                let slope = mu.mul_add(s.slope, volumetric * s.strain_slope);
                for row in 0..3 {
                    scaled[3 * row + axis] = u[3 * row + axis] * slope;
                }
            }
            (energy, product_with_transpose(&scaled, &v))
        }
    }
}

/// What energy and stress need of [`Stretch`], in lanes.
#[derive(Clone, Copy)]
struct StretchLanes<L> {
    energy: L,
    slope: L,
    strain: L,
    strain_slope: L,
}

#[inline(always)]
fn stretch<L: Lanes>(sigma: L) -> StretchLanes<L> {
    let (threshold, one) = (sigma.constant(THRESHOLD), sigma.constant(1.0));
    // In this order a NaN is kept.
    let anchor = threshold.max(sigma);
    let beyond = sigma.constant(0.0).min(sigma - threshold);
    let strain = anchor.mul_add(anchor, -one) * sigma.constant(0.5);
    let slope = strain * anchor * sigma.constant(2.0);
    let curvature = (anchor * anchor).mul_add(sigma.constant(3.0), -one);
    let half = curvature * sigma.constant(0.5);
    StretchLanes {
        energy: beyond.mul_add(beyond.mul_add(half, slope), strain * strain),
        slope: beyond.mul_add(curvature, slope),
        strain: beyond.mul_add(anchor, strain),
        strain_slope: anchor,
    }
}

/// φ, e and their derivatives at one stretch.
struct Stretch {
    energy: f64,
    slope: f64,
    curvature: f64,
    strain: f64,
    strain_slope: f64,
    strain_curvature: f64,
}

impl Stretch {
    fn at(sigma: f64) -> Self {
        // not `max`, which would hide a NaN
        let anchor = if sigma < THRESHOLD { THRESHOLD } else { sigma };
        let strain = 0.5 * (anchor * anchor - 1.0);
        let (slope, curvature) = (2.0 * strain * anchor, 3.0 * anchor * anchor - 1.0);
        // zero above the threshold
        let beyond = (sigma - THRESHOLD).min(0.0);
        Stretch {
            energy: strain * strain + beyond * (slope + 0.5 * beyond * curvature),
            slope: slope + beyond * curvature,
            curvature,
            strain: strain + beyond * anchor,
            strain_slope: anchor,
            strain_curvature: if sigma < THRESHOLD { 0.0 } else { 1.0 },
        }
    }
}

/// (φ′(a) − φ′(b))/(a − b) and (e′(a) − e′(b))/(a − b), exact also where a = b.
fn divided_differences(a: f64, b: f64) -> (f64, f64) {
    let (upper, lower) = (a.max(b), a.min(b));
    let (high, low) = (upper.max(THRESHOLD), lower.max(THRESHOLD));
    let above = high * high + high * low + low * low - 1.0;
    let below = 3.0 * THRESHOLD * THRESHOLD - 1.0;
    // the part of the way from b to a that lies above the threshold
    let share = if lower >= THRESHOLD {
        1.0
    } else if upper <= THRESHOLD {
        0.0
    } else {
        (upper - THRESHOLD) / (upper - lower)
    };
    (share * above + (1.0 - share) * below, share)
}

/// Bits of the lanes where some σ < τ may be: not (FᵀF − τ²I positive definite and det F > 0).
#[inline(always)]
fn below_threshold<L: Lanes>(f: &[L; 9]) -> u32 {
    let GreenStrain { entries: [a, b, c, d, e, g], .. } = green_strain(f);
    let shift = a.constant(1.0 - THRESHOLD * THRESHOLD);
    let [a, b, c] = [a + shift, b + shift, c + shift];
    let leading = d.neg_mul_add(d, a * b);
    let first = g.neg_mul_add(g, b * c);
    let second = e.mul_add(g, -(d * c));
    let third = d.mul_add(g, -(e * b));
    let whole = a.mul_add(first, d.mul_add(second, e * third));
    // both energies agree to second order at the threshold: rounding here does no harm
    let margin = a.constant(1e-9);
    let jacobian = determinant(f, &cofactors(f), 0.0);
    margin.mask_above(a)
        | margin.mask_above(leading)
        | margin.mask_above(whole)
        | margin.mask_above(jacobian)
}
