//! The steps of backward and forward Euler that a step is blended with, on a model.

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_model::Model;
use pliant_model::method::Scheme;

use super::blend::{self, BlendSpace, Effort, Steps, Wanted};
use super::fepr::Part;
use super::field;
use crate::islands::Islands;
use crate::objective::{EvaluationSpace, Forces, Objective};
use crate::report::StepReport;
use crate::solver::Start;
use crate::state::State;
use crate::step::Times;
use crate::workspace::{SimError, SolverSpace, Workspace};
use crate::{measure, scheme, start};

/// Less than this much of the kinetic energy after a step is what rounding leaves of a body at
/// rest.
const NOTHING: f64 = 1e-9;

/// Vectors of a blended step.
pub struct BlendedSpace {
    blend: BlendSpace,
    parts: Vec<Part>,
    wanted: Vec<Wanted>,
    potentials: Vec<f64>,
    inertia: Buffer<Row>,
}

impl BlendedSpace {
    /// For a model.
    pub fn new(model: &Model) -> Self {
        let bodies = model.bodies().len();
        BlendedSpace {
            blend: BlendSpace::new(model.vertex_count(), bodies),
            parts: super::bodies_as_parts(model),
            wanted: vec![Wanted::default(); bodies],
            potentials: vec![0.0; bodies],
            inertia: Buffer::zeroed(model.vertex_count()),
        }
    }
}

/// Blends a step until each body's energy is within ε of its account.
///
/// The tolerance is relative to the energy before the step, or to its kinetic part where that is
/// more: the height of gravity's potential is arbitrary, and may make the total nothing. From rest
/// it is relative to the kinetic energy after the step.
pub(super) fn apply(
    model: &Model,
    epsilon: f64,
    times: Times,
    state: &mut State,
    space: &mut BlendedSpace,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let Workspace { team, evaluation, solver, elastic, vectors, islands, .. } = workspace;
    let BlendedSpace { blend, parts, wanted, potentials, inertia } = space;
    let [x0, v0] = &vectors.before;
    let before = field::stored(model, times.from, &vectors.inertia, &vectors.measured);
    field::energies(&before, x0, evaluation, team, potentials);
    for (b, body) in model.bodies().iter().enumerate() {
        let kinetic = measure::kinetic_of(model, body, v0);
        let scale = (potentials[b] + kinetic).abs().max(kinetic);
        let after = measure::kinetic_of(model, body, &state.velocities);
        let scale = if scale < NOTHING * after { after } else { scale };
        let energy = state.accounts[b].target().unwrap_or_default();
        wanted[b] = Wanted { energy, tolerance: epsilon * scale };
    }
    let constants = scheme::constants(Scheme::BackwardEuler, times.h);
    solver.prepare(model, elastic, constants, team)?;
    start::mark_measured(model, times.to, constants.kappa, elastic, &mut vectors.measured);
    for (y, (&x, &v)) in inertia.iter_mut().zip(x0.iter().zip(v0.iter())) {
        *y = x.plus_scaled(times.h, v);
    }
    let mut steps = EulerSteps {
        model,
        times,
        islands,
        before: [x0, v0],
        behind: &mut vectors.other,
        inertia,
        measured: &vectors.measured,
        gradient: &mut vectors.gradient,
        potentials,
        solver,
        evaluation,
        team,
        iterations: 0,
    };
    let State { positions, velocities, .. } = state;
    blend::blend(parts, wanted, &mut steps, positions, velocities, blend);
    report.correction_iterations += steps.iterations;
    report.energy.potential = steps.potentials.iter().sum();
    let most = blend.infos().iter().map(|info| info.alpha);
    report.blend = most.fold(0.0, |most: f64, a| if a.abs() > most.abs() { a } else { most });
    report.correction_failed |= blend.infos().iter().any(|info| !info.converged);
    report.correction_iterations += blend.infos().iter().map(|i| i.bisections).max().unwrap_or(0);
    Ok(())
}

/// Steps of a model from where the blended step began.
struct EulerSteps<'a> {
    model: &'a Model,
    times: Times<'a>,
    islands: &'a Islands,
    before: [&'a [Row]; 2],
    behind: &'a mut [Row],
    inertia: &'a [Row],
    measured: &'a [f64],
    gradient: &'a mut [Row],
    potentials: &'a mut [f64],
    solver: &'a mut SolverSpace,
    evaluation: &'a mut EvaluationSpace,
    team: &'a Team,
    iterations: u32,
}

impl Steps for EulerSteps<'_> {
    fn energies(&mut self, positions: &[Row], velocities: &[Row], out: &mut [f64]) {
        let objective = Objective {
            model: self.model,
            drive: self.times.to,
            start: positions,
            rate: 0.0,
            kappa: 0.0,
            inertia: self.inertia,
            measured: self.measured,
            forces: Forces::Stored,
            end: None,
            rubbing: &[],
        };
        field::energies(&objective, positions, self.evaluation, self.team, self.potentials);
        for ((out, potential), body) in
            out.iter_mut().zip(&*self.potentials).zip(self.model.bodies())
        {
            *out = potential + measure::kinetic_of(self.model, body, velocities);
        }
    }

    fn backward_euler(&mut self, effort: Effort, positions: &mut [Row], velocities: &mut [Row]) {
        let EulerSteps { model, times, before: [x0, _], inertia, measured, .. } = *self;
        let constants = scheme::constants(Scheme::BackwardEuler, times.h);
        let objective = Objective {
            model,
            drive: times.to,
            start: x0,
            rate: constants.rate,
            kappa: constants.kappa,
            inertia,
            measured,
            forces: Forces::All,
            end: None,
            rubbing: &[],
        };
        let EulerSteps { gradient, solver, evaluation, team, behind, .. } = self;
        let info = match effort {
            Effort::Usual => {
                let start = Start { p: positions, gradient, known: None };
                solver.improve(&objective, start, evaluation, team)
            }
            Effort::Full => {
                // The base may have exploded; where everything was is then the better guess.
                behind.copy_from_slice(x0);
                for (v, &target) in model.hard_vertices().zip(&times.to.hard) {
                    behind[v] = target;
                }
                let still = objective.value(behind, evaluation, team);
                let is_lower = objective.value(positions, evaluation, team) < still;
                if !is_lower {
                    positions.copy_from_slice(behind);
                }
                let start = Start { p: positions, gradient, known: None };
                solver.minimise(&objective, start, evaluation, team)
            }
        };
        let gravity = times.to.gravity;
        start::centre_unheld(model, self.islands, constants.kappa, gravity, inertia, positions);
        self.iterations += info.iterations;
        for ((v, &x1), &x0) in velocities.iter_mut().zip(&*positions).zip(x0) {
            *v = (x1 - x0) * (1.0 / times.h);
        }
    }

    fn forward_euler(&mut self, positions: &mut [Row], velocities: &mut [Row]) {
        let EulerSteps { model, times, before: [x0, v0], measured, .. } = *self;
        // Where everything came from, so that wind sees the velocities.
        for (behind, (&x, &v)) in self.behind.iter_mut().zip(x0.iter().zip(v0)) {
            *behind = x.plus_scaled(-times.h, v);
        }
        let objective = Objective {
            model,
            drive: times.from,
            start: self.behind,
            rate: 1.0 / times.h,
            kappa: 0.0,
            inertia: self.inertia,
            measured,
            forces: Forces::All,
            end: None,
            rubbing: &[],
        };
        objective.gradient(x0, self.gradient, None, self.evaluation, self.team);
        for (i, &g) in self.gradient.iter().enumerate() {
            positions[i] = x0[i].plus_scaled(times.h, v0[i]);
            velocities[i] = v0[i].plus_scaled(-times.h / model.masses()[i], g);
        }
    }
}
