//! One step, top to bottom.

use std::time::Instant;

use pliant_math::Row;
use pliant_model::method::Scheme;
use pliant_model::{Drive, FrameInput, Model};

use crate::account::Move;
use crate::islands::Islands;
use crate::objective::{Forces, Objective};
use crate::report::StepReport;
use crate::solver::Start;
use crate::state::State;
use crate::workspace::{SimError, Workspace};
use crate::{account, blocks, contact, correction, damping, guard, measure, scheme, start};

/// Advances `state` by one step of `input.h` seconds.
///
/// The outcome is determined exactly by the arguments, for any number of threads. It is always
/// finite: a step that fails is tried again in sub-steps, and rolled back (to the positions
/// before it, at rest) when that does not help; the report tells.
///
/// ```
/// use pliant_mesh::shapes;
/// use pliant_model::{Body, DVec3, Material, FrameInput, ModelBuilder};
/// use pliant_sim::{State, Workspace, step};
///
/// let mesh = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [8, 2, 2])?;
/// let bar = Body::solid("bar", mesh, Material::corotated(1e5, 0.3, 1000.0));
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
    workspace.saved.copy_with(state, &workspace.team);
    let mut report = StepReport::default();
    for &parts in &guard::SUBSTEPS {
        report.correction_failed = false;
        report.pulled_back = false;
        let attempt = in_parts(model, input, parts, state, workspace, &mut report);
        if attempt.is_ok() && guard::is_sound(model, state, &workspace.team) {
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
    report.contacts = contact::contacts(model, &input.end, &state.positions);
    let Workspace { evaluation, team, .. } = &mut *workspace;
    report.contacts.add_touches(model, &state.positions, &mut evaluation.touching, team);
    let sums = &mut evaluation.motions;
    (report.energy.kinetic, report.momentum) = measure::motion(model, state, sums, team);
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
    let [mut from, mut to, mut at] = std::mem::take(&mut workspace.drives);
    let mut outcome = Ok(());
    for part in 0..parts {
        // A past of another step length is none.
        state.past.is_valid &= parts == 1;
        let scheme = scheme::effective(model.method().scheme, state);
        let beta = scheme::constants(scheme, h).beta;
        let time = |ahead: f64| (f64::from(part) + ahead) / f64::from(parts);
        from.set_between(&input.start, &input.end, time(0.0));
        to.set_between(&input.start, &input.end, time(1.0));
        at.set_between(&input.start, &input.end, time(beta));
        to.begin_at(&from);
        at.begin_at(&from);
        let times = Times { h, from: &from, at: &at, to: &to };
        outcome = advance(model, scheme, times, state, workspace, report);
        if outcome.is_err() {
            break;
        }
    }
    state.past.is_valid &= parts == 1;
    workspace.drives = [from, to, at];
    outcome
}

/// A sub-step's length, and what is driven at its start, at the evaluation of forces, and at its
/// end.
#[derive(Clone, Copy)]
pub(crate) struct Times<'a> {
    pub h: f64,
    pub from: &'a Drive,
    pub at: &'a Drive,
    pub to: &'a Drive,
}

/// One unguarded step, phase by phase.
fn advance(
    model: &Model,
    scheme: Scheme,
    times: Times,
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let Times { h, from, at, to } = times;
    if model.method().correction.is_some() {
        state.open_accounts(model, from, workspace);
    }
    let Workspace { islands_before, evaluation, touched, team, vectors, .. } = &mut *workspace;
    for (before, now) in vectors.before.iter_mut().zip([&state.positions, &state.velocities]) {
        blocks::copy(now, before, team);
    }
    evaluation.touching.find(model.solids(), &state.positions, team);
    touched.clear();
    touched.extend_from_slice(evaluation.touching.touches());
    islands_before.set(touched);
    workspace.vectors.hard_start.clear();
    workspace.vectors.is_gradient_stored = false;
    // Forces in the middle of a step tell its work alone; those at its end need the start's.
    let is_at_end = scheme::constants(scheme, h).beta == 1.0;
    let accounts = model.method().correction.is_some() && from.hard != to.hard;
    if scheme::needs_start_forces(scheme) || (accounts && is_at_end) {
        start_forces(model, h, from, state, workspace);
    }
    if scheme::is_explicit(scheme) {
        scheme::finish_explicit(model, scheme, h, &workspace.vectors.gradient, &to.hard, state);
    } else {
        solve(model, scheme, times, state, workspace, report)?;
    }
    let Workspace { evaluation, vectors, touched, given, .. } = &mut *workspace;
    let [x0, v0] = [&vectors.before[0][..], &vectors.before[1][..]];
    let constants = scheme::constants(scheme, h);
    let objective = Objective {
        model,
        drive: at,
        start: x0,
        rate: constants.rate,
        kappa: constants.kappa,
        inertia: &vectors.inertia,
        measured: &vectors.measured,
        forces: Forces::All,
        end: None,
        rubbing: touched,
    };
    let State { positions, velocities, accounts, colliders, .. } = &mut *state;
    let (last, hard_start) = (&colliders[..], &vectors.hard_start[..]);
    let after = [&positions[..], velocities];
    let step = Move { from, to, last, before: [x0, v0], hard_start, after };
    let solved = (!scheme::is_explicit(scheme)).then_some(&vectors.p[..]);
    given.iter_mut().zip(&*accounts).for_each(|(given, account)| *given = -account.added);
    account::book(&objective, &step, solved, evaluation, accounts);
    given.iter_mut().zip(&*accounts).for_each(|(given, account)| *given += account.added);
    colliders.clone_from(&from.colliders);
    if scheme::ends_in_contact(scheme) {
        let touching = Contacting { times, is_midpoint: scheme::is_midpoint(scheme) };
        book_losses(model, &touching, state, workspace);
    }
    if let Some(correction) = model.method().correction {
        correction::apply(model, correction, scheme, times, state, workspace, report)?;
    }
    if model.is_damped() {
        damping::apply(model, h, [from, to], state, workspace)?;
        state.accept_momenta(model, |_| true);
    }
    let corrected = model.method().correction.is_some();
    if !corrected && (constants.beta != 1.0 || scheme::is_explicit(scheme)) {
        report.energy.potential = workspace.potential_energy(model, to, state);
    }
    Ok(())
}

/// How contact was felt in a step.
struct Contacting<'a> {
    times: Times<'a>,
    is_midpoint: bool,
}

/// Books what inelastic contact took, and takes the ringing of midpoint's.
fn book_losses(model: &Model, step: &Contacting, state: &mut State, workspace: &mut Workspace) {
    let Times { h, from, to, .. } = step.times;
    let Workspace { evaluation, vectors, touched, islands_before, lost, given, team, .. } =
        workspace;
    let State { positions, velocities, accounts, .. } = state;
    let [x0, v0] = [&vectors.before[0][..], &vectors.before[1][..]];
    evaluation.touching.find(model.solids(), positions, team);
    let touches = [&touched[..], evaluation.touching.touches()];
    lost.fill(0.0);
    let mut book = |body: usize, heat: f64| lost[body] += heat;
    let late = |v: usize| {
        if step.is_midpoint { Row::zero() } else { (velocities[v] - v0[v]) * (0.5 * h) }
    };
    contact::losses(model, [from, to], [x0, positions], late, touches, &mut book);
    if step.is_midpoint {
        let moved = [positions, velocities];
        contact::quieten(model, [from, to], h, x0, touches[1], moved, &mut book);
    }
    // A search that ended early may tell of more than there was: no more than moved before, and was
    // given in the step.
    islands_before.join(touches[1]);
    islands_before.gather(lost);
    islands_before.gather(given);
    for first in (0..lost.len()).filter(|&first| islands_before.first(first) == first) {
        let moving = |body: usize| measure::kinetic_of(model, &model.bodies()[body], v0);
        let most: f64 = islands_before.members(first).map(moving).sum();
        accounts[first].dissipated += lost[first].min(most + given[first].max(0.0));
    }
}

/// ∇E at the start of a step, into the workspace's vectors.
fn start_forces(model: &Model, h: f64, from: &Drive, state: &State, workspace: &mut Workspace) {
    let Workspace { team, evaluation, vectors, .. } = workspace;
    // Where everything came from, so that wind sees the velocities.
    for (i, from) in vectors.other.iter_mut().enumerate() {
        *from = state.positions[i].plus_scaled(-h, state.velocities[i]);
    }
    let objective = Objective {
        model,
        drive: from,
        start: &vectors.other,
        rate: 1.0 / h,
        kappa: 0.0,
        inertia: &vectors.inertia,
        measured: &vectors.measured,
        forces: Forces::All,
        end: None,
        rubbing: &[],
    };
    objective.gradient(&state.positions, &mut vectors.gradient, None, evaluation, team);
    let hard = model.hard_vertices();
    vectors.hard_start.extend(hard.map(|v| objective.hard_gradient(evaluation, v)));
}

/// The implicit schemes: pose the problem, find a start, minimise, and take the new state.
fn solve(
    model: &Model,
    scheme: Scheme,
    times: Times,
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), SimError> {
    let Times { h, from, at, to } = times;
    let Workspace { team, evaluation, solver, elastic, vectors, .. } = workspace;
    let Workspace { islands_before, islands, touched, .. } = workspace;
    let constants = scheme::constants(scheme, h);
    let clock = Instant::now();
    solver.prepare(model, elastic, constants, team)?;
    report.timings.factor += clock.elapsed();
    scheme::pose(scheme, h, model.masses(), &vectors.gradient, state, &mut vectors.inertia, team);
    start::mark_measured(model, at, constants.kappa, elastic, &mut vectors.measured);
    let objective = Objective {
        model,
        drive: at,
        start: &state.positions,
        rate: constants.rate,
        kappa: constants.kappa,
        inertia: &vectors.inertia,
        measured: &vectors.measured,
        forces: Forces::All,
        end: scheme::is_midpoint(scheme).then_some(to),
        rubbing: touched,
    };
    let (p, other) = (&mut vectors.p, &mut vectors.other);
    let centre = |p: &mut [Row], islands: &Islands| {
        let (kappa, inertia) = (constants.kappa, objective.inertia);
        start::centre_unheld(model, islands, kappa, at.gravity, inertia, p);
    };
    blocks::copy(&state.positions, p, team);
    start::lead(h * solver.lead(), state, p);
    start::carry([from, at], p);
    start::place_hard(model, to, constants.beta, state, p);
    let mut known = None;
    if !solver.has_own_start() {
        start::settle_held(model, at, constants.kappa, elastic, p);
        centre(p, islands_before);
    }
    // Without inertia nothing goes on.
    if !solver.has_own_start() && !scheme::is_equilibrium(scheme) {
        match solver.is_plain() {
            true => start::inertial(&objective, other),
            false => start::continued(h, constants.beta, state, other, team),
        }
        start::place_hard(model, to, constants.beta, state, other);
        start::settle_held(model, at, constants.kappa, elastic, other);
        centre(other, islands_before);
        let clock = Instant::now();
        known = start::choose(&objective, p, other, &mut vectors.gradient, evaluation, team);
        report.timings.evaluate += clock.elapsed();
    }
    let start = Start { p, gradient: &mut vectors.gradient, known };
    let info = solver.minimise(&objective, start, evaluation, team);
    let is_known = solver.leaves_gradient() && constants.beta == 1.0 && model.field().is_constant();
    vectors.is_gradient_stored = is_known && model.method().correction.is_some();
    if vectors.is_gradient_stored {
        objective.take_inertia_off(p, &mut vectors.gradient, team);
    }
    objective.touch(p, evaluation, team);
    islands.set(evaluation.touching.touches());
    centre(p, islands);
    scheme::finish(model, scheme, h, [p, &to.hard], state, team);
    report.energy.potential = info.stored;
    report.absorb(&info);
    Ok(())
}
