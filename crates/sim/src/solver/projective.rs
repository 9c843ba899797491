//! Projective dynamics as a quasi-Newton method (Liu, Bouaziz, Kavan 2017).
//!
//! A = κM + L with the potentials' constant proxies L = Σ w GᵀG is factored once; the direction
//! is −A⁻¹∇G, completed by L-BFGS. The *local step* of projective dynamics is the gradient
//! evaluation and the *global step* is the solve: with history 0, springs and as-rigid-as-possible
//! energies this is exactly the local/global iteration of the slides,
//! (M + h²L) y = M b + h² k Gᵀd (sign as in their pseudocode). Other energies are kept from
//! rising by back-tracking.
//!
//! Stiffness that comes and goes (contact, friction) is not in A: refactoring would cost more than
//! the step. Where it acts at the start of the solve, as H on a vertex with the diagonal a of A, the
//! preconditioner is S A⁻¹ S with S = (I + H/a)^(−½) on that vertex, which is as soft as A + H would
//! be there.
//!
//! The factor is single precision: it is a preconditioner, and halves the bytes of a solve bound
//! by memory. Gradient, positions and energies stay double.

use std::ops::Range;
use std::time::Instant;

use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::lanes::{Kernel, Lanes, run64};
use pliant_math::lbfgs::{Direction, Lbfgs, MAX_HISTORY};
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, MathError, Row};
use pliant_model::Model;
use pliant_model::potentials::ProxyKind;

use super::passing::Passing;
use super::{SolverInfo, rises};
use crate::objective::{BLOCK, Companions, EvaluationSpace, Objective};

/// Halvings of a step before the history is given up, or the minimum declared found.
const SHORTEST_STEP: f64 = 1e-3;

/// What the solver is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectiveParams {
    /// Most iterations.
    pub iterations: u32,
    /// L-BFGS pairs, at most [`MAX_HISTORY`].
    pub history: u32,
    /// Residual to stop at.
    pub tolerance: f64,
}

/// The factored matrix A = κM + L over the free vertices.
pub struct Proxy {
    factor: PanelCholesky<f32>,
    /// A's diagonal [N/m].
    pub diagonal: Vec<f64>,
}

impl Proxy {
    /// Assembles and factors A for a κ [1/s²].
    ///
    /// # Errors
    /// When A is not positive definite: a free body without inertia, or absurd stiffness.
    pub fn new(model: &Model, kappa: f64, kind: ProxyKind) -> Result<Self, MathError> {
        let free = model.free_count();
        let mut triplets = Vec::new();
        for (i, &m) in model.masses()[..free].iter().enumerate() {
            triplets.push((i, i, kappa * m));
        }
        model.field().proxy(kind, &mut |i, j, w| {
            let (i, j) = (i as usize, j as usize);
            if i < free && j <= i {
                triplets.push((i, j, w));
            }
        });
        let matrix = SymmetricMatrix::from_triplets(free, triplets)?;
        let diagonal = matrix.column_starts()[..free].iter().map(|&s| matrix.values()[s]).collect();
        Ok(Proxy { factor: PanelCholesky::new(&matrix)?, diagonal })
    }
}

/// The factored matrix and the vectors of the iteration.
pub struct ProjectiveSpace {
    proxy: Proxy,
    panels: PanelWork<f32>,
    /// d = A⁻¹g of this iterate and the last.
    d: [Buffer<Row<f32>>; 2],
    /// Per vertex: `stride` s, then `stride` z.
    history: Buffer<Row<f32>>,
    stride: usize,
    sums: Vec<f64>,
    passing: Passing,
}

impl ProjectiveSpace {
    /// Diagonal of the factored matrix \[N/m\].
    pub fn diagonal(&self) -> &[f64] {
        &self.proxy.diagonal
    }

    /// The vectors that go with a factored matrix.
    pub fn new(proxy: Proxy, history: u32, team: &Team) -> Self {
        let free = proxy.diagonal.len();
        // One slot even without history: back-tracking needs the last step.
        let stride = (history as usize).clamp(1, MAX_HISTORY);
        ProjectiveSpace {
            panels: PanelWork::new(&proxy.factor, team.size()),
            d: [Buffer::zeroed(free), Buffer::zeroed(free)],
            history: Buffer::zeroed(free * 2 * stride),
            stride,
            sums: vec![0.0; free.div_ceil(BLOCK)],
            passing: Passing::default(),
            proxy,
        }
    }
}

/// Minimises the objective from `p`.
pub fn minimise(
    objective: &Objective,
    params: &ProjectiveParams,
    p: &mut [Row],
    gradient: &mut [Row],
    space: &mut ProjectiveSpace,
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> SolverInfo {
    let history = (params.history as usize).min(MAX_HISTORY);
    space.passing.begin(objective, &space.proxy.diagonal);
    let mut lbfgs = Lbfgs::new(history);
    let mut info = SolverInfo::default();
    let (mut last_value, mut slope, mut step) = (f64::INFINITY, 0.0, 1.0);
    // Whether the last step was along −d: when even that cannot be shortened to go downhill, we
    // are as low as rounding allows.
    let mut plain = true;
    loop {
        let moved = info.iterations > 0;
        let companions = (moved && history > 0).then(|| Companions {
            previous: &space.d[(info.iterations as usize + 1) % 2],
            history: &space.history,
            stride: space.stride,
            used: lbfgs.slots_in_use(),
        });
        let clock = Instant::now();
        let sums = objective.gradient(p, gradient, companions, evaluation, team);
        info.timings.evaluate += clock.elapsed();
        info.evaluations += 1;
        let diagonal = &space.proxy.diagonal;
        let learnt = space.passing.learn(objective, p, diagonal, evaluation, info.iterations);
        if moved && rises(sums.value, last_value, slope * step, &sums) {
            let slot = lbfgs.slot();
            if learnt {
                // What is new here was not known where the step came from: from there again.
                shorten(p, space, slot, 1.0, team);
                lbfgs.reset();
                (last_value, plain) = (f64::INFINITY, true);
                continue;
            }
            if step > SHORTEST_STEP {
                step *= 0.5;
                shorten(p, space, slot, 0.5, team);
                continue;
            }
            shorten(p, space, slot, 1.0, team);
            if plain {
                info.stalled = true;
                let sums = objective.gradient(p, gradient, None, evaluation, team);
                (info.residual, info.stored) = (sums.residual(), sums.stored);
                return info;
            }
            lbfgs.reset();
            last_value = f64::INFINITY;
            plain = true;
            continue;
        }
        last_value = sums.value;
        (info.residual, info.stored) = (sums.residual(), sums.stored);
        if info.iterations == params.iterations || info.residual <= params.tolerance {
            return info;
        }
        if learnt {
            lbfgs.reset();
        } else if history > 0 {
            lbfgs.observe(&sums.s, &sums.z, sums.previous, slope * step);
        }
        let current = info.iterations as usize % 2;
        let clock = Instant::now();
        let gd = solve(gradient, sums.gradient.sqrt(), space, current, lbfgs.slot(), team);
        info.timings.solve += clock.elapsed();
        let direction = lbfgs.direction(gd);
        plain = direction == Direction::default();
        slope = advance(p, gradient, space, current, &direction, lbfgs.slot(), team);
        step = 1.0;
        info.iterations += 1;
    }
}

/// A⁻¹g by the factored matrix, to single precision, into `out`.
pub fn precondition(gradient: &[Row], space: &mut ProjectiveSpace, out: &mut [Row], team: &Team) {
    let norm = gradient.iter().map(|g| g.times(*g).sum()).sum::<f64>().sqrt();
    solve(gradient, norm, space, 0, 0, team);
    for (out, d) in out.iter_mut().zip(&*space.d[0]) {
        *out = d.widen();
    }
}

/// d = A⁻¹g and z = d − d₋; returns g·d.
///
/// g is scaled to the middle of single precision's range for the solve.
fn solve(
    gradient: &[Row],
    norm: f64,
    space: &mut ProjectiveSpace,
    current: usize,
    slot: usize,
    team: &Team,
) -> f64 {
    let scale = if norm.is_normal() { norm } else { 1.0 };
    let (even, odd) = space.d.split_at_mut(1);
    let (d, previous) =
        if current == 0 { (&mut even[0], &odd[0]) } else { (&mut odd[0], &even[0]) };
    let shared = SharedSlice::new(d);
    each_block(shared.len(), team, &|_, vertices| {
        // SAFETY: each block writes its own vertices.
        let d = unsafe { shared.range(vertices.start, vertices.end) };
        run64(Narrow { gradient: &gradient[vertices], factor: 1.0 / scale, d });
    });
    space.passing.soften(d);
    space.proxy.factor.solve(d, &mut space.panels, team);
    space.passing.soften(d);
    let (d, history, sums) = (
        SharedSlice::new(d),
        SharedSlice::new(&mut space.history),
        SharedSlice::new(&mut space.sums),
    );
    let stride = space.stride;
    each_block(d.len(), team, &|block, vertices| {
        // SAFETY: each block writes its own vertices and its own sum.
        unsafe {
            let part = Widen {
                gradient: &gradient[vertices.clone()],
                factor: scale,
                d: d.range(vertices.start, vertices.end),
                previous: &previous[vertices.clone()],
                history: history.range(vertices.start * 2 * stride, vertices.end * 2 * stride),
                stride,
                slot,
            };
            *sums.at(block) = run64(part);
        }
    });
    space.sums.iter().sum()
}

/// s = p = −d + Σ aᵢzᵢ + Σ cᵢsᵢ; moves by it, stores it in `slot`, and returns g·p.
fn advance(
    positions: &mut [Row],
    gradient: &[Row],
    space: &mut ProjectiveSpace,
    current: usize,
    direction: &Direction,
    slot: usize,
    team: &Team,
) -> f64 {
    let (d, stride) = (&space.d[current], space.stride);
    let positions = SharedSlice::new(positions);
    let (history, sums) = (SharedSlice::new(&mut space.history), SharedSlice::new(&mut space.sums));
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
            *sums.at(block) = run64(part);
        }
    });
    space.sums.iter().sum()
}

/// Takes back a fraction of the last step.
fn shorten(
    positions: &mut [Row],
    space: &mut ProjectiveSpace,
    slot: usize,
    fraction: f64,
    team: &Team,
) {
    let (free, stride) = (space.d[0].len(), space.stride);
    let (positions, history) = (SharedSlice::new(positions), SharedSlice::new(&mut space.history));
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

/// Runs a piece of work for every block of vertices.
fn each_block(vertices: usize, team: &Team, work: &(dyn Fn(usize, Range<usize>) + Sync)) {
    team.each(vertices.div_ceil(BLOCK), &|b, _| {
        work(b, b * BLOCK..((b + 1) * BLOCK).min(vertices))
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
        for (d, &g) in self.d.iter_mut().zip(self.gradient) {
            *d = (g * self.factor).narrow();
        }
    }
}

struct Widen<'a> {
    gradient: &'a [Row],
    factor: f64,
    d: &'a mut [Row<f32>],
    previous: &'a [Row<f32>],
    history: &'a mut [Row<f32>],
    stride: usize,
    slot: usize,
}

impl<L: Lanes<Real = f64>> Kernel<L> for Widen<'_> {
    type Output = f64;
    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let mut sum = Row([0.0; 4]);
        for (i, (d, &g)) in self.d.iter_mut().zip(self.gradient).enumerate() {
            *d = (d.widen() * self.factor).narrow();
            sum = sum + g.times(d.widen());
            let z = &mut self.history[i * 2 * self.stride + self.stride + self.slot];
            *z = (d.widen() - self.previous[i].widen()).narrow();
        }
        sum.sum()
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
        let Direction { z, s } = *self.direction;
        let mut sum = Row([0.0; 4]);
        let histories = self.history.chunks_exact_mut(2 * self.stride);
        for (i, (x, history)) in self.positions.iter_mut().zip(histories).enumerate() {
            let mut p = self.d[i].widen() * -1.0;
            for k in 0..self.stride {
                p = p.plus_scaled(s[k], history[k].widen());
                p = p.plus_scaled(z[k], history[self.stride + k].widen());
            }
            history[self.slot] = p.narrow();
            sum = sum + p.times(self.gradient[i]);
            *x = *x + p;
        }
        sum.sum()
    }
}
