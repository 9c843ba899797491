//! Output discipline: a file has its name only when it is whole.
//!
//! Everything is written to `NAME.part` and renamed to `NAME` at the end: file synced, renamed,
//! directory synced. Whoever finds `NAME` finds all of it, also after a power cut.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::IoError;

/// What becomes of `NAME.part` when writing ends without [`PartFile::commit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// It is removed: half of this file is worth nothing.
    Remove,
    /// It stays, to be resumed.
    Keep,
}

/// A file being written. Dropping it without [`PartFile::commit`] does what [`OnFailure`] says;
/// a killed process always leaves the `.part`.
///
/// ```
/// use pliant_io::atomic::{OnFailure, PartFile};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// let mut file = PartFile::create(&path, OnFailure::Remove)?;
/// file.append(b"whole")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PartFile {
    // `None` once committed.
    file: Option<BufWriter<File>>,
    part: PathBuf,
    target: PathBuf,
    on_failure: OnFailure,
}

impl PartFile {
    /// Starts `path` anew; an old `.part` is overwritten, an old `path` stays until the commit.
    pub fn create(path: &Path, on_failure: OnFailure) -> Result<Self, IoError> {
        let part = part_path(path);
        let mut anew = OpenOptions::new();
        // Also for reading: see `cut`.
        anew.read(true).write(true).create(true).truncate(true);
        let file = anew.open(&part).map_err(IoError::system(&part, "create"))?;
        Ok(Self::over(file, part, path, on_failure))
    }

    /// Goes on with an existing `.part`, or, where there is none, with the finished `path`
    /// (which becomes `.part` again), after its first `length` bytes.
    pub fn resume(path: &Path, length: u64, on_failure: OnFailure) -> Result<Self, IoError> {
        let part = part_path(path);
        if !part.exists() && path.exists() {
            fs::rename(path, &part).map_err(IoError::system(path, "take up again"))?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&part)
            .map_err(IoError::system(&part, "open"))?;
        let found = file.metadata().map_err(IoError::system(&part, "measure"))?.len();
        if found < length {
            let problem = format!("expected at least {length} bytes to go on from, found {found}");
            return Err(IoError::content(&part, problem));
        }
        file.set_len(length).map_err(IoError::system(&part, "truncate"))?;
        file.seek(SeekFrom::End(0)).map_err(IoError::system(&part, "seek"))?;
        Ok(Self::over(file, part, path, on_failure))
    }

    fn over(file: File, part: PathBuf, target: &Path, on_failure: OnFailure) -> Self {
        let file = Some(BufWriter::with_capacity(1 << 18, file));
        PartFile { file, part, target: target.to_owned(), on_failure }
    }

    /// The name it will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Adds bytes at the end.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), IoError> {
        let written = self.writer().and_then(|w| w.write_all(bytes));
        written.map_err(IoError::system(&self.part, "write"))
    }

    /// Replaces bytes that were written before; goes on at the end.
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), IoError> {
        let patched = self.writer().and_then(|w| {
            w.seek(SeekFrom::Start(offset))?;
            w.write_all(bytes)?;
            w.seek(SeekFrom::End(0)).map(drop)
        });
        patched.map_err(IoError::system(&self.part, "write"))
    }

    /// Takes `length` bytes out of what was written; what follows them moves up.
    pub fn cut(&mut self, offset: u64, length: u64) -> Result<(), IoError> {
        let cut = self.writer().and_then(|w| {
            w.flush()?;
            let file = w.get_mut();
            let end = file.seek(SeekFrom::End(0))?;
            let mut block = vec![0; 1 << 18];
            let mut from = offset.saturating_add(length).min(end);
            let mut to = offset.min(end);
            while from < end {
                let count = (end - from).min(block.len() as u64);
                let block = &mut block[..count as usize];
                file.seek(SeekFrom::Start(from))?;
                file.read_exact(block)?;
                file.seek(SeekFrom::Start(to))?;
                file.write_all(block)?;
                (from, to) = (from + count, to + count);
            }
            file.set_len(to)?;
            file.seek(SeekFrom::End(0)).map(drop)
        });
        cut.map_err(IoError::system(&self.part, "write"))
    }

    /// Hands everything to the disk, so that a kill or a power cut after this loses nothing.
    pub fn sync(&mut self) -> Result<(), IoError> {
        let synced = self.writer().and_then(|w| {
            w.flush()?;
            w.get_ref().sync_data()
        });
        synced.map_err(IoError::system(&self.part, "write"))
    }

    /// Gives the file its name.
    pub fn commit(mut self) -> Result<(), IoError> {
        self.sync()?;
        fs::rename(&self.part, &self.target).map_err(IoError::system(&self.target, "rename"))?;
        self.file = None;
        sync_folder(&self.target)
    }

    fn writer(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.file.as_mut().ok_or_else(|| io::Error::other("the file is finished"))
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer()?.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.writer()?.flush()
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        let Some(mut file) = self.file.take() else { return };
        match self.on_failure {
            // A failure is already on its way to the user; a second one would add nothing.
            OnFailure::Keep => drop(file.flush()),
            OnFailure::Remove => {
                drop(file.into_parts());
                drop(fs::remove_file(&self.part));
            }
        }
    }
}

/// Makes a folder, with those it is in; one that is there is left as it is.
pub fn create_folder(path: &Path) -> Result<(), IoError> {
    fs::create_dir_all(path).map_err(IoError::system(path, "create"))
}

/// Writes a whole small file in one go.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), IoError> {
    let mut file = PartFile::create(path, OnFailure::Remove)?;
    file.append(bytes)?;
    file.commit()
}

/// `NAME.part` for `NAME`.
pub fn part_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(".part");
    PathBuf::from(name)
}

/// Refuses an output that is one of the inputs, under whatever spelling or symbolic link, or
/// whose `.part` is.
pub fn refuse_overwriting<P: AsRef<Path>>(output: &Path, inputs: &[P]) -> Result<(), IoError> {
    let outputs = [settled(output), settled(&part_path(output))];
    for input in inputs.iter().map(AsRef::as_ref) {
        if outputs.contains(&settled(input)) {
            let (output, input) = (output.to_owned(), input.to_owned());
            return Err(IoError::OverwritesInput { output, input });
        }
    }
    Ok(())
}

/// The path without links and dots; of a file that does not exist, its folder's.
fn settled(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (folder_of(path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), IoError> {
    let folder = folder_of(path);
    let synced = File::open(folder).and_then(|f| f.sync_all());
    // Some file systems cannot sync a folder; the rename has happened all the same.
    match synced {
        Err(e) if !matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Err(IoError::system(folder, "sync")(e))
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> Result<(), IoError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_is_removed_or_kept() {
        let folder = tempfile::tempdir().unwrap();
        for (on_failure, stays) in [(OnFailure::Remove, false), (OnFailure::Keep, true)] {
            let path = folder.path().join("x.bin");
            let mut file = PartFile::create(&path, on_failure).unwrap();
            file.append(b"half").unwrap();
            drop(file);
            assert!(!path.exists());
            assert_eq!(part_path(&path).exists(), stays);
        }
    }

    #[test]
    fn resuming_truncates_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bin");
        let mut file = PartFile::create(&path, OnFailure::Keep).unwrap();
        file.append(b"0123456789").unwrap();
        drop(file);
        let mut file = PartFile::resume(&path, 4, OnFailure::Keep).unwrap();
        file.append(b"abc").unwrap();
        file.patch(1, b"XY").unwrap();
        file.append(b"!").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"0XY3abc!");
        assert!(!part_path(&path).exists());
        // A finished file is taken up again.
        let file = PartFile::resume(&path, 2, OnFailure::Remove).unwrap();
        assert!(!path.exists());
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"0X");
        let short = PartFile::resume(&path, 3, OnFailure::Keep).unwrap_err();
        assert!(short.to_string().contains("at least 3 bytes"), "{short}");
    }

    #[test]
    fn an_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.txt");
        write_whole(&path, b"old").unwrap();
        let mut file = PartFile::create(&path, OnFailure::Remove).unwrap();
        file.append(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn inputs_are_recognised_under_other_names() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in.obj");
        write_whole(&input, b"").unwrap();
        let roundabout = folder.path().join(".").join("in.obj");
        assert!(refuse_overwriting(&roundabout, &[&input]).is_err());
        assert!(refuse_overwriting(&folder.path().join("out.obj"), &[&input]).is_ok());
        #[cfg(unix)]
        {
            let link = folder.path().join("link.obj");
            std::os::unix::fs::symlink(&input, &link).unwrap();
            assert!(refuse_overwriting(&link, &[&input]).is_err());
        }
        let unfinished = folder.path().join("out.obj.part");
        write_whole(&unfinished, b"").unwrap();
        assert!(refuse_overwriting(&folder.path().join("out.obj"), &[&unfinished]).is_err());
    }

    #[test]
    fn what_the_system_refuses_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("x.txt");
        let error = write_whole(&path, b"").unwrap_err();
        assert!(error.to_string().contains("x.txt.part: cannot create"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let full = Path::new("/dev/full");
        let Ok(device) = OpenOptions::new().write(true).open(full) else { return };
        let mut file = PartFile::over(device, full.to_owned(), full, OnFailure::Keep);
        file.append(&[0; 100]).unwrap();
        let error = file.commit().unwrap_err();
        assert!(
            matches!(&error, IoError::System { source, .. } if source.kind() == io::ErrorKind::StorageFull)
        );
    }
}
