//! Effects from a file, and the files that it names.

use std::path::{Path, PathBuf};

use pliant_face::alteration::{Alteration, painted_on, read_map};
use pliant_face::effects::Effects;
use pliant_face::{FaceError, FaceModel, World};
use pliant_io::{Loaded, read_mesh, read_text};
use pliant_mesh::Surface;

use crate::error::ProjectError;
use crate::folder::{Locate, within};
use crate::path::ending;

/// An effects file, and the alteration of a face that it describes.
#[derive(Default)]
pub struct OpenedEffects {
    pub effects: Effects,
    pub alteration: Alteration,
    /// The effects file, and all that it names.
    pub inputs: Vec<PathBuf>,
    /// The files by their names in the effects file.
    files: NamedFiles,
}

impl OpenedEffects {
    /// Reads an effects file, if there is one.
    ///
    /// # Errors
    /// When a file cannot be read or does not fit the face.
    pub fn open(path: Option<&Path>, face: &FaceModel) -> Result<Self, ProjectError> {
        let Some(path) = path else { return Ok(OpenedEffects::default()) };
        let text = read_text(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut opened = OpenedEffects::parse(path, &text, face, &within(folder))?;
        opened.inputs.push(path.to_owned());
        Ok(opened)
    }

    /// Reads the text of an effects file; errors call it `name`.
    ///
    /// # Errors
    /// When a file that it names cannot be read, or it does not fit the face.
    pub fn parse(
        name: &Path,
        text: &str,
        face: &FaceModel,
        locate: &Locate,
    ) -> Result<Self, ProjectError> {
        let effects = Effects::parse(name, text)?;
        let mut files = NamedFiles::default();
        for file in effects.files() {
            files.all.push((file.to_owned(), locate(file)?));
        }
        let inputs = files.all.iter().map(|(_, path)| path.clone()).collect();
        let alteration = Alteration::new(face, &effects, name, &mut |file| map(files.path(file)))?;
        Ok(OpenedEffects { effects, alteration, inputs, files })
    }

    /// Wind, objects and head motion around the face, sampled at `fps` frames per second.
    ///
    /// # Errors
    /// When the mesh of an object cannot be read.
    pub fn world(&self, face: &FaceModel, fps: f64) -> Result<World, ProjectError> {
        let open = |file: &str| {
            let Loaded { mesh, polygons, attributes, .. } = read_mesh(self.files.path(file))?;
            Ok(Surface { mesh, polygons, attributes })
        };
        Ok(World::of(face, &self.effects, fps, open)?)
    }
}

/// Files by name.
#[derive(Default)]
struct NamedFiles {
    all: Vec<(String, PathBuf)>,
}

impl NamedFiles {
    fn path<'a>(&'a self, name: &'a str) -> &'a Path {
        let found = self.all.iter().find(|(known, _)| known == name);
        found.map_or(Path::new(name), |(_, path)| path)
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
