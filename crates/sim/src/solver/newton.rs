//! Newton's method: the objective's own Hessian, factored in every iteration, with the symbolic
//! factorisation kept; or, where that is large, conjugate gradients on it (`conjugate.rs`),
//! each time as accurate as the step they are for.
//!
//! The exact Hessian is tried first (it converges quadratically); where it is not positive definite
//! the elements' projected Hessians take its place (Smith, de Goes and Kim 2019), which converge
//! linearly, until the residual has fallen to a tenth: next to a minimum the exact one is definite.
//! In equilibria, and in flesh that moves little from one to the next, as little of the projected
//! ones is mixed into the exact one as makes it definite: flesh that buckles is much softer than
//! its projected Hessians say. Where even these are singular (a free body without inertia) a
//! growing multiple of the identity is added. Steps are shortened until Armijo's condition holds,
//! and lengthened where nothing has inertia and the objective falls in a straight line. One
//! iteration from the last positions, at full length, is the linearised scheme of Baraff and Witkin
//! 1998 and of "Enriching triangle mesh animations", Eq. 6–9.

use std::time::Instant;

use pliant_math::cholesky::SparseCholesky;
use pliant_math::team::Team;
use pliant_math::{Buffer, MathError, Row};
use pliant_model::Model;
use pliant_model::potentials::Curvature;

use super::conjugate::{self, ConjugateSpace, ConjugateVectors, Outcome, Patience};
use super::contact::coupled_factor::CoupledFactor;
use super::hessian::HessianLayout;
use super::{SolverInfo, line_search};
use crate::objective::{EvaluationSpace, Objective};

/// Shifts by 1e-9 to 1 of the mean diagonal before a matrix is given up.
const MOST_SHIFTS: u32 = 6;
/// The least share of projected Hessians that is tried beside the exact one, and by how much shares
/// grow and fall.
const LEAST_SHARE: f64 = 1.0 / 64.0;
const SHARES_GROW: f64 = 4.0;
/// The exact Hessian is tried again at this share of the residual at which it was not definite.
const NEARER: f64 = 0.1;

/// What the solver is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonParams {
    /// Most iterations; 1 takes a full step without line search.
    pub iterations: u32,
    /// Residual to stop at.
    pub tolerance: f64,
}

/// Matrix, factorisation and vectors of the iteration.
pub struct NewtonSpace {
    pub(super) layout: HessianLayout,
    pub(super) cholesky: SparseCholesky,
    pub(super) direction: Vec<f64>,
    /// Positions at which the iteration began.
    pub(super) from: Buffer<Row>,
    mixture: Mixture,
    /// Where the matrix is too large to be factored again and again.
    conjugate: Option<ConjugateSpace>,
    /// Whether what it is for is near an equilibrium: inertia does not make the matrix definite.
    is_still: bool,
    /// Where bodies touch: for what couples vertices beside a factor that does not know it.
    coupled: Option<ConjugateVectors>,
    /// What of that is around the factor.
    coupled_factor: CoupledFactor,
    /// Whether a tangent was factored.
    is_factored: bool,
}

/// The exact Hessian with a share of the projected ones.
#[derive(Default)]
struct Mixture {
    exact: Vec<f64>,
    definite: Vec<f64>,
    /// That made it definite last, in this search.
    share: f64,
}

impl NewtonSpace {
    /// Analyses a model's matrix. Model vertices are already in elimination order.
    pub fn new(model: &Model) -> Result<Self, MathError> {
        let layout = HessianLayout::new(model)?;
        let size = 3 * model.free_count();
        let is_still = conjugate::is_still(model);
        let order: Vec<usize> = (0..size).collect();
        let cholesky = SparseCholesky::analyse(layout.matrix(), &order)?;
        let from = Buffer::zeroed(model.free_count());
        let conjugate = Patience::new(is_still, size, cholesky.stored_values())
            .map(|patience| ConjugateSpace::new(model.free_count(), patience));
        let coupled =
            model.solids().map(|_| ConjugateVectors::new(model.free_count(), Patience::LONG));
        Ok(NewtonSpace {
            layout,
            cholesky,
            direction: vec![0.0; size],
            from,
            mixture: Mixture::default(),
            conjugate,
            is_still,
            coupled,
            coupled_factor: CoupledFactor::default(),
            is_factored: false,
        })
    }

    /// Slope of the objective along the direction.
    fn slope(&self, gradient: &[Row]) -> f64 {
        self.direction
            .chunks_exact(3)
            .zip(gradient.iter())
            .map(|(d, g)| d[0] * g.0[0] + d[1] * g.0[1] + d[2] * g.0[2])
            .sum()
    }

    /// Goes a part of the direction from where the iteration began.
    pub(super) fn advance(&self, step: f64, p: &mut [Row]) {
        for ((x, from), d) in p.iter_mut().zip(&*self.from).zip(self.direction.chunks_exact(3)) {
            *x =
                Row::new(from.0[0] + step * d[0], from.0[1] + step * d[1], from.0[2] + step * d[2]);
        }
    }

    /// Whether conjugate gradients stand in for a factorisation.
    pub fn is_iterative(&self) -> bool {
        self.conjugate.is_some()
    }

    /// Factors the preconditioner for a κ [1/s²], where conjugate gradients need one.
    pub fn prepare(&mut self, model: &Model, kappa: f64, team: &Team) {
        if let Some(space) = &mut self.conjugate {
            space.prepare(model, kappa, team);
        }
    }
}

impl NewtonSpace {
    /// Takes over the matrix at `p`, for [`NewtonSpace::answer`].
    ///
    /// # Errors
    /// When it is to be factored, and cannot be.
    pub(crate) fn linearise(
        &mut self,
        objective: &Objective,
        p: &[Row],
        mut curvature: Curvature,
        team: &Team,
    ) -> Result<(), MathError> {
        self.is_factored = true;
        if let Some(conjugate) = self.conjugate.as_mut().filter(|space| space.is_patient()) {
            self.is_factored = false;
            self.layout.assemble(objective, p, curvature, 0.0, &|_| true, team);
            self.layout.couple(objective, p, curvature);
            conjugate.meet(objective, p, self.layout.touches(), curvature, team);
            return Ok(());
        }
        factor(objective, p, &mut curvature, self, &mut SolverInfo::default(), team)?;
        self.layout.couple(objective, p, curvature);
        self.join();
        Ok(())
    }

    /// out ← the matrix's inverse times rows, to an accuracy relative to these; whether it was
    /// reached.
    pub(crate) fn answer(
        &mut self,
        rows: &[Row],
        accuracy: f64,
        out: &mut [Row],
        team: &Team,
    ) -> bool {
        let is_solved = match &mut self.conjugate {
            Some(conjugate) if !self.is_factored => {
                let outcome =
                    conjugate.solve(&self.layout, rows, accuracy, &mut self.direction, team);
                outcome == Outcome::Solved
            }
            _ => self.divide((rows, accuracy), team),
        };
        // The solvers' right-hand side is a gradient: minus what is asked.
        for (out, d) in out.iter_mut().zip(self.direction.chunks_exact(3)) {
            *out = Row::new(-d[0], -d[1], -d[2]);
        }
        is_solved
    }

    /// out ← what the matrix is preconditioned by, or its own factor, inverse times rows.
    pub(crate) fn rough_answer(&mut self, rows: &[Row], out: &mut [Row], team: &Team) -> bool {
        match &mut self.conjugate {
            Some(conjugate) if !self.is_factored => conjugate.precondition(rows, out, team),
            _ => self.coupled_factor.divide(rows, &mut self.cholesky, out),
        }
    }

    /// Puts what joins vertices around what is factored, if that has no bounds of it.
    fn join(&mut self) {
        let NewtonSpace { layout, cholesky, coupled_factor, .. } = self;
        if layout.has_bounds() {
            coupled_factor.clear();
        } else {
            // Where it cannot, conjugate gradients have more to do.
            coupled_factor.update(layout.couplings(), cholesky);
        }
    }

    /// The direction by what is factored, and, where vertices are coupled, by conjugate gradients
    /// around it; whether there is one.
    fn divide(&mut self, (gradient, accuracy): (&[Row], f64), team: &Team) -> bool {
        let NewtonSpace { layout, cholesky, direction, coupled, coupled_factor, .. } = self;
        if let Some(vectors) = coupled.as_mut().filter(|_| layout.is_coupled()) {
            let mut precondition = |residual: &[Row], _: f64, out: &mut [Row]| {
                coupled_factor.divide(residual, cholesky, out)
            };
            let outcome =
                vectors.solve((layout, &mut precondition), gradient, accuracy, direction, team);
            // What touches may turn as it is pressed, which is not definite: without that it is.
            return outcome == Outcome::Solved || vectors.once(precondition, gradient, direction);
        }
        negate(gradient, direction);
        cholesky.solve(direction).is_ok()
    }
}

/// Minimises the objective from `p`.
pub fn minimise(
    objective: &Objective,
    params: &NewtonParams,
    p: &mut [Row],
    gradient: &mut [Row],
    space: &mut NewtonSpace,
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> SolverInfo {
    let mut info = SolverInfo::default();
    let mut search = Search::new(space.conjugate.is_none());
    let linearised = params.iterations == 1;
    space.mixture.share = 0.0;
    loop {
        let clock = Instant::now();
        let sums = objective.gradient(p, gradient, None, evaluation, team);
        info.timings.evaluate += clock.elapsed();
        info.evaluations += 1;
        (info.residual, info.stored) = (sums.residual(), sums.stored);
        let done = info.stalled
            || info.iterations == params.iterations
            || (!linearised && info.residual <= params.tolerance)
            || sums.gradient == 0.0;
        if done || !search.goes_on(info.residual) {
            return info;
        }
        // As accurate as Newton's own error will be, and as the tolerance needs.
        let wanted = 0.1 * params.tolerance / info.residual;
        let accuracy = if linearised { 1e-8 } else { info.residual.min(1e-2).max(wanted) };
        if !search.find_direction(objective, p, (gradient, accuracy), space, &mut info, team) {
            info.stalled = true;
            return info;
        }
        info.iterations += 1;
        let slope = space.slope(gradient);
        search.settled = -slope <= 0.1 * sums.rounding;
        let free = space.from.len();
        space.from.copy_from_slice(&p[..free]);
        if linearised {
            space.advance(1.0, p);
        } else {
            line_search::search(objective, p, (&sums, slope), space, evaluation, &mut info, team);
        }
    }
}

/// Which Hessian a search uses, and how it is solved.
struct Search {
    curvature: Curvature,
    last_residual: f64,
    /// The predicted decrease has fallen below the objective's rounding error.
    settled: bool,
    exact_again: bool,
    /// Residual at which projected Hessians give way to the exact one.
    near: f64,
    /// Directions come from a factorisation.
    direct: bool,
}

impl Search {
    fn new(direct: bool) -> Self {
        Search {
            curvature: Curvature::Exact,
            last_residual: f64::INFINITY,
            settled: false,
            exact_again: false,
            near: 0.0,
            direct,
        }
    }

    /// Chooses the Hessian for the next direction. Returns false if the search has settled.
    fn goes_on(&mut self, residual: f64) -> bool {
        let slow = self.settled && residual > 0.5 * self.last_residual;
        let is_last_hope = slow && self.curvature == Curvature::Definite && !self.exact_again;
        if slow && !is_last_hope {
            return false;
        }
        self.exact_again |= is_last_hope;
        if is_last_hope || residual <= self.near {
            self.curvature = Curvature::Exact;
        }
        self.last_residual = residual;
        true
    }

    /// Finds the direction, by a factorisation where conjugate gradients fail. Returns false if
    /// there is none.
    fn find_direction(
        &mut self,
        objective: &Objective,
        p: &[Row],
        asked: (&[Row], f64),
        space: &mut NewtonSpace,
        info: &mut SolverInfo,
        team: &Team,
    ) -> bool {
        let Search { curvature, direct, .. } = self;
        let wished = *curvature;
        let is_solved = !*direct && approach(objective, p, curvature, asked, space, info, team);
        if !is_solved {
            // For the rest of this step: what was slow once will be so again.
            *direct = true;
            if !exactly(objective, p, curvature, asked, space, info, team) {
                return false;
            }
        }
        if *curvature != wished {
            self.near = NEARER * info.residual;
        }
        true
    }
}

/// The direction by conjugate gradients, to an accuracy relative to the gradient; whether they got
/// there.
fn approach(
    objective: &Objective,
    p: &[Row],
    curvature: &mut Curvature,
    (gradient, accuracy): (&[Row], f64),
    space: &mut NewtonSpace,
    info: &mut SolverInfo,
    team: &Team,
) -> bool {
    let NewtonSpace { layout, direction, conjugate: Some(conjugate), .. } = space else {
        return false;
    };
    loop {
        let clock = Instant::now();
        layout.assemble(objective, p, *curvature, 0.0, &|_| true, team);
        layout.couple(objective, p, *curvature);
        conjugate.meet(objective, p, layout.touches(), *curvature, team);
        info.timings.assemble += clock.elapsed();
        let clock = Instant::now();
        let outcome = conjugate.solve(layout, gradient, accuracy, direction, team);
        info.timings.solve += clock.elapsed();
        match outcome {
            Outcome::Solved => return true,
            Outcome::Indefinite if *curvature == Curvature::Exact => {
                *curvature = Curvature::Definite;
            }
            Outcome::Indefinite | Outcome::Slow => return false,
        }
    }
}

/// The direction by a factorisation, and, where vertices are coupled, by conjugate gradients around
/// it; whether there is one.
fn exactly(
    objective: &Objective,
    p: &[Row],
    curvature: &mut Curvature,
    (gradient, accuracy): (&[Row], f64),
    space: &mut NewtonSpace,
    info: &mut SolverInfo,
    team: &Team,
) -> bool {
    if factor(objective, p, curvature, space, info, team).is_err() {
        return false;
    }
    let clock = Instant::now();
    space.layout.couple(objective, p, *curvature);
    space.join();
    let is_solved = space.divide((gradient, accuracy), team);
    info.timings.solve += clock.elapsed();
    is_solved
}

/// Minus rows, as numbers.
fn negate(rows: &[Row], out: &mut [f64]) {
    for (out, row) in out.chunks_exact_mut(3).zip(rows) {
        out.copy_from_slice(&[-row.0[0], -row.0[1], -row.0[2]]);
    }
}

/// Factors the most faithful positive definite Hessian at `p`.
pub(super) fn factor(
    objective: &Objective,
    p: &[Row],
    curvature: &mut Curvature,
    space: &mut NewtonSpace,
    info: &mut SolverInfo,
    team: &Team,
) -> Result<(), MathError> {
    if space.is_still && mix(objective, p, curvature, space, info, team)? {
        return Ok(());
    }
    let (mut shift, mut shifts) = (0.0, 0);
    loop {
        let clock = Instant::now();
        space.layout.assemble(objective, p, *curvature, shift, &|_| true, team);
        info.timings.assemble += clock.elapsed();
        match timed_factor(&mut space.cholesky, &space.layout, info) {
            Err(MathError::NotPositiveDefinite { .. }) if *curvature == Curvature::Exact => {
                *curvature = Curvature::Definite;
            }
            Err(MathError::NotPositiveDefinite { .. }) if shifts < MOST_SHIFTS => {
                let size = space.layout.matrix().size().max(1);
                let values = space.layout.matrix();
                let starts = &values.column_starts()[..size];
                let mean: f64 =
                    starts.iter().map(|&s| values.values()[s].abs()).sum::<f64>() / size as f64;
                shift = if shifts == 0 { 1e-9 * mean } else { 100.0 * shift };
                shifts += 1;
            }
            other => return other,
        }
    }
}

fn timed_factor(
    cholesky: &mut SparseCholesky,
    layout: &HessianLayout,
    info: &mut SolverInfo,
) -> Result<(), MathError> {
    let clock = Instant::now();
    let outcome = cholesky.factor(layout.matrix().values());
    info.timings.factor += clock.elapsed();
    outcome
}

/// Factors the exact Hessian with the least share of the projected ones that makes it positive
/// definite; whether there is one.
fn mix(
    objective: &Objective,
    p: &[Row],
    curvature: &mut Curvature,
    space: &mut NewtonSpace,
    info: &mut SolverInfo,
    team: &Team,
) -> Result<bool, MathError> {
    let NewtonSpace { layout, cholesky, mixture: Mixture { exact, definite, share }, .. } = space;
    let mut factor = |layout: &HessianLayout, info: &mut SolverInfo| match timed_factor(
        cholesky, layout, info,
    ) {
        Ok(()) => Ok(true),
        Err(MathError::NotPositiveDefinite { .. }) => Ok(false),
        Err(error) => Err(error),
    };
    let clock = Instant::now();
    layout.assemble_apart(objective, p, Curvature::Exact, team);
    info.timings.assemble += clock.elapsed();
    if *curvature == Curvature::Exact && factor(layout, info)? {
        return Ok(true);
    }
    *curvature = Curvature::Definite;
    let clock = Instant::now();
    exact.clear();
    exact.extend_from_slice(layout.matrix().values());
    layout.assemble_apart(objective, p, Curvature::Definite, team);
    definite.clear();
    definite.extend_from_slice(layout.matrix().values());
    info.timings.assemble += clock.elapsed();
    *share = (*share / SHARES_GROW).max(LEAST_SHARE);
    while *share <= 1.0 {
        for ((value, exact), definite) in
            layout.values_mut().iter_mut().zip(&*exact).zip(&*definite)
        {
            *value = exact + *share * (definite - exact);
        }
        if factor(layout, info)? {
            return Ok(true);
        }
        *share *= SHARES_GROW;
    }
    Ok(false)
}
