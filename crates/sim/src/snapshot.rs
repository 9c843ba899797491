//! A state as bytes, so that a run can be resumed: little-endian, checked, bit-exact.
//!
//! Layout: magic, key (what the state belongs to, the caller's choice), vertex count, steps,
//! added, dissipated, whether there is a past and a goal, the goal, then positions, velocities, accelerations, and
//! positions and velocities of the past as x, y, z per vertex, and a checksum (FNV-1a) over all
//! of it.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::Model;
use thiserror::Error;

use crate::measure::Momentum;
use crate::state::{Goal, State};

const MAGIC: &[u8; 8] = b"PLIANTS2";
const HEADER: usize = 120;
/// Bytes of five rows of three numbers.
const PER_VERTEX: usize = 5 * 3 * 8;

/// Why bytes are no state of a model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// Not a snapshot, or cut off, or damaged.
    #[error("not a whole snapshot")]
    Damaged,
    /// Of another model or scene.
    #[error("a snapshot of another scene")]
    OtherScene,
}

/// The state as bytes; `key` identifies what it belongs to.
pub fn encode(state: &State, key: u64) -> Vec<u8> {
    let count = state.positions.len();
    let mut bytes = Vec::with_capacity(HEADER + count * PER_VERTEX + 8);
    bytes.extend_from_slice(MAGIC);
    let (added, dissipated) = (state.added.to_bits(), state.dissipated.to_bits());
    let has_past = u64::from(state.past.is_valid);
    let has_goal = u64::from(state.goal.is_some());
    for word in [key, count as u64, state.steps, added, dissipated, has_past, has_goal] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    let (energy, momentum) =
        state.goal.map_or((0.0, Momentum::default()), |goal| (goal.energy, goal.momentum));
    let (p, l) = (momentum.linear, momentum.angular);
    for value in [energy, p.x, p.y, p.z, l.x, l.y, l.z] {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    let State { positions, velocities, accelerations, past, .. } = state;
    for rows in [positions, velocities, accelerations, &past.positions, &past.velocities] {
        for value in rows.iter().flat_map(|row| &row.0[..3]) {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
    }
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// The state in `bytes`, if they are a snapshot of this model with this key.
///
/// # Errors
/// [`SnapshotError`] otherwise; never panics, whatever the bytes.
pub fn decode(bytes: &[u8], model: &Model, key: u64) -> Result<State, SnapshotError> {
    let words = bytes.get(..HEADER).ok_or(SnapshotError::Damaged)?;
    let word = |k: usize| u64::from_le_bytes(std::array::from_fn(|b| words[8 * k + b]));
    if &words[..8] != MAGIC {
        return Err(SnapshotError::Damaged);
    }
    let count = model.vertex_count();
    if word(1) != key || word(2) != count as u64 {
        return Err(SnapshotError::OtherScene);
    }
    let (body, sum) =
        bytes.split_at_checked(HEADER + count * PER_VERTEX).ok_or(SnapshotError::Damaged)?;
    if sum != checksum(body).to_le_bytes() {
        return Err(SnapshotError::Damaged);
    }
    let mut state = State::initial(model);
    state.steps = word(3);
    (state.added, state.dissipated) = (f64::from_bits(word(4)), f64::from_bits(word(5)));
    let mut values =
        body[HEADER..].chunks_exact(8).map(|b| f64::from_le_bytes(std::array::from_fn(|i| b[i])));
    let mut next = || values.next().unwrap_or(0.0);
    state.past.is_valid = word(6) == 1;
    let number = |k: usize| f64::from_bits(word(k));
    let vector = |k: usize| DVec3::new(number(k), number(k + 1), number(k + 2));
    let momentum = Momentum { linear: vector(9), angular: vector(12) };
    state.goal = (word(7) == 1).then_some(Goal { energy: number(8), momentum });
    let State { positions, velocities, accelerations, past, .. } = &mut state;
    let rows = [positions, velocities, accelerations, &mut past.positions, &mut past.velocities];
    for rows in rows {
        for row in rows.iter_mut() {
            *row = Row::new(next(), next(), next());
        }
    }
    Ok(state)
}

/// What a snapshot ends with, for those that keep more beside it: FNV-1a.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3))
}
