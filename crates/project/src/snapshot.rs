//! The snapshot of a project: how much is done, and the state to continue from.

use std::path::{Path, PathBuf};
use std::{fs, io};

use pliant_io::IoError;
use pliant_io::atomic::{part_path, write_whole};
use pliant_sim::snapshot::checksum;

use crate::error::ProjectError;

/// A file: key, units done, state, checksum.
pub(crate) struct Snapshot {
    path: PathBuf,
    key: u64,
}

impl Snapshot {
    pub fn new(path: PathBuf, key: u64) -> Self {
        Snapshot { path, key }
    }

    /// Units done and the state; `None` if there is no file.
    pub fn read(&self) -> Result<Option<(usize, Vec<u8>)>, ProjectError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(IoError::system(&self.path, "read")(error).into()),
        };
        let content = bytes
            .split_last_chunk::<8>()
            .filter(|(content, sum)| checksum(content).to_le_bytes() == **sum)
            .and_then(|(content, _)| content.split_first_chunk::<16>());
        let Some((head, state)) = content else {
            return Err(self.refusal("is not a complete snapshot"));
        };
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|k| head[at + k]));
        if number(0) != self.key {
            return Err(self.refusal("belongs to another input or to other settings"));
        }
        let done = usize::try_from(number(8));
        let done = done.map_err(|_| self.refusal("is not a complete snapshot"))?;
        Ok(Some((done, state.to_vec())))
    }

    /// Writes it, complete or not at all.
    pub fn write(&self, done: usize, state: &[u8]) -> Result<(), ProjectError> {
        let mut bytes = self.key.to_le_bytes().to_vec();
        bytes.extend((done as u64).to_le_bytes());
        bytes.extend_from_slice(state);
        bytes.extend(checksum(&bytes).to_le_bytes());
        Ok(write_whole(&self.path, &bytes)?)
    }

    /// Removes it, and what a killed process may have left half written.
    pub fn remove(&self) -> Result<(), ProjectError> {
        remove_file(&self.path)?;
        remove_file(&part_path(&self.path))
    }

    fn refusal(&self, problem: &str) -> ProjectError {
        ProjectError::Snapshot { path: self.path.clone(), problem: problem.to_owned() }
    }
}

/// True if there is no file. In the place of its folder may be a file, too.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Removes a file that may not be there.
pub(crate) fn remove_file(path: &Path) -> Result<(), ProjectError> {
    match fs::remove_file(path) {
        Err(error) if !is_absent(&error) => Err(IoError::system(path, "remove")(error).into()),
        _ => Ok(()),
    }
}
