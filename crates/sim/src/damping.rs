//! Damping in its own step, after the solve: what it takes is known exactly.

use glam::{DMat3, DVec3};
use pliant_model::Model;
use pliant_model::integrator::Damping;

use crate::measure::kinetic_of;
use crate::state::State;

/// Damps the velocities of one step of h seconds; books the energy it takes with each body, and
/// returns the sum \[J\].
pub fn apply(model: &Model, damping: Damping, h: f64, state: &mut State) -> f64 {
    let booked = state.dissipated();
    for (body, account) in model.bodies().iter().zip(&mut state.accounts) {
        account.dissipated += kinetic_of(model, body, &state.velocities);
    }
    match damping {
        Damping::Ether(rate) => {
            let keep = (-rate * h).exp();
            for v in &mut state.velocities[..model.free_count()] {
                *v = *v * keep;
            }
        }
        Damping::RigidPreserving(rate) => {
            for body in 0..model.bodies().len() {
                towards_rigid_motion(model, body, -(-rate * h).exp_m1(), state);
            }
        }
    }
    for (body, account) in model.bodies().iter().zip(&mut state.accounts) {
        account.dissipated -= kinetic_of(model, body, &state.velocities);
    }
    state.dissipated() - booked
}

/// v −= k (v − v_cm − ω × r) with r = x − x_cm (thesis Eq. 3.52 with its sign corrected: as
/// printed, rigid motion is damped and angular momentum lost).
fn towards_rigid_motion(model: &Model, body: usize, k: f64, state: &mut State) {
    let vertices = || (0..model.bodies()[body].vertex_count).map(|v| model.number(body, v));
    let masses = model.masses();
    let (mut mass, mut centre, mut drift) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for v in vertices() {
        mass += masses[v];
        centre += state.positions[v].xyz() * masses[v];
        drift += state.velocities[v].xyz() * masses[v];
    }
    if mass <= 0.0 {
        return;
    }
    (centre, drift) = (centre / mass, drift / mass);
    let (mut spin, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
    for v in vertices() {
        let (r, m) = (state.positions[v].xyz() - centre, masses[v]);
        spin += r.cross(state.velocities[v].xyz()) * m;
        inertia += (DMat3::IDENTITY * r.length_squared()
            - DMat3::from_cols(r * r.x, r * r.y, r * r.z))
            * m;
    }
    let scale = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
    // A point or a straight line of points has no inverse inertia: damp towards its drift alone.
    let turns = inertia.determinant() > 1e-12 * scale * scale * scale;
    let omega = if turns { inertia.inverse() * spin } else { DVec3::ZERO };
    for v in vertices().filter(|&v| v < model.free_count()) {
        let r = state.positions[v].xyz() - centre;
        let velocity = state.velocities[v].xyz();
        state.velocities[v] = (velocity - k * (velocity - drift - omega.cross(r))).into();
    }
}
