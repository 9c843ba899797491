//! Where a solver starts its search.
//!
//! x + h v + h² a, with the last step's acceleration a, is close when motion is smooth, and far
//! off after a shock; x itself, taken along by what carries the
//! bodies, is never far off. The lower objective of the two wins. Where the
//! energy is convex between them, the gradient at the first tells that without an evaluation of
//! the second, G(x) ≥ G(p) + ∇G(p)·δ + ½κ‖δ‖²_M with δ = x − p, and the solver goes on with that
//! gradient. Plain local/global has ŷ + g/κ in the first's place, as papers tell it. Points held
//! by springs far stiffer than the body start where those springs alone would put them.

use std::ops::Range;

use glam::DVec3;
use pliant_math::lanes::{Kernel, Lanes, run64};
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, Row};
use pliant_model::potentials::collider_friction::carried;
use pliant_model::{Drive, Model};

use crate::blocks::{self, PerVertex, each_vertex};
use crate::islands::Islands;
use crate::objective::{EvaluationSpace, Objective, Sums};
use crate::state::State;

/// Springs stiffer than this multiple of everything else at a vertex leave a reaction that
/// positions cannot resolve; see [`crate::objective::Objective::measured`].
const UNRESOLVABLE: f64 = 1e9;

/// The first candidate: the smooth continuation of the motion, seen at β of the step.
pub fn continued(h: f64, beta: f64, state: &State, p: &mut [Row], team: &Team) {
    each_vertex(p.len(), team, &Continued { h, beta, state, p: SharedSlice::new(p) });
}

struct Continued<'a> {
    h: f64,
    beta: f64,
    state: &'a State,
    p: SharedSlice<'a, Row>,
}

impl PerVertex for Continued<'_> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) {
        let State { positions, velocities, accelerations, .. } = self.state;
        let ahead = velocities[i].plus_scaled(self.h, accelerations[i]);
        // SAFETY: every vertex has its own row.
        unsafe { *self.p.at(i) = positions[i].plus_scaled(self.beta * self.h, ahead) }
    }
}

/// The first candidate of plain local/global: where inertia and gravity alone lead, ŷ + g/κ.
pub fn inertial(objective: &Objective, p: &mut [Row]) {
    let fall = match objective.kappa {
        0.0 => Row::zero(),
        kappa => Row::from(objective.drive.gravity / kappa),
    };
    for (p, &y) in p.iter_mut().zip(objective.inertia) {
        *p = y + fall;
    }
}

/// Leaves the better of two candidates in `still`, and, if that is `ahead`, its gradient in
/// `gradient`.
pub fn choose(
    objective: &Objective,
    still: &mut Buffer<Row>,
    ahead: &mut Buffer<Row>,
    gradient: &mut [Row],
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> Option<Sums> {
    // Contact is not convex: there, both are evaluated, and what touches is left as it is ahead.
    let is_convex = objective.model.field().is_constant();
    let first = (!is_convex).then(|| objective.value(still, evaluation, team));
    let sums = objective.gradient(ahead, gradient, None, evaluation, team);
    let is_better = match first {
        Some(value) => sums.value < value,
        None => {
            let rise = rise(objective, still, ahead, gradient, evaluation, team);
            sums.value.is_finite() && rise >= 0.0
                || sums.value < objective.value(still, evaluation, team)
        }
    };
    is_better.then(|| {
        std::mem::swap(still, ahead);
        sums
    })
}

/// ∇G(ahead)·δ + ½κ‖δ‖²_M with δ from ahead to still.
fn rise(
    objective: &Objective,
    still: &[Row],
    ahead: &[Row],
    gradient: &[Row],
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> f64 {
    let (kappa, masses) = (objective.kappa, objective.model.masses());
    let of =
        |vertices: Range<usize>| run64(Rise { kappa, masses, still, ahead, gradient, vertices });
    let (free, mut total) = (objective.model.free_count(), 0.0);
    blocks::sum(free, &mut evaluation.rises, team, &of, |rise| total += rise);
    total
}

/// The same over some vertices.
struct Rise<'a> {
    kappa: f64,
    masses: &'a [f64],
    still: &'a [Row],
    ahead: &'a [Row],
    gradient: &'a [Row],
    vertices: Range<usize>,
}

impl<L: Lanes> Kernel<L> for Rise<'_> {
    type Output = f64;
    #[inline(always)]
    unsafe fn run(self) -> f64 {
        let mut sum = 0.0;
        for i in self.vertices {
            let away = self.still[i] - self.ahead[i];
            let pull = self.gradient[i].plus_scaled(0.5 * self.kappa * self.masses[i], away);
            sum += pull.times(away).sum();
        }
        sum
    }
}

/// Moves positions along the velocities for so many seconds.
pub fn lead(seconds: f64, state: &State, p: &mut [Row]) {
    if seconds != 0.0 {
        for (p, &v) in p.iter_mut().zip(&*state.velocities) {
            *p = p.plus_scaled(seconds, v);
        }
    }
}

/// Takes positions along with what carries the bodies.
pub fn carry([from, to]: [&Drive; 2], p: &mut [Row]) {
    let carriers = [&from.carrier, &to.carrier];
    if from.carrier != to.carrier {
        p.iter_mut().for_each(|p| *p = *p + Row::from(carried(p.xyz(), carriers)));
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
