//! Effects from a file, and the files that it names.

use std::path::{Path, PathBuf};

use pliant_face::alteration::{Alteration, painted_on, read_map};
use pliant_face::effects::Effects;
use pliant_face::{FaceError, FaceModel, World};
use pliant_io::{Loaded, read_mesh, read_text};
use pliant_mesh::Surface;

use crate::error::ProjectError;
use crate::path::ending;

/// What is in an effects file, and what it does to a face.
pub struct OpenedEffects {
    pub effects: Effects,
    pub alteration: Alteration,
    /// The effects file, and all that it names.
    pub inputs: Vec<PathBuf>,
}

impl OpenedEffects {
    /// Reads an effects file, if there is one.
    pub fn open(path: Option<&Path>, face: &FaceModel) -> Result<Self, ProjectError> {
        let Some(path) = path else {
            let (effects, alteration) = (Effects::default(), Alteration::default());
            return Ok(OpenedEffects { effects, alteration, inputs: Vec::new() });
        };
        let effects = Effects::parse(path, &read_text(path)?)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut inputs: Vec<PathBuf> =
            effects.files().into_iter().map(|file| folder.join(file)).collect();
        inputs.push(path.to_owned());
        let alteration =
            Alteration::new(face, &effects, path, &mut |file| map(&folder.join(file)))?;
        Ok(OpenedEffects { effects, alteration, inputs })
    }

    /// What is around the face, at a number of frames per second.
    pub fn world(
        &self,
        path: Option<&Path>,
        face: &FaceModel,
        fps: f64,
    ) -> Result<World, ProjectError> {
        let folder = path.and_then(Path::parent).unwrap_or(Path::new(""));
        let open = |file: &str| {
            let Loaded { mesh, polygons, attributes, .. } = read_mesh(&folder.join(file))?;
            Ok(Surface { mesh, polygons, attributes })
        };
        Ok(World::of(face, &self.effects, fps, open)?)
    }
}

/// Reads a map of the skin from a text file or from a painted mesh.
fn map(path: &Path) -> Result<Vec<f64>, FaceError> {
    if ["txt", "csv", ""].contains(&&ending(path)[..]) {
        return read_map(path, &read_text(path)?);
    }
    let loaded = read_mesh(path)?;
    painted_on(path, &Surface { attributes: loaded.attributes, ..Surface::from(loaded.mesh) })
}
