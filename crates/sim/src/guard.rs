//! What a state must be to be shown.

use std::sync::atomic::{AtomicBool, Ordering};

use pliant_math::Row;
use pliant_math::team::Team;
use pliant_model::Model;

use crate::blocks::{PerVertex, each_vertex};
use crate::state::State;

/// Into how many sub-steps a step is cut, in turn, before it is given up.
pub const SUBSTEPS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Farther from the origin than this many body sizes, nothing is where it was sent.
const LOST: f64 = 1e9;

/// Whether a state is finite, and within any sensible distance.
pub fn is_sound(model: &Model, state: &State, team: &Team) -> bool {
    let reach = LOST * model.extent().max(f64::MIN_POSITIVE);
    let is_sound = AtomicBool::new(true);
    each_vertex(model.vertex_count(), team, &Sound { state, reach, is_sound: &is_sound });
    is_sound.into_inner()
        && state.accounts.iter().all(|a| a.added.is_finite() && a.dissipated.is_finite())
}

struct Sound<'a> {
    state: &'a State,
    reach: f64,
    is_sound: &'a AtomicBool,
}

impl PerVertex for Sound<'_> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) {
        let State { positions, velocities, accelerations, .. } = self.state;
        let near = within(&positions[i], self.reach);
        if !(near & within(&velocities[i], f64::MAX) & within(&accelerations[i], f64::MAX)) {
            self.is_sound.store(false, Ordering::Relaxed);
        }
    }
}

/// Whether no component is beyond `most`, or no number.
#[inline(always)]
fn within(row: &Row, most: f64) -> bool {
    row.0.iter().fold(true, |all, c| all & (c.abs() <= most))
}

/// Stops all motion: what is left of a step that could not be saved.
pub fn rest(state: &mut State) {
    state.velocities.fill(Row::zero());
    state.accelerations.fill(Row::zero());
    state.past.is_valid = false;
}
