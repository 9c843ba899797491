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
//! the step. `passing.rs` puts it around A⁻¹, as the search learns of it.
//!
//! The factor is single precision: it is a preconditioner, and halves the bytes of a solve bound
//! by memory. Gradient, positions and energies stay double.

use std::time::Instant;

use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::lbfgs::{Direction, Lbfgs, MAX_HISTORY};
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, MathError, Row};
use pliant_model::Model;
use pliant_model::potentials::ProxyKind;

use super::contact::learned::LearnedStiffness;
use super::passes::{self, Iterate, advance, difference, narrow, shorten};
use super::{SolverInfo, Start, rises};
use crate::gather::Companions;
use crate::objective::{BLOCK, EvaluationSpace, Objective};

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

    /// A's factor.
    pub fn factor(&self) -> &PanelCholesky<f32> {
        &self.factor
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
    learned: LearnedStiffness,
}

impl ProjectiveSpace {
    /// Diagonal of the factored matrix \[N/m\].
    pub fn diagonal(&self) -> &[f64] {
        &self.proxy.diagonal
    }

    /// The vectors that go with a factored matrix.
    pub fn new(model: &Model, proxy: Proxy, history: u32, team: &Team) -> Self {
        let free = proxy.diagonal.len();
        // One slot even without history: back-tracking needs the last step.
        let stride = (history as usize).clamp(1, MAX_HISTORY);
        ProjectiveSpace {
            panels: PanelWork::new(&proxy.factor, team.size()),
            d: [Buffer::zeroed(free), Buffer::zeroed(free)],
            history: Buffer::zeroed(free * 2 * stride),
            stride,
            sums: vec![0.0; free.div_ceil(BLOCK)],
            learned: LearnedStiffness::new(model, &proxy.diagonal),
            proxy,
        }
    }
}

/// Minimises the objective from a start.
pub fn minimise(
    objective: &Objective,
    params: &ProjectiveParams,
    start: Start,
    space: &mut ProjectiveSpace,
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> SolverInfo {
    let Start { p, gradient, mut known } = start;
    let history = (params.history as usize).min(MAX_HISTORY);
    space.learned.begin(objective);
    let mut descent = Descent::new(history);
    let mut info = SolverInfo::default();
    loop {
        let moved = info.iterations > 0;
        let current = info.iterations as usize % 2;
        let fused = moved && history > 0;
        let sums = known.take().unwrap_or_else(|| {
            let companions = fused.then(|| space.companions(current, &descent));
            let clock = Instant::now();
            let sums = objective.gradient(p, gradient, companions, evaluation, team);
            info.timings.evaluate += clock.elapsed();
            sums
        });
        info.evaluations += 1;
        let diagonal = &space.proxy.diagonal;
        let learnt = space.learned.learn(objective, p, diagonal, evaluation, info.iterations);
        if learnt {
            space.learned.fit(&space.proxy.factor, &mut space.panels, team);
        }
        let Descent { last_value, slope, step, .. } = descent;
        if moved && rises(sums.value, last_value, slope * step, &sums) {
            if !descent.retreat(p, space.iterate(current), learnt, team) {
                info.stalled = true;
                let sums = objective.gradient(p, gradient, None, evaluation, team);
                (info.residual, info.stored) = (sums.residual(), sums.stored);
                return info;
            }
            continue;
        }
        descent.last_value = sums.value;
        (info.residual, info.stored) = (sums.residual(), sums.stored);
        if info.iterations == params.iterations || info.residual <= params.tolerance {
            return info;
        }
        if learnt {
            descent.lbfgs.reset();
        } else if history > 0 {
            descent.lbfgs.observe(&sums.s, &sums.z, sums.previous, slope * step);
        }
        let clock = Instant::now();
        if !fused {
            descent.scale = scale_of(sums.gradient);
            narrow(gradient, 1.0 / descent.scale, &mut space.d[current], team);
        }
        space.solve(current, team);
        info.timings.solve += clock.elapsed();
        descent.proceed(p, gradient, space.iterate(current), sums.gradient, team);
        info.iterations += 1;
    }
}

/// State of the search between two iterations.
struct Descent {
    lbfgs: Lbfgs,
    last_value: f64,
    slope: f64,
    /// Share of the last direction that was taken.
    step: f64,
    /// Gradients are scaled by this for the solve: the last one's norm, or its own.
    scale: f64,
    /// Whether the last step was along −d: when even that cannot be shortened to go downhill, we
    /// are as low as rounding allows.
    plain: bool,
}

impl Descent {
    fn new(history: usize) -> Self {
        Descent {
            lbfgs: Lbfgs::new(history),
            last_value: f64::INFINITY,
            slope: 0.0,
            step: 1.0,
            scale: 1.0,
            plain: true,
        }
    }

    /// Shortens the last step, or takes it back and gives up the history. Returns false if there
    /// was none: the search ends where the step began.
    fn retreat(&mut self, p: &mut [Row], mut last: Iterate, learnt: bool, team: &Team) -> bool {
        let slot = self.lbfgs.slot();
        if !learnt && self.step > SHORTEST_STEP {
            self.step *= 0.5;
            shorten(p, &mut last, slot, 0.5, team);
            return true;
        }
        shorten(p, &mut last, slot, 1.0, team);
        // Newly learnt stiffness was not known where the step began: the search starts there again.
        if !learnt && self.plain {
            return false;
        }
        self.lbfgs.reset();
        (self.last_value, self.plain) = (f64::INFINITY, true);
        true
    }

    /// Goes along the direction that L-BFGS makes of d, with the gradient's squared norm.
    fn proceed(
        &mut self,
        p: &mut [Row],
        gradient: &[Row],
        mut iterate: Iterate,
        squared_norm: f64,
        team: &Team,
    ) {
        let slot = self.lbfgs.slot();
        let gd = difference(gradient, self.scale, &mut iterate, slot, team);
        self.scale = scale_of(squared_norm);
        let direction = self.lbfgs.direction(gd);
        self.plain = direction == Direction::default();
        let slot = self.lbfgs.slot();
        self.slope = advance(p, gradient, &mut iterate, &direction, slot, team);
        self.step = 1.0;
    }
}

/// What a gradient with this squared norm is divided by, to get to the middle of single precision's
/// range.
fn scale_of(squared_norm: f64) -> f64 {
    let norm = squared_norm.sqrt();
    if norm.is_normal() { norm } else { 1.0 }
}

/// A⁻¹g by the factored matrix, to single precision, times `factor`, into `out`.
pub fn precondition(
    gradient: &[Row],
    factor: f64,
    space: &mut ProjectiveSpace,
    out: &mut [Row],
    team: &Team,
) {
    let scale = scale_of(passes::squared_norm(gradient, &mut space.sums, team));
    narrow(gradient, 1.0 / scale, &mut space.d[0], team);
    space.solve(0, team);
    passes::widen(&space.d[0], scale * factor, out, team);
}

impl ProjectiveSpace {
    /// d ← S M⁻¹ S d.
    fn solve(&mut self, current: usize, team: &Team) {
        let d = &mut self.d[current];
        self.learned.soften(d);
        self.proxy.factor.solve(d, &mut self.panels, team);
        self.learned.hold(d, team);
        self.learned.soften(d);
    }

    /// The vectors that an evaluation of the gradient reads and writes beside it.
    fn companions(&mut self, current: usize, descent: &Descent) -> Companions<'_> {
        let [even, odd] = &mut self.d;
        let (d, previous) = if current == 0 { (even, &*odd) } else { (odd, &*even) };
        Companions {
            previous,
            history: &self.history,
            stride: self.stride,
            used: descent.lbfgs.slots_in_use(),
            narrowed: SharedSlice::new(d),
            factor: 1.0 / descent.scale,
        }
    }

    /// The vectors of an iterate.
    fn iterate(&mut self, current: usize) -> Iterate<'_> {
        let [even, odd] = &mut self.d;
        let (d, previous) = if current == 0 { (even, &*odd) } else { (odd, &*even) };
        let (history, stride, sums) = (&mut self.history, self.stride, &mut self.sums);
        Iterate { d, previous, history, stride, sums }
    }
}
