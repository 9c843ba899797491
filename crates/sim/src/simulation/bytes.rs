//! A simulation as bytes: its clock, its targets and its state, for this model alone.
//!
//! Layout, little-endian: magic, key of the model, clock (base, h, steps), targets at the start and
//! at the end of the next step (x, y, z each; NaN for none), the state as in [`crate::snapshot`],
//! and a checksum over all of it.

use glam::DVec3;
use pliant_model::{Drive, Model};

use super::clock::Clock;
use crate::snapshot::{self, SnapshotError, checksum};
use crate::state::State;

const MAGIC: &[u8; 8] = b"PLIANTE1";
/// Magic, key and clock.
const HEADER: usize = 40;

/// The part of a simulation that changes over time.
pub(super) struct Moment {
    pub clock: Clock,
    pub targets: [Vec<Option<DVec3>>; 2],
    pub state: State,
}

/// A number that tells models apart: bodies, masses, shapes, stiffness, and how they are stepped.
pub(super) fn key(model: &Model) -> u64 {
    let mut drive = Drive::default();
    model.drive(0.0, &mut drive);
    let names: Vec<&str> = model.bodies().iter().map(|body| body.name.as_str()).collect();
    let colliders: Vec<_> = model
        .colliders()
        .iter()
        .map(|c| (c.response, c.stiffness, c.friction, c.restitution, c.shape.bounds()))
        .collect();
    let said = format!(
        "{names:?} {:?} {colliders:?} {:?} {:?}",
        model.method(),
        model.attachments(),
        (drive.gravity, drive.wind, &drive.colliders),
    );
    let stiffness = model.field().elastic_diagonal(model.vertex_count());
    let rest = model.rest().iter().flat_map(|row| &row.0[..3]);
    let numbers = rest.chain(model.masses()).chain(&stiffness);
    let bytes: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).chain(said.into_bytes()).collect();
    checksum(&bytes)
}

/// The bytes of a moment.
pub(super) fn encode(
    key: u64,
    clock: &Clock,
    targets: [&[Option<DVec3>]; 2],
    state: &State,
) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for word in [key, clock.base.to_bits(), clock.h.to_bits(), clock.steps] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for x in targets.into_iter().flatten().map(|target| target.unwrap_or(DVec3::NAN)) {
        x.to_array().iter().for_each(|c| bytes.extend_from_slice(&c.to_le_bytes()));
    }
    bytes.extend_from_slice(&snapshot::encode(state, key));
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// The moment in `bytes`, if they are a snapshot of this model with `held` held vertices.
pub(super) fn decode(
    bytes: &[u8],
    model: &Model,
    own: u64,
    held: usize,
) -> Result<Moment, SnapshotError> {
    let (content, sum) = bytes.split_last_chunk::<8>().ok_or(SnapshotError::Damaged)?;
    if *sum != checksum(content).to_le_bytes() || !content.starts_with(MAGIC) {
        return Err(SnapshotError::Damaged);
    }
    let length = HEADER + 2 * held * size_of::<DVec3>();
    let (head, state) = content.split_at_checked(length).ok_or(SnapshotError::OtherScene)?;
    let mut words =
        head[8..].chunks_exact(8).map(|b| u64::from_le_bytes(std::array::from_fn(|i| b[i])));
    let mut next = || words.next().unwrap_or(0);
    if next() != own {
        return Err(SnapshotError::OtherScene);
    }
    let (base, h, steps) = (f64::from_bits(next()), f64::from_bits(next()), next());
    let mut target = || {
        let [x, y, z] = [next(), next(), next()].map(f64::from_bits);
        Some(DVec3::new(x, y, z)).filter(|x| x.is_finite())
    };
    let targets = std::array::from_fn(|_| (0..held).map(|_| target()).collect());
    let state = snapshot::decode(state, model, own)?;
    Ok(Moment { clock: Clock { base, h, steps }, targets, state })
}
