//! Energies and momenta of a state.

use std::ops::Range;

use glam::DVec3;
use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};
use pliant_model::potentials::{Situation, gravity};
use pliant_model::{Drive, Model, ModelBody};

use crate::blocks;
use crate::objective::EvaluationSpace;
use crate::state::State;

/// Kinetic and potential energy \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// ½ Σ m ‖v‖².
    pub kinetic: f64,
    /// Elastic, attachment, following and gravitational energy.
    pub potential: f64,
}

impl Energy {
    /// Kinetic + potential \[J\].
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Linear momentum [kg m/s], and angular momentum about the origin [kg m²/s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// Σ m v.
    pub linear: DVec3,
    /// Σ x × m v.
    pub angular: DVec3,
}

/// ½ Σ m ‖v‖² \[J\].
pub fn kinetic(masses: &[f64], velocities: &[Row]) -> f64 {
    let energy = |(m, v): (&f64, &Row)| m * v.xyz().length_squared();
    0.5 * masses.iter().zip(velocities).map(energy).sum::<f64>()
}

/// ½ Σ m ‖v‖² of a body \[J\].
pub fn kinetic_of(model: &Model, body: &ModelBody, velocities: &[Row]) -> f64 {
    let part = |r: &Range<usize>| kinetic(&model.masses()[r.clone()], &velocities[r.clone()]);
    part(&body.free) + part(&body.hard)
}

/// Momenta of a body.
pub fn momentum_of(
    model: &Model,
    body: &ModelBody,
    positions: &[Row],
    velocities: &[Row],
) -> Momentum {
    let part = |r: &Range<usize>| {
        let r = || r.clone();
        momentum(&model.masses()[r()], &positions[r()], &velocities[r()])
    };
    let (free, hard) = (part(&body.free), part(&body.hard));
    Momentum { linear: free.linear + hard.linear, angular: free.angular + hard.angular }
}

/// Momenta of a body as its account has them: the angular one is about where it is held, if it
/// turns there, else about the origin.
pub fn kept_momentum_of(model: &Model, body: &ModelBody, [x, v]: [&[Row]; 2]) -> Momentum {
    let Momentum { linear, angular } = momentum_of(model, body, x, v);
    let about = body.pivot.map_or(DVec3::ZERO, |pivot| pivot.frame.about);
    Momentum { linear, angular: angular - about.cross(linear) }
}

/// Momenta of moving points.
pub fn momentum(masses: &[f64], positions: &[Row], velocities: &[Row]) -> Momentum {
    let mut sum = Momentum::default();
    for ((&m, x), v) in masses.iter().zip(positions).zip(velocities) {
        let p = v.xyz() * m;
        sum.linear += p;
        sum.angular += x.xyz().cross(p);
    }
    sum
}

/// Kinetic energy \[J\] and momenta of a state; `sums` is memory.
pub(crate) fn motion(
    model: &Model,
    state: &State,
    sums: &mut [(f64, Momentum)],
    team: &Team,
) -> (f64, Momentum) {
    let State { positions, velocities, .. } = state;
    let mut total = (0.0, Momentum::default());
    let of = |block: Range<usize>| {
        let (m, v) = (&model.masses()[block.clone()], &velocities[block.clone()]);
        (kinetic(m, v), momentum(m, &positions[block], v))
    };
    blocks::sum(model.vertex_count(), sums, team, &of, |(energy, momentum)| {
        total.0 += energy;
        total.1.linear += momentum.linear;
        total.1.angular += momentum.angular;
    });
    total
}

/// Stored energy of a state \[J\]: all potentials at the given drive.
pub fn potential(
    model: &Model,
    drive: &Drive,
    state: &State,
    space: &mut EvaluationSpace,
    team: &Team,
) -> f64 {
    let (field, positions) = (model.field(), &state.positions[..]);
    let EvaluationSpace { energies, touching, .. } = space;
    touching.find(model.solids(), positions, team);
    let touches = touching.touches();
    let at = Situation {
        positions,
        start: positions,
        rate: 0.0,
        drive,
        end: None,
        touches,
        rubbing: &[],
    };
    let shared = SharedSlice::new(energies);
    // SAFETY: each task writes its own entry.
    team.each(field.task_count(), &|t, _| unsafe { *shared.at(t) = field.evaluate(t, &at, None) });
    let stored: f64 =
        (0..field.task_count()).filter(|&t| field.is_stored(t)).map(|t| energies[t]).sum();
    stored + weight(model.masses(), &state.positions, drive.gravity)
}

/// Stored energy of each body at `positions` \[J\], from the energies of the field's tasks there.
pub fn by_body(
    model: &Model,
    gravity: DVec3,
    positions: &[Row],
    energies: &[f64],
    out: &mut [f64],
) {
    for (body, out) in model.bodies().iter().zip(&mut *out) {
        let part =
            |r: &Range<usize>| weight(&model.masses()[r.clone()], &positions[r.clone()], gravity);
        *out = part(&body.free) + part(&body.hard);
    }
    for (task, energy) in energies.iter().enumerate() {
        if model.field().is_stored(task) {
            out[model.field().task_body(task)] += energy;
        }
    }
}

/// Gravitational energy \[J\].
pub fn weight(masses: &[f64], positions: &[Row], acceleration: DVec3) -> f64 {
    let energy = |(&m, x): (&f64, &Row)| gravity::energy(m, x.xyz(), acceleration);
    masses.iter().zip(positions).map(energy).sum()
}
