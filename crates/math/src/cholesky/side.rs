//! What is solved for with a panel factor: three right-hand sides as rows, or one as numbers.
//!
//! Both read the same panels. One right-hand side takes a third of the arithmetic, and moves a
//! quarter of the bytes between panels.

use super::panel::PanelReal;
use crate::lanes::Lanes;
use crate::row::{Row, Zeroable};

/// The right-hand sides at one unknown.
pub trait Side<E: PanelReal>: Copy + Send + Sync + Zeroable + 'static {
    /// Of all right-hand sides: zero.
    fn zero() -> Self;
    /// Sums, right-hand side by right-hand side.
    fn sum(self, other: Self) -> Self;
    /// `h` outputs ← a tile of `h`×`len` numbers, column after column, times `len` inputs.
    ///
    /// # Safety
    /// The pointers are valid for that many, `h` is one or two widths of `L`, and the instruction
    /// set is enabled.
    unsafe fn product<L: Lanes<Real = E>>(
        tile: *const E,
        input: *const Self,
        len: usize,
        h: usize,
        output: *mut Self,
    );
}

impl<E: PanelReal> Side<E> for Row<E> {
    #[inline(always)]
    fn zero() -> Self {
        Row::zero()
    }
    #[inline(always)]
    fn sum(self, b: Self) -> Self {
        Row(std::array::from_fn(|k| self.0[k] + b.0[k]))
    }
    #[inline(always)]
    unsafe fn product<L: Lanes<Real = E>>(
        tile: *const E,
        input: *const Self,
        len: usize,
        h: usize,
        output: *mut Self,
    ) {
        // SAFETY: the caller vouches for the pointers and the instruction set.
        unsafe {
            let zero = L::splat(E::default());
            let (mut s, mut t) = ([zero; 3], [zero; 3]);
            if h == L::WIDTH {
                // Two chains, so that the sums of one hide the latency of the other.
                let mut j = 0;
                while j + 1 < len {
                    let even = L::load(tile.add(j * L::WIDTH));
                    let odd = L::load(tile.add((j + 1) * L::WIDTH));
                    let (v, w) = ((*input.add(j)).0, (*input.add(j + 1)).0);
                    for k in 0..3 {
                        s[k] = even.mul_add(L::splat(v[k]), s[k]);
                        t[k] = odd.mul_add(L::splat(w[k]), t[k]);
                    }
                    j += 2;
                }
                if j < len {
                    let last = L::load(tile.add(j * L::WIDTH));
                    let v = (*input.add(j)).0;
                    for k in 0..3 {
                        s[k] = last.mul_add(L::splat(v[k]), s[k]);
                    }
                }
                for k in 0..3 {
                    s[k] = s[k] + t[k];
                }
                L::store_rows(s, output);
            } else {
                for j in 0..len {
                    let upper = L::load(tile.add(2 * j * L::WIDTH));
                    let lower = L::load(tile.add((2 * j + 1) * L::WIDTH));
                    let v = (*input.add(j)).0;
                    for k in 0..3 {
                        let b = L::splat(v[k]);
                        s[k] = upper.mul_add(b, s[k]);
                        t[k] = lower.mul_add(b, t[k]);
                    }
                }
                L::store_rows(s, output);
                L::store_rows(t, output.add(L::WIDTH));
            }
        }
    }
}

impl<E: PanelReal> Side<E> for E {
    #[inline(always)]
    fn zero() -> Self {
        E::default()
    }
    #[inline(always)]
    fn sum(self, b: Self) -> Self {
        self + b
    }
    #[inline(always)]
    unsafe fn product<L: Lanes<Real = E>>(
        tile: *const E,
        input: *const Self,
        len: usize,
        h: usize,
        output: *mut Self,
    ) {
        // SAFETY: the caller vouches for the pointers and the instruction set.
        unsafe {
            let zero = L::splat(E::default());
            if h == L::WIDTH {
                // Four chains, as sums take four times as long as it takes to begin them.
                let mut s = [zero; 4];
                let whole = len - len % 4;
                let mut j = 0;
                while j < whole {
                    for k in 0..4 {
                        let column = L::load(tile.add((j + k) * L::WIDTH));
                        s[k] = column.mul_add(L::splat(*input.add(j + k)), s[k]);
                    }
                    j += 4;
                }
                while j < len {
                    let column = L::load(tile.add(j * L::WIDTH));
                    s[0] = column.mul_add(L::splat(*input.add(j)), s[0]);
                    j += 1;
                }
                ((s[0] + s[1]) + (s[2] + s[3])).store(output);
            } else {
                let (mut s, mut t) = ([zero; 2], [zero; 2]);
                let whole = len - len % 2;
                let mut j = 0;
                while j < whole {
                    for k in 0..2 {
                        let at = tile.add(2 * (j + k) * L::WIDTH);
                        let b = L::splat(*input.add(j + k));
                        s[k] = L::load(at).mul_add(b, s[k]);
                        t[k] = L::load(at.add(L::WIDTH)).mul_add(b, t[k]);
                    }
                    j += 2;
                }
                if j < len {
                    let at = tile.add(2 * j * L::WIDTH);
                    let b = L::splat(*input.add(j));
                    s[0] = L::load(at).mul_add(b, s[0]);
                    t[0] = L::load(at.add(L::WIDTH)).mul_add(b, t[0]);
                }
                (s[0] + s[1]).store(output);
                (t[0] + t[1]).store(output.add(L::WIDTH));
            }
        }
    }
}
