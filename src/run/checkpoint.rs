//! Where a run can be resumed: its state, and what the run knows besides. How much of each file
//! belongs to it follows from the number of steps.

use std::path::Path;

use pliant_io::IoError;
use pliant_io::atomic::write_whole;
use pliant_model::Model;
use pliant_scene::SceneFile;
use pliant_sim::{State, snapshot};

use super::RunError;

/// A place to resume from.
pub struct Checkpoint {
    /// The state, at the end of a frame.
    pub state: State,
    /// Steps in a row, up to this one, that the guard had to roll back.
    pub rollbacks: u32,
    /// Whether a step had to be given up so far.
    pub exploded: bool,
}

impl Checkpoint {
    /// Writes it: the snapshot of the state, rollbacks, exploded, and a checksum over all.
    pub fn write(&self, path: &Path, scene: &SceneFile, model: &Model) -> Result<(), IoError> {
        let mut bytes = snapshot::encode(&self.state, key(scene, model));
        bytes.extend_from_slice(&self.rollbacks.to_le_bytes());
        bytes.push(u8::from(self.exploded));
        bytes.extend_from_slice(&snapshot::checksum(&bytes).to_le_bytes());
        write_whole(path, &bytes)
    }

    /// The checkpoint in a file; `None` if there is no file: the run starts from the beginning.
    pub fn read(path: &Path, scene: &SceneFile, model: &Model) -> Result<Option<Self>, RunError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(IoError::system(path, "read")(error).into()),
        };
        let problem = |problem: String| RunError::Snapshot { path: path.to_owned(), problem };
        let whole = bytes
            .split_last_chunk::<8>()
            .filter(|(content, sum)| snapshot::checksum(content).to_le_bytes() == **sum)
            .and_then(|(content, _)| content.split_last_chunk::<5>());
        let Some((snapshot, [rollbacks @ .., exploded])) = whole else {
            return Err(problem("not a whole snapshot".to_owned()));
        };
        let state = snapshot::decode(snapshot, model, key(scene, model))
            .map_err(|error| problem(error.to_string()))?;
        let (substeps, most) = (u64::from(scene.substeps), u64::from(scene.frames));
        if state.steps % substeps != 0 || state.steps / substeps > most {
            return Err(problem("not the state of a whole frame".to_owned()));
        }
        let rollbacks = u32::from_le_bytes(*rollbacks);
        Ok(Some(Checkpoint { state, rollbacks, exploded: *exploded != 0 }))
    }
}

/// What a snapshot is marked with: the scene, and the shapes that its files held.
fn key(scene: &SceneFile, model: &Model) -> u64 {
    let scene = u64::from_str_radix(&scene.hash(), 16).unwrap_or(0);
    let coordinates = model.rest().iter().flat_map(|row| &row.0[..3]);
    coordinates
        .fold(scene, |key, x| (key ^ x.to_bits()).wrapping_mul(0x0100_0000_01B3).rotate_left(5))
}
