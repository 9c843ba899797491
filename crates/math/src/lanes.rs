//! Vector lanes: kernels written once, compiled for each instruction set, chosen at run time.
//!
//! A kernel is a struct that implements [`Kernel<L>`] for every `L: Lanes`; [`run64`] and
//! [`run32`] enter a function that has the instruction set enabled, and everything
//! `#[inline(always)]` below it is compiled with it.
//!
//! Every operation is correctly rounded, or made of such (no reciprocal approximations), and the
//! width is the same everywhere: 8 lanes of f64, 16 of f32. A kernel therefore returns the same
//! bits on AVX-512, AVX2 and any other machine.
//!
//! Pitfall: a closure called twice inside a kernel may be compiled on its own, without the
//! instruction set, and halves the speed. Use `#[inline(always)]` functions.

use std::ops::{Add, Mul, Neg, Sub};
use std::sync::OnceLock;

use crate::row::{Real, Row};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;
mod quad;

#[cfg(target_arch = "x86_64")]
pub use avx2::{Avx2F32, Avx2F64};
#[cfg(target_arch = "x86_64")]
pub use avx512::{Avx512F32, Avx512F64};
pub use plain::{PlainF32, PlainF64};
#[cfg(target_arch = "x86_64")]
pub use quad::AvxQuad;
pub use quad::{PlainQuad, Quad};

/// Lanes of f64 in every instruction set.
pub const WIDTH_F64: usize = 8;
/// Lanes of f32 in every instruction set.
pub const WIDTH_F32: usize = 16;

/// `WIDTH` numbers that move through arithmetic together.
///
/// Constructors are unsafe: they may only be called under [`Lanes::enter`], on a machine that
/// has the instruction set. Holding a value proves that, so all else is safe.
pub trait Lanes:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// What one lane holds.
    type Real: Real;
    /// A row of doubles, with the same instructions.
    type Quad: Quad;
    /// How many lanes.
    const WIDTH: usize;

    /// Runs a kernel with the instruction set enabled.
    ///
    /// # Safety
    /// The machine must have the instruction set.
    unsafe fn enter<K: Kernel<Self>>(kernel: K) -> K::Output;

    /// # Safety
    /// `from` must be valid for `WIDTH` reads, and the instruction set enabled.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// # Safety
    /// `to` must be valid for `WIDTH` writes.
    unsafe fn store(self, to: *mut Self::Real);
    /// The same number in every lane.
    ///
    /// # Safety
    /// The instruction set must be enabled.
    unsafe fn splat(value: Self::Real) -> Self;
    /// The same f64 constant in every lane of lanes that already exist.
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        // SAFETY: `self` proves the instruction set.
        unsafe { Self::splat(Self::Real::of(value)) }
    }
    /// self · b + c, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// c − self · b, rounded once.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    /// self ÷ other.
    fn div(self, other: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// 1/√self to about one unit in the last place, for numbers from 1e-36 to 1e36 alone: some
    /// four times as fast as a root and a division. In double precision a guess in single and
    /// two steps of Newton's method, of correctly rounded operations: the same bits everywhere.
    fn inverse_sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// The size of self with the sign of the other.
    fn copysign(self, sign: Self) -> Self;
    /// The larger of two numbers; `other` where self is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller of two numbers; `other` where self is NaN.
    fn min(self, other: Self) -> Self;
    /// Bit `i` set where NOT (self ≤ other) in lane `i`: also where either is NaN.
    fn mask_above(self, other: Self) -> u32;
    /// `WIDTH` rows at `rows[index[..]]`, transposed to x, y, z.
    ///
    /// # Safety
    /// `index` must be valid for `WIDTH` reads and `rows` for each of them.
    unsafe fn gather_rows<I: RowIndex>(rows: *const Row<Self::Real>, index: *const I) -> [Self; 3];
    /// x, y, z to `WIDTH` consecutive rows.
    ///
    /// # Safety
    /// `rows` must be valid for `WIDTH` writes.
    unsafe fn store_rows(xyz: [Self; 3], rows: *mut Row<Self::Real>);
    /// x, y, z to `WIDTH` rows at `rows[index[..]]`, the last lane last.
    ///
    /// # Safety
    /// `index` must be valid for `WIDTH` reads and `rows` for writes to each of them.
    unsafe fn scatter_rows<I: RowIndex>(
        xyz: [Self; 3],
        rows: *mut Row<Self::Real>,
        index: *const I,
    );
}

/// A number of a row: 16 bits within chunks, 32 bits within a model.
pub trait RowIndex: Copy {
    /// The number.
    fn row(self) -> usize;
}

impl RowIndex for u16 {
    #[inline(always)]
    fn row(self) -> usize {
        self as usize
    }
}

impl RowIndex for u32 {
    #[inline(always)]
    fn row(self) -> usize {
        self as usize
    }
}

/// A piece of work over lanes.
pub trait Kernel<L: Lanes> {
    /// What it returns.
    type Output;
    /// Does it. Mark the implementation `#[inline(always)]`.
    ///
    /// # Safety
    /// Only called by [`Lanes::enter`], with the instruction set enabled.
    unsafe fn run(self) -> Self::Output;
}

/// The instruction sets that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 256-bit vectors and fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Whatever the compiler was allowed to assume.
    Plain,
}

/// The best instruction set of this machine; `PLIANT_LANES=avx512|avx2|plain` picks a lesser one.
pub fn instruction_set() -> InstructionSet {
    static BEST: OnceLock<InstructionSet> = OnceLock::new();
    *BEST.get_or_init(|| {
        let wish = std::env::var("PLIANT_LANES").unwrap_or_default();
        #[cfg(target_arch = "x86_64")]
        {
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx512 && avx2 && wish != "avx2" && wish != "plain" {
                return InstructionSet::Avx512;
            }
            if avx2 && wish != "plain" {
                return InstructionSet::Avx2;
            }
        }
        let _ = wish;
        InstructionSet::Plain
    })
}

/// Runs a double-precision kernel on the best instruction set of this machine.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn run64<K, O>(kernel: K) -> O
where
    K: Kernel<Avx512F64, Output = O> + Kernel<Avx2F64, Output = O> + Kernel<PlainF64, Output = O>,
{
    // SAFETY: `instruction_set` has asked the machine.
    unsafe {
        match instruction_set() {
            InstructionSet::Avx512 => Avx512F64::enter(kernel),
            InstructionSet::Avx2 => Avx2F64::enter(kernel),
            InstructionSet::Plain => PlainF64::enter(kernel),
        }
    }
}

/// Runs a single-precision kernel on the best instruction set of this machine.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn run32<K, O>(kernel: K) -> O
where
    K: Kernel<Avx512F32, Output = O> + Kernel<Avx2F32, Output = O> + Kernel<PlainF32, Output = O>,
{
    // SAFETY: `instruction_set` has asked the machine.
    unsafe {
        match instruction_set() {
            InstructionSet::Avx512 => Avx512F32::enter(kernel),
            InstructionSet::Avx2 => Avx2F32::enter(kernel),
            InstructionSet::Plain => PlainF32::enter(kernel),
        }
    }
}

/// Runs a double-precision kernel.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn run64<K: Kernel<PlainF64>>(kernel: K) -> K::Output {
    // SAFETY: plain lanes need no instruction set.
    unsafe { PlainF64::enter(kernel) }
}

/// Runs a single-precision kernel.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn run32<K: Kernel<PlainF32>>(kernel: K) -> K::Output {
    // SAFETY: plain lanes need no instruction set.
    unsafe { PlainF32::enter(kernel) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1/√x of eight numbers, and rows scattered and gathered again.
    #[derive(Clone, Copy)]
    struct Both([f64; WIDTH_F64]);

    impl<L: Lanes<Real = f64>> Kernel<L> for Both {
        type Output = ([f64; WIDTH_F64], [Row; 9]);
        #[inline(always)]
        unsafe fn run(self) -> Self::Output {
            let (mut out, mut rows) = ([0.0; WIDTH_F64], [Row([7.0; 4]); 9]);
            let index: [u32; WIDTH_F64] = [8, 6, 4, 2, 0, 1, 3, 5];
            // SAFETY: inside a kernel of L; eight numbers, and rows below nine.
            unsafe {
                let x = L::load(self.0.as_ptr());
                x.inverse_sqrt().store(out.as_mut_ptr());
                L::scatter_rows([x, x + x, -x], rows.as_mut_ptr(), index.as_ptr());
                let [_, y, _] = L::gather_rows(rows.as_ptr(), index.as_ptr());
                let mut doubled = [0.0; WIDTH_F64];
                y.store(doubled.as_mut_ptr());
                assert_eq!(doubled, self.0.map(|x| x + x));
            }
            (out, rows)
        }
    }

    #[test]
    fn inverse_roots_and_scattered_rows_have_the_same_bits_everywhere() {
        let mut x = 1e-36;
        while x < 1e36 {
            let kernel = Both(std::array::from_fn(|l| x * (1.0 + 0.37 * l as f64)));
            // SAFETY: plain lanes run everywhere.
            let plain = unsafe { PlainF64::enter(kernel) };
            assert_eq!(run64(kernel), plain);
            for (x, y) in kernel.0.iter().zip(plain.0) {
                let exact = 1.0 / x.sqrt();
                assert!((y - exact).abs() <= 4e-16 * exact, "1/√{x:e}: {y:e}, not {exact:e}");
            }
            assert_eq!(plain.1[7], Row([7.0; 4]));
            assert_eq!(plain.1[8].xyz(), glam::DVec3::new(1.0, 2.0, -1.0) * kernel.0[0]);
            x *= 3.1;
        }
    }

    /// Every operation once, of sixteen numbers (eight are taken twice).
    #[derive(Clone, Copy)]
    struct Everything([f64; 16], [f64; 16]);

    impl<L: Lanes> Kernel<L> for Everything {
        type Output = (Vec<f64>, u32);
        #[inline(always)]
        unsafe fn run(self) -> Self::Output {
            let (mut all, mut mask) = (Vec::new(), 0);
            let mut numbers = [L::Real::default(); WIDTH_F32];
            for first in (0..16).step_by(L::WIDTH) {
                let [a, b] = [self.0, self.1].map(|x| {
                    for (to, x) in numbers.iter_mut().zip(&x[first..]) {
                        *to = L::Real::of(*x);
                    }
                    // SAFETY: inside a kernel of L, with as many numbers as it is wide at least.
                    unsafe { L::load(numbers.as_ptr()) }
                });
                let c = a.constant(0.3);
                let results = [
                    a + b,
                    a - b,
                    a * b,
                    -a,
                    a.mul_add(b, c),
                    a.neg_mul_add(b, c),
                    a.div(b),
                    a.abs().sqrt(),
                    a.abs(),
                    a.copysign(b),
                    a.max(b),
                    a.min(b),
                ];
                for result in results {
                    // SAFETY: as above.
                    unsafe { result.store(numbers.as_mut_ptr()) };
                    all.extend(numbers[..L::WIDTH].iter().map(|x| x.widen()));
                }
                mask |= a.mask_above(b) << first;
                let index: [u16; WIDTH_F32] = std::array::from_fn(|k| (5 * k % 16) as u16);
                let mut rows = [Row([L::Real::default(); 4]); WIDTH_F32];
                let mut in_order = rows;
                // SAFETY: rows below sixteen, and as many as there are lanes.
                let [x, y, z] = unsafe {
                    L::scatter_rows([a, b, c], rows.as_mut_ptr(), index.as_ptr());
                    L::store_rows([a, b, c], in_order.as_mut_ptr());
                    L::gather_rows(rows.as_ptr(), index.as_ptr())
                };
                for row in rows.iter().chain(&in_order) {
                    all.extend(row.0.map(|x| x.widen()));
                }
                for lanes in [x - a, y - b, z - c] {
                    // SAFETY: as above.
                    unsafe { lanes.store(numbers.as_mut_ptr()) };
                    all.extend(numbers[..L::WIDTH].iter().map(|x| x.widen()));
                }
            }
            (all, mask)
        }
    }

    #[test]
    fn every_operation_has_the_same_bits_everywhere() {
        let first = std::array::from_fn(|k| (k as f64 * 1.7).sin() * 10f64.powi(k as i32 - 8));
        let mut second: [f64; 16] = std::array::from_fn(|k| (k as f64 * 0.9 + 0.4).cos());
        (second[3], second[11], second[5]) = (first[3], -0.0, f64::NAN);
        let kernel = Everything(first, second);
        let bits = |(all, mask): (Vec<f64>, u32)| {
            let of = |v: &f64| if v.is_nan() { 1 } else { v.to_bits() };
            (all.iter().map(of).collect::<Vec<_>>(), mask)
        };
        // SAFETY: plain lanes run everywhere, the others after asking the machine.
        let (f64s, f32s) =
            unsafe { (bits(PlainF64::enter(kernel)), bits(PlainF32::enter(kernel))) };
        assert_eq!(bits(run64(kernel)), f64s);
        assert_eq!(bits(run32(kernel)), f32s);
        #[cfg(target_arch = "x86_64")]
        if instruction_set() != InstructionSet::Plain {
            // SAFETY: the machine was asked.
            unsafe {
                assert_eq!(bits(Avx2F64::enter(kernel)), f64s);
                assert_eq!(bits(Avx2F32::enter(kernel)), f32s);
            }
        }
        assert_eq!(f64s.1 >> 5 & 1, 1, "a NaN is noticed");
        assert_eq!(f64s.1 >> 3 & 1, 0, "equal is not above");
    }
}
