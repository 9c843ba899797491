//! The energy account: what driven points and wind put into the bodies during a step.
//!
//! It is the *work* of the uncorrected step, force times displacement of the driven point. The
//! jump of potential energy when a driven point is moved before the step (thesis Algorithm 1,
//! line 6) is not: that would pump ½kV²h² per step into a body dragged at constant speed.

use pliant_math::Row;
use pliant_model::Drive;

use crate::objective::{EvaluationSpace, Objective};
use crate::state::State;

/// Work done on the bodies by moving attachments, followed inputs, hard vertices and wind \[J\].
///
/// `p` solves the step from `state` and was the last gradient evaluation; `from` is the drive at
/// the step's start, the objective's the one at its end.
pub fn driven_work(
    objective: &Objective,
    from: &Drive,
    p: &[Row],
    state: &State,
    h: f64,
    evaluation: &EvaluationSpace,
) -> f64 {
    let (model, to) = (objective.model, objective.drive);
    let mut work = objective.dissipative_work(p, evaluation);
    let (attached, stiffness) = model.attachments();
    let springs = attached.iter().zip(stiffness.iter().zip(stiffness));
    work += spring_work(springs, &from.attachments, &to.attachments, p, state);
    let weights = from.follow_weights.iter().zip(&to.follow_weights);
    let followed = model.followed_vertices().iter().zip(weights);
    work += spring_work(followed, &from.follow, &to.follow, p, state);
    for v in model.hard_vertices() {
        let moved = p[v] - state.positions[v];
        if moved == Row::zero() {
            continue;
        }
        // The force that moves it: against the body, and to accelerate its own mass.
        let velocity = if objective.rate > 0.0 { moved * (1.0 / h) } else { Row::zero() };
        let pushed = (velocity - state.velocities[v]).xyz() * (objective.rate * model.masses()[v]);
        work += (objective.hard_gradient(evaluation, v) + pushed).dot(moved.xyz());
    }
    work
}

/// ½ (f₀ + f₁)·Δt for zero-length springs whose far ends move.
fn spring_work<'a>(
    springs: impl Iterator<Item = (&'a u32, (&'a f64, &'a f64))>,
    from: &[Row],
    to: &[Row],
    p: &[Row],
    state: &State,
) -> f64 {
    let mut work = 0.0;
    for ((&v, (&k0, &k1)), (&t0, &t1)) in springs.zip(from.iter().zip(to)) {
        let moved = t1 - t0;
        if moved != Row::zero() {
            let before = (t0 - state.positions[v as usize]) * k0;
            let after = (t1 - p[v as usize]) * k1;
            work += 0.5 * (before + after).times(moved).sum();
        }
    }
    work
}
