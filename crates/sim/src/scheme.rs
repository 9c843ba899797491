//! Time rules, all in one shape (thesis Eq. 3.38): a step minimises
//! ½‖x − y‖²_M + α h² E(βx + z) and then follows a velocity rule.
//!
//! | scheme | α | β | y | z | velocity |
//! |---|---|---|---|---|---|
//! | backward Euler | 1 | 1 | x₀ + h v₀ | 0 | (x − x₀)/h |
//! | quasi-static | ∞ | 1 | – | 0 | 0 |
//!
//! External forces are part of E. [`pose`] fills in the objective's κ and ŷ, [`finish`] the new
//! state.

use pliant_math::Row;
use pliant_model::Model;
use pliant_model::integrator::Scheme;

use crate::state::State;

/// The objective's constants for one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// κ = 1/(α β² h²) [1/s²].
    pub kappa: f64,
    /// Velocity is (p − x₀) · rate [1/s].
    pub rate: f64,
}

/// κ and the rate of a scheme at step length h \[s\].
pub fn constants(scheme: Scheme, h: f64) -> Constants {
    match scheme {
        Scheme::BackwardEuler => Constants { kappa: 1.0 / (h * h), rate: 1.0 / h },
        Scheme::QuasiStatic => Constants { kappa: 0.0, rate: 0.0 },
    }
}

/// ŷ = βy + z for every vertex.
pub fn pose(scheme: Scheme, h: f64, state: &State, inertia: &mut [Row]) {
    let reach = match scheme {
        Scheme::BackwardEuler => h,
        Scheme::QuasiStatic => 0.0,
    };
    for ((y, &x), &v) in inertia.iter_mut().zip(&*state.positions).zip(&*state.velocities) {
        *y = x.plus_scaled(reach, v);
    }
}

/// The state after a step that was solved by `p`.
pub fn finish(model: &Model, h: f64, p: &[Row], state: &mut State) {
    let State { positions, velocities, accelerations, .. } = state;
    match model.integrator().scheme {
        Scheme::BackwardEuler => {
            for (i, &to) in p.iter().enumerate() {
                let velocity = (to - positions[i]) * (1.0 / h);
                accelerations[i] = (velocity - velocities[i]) * (1.0 / h);
                velocities[i] = velocity;
                positions[i] = to;
            }
        }
        Scheme::QuasiStatic => {
            positions.copy_from_slice(p);
            velocities.fill(Row::zero());
            accelerations.fill(Row::zero());
        }
    }
}
