//! 3×3 matrices of lanes: entry `m[3·i + j]` holds row i, column j of eight matrices.

use glam::DMat3;

use crate::lanes::{Lanes, WIDTH_F64};

/// C − I = FᵀF − I and its invariants; near a rotation, free of the cancellation that
/// subtracting 3 from ‖F‖² afterwards suffers.
#[derive(Clone, Copy, Debug)]
pub struct GreenStrain<L> {
    /// Twice the Green strain: entries 00, 11, 22, 01, 02, 12 of C − I.
    pub entries: [L; 6],
    /// Trace.
    pub trace: L,
    /// Sum of the principal 2×2 minors.
    pub minors: L,
    /// Determinant.
    pub determinant: L,
}

/// FᵀF − I.
#[inline(always)]
pub fn green_strain<L: Lanes>(f: &[L; 9]) -> GreenStrain<L> {
    let minus_one = f[0].constant(-1.0);
    let zero = f[0].constant(0.0);
    let [a, b, c] = [
        columns_product(f, 0, 0, minus_one),
        columns_product(f, 1, 1, minus_one),
        columns_product(f, 2, 2, minus_one),
    ];
    let [d, e, g] = [
        columns_product(f, 0, 1, zero),
        columns_product(f, 0, 2, zero),
        columns_product(f, 1, 2, zero),
    ];
    let m0 = g.neg_mul_add(g, b * c);
    let m1 = e.neg_mul_add(e, a * c);
    let m2 = d.neg_mul_add(d, a * b);
    let cross = d.neg_mul_add(c, e * g);
    let last = e.neg_mul_add(b, d * g);
    GreenStrain {
        entries: [a, b, c, d, e, g],
        trace: a + b + c,
        minors: m0 + m1 + m2,
        determinant: a.mul_add(m0, d.mul_add(cross, e * last)),
    }
}

/// Cofactor matrix, ∂ det F / ∂F.
#[inline(always)]
pub fn cofactors<L: Lanes>(f: &[L; 9]) -> [L; 9] {
    [
        minor(f, 4, 8, 5, 7),
        minor(f, 5, 6, 3, 8),
        minor(f, 3, 7, 4, 6),
        minor(f, 2, 7, 1, 8),
        minor(f, 0, 8, 2, 6),
        minor(f, 1, 6, 0, 7),
        minor(f, 1, 5, 2, 4),
        minor(f, 2, 3, 0, 5),
        minor(f, 0, 4, 1, 3),
    ]
}

/// Determinant from a matrix and its cofactors, plus `shift`, which spares a rounding where
/// det F − 1 is wanted.
#[inline(always)]
pub fn determinant<L: Lanes>(f: &[L; 9], cofactors: &[L; 9], shift: f64) -> L {
    let rest = f[2].mul_add(cofactors[2], f[0].constant(shift));
    f[0].mul_add(cofactors[0], f[1].mul_add(cofactors[1], rest))
}

/// Sum of squares of all entries.
#[inline(always)]
pub fn squared_norm<L: Lanes>(m: &[L; 9]) -> L {
    let p = m[0].mul_add(m[0], m[1].mul_add(m[1], m[2] * m[2]));
    let q = m[3].mul_add(m[3], m[4].mul_add(m[4], m[5] * m[5]));
    m[6].mul_add(m[6], m[7].mul_add(m[7], m[8].mul_add(m[8], p + q)))
}

/// A B, lane by lane.
#[inline(always)]
pub fn product<L: Lanes>(a: &[L; 9], b: &[L; 9]) -> [L; 9] {
    let mut m = *a;
    for i in 0..3 {
        for j in 0..3 {
            let last = a[3 * i + 2] * b[6 + j];
            m[3 * i + j] = a[3 * i].mul_add(b[j], a[3 * i + 1].mul_add(b[3 + j], last));
        }
    }
    m
}

/// A Bᵀ, lane by lane.
#[inline(always)]
pub fn product_with_transpose<L: Lanes>(a: &[L; 9], b: &[L; 9]) -> [L; 9] {
    let mut m = *a;
    for i in 0..3 {
        for j in 0..3 {
            let last = a[3 * i + 2] * b[3 * j + 2];
            m[3 * i + j] = a[3 * i].mul_add(b[3 * j], a[3 * i + 1].mul_add(b[3 * j + 1], last));
        }
    }
    m
}

/// The matrix in one lane, from entries stored lane by lane.
pub fn scalar_matrix(entries: &[[f64; WIDTH_F64]; 9], lane: usize) -> DMat3 {
    let m: [f64; 9] = std::array::from_fn(|k| entries[k][lane]);
    DMat3::from_cols_array(&[m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]])
}

/// Entries stored lane by lane, as lanes.
///
/// # Safety
/// Called inside a kernel of `L`.
#[inline(always)]
pub unsafe fn load_matrix<L: Lanes<Real = f64>>(entries: &[[f64; WIDTH_F64]; 9]) -> [L; 9] {
    const { assert!(L::WIDTH == WIDTH_F64) };
    // SAFETY: each entry holds `WIDTH` numbers; the caller vouches for the instruction set.
    unsafe {
        let mut m = [L::load(entries[0].as_ptr()); 9];
        for k in 1..9 {
            m[k] = L::load(entries[k].as_ptr());
        }
        m
    }
}

#[inline(always)]
fn minor<L: Lanes>(f: &[L; 9], p: usize, q: usize, r: usize, s: usize) -> L {
    f[r].neg_mul_add(f[s], f[p] * f[q])
}

/// Column i · column j + shift.
#[inline(always)]
fn columns_product<L: Lanes>(f: &[L; 9], i: usize, j: usize, shift: L) -> L {
    f[i].mul_add(f[j], f[i + 3].mul_add(f[j + 3], f[i + 6].mul_add(f[j + 6], shift)))
}
