//! Singular values of eight matrices in lanes: F = R S by the closest rotation, then the
//! eigenvectors V of the symmetric S = RᵀF by cyclic Jacobi rotations; σ are its eigenvalues,
//! U = R V.
//!
//! As accurate as the closest rotation in lanes: some 1e-15 of the largest stretch, and 1e-12 where
//! σ₂ + σ₃ nearly vanishes. That is all that Hessians need; small singular values do not keep
//! digits of their own, as they do in [`svd_rotation_variant`].
//!
//! [`svd_rotation_variant`]: super::svd_rotation_variant

use super::matrix::product;
use super::polar::polar_lanes;
use crate::lanes::Lanes;

/// F = U diag(σ) Vᵀ in every lane, with rotations U and V up to sign; σᵢ + σⱼ ≥ 0 for every two,
/// in no particular order.
#[derive(Clone, Copy, Debug)]
pub struct SvdLanes<L> {
    /// Left singular vectors in the columns; entry 3·i + j is row i, column j.
    pub u: [L; 9],
    /// Singular values; at most one is negative, where det F is.
    pub sigma: [L; 3],
    /// Right singular vectors in the columns.
    pub v: [L; 9],
}

/// Singular values and vectors in lanes.
///
/// # Safety
/// Called inside a kernel of `L`.
#[inline(always)]
pub unsafe fn svd_lanes<L: Lanes<Real = f64>>(f: &[L; 9]) -> SvdLanes<L> {
    // SAFETY: passed on to the caller.
    let (rotation, _) = unsafe { polar_lanes(f) };
    let mut s = [column_dot(&rotation, f, 0, 0); 6];
    for (k, (i, j)) in [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].into_iter().enumerate() {
        s[k] = column_dot(&rotation, f, i, j);
    }
    let (zero, one) = (f[0].constant(0.0), f[0].constant(1.0));
    let mut v = [one, zero, zero, zero, one, zero, zero, zero, one];
    for _ in 0..MOST_SWEEPS {
        let size = s[0].abs().max(s[1].abs()).max(s[2].abs());
        let off = s[3].abs().max(s[4].abs()).max(s[5].abs());
        if off.mask_above(size * size.constant(SETTLED)) == 0 {
            break;
        }
        rotate::<L, 0, 1, 2>(&mut s, &mut v);
        rotate::<L, 0, 2, 1>(&mut s, &mut v);
        rotate::<L, 1, 2, 0>(&mut s, &mut v);
    }
    SvdLanes { u: product(&rotation, &v), sigma: [s[0], s[1], s[2]], v }
}

/// Each sweep squares what is left; five settle all that is not broken.
const MOST_SWEEPS: usize = 8;
/// Off-diagonal entries, relative to the largest on it.
const SETTLED: f64 = 1e-16;

/// Turns axes P and Q until s\[PQ\] is zero; R is the third. `s` has the diagonal, then the
/// entries opposite to axes 0, 1, 2.
#[inline(always)]
fn rotate<L: Lanes, const P: usize, const Q: usize, const R: usize>(
    s: &mut [L; 6],
    v: &mut [L; 9],
) {
    let (off, difference) = (s[3 + R], s[Q] - s[P]);
    let twice = off + off;
    let length = difference.mul_add(difference, twice * twice).sqrt();
    // Never below 2|s[PQ]|, also where squares underflow; above zero where both are zero, and then
    // the tangent is zero.
    let least = twice.abs().max(off.constant(f64::MIN_POSITIVE));
    let denominator = (difference.abs() + length).max(least);
    let tangent = twice.div(denominator.copysign(difference));
    let one = off.constant(1.0);
    let cosine = tangent.mul_add(tangent, one).inverse_sqrt();
    let sine = cosine * tangent;
    s[P] = tangent.neg_mul_add(off, s[P]);
    s[Q] = tangent.mul_add(off, s[Q]);
    s[3 + R] = off.constant(0.0);
    // Entries (P, R) and (Q, R) stand opposite to Q and P.
    turn(s, 3 + Q, 3 + P, cosine, sine);
    for row in 0..3 {
        turn(v, 3 * row + P, 3 * row + Q, cosine, sine);
    }
}

#[inline(always)]
fn turn<L: Lanes, const N: usize>(m: &mut [L; N], p: usize, q: usize, cosine: L, sine: L) {
    let (a, b) = (m[p], m[q]);
    m[p] = cosine.mul_add(a, -(sine * b));
    m[q] = sine.mul_add(a, cosine * b);
}

/// Column i of a · column j of b.
#[inline(always)]
fn column_dot<L: Lanes>(a: &[L; 9], b: &[L; 9], i: usize, j: usize) -> L {
    a[i].mul_add(b[j], a[3 + i].mul_add(b[3 + j], a[6 + i] * b[6 + j]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decomposition::{load_matrix, svd_rotation_variant};
    use crate::lanes::{Kernel, PlainF64, WIDTH_F64, run64};
    use glam::{DMat3, DVec3};
    use proptest::prelude::*;

    #[derive(Clone, Copy)]
    struct Decompose([[f64; WIDTH_F64]; 9]);

    /// U, σ, V, lane by lane.
    type Stored = ([[f64; WIDTH_F64]; 9], [[f64; WIDTH_F64]; 3], [[f64; WIDTH_F64]; 9]);

    impl<L: Lanes<Real = f64>> Kernel<L> for Decompose {
        type Output = Stored;
        #[inline(always)]
        unsafe fn run(self) -> Stored {
            let mut out = Stored::default();
            // SAFETY: inside a kernel of L, and every array has eight numbers.
            unsafe {
                let svd = svd_lanes(&load_matrix::<L>(&self.0));
                for k in 0..9 {
                    svd.u[k].store(out.0[k].as_mut_ptr());
                    svd.v[k].store(out.2[k].as_mut_ptr());
                }
                for k in 0..3 {
                    svd.sigma[k].store(out.1[k].as_mut_ptr());
                }
            }
            out
        }
    }

    fn check(f: DMat3) {
        // A lane that is settled turns on while others are not.
        let slow = DMat3::from_cols_array(&[0.3, -1.1, 0.7, 1.9, 0.2, -0.4, 0.8, 1.3, -0.6]);
        let rows = [f, slow].map(|m| m.transpose().to_cols_array());
        let entries = |k: usize| std::array::from_fn(|lane| rows[lane % 2][k]);
        let kernel = Decompose(std::array::from_fn(entries));
        let (u, sigma, v) = run64(kernel);
        // SAFETY: plain lanes run everywhere.
        assert_eq!((u, sigma, v), unsafe { PlainF64::enter(kernel) }, "the same bits everywhere");
        let matrix =
            |m: [[f64; WIDTH_F64]; 9]| DMat3::from_cols_array(&m.map(|entry| entry[0])).transpose();
        let (u, v, sigma) = (matrix(u), matrix(v), DVec3::from_array(sigma.map(|s| s[0])));
        let size = f.to_cols_array().iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
        assert!((v.transpose() * v).abs_diff_eq(DMat3::IDENTITY, 1e-14), "{f:?}: {v:?}");
        assert!((u.transpose() * u).abs_diff_eq(DMat3::IDENTITY, 1e-12), "{f:?}: {u:?}");
        let product = u * DMat3::from_diagonal(sigma) * v.transpose();
        assert!(product.abs_diff_eq(f, 1e-12 * size), "{f:?}: {product:?}");
        let mut sorted = sigma.to_array();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let wanted = svd_rotation_variant(&f).sigma;
        assert!(DVec3::from_array(sorted).abs_diff_eq(wanted, 1e-12 * size), "{f:?}: {sigma}");
    }

    #[test]
    fn special_matrices_are_decomposed() {
        for diagonal in
            [[1.0; 3], [2.0, 2.0, 1.0], [1.0, 1.0, -1.0], [1.0, 0.5, 0.0], [3.0, 0.0, 0.0]]
        {
            check(DMat3::from_diagonal(diagonal.into()));
            check(DMat3::from_rotation_x(0.4) * DMat3::from_diagonal(diagonal.into()));
        }
        check(DMat3::ZERO);
        for k in 0..200 {
            let [x, y, z] = [0.3, 0.7, 1.1].map(|step| step * f64::from(k));
            check(DMat3::from_euler(glam::EulerRot::XYZ, x, y, z) * 1.25);
        }
    }

    proptest! {
        #[test]
        fn lanes_rebuild_the_matrix(e in proptest::array::uniform9(-3.0..3.0)) {
            check(DMat3::from_cols_array(&e));
        }

        #[test]
        fn nearly_rigid_matrices_too(e in proptest::array::uniform9(-1e-7..1e-7), turn in -3.0..3.0) {
            check(DMat3::from_rotation_z(turn) + DMat3::from_cols_array(&e));
        }
    }
}
