//! FEPR on a model: each body, or island of bodies that touch, is projected onto its account, after
//! a filter if one is asked for.

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_model::method::{Fepr, FeprMetric, FeprMomenta, FeprSolution};
use pliant_model::potentials::ProxyKind;
use pliant_model::{Conserved, DVec3, Model};

use super::curvature::FieldHessian;
use super::fepr::{self, FeprInfo, FeprSpace, Metric, Part, Projection, Slack, Targets};
use super::field::{self, FieldEnergy, FilteredField};
use super::filter::{self, FilterSpace};
use super::flight::{self, Path};
use super::sqp::{self, SqpSpace};
use crate::islands::Islands;
use crate::measure::Momentum;
use crate::objective::{Forces, Objective};
use crate::report::StepReport;
use crate::solver::projective::{ProjectiveSpace, Proxy};
use crate::state::State;
use crate::step::Times;
use crate::workspace::{SimError, Workspace};

/// Energy and momenta may be off by this much of their scales.
const TOLERANCE: f64 = 1e-9;
const ITERATIONS: u32 = 30;

/// A search starts with at least this share of what the step changed.
const LEAST_KEPT: f64 = 1e-3;
/// Steps along the tangent need more.
const PAPER_ITERATIONS: u32 = 100;
/// The anchored search may oscillate for long before it ends.
const ANCHORED_ITERATIONS: u32 = 200;

/// Memory and factorisations of the projection.
pub struct ProjectionSpace {
    searches: Searches,
    before: [Buffer<Row>; 2],
    islands: Islands,
    /// One per body.
    parts: Vec<Part>,
    targets: Vec<Targets>,
    /// The projective matrix for step length h, which metrics are made of.
    factored: Option<(f64, ProjectiveSpace)>,
    filter: Option<FilterSpace>,
    /// The filter's matrix for step length h.
    relaxing: Option<(f64, ProjectiveSpace)>,
    diagonal: Vec<f64>,
}

/// Memory of the searches for each solution.
struct Searches {
    fepr: FeprSpace,
    /// Where the solution is not the fast one.
    sqp: Option<SqpSpace>,
    hessian: Option<FieldHessian>,
}

impl ProjectionSpace {
    /// For a model.
    ///
    /// # Errors
    /// When the matrix of the exact solution cannot be analysed.
    pub fn new(model: &Model, fepr: Fepr) -> Result<Self, SimError> {
        let (all, free, bodies) = (model.vertex_count(), model.free_count(), model.bodies().len());
        let is_fast = fepr.solution == FeprSolution::Fast;
        let is_exact = fepr.solution == FeprSolution::Exact;
        Ok(ProjectionSpace {
            searches: Searches {
                fepr: FeprSpace::new(free, bodies),
                sqp: (!is_fast).then(|| SqpSpace::new(free, bodies)),
                hessian: is_exact.then(|| FieldHessian::new(model)).transpose()?,
            },
            before: [Buffer::zeroed(all), Buffer::zeroed(all)],
            islands: Islands::new(bodies),
            parts: super::bodies_as_parts(model),
            targets: vec![Targets::default(); bodies],
            factored: None,
            filter: None,
            relaxing: None,
            diagonal: Vec::new(),
        })
    }

    fn prepare_filter(&mut self, model: &Model, h: f64, team: &Team) -> Result<(), SimError> {
        if self.relaxing.as_ref().is_none_or(|(length, _)| *length != h) {
            let proxy = Proxy::new(model, 4.0 / (h * h), ProxyKind::Typical)?;
            self.relaxing = Some((h, ProjectiveSpace::new(model, proxy, 0, team)));
            self.filter = Some(FilterSpace::new(model.vertex_count(), model.free_count()));
        }
        Ok(())
    }

    fn prepare(&mut self, model: &Model, h: f64, team: &Team) -> Result<(), SimError> {
        if self.factored.as_ref().is_none_or(|(length, _)| *length != h) {
            let proxy = Proxy::new(model, 1.0 / (h * h), ProxyKind::Typical)?;
            self.diagonal = proxy.diagonal.iter().map(|d| d * h * h).collect();
            self.factored = Some((h, ProjectiveSpace::new(model, proxy, 0, team)));
        }
        Ok(())
    }
}

/// Projects each body's energy onto its account.
///
/// Where a body's closest state is not found, the fast solution is. Where a step went so far astray
/// that all constraints cannot be met from there, the search starts nearer to the state before the
/// step, which meets them. Where that fails too, the body's energy alone is projected, and at last
/// it stays as the step left it. The report says so.
pub(super) fn apply(
    model: &Model,
    options: Fepr,
    times: Times,
    state: &mut State,
    space: &mut ProjectionSpace,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let Times { h, from, to, .. } = times;
    let is_filtered = options.filter > 0.0;
    if options.metric != FeprMetric::Mass {
        space.prepare(model, h, &workspace.team)?;
    }
    if is_filtered {
        space.prepare_filter(model, h, &workspace.team)?;
    }
    space.join_touching_bodies(model, state, workspace);
    let is_still = from.hard == to.hard && from.attachments == to.attachments;
    space.set_targets(model, options.momenta, times, is_still, state, &workspace.vectors.before);
    space.before[0].copy_from_slice(&state.positions);
    space.before[1].copy_from_slice(&state.velocities);
    if is_filtered {
        space.soften(model, options.filter, times, state, workspace);
    }
    if !space.project(model, options, times, state, workspace, report) {
        report.energy.potential = workspace.potential_energy(model, to, state);
    }
    if space.islands.shared().next().is_some() {
        let potentials = workspace.potential_energies(model, to, state);
        space.islands.share_out(model, potentials, state);
    }
    if !is_still {
        state.accept_momenta(model, |body| body.pivot.is_some());
    }
    Ok(())
}

impl ProjectionSpace {
    /// Joins bodies that touch at the start or at the end of the step into islands.
    fn join_touching_bodies(&mut self, model: &Model, state: &State, workspace: &mut Workspace) {
        let ProjectionSpace { islands, parts, .. } = self;
        let Workspace { team, evaluation, islands_before, .. } = workspace;
        if let Some(solids) = model.solids().filter(|_| parts.len() > 1) {
            islands.copy_from(islands_before);
            evaluation.touching.find(Some(solids), &state.positions, team);
            islands.join(evaluation.touching.touches());
            islands.number(parts);
        }
    }

    /// Sets the energy and the momenta that each island is projected onto.
    fn set_targets(
        &mut self,
        model: &Model,
        momenta: FeprMomenta,
        times: Times,
        is_still: bool,
        state: &State,
        [x0, v0]: &[Buffer<Row>; 2],
    ) {
        let ProjectionSpace { islands, targets, .. } = self;
        let after: [&[Row]; 2] = [&state.positions, &state.velocities];
        let path = Path { drives: [times.from, times.to], before: [x0, v0], after };
        for (first, target) in targets.iter_mut().enumerate() {
            let account = islands.targets(state, first);
            *target = match momenta {
                FeprMomenta::Held => held_targets(model, islands, first, account, &path, is_still),
                FeprMomenta::Paper { epsilon } => {
                    let now = islands.momentum(model, first, path.after);
                    let last = islands.momentum(model, first, path.before);
                    let inertia = islands.members(first).map(|body| inertia(model, body));
                    in_paper(account, now, last, epsilon * inertia.sum::<f64>())
                }
            };
            // Bodies of an island have their targets at its first body, and none of their own.
            if islands.first(first) != first {
                *target = Targets::default();
            }
        }
    }

    /// Filters the state towards the start of the step, by this share.
    fn soften(
        &mut self,
        model: &Model,
        share: f64,
        times: Times,
        state: &mut State,
        workspace: &mut Workspace,
    ) {
        let Times { h, from, to, .. } = times;
        let Workspace { team, evaluation, vectors, .. } = workspace;
        if let (Some(filter), Some((_, matrix))) = (&mut self.filter, &mut self.relaxing) {
            let [start, _] = &vectors.before;
            let objective = field::stored(model, to, &vectors.inertia, &vectors.measured);
            // The filter's matrix knows no contact: against its stiffness it would overshoot.
            let objective = Objective { forces: Forces::Lasting, ..objective };
            let mut field = FilteredField { objective, from, evaluation, matrix, team };
            let State { positions, velocities, .. } = state;
            filter::soften(share, h, &mut field, start, positions, velocities, filter);
        }
    }

    /// Tries one way after the other to project the state onto the targets. Returns true if every
    /// island converged.
    fn project(
        &mut self,
        model: &Model,
        options: Fepr,
        times: Times,
        state: &mut State,
        workspace: &mut Workspace,
        report: &mut StepReport,
    ) -> bool {
        let Times { h, to, .. } = times;
        let Fepr { metric, momenta, filter: share, solution } = options;
        let Workspace { team, evaluation, vectors, .. } = workspace;
        let ProjectionSpace { searches, before, islands, parts, targets, .. } = self;
        let objective = field::stored(model, to, &vectors.inertia, &vectors.measured);
        let smoother = self.factored.as_mut().map(|(_, space)| space);
        let is_known = vectors.is_gradient_stored && share == 0.0;
        let known = is_known.then_some(&vectors.gradient[..]);
        let mut energy = FieldEnergy { objective, evaluation, smoother, islands, h, team, known };
        let metric = match metric {
            FeprMetric::Mass => Metric::Mass,
            FeprMetric::Diagonal => Metric::Diagonal(&self.diagonal),
            FeprMetric::Smooth => Metric::Smooth,
        };
        let (masses, tolerance) = (model.masses(), TOLERANCE);
        for attempt in Attempt::all(solution) {
            let iterations = attempt.most_iterations(momenta);
            let projection =
                Projection { masses, parts, h, targets, metric, tolerance, iterations };
            let infos = searches.run(attempt.way, &projection, &mut energy, state);
            let iterations = infos.iter().map(|info| info.iterations).max();
            report.correction_iterations += iterations.unwrap_or(0);
            report.energy.potential = infos.iter().map(|info| info.potential).sum();
            if matches!(momenta, FeprMomenta::Paper { .. }) && !attempt.energy_alone {
                report.given_way = largest_slack(infos);
            }
            if infos.iter().all(|info| info.converged) {
                report.pulled_back |= attempt.kept < 1.0;
                return true;
            }
            let next = attempt.next();
            report.correction_failed |= attempt.way != FeprSolution::Fast || next.energy_alone;
            let has_converged = |body: usize| infos[islands.first(body)].converged;
            next.restart(model, has_converged, [&vectors.before, before], state, targets);
        }
        false
    }
}

impl Searches {
    /// Projects a state in one way. Returns how each island went.
    fn run(
        &mut self,
        way: FeprSolution,
        projection: &Projection,
        energy: &mut FieldEnergy,
        state: &mut State,
    ) -> &[FeprInfo] {
        let State { positions, velocities, .. } = state;
        match (way, &mut self.sqp) {
            (FeprSolution::Exact | FeprSolution::Anchored, Some(sqp)) => {
                let exact = self.hessian.as_mut().filter(|_| way == FeprSolution::Exact);
                let mut exact = exact.map(|hessian| hessian.of(energy.objective, energy.team));
                let curved = exact.as_mut();
                sqp::project(projection, energy, curved, positions, velocities, sqp);
                sqp.infos()
            }
            _ => {
                fepr::project(projection, energy, positions, velocities, &mut self.fepr);
                self.fepr.infos()
            }
        }
    }
}

/// How a projection is tried, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Attempt {
    way: FeprSolution,
    /// Share of what the step changed that the search starts with.
    kept: f64,
    energy_alone: bool,
}

impl Attempt {
    fn all(solution: FeprSolution) -> impl Iterator<Item = Attempt> {
        let first = Attempt { way: solution, kept: 1.0, energy_alone: false };
        std::iter::successors(Some(first), |last| (!last.energy_alone).then(|| last.next()))
    }

    fn next(self) -> Attempt {
        let Attempt { way, kept, .. } = self;
        if way != FeprSolution::Fast {
            Attempt { way: FeprSolution::Fast, kept, energy_alone: false }
        } else if kept > LEAST_KEPT {
            Attempt { kept: 0.25 * kept, ..self }
        } else {
            Attempt { kept: 1.0, energy_alone: true, ..self }
        }
    }

    fn most_iterations(self, momenta: FeprMomenta) -> u32 {
        match (self.way, momenta) {
            (FeprSolution::Anchored, _) => ANCHORED_ITERATIONS,
            (_, FeprMomenta::Held) => ITERATIONS,
            (_, FeprMomenta::Paper { .. }) => PAPER_ITERATIONS,
        }
    }

    /// Moves the bodies that have not converged to where this attempt starts, between the start
    /// and the end of the step.
    fn restart(
        self,
        model: &Model,
        has_converged: impl Fn(usize) -> bool,
        [[x0, v0], [x1, v1]]: [&[Buffer<Row>; 2]; 2],
        state: &mut State,
        targets: &mut [Targets],
    ) {
        let kept = |from: Row, to: Row| match self.kept {
            1.0 => to,
            share => from.plus_scaled(share, to - from),
        };
        for (b, body) in model.bodies().iter().enumerate() {
            if has_converged(b) {
                continue;
            }
            for v in body.free.clone() {
                state.positions[v] = kept(x0[v], x1[v]);
                state.velocities[v] = kept(v0[v], v1[v]);
            }
            if self.energy_alone {
                targets[b] = Targets { energy: targets[b].energy, ..Targets::default() };
            }
        }
    }
}

/// Targets of an island whose momenta are held where nothing external acts.
fn held_targets(
    model: &Model,
    islands: &Islands,
    first: usize,
    account: Targets,
    path: &Path,
    is_still: bool,
) -> Targets {
    // A point attachment exerts no torque about itself only while it does not move.
    let turns = |body: usize| model.bodies()[body].pivot.is_some();
    let is_driven = !is_still && islands.members(first).any(turns);
    let kept = islands.conserved(model, first);
    let is_isolated = kept.linear == [true; 3] && kept.angular == [true; 3];
    // The account of an isolated island has its first momenta, free of drift.
    let flying =
        (!is_isolated).then(|| flight::targets(model, islands, first, path, account)).flatten();
    flying.unwrap_or_else(|| held(account, kept, is_driven))
}

/// Energy as in the account; momenta as in the account where nothing external acts.
fn held(account: Targets, kept: Conserved, is_driven: bool) -> Targets {
    let Conserved { linear, angular, frame } = kept;
    let spin = account.angular.map(|component| component.unwrap_or(0.0));
    let along = frame.axes.map(|axis| DVec3::from_array(spin).dot(axis));
    Targets {
        linear: std::array::from_fn(|k| account.linear[k].filter(|_| linear[k])),
        angular: std::array::from_fn(|k| Some(along[k]).filter(|_| angular[k] && !is_driven)),
        frame,
        ..account
    }
}

/// m r² of a body's free vertices [kg m²].
fn inertia(model: &Model, body: usize) -> f64 {
    let body = &model.bodies()[body];
    let mass: f64 = body.free.clone().map(|v| model.masses()[v]).sum();
    mass * body.radius * body.radius
}

/// Energy as in the account; momenta as in Eq. 1 of the paper.
fn in_paper(account: Targets, now: Momentum, last: Momentum, weight: f64) -> Targets {
    Targets {
        energy: account.energy,
        linear: now.linear.to_array().map(Some),
        angular: now.angular.to_array().map(Some),
        slack: Some(Slack {
            linear: last.linear - now.linear,
            angular: last.angular - now.angular,
            weight,
        }),
        ..Targets::default()
    }
}

/// s and t of the body in which momenta gave way the most.
fn largest_slack(infos: &[FeprInfo]) -> [f64; 2] {
    infos.iter().fold([0.0; 2], |most: [f64; 2], info| {
        std::array::from_fn(|k| {
            if info.given_way[k].abs() > most[k].abs() { info.given_way[k] } else { most[k] }
        })
    })
}
