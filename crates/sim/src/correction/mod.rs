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
use pliant_model::integrator::{Correction, FeprMetric};
use pliant_model::potentials::ProxyKind;
use pliant_model::{Drive, Model};

use crate::objective::{EvaluationSpace, Objective};
use crate::report::StepReport;
use crate::solver::projective::{ProjectiveSpace, Proxy, precondition};
use crate::state::State;
use crate::workspace::{SimError, Workspace};
use filter::{FilterSpace, Stiffness};

use fepr::{Energy, FeprInfo, FeprSpace, Metric, Projection, Targets};

/// Energy and momenta may be off by this much of their scales.
const TOLERANCE: f64 = 1e-9;
const ITERATIONS: u32 = 30;

/// Memory and factorisations of a correction.
pub struct CorrectionSpace {
    fepr: FeprSpace,
    before: [Buffer<Row>; 2],
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
        CorrectionSpace {
            fepr: FeprSpace::new(free),
            before: [Buffer::zeroed(all), Buffer::zeroed(all)],
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

/// Corrects the state after a step of length h from one drive to another; energy follows initial +
/// added − dissipated.
///
/// Where all constraints cannot be met, energy alone is projected; where that fails too, the state
/// stays as the step left it, and the report says so.
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
    let (Some(goal), Some(space)) = (state.goal, space) else { return Ok(()) };
    let Correction::Fepr { metric, filter: share } = correction;
    if metric != FeprMetric::Mass {
        space.prepare(model, h, team)?;
    }
    if share > 0.0 {
        space.prepare_filter(model, h, team)?;
    }
    let CorrectionSpace { fepr, before, factored, diagonal, filter, relaxing } = space;
    let kept = model.conserved();
    let component = |kept: bool, value: f64| kept.then_some(value);
    let (p, l) = (goal.momentum.linear, goal.momentum.angular);
    let mut targets = Targets {
        energy: goal.energy + state.added - state.dissipated,
        linear: std::array::from_fn(|k| component(kept.linear[k], p[k])),
        angular: std::array::from_fn(|k| component(kept.angular[k], l[k])),
    };
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
    let mut info = FeprInfo::default();
    for energy_alone in [false, true] {
        if energy_alone {
            (targets.linear, targets.angular) = ([None; 3], [None; 3]);
        }
        let projection = Projection {
            masses: model.masses(),
            free: model.free_count(),
            h,
            targets,
            metric: match metric {
                FeprMetric::Mass => Metric::Mass,
                FeprMetric::Diagonal => Metric::Diagonal(diagonal),
                FeprMetric::Smooth => Metric::Smooth,
            },
            tolerance: TOLERANCE,
            iterations: ITERATIONS,
        };
        let State { positions, velocities, .. } = state;
        info = fepr::project(&projection, &mut energy, positions, velocities, fepr);
        report.correction_iterations += info.iterations;
        if info.converged {
            break;
        }
        positions.copy_from_slice(&before[0]);
        velocities.copy_from_slice(&before[1]);
        report.correction_failed = true;
    }
    report.energy.potential =
        if info.converged { info.potential } else { workspace.potential_energy(model, to, state) };
    report.timings.correction += clock.elapsed();
    Ok(())
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
    fn gradient(&mut self, positions: &[Row], gradient: &mut [Row]) -> f64 {
        self.objective.gradient(positions, gradient, None, self.evaluation, self.team).stored
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
