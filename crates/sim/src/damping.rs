//! Damping in its own step, after the solve: what it takes is known exactly.

use pliant_model::Model;
use pliant_model::integrator::Damping;

use crate::measure::kinetic_of;
use crate::rigid::RigidMotion;
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
    let vertices = (0..model.bodies()[body].vertex_count).map(|v| model.number(body, v));
    let State { positions, velocities, .. } = state;
    let moving = |v: usize| velocities[v].xyz();
    let rigid = RigidMotion::closest(vertices.clone(), model.masses(), positions, moving);
    let Some(rigid) = rigid else { return };
    for v in vertices.filter(|&v| v < model.free_count()) {
        let velocity = velocities[v].xyz();
        let deforming = velocity - rigid.at(positions[v].xyz());
        velocities[v] = (velocity - k * deforming).into();
    }
}
