//! Four doubles: one row, for passes over vertices.
//!
//! Compilers do not find whole rows in loops over components; written out, a row is one register.

use std::ops::{Add, Mul, Sub};

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use crate::row::Row;

/// The four numbers of a row, which move through arithmetic together.
///
/// As with [`super::Lanes`], constructors may only be called inside a kernel, and every operation
/// is correctly rounded.
pub trait Quad:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + 'static
{
    /// # Safety
    /// `from` must be valid for a read, and the instruction set enabled.
    unsafe fn load(from: *const Row) -> Self;
    /// A row of singles, as doubles.
    ///
    /// # Safety
    /// As [`Quad::load`].
    unsafe fn widen(from: *const Row<f32>) -> Self;
    /// # Safety
    /// The instruction set must be enabled.
    unsafe fn splat(value: f64) -> Self;
    /// # Safety
    /// `to` must be valid for a write.
    unsafe fn store(self, to: *mut Row);
    /// Rounds to singles.
    ///
    /// # Safety
    /// As [`Quad::store`].
    unsafe fn narrow(self, to: *mut Row<f32>);
    /// self · b + c, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// Absolute values.
    fn abs(self) -> Self;
    /// The numbers.
    fn to_row(self) -> Row;
    /// Their sum, in the order of [`Row::sum`].
    #[inline(always)]
    fn sum(self) -> f64 {
        self.to_row().sum()
    }
}

/// Four doubles, no instruction set assumed.
#[derive(Clone, Copy, Debug)]
pub struct PlainQuad([f64; 4]);

macro_rules! plain_operator {
    ($trait:ident, $function:ident, $operator:tt) => {
        impl $trait for PlainQuad {
            type Output = Self;
            #[inline(always)]
            fn $function(mut self, o: Self) -> Self {
                for i in 0..4 {
                    self.0[i] $operator o.0[i];
                }
                self
            }
        }
    };
}
plain_operator!(Add, add, +=);
plain_operator!(Sub, sub, -=);
plain_operator!(Mul, mul, *=);

impl Quad for PlainQuad {
    #[inline(always)]
    unsafe fn load(from: *const Row) -> Self {
        // SAFETY: the caller vouches for the pointer.
        PlainQuad(unsafe { *from }.0)
    }
    #[inline(always)]
    unsafe fn widen(from: *const Row<f32>) -> Self {
        // SAFETY: as above.
        PlainQuad(unsafe { *from }.widen().0)
    }
    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        PlainQuad([value; 4])
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Row) {
        // SAFETY: the caller vouches for the pointer.
        unsafe { to.write(Row(self.0)) }
    }
    #[inline(always)]
    unsafe fn narrow(self, to: *mut Row<f32>) {
        // SAFETY: as above.
        unsafe { to.write(Row(self.0).narrow()) }
    }
    #[inline(always)]
    fn mul_add(mut self, b: Self, c: Self) -> Self {
        for i in 0..4 {
            self.0[i] = self.0[i].mul_add(b.0[i], c.0[i]);
        }
        self
    }
    #[inline(always)]
    fn abs(self) -> Self {
        PlainQuad(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn to_row(self) -> Row {
        Row(self.0)
    }
}

/// Four doubles in one register, with AVX2 and fused multiply-add.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct AvxQuad(__m256d);

// SAFETY of all blocks below: a value of this type proves that the instruction set is there; the
// unsafe constructors and pointer functions pass their contract on to the caller.

#[cfg(target_arch = "x86_64")]
macro_rules! avx_operator {
    ($trait:ident, $function:ident, $instruction:ident) => {
        impl $trait for AvxQuad {
            type Output = Self;
            #[inline(always)]
            fn $function(self, o: Self) -> Self {
                unsafe { AvxQuad($instruction(self.0, o.0)) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
avx_operator!(Add, add, _mm256_add_pd);
#[cfg(target_arch = "x86_64")]
avx_operator!(Sub, sub, _mm256_sub_pd);
#[cfg(target_arch = "x86_64")]
avx_operator!(Mul, mul, _mm256_mul_pd);

#[cfg(target_arch = "x86_64")]
impl Quad for AvxQuad {
    #[inline(always)]
    unsafe fn load(from: *const Row) -> Self {
        unsafe { AvxQuad(_mm256_loadu_pd(from.cast())) }
    }
    #[inline(always)]
    unsafe fn widen(from: *const Row<f32>) -> Self {
        unsafe { AvxQuad(_mm256_cvtps_pd(_mm_load_ps(from.cast()))) }
    }
    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        unsafe { AvxQuad(_mm256_set1_pd(value)) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Row) {
        unsafe { _mm256_storeu_pd(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn narrow(self, to: *mut Row<f32>) {
        unsafe { _mm_store_ps(to.cast(), _mm256_cvtpd_ps(self.0)) }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        unsafe { AvxQuad(_mm256_fmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        unsafe { AvxQuad(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)) }
    }
    #[inline(always)]
    fn to_row(self) -> Row {
        let mut row = Row([0.0; 4]);
        unsafe { self.store(&mut row) };
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Kernel, Lanes, PlainF64};

    /// Every operation once.
    #[derive(Clone, Copy)]
    struct All(Row, Row<f32>, f64);

    impl<L: Lanes<Real = f64>> Kernel<L> for All {
        type Output = (Row, Row<f32>, f64);
        #[inline(always)]
        unsafe fn run(self) -> Self::Output {
            // SAFETY: inside a kernel of L; the pointers are those of rows.
            unsafe {
                let (a, b) = (L::Quad::load(&self.0), L::Quad::widen(&self.1));
                let c = a.mul_add(b, L::Quad::splat(self.2)) - a * b + b.abs();
                let (mut row, mut singles) = (Row([0.0; 4]), Row([0.0; 4]));
                c.store(&mut row);
                c.narrow(&mut singles);
                (row, singles, c.sum())
            }
        }
    }

    #[test]
    fn every_instruction_set_has_the_same_bits() {
        let rows = [
            All(Row([0.1, -0.2, 1e-300, 3e200]), Row([1.7, -0.3, 1e-30, -2.0]), 0.7),
            All(Row([f64::NAN, -0.0, f64::INFINITY, 1.0]), Row([0.0, -0.0, 1.0, 0.1]), -0.0),
        ];
        let bits = |(row, singles, sum): (Row, Row<f32>, f64)| {
            let of = |v: f64| if v.is_nan() { 1 } else { v.to_bits() };
            (row.0.map(of), singles.widen().0.map(of), of(sum))
        };
        for kernel in rows {
            // SAFETY: plain lanes run everywhere, the others after asking the machine.
            let plain = bits(unsafe { PlainF64::enter(kernel) });
            #[cfg(target_arch = "x86_64")]
            unsafe {
                use crate::lanes::{Avx2F64, Avx512F64};
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    assert_eq!(bits(Avx2F64::enter(kernel)), plain);
                    let avx512 = is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512vl")
                        && is_x86_feature_detected!("avx512dq");
                    if avx512 {
                        assert_eq!(bits(Avx512F64::enter(kernel)), plain);
                    }
                }
            }
        }
    }
}
