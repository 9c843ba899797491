//! Corrections: what acts on a state after a step, knowing neither scheme nor material.
//!
//! [`fepr`] is the fast energy projection of Dinev, Liu, Li, Thomaszewski and Kavan 2018, and
//! [`filter`] what may come before it.

pub mod dense;
pub mod fepr;
pub mod filter;

use std::time::Instant;

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_model::integrator::{Correction, Fepr, FeprMetric, FeprMomenta};
use pliant_model::potentials::ProxyKind;
use pliant_model::{Body, Conserved, Drive, Model};

use crate::measure::{self, Momentum};
use crate::objective::{EvaluationSpace, Objective};
use crate::report::StepReport;
use crate::solver::projective::{ProjectiveSpace, Proxy, precondition};
use crate::state::{Account, Goal, State};
use crate::workspace::{SimError, Workspace};
use filter::{FilterSpace, Stiffness};

use fepr::{Energy, FeprInfo, FeprSpace, Metric, Part, Projection, Slack, Targets};

/// Energy and momenta may be off by this much of their scales.
const TOLERANCE: f64 = 1e-9;
const ITERATIONS: u32 = 30;
/// Steps along the tangent need more.
const PAPER_ITERATIONS: u32 = 100;

/// Memory and factorisations of a correction.
pub struct CorrectionSpace {
    fepr: FeprSpace,
    before: [Buffer<Row>; 2],
    /// One island per body.
    parts: Vec<Part>,
    targets: Vec<Targets>,
    /// The projective matrix for step length h, which metrics are made of.
    factored: Option<(f64, ProjectiveSpace)>,
    filter: Option<FilterSpace>,
    /// The filter's matrix for step length h.
    relaxing: Option<(f64, ProjectiveSpace)>,
    diagonal: Vec<f64>,
}

impl CorrectionSpace {
    /// For a model.
    pub fn new(model: &Model) -> Self {
        let (all, free) = (model.vertex_count(), model.free_count());
        let part = |(island, body): (usize, &Body)| Part {
            island,
            free: body.free.clone(),
            hard: body.hard.clone(),
        };
        CorrectionSpace {
            fepr: FeprSpace::new(free, model.bodies().len()),
            before: [Buffer::zeroed(all), Buffer::zeroed(all)],
            parts: model.bodies().iter().enumerate().map(part).collect(),
            targets: vec![Targets::default(); model.bodies().len()],
            factored: None,
            filter: None,
            relaxing: None,
            diagonal: Vec::new(),
        }
    }

    fn prepare_filter(&mut self, model: &Model, h: f64, team: &Team) -> Result<(), SimError> {
        if self.relaxing.as_ref().is_none_or(|(length, _)| *length != h) {
            let proxy = Proxy::new(model, 4.0 / (h * h), ProxyKind::Typical)?;
            self.relaxing = Some((h, ProjectiveSpace::new(proxy, 0, team)));
            self.filter = Some(FilterSpace::new(model.vertex_count(), model.free_count()));
        }
        Ok(())
    }

    fn prepare(&mut self, model: &Model, h: f64, team: &Team) -> Result<(), SimError> {
        if self.factored.as_ref().is_none_or(|(length, _)| *length != h) {
            let proxy = Proxy::new(model, 1.0 / (h * h), ProxyKind::Typical)?;
            self.diagonal = proxy.diagonal.iter().map(|d| d * h * h).collect();
            self.factored = Some((h, ProjectiveSpace::new(proxy, 0, team)));
        }
        Ok(())
    }
}

/// Corrects the state after a step of length h from one drive to another; each body's energy follows
/// its account.
///
/// Where all constraints of a body cannot be met, its energy alone is projected; where that fails
/// too, it stays as the step left it, and the report says so.
pub fn apply(
    model: &Model,
    correction: Correction,
    h: f64,
    [from, to]: [&Drive; 2],
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let clock = Instant::now();
    let Workspace { team, evaluation, vectors, correction: space, .. } = workspace;
    let Some(space) = space else { return Ok(()) };
    let Correction::Fepr(Fepr { metric, momenta, filter: share }) = correction;
    if metric != FeprMetric::Mass {
        space.prepare(model, h, team)?;
    }
    if share > 0.0 {
        space.prepare_filter(model, h, team)?;
    }
    let CorrectionSpace { fepr, before, parts, targets, factored, diagonal, filter, relaxing } =
        space;
    for (b, (target, account)) in targets.iter_mut().zip(&state.accounts).enumerate() {
        let body = &model.bodies()[b];
        let now = measure::momentum_of(model, body, &state.positions, &state.velocities);
        let [x0, v0] = &vectors.before;
        let last = || measure::momentum_of(model, body, x0, v0);
        *target = match momenta {
            FeprMomenta::Held => held(account, model.conserved_of(b)),
            FeprMomenta::Paper { epsilon } => {
                let mass: f64 = body.free.clone().map(|v| model.masses()[v]).sum();
                in_paper(account, now, last(), epsilon * mass * body.radius * body.radius)
            }
        };
    }
    let objective = Objective {
        model,
        drive: to,
        start: &vectors.inertia,
        rate: 0.0,
        kappa: 0.0,
        inertia: &vectors.inertia,
        measured: &vectors.measured,
        stored_only: true,
    };
    before[0].copy_from_slice(&state.positions);
    before[1].copy_from_slice(&state.velocities);
    if let (Some(filter), Some((_, matrix)), true) = (filter, relaxing, share > 0.0) {
        let [start, _] = &vectors.before;
        let mut field =
            FilteredField { objective, from, evaluation: &mut *evaluation, matrix, team };
        let State { positions, velocities, .. } = &mut *state;
        filter::soften(share, h, &mut field, start, positions, velocities, filter);
    }
    let smoother = factored.as_mut().map(|(_, space)| space);
    let mut energy = FieldEnergy { objective, evaluation, smoother, h, team };
    for attempt in 0..2 {
        let projection = Projection {
            masses: model.masses(),
            parts,
            h,
            targets,
            metric: match metric {
                FeprMetric::Mass => Metric::Mass,
                FeprMetric::Diagonal => Metric::Diagonal(diagonal),
                FeprMetric::Smooth => Metric::Smooth,
            },
            tolerance: TOLERANCE,
            iterations: match momenta {
                FeprMomenta::Held => ITERATIONS,
                FeprMomenta::Paper { .. } => PAPER_ITERATIONS,
            },
        };
        let State { positions, velocities, .. } = &mut *state;
        let converged = fepr::project(&projection, &mut energy, positions, velocities, fepr);
        let iterations = fepr.infos().iter().map(|info| info.iterations).max();
        report.correction_iterations += iterations.unwrap_or(0);
        if attempt == 0 && matches!(momenta, FeprMomenta::Paper { .. }) {
            report.given_way = largest_slack(fepr.infos());
        }
        if converged {
            break;
        }
        report.correction_failed = true;
        let failed = (0..targets.len()).filter(|&b| !fepr.infos()[b].converged);
        for (b, body) in failed.map(|b| (b, &model.bodies()[b])) {
            positions[body.free.clone()].copy_from_slice(&before[0][body.free.clone()]);
            velocities[body.free.clone()].copy_from_slice(&before[1][body.free.clone()]);
            targets[b] = Targets { energy: targets[b].energy, ..Targets::default() };
        }
    }
    let projected = fepr.infos().iter().all(|info| info.converged);
    let stored: f64 = fepr.infos().iter().map(|info| info.potential).sum();
    report.energy.potential =
        if projected { stored } else { workspace.potential_energy(model, to, state) };
    report.timings.correction += clock.elapsed();
    Ok(())
}

/// Energy as in the account; momenta as in the account where nothing external acts.
fn held(account: &Account, kept: Conserved) -> Targets {
    let Goal { momentum, .. } = account.goal.unwrap_or_default();
    Targets {
        energy: account.target().unwrap_or_default(),
        linear: std::array::from_fn(|k| kept.linear[k].then_some(momentum.linear[k])),
        angular: std::array::from_fn(|k| kept.angular[k].then_some(momentum.angular[k])),
        slack: None,
    }
}

/// Energy as in the account; momenta as in Eq. 1 of the paper.
fn in_paper(account: &Account, now: Momentum, last: Momentum, weight: f64) -> Targets {
    Targets {
        energy: account.target().unwrap_or_default(),
        linear: now.linear.to_array().map(Some),
        angular: now.angular.to_array().map(Some),
        slack: Some(Slack {
            linear: last.linear - now.linear,
            angular: last.angular - now.angular,
            weight,
        }),
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

/// The stored energy of a model's field, at one moment.
struct FieldEnergy<'a> {
    objective: Objective<'a>,
    evaluation: &'a mut EvaluationSpace,
    smoother: Option<&'a mut ProjectiveSpace>,
    h: f64,
    team: &'a Team,
}

impl Energy for FieldEnergy<'_> {
    fn gradient(&mut self, positions: &[Row], gradient: &mut [Row], energies: &mut [f64]) {
        let FieldEnergy { objective, evaluation, team, .. } = self;
        objective.gradient(positions, gradient, None, evaluation, team);
        let gravity = objective.drive.gravity;
        measure::by_body(objective.model, gravity, positions, &evaluation.energies, energies);
    }

    fn smooth(&mut self, gradient: &[Row], out: &mut [Row]) {
        if let Some(smoother) = &mut self.smoother {
            precondition(gradient, smoother, out, self.team);
            let scale = 1.0 / (self.h * self.h);
            out.iter_mut().for_each(|row| *row = *row * scale);
        }
    }
}

/// The stored energy's gradients at both ends of a step, and the filter's matrix.
struct FilteredField<'a> {
    objective: Objective<'a>,
    from: &'a Drive,
    evaluation: &'a mut EvaluationSpace,
    matrix: &'a mut ProjectiveSpace,
    team: &'a Team,
}

impl Stiffness for FilteredField<'_> {
    fn gradient_at_start(&mut self, positions: &[Row], gradient: &mut [Row]) {
        let start = Objective { drive: self.from, ..self.objective };
        start.gradient(positions, gradient, None, self.evaluation, self.team);
    }

    fn gradient_at_end(&mut self, positions: &[Row], gradient: &mut [Row]) {
        self.objective.gradient(positions, gradient, None, self.evaluation, self.team);
    }

    fn relax(&mut self, forces: &[Row], out: &mut [Row]) {
        precondition(forces, self.matrix, out, self.team);
    }
}
