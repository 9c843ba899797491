//! The closest rotations of eight matrices at once, from a quartic instead of an iteration on
//! matrices.
//!
//! With b = ‖F‖² and d = det F, the signed trace t = σ₁ + σ₂ + σ₃ is the largest root of
//!
//! p(t) = t⁴ − 2b t² − 8d t + b² − 4‖cof F‖²  (Horn 1987, "Closed-form solution of absolute
//! orientation using unit quaternions", in the invariants of F),
//!
//! and R = ∂t/∂F = ((t² + b) F − 2 F FᵀF + 2t cof F) / (t³ − b t − 2d). Newton falls monotonically
//! from the upper bound √(3b), which near a rotation is already right to second order. Its first
//! steps take 1 / p′ from the step before, improved by Newton's method for reciprocals: p′ falls
//! with t, so these estimates, and the steps, are never too large. To first order an error δ of t
//! changes the singular values of R by 2(σᵢ² − t²) δ / (t³ − bt − 2d), all of one sign, so ‖R‖² = 3
//! tells whether t is right.
//!
//! The denominator is 2(σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁): it vanishes where the rotation is not unique.
//! Near that, two roots almost meet and Newton only halves its error in every step, so the
//! bounded number of steps ends well above the larger root and can never round its way to the
//! other one, whose "rotation" would be half a turn off. Such lanes, like lanes that overflow,
//! underflow or are zero, miss ‖R‖² = 3 and take the scalar path.
//!
//! A lane may see extra Newton steps because of its neighbours, so its last digits depend on
//! the batch it is in, but never on the instruction set.

use super::matrix::{
    GreenStrain, cofactors, determinant, green_strain, load_matrix, scalar_matrix, squared_norm,
};
use super::svd::svd_rotation_variant;
use crate::lanes::{Lanes, WIDTH_F64};

/// Closest rotations of eight matrices (`f[3·i + j]` is row i, column j), with
/// tr(RᵀF) = σ₁ + σ₂ + σ₃.
///
/// Rotations have det +1 for every finite lane; lanes with NaN or infinities get the identity
/// and a trace of NaN.
///
/// # Safety
/// Called inside a kernel of `L`.
#[inline(always)]
pub unsafe fn polar_lanes<L: Lanes<Real = f64>>(f: &[L; 9]) -> ([L; 9], L) {
    let b = squared_norm(f);
    let c = cofactors(f);
    let d = determinant(f, &c, 0.0);
    let quartic =
        Quartic { b, twice_d: d + d, constant: squared_norm(&c).mul_add(b.constant(-4.0), b * b) };
    let cubic = f_ft_f(f);
    let mut t = (b * b.constant(3.0)).sqrt();
    let mut inverse = b.constant(1.0).div(quartic.quarter_slope(t));
    let mut rotation = *f;
    let mut failed = 0;
    for round in 0..ROUNDS {
        // a fixed number of steps: a loop that ends when converged mispredicts in every batch
        if round == 0 {
            for _ in 0..SWIFT_STEPS {
                (t, inverse) = quartic.swift(t, inverse);
            }
        } else {
            for _ in 0..STEPS {
                t = quartic.newton(t);
            }
            inverse = b.constant(1.0).div(quartic.quarter_slope(t));
        }
        let on_f = t.mul_add(t, b) * inverse;
        let on_cubic = b.constant(-2.0) * inverse;
        let on_cofactors = (t + t) * inverse;
        for k in 0..9 {
            let rest = on_cubic.mul_add(cubic[k], on_cofactors * c[k]);
            rotation[k] = on_f.mul_add(f[k], rest);
        }
        let miss = (squared_norm(&rotation) - b.constant(3.0)).abs();
        failed = miss.mask_above(b.constant(NORM_TOLERANCE));
        if failed == 0 {
            return (rotation, t);
        }
    }
    // SAFETY: the caller vouches for the instruction set.
    unsafe { repair(f, rotation, t, failed) }
}

/// ‖F − R‖² and tr(RᵀF) − 3 of eight matrices, without their rotations where that is exact:
/// all that energies need.
///
/// With e = FᵀF − I, the distance ρ = ‖F − R‖² is 2h where t = 3 + ½ tr e − h. The quartic in h
/// has coefficients that vanish with e, so that ρ keeps its relative accuracy near rest, where
/// b − 2t + 3 would lose all digits.
///
/// # Safety
/// Called inside a kernel of `L`.
#[inline(always)]
pub unsafe fn polar_distance_lanes<L: Lanes<Real = f64>>(f: &[L; 9]) -> (L, L) {
    let GreenStrain { trace: i1, minors: i2, determinant: i3, .. } = green_strain(f);
    let (b, delta) = (i1 + i1.constant(3.0), determinant(f, &cofactors(f), -1.0));
    let t0 = i1.mul_add(i1.constant(0.5), i1.constant(3.0));
    // p(t₀ − h) = p₀ − p₁h + p₂h² − p₃h³ + h⁴; J² = 1 + i₁ + i₂ + i₃ removes the first order of p₀
    let square = i1 * i1;
    let high = square.mul_add(i1.constant(0.0625), i1 + i1.constant(7.0));
    let mixed = delta.mul_add(i1.constant(12.0), i1 * i1.constant(-4.0));
    let minors = i2.mul_add(i1.constant(-16.0), i3 * i1.constant(-12.0));
    let p0 = square.mul_add(high, delta.mul_add(mixed, minors));
    let quarter = t0.mul_add(t0, -b).mul_add(t0, delta.mul_add(b.constant(-2.0), b.constant(-2.0)));
    let p1 = quarter * b.constant(4.0);
    let p2 = (t0 * t0).mul_add(b.constant(6.0), b * b.constant(-2.0));
    let p3 = t0 * b.constant(4.0);
    // t ≤ √(3b), so h ≥ ½(√b − √3)²
    let root_gap = i1.div(b.sqrt() + b.constant(3f64.sqrt()));
    let mut h = root_gap * root_gap * b.constant(0.5);
    let far = b.mask_above(b.constant(LARGEST_NORM)) | b.constant(1.0).mask_above(b);
    let rounds = if far == 0 { ROUNDS_DISTANCE } else { 0 };
    for _ in 0..rounds {
        let mut step = h;
        for _ in 0..STEPS_DISTANCE {
            let value = (h - p3).mul_add(h, p2).mul_add(h, -p1).mul_add(h, p0);
            let slope = h.mul_add(h.constant(4.0), p3 * h.constant(-3.0));
            let slope = slope.mul_add(h, p2 + p2).mul_add(h, -p1);
            step = value.div(slope);
            h = h - step;
        }
        if (step * step).mask_above(h.abs() * h.constant(SETTLED)) == 0 {
            let h = h.max(h.constant(0.0));
            return (h + h, i1.mul_add(i1.constant(0.5), -h));
        }
    }
    // SAFETY: as the caller vouches.
    let (rotation, t) = unsafe { polar_lanes(f) };
    let mut difference = *f;
    for k in 0..9 {
        difference[k] = f[k] - rotation[k];
    }
    (squared_norm(&difference), t - t.constant(3.0))
}

/// Enough for stretches of 20 %.
const SWIFT_STEPS: usize = 4;
const STEPS: usize = 3;
const ROUNDS: usize = 5;
/// Largest |‖R‖² − 3| that passes; rounding leaves some 1e-15 in well-separated lanes.
const NORM_TOLERANCE: f64 = 5e-13;

const STEPS_DISTANCE: usize = 4;
const ROUNDS_DISTANCE: usize = 2;
/// The quartic in h is expanded around rest; further away its terms cancel.
const LARGEST_NORM: f64 = 12.0;
/// Largest step² ÷ h that passes: the next step would change h by about this part of itself.
const SETTLED: f64 = 1e-15;

struct Quartic<L> {
    b: L,
    twice_d: L,
    constant: L,
}

impl<L: Lanes> Quartic<L> {
    /// p′(t) / 4.
    #[inline(always)]
    fn quarter_slope(&self, t: L) -> L {
        t.mul_add(t, -self.b).mul_add(t, -self.twice_d)
    }

    /// −p(t) / 4.
    #[inline(always)]
    fn quarter_fall(&self, t: L) -> L {
        let square = t * t;
        let low = (self.twice_d * t).mul_add(t.constant(-4.0), self.constant);
        (square - (self.b + self.b)).mul_add(square, low) * t.constant(-0.25)
    }

    #[inline(always)]
    fn newton(&self, t: L) -> L {
        self.quarter_fall(t).div(self.quarter_slope(t)) + t
    }

    /// A step along an estimate of 4 / p′(t), and a better estimate, without a division.
    #[inline(always)]
    fn swift(&self, t: L, inverse: L) -> (L, L) {
        let t = self.quarter_fall(t).mul_add(inverse, t);
        let error = self.quarter_slope(t).neg_mul_add(inverse, t.constant(1.0));
        (t, error.mul_add(inverse, inverse))
    }
}

/// F FᵀF.
#[inline(always)]
fn f_ft_f<L: Lanes>(f: &[L; 9]) -> [L; 9] {
    let [a, b, c] = [column(f, 0, 0), column(f, 1, 1), column(f, 2, 2)];
    let [d, e, g] = [column(f, 0, 1), column(f, 0, 2), column(f, 1, 2)];
    let mut product = *f;
    for i in 0..3 {
        let [x, y, z] = [f[3 * i], f[3 * i + 1], f[3 * i + 2]];
        product[3 * i] = x.mul_add(a, y.mul_add(d, z * e));
        product[3 * i + 1] = x.mul_add(d, y.mul_add(b, z * g));
        product[3 * i + 2] = x.mul_add(e, y.mul_add(g, z * c));
    }
    product
}

#[inline(always)]
fn column<L: Lanes>(f: &[L; 9], i: usize, j: usize) -> L {
    f[i].mul_add(f[j], f[i + 3].mul_add(f[j + 3], f[i + 6] * f[j + 6]))
}

/// Replaces the lanes of `failed` by scalar results.
#[inline(always)]
unsafe fn repair<L: Lanes<Real = f64>>(
    f: &[L; 9],
    rotation: [L; 9],
    trace: L,
    failed: u32,
) -> ([L; 9], L) {
    const { assert!(L::WIDTH == WIDTH_F64) };
    let mut entries = [[0.0; WIDTH_F64]; 9];
    let mut rotations = [[0.0; WIDTH_F64]; 9];
    let mut traces = [0.0; WIDTH_F64];
    // SAFETY: every array holds `WIDTH` numbers; the caller vouches for the instruction set.
    unsafe {
        for k in 0..9 {
            f[k].store(entries[k].as_mut_ptr());
            rotation[k].store(rotations[k].as_mut_ptr());
        }
        trace.store(traces.as_mut_ptr());
        scalar_lanes(&entries, &mut rotations, &mut traces, failed);
        (load_matrix(&rotations), L::load(traces.as_ptr()))
    }
}

#[cold]
#[inline(never)]
fn scalar_lanes(
    entries: &[[f64; WIDTH_F64]; 9],
    rotations: &mut [[f64; WIDTH_F64]; 9],
    traces: &mut [f64; WIDTH_F64],
    failed: u32,
) {
    for lane in (0..WIDTH_F64).filter(|lane| failed >> lane & 1 == 1) {
        let svd = svd_rotation_variant(&scalar_matrix(entries, lane));
        let by_rows = svd.rotation().transpose().to_cols_array();
        for k in 0..9 {
            rotations[k][lane] = by_rows[k];
        }
        traces[lane] = svd.sigma.element_sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decomposition::polar;
    use crate::lanes::{Kernel, PlainF64};
    use glam::{DMat3, DVec3};
    use proptest::prelude::*;

    type Entries = [[f64; WIDTH_F64]; 9];

    #[derive(Clone, Copy, Debug)]
    struct Outcome {
        rotations: Entries,
        traces: [f64; WIDTH_F64],
        distances: [f64; WIDTH_F64],
        excesses: [f64; WIDTH_F64],
    }

    impl Outcome {
        fn bits(&self) -> Vec<u64> {
            let rows = self.rotations.iter().chain([&self.traces, &self.distances, &self.excesses]);
            // all NaN count as one: their payload is not arithmetic
            let bits = |v: &f64| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() };
            rows.flatten().map(bits).collect()
        }
    }

    #[derive(Clone, Copy)]
    struct Decompose(Entries);

    impl<L: Lanes<Real = f64>> Kernel<L> for Decompose {
        type Output = Outcome;
        #[inline(always)]
        unsafe fn run(self) -> Outcome {
            let mut outcome = Outcome {
                rotations: [[0.0; 8]; 9],
                traces: [0.0; 8],
                distances: [0.0; 8],
                excesses: [0.0; 8],
            };
            // SAFETY: inside a kernel of L; every array holds `WIDTH` numbers.
            unsafe {
                let f = load_matrix::<L>(&self.0);
                let (rotation, trace) = polar_lanes(&f);
                let (distance, excess) = polar_distance_lanes(&f);
                for k in 0..9 {
                    rotation[k].store(outcome.rotations[k].as_mut_ptr());
                }
                trace.store(outcome.traces.as_mut_ptr());
                distance.store(outcome.distances.as_mut_ptr());
                excess.store(outcome.excesses.as_mut_ptr());
            }
            outcome
        }
    }

    /// The outcome, after checking that every instruction set of this machine has the same bits.
    fn decompose(matrices: &[DMat3; WIDTH_F64]) -> Outcome {
        let by_rows = matrices.map(|m| m.transpose().to_cols_array());
        let kernel = Decompose(std::array::from_fn(|k| std::array::from_fn(|l| by_rows[l][k])));
        // SAFETY: plain lanes run everywhere, the others after asking the machine.
        let plain = unsafe { PlainF64::enter(kernel) };
        #[cfg(target_arch = "x86_64")]
        unsafe {
            use crate::lanes::{Avx2F64, Avx512F64};
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx2 {
                assert_eq!(Avx2F64::enter(kernel).bits(), plain.bits());
            }
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            if avx2 && avx512 {
                assert_eq!(Avx512F64::enter(kernel).bits(), plain.bits());
            }
        }
        plain
    }

    fn check(matrices: &[DMat3; WIDTH_F64]) {
        let outcome = decompose(matrices);
        for (lane, f) in matrices.iter().enumerate() {
            let svd = svd_rotation_variant(f);
            let r = scalar_matrix(&outcome.rotations, lane);
            assert!((r.transpose() * r).abs_diff_eq(DMat3::IDENTITY, 1e-12), "{f:?}: {r:?}");
            assert!((r.determinant() - 1.0).abs() < 1e-12, "{f:?}: {r:?}");
            let size = svd.sigma.x;
            let trace = svd.sigma.element_sum();
            assert!((outcome.traces[lane] - trace).abs() <= 1e-13 * size, "{f:?}");
            let strain = svd.sigma - DVec3::ONE;
            // squares of σ are only compared where they are numbers
            if size < 1e150 {
                let distance = strain.length_squared();
                // an error of one rounding in σ is all that any method can promise
                let slack = 1e-12 * distance + 4e-15 * distance.sqrt() * size.max(1.0) + 1e-30;
                assert!((outcome.distances[lane] - distance).abs() <= slack, "{f:?}");
                let excess = strain.element_sum();
                let slack = 1e-13 * size.max(1.0);
                assert!((outcome.excesses[lane] - excess).abs() <= slack, "{f:?}");
            }
            let gap = (svd.sigma.y + svd.sigma.z) / size;
            if gap > 1e-6 {
                let tolerance = 1e-12 + 4e-15 / gap;
                assert!(r.abs_diff_eq(polar(f), tolerance), "{f:?}: {r:?}");
            } else if size > 0.0 {
                // not unique, but no rotation is closer
                let f = DMat3::from_cols(f.x_axis / size, f.y_axis / size, f.z_axis / size);
                let reached = (r.transpose() * f).diagonal().element_sum();
                assert!((reached - trace / size).abs() < 1e-12, "{f:?}: {r:?}");
            }
        }
    }

    fn turn(x: f64, y: f64, z: f64) -> DMat3 {
        DMat3::from_euler(glam::EulerRot::XYZ, x, y, z)
    }

    #[test]
    fn lanes_that_fail_the_quartic_are_repaired() {
        let q = turn(0.4, -1.1, 2.3);
        let p = turn(-2.0, 0.5, 0.1);
        let stretched = |x, y, z| p * DMat3::from_diagonal(DVec3::new(x, y, z)) * q;
        check(&[
            DMat3::ZERO,
            stretched(1.0, 0.0, 0.0),
            stretched(1.0, 0.5, 0.0),
            stretched(1.0, 0.5, -0.5),
            stretched(1.0, 1.0, -1.0),
            stretched(1e150, 2e150, 1e149),
            stretched(1e-150, 2e-150, -1e-151),
            stretched(1.0, 1.0, 1.0),
        ]);
        check(&[
            stretched(1e-80, 1e-80, 2e-80),
            stretched(1e80, 1e80, -2e80),
            stretched(1.0, 0.5, -0.5 + 1e-9),
            stretched(1.0, 0.5, -0.5 - 1e-9),
            stretched(1.0, 1e-9, 1e-9),
            stretched(3.0, 1e-4, -1e-5),
            stretched(1.0, 1.0, -1.0 + 1e-5),
            -DMat3::IDENTITY,
        ]);
    }

    #[test]
    fn broken_lanes_do_not_spoil_their_neighbours() {
        let mut matrices = [turn(0.1, 0.2, 0.3) * 1.1; WIDTH_F64];
        matrices[2] = DMat3::NAN;
        matrices[5].y_axis.x = f64::INFINITY;
        let outcome = decompose(&matrices);
        assert!(outcome.traces[2].is_nan() && outcome.traces[5].is_nan());
        assert!(!outcome.distances[2].is_finite() && !outcome.distances[5].is_finite());
        for lane in [0, 1, 3, 4, 6, 7] {
            let r = scalar_matrix(&outcome.rotations, lane);
            assert!(r.abs_diff_eq(turn(0.1, 0.2, 0.3), 1e-14));
            assert!((outcome.distances[lane] - 0.03).abs() < 1e-14);
        }
    }

    #[test]
    fn small_distances_keep_their_digits() {
        for size in [1e-2, 1e-4, 1e-6] {
            let stretch = DVec3::new(1.0 + size, 1.0 - 0.5 * size, 1.0 + 0.2 * size);
            let f = turn(0.4, -1.1, 2.3) * DMat3::from_diagonal(stretch);
            let outcome = decompose(&[f; WIDTH_F64]);
            let distance = 1.29 * size * size;
            let error = (outcome.distances[0] / distance - 1.0).abs();
            assert!(error < 4e-15 / size, "{size}: {error}");
        }
    }

    /// Batches of one kind, and mixed ones: a difficult lane sends its batch another way.
    fn batch() -> impl Strategy<Value = [DMat3; WIDTH_F64]> {
        use proptest::array::uniform8;
        let any = proptest::array::uniform9(-2.0..2.0).prop_map(|e| DMat3::from_cols_array(&e));
        let angles = proptest::array::uniform3(-3.2..3.2);
        let near = (angles.clone(), proptest::array::uniform9(-0.2..0.2))
            .prop_map(|([x, y, z], e)| turn(x, y, z) + DMat3::from_cols_array(&e));
        let flat = (angles.clone(), angles, proptest::array::uniform3(-1e-3..1.0)).prop_map(
            |([x, y, z], [a, b, c], s)| {
                turn(x, y, z) * DMat3::from_diagonal(DVec3::from_array(s)) * turn(a, b, c)
            },
        );
        let scaled = (proptest::array::uniform9(-1.0..1.0), -160..140)
            .prop_map(|(e, power)| DMat3::from_cols_array(&e) * 10f64.powi(power));
        // σ₂ + σ₃ almost zero: two rotations are almost equally close
        let crease = (-3.2..3.2, -3.2..3.2, 0.3..1.5, 0.05..0.95, -12..-2).prop_map(
            |(x, y, size, part, power)| {
                let gap = 10f64.powi(power);
                let sigma = DVec3::new(1.0, part, gap - part) * size;
                turn(x, y, 0.0) * DMat3::from_diagonal(sigma) * turn(y, x, 1.0)
            },
        );
        let mixed = prop_oneof![any.clone(), near.clone(), flat.clone(), scaled.clone()];
        prop_oneof![
            uniform8(any),
            uniform8(near),
            uniform8(flat),
            uniform8(scaled),
            uniform8(crease),
            uniform8(mixed)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn lanes_agree_with_the_scalar_decomposition(
            matrices in batch()
        ) {
            check(&matrices);
        }
    }
}
