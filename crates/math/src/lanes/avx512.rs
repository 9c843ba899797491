//! Lanes as 512-bit registers.

use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

use super::{AvxQuad, Kernel, Lanes, RowIndex, WIDTH_F32, WIDTH_F64};
use crate::row::Row;

/// Eight doubles in one register.
#[derive(Clone, Copy, Debug)]
pub struct Avx512F64(__m512d);

/// Sixteen singles in one register.
#[derive(Clone, Copy, Debug)]
pub struct Avx512F32(__m512);

// SAFETY of all blocks below: a value of these types proves that the instruction set is there;
// the unsafe constructors and pointer functions pass their contract on to the caller.

macro_rules! operators {
    ($name:ident, $add:ident, $sub:ident, $mul:ident) => {
        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                unsafe { $name($add(self.0, o.0)) }
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                unsafe { $name($sub(self.0, o.0)) }
            }
        }
        impl Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                unsafe { $name($mul(self.0, o.0)) }
            }
        }
    };
}
operators!(Avx512F64, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd);
operators!(Avx512F32, _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps);

impl Neg for Avx512F64 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // The sign bit, not 0 − x: −0 must come out as on every other machine.
        unsafe { Avx512F64(_mm512_xor_pd(self.0, _mm512_set1_pd(-0.0))) }
    }
}
impl Neg for Avx512F32 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        unsafe { Avx512F32(_mm512_xor_ps(self.0, _mm512_set1_ps(-0.0))) }
    }
}

impl Lanes for Avx512F64 {
    type Real = f64;
    type Quad = AvxQuad;
    const WIDTH: usize = WIDTH_F64;

    #[inline(always)]
    unsafe fn enter<K: Kernel<Self>>(kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
        unsafe fn inner<K: Kernel<Avx512F64>>(kernel: K) -> K::Output {
            unsafe { kernel.run() }
        }
        unsafe { inner(kernel) }
    }
    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        unsafe { Avx512F64(_mm512_loadu_pd(from)) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        unsafe { _mm512_storeu_pd(to, self.0) }
    }
    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        unsafe { Avx512F64(_mm512_set1_pd(value)) }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        unsafe { Avx512F64(_mm512_fmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        unsafe { Avx512F64(_mm512_fnmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        unsafe { Avx512F64(_mm512_div_pd(self.0, o.0)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { Avx512F64(_mm512_sqrt_pd(self.0)) }
    }
    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        unsafe {
            let root = _mm256_sqrt_ps(_mm512_cvtpd_ps(self.0));
            let mut y = _mm512_cvtps_pd(_mm256_div_ps(_mm256_set1_ps(1.0), root));
            let (half, one) = (_mm512_set1_pd(0.5), _mm512_set1_pd(1.0));
            for _ in 0..2 {
                let off = _mm512_fnmadd_pd(_mm512_mul_pd(self.0, y), y, one);
                y = _mm512_fmadd_pd(_mm512_mul_pd(y, half), off, y);
            }
            Avx512F64(y)
        }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        unsafe { Avx512F64(_mm512_abs_pd(self.0)) }
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        unsafe {
            let bit = _mm512_set1_pd(-0.0);
            let size = _mm512_andnot_pd(bit, self.0);
            Avx512F64(_mm512_or_pd(size, _mm512_and_pd(bit, sign.0)))
        }
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        unsafe { Avx512F64(_mm512_max_pd(self.0, o.0)) }
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        unsafe { Avx512F64(_mm512_min_pd(self.0, o.0)) }
    }
    #[inline(always)]
    fn mask_above(self, o: Self) -> u32 {
        unsafe { u32::from(_mm512_cmp_pd_mask::<_CMP_NLE_UQ>(self.0, o.0)) }
    }
    #[inline(always)]
    unsafe fn gather_rows<I: RowIndex>(rows: *const Row<f64>, index: *const I) -> [Self; 3] {
        #[inline(always)]
        unsafe fn pair<I: RowIndex>(rows: *const Row<f64>, index: *const I) -> __m512d {
            unsafe {
                let low = _mm256_loadu_pd(rows.add((*index).row()).cast());
                let high = _mm256_loadu_pd(rows.add((*index.add(1)).row()).cast());
                _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high)
            }
        }
        unsafe {
            let (a, b) = (pair(rows, index), pair(rows, index.add(2)));
            let (c, d) = (pair(rows, index.add(4)), pair(rows, index.add(6)));
            let take_xy = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
            let take_z = _mm512_setr_epi64(2, 6, 10, 14, 2, 6, 10, 14);
            let (xy0, xy1) =
                (_mm512_permutex2var_pd(a, take_xy, b), _mm512_permutex2var_pd(c, take_xy, d));
            let (z0, z1) =
                (_mm512_permutex2var_pd(a, take_z, b), _mm512_permutex2var_pd(c, take_z, d));
            [
                Avx512F64(_mm512_shuffle_f64x2::<0x44>(xy0, xy1)),
                Avx512F64(_mm512_shuffle_f64x2::<0xEE>(xy0, xy1)),
                Avx512F64(_mm512_shuffle_f64x2::<0x44>(z0, z1)),
            ]
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
            let zero = _mm512_setzero_pd();
            let (even_xy, odd_xy) = (_mm512_unpacklo_pd(x.0, y.0), _mm512_unpackhi_pd(x.0, y.0));
            let (even_z, odd_z) = (_mm512_unpacklo_pd(z.0, zero), _mm512_unpackhi_pd(z.0, zero));
            let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            for (first, order) in [(0, low), (4, high)] {
                let even = _mm512_permutex2var_pd(even_xy, order, even_z);
                let odd = _mm512_permutex2var_pd(odd_xy, order, odd_z);
                let four = [
                    _mm512_castpd512_pd256(even),
                    _mm512_castpd512_pd256(odd),
                    _mm512_extractf64x4_pd::<1>(even),
                    _mm512_extractf64x4_pd::<1>(odd),
                ];
                for k in 0..4 {
                    _mm256_storeu_pd(rows.add((*index.add(first + k)).row()).cast(), four[k]);
                }
            }
        }
    }
}

impl Lanes for Avx512F32 {
    type Real = f32;
    type Quad = AvxQuad;
    const WIDTH: usize = WIDTH_F32;

    #[inline(always)]
    unsafe fn enter<K: Kernel<Self>>(kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
        unsafe fn inner<K: Kernel<Avx512F32>>(kernel: K) -> K::Output {
            unsafe { kernel.run() }
        }
        unsafe { inner(kernel) }
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { Avx512F32(_mm512_loadu_ps(from)) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm512_storeu_ps(to, self.0) }
    }
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { Avx512F32(_mm512_set1_ps(value)) }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        unsafe { Avx512F32(_mm512_fmadd_ps(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        unsafe { Avx512F32(_mm512_fnmadd_ps(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        unsafe { Avx512F32(_mm512_div_ps(self.0, o.0)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { Avx512F32(_mm512_sqrt_ps(self.0)) }
    }
    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        unsafe { Avx512F32(_mm512_div_ps(_mm512_set1_ps(1.0), _mm512_sqrt_ps(self.0))) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        unsafe { Avx512F32(_mm512_abs_ps(self.0)) }
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        unsafe {
            let bit = _mm512_set1_ps(-0.0);
            let size = _mm512_andnot_ps(bit, self.0);
            Avx512F32(_mm512_or_ps(size, _mm512_and_ps(bit, sign.0)))
        }
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        unsafe { Avx512F32(_mm512_max_ps(self.0, o.0)) }
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        unsafe { Avx512F32(_mm512_min_ps(self.0, o.0)) }
    }
    #[inline(always)]
    fn mask_above(self, o: Self) -> u32 {
        unsafe { u32::from(_mm512_cmp_ps_mask::<_CMP_NLE_UQ>(self.0, o.0)) }
    }
    #[inline(always)]
    unsafe fn gather_rows<I: RowIndex>(rows: *const Row<f32>, index: *const I) -> [Self; 3] {
        #[inline(always)]
        unsafe fn at<I: RowIndex>(rows: *const Row<f32>, index: *const I, k: usize) -> __m128 {
            unsafe { _mm_load_ps(rows.add((*index.add(k)).row()).cast()) }
        }
        #[inline(always)]
        unsafe fn quad<I: RowIndex>(rows: *const Row<f32>, index: *const I, k: usize) -> __m512 {
            unsafe {
                let q = _mm512_castps128_ps512(at(rows, index, k));
                let q = _mm512_insertf32x4::<1>(q, at(rows, index, k + 4));
                let q = _mm512_insertf32x4::<2>(q, at(rows, index, k + 8));
                _mm512_insertf32x4::<3>(q, at(rows, index, k + 12))
            }
        }
        unsafe {
            let (a, b) = (quad(rows, index, 0), quad(rows, index, 1));
            let (c, d) = (quad(rows, index, 2), quad(rows, index, 3));
            let (xy0, xy1) = (_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d));
            let (zw0, zw1) = (_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d));
            [
                Avx512F32(_mm512_shuffle_ps::<0x44>(xy0, xy1)),
                Avx512F32(_mm512_shuffle_ps::<0xEE>(xy0, xy1)),
                Avx512F32(_mm512_shuffle_ps::<0x44>(zw0, zw1)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn store_rows([x, y, z]: [Self; 3], rows: *mut Row<f32>) {
        unsafe {
            let out: *mut f32 = rows.cast();
            let zero = _mm512_setzero_ps();
            let (xy0, xy1) = (_mm512_unpacklo_ps(x.0, y.0), _mm512_unpackhi_ps(x.0, y.0));
            let (z0, z1) = (_mm512_unpacklo_ps(z.0, zero), _mm512_unpackhi_ps(z.0, zero));
            let (a, b) = (_mm512_shuffle_ps::<0x44>(xy0, z0), _mm512_shuffle_ps::<0xEE>(xy0, z0));
            let (c, d) = (_mm512_shuffle_ps::<0x44>(xy1, z1), _mm512_shuffle_ps::<0xEE>(xy1, z1));
            // 128-bit block L of a, b, c, d holds rows 4L, 4L+1, 4L+2, 4L+3: transpose the blocks.
            let (p, q) = (_mm512_shuffle_f32x4::<0x44>(a, b), _mm512_shuffle_f32x4::<0xEE>(a, b));
            let (r, s) = (_mm512_shuffle_f32x4::<0x44>(c, d), _mm512_shuffle_f32x4::<0xEE>(c, d));
            _mm512_storeu_ps(out, _mm512_shuffle_f32x4::<0x88>(p, r));
            _mm512_storeu_ps(out.add(16), _mm512_shuffle_f32x4::<0xDD>(p, r));
            _mm512_storeu_ps(out.add(32), _mm512_shuffle_f32x4::<0x88>(q, s));
            _mm512_storeu_ps(out.add(48), _mm512_shuffle_f32x4::<0xDD>(q, s));
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
