//! Where a run can be resumed: its state. How much of each file belongs to it follows from the
//! number of steps.

use std::path::Path;

use pliant_io::IoError;
use pliant_io::atomic::write_whole;
use pliant_model::Model;
use pliant_model::scene::SceneFile;
use pliant_sim::{State, snapshot};

use super::RunError;

/// Writes the place to resume from.
pub fn write(path: &Path, scene: &SceneFile, model: &Model, state: &State) -> Result<(), IoError> {
    write_whole(path, &snapshot::encode(state, key(scene, model)))
}

/// The state to resume from; `None` if there is no file: the run starts from the beginning.
pub fn read(path: &Path, scene: &SceneFile, model: &Model) -> Result<Option<State>, RunError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(IoError::system(path, "read")(error).into()),
    };
    let problem = |problem: String| RunError::Snapshot { path: path.to_owned(), problem };
    let state = snapshot::decode(&bytes, model, key(scene, model))
        .map_err(|error| problem(error.to_string()))?;
    let (substeps, most) = (u64::from(scene.substeps), u64::from(scene.frames));
    if state.steps % substeps != 0 || state.steps / substeps > most {
        return Err(problem("not the state of a whole frame".to_owned()));
    }
    Ok(Some(state))
}

/// What a snapshot is marked with: the scene, and the shapes that its files held.
fn key(scene: &SceneFile, model: &Model) -> u64 {
    let scene = u64::from_str_radix(&scene.hash(), 16).unwrap_or(0);
    let coordinates = model.rest().iter().flat_map(|row| &row.0[..3]);
    coordinates
        .fold(scene, |key, x| (key ^ x.to_bits()).wrapping_mul(0x0100_0000_01B3).rotate_left(5))
}
