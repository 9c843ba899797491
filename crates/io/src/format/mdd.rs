//! MDD, the point cache of LightWave: positions of every vertex in every frame, with the time of
//! each frame, as f32.
//!
//! Big-endian: frames (i32), points (i32), the time of every frame in seconds (f32), then x, y, z
//! (f32) per point per frame.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use glam::DVec3;

use crate::atomic::{OnFailure, PartFile};
use crate::error::{IoError, Place};
use crate::format::{Attributes, Description, FrameReader, FrameWriter, Groups, Reader, Writer};

const HEADER: u64 = 8;

/// MDD in the registry. The mesh beside it is an OBJ file, and holds its colours and groups.
pub const FORMAT: Description = Description {
    written: &["mdd"],
    companions: &[("mdd", "obj")],
    attributes: Attributes::Color,
    groups: Groups::All,
    writer: Some(Writer::Cache(|path, rest, fps, frames| {
        Ok(Box::new(MddWriter::create(path, rest.mesh.positions.len(), fps, frames)?))
    })),
    ..Description::new("MDD", &["mdd"], Reader::Cache(|path| Ok(Box::new(MddReader::open(path)?))))
};

/// Writes a cache frame by frame.
///
/// ```
/// use glam::DVec3;
/// use pliant_io::{MddReader, MddWriter};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("walk.mdd");
/// let mut writer = MddWriter::create(&path, 2, 25.0, 1)?;
/// writer.write_frame(&[DVec3::ZERO, DVec3::X])?;
/// writer.finish()?;
/// let mut frame = [DVec3::ZERO; 2];
/// MddReader::open(&path)?.frame(0, &mut frame)?;
/// assert_eq!(frame[1], DVec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MddWriter {
    file: PartFile,
    points: usize,
    planned: u64,
    written: u64,
    buffer: Vec<u8>,
}

impl MddWriter {
    /// Starts a cache of `points` vertices, with `frames` frames at `fps` frames per second.
    pub fn create(path: &Path, points: usize, fps: f64, frames: usize) -> Result<Self, IoError> {
        let limit = |count: usize, what: &str| {
            i32::try_from(count)
                .map_err(|_| IoError::content(path, format!("MDD cannot hold {count} {what}")))
        };
        let (point_count, frame_count) = (limit(points, "points")?, limit(frames, "frames")?);
        let mut file = PartFile::create(path, OnFailure::Remove)?;
        file.append(&frame_count.to_be_bytes())?;
        file.append(&point_count.to_be_bytes())?;
        for frame in 0..frame_count {
            file.append(&((f64::from(frame) / fps) as f32).to_be_bytes())?;
        }
        let planned = frame_count.unsigned_abs().into();
        Ok(MddWriter { file, points, planned, written: 0, buffer: Vec::new() })
    }

    /// Adds a frame: as many positions (m) as the cache has points.
    pub fn write_frame(&mut self, positions: &[DVec3]) -> Result<(), IoError> {
        if positions.len() != self.points || self.written == self.planned {
            let problem = format!(
                "expected {} frames of {} points, was given frame {} of {}",
                self.planned,
                self.points,
                self.written + 1,
                positions.len()
            );
            return Err(IoError::content(self.file.target(), problem));
        }
        self.buffer.clear();
        for value in positions.iter().flat_map(|p| p.to_array()) {
            self.buffer.extend_from_slice(&(value as f32).to_be_bytes());
        }
        self.file.append(&self.buffer)?;
        self.written += 1;
        Ok(())
    }

    /// Gives the file its name. With fewer frames than planned, the file is of those.
    pub fn finish(mut self) -> Result<(), IoError> {
        let missing = self.planned - self.written;
        if missing > 0 {
            self.file.patch(0, &(self.written as i32).to_be_bytes())?;
            // The positions move up to where the times of the missing frames stood.
            self.file.cut(HEADER + 4 * self.written, 4 * missing)?;
        }
        self.file.commit()
    }
}

/// Reads any frame of a cache, holding one in memory.
#[derive(Debug)]
pub struct MddReader {
    file: File,
    path: PathBuf,
    points: usize,
    times: Vec<f32>,
    buffer: Vec<u8>,
}

impl MddReader {
    /// Opens a cache; refuses one that is shorter than its header says.
    pub fn open(path: &Path) -> Result<Self, IoError> {
        let mut file = File::open(path).map_err(IoError::system(path, "open"))?;
        let length = file.metadata().map_err(IoError::system(path, "measure"))?.len();
        if length < HEADER {
            let problem = "expected the 8-byte header of an MDD file, found fewer bytes";
            return Err(IoError::content(path, problem));
        }
        let mut header = [0; HEADER as usize];
        file.read_exact(&mut header).map_err(IoError::system(path, "read"))?;
        let count = |at: usize, what: &str| {
            let value =
                i32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
            u32::try_from(value).map_err(|_| IoError::Syntax {
                path: path.to_owned(),
                place: Place::Byte(at),
                problem: format!("expected the number of {what}, found {value}"),
            })
        };
        let (frames, points) = (count(0, "frames")?, count(4, "points")?);
        let claimed = u128::from(frames) * (4 + 12 * u128::from(points)) + u128::from(HEADER);
        if claimed > u128::from(length) {
            let problem = format!(
                "the header says {frames} frames of {points} points, {claimed} bytes, but the file \
                    has {length}"
            );
            return Err(IoError::content(path, problem));
        }
        let mut times = vec![0; 4 * frames as usize];
        file.read_exact(&mut times).map_err(IoError::system(path, "read"))?;
        let (times, _) = times.as_chunks::<4>();
        let times = times.iter().map(|&bytes| f32::from_be_bytes(bytes)).collect();
        let points = points as usize;
        Ok(MddReader { file, path: path.to_owned(), points, times, buffer: Vec::new() })
    }

    /// Vertices per frame.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Frames in the file.
    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// Frames per second, if the times of the frames grow.
    pub fn fps(&self) -> Option<f64> {
        let (first, last) = (f64::from(*self.times.first()?), f64::from(*self.times.last()?));
        let fps = (self.times.len() - 1) as f64 / (last - first);
        // Single precision leaves a whole rate a little off.
        let whole = fps.round();
        let fps = if (fps - whole).abs() < 1e-3 * fps { whole } else { fps };
        (fps.is_finite() && fps > 0.0).then_some(fps)
    }

    /// Reads frame `index` (from 0) into as many positions as the cache has points.
    pub fn frame(&mut self, index: usize, positions: &mut [DVec3]) -> Result<(), IoError> {
        if index >= self.frames() || positions.len() != self.points {
            let problem = format!(
                "has {} frames of {} points, frame {index} of {} was asked for",
                self.frames(),
                self.points,
                positions.len()
            );
            return Err(IoError::content(&self.path, problem));
        }
        let size = 12 * self.points as u64;
        self.buffer.resize(12 * self.points, 0);
        let offset = HEADER + 4 * self.frames() as u64 + size * index as u64;
        let read = self
            .file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.read_exact(&mut self.buffer));
        read.map_err(IoError::system(&self.path, "read"))?;
        let (values, _) = self.buffer.as_chunks::<4>();
        let mut values = values.iter().map(|&bytes| f64::from(f32::from_be_bytes(bytes)));
        let mut next = || values.next().unwrap_or(f64::NAN);
        positions.iter_mut().for_each(|p| *p = DVec3::new(next(), next(), next()));
        Ok(())
    }
}

impl FrameReader for MddReader {
    fn points(&self) -> usize {
        self.points()
    }

    fn frames(&self) -> usize {
        self.frames()
    }

    fn fps(&self) -> Option<f64> {
        self.fps()
    }

    fn frame(&mut self, index: usize, positions: &mut [DVec3]) -> Result<(), IoError> {
        self.frame(index, positions)
    }
}

impl FrameWriter for MddWriter {
    fn write_frame(&mut self, positions: &[DVec3]) -> Result<(), IoError> {
        self.write_frame(positions)
    }

    fn finish(self: Box<Self>) -> Result<(), IoError> {
        (*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(seed: u32) -> [DVec3; 2] {
        [0.0, 1.0].map(|v| DVec3::new(f64::from(seed), v, 0.25))
    }

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mdd");
        let mut writer = MddWriter::create(&path, 1, 2.0, 2).unwrap();
        writer.write_frame(&[DVec3::new(1.0, -2.0, 0.5)]).unwrap();
        writer.write_frame(&[DVec3::ZERO]).unwrap();
        assert!(writer.write_frame(&[DVec3::ZERO]).is_err());
        writer.finish().unwrap();
        let mut expected = vec![0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0x3f, 0, 0, 0];
        expected.extend([0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0, 0x3f, 0, 0, 0]);
        expected.extend([0; 12]);
        assert_eq!(std::fs::read(&path).unwrap(), expected);
        assert_eq!(MddReader::open(&path).unwrap().fps(), Some(2.0));
    }

    #[test]
    fn a_cache_that_ends_early_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (short, exact) = (folder.path().join("short.mdd"), folder.path().join("exact.mdd"));
        for (path, planned) in [(&short, 5000), (&exact, 3)] {
            let mut writer = MddWriter::create(path, 2, 30.0, planned).unwrap();
            (0..3).for_each(|i| writer.write_frame(&frame(i)).unwrap());
            writer.finish().unwrap();
        }
        assert_eq!(std::fs::read(&short).unwrap(), std::fs::read(&exact).unwrap());
        let mut reader = MddReader::open(&short).unwrap();
        let mut read = frame(9);
        reader.frame(2, &mut read).unwrap();
        assert_eq!((read, reader.frames(), reader.fps()), (frame(2), 3, Some(30.0)));
        assert!(reader.frame(3, &mut read).is_err() && reader.frame(0, &mut read[..1]).is_err());
    }

    thread_local! {
        /// One for all cases.
        static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::property_cases()))]
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..120), small: bool) {
            let path = FOLDER.with(|folder| folder.path().join("any.mdd"));
            let mut content = if small { vec![0, 0, 0, 2, 0, 0, 0, 3] } else { Vec::new() };
            content.extend(bytes);
            std::fs::write(&path, content).unwrap();
            match MddReader::open(&path) {
                Ok(mut reader) => {
                    let _ = reader.fps();
                    for i in 0..reader.frames().min(3) {
                        let mut frame = vec![DVec3::ZERO; reader.points()];
                        reader.frame(i, &mut frame).unwrap();
                    }
                }
                Err(error) => prop_assert!(error.to_string().contains("any.mdd")),
            }
        }
    }
}
