//! Damping in its own step, after the solve: what it takes is known exactly.

use pliant_math::Row;
use pliant_model::method::Damping;
use pliant_model::potentials::collider_friction::carried;
use pliant_model::{Drive, Model};

use crate::measure::kinetic_of;
use crate::objective::{Forces, Objective};
use crate::rayleigh::{self, Rayleigh};
use crate::rigid::RigidMotion;
use crate::state::State;
use crate::workspace::{SimError, Workspace};

/// Damps the velocities of one step of h seconds as the model says; books the energy it takes with
/// each body, and returns the sum \[J\]. What follows an input, or is carried, is in an ether that
/// moves with it: negative where that gives more than it takes.
///
/// # Errors
/// When the matrix of Rayleigh damping cannot be factored.
pub fn apply(
    model: &Model,
    h: f64,
    [from, drive]: [&Drive; 2],
    state: &mut State,
    workspace: &mut Workspace,
) -> Result<f64, SimError> {
    let booked = state.dissipated();
    for (body, account) in model.bodies().iter().zip(&mut state.accounts) {
        account.dissipated += kinetic_of(model, body, &state.velocities);
    }
    match model.method().damping {
        Some(Damping::RigidPreserving(rate)) => {
            for body in 0..model.bodies().len() {
                towards_rigid_motion(model, body, -(-rate * h).exp_m1(), state);
            }
        }
        Some(Damping::Rayleigh { mass, stiffness }) => {
            let rates = Rayleigh { mass, stiffness };
            resist_straining(model, rates, h, drive, state, workspace)?;
        }
        Some(Damping::Ether(_)) | None => {}
    }
    let moving_with = |state: &mut State, sign: f64| {
        let followed = model.followed_vertices().iter().zip(from.follow.iter().zip(&drive.follow));
        for (&v, (&t0, &t1)) in followed.filter(|(v, _)| (**v as usize) < model.ether().len()) {
            let velocity = &mut state.velocities[v as usize];
            *velocity = velocity.plus_scaled(sign / h, t1 - t0);
        }
    };
    if !model.ether().is_empty() {
        moving_with(state, -1.0);
        let carriers = [&drive.carrier, &from.carrier];
        let State { positions, velocities, .. } = state;
        for ((v, rate), x) in velocities.iter_mut().zip(model.ether()).zip(positions.iter()) {
            let ether = Row::from(carried(x.xyz(), carriers)) * (-1.0 / h);
            *v = ether + (*v - ether) * (-rate * h).exp();
        }
        moving_with(state, 1.0);
    }
    for (body, account) in model.bodies().iter().zip(&mut state.accounts) {
        account.dissipated -= kinetic_of(model, body, &state.velocities);
    }
    Ok(state.dissipated() - booked)
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

fn resist_straining(
    model: &Model,
    rates: Rayleigh,
    h: f64,
    drive: &Drive,
    state: &mut State,
    workspace: &mut Workspace,
) -> Result<(), SimError> {
    let Workspace { team, vectors, rayleigh: Some(space), .. } = workspace else { return Ok(()) };
    let State { positions, velocities, .. } = state;
    let objective = Objective {
        model,
        drive,
        start: positions,
        rate: 0.0,
        kappa: 0.0,
        inertia: &vectors.inertia,
        measured: &vectors.measured,
        forces: Forces::Stored,
        end: None,
        rubbing: &[],
    };
    Ok(rayleigh::damp(rates, h, &objective, velocities, space, team)?)
}
