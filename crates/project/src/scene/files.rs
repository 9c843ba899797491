//! The files that a scene names, looked for in its folder.

use std::path::{Path, PathBuf};

use pliant_io::{Loaded, read_ids, read_mesh};
use pliant_mesh::{Mesh, Surface};
use pliant_scene::{FileError, Files};

/// Reads files relative to a folder, and remembers which.
pub struct SceneFiles {
    folder: PathBuf,
    read: Vec<PathBuf>,
    notes: Vec<String>,
}

impl SceneFiles {
    /// Relative names start from `folder`.
    pub fn within(folder: &Path) -> Self {
        SceneFiles { folder: folder.to_owned(), read: Vec::new(), notes: Vec::new() }
    }

    /// The files that were read, and the readers' notes about them.
    pub fn into_parts(self) -> (Vec<PathBuf>, Vec<String>) {
        (self.read, self.notes)
    }

    fn resolve(&mut self, name: &str) -> PathBuf {
        let path = self.folder.join(name);
        self.read.push(path.clone());
        path
    }

    fn load(&mut self, path: &str) -> Result<Loaded, FileError> {
        let path = self.resolve(path);
        let loaded = read_mesh(&path).map_err(FileError::unreadable)?;
        self.notes.extend(loaded.notes.iter().map(|note| format!("{}: {note}", path.display())));
        Ok(loaded)
    }
}

impl Files for SceneFiles {
    fn mesh(&mut self, path: &str) -> Result<Mesh, FileError> {
        // Painted attributes can be selected, too.
        Ok(self.load(path)?.into_selectable())
    }

    fn surface(&mut self, path: &str) -> Result<Surface, FileError> {
        Ok(self.load(path)?.into_surface())
    }

    fn ids(&mut self, path: &str) -> Result<Vec<u32>, FileError> {
        read_ids(&self.resolve(path)).map_err(FileError::unreadable)
    }
}
