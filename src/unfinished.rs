//! An animation under way: the frames that are done, and the place to go on from.
//!
//! While it goes on, `FILE.frames.part` has the frames, all digits of them, and `FILE.snapshot` the state
//! after some of them. The output itself, whatever its format, is written from the frames at the end.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use glam::DVec3;
use pliant::io::atomic::{OnFailure, PartFile, part_path, write_whole};
use pliant::sim::snapshot::checksum;

use crate::failure::Failure;

/// Frames on disk.
pub struct Unfinished {
    frames: PartFile,
    frames_path: PathBuf,
    snapshot_path: PathBuf,
    points: usize,
    key: u64,
    /// At most this much work, and the frame at hand, is lost when the command is killed.
    every: Duration,
    saved: Instant,
}

/// Where to go on.
pub struct Place {
    /// Frames that are done.
    pub done: usize,
    /// All that is known there.
    pub known: Vec<u8>,
}

fn beside(out: &Path, ending: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

impl Unfinished {
    /// The files that an output has beside it while it is made.
    pub fn files(out: &Path) -> [PathBuf; 2] {
        // A pattern of file names would be one here, too.
        let plain = PathBuf::from(out.to_string_lossy().replace('*', "_"));
        [beside(&plain, ".frames"), beside(&plain, ".snapshot")]
    }

    /// Begins anew, or goes on where `resume` is asked for and there is a place to; `key` says what is
    /// made, and how.
    pub fn open(
        out: &Path,
        points: usize,
        key: u64,
        resume: bool,
        every: Duration,
    ) -> Result<(Unfinished, Option<Place>), Failure> {
        let [frames_path, snapshot_path] = Unfinished::files(out);
        let place = if resume { read_place(&snapshot_path, key)? } else { None };
        let frames = match &place {
            Some(place) => {
                let length = (place.done * points * 24) as u64;
                PartFile::resume(&frames_path, length, OnFailure::Keep)?
            }
            None => PartFile::create(&frames_path, OnFailure::Keep)?,
        };
        let saved = Instant::now();
        let unfinished =
            Unfinished { frames, frames_path, snapshot_path, points, key, every, saved };
        Ok((unfinished, place))
    }

    /// Adds a frame, the `done`th, and makes it a place to go on from when it is time to.
    pub fn add(
        &mut self,
        frame: &[DVec3],
        done: usize,
        known: impl FnOnce() -> Vec<u8>,
    ) -> Result<(), Failure> {
        let bytes: Vec<u8> =
            frame.iter().flat_map(|x| x.to_array()).flat_map(f64::to_le_bytes).collect();
        self.frames.append(&bytes)?;
        if self.saved.elapsed() >= self.every {
            self.save(done, &known())?;
        }
        Ok(())
    }

    /// Makes the last frame, the `done`th, a place to go on from.
    pub fn save(&mut self, done: usize, known: &[u8]) -> Result<(), Failure> {
        self.frames.sync()?;
        let mut bytes = self.key.to_le_bytes().to_vec();
        bytes.extend((done as u64).to_le_bytes());
        bytes.extend_from_slice(known);
        bytes.extend(checksum(&bytes).to_le_bytes());
        write_whole(&self.snapshot_path, &bytes)?;
        self.saved = Instant::now();
        Ok(())
    }

    /// A frame that is done.
    pub fn frame(&mut self, index: usize) -> Result<Vec<DVec3>, Failure> {
        self.frames.sync()?;
        let path = part_path(&self.frames_path);
        let mut bytes = vec![0; self.points * 24];
        let read = File::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start((index * bytes.len()) as u64))?;
            file.read_exact(&mut bytes)
        });
        read.map_err(|error| Failure::about(&path, format!("cannot read: {error}")))?;
        let number = |b: &[u8]| f64::from_le_bytes(std::array::from_fn(|k| b[k]));
        let point = |b: &[u8]| DVec3::new(number(b), number(&b[8..]), number(&b[16..]));
        Ok(bytes.chunks_exact(24).map(point).collect())
    }

    /// Removes everything: the output is whole.
    pub fn remove(self) {
        let files = [part_path(&self.frames_path), self.snapshot_path.clone()];
        drop(self);
        // What cannot be removed does no harm: it is overwritten next time.
        files.iter().for_each(|file| drop(fs::remove_file(file)));
    }
}

fn read_place(path: &Path, key: u64) -> Result<Option<Place>, Failure> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::about(path, format!("cannot read: {error}"))),
    };
    let refuse = |problem: &str| {
        Err(Failure::about(path, format!("{problem}; remove it or run without --resume")))
    };
    let whole = bytes
        .split_last_chunk::<8>()
        .filter(|(content, sum)| checksum(content).to_le_bytes() == **sum)
        .and_then(|(content, _)| content.split_first_chunk::<8>());
    let Some((found, content)) = whole else { return refuse("is not a whole snapshot") };
    if *found != key.to_le_bytes() {
        return refuse("is of another input or other options");
    }
    let Some((done, known)) = content.split_first_chunk::<8>() else {
        return refuse("is not a whole snapshot");
    };
    Ok(Some(Place { done: u64::from_le_bytes(*done) as usize, known: known.to_vec() }))
}
