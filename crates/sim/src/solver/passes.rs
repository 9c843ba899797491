//! Passes over the vertices in an iteration of the projective solver: everything between the
//! gradient, the solve, and the next iterate.

use pliant_math::Row;
use pliant_math::lanes::{Kernel, Lanes, Quad, run64};
use pliant_math::lbfgs::{Direction, MAX_HISTORY};
use pliant_math::team::{SharedSlice, Team};

use crate::blocks::each_block;

/// The vectors of an iterate.
pub(super) struct Iterate<'a> {
    /// d = A⁻¹g, to be.
    pub d: &'a mut [Row<f32>],
    /// That of the iterate before.
    pub previous: &'a [Row<f32>],
    /// Per vertex: `stride` s, then `stride` z.
    pub history: &'a mut [Row<f32>],
    /// Slots per vertex.
    pub stride: usize,
    /// One per block of vertices.
    pub sums: &'a mut [f64],
}

/// d = factor · g, rounded.
pub(super) fn narrow(gradient: &[Row], factor: f64, d: &mut [Row<f32>], team: &Team) {
    let d = SharedSlice::new(d);
    each_block(d.len(), team, &|_, vertices| {
        // SAFETY: each block writes its own vertices.
        let d = unsafe { d.range(vertices.start, vertices.end) };
        run64(Narrow { gradient: &gradient[vertices], factor, d });
    });
}

/// out = factor · d.
pub(super) fn widen(d: &[Row<f32>], factor: f64, out: &mut [Row], team: &Team) {
    let out = SharedSlice::new(out);
    each_block(out.len().min(d.len()), team, &|_, vertices| {
        // SAFETY: each block writes its own vertices.
        let out = unsafe { out.range(vertices.start, vertices.end) };
        run64(Widen { d: &d[vertices], factor, out });
    });
}

/// ‖g‖², with memory for a sum per block.
pub(super) fn squared_norm(gradient: &[Row], sums: &mut [f64], team: &Team) -> f64 {
    let shared = SharedSlice::new(sums);
    each_block(gradient.len(), team, &|block, vertices| {
        // SAFETY: each block writes its own sum.
        unsafe { *shared.at(block) = run64(SquaredNorm(&gradient[vertices])) }
    });
    sums.iter().sum()
}

/// Completes d, which a solve has left divided by `scale`, and z = d − d₋; returns g·d.
pub(super) fn difference(
    gradient: &[Row],
    scale: f64,
    iterate: &mut Iterate,
    slot: usize,
    team: &Team,
) -> f64 {
    let Iterate { d, previous, history, stride, sums } = iterate;
    let (stride, previous) = (*stride, *previous);
    let (d, history, shared) =
        (SharedSlice::new(d), SharedSlice::new(history), SharedSlice::new(sums));
    each_block(d.len(), team, &|block, vertices| {
        // SAFETY: each block writes its own vertices and its own sum.
        unsafe {
            let part = Difference {
                gradient: &gradient[vertices.clone()],
                factor: scale,
                d: d.range(vertices.start, vertices.end),
                previous: &previous[vertices.clone()],
                history: history.range(vertices.start * 2 * stride, vertices.end * 2 * stride),
                stride,
                slot,
            };
            *shared.at(block) = run64(part);
        }
    });
    sums.iter().sum()
}

/// s = p = −d + Σ aᵢzᵢ + Σ cᵢsᵢ; moves by it, stores it in `slot`, and returns g·p.
pub(super) fn advance(
    positions: &mut [Row],
    gradient: &[Row],
    iterate: &mut Iterate,
    direction: &Direction,
    slot: usize,
    team: &Team,
) -> f64 {
    let Iterate { d, history, stride, sums, .. } = iterate;
    let (d, stride) = (&**d, *stride);
    let positions = SharedSlice::new(positions);
    let (history, shared) = (SharedSlice::new(history), SharedSlice::new(sums));
    each_block(d.len(), team, &|block, vertices| {
        // SAFETY: each block writes its own vertices and its own sum.
        unsafe {
            let part = Advance {
                positions: positions.range(vertices.start, vertices.end),
                gradient: &gradient[vertices.clone()],
                d: &d[vertices.clone()],
                history: history.range(vertices.start * 2 * stride, vertices.end * 2 * stride),
                stride,
                direction,
                slot,
            };
            *shared.at(block) = run64(part);
        }
    });
    sums.iter().sum()
}

/// Takes back a fraction of the last step.
pub(super) fn shorten(
    positions: &mut [Row],
    iterate: &mut Iterate,
    slot: usize,
    fraction: f64,
    team: &Team,
) {
    let (free, stride) = (iterate.d.len(), iterate.stride);
    let (positions, history) = (SharedSlice::new(positions), SharedSlice::new(iterate.history));
    each_block(free, team, &|_, vertices| {
        for i in vertices {
            // SAFETY: each block writes its own vertices.
            unsafe {
                let (x, s) = (positions.at(i), history.at(i * 2 * stride + slot));
                let back = s.widen() * fraction;
                *x = *x - back;
                *s = (s.widen() - back).narrow();
            }
        }
    });
}

struct Narrow<'a> {
    gradient: &'a [Row],
    factor: f64,
    d: &'a mut [Row<f32>],
}

impl<L: Lanes<Real = f64>> Kernel<L> for Narrow<'_> {
    type Output = ();
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: inside a kernel of L.
        unsafe {
            let factor = L::Quad::splat(self.factor);
            for (d, g) in self.d.iter_mut().zip(self.gradient) {
                (L::Quad::load(g) * factor).narrow(d);
            }
        }
    }
}

struct Widen<'a> {
    d: &'a [Row<f32>],
    factor: f64,
    out: &'a mut [Row],
}

impl<L: Lanes<Real = f64>> Kernel<L> for Widen<'_> {
    type Output = ();
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: inside a kernel of L.
        unsafe {
            let factor = L::Quad::splat(self.factor);
            for (out, d) in self.out.iter_mut().zip(self.d) {
                (L::Quad::widen(d) * factor).store(out);
            }
        }
    }
}

struct SquaredNorm<'a>(&'a [Row]);

impl<L: Lanes<Real = f64>> Kernel<L> for SquaredNorm<'_> {
    type Output = f64;
    #[inline(always)]
    unsafe fn run(self) -> f64 {
        // SAFETY: inside a kernel of L.
        unsafe {
            let mut sum = L::Quad::splat(0.0);
            for row in self.0 {
                let row = L::Quad::load(row);
                sum = row.mul_add(row, sum);
            }
            sum.sum()
        }
    }
}

struct Difference<'a> {
    gradient: &'a [Row],
    factor: f64,
    d: &'a mut [Row<f32>],
    previous: &'a [Row<f32>],
    history: &'a mut [Row<f32>],
    stride: usize,
    slot: usize,
}

impl<L: Lanes<Real = f64>> Kernel<L> for Difference<'_> {
    type Output = f64;
    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let Difference { gradient, factor, d, previous, history, stride, slot } = self;
        assert!(gradient.len() == d.len() && previous.len() == d.len());
        assert!(slot < stride && history.len() == d.len() * 2 * stride);
        // SAFETY: inside a kernel of L; the lengths were compared.
        unsafe {
            let (factor, mut sum) = (L::Quad::splat(factor), L::Quad::splat(0.0));
            let z = history.as_mut_ptr().add(stride + slot);
            for (i, d) in d.iter_mut().enumerate() {
                (L::Quad::widen(d) * factor).narrow(d);
                // As stored: sums must belong to the vectors that they are sums of.
                let d = L::Quad::widen(d);
                sum = L::Quad::load(gradient.as_ptr().add(i)).mul_add(d, sum);
                let z = z.add(i * 2 * stride);
                (d - L::Quad::widen(previous.as_ptr().add(i))).narrow(z);
            }
            sum.sum()
        }
    }
}

struct Advance<'a> {
    positions: &'a mut [Row],
    gradient: &'a [Row],
    d: &'a [Row<f32>],
    history: &'a mut [Row<f32>],
    stride: usize,
    direction: &'a Direction,
    slot: usize,
}

impl<L: Lanes<Real = f64>> Kernel<L> for Advance<'_> {
    type Output = f64;
    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let Advance { positions, gradient, d, history, stride, direction, slot } = self;
        assert!(gradient.len() == positions.len() && d.len() == positions.len());
        assert!(slot < stride && stride <= MAX_HISTORY);
        assert!(history.len() == positions.len() * 2 * stride);
        // SAFETY: inside a kernel of L; the lengths were compared.
        unsafe {
            let zero = L::Quad::splat(0.0);
            let (mut s, mut z) = ([zero; MAX_HISTORY], [zero; MAX_HISTORY]);
            for k in 0..MAX_HISTORY {
                s[k] = L::Quad::splat(direction.s[k]);
                z[k] = L::Quad::splat(direction.z[k]);
            }
            let mut sum = zero;
            for (i, x) in positions.iter_mut().enumerate() {
                let history = history.as_mut_ptr().add(i * 2 * stride);
                let mut p = zero - L::Quad::widen(d.as_ptr().add(i));
                // A fixed number of turns keeps the factors in registers.
                for k in 0..MAX_HISTORY {
                    if k < stride {
                        p = s[k].mul_add(L::Quad::widen(history.add(k)), p);
                        p = z[k].mul_add(L::Quad::widen(history.add(stride + k)), p);
                    }
                }
                p.narrow(history.add(slot));
                sum = p.mul_add(L::Quad::load(gradient.as_ptr().add(i)), sum);
                (L::Quad::load(x) + p).store(x);
            }
            sum.sum()
        }
    }
}
