//! Files that a file names: buffers of a glTF, lists that a Vega file includes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::IoError;

/// Where files named by a file are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Beside<'a> {
    /// In the folder of this file.
    Of(&'a Path),
    /// Nowhere: only bytes are at hand.
    Nothing,
}

impl Beside<'_> {
    /// Reads at most `limit` bytes of the file of this name; only a regular file, lest a name
    /// such as `/dev/zero` be read for ever.
    pub fn read(self, name: &str, limit: u64) -> Result<Vec<u8>, IoError> {
        let named = Path::new(name);
        let Beside::Of(path) = self else {
            return Err(IoError::content(named, "is named by the file, but was not given with it"));
        };
        let path = path.parent().unwrap_or(Path::new("")).join(named);
        let file = File::open(&path).map_err(IoError::system(&path, "open"))?;
        let regular = file.metadata().map_err(IoError::system(&path, "measure"))?.is_file();
        if !regular {
            return Err(IoError::content(&path, "expected a file"));
        }
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes).map_err(IoError::system(&path, "read"))?;
        Ok(bytes)
    }
}
