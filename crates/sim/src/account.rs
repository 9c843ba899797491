//! The energy account: what driven points and wind put into the bodies during a step.
//!
//! It is the *work* of the uncorrected step, force times displacement of the driven point. The
//! jump of potential energy when a driven point is moved before the step (thesis Algorithm 1,
//! line 6) is not: that would pump ½kV²h² per step into a body dragged at constant speed.

use pliant_math::Row;
use pliant_model::Drive;

use crate::objective::{EvaluationSpace, Objective};
use crate::state::State;

/// Both ends of a step, uncorrected.
#[derive(Clone, Copy)]
pub struct Move<'a> {
    /// Step length \[s\].
    pub h: f64,
    /// What is driven, at its start.
    pub from: &'a Drive,
    /// And at its end.
    pub to: &'a Drive,
    /// Positions and velocities at its start.
    pub before: [&'a [Row]; 2],
    /// The state at its end.
    pub after: &'a State,
}

/// Work done on the bodies by moving attachments, followed inputs, hard vertices and wind \[J\];
/// the objective's last gradient evaluation was the one that solved the step.
pub fn driven_work(objective: &Objective, step: &Move, evaluation: &EvaluationSpace) -> f64 {
    let model = objective.model;
    let Move { h, from, to, before: [x0, v0], after } = *step;
    let x1 = &after.positions[..];
    let mut work = objective.dissipative_work(x0, x1, evaluation);
    let (attached, stiffness) = model.attachments();
    let springs = attached.iter().zip(stiffness.iter().zip(stiffness));
    work += spring_work(springs, [&from.attachments, &to.attachments], [x0, x1]);
    let weights = from.follow_weights.iter().zip(&to.follow_weights);
    let followed = model.followed_vertices().iter().zip(weights);
    work += spring_work(followed, [&from.follow, &to.follow], [x0, x1]);
    for v in model.hard_vertices() {
        let moved = x1[v] - x0[v];
        if moved == Row::zero() {
            continue;
        }
        // The force that moves it: against the body, and to accelerate its own mass.
        let accelerated = after.velocities[v] - v0[v];
        let inertial = if objective.rate > 0.0 { model.masses()[v] / h } else { 0.0 };
        let force = objective.hard_gradient(evaluation, v) + accelerated.xyz() * inertial;
        work += force.dot(moved.xyz());
    }
    work
}

/// ½ (f₀ + f₁)·Δt for zero-length springs whose far ends move.
fn spring_work<'a>(
    springs: impl Iterator<Item = (&'a u32, (&'a f64, &'a f64))>,
    [from, to]: [&[Row]; 2],
    [x0, x1]: [&[Row]; 2],
) -> f64 {
    let mut work = 0.0;
    for ((&v, (&k0, &k1)), (&t0, &t1)) in springs.zip(from.iter().zip(to)) {
        let moved = t1 - t0;
        if moved != Row::zero() {
            let before = (t0 - x0[v as usize]) * k0;
            let after = (t1 - x1[v as usize]) * k1;
            work += 0.5 * (before + after).times(moved).sum();
        }
    }
    work
}
