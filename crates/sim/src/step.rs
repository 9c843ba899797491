//! One step, top to bottom.

use std::time::Instant;

use pliant_math::Row;
use pliant_model::{Drive, FrameInput, Model};

use crate::objective::Objective;
use crate::report::StepReport;
use crate::state::State;
use crate::workspace::{SimError, Workspace};
use crate::{account, damping, guard, measure, scheme, start};

/// Advances `state` by one step of `input.h` seconds.
///
/// The outcome is determined exactly by the arguments, for any number of threads. It is always
/// finite: a step that fails is tried again in sub-steps, and rolled back (to the positions
/// before it, at rest) when that does not help; the report tells.
///
/// ```
/// use pliant_mesh::shapes;
/// use pliant_model::{BodySpec, DVec3, ElasticModel, FrameInput, ModelBuilder};
/// use pliant_sim::{State, Workspace, step};
///
/// let mesh = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [8, 2, 2])?;
/// let bar = BodySpec::solid("bar", mesh, ElasticModel::Corotated, 1e5, 0.3, 1000.0);
/// let model = ModelBuilder::new().body(bar).pin(0, |x| x.x < -0.49).build()?;
///
/// let mut input = FrameInput { h: 1.0 / 30.0, ..FrameInput::default() };
/// model.drive(0.0, &mut input.start);
/// model.drive(input.h, &mut input.end);
/// let mut state = State::initial(&model);
/// let report = step(&model, &input, &mut state, &mut Workspace::new(&model, 1)?);
/// assert!(report.energy.kinetic > 0.0, "the bar begins to fall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn step(
    model: &Model,
    input: &FrameInput,
    state: &mut State,
    workspace: &mut Workspace,
) -> StepReport {
    let clock = Instant::now();
    workspace.team.wake();
    workspace.saved.copy_from(state);
    let mut report = StepReport::default();
    for &parts in &guard::SUBSTEPS {
        let attempt = in_parts(model, input, parts, state, workspace, &mut report);
        if attempt.is_ok() && guard::is_sound(model, state) {
            report.substeps = parts;
            break;
        }
        state.copy_from(&workspace.saved);
        report.rolled_back = parts == guard::SUBSTEPS[guard::SUBSTEPS.len() - 1];
    }
    if report.rolled_back {
        guard::rest(state);
        // Nothing was solved, and what the last attempt left may be no number.
        report.residual = 1.0;
        report.energy.potential = workspace.potential_energy(model, &input.end, state);
    }
    state.steps += 1;
    report.energy.kinetic = measure::kinetic(model.masses(), &state.velocities);
    report.momentum = measure::momentum(model.masses(), &state.positions, &state.velocities);
    report.timings.total = clock.elapsed();
    report
}

/// The step as `parts` equal sub-steps, with the input interpolated.
fn in_parts(
    model: &Model,
    input: &FrameInput,
    parts: u32,
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let h = input.h / f64::from(parts);
    let [mut from, mut to] = std::mem::take(&mut workspace.drives);
    let mut outcome = Ok(());
    for part in 0..parts {
        from.set_between(&input.start, &input.end, f64::from(part) / f64::from(parts));
        to.set_between(&input.start, &input.end, f64::from(part + 1) / f64::from(parts));
        outcome = advance(model, h, &from, &to, state, workspace, report);
        if outcome.is_err() {
            break;
        }
    }
    workspace.drives = [from, to];
    outcome
}

/// One unguarded step of length h, phase by phase.
fn advance(
    model: &Model,
    h: f64,
    from: &Drive,
    to: &Drive,
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let Workspace { team, evaluation, solver, elastic, vectors, .. } = workspace;
    let (integrator, constants) =
        (model.integrator(), scheme::constants(model.integrator().scheme, h));
    let clock = Instant::now();
    solver.prepare(model, constants, team)?;
    report.timings.factor += clock.elapsed();
    scheme::pose(integrator.scheme, h, state, &mut vectors.inertia);
    start::mark_measured(model, to, constants.kappa, elastic, &mut vectors.measured);
    let objective = Objective {
        model,
        drive: to,
        start: &state.positions,
        rate: constants.rate,
        kappa: constants.kappa,
        inertia: &vectors.inertia,
        measured: &vectors.measured,
    };
    let (p, other) = (&mut vectors.p, &mut vectors.other);
    p.copy_from_slice(&state.positions);
    start::place_hard(model, to, p);
    let centre = |p: &mut [Row]| {
        start::centre_unheld(model, constants.kappa, to.gravity, objective.inertia, p);
    };
    if !solver.is_linearised() {
        start::settle_held(model, to, constants.kappa, elastic, p);
        centre(p);
        start::continued(h, state, other);
        start::place_hard(model, to, other);
        start::settle_held(model, to, constants.kappa, elastic, other);
        centre(other);
        let still = objective.value(p, evaluation, team);
        if objective.value(other, evaluation, team) < still {
            std::mem::swap(p, other);
        }
    }
    let info = solver.minimise(&objective, p, &mut vectors.gradient, evaluation, team);
    centre(p);
    let added = account::driven_work(&objective, from, p, state, h, evaluation);
    scheme::finish(model, h, p, state);
    state.added += added;
    if let Some(damping) = integrator.damping {
        state.dissipated += damping::apply(model, damping, h, state);
    }
    report.energy.potential = info.stored;
    report.absorb(&info);
    Ok(())
}
