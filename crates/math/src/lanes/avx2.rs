//! Lanes as pairs of 256-bit registers.
//!
//! Written out, not left to the compiler: of arrays it makes inserts, extracts and spills where
//! many of them are alive at once, which took three to four times as long in every kernel.

use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

use super::{AvxQuad, Kernel, Lanes, RowIndex, WIDTH_F32, WIDTH_F64};
use crate::row::Row;

/// Eight doubles in two registers.
#[derive(Clone, Copy, Debug)]
pub struct Avx2F64(__m256d, __m256d);

/// Sixteen singles in two registers.
#[derive(Clone, Copy, Debug)]
pub struct Avx2F32(__m256, __m256);

// SAFETY of all blocks below: a value of these types proves that the instruction set is there;
// the unsafe constructors and pointer functions pass their contract on to the caller.

macro_rules! operators {
    ($name:ident, $add:ident, $sub:ident, $mul:ident, $xor:ident, $splat:ident) => {
        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                unsafe { $name($add(self.0, o.0), $add(self.1, o.1)) }
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                unsafe { $name($sub(self.0, o.0), $sub(self.1, o.1)) }
            }
        }
        impl Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                unsafe { $name($mul(self.0, o.0), $mul(self.1, o.1)) }
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // The sign bit, not 0 − x: −0 must come out as on every other machine.
                unsafe {
                    let bit = $splat(-0.0);
                    $name($xor(self.0, bit), $xor(self.1, bit))
                }
            }
        }
    };
}
operators!(Avx2F64, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_xor_pd, _mm256_set1_pd);
operators!(Avx2F32, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_xor_ps, _mm256_set1_ps);

/// What is the same for both but for the names of instructions.
macro_rules! alike {
    (
        $name:ident, $real:ty, half $half:expr, load $load:ident, store $store:ident, splat $splat:ident,
        multiply $fmadd:ident $fnmadd:ident, divide $div:ident, root $sqrt:ident,
        bits $and:ident $andnot:ident $or:ident, bounds $max:ident $min:ident,
        compare $compare:ident $mask:ident
    ) => {
        #[inline(always)]
        unsafe fn enter<K: Kernel<Self>>(kernel: K) -> K::Output {
            #[target_feature(enable = "avx2,fma")]
            unsafe fn inner<K: Kernel<$name>>(kernel: K) -> K::Output {
                unsafe { kernel.run() }
            }
            unsafe { inner(kernel) }
        }
        #[inline(always)]
        unsafe fn load(from: *const $real) -> Self {
            unsafe { $name($load(from), $load(from.add($half))) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut $real) {
            unsafe {
                $store(to, self.0);
                $store(to.add($half), self.1);
            }
        }
        #[inline(always)]
        unsafe fn splat(value: $real) -> Self {
            unsafe {
                let all = $splat(value);
                $name(all, all)
            }
        }
        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            unsafe { $name($fmadd(self.0, b.0, c.0), $fmadd(self.1, b.1, c.1)) }
        }
        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            unsafe { $name($fnmadd(self.0, b.0, c.0), $fnmadd(self.1, b.1, c.1)) }
        }
        #[inline(always)]
        fn div(self, o: Self) -> Self {
            unsafe { $name($div(self.0, o.0), $div(self.1, o.1)) }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            unsafe { $name($sqrt(self.0), $sqrt(self.1)) }
        }
        #[inline(always)]
        fn abs(self) -> Self {
            unsafe {
                let bit = $splat(-0.0);
                $name($andnot(bit, self.0), $andnot(bit, self.1))
            }
        }
        #[inline(always)]
        fn copysign(self, sign: Self) -> Self {
            unsafe {
                let (bit, size) = ($splat(-0.0), self.abs());
                $name($or(size.0, $and(bit, sign.0)), $or(size.1, $and(bit, sign.1)))
            }
        }
        #[inline(always)]
        fn max(self, o: Self) -> Self {
            unsafe { $name($max(self.0, o.0), $max(self.1, o.1)) }
        }
        #[inline(always)]
        fn min(self, o: Self) -> Self {
            unsafe { $name($min(self.0, o.0), $min(self.1, o.1)) }
        }
        #[inline(always)]
        fn mask_above(self, o: Self) -> u32 {
            unsafe {
                let low = $mask($compare::<_CMP_NLE_UQ>(self.0, o.0));
                let high = $mask($compare::<_CMP_NLE_UQ>(self.1, o.1));
                (low | high << $half) as u32
            }
        }
    };
}

impl Lanes for Avx2F64 {
    type Real = f64;
    type Quad = AvxQuad;
    const WIDTH: usize = WIDTH_F64;

    alike!(
        Avx2F64, f64, half 4, load _mm256_loadu_pd, store _mm256_storeu_pd, splat _mm256_set1_pd,
        multiply _mm256_fmadd_pd _mm256_fnmadd_pd, divide _mm256_div_pd, root _mm256_sqrt_pd,
        bits _mm256_and_pd _mm256_andnot_pd _mm256_or_pd, bounds _mm256_max_pd _mm256_min_pd,
        compare _mm256_cmp_pd _mm256_movemask_pd
    );

    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        #[inline(always)]
        unsafe fn half(x: __m256d) -> __m256d {
            unsafe {
                let root = _mm_sqrt_ps(_mm256_cvtpd_ps(x));
                let mut y = _mm256_cvtps_pd(_mm_div_ps(_mm_set1_ps(1.0), root));
                let (half, one) = (_mm256_set1_pd(0.5), _mm256_set1_pd(1.0));
                for _ in 0..2 {
                    let off = _mm256_fnmadd_pd(_mm256_mul_pd(x, y), y, one);
                    y = _mm256_fmadd_pd(_mm256_mul_pd(y, half), off, y);
                }
                y
            }
        }
        unsafe { Avx2F64(half(self.0), half(self.1)) }
    }
    #[inline(always)]
    unsafe fn gather_rows<I: RowIndex>(rows: *const Row<f64>, index: *const I) -> [Self; 3] {
        #[inline(always)]
        unsafe fn four<I: RowIndex>(rows: *const Row<f64>, index: *const I) -> [__m256d; 3] {
            unsafe {
                let [a, b, c, d] =
                    [0, 1, 2, 3].map(|k| _mm256_loadu_pd(rows.add((*index.add(k)).row()).cast()));
                let (xz0, xz1) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
                let (yw0, yw1) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
                [
                    _mm256_permute2f128_pd::<0x20>(xz0, xz1),
                    _mm256_permute2f128_pd::<0x20>(yw0, yw1),
                    _mm256_permute2f128_pd::<0x31>(xz0, xz1),
                ]
            }
        }
        unsafe {
            let ([x0, y0, z0], [x1, y1, z1]) = (four(rows, index), four(rows, index.add(4)));
            [Avx2F64(x0, x1), Avx2F64(y0, y1), Avx2F64(z0, z1)]
        }
    }
    #[inline(always)]
    unsafe fn store_rows(xyz: [Self; 3], rows: *mut Row<f64>) {
        const IN_ORDER: [u16; WIDTH_F64] = [0, 1, 2, 3, 4, 5, 6, 7];
        unsafe { Self::scatter_rows(xyz, rows, IN_ORDER.as_ptr()) }
    }
    #[inline(always)]
    unsafe fn scatter_rows<I: RowIndex>(
        [x, y, z]: [Self; 3],
        rows: *mut Row<f64>,
        index: *const I,
    ) {
        unsafe {
            let zero = _mm256_setzero_pd();
            for (first, [x, y, z]) in [(0, [x.0, y.0, z.0]), (4, [x.1, y.1, z.1])] {
                let (even_xy, odd_xy) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
                let (even_z, odd_z) = (_mm256_unpacklo_pd(z, zero), _mm256_unpackhi_pd(z, zero));
                let four = [
                    _mm256_permute2f128_pd::<0x20>(even_xy, even_z),
                    _mm256_permute2f128_pd::<0x20>(odd_xy, odd_z),
                    _mm256_permute2f128_pd::<0x31>(even_xy, even_z),
                    _mm256_permute2f128_pd::<0x31>(odd_xy, odd_z),
                ];
                for k in 0..4 {
                    _mm256_storeu_pd(rows.add((*index.add(first + k)).row()).cast(), four[k]);
                }
            }
        }
    }
}

impl Lanes for Avx2F32 {
    type Real = f32;
    type Quad = AvxQuad;
    const WIDTH: usize = WIDTH_F32;

    alike!(
        Avx2F32, f32, half 8, load _mm256_loadu_ps, store _mm256_storeu_ps, splat _mm256_set1_ps,
        multiply _mm256_fmadd_ps _mm256_fnmadd_ps, divide _mm256_div_ps, root _mm256_sqrt_ps,
        bits _mm256_and_ps _mm256_andnot_ps _mm256_or_ps, bounds _mm256_max_ps _mm256_min_ps,
        compare _mm256_cmp_ps _mm256_movemask_ps
    );

    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        unsafe { Self::splat(1.0).div(self.sqrt()) }
    }
    #[inline(always)]
    unsafe fn gather_rows<I: RowIndex>(rows: *const Row<f32>, index: *const I) -> [Self; 3] {
        #[inline(always)]
        unsafe fn pair<I: RowIndex>(rows: *const Row<f32>, index: *const I, k: usize) -> __m256 {
            unsafe {
                let low = _mm_load_ps(rows.add((*index.add(k)).row()).cast());
                let high = _mm_load_ps(rows.add((*index.add(k + 4)).row()).cast());
                _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
            }
        }
        #[inline(always)]
        unsafe fn eight<I: RowIndex>(rows: *const Row<f32>, index: *const I) -> [__m256; 3] {
            unsafe {
                let (a, b) = (pair(rows, index, 0), pair(rows, index, 1));
                let (c, d) = (pair(rows, index, 2), pair(rows, index, 3));
                let (xy0, xy1) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
                let (zw0, zw1) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
                [
                    _mm256_shuffle_ps::<0x44>(xy0, xy1),
                    _mm256_shuffle_ps::<0xEE>(xy0, xy1),
                    _mm256_shuffle_ps::<0x44>(zw0, zw1),
                ]
            }
        }
        unsafe {
            let ([x0, y0, z0], [x1, y1, z1]) = (eight(rows, index), eight(rows, index.add(8)));
            [Avx2F32(x0, x1), Avx2F32(y0, y1), Avx2F32(z0, z1)]
        }
    }
    #[inline(always)]
    unsafe fn store_rows([x, y, z]: [Self; 3], rows: *mut Row<f32>) {
        unsafe {
            let zero = _mm256_setzero_ps();
            for (first, [x, y, z]) in [(0, [x.0, y.0, z.0]), (8, [x.1, y.1, z.1])] {
                let out: *mut f32 = rows.add(first).cast();
                let (xy0, xy1) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
                let (z0, z1) = (_mm256_unpacklo_ps(z, zero), _mm256_unpackhi_ps(z, zero));
                // Rows k and k + 4 in each.
                let a = _mm256_shuffle_ps::<0x44>(xy0, z0);
                let b = _mm256_shuffle_ps::<0xEE>(xy0, z0);
                let c = _mm256_shuffle_ps::<0x44>(xy1, z1);
                let d = _mm256_shuffle_ps::<0xEE>(xy1, z1);
                _mm256_storeu_ps(out, _mm256_permute2f128_ps::<0x20>(a, b));
                _mm256_storeu_ps(out.add(8), _mm256_permute2f128_ps::<0x20>(c, d));
                _mm256_storeu_ps(out.add(16), _mm256_permute2f128_ps::<0x31>(a, b));
                _mm256_storeu_ps(out.add(24), _mm256_permute2f128_ps::<0x31>(c, d));
            }
        }
    }
    #[inline(always)]
    unsafe fn scatter_rows<I: RowIndex>(xyz: [Self; 3], rows: *mut Row<f32>, index: *const I) {
        let mut in_order = [Row([0.0; 4]); WIDTH_F32];
        unsafe {
            Self::store_rows(xyz, in_order.as_mut_ptr());
            for (k, row) in in_order.into_iter().enumerate() {
                rows.add((*index.add(k)).row()).write(row);
            }
        }
    }
}
