//! Files that a file names: buffers of a glTF, lists that a Vega file includes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::IoError;
use crate::paged::Paged;

/// Where files named by a file are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Beside<'a> {
    /// In the folder of this file.
    Of(&'a Path),
    /// Nowhere: only bytes are at hand.
    Nothing,
}

impl Beside<'_> {
    /// Reads at most `limit` bytes of the file of this name.
    pub fn read(self, name: &str, limit: u64) -> Result<Vec<u8>, IoError> {
        let (path, file, _) = self.open(name)?;
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes).map_err(IoError::system(&path, "read"))?;
        Ok(bytes)
    }

    /// At most `limit` bytes of the file of this name, to be read when they are needed.
    pub fn paged(self, name: &str, limit: u64) -> Result<Paged, IoError> {
        let (path, file, length) = self.open(name)?;
        Ok(Paged::new(&path, file, 0..length.min(limit)))
    }

    /// Only a regular file, lest a name such as `/dev/zero` be read for ever; and its length.
    fn open(self, name: &str) -> Result<(PathBuf, File, u64), IoError> {
        let named = Path::new(name);
        let Beside::Of(path) = self else {
            return Err(IoError::content(named, "is named by the file, but was not given with it"));
        };
        let path = path.parent().unwrap_or(Path::new("")).join(named);
        let file = File::open(&path).map_err(IoError::system(&path, "open"))?;
        let metadata = file.metadata().map_err(IoError::system(&path, "measure"))?;
        if !metadata.is_file() {
            return Err(IoError::content(&path, "expected a file"));
        }
        Ok((path, file, metadata.len()))
    }
}
