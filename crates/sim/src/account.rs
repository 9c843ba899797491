//! The energy account: what driven points and wind put into the bodies during a step.
//!
//! It is the *work* of the uncorrected step, force times displacement of the driven point. The
//! jump of potential energy when a driven point is moved before the step (thesis Algorithm 1,
//! line 6) is not: that would pump ½kV²h² per step into a body dragged at constant speed.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::Drive;

use crate::contact;
use crate::objective::{EvaluationSpace, Objective};
use crate::state::State;

/// Both ends of a step, uncorrected.
#[derive(Clone, Copy)]
pub struct Move<'a> {
    /// What is driven, at its start.
    pub from: &'a Drive,
    /// And at its end.
    pub to: &'a Drive,
    /// Positions and velocities at its start.
    pub before: [&'a [Row]; 2],
    /// ∇E at the hard vertices at its start \[N\]; empty when only the end's is known.
    pub hard_start: &'a [DVec3],
    /// The state at its end.
    pub after: &'a State,
}

/// Work done on the bodies by moving attachments, followed inputs, hard vertices, colliders and wind \[J\];
/// the objective's last gradient evaluation was the one that solved the step.
pub fn driven_work(objective: &Objective, step: &Move, evaluation: &EvaluationSpace) -> f64 {
    let model = objective.model;
    let Move { from, to, before: [x0, v0], hard_start, after } = *step;
    let x1 = &after.positions[..];
    let mut work = objective.dissipative_work(x0, x1, evaluation);
    work += contact::collider_work(model, [from, to], [x0, x1]);
    let (attached, stiffness) = model.attachments();
    let springs = attached.iter().zip(stiffness.iter().zip(stiffness));
    work += spring_work(springs, [&from.attachments, &to.attachments], [x0, x1]);
    let weights = from.follow_weights.iter().zip(&to.follow_weights);
    let followed = model.followed_vertices().iter().zip(weights);
    work += spring_work(followed, [&from.follow, &to.follow], [x0, x1]);
    for (k, v) in model.hard_vertices().enumerate() {
        let moved = (x1[v] - x0[v]).xyz();
        // What moves it works against the body …
        let end = objective.hard_gradient(evaluation, v);
        work += hard_start.get(k).map_or(end, |start| 0.5 * (*start + end)).dot(moved);
        // … and on the vertex's own mass.
        let squares = after.velocities[v].xyz().length_squared() - v0[v].xyz().length_squared();
        work += 0.5 * model.masses()[v] * squares;
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
