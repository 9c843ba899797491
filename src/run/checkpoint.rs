//! Where a run can be resumed: the state, and how much of each file belongs to it.

use std::path::Path;

use pliant_io::IoError;
use pliant_model::Model;
use pliant_model::scene::SceneFile;
use pliant_sim::{State, snapshot};

use super::RunError;

/// A place to resume from.
pub struct Checkpoint {
    /// Bytes of `metrics.csv` written before it.
    pub metrics_length: u64,
    /// Frames simulated before it, the initial one not counted.
    pub frames: u32,
    /// The state.
    pub state: State,
}

/// What a snapshot of a scene is marked with.
pub fn key(scene: &SceneFile) -> u64 {
    u64::from_str_radix(&scene.hash(), 16).unwrap_or(0)
}

/// The checkpoint as bytes.
pub fn encode(metrics_length: u64, frames: u32, state: &[u8]) -> Vec<u8> {
    let mut bytes = metrics_length.to_le_bytes().to_vec();
    bytes.extend_from_slice(&u64::from(frames).to_le_bytes());
    bytes.extend_from_slice(state);
    bytes
}

impl Checkpoint {
    /// The checkpoint in a file; `None` if there is no file: the run starts from the beginning.
    pub fn read(path: &Path, scene: &SceneFile, model: &Model) -> Result<Option<Self>, RunError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(IoError::system(path, "read")(error).into()),
        };
        let problem = |problem: String| RunError::Snapshot { path: path.to_owned(), problem };
        let (head, rest) =
            bytes.split_at_checked(16).ok_or_else(|| problem("not a whole snapshot".to_owned()))?;
        let word = |k: usize| u64::from_le_bytes(std::array::from_fn(|b| head[8 * k + b]));
        let state = snapshot::decode(rest, model, key(scene))
            .map_err(|error| problem(error.to_string()))?;
        let frames = u32::try_from(word(1)).unwrap_or(u32::MAX);
        if u64::from(frames) * u64::from(scene.substeps) != state.steps || frames > scene.frames {
            return Err(problem("not a whole snapshot".to_owned()));
        }
        Ok(Some(Checkpoint { metrics_length: word(0), frames, state }))
    }
}
