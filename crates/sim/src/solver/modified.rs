//! A modified Newton's method on the matrix at rest (`at_rest.rs`), factored once, with what
//! touches around it: some iterations to an equilibrium, each of a gradient and one or two solves.
//!
//! What a step runs into is not known before it is taken. Shortening it for that would find one
//! contact after the other; instead the search leaps: it goes on from inside of what it has met,
//! which pushes it out with all that is known then (a semismooth Newton's method, undamped), and
//! comes back to the best it has seen where that does not pay.
//!
//! L-BFGS completes the direction (Nocedal and Wright 2006, Algorithm 7.4); its first matrix may be
//! another in every iteration, and is, where contact comes and goes.

use std::ops::Range;
use std::time::Instant;

use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, DMat3, MathError, Row};
use pliant_model::Model;
use pliant_model::potentials::Curvature;

use super::at_rest::AtRest;
use super::projective::ProjectiveParams;
use super::{SolverInfo, Start, rises};
use crate::blocks::{self, each_block};
use crate::objective::{BLOCK, EvaluationSpace, Objective};
use crate::scheme;

/// Leaps into what was not known to be there, in a search.
const MOST_LEAPS: u32 = 4;
/// In every so many iterations it is looked up how everything has turned.
const TURNS: u32 = 4;
/// Steps shorter than this are none.
const SHORTEST_STEP: f64 = 1e-3;

/// The matrix and the vectors of the iteration.
pub struct ModifiedSpace {
    matrix: AtRest,
    direction: Buffer<Row>,
    from: Buffer<Row>,
    /// ∇G at `from`.
    before: Buffer<Row>,
    /// The lowest that was seen.
    best: Buffer<Row>,
    /// Steps and changes of the gradient, the oldest first.
    pairs: Vec<Pair>,
    used: usize,
    sums: Vec<f64>,
}

struct Pair {
    step: Buffer<Row>,
    change: Buffer<Row>,
    /// Their product, and the first loop's coefficient.
    product: f64,
    alpha: f64,
}

impl ModifiedSpace {
    /// Factors a model's matrix at rest, for a κ [1/s²].
    ///
    /// # Errors
    /// When it is not positive definite.
    pub fn new(model: &Model, kappa: f64, history: u32, team: &Team) -> Result<Self, MathError> {
        let free = model.free_count();
        let rows = || Buffer::zeroed(free);
        let pair = |_| Pair { step: rows(), change: rows(), product: 0.0, alpha: 0.0 };
        let mut matrix = AtRest::new(model, kappa, team)?;
        // Motion has a matrix for every length of a step, and does not wait for all of them.
        if scheme::is_equilibrium(model.method().scheme) {
            matrix.hurry(team);
        }
        Ok(ModifiedSpace {
            matrix,
            direction: rows(),
            from: rows(),
            before: rows(),
            best: rows(),
            pairs: (0..history).map(pair).collect(),
            used: 0,
            sums: vec![0.0; free.div_ceil(BLOCK)],
        })
    }

    /// How the surroundings of free vertices have turned from rest at `p`.
    pub(crate) fn turns(&mut self, p: &[Row], team: &Team) -> &[DMat3] {
        self.matrix.turn(p, team);
        self.matrix.turns()
    }
}

/// Minimises the objective from a start.
pub fn minimise(
    objective: &Objective,
    params: &ProjectiveParams,
    start: Start,
    space: &mut ModifiedSpace,
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> SolverInfo {
    let Start { p, gradient, mut known } = start;
    let free = gradient.len();
    let mut info = SolverInfo::default();
    let (mut last_value, mut slope, mut step) = (f64::INFINITY, 0.0, 1.0);
    // What touched where the direction is from, how often the search has leapt, and the lowest
    // value.
    let (mut touched, mut leaps, mut lowest) = (0, 0, f64::INFINITY);
    space.used = 0;
    loop {
        let clock = Instant::now();
        let is_known = known.is_some();
        let sums =
            known.take().unwrap_or_else(|| objective.gradient(p, gradient, None, evaluation, team));
        info.timings.evaluate += clock.elapsed();
        info.evaluations += 1;
        let has_risen = info.iterations > 0 && rises(sums.value, last_value, slope * step, &sums);
        let is_done = info.iterations >= params.iterations || sums.residual() <= params.tolerance;
        if !has_risen && is_done {
            let mut sums = sums;
            if sums.value > lowest {
                blocks::copy(&space.best, &mut p[..free], team);
                sums = objective.gradient(p, gradient, None, evaluation, team);
            }
            (info.residual, info.stored) = (sums.residual(), sums.stored);
            return info;
        }
        let clock = Instant::now();
        if info.iterations.is_multiple_of(TURNS) {
            space.matrix.turn(p, team);
        }
        let touches = evaluation.touching.touches();
        // What was known before, other evaluations may have followed.
        let felt = (!is_known).then(|| evaluation.rows());
        let touches = space.matrix.meet(objective, p, touches, Curvature::Exact, felt, team);
        info.timings.solve += clock.elapsed();
        let leaps_now = has_risen
            && leaps < MOST_LEAPS
            && info.iterations < params.iterations
            && touches > touched
            && sums.value - passing_energy(objective, evaluation) < last_value;
        if leaps_now {
            leaps += 1;
            space.used = 0;
        } else if has_risen {
            step *= 0.5;
            let is_over = step < SHORTEST_STEP;
            space.place(p, if is_over { 0.0 } else { step }, team);
            if is_over && space.used == 0 {
                blocks::copy(&space.best, &mut p[..free], team);
                let sums = objective.gradient(p, gradient, None, evaluation, team);
                (info.residual, info.stored, info.stalled) = (sums.residual(), sums.stored, true);
                return info;
            }
            if is_over {
                // From there again, by the matrix alone.
                (space.used, last_value) = (0, f64::INFINITY);
            }
            continue;
        } else if last_value.is_finite() && touches == touched {
            space.remember(step, gradient, team);
        }
        if sums.value <= lowest {
            lowest = sums.value;
            blocks::copy(&p[..free], &mut space.best, team);
        }
        last_value = sums.value;
        touched = touches;
        let clock = Instant::now();
        slope = space.direct(gradient, sums.gradient.sqrt(), team);
        info.timings.solve += clock.elapsed();
        blocks::copy(&p[..free], &mut space.from, team);
        blocks::copy(gradient, &mut space.before, team);
        step = 1.0;
        space.place(p, step, team);
        info.iterations += 1;
    }
}

/// Energy of what comes and goes, at the last evaluation \[J\].
fn passing_energy(objective: &Objective, evaluation: &EvaluationSpace) -> f64 {
    let field = objective.model.field();
    let tasks = (0..field.task_count()).filter(|&task| !field.is_in_proxy(task));
    tasks.map(|task| evaluation.energies[task]).sum()
}

impl ModifiedSpace {
    /// p ← from + step · direction.
    fn place(&self, p: &mut [Row], step: f64, team: &Team) {
        let free = self.from.len();
        let shared = SharedSlice::new(&mut p[..free]);
        each_block(free, team, &|_, block| {
            // SAFETY: each block has its own rows.
            let rows = unsafe { shared.range(block.start, block.end) };
            for (x, v) in rows.iter_mut().zip(block) {
                *x = self.from[v].plus_scaled(step, self.direction[v]);
            }
        });
    }

    /// Keeps the last step and what it did to the gradient, where that is convex.
    fn remember(&mut self, step: f64, gradient: &[Row], team: &Team) {
        if self.pairs.is_empty() {
            return;
        }
        if self.used == self.pairs.len() {
            self.pairs.rotate_left(1);
            self.used -= 1;
        }
        let Pair { step: moved, change, product, .. } = &mut self.pairs[self.used];
        let (steps, changes) = (SharedSlice::new(moved), SharedSlice::new(change));
        each_block(gradient.len(), team, &|_, block| {
            // SAFETY: each block has its own rows.
            let (moved, change) = unsafe {
                (steps.range(block.start, block.end), changes.range(block.start, block.end))
            };
            for ((moved, change), v) in moved.iter_mut().zip(change).zip(block) {
                *moved = self.direction[v] * step;
                *change = gradient[v] - self.before[v];
            }
        });
        *product = dot(moved, change, &mut self.sums, team);
        self.used += usize::from(*product > 0.0);
    }

    /// The direction from a gradient of about this size; its slope.
    fn direct(&mut self, gradient: &[Row], size: f64, team: &Team) -> f64 {
        let ModifiedSpace { matrix, direction, from: rest, pairs, used, sums, .. } = self;
        // `from` is free until the step is taken.
        blocks::copy(gradient, rest, team);
        for pair in pairs[..*used].iter_mut().rev() {
            pair.alpha = dot(&pair.step, rest, sums, team) / pair.product;
            add(rest, -pair.alpha, &pair.change, team);
        }
        let scale = if size.is_normal() { size } else { 1.0 };
        matrix.divide(rest, scale, direction, team);
        for pair in &pairs[..*used] {
            let beta = dot(&pair.change, direction, sums, team) / pair.product;
            add(direction, pair.alpha - beta, &pair.step, team);
        }
        direction.iter_mut().for_each(|d| *d = *d * -1.0);
        let slope = dot(gradient, direction, sums, team);
        if *used > 0 && (slope.is_nan() || slope >= 0.0) {
            *used = 0;
            return self.direct(gradient, size, team);
        }
        slope
    }
}

/// a ← a + factor · b.
fn add(a: &mut [Row], factor: f64, b: &[Row], team: &Team) {
    let shared = SharedSlice::new(a);
    each_block(b.len(), team, &|_, block| {
        // SAFETY: each block has its own rows.
        let rows = unsafe { shared.range(block.start, block.end) };
        rows.iter_mut().zip(&b[block]).for_each(|(a, b)| *a = a.plus_scaled(factor, *b));
    });
}

/// a · b.
pub(super) fn dot(a: &[Row], b: &[Row], sums: &mut [f64], team: &Team) -> f64 {
    let of = |range: Range<usize>| {
        let pairs = a[range.clone()].iter().zip(&b[range]);
        pairs.fold(Row::zero(), |sum, (a, b)| sum + a.times(*b)).sum()
    };
    let mut total = 0.0;
    blocks::sum(a.len(), sums, team, &of, |sum| total += sum);
    total
}
