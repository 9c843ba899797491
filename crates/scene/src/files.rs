//! The files that a scene names, as somebody else reads them: this crate touches no disk.

use std::error::Error;

use pliant_mesh::{Mesh, Surface};

/// Reads the files that a scene or a project names.
pub trait Files {
    /// Returns the mesh in a file, in the file's own unit.
    ///
    /// # Errors
    /// When the file is missing or is no mesh.
    fn mesh(&mut self, path: &str) -> Result<Mesh, FileError>;

    /// Returns the mesh in a file with its faces and attributes, in the file's own unit.
    ///
    /// # Errors
    /// As [`mesh`](Files::mesh).
    fn surface(&mut self, path: &str) -> Result<Surface, FileError> {
        self.mesh(path).map(Surface::from)
    }

    /// Returns the vertex numbers listed in a file.
    ///
    /// # Errors
    /// When the file is missing or is no such list.
    fn ids(&mut self, path: &str) -> Result<Vec<u32>, FileError>;
}

/// Why a file that a scene names cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// No file has this name.
    #[error("{path} is not there")]
    Missing {
        /// As the scene has it.
        path: String,
    },
    /// The file's reader refused it; its error names the file.
    #[error(transparent)]
    Unreadable(Box<dyn Error + Send + Sync>),
}

impl FileError {
    /// Wraps the error of a reader.
    pub fn unreadable(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        FileError::Unreadable(error.into())
    }
}

/// Has no files: for scenes that name none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn mesh(&mut self, path: &str) -> Result<Mesh, FileError> {
        Err(FileError::Missing { path: path.to_owned() })
    }

    fn ids(&mut self, path: &str) -> Result<Vec<u32>, FileError> {
        Err(FileError::Missing { path: path.to_owned() })
    }
}
