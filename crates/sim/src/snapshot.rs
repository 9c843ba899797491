//! A state as bytes, so that a run can be resumed: little-endian, checked, bit-exact.
//!
//! Layout: magic, key (what the state belongs to, the caller's choice), vertex count, steps,
//! added, dissipated, then positions, velocities and accelerations as x, y, z per vertex, and a
//! checksum (FNV-1a) over all of it.

use pliant_math::Row;
use pliant_model::Model;
use thiserror::Error;

use crate::state::State;

const MAGIC: &[u8; 8] = b"PLIANTS1";
const HEADER: usize = 48;

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
    let mut bytes = Vec::with_capacity(HEADER + count * 72 + 8);
    bytes.extend_from_slice(MAGIC);
    for word in [key, count as u64, state.steps, state.added.to_bits(), state.dissipated.to_bits()]
    {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for rows in [&state.positions, &state.velocities, &state.accelerations] {
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
    let (body, sum) = bytes.split_at_checked(HEADER + count * 72).ok_or(SnapshotError::Damaged)?;
    if sum != checksum(body).to_le_bytes() {
        return Err(SnapshotError::Damaged);
    }
    let mut state = State::initial(model);
    state.steps = word(3);
    (state.added, state.dissipated) = (f64::from_bits(word(4)), f64::from_bits(word(5)));
    let mut values =
        body[HEADER..].chunks_exact(8).map(|b| f64::from_le_bytes(std::array::from_fn(|i| b[i])));
    let mut next = || values.next().unwrap_or(0.0);
    for rows in [&mut state.positions, &mut state.velocities, &mut state.accelerations] {
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
