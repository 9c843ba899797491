//! Where a solver starts its search.
//!
//! x + h v + h² a, with the last step's acceleration a, is close when motion is smooth, and far
//! off after a shock; x itself is never far off. The lower objective of the two wins. Points held
//! by springs far stiffer than the body start where those springs alone would put them.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::{Drive, Model};

use crate::islands::Islands;
use crate::state::State;

/// Springs stiffer than this multiple of everything else at a vertex leave a reaction that
/// positions cannot resolve; see [`crate::objective::Objective::measured`].
const UNRESOLVABLE: f64 = 1e9;

/// The first candidate: the smooth continuation of the motion, seen at β of the step.
pub fn continued(h: f64, beta: f64, state: &State, p: &mut [Row]) {
    let State { positions, velocities, accelerations, .. } = state;
    for (i, p) in p.iter_mut().enumerate() {
        let ahead = velocities[i].plus_scaled(h, accelerations[i]);
        *p = positions[i].plus_scaled(beta * h, ahead);
    }
}

/// Puts hard vertices where they are at β of the step that drives them to `to`.
pub fn place_hard(model: &Model, to: &Drive, beta: f64, state: &State, p: &mut [Row]) {
    for (v, &target) in model.hard_vertices().zip(&to.hard) {
        let from = state.positions[v];
        // Exactly the target at the end of the step, not by a sum that rounds.
        p[v] = if beta == 1.0 { target } else { from.plus_scaled(beta, target - from) };
    }
}

/// Puts the centre of mass of every body that nothing holds where inertia and gravity alone put
/// it: Σ m p = Σ m (ŷ + g/κ), which any minimiser of the objective satisfies; bodies of an
/// island push each other, and have one centre. Solvers that stop
/// early, or work in single precision, then keep linear momentum to rounding all the same.
pub fn centre_unheld(
    model: &Model,
    islands: &Islands,
    kappa: f64,
    gravity: DVec3,
    inertia: &[Row],
    p: &mut [Row],
) {
    if kappa == 0.0 || model.has_wind() {
        return;
    }
    for first in 0..model.bodies().len() {
        let numbers =
            |b: usize| (0..model.bodies()[b].vertex_count).map(move |v| model.number(b, v));
        let vertices = || islands.members(first).flat_map(numbers);
        if islands.members(first).any(|body| model.bodies()[body].is_held) {
            continue;
        }
        let (mut mass, mut away) = (0.0, Row::zero());
        for v in vertices() {
            mass += model.masses()[v];
            away = away.plus_scaled(model.masses()[v], inertia[v] - p[v]);
        }
        let shift = away * (1.0 / mass) + Row::from(gravity / kappa);
        if mass > 0.0 && shift.xyz().is_finite() {
            for v in vertices().filter(|v| *v < model.free_count()) {
                p[v] = p[v] + shift;
            }
        }
    }
}

/// Moves softly held vertices to the balance between their springs and `inertia` + elasticity.
pub fn settle_held(model: &Model, drive: &Drive, kappa: f64, elastic: &[f64], p: &mut [Row]) {
    each_held(model, drive, |v, weight, target| {
        // t + (1 − r)(p − t), not a weighted mean: exactly t for an infinite weight.
        let base = kappa * model.masses()[v] + elastic[v];
        let share = base / (base + weight);
        p[v] = target.plus_scaled(share, p[v] - target);
    });
}

/// 0 for vertices whose reaction cannot be resolved, 1 for all others.
pub fn mark_measured(
    model: &Model,
    drive: &Drive,
    kappa: f64,
    elastic: &[f64],
    measured: &mut [f64],
) {
    measured.fill(1.0);
    each_held(model, drive, |v, weight, _| {
        if weight > UNRESOLVABLE * (kappa * model.masses()[v] + elastic[v]) {
            measured[v] = 0.0;
        }
    });
}

/// Calls `f(vertex, stiffness, target)` for every soft attachment and followed vertex that is free.
pub(crate) fn each_held(model: &Model, drive: &Drive, mut f: impl FnMut(usize, f64, Row)) {
    let (vertices, stiffness) = model.attachments();
    let attached = vertices.iter().zip(stiffness).zip(&drive.attachments);
    let followed = model.followed_vertices().iter().zip(&drive.follow_weights).zip(&drive.follow);
    for ((&v, &weight), &target) in attached.chain(followed) {
        if (v as usize) < model.free_count() {
            f(v as usize, weight, target);
        }
    }
}
