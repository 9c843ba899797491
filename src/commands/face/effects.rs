//! Effects from a file, and the files that it names.

use std::path::{Path, PathBuf};

use pliant::face::{FaceError, FaceModel, World};
use pliant::face::alteration::{Alteration, painted_on, read_map};
use pliant::face::effects::Effects;
use pliant::io::{Loaded, read_mesh, read_text};
use pliant::mesh::Surface;

use super::failure;
use crate::failure::Failure;

/// What is in an effects file, and what it does to a face.
pub struct Opened {
    pub effects: Effects,
    pub alteration: Alteration,
    /// The effects file, and all that it names.
    pub inputs: Vec<PathBuf>,
}

impl Opened {
    /// What is around the face, at a number of frames per second.
    pub fn world(&self, path: Option<&Path>, face: &FaceModel, fps: f64) -> Result<World, Failure> {
        let folder = path.and_then(Path::parent).unwrap_or(Path::new(""));
        let open = |file: &str| {
            let Loaded { mesh, polygons, attributes, .. } = read_mesh(&folder.join(file))?;
            Ok(Surface { mesh, polygons, attributes })
        };
        World::of(face, &self.effects, fps, open).map_err(failure)
    }
}

/// Reads an effects file, if there is one.
pub fn open(path: Option<&Path>, face: &FaceModel) -> Result<Opened, Failure> {
    let Some(path) = path else {
        let (effects, alteration) = (Effects::default(), Alteration::default());
        return Ok(Opened { effects, alteration, inputs: Vec::new() });
    };
    let effects = Effects::parse(path, &read_text(path)?).map_err(failure)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut inputs: Vec<PathBuf> =
        effects.files().into_iter().map(|file| folder.join(file)).collect();
    inputs.push(path.to_owned());
    let alteration = Alteration::new(face, &effects, path, &mut |file| map(&folder.join(file))).map_err(failure)?;
    Ok(Opened { effects, alteration, inputs })
}

/// Reads a map of the skin from a text file or from a painted mesh.
fn map(path: &Path) -> Result<Vec<f64>, FaceError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    if ["txt", "csv", ""].iter().any(|text| ending.eq_ignore_ascii_case(text)) {
        return read_map(path, &read_text(path)?);
    }
    let loaded = read_mesh(path)?;
    painted_on(path, &Surface { attributes: loaded.attributes, ..Surface::from(loaded.mesh) })
}
