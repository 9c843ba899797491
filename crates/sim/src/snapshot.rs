//! A state as bytes, so that a run can be resumed: little-endian, checked, bit-exact.
//!
//! Layout: magic, key (what the state belongs to, the caller's choice), vertex count, body count,
//! steps, whether there is a past, and of how many colliders; their poses then; per body its
//! account (added, dissipated, whether there is a goal, the goal's energy and momenta); then
//! positions, velocities, accelerations, and positions and velocities of the past as x, y, z per
//! vertex, and a checksum (FNV-1a) over all of it.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::{Model, Rigid};
use thiserror::Error;

use crate::measure::Momentum;
use crate::state::{Account, Goal, State};

const MAGIC: &[u8; 8] = b"PLIANTS4";
const HEADER: usize = 56;
/// Bytes of a pose.
const PER_COLLIDER: usize = 15 * 8;
/// Bytes of ten words.
const PER_BODY: usize = 10 * 8;
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
    let (count, bodies) = (state.positions.len(), state.accounts.len());
    let poses = state.colliders.len();
    let length = HEADER + poses * PER_COLLIDER + bodies * PER_BODY + count * PER_VERTEX;
    let mut bytes = Vec::with_capacity(length + 8);
    bytes.extend_from_slice(MAGIC);
    let has_past = u64::from(state.past.is_valid);
    for word in [key, count as u64, bodies as u64, state.steps, has_past, poses as u64] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for value in state.colliders.iter().flat_map(Rigid::to_array) {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    for Account { goal, added, dissipated } in &state.accounts {
        let Goal { energy, momentum } = goal.unwrap_or_default();
        let (p, l) = (momentum.linear, momentum.angular);
        let has_goal = f64::from(u8::from(goal.is_some()));
        for value in [*added, *dissipated, has_goal, energy, p.x, p.y, p.z, l.x, l.y, l.z] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
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
    let (count, bodies) = (model.vertex_count(), model.bodies().len());
    if [word(1), word(2), word(3)] != [key, count as u64, bodies as u64] {
        return Err(SnapshotError::OtherScene);
    }
    let colliders = model.colliders().len();
    let poses = if word(6) == colliders as u64 { colliders } else { 0 };
    if word(6) != poses as u64 {
        return Err(SnapshotError::OtherScene);
    }
    let length = HEADER + poses * PER_COLLIDER + bodies * PER_BODY + count * PER_VERTEX;
    let (body, sum) = bytes.split_at_checked(length).ok_or(SnapshotError::Damaged)?;
    if sum != checksum(body).to_le_bytes() {
        return Err(SnapshotError::Damaged);
    }
    let mut state = State::initial(model);
    state.steps = word(4);
    state.past.is_valid = word(5) == 1;
    let mut values =
        body[HEADER..].chunks_exact(8).map(|b| f64::from_le_bytes(std::array::from_fn(|i| b[i])));
    let mut next = || values.next().unwrap_or(0.0);
    state.colliders.extend((0..poses).map(|_| Rigid::from_array(std::array::from_fn(|_| next()))));
    for account in &mut state.accounts {
        (account.added, account.dissipated) = (next(), next());
        let (has_goal, energy) = (next() == 1.0, next());
        let linear = DVec3::new(next(), next(), next());
        let momentum = Momentum { linear, angular: DVec3::new(next(), next(), next()) };
        account.goal = has_goal.then_some(Goal { energy, momentum });
    }
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
