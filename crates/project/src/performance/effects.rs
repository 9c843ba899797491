//! Effects from a file, and the files that it names.

use std::path::{Path, PathBuf};

use pliant_face::alteration::{Alteration, EffectFiles, painted_on, read_map};
use pliant_face::effects::Effects;
use pliant_face::{FaceModel, World};
use pliant_io::{Loaded, read_mesh, read_text};
use pliant_mesh::{Mesh, Surface};

use crate::error::ProjectError;

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
        let mut beside = Beside(path.parent().unwrap_or(Path::new("")).to_owned());
        let mut inputs: Vec<PathBuf> =
            effects.files().into_iter().map(|file| beside.0.join(file)).collect();
        inputs.push(path.to_owned());
        let alteration = Alteration::new(face, &effects, path, &mut beside)?;
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

/// Files in the folder of the one that names them.
struct Beside(PathBuf);

impl EffectFiles for Beside {
    fn map(&mut self, path: &str) -> Result<Vec<f64>, String> {
        let path = self.0.join(path);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if ["txt", "csv", ""].iter().any(|text| ending.eq_ignore_ascii_case(text)) {
            let text = read_text(&path).map_err(|error| error.to_string())?;
            return read_map(&text).map_err(|problem| format!("{}, {problem}", path.display()));
        }
        let loaded = read_mesh(&path).map_err(|error| error.to_string())?;
        let surface = Surface { attributes: loaded.attributes, ..Surface::from(loaded.mesh) };
        painted_on(&surface)
            .ok_or_else(|| format!("{} has no numbers and no colours of vertices", path.display()))
    }

    fn mesh(&mut self, path: &str) -> Result<Mesh, String> {
        read_mesh(&self.0.join(path)).map(|loaded| loaded.mesh).map_err(|error| error.to_string())
    }
}
