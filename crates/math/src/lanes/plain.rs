//! Lanes as plain arrays: the reference for every machine.

use std::ops::{Add, Mul, Neg, Sub};

use super::{Kernel, Lanes, PlainQuad, RowIndex, WIDTH_F32, WIDTH_F64};
use crate::row::Row;

/// See [`Lanes::inverse_sqrt`].
trait InverseSqrt {
    fn inverse_sqrt(self) -> Self;
}

impl InverseSqrt for f32 {
    #[inline(always)]
    fn inverse_sqrt(self) -> f32 {
        1.0 / self.sqrt()
    }
}

impl InverseSqrt for f64 {
    #[inline(always)]
    fn inverse_sqrt(self) -> f64 {
        let mut y = f64::from(1.0 / (self as f32).sqrt());
        for _ in 0..2 {
            let off = (-(self * y)).mul_add(y, 1.0);
            y = (0.5 * y).mul_add(off, y);
        }
        y
    }
}

macro_rules! lane_wise {
    ($a:expr, |$x:ident| $value:expr) => {{
        let mut r = $a;
        for lane in &mut r.0 {
            let $x = *lane;
            *lane = $value;
        }
        r
    }};
    ($a:expr, $b:expr, |$x:ident, $y:ident| $value:expr) => {{
        let (mut r, b) = ($a, $b);
        for i in 0..r.0.len() {
            let ($x, $y) = (r.0[i], b.0[i]);
            r.0[i] = $value;
        }
        r
    }};
}

macro_rules! plain_lanes {
    ($name:ident, $real:ty, $width:expr, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        #[repr(align(64))]
        pub struct $name([$real; $width]);

        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                lane_wise!(self, o, |a, o| a + o)
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                lane_wise!(self, o, |a, o| a - o)
            }
        }
        impl Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                lane_wise!(self, o, |a, o| a * o)
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                lane_wise!(self, |a| -a)
            }
        }

        impl Lanes for $name {
            type Real = $real;
            type Quad = PlainQuad;
            const WIDTH: usize = $width;

            #[inline(always)]
            unsafe fn enter<K: Kernel<Self>>(kernel: K) -> K::Output {
                // SAFETY: nothing need be enabled.
                unsafe { kernel.run() }
            }
            #[inline(always)]
            unsafe fn load(from: *const $real) -> Self {
                // SAFETY: the caller vouches for the pointer.
                $name(unsafe { from.cast::<[$real; $width]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $real) {
                // SAFETY: the caller vouches for the pointer.
                unsafe { to.cast::<[$real; $width]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn splat(value: $real) -> Self {
                $name([value; $width])
            }
            #[inline(always)]
            fn mul_add(mut self, b: Self, c: Self) -> Self {
                for i in 0..$width {
                    self.0[i] = self.0[i].mul_add(b.0[i], c.0[i]);
                }
                self
            }
            #[inline(always)]
            fn neg_mul_add(mut self, b: Self, c: Self) -> Self {
                for i in 0..$width {
                    self.0[i] = (-self.0[i]).mul_add(b.0[i], c.0[i]);
                }
                self
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                lane_wise!(self, o, |a, o| a / o)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                lane_wise!(self, |a| a.sqrt())
            }
            #[inline(always)]
            fn inverse_sqrt(self) -> Self {
                lane_wise!(self, |a| <$real as InverseSqrt>::inverse_sqrt(a))
            }
            #[inline(always)]
            fn abs(self) -> Self {
                lane_wise!(self, |a| a.abs())
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                lane_wise!(self, sign, |a, sign| a.copysign(sign))
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                lane_wise!(self, o, |a, o| if a > o { a } else { o })
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                lane_wise!(self, o, |a, o| if a < o { a } else { o })
            }
            #[inline(always)]
            fn mask_above(self, o: Self) -> u32 {
                let mut mask = 0;
                for i in 0..$width {
                    // Not `>`: a NaN must be noticed.
                    #[allow(clippy::neg_cmp_op_on_partial_ord)]
                    let above = !(self.0[i] <= o.0[i]);
                    mask |= u32::from(above) << i;
                }
                mask
            }
            #[inline(always)]
            unsafe fn gather_rows<I: RowIndex>(
                rows: *const Row<$real>,
                index: *const I,
            ) -> [Self; 3] {
                let mut xyz = [$name([0.0; $width]); 3];
                for i in 0..$width {
                    // SAFETY: the caller vouches for indices and rows.
                    let row = unsafe { (*rows.add((*index.add(i)).row())).0 };
                    for c in 0..3 {
                        xyz[c].0[i] = row[c];
                    }
                }
                xyz
            }
            #[inline(always)]
            unsafe fn store_rows(xyz: [Self; 3], rows: *mut Row<$real>) {
                for i in 0..$width {
                    let row = Row([xyz[0].0[i], xyz[1].0[i], xyz[2].0[i], 0.0]);
                    // SAFETY: the caller vouches for the pointer.
                    unsafe { rows.add(i).write(row) }
                }
            }
            #[inline(always)]
            unsafe fn scatter_rows<I: RowIndex>(
                xyz: [Self; 3],
                rows: *mut Row<$real>,
                index: *const I,
            ) {
                for i in 0..$width {
                    let row = Row([xyz[0].0[i], xyz[1].0[i], xyz[2].0[i], 0.0]);
                    // SAFETY: the caller vouches for indices and rows.
                    unsafe { rows.add((*index.add(i)).row()).write(row) }
                }
            }
        }
    };
}

plain_lanes!(PlainF64, f64, WIDTH_F64, "Eight doubles, no instruction set assumed.");
plain_lanes!(PlainF32, f32, WIDTH_F32, "Sixteen singles, no instruction set assumed.");
