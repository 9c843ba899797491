//! A lock on an output: two processes never write the same files at once.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use pliant_io::IoError;

use crate::error::ProjectError;

/// Holds `.NAME.lock` beside an output. The system frees the lock when the process ends, however
/// it ends.
pub(crate) struct OutputLock {
    path: PathBuf,
    /// Locked while it is open.
    _file: File,
}

impl OutputLock {
    /// Locks an output file or folder, or says that another process writes it.
    pub fn take(output: &Path) -> Result<Self, ProjectError> {
        let path = lock_path(output);
        // Users know the output; the lock and its folder are for its sake.
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(IoError::system(output, "create"))?;
        }
        loop {
            let mut open = OpenOptions::new();
            let file = open.write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(IoError::system(output, "create"))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(ProjectError::Locked { path: output.to_owned() });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(IoError::system(&path, "lock")(error).into());
                }
            }
            // The process before may have removed the file between our open and our lock.
            if is_same_file(&file, &path) {
                return Ok(OutputLock { path, _file: file });
            }
        }
    }
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // A file that stays does no harm: it is not locked.
        let _ = fs::remove_file(&self.path);
    }
}

/// `.NAME.lock` beside the output; a pattern of file names is one name.
fn lock_path(output: &Path) -> PathBuf {
    let name = output.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    output.with_file_name(format!(".{}.lock", name.replace('*', "_")))
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |data: fs::Metadata| (data.dev(), data.ino());
    let found = fs::metadata(path).map(identity);
    file.metadata().map(identity).is_ok_and(|own| found.is_ok_and(|other| other == own))
}

#[cfg(not(unix))]
fn is_same_file(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_refused_until_the_first_ends() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("walk.glb");
        let first = OutputLock::take(&output).unwrap();
        let refused = OutputLock::take(&output).err().expect("a lock is held").to_string();
        assert!(refused.contains("walk.glb") && refused.contains("another process"), "{refused}");
        drop(first);
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none(), "the lock file stays");
        OutputLock::take(&output).unwrap();
    }
}
