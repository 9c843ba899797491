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
use pliant_math::lanes::{Lanes, WIDTH_F64};

use super::density::Density;
use super::isotropic::{self, Spectrum, twist_sum};
use super::stvk::StVenantKirchhoff;

/// St. Venant–Kirchhoff elasticity, extended below a stretch of [`THRESHOLD`].
///
/// ```
/// use glam::DMat3;
/// use pliant_model::potentials::{density::Density, invertible_stvk::InvertibleStVenantKirchhoff};
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

    /// The formula of St. Venant–Kirchhoff; where a lane is not above the threshold, all are decomposed, and
    /// those below it take what comes of that.
    #[inline(always)]
    unsafe fn lanes<L: Lanes<Real = f64>, const STRESS: bool>(
        f: &[L; 9],
        mu: L,
        lambda: L,
    ) -> (L, [L; 9]) {
        // SAFETY: the caller is a kernel of L.
        let (energy, stress) = unsafe { StVenantKirchhoff::lanes::<L, STRESS>(f, mu, lambda) };
        let below = below_threshold(f);
        if below == 0 {
            return (energy, stress);
        }
        // SAFETY: as above.
        unsafe {
            let (low, low_stress) = extended::<L, STRESS>(f, mu, lambda);
            let mut mixed = stress;
            for k in 0..9 {
                mixed[k] = choose(below, low_stress[k], stress[k]);
            }
            (choose(below, low, energy), mixed)
        }
    }
}

/// Energy and stress by the singular values of every lane.
///
/// # Safety
/// Called inside a kernel of `L`.
#[inline(always)]
unsafe fn extended<L: Lanes<Real = f64>, const STRESS: bool>(
    f: &[L; 9],
    mu: L,
    lambda: L,
) -> (L, [L; 9]) {
    // SAFETY: passed on to the caller.
    let SvdLanes { u, sigma, v } = unsafe { svd_lanes(f) };
    let (half, one, threshold) = (mu.constant(0.5), mu.constant(1.0), mu.constant(THRESHOLD));
    // Zero, and no number where F is none: `max` and `min` would hide it.
    let mut shear = (sigma[0] + sigma[1] + sigma[2]) * mu.constant(0.0);
    let mut strain = shear;
    let (mut slopes, mut anchors) = (sigma, sigma);
    for i in 0..3 {
        let anchor = sigma[i].max(threshold);
        let beyond = (sigma[i] - threshold).min(mu.constant(0.0));
        let own = half * anchor.mul_add(anchor, -one);
        let (slope, square) = ((own + own) * anchor, anchor * anchor);
        let curvature = square.mul_add(mu.constant(3.0), -one);
        shear = shear + own.mul_add(own, beyond * (half * beyond).mul_add(curvature, slope));
        strain = strain + beyond.mul_add(anchor, own);
        (slopes[i], anchors[i]) = (beyond.mul_add(curvature, slope), anchor);
    }
    let energy = mu.mul_add(shear, half * lambda * strain * strain);
    let mut scaled = u;
    if STRESS {
        for i in 0..3 {
            let slope = mu.mul_add(slopes[i], lambda * strain * anchors[i]);
            for row in 0..3 {
                scaled[3 * row + i] = u[3 * row + i] * slope;
            }
        }
        scaled = product_with_transpose(&scaled, &v);
    }
    (energy, scaled)
}

/// In every lane the first number where its bit is set, the second where it is not.
///
/// # Safety
/// Called inside a kernel of `L`.
#[inline(always)]
unsafe fn choose<L: Lanes<Real = f64>>(mask: u32, set: L, unset: L) -> L {
    const { assert!(L::WIDTH == WIDTH_F64) };
    let (mut a, mut b) = ([0.0; WIDTH_F64], [0.0; WIDTH_F64]);
    // SAFETY: arrays of `WIDTH` numbers; the caller vouches for the instruction set.
    unsafe {
        set.store(a.as_mut_ptr());
        unset.store(b.as_mut_ptr());
        for lane in 0..WIDTH_F64 {
            b[lane] = if mask >> lane & 1 == 1 { a[lane] } else { b[lane] };
        }
        L::load(b.as_ptr())
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
