//! What a state must be to be shown.

use pliant_math::Row;
use pliant_model::Model;

use crate::state::State;

/// Into how many sub-steps a step is cut, in turn, before it is given up.
pub const SUBSTEPS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Farther from the origin than this many body sizes, nothing is where it was sent.
const LOST: f64 = 1e9;

/// Whether a state is finite, and within any sensible distance.
pub fn is_sound(model: &Model, state: &State) -> bool {
    let reach = LOST * model.extent().max(f64::MIN_POSITIVE);
    let near = |row: &Row| row.0[..3].iter().all(|c| c.abs() <= reach);
    state.positions.iter().all(near)
        && state.velocities.iter().all(|v| v.xyz().is_finite())
        && state.accelerations.iter().all(|a| a.xyz().is_finite())
        && state.accounts.iter().all(|a| a.added.is_finite() && a.dissipated.is_finite())
}

/// Stops all motion: what is left of a step that could not be saved.
pub fn rest(state: &mut State) {
    state.velocities.fill(Row::zero());
    state.accelerations.fill(Row::zero());
    state.past.is_valid = false;
}
