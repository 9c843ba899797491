//! The energy account: what driven points and wind put into the bodies during a step.
//!
//! It is the *work* of the uncorrected step, force times displacement of the driven point. The
//! jump of potential energy when a driven point is moved before the step (thesis Algorithm 1,
//! line 6) is not: that would pump ½kV²h² per step into a body dragged at constant speed.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::potentials::Situation;
use pliant_model::{Drive, Rigid};

use crate::collider_work::collider_work;
use crate::contact;
use crate::objective::{EvaluationSpace, Objective};
use crate::state::Account;

/// Both ends of a step, uncorrected.
#[derive(Clone, Copy)]
pub struct Move<'a> {
    /// What is driven, at its start.
    pub from: &'a Drive,
    /// And at its end.
    pub to: &'a Drive,
    /// Where colliders were at the start of the step before; missing ones stood.
    pub last: &'a [Rigid],
    /// Positions and velocities at its start.
    pub before: [&'a [Row]; 2],
    /// ∇E at the hard vertices at its start \[N\]; empty when only the end's is known.
    pub hard_start: &'a [DVec3],
    /// Positions and velocities at its end.
    pub after: [&'a [Row]; 2],
}

/// Books the work done on the bodies by moving attachments, followed inputs, activations, planes,
/// hard vertices, colliders, changing gravity and wind, and what friction turned into heat; the
/// objective's last gradient evaluation was the one that solved the step at `p`, with what is
/// driven at `at`.
pub fn book(
    objective: &Objective,
    step: &Move,
    p: Option<&[Row]>,
    evaluation: &EvaluationSpace,
    accounts: &mut [Account],
) {
    let model = objective.model;
    let Move { from, to, last, before: [x0, v0], hard_start, after: [x1, v1] } = *step;
    let mut add = |body: usize, work: f64| accounts[body].added += work;
    objective.dissipative_work([x0, x1], evaluation, &mut add);
    let (attached, stiffness) = model.attachments();
    let springs = attached.iter().zip(stiffness.iter().zip(stiffness));
    let targets = [&from.attachments[..], &to.attachments];
    spring_work(springs, targets, [x0, x1], |v, work| add(model.body_of(v), work));
    let weights = from.follow_weights.iter().zip(&to.follow_weights);
    let followed = model.followed_vertices().iter().zip(weights);
    let targets = [&from.follow[..], &to.follow];
    spring_work(followed, targets, [x0, x1], |v, work| add(model.body_of(v), work));
    let targets = from.tracked.iter().zip(&to.tracked);
    for (point, (&t0, &t1)) in model.tracked_points().iter().zip(targets) {
        let pull = (t0 - point.position(x0)) + (t1 - point.position(x1));
        let work = 0.5 * point.stiffness * pull.times(t1 - t0).sum();
        add(model.body_of(point.corners[0] as usize), work);
    }
    // Without inertia nobody asks for it.
    let is_driven = from.activations != to.activations
        || from.firmness != to.firmness
        || from.planes != to.planes
        || from.burdens != to.burdens;
    if objective.rate > 0.0 && is_driven {
        let [before, after] = [(x0, from), (x1, to)].map(|(positions, drive)| Situation {
            positions,
            start: x0,
            rate: 0.0,
            drive,
            end: None,
            touches: &[],
            rubbing: &[],
        });
        model.field().driven_work([&before, &after], &mut add);
    }
    if from.gravity != to.gravity {
        // −½ Σ m Δg·(x₀ + x₁): the potential of a weight that changes.
        let change = to.gravity - from.gravity;
        for (v, mass) in model.masses().iter().enumerate() {
            add(model.body_of(v), -0.5 * mass * change.dot((x0[v] + x1[v]).xyz()));
        }
    }
    for (k, v) in model.hard_vertices().enumerate() {
        let moved = (x1[v] - x0[v]).xyz();
        // What moves it works against the body …
        let end = objective.hard_gradient(evaluation, v);
        let held = hard_start.get(k).map_or(end, |start| 0.5 * (*start + end)).dot(moved);
        // … and on the vertex's own mass.
        let squares = v1[v].xyz().length_squared() - v0[v].xyz().length_squared();
        add(model.body_of(v), held + 0.5 * model.masses()[v] * squares);
    }
    for (body, account) in model.bodies().iter().zip(&mut *accounts) {
        // Without inertia nobody asks for this either.
        if objective.rate > 0.0 {
            account.added += collider_work(model, body, last, [from, to], [x0, x1]);
        }
        // Friction's work is among that of potentials that are not stored; booked as heat instead.
        if let Some(p) = p {
            let drives = [objective.drive, to];
            let heat = contact::friction_heat(model, body, drives, objective.rate, [x0, p, x1]);
            account.added += heat;
            account.dissipated += heat;
        }
    }
    if let Some(p) = p {
        contact::rubbing_heat(
            model,
            objective.rubbing,
            objective.rate,
            [x0, p, x1],
            |body, heat| {
                accounts[body].added += heat;
                accounts[body].dissipated += heat;
            },
        );
    }
}

/// ½ (f₀ + f₁)·Δt for zero-length springs whose far ends move, vertex by vertex.
fn spring_work<'a>(
    springs: impl Iterator<Item = (&'a u32, (&'a f64, &'a f64))>,
    [from, to]: [&[Row]; 2],
    [x0, x1]: [&[Row]; 2],
    mut book: impl FnMut(usize, f64),
) {
    for ((&v, (&k0, &k1)), (&t0, &t1)) in springs.zip(from.iter().zip(to)) {
        let moved = t1 - t0;
        if moved != Row::zero() {
            let before = (t0 - x0[v as usize]) * k0;
            let after = (t1 - x1[v as usize]) * k1;
            book(v as usize, 0.5 * (before + after).times(moved).sum());
        }
    }
}
