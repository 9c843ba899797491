//! Finished frames on disk, in full precision, until the output is written from them.
//!
//! While a project runs, `FILE.frames.part` holds its frames. The output itself, of whatever
//! format, is written at the end.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::IoError;
use pliant_io::atomic::{OnFailure, PartFile, part_path};

use crate::error::ProjectError;
use crate::path::beside;

/// Bytes of a vertex.
const POINT: usize = 24;

/// Frames of a fixed number of vertices.
pub(crate) struct FrameStore {
    file: PartFile,
    path: PathBuf,
    points: usize,
}

impl FrameStore {
    /// The file of frames beside an output.
    pub fn path(out: &Path) -> PathBuf {
        beside(&without_pattern(out), ".frames")
    }

    /// The snapshot beside an output.
    pub fn snapshot_path(out: &Path) -> PathBuf {
        beside(&without_pattern(out), ".snapshot")
    }

    /// An empty store of frames with so many vertices.
    pub fn create(out: &Path, points: usize) -> Result<Self, ProjectError> {
        let path = FrameStore::path(out);
        let file = PartFile::create(&path, OnFailure::Keep)?;
        Ok(FrameStore { file, path, points })
    }

    /// The store of an earlier run, cut after `done` frames.
    pub fn resume(out: &Path, points: usize, done: usize) -> Result<Self, ProjectError> {
        let path = FrameStore::path(out);
        let file = PartFile::resume(&path, (done * points * POINT) as u64, OnFailure::Keep)?;
        Ok(FrameStore { file, path, points })
    }

    /// The store of a run, which is there once the outputs are begun or resumed.
    pub fn begun(store: &mut Option<FrameStore>) -> Result<&mut FrameStore, ProjectError> {
        store.as_mut().ok_or_else(|| ProjectError::Request("the run has not begun".to_owned()))
    }

    /// Adds a frame \[m\].
    pub fn add(&mut self, frame: &[DVec3]) -> Result<(), ProjectError> {
        let bytes: Vec<u8> =
            frame.iter().flat_map(|x| x.to_array()).flat_map(f64::to_le_bytes).collect();
        Ok(self.file.append(&bytes)?)
    }

    /// Hands all frames to the disk.
    pub fn sync(&mut self) -> Result<(), ProjectError> {
        Ok(self.file.sync()?)
    }

    /// A frame that was added \[m\].
    pub fn frame(&mut self, index: usize) -> Result<Vec<DVec3>, ProjectError> {
        self.sync()?;
        let path = part_path(&self.path);
        let mut bytes = vec![0; self.points * POINT];
        let read = File::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start((index * bytes.len()) as u64))?;
            file.read_exact(&mut bytes)
        });
        read.map_err(IoError::system(&path, "read"))?;
        let number = |b: &[u8]| f64::from_le_bytes(std::array::from_fn(|k| b[k]));
        let point = |b: &[u8]| DVec3::new(number(b), number(&b[8..]), number(&b[16..]));
        Ok(bytes.chunks_exact(POINT).map(point).collect())
    }

    /// Removes the file: the output is complete.
    pub fn remove(self) {
        let path = part_path(&self.path);
        drop(self);
        // A file that cannot be removed does no harm: the next run overwrites it.
        drop(fs::remove_file(path));
    }
}

/// A pattern of file names as one name.
fn without_pattern(out: &Path) -> PathBuf {
    PathBuf::from(out.to_string_lossy().replace('*', "_"))
}
