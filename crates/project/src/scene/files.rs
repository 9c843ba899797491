//! Readers of the files that a scene or a project names.

use std::path::{Path, PathBuf};

use pliant_io::{Loaded, read_ids, read_mesh};
use pliant_mesh::{Mesh, Surface};
use pliant_scene::{FileError, Files};

use crate::error::ProjectError;
use crate::folder::{self, Locate};

/// Reads files by their names, and remembers which.
pub struct SceneFiles<'a> {
    locate: Box<Locate<'a>>,
    read: Vec<PathBuf>,
    notes: Vec<String>,
}

impl<'a> SceneFiles<'a> {
    /// Relative names start from `folder`.
    pub fn within(folder: &'a Path) -> Self {
        SceneFiles::new(folder::within(folder))
    }

    /// Reads the files that `locate` finds.
    pub fn new(locate: impl Fn(&str) -> Result<PathBuf, ProjectError> + 'a) -> Self {
        SceneFiles { locate: Box::new(locate), read: Vec::new(), notes: Vec::new() }
    }

    /// The files that were read, and the readers' notes about them.
    pub fn into_parts(self) -> (Vec<PathBuf>, Vec<String>) {
        (self.read, self.notes)
    }

    fn resolve(&mut self, name: &str) -> Result<PathBuf, FileError> {
        let path = (self.locate)(name).map_err(FileError::unreadable)?;
        self.read.push(path.clone());
        Ok(path)
    }

    fn load(&mut self, path: &str) -> Result<Loaded, FileError> {
        let path = self.resolve(path)?;
        let loaded = read_mesh(&path).map_err(FileError::unreadable)?;
        self.notes.extend(loaded.notes.iter().map(|note| format!("{}: {note}", path.display())));
        Ok(loaded)
    }
}

impl Files for SceneFiles<'_> {
    fn mesh(&mut self, path: &str) -> Result<Mesh, FileError> {
        // Painted attributes can be selected, too.
        Ok(self.load(path)?.into_selectable())
    }

    fn surface(&mut self, path: &str) -> Result<Surface, FileError> {
        Ok(self.load(path)?.into_surface())
    }

    fn ids(&mut self, path: &str) -> Result<Vec<u32>, FileError> {
        read_ids(&self.resolve(path)?).map_err(FileError::unreadable)
    }
}
