//! PointCache2: positions of every vertex in every frame, as f32.
//!
//! 32 bytes of header, little-endian: `POINTCACHE2\0`, version 1 (i32), points (i32), first
//! frame (f32), frames per sample (f32), samples (i32); then x, y, z (f32) per point per sample.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use glam::DVec3;

use crate::atomic::{OnFailure, PartFile, part_path};
use crate::error::{IoError, Place};
use crate::format::{Attributes, Description, FrameReader, FrameWriter, Groups, Reader, Writer};

const MAGIC: &[u8; 12] = b"POINTCACHE2\0";
const HEADER: u64 = 32;
/// Where the header has the number of samples.
const SAMPLES_AT: u64 = 28;

/// The numbers at the start of a cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pc2Header {
    /// Vertices per frame.
    pub points: u32,
    /// Number of the first frame.
    pub start: f32,
    /// Frames per sample.
    pub rate: f32,
    /// Samples in the file.
    pub samples: u32,
}

impl Pc2Header {
    fn to_bytes(self) -> [u8; HEADER as usize] {
        let mut bytes = [0; HEADER as usize];
        bytes[..12].copy_from_slice(MAGIC);
        bytes[12..16].copy_from_slice(&1i32.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.points.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.start.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.rate.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.samples.to_le_bytes());
        bytes
    }

    fn from_bytes(path: &Path, bytes: [u8; HEADER as usize]) -> Result<Self, IoError> {
        let refuse = |offset: usize, problem: String| IoError::Syntax {
            path: path.to_owned(),
            place: Place::Byte(offset),
            problem,
        };
        let word = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        if &bytes[..12] != MAGIC {
            return Err(refuse(0, "expected POINTCACHE2".into()));
        }
        let count = |at: usize, what: &str| {
            let value = i32::from_le_bytes(word(at));
            u32::try_from(value)
                .map_err(|_| refuse(at, format!("expected the number of {what}, found {value}")))
        };
        Ok(Pc2Header {
            points: count(16, "points")?,
            start: f32::from_le_bytes(word(20)),
            rate: f32::from_le_bytes(word(24)),
            samples: count(28, "samples")?,
        })
    }

    fn frame_bytes(&self) -> u64 {
        12 * u64::from(self.points)
    }
}

/// PC2 in the registry. The mesh beside it is an OBJ file, and holds its colours and groups.
pub const FORMAT: Description = Description {
    written: &["pc2"],
    companions: &[("pc2", "obj")],
    attributes: Attributes::Color,
    groups: Groups::All,
    writer: Some(Writer::Cache(|path, rest, _, frames| {
        Ok(Box::new(Pc2Writer::create(path, rest.mesh.positions.len(), 0.0, 1.0, frames)?))
    })),
    ..Description::new("PC2", &["pc2"], Reader::Cache(|path| Ok(Box::new(Pc2Reader::open(path)?))))
};

/// Writes a cache frame by frame; the `.part` of an unfinished one stays, to be resumed.
///
/// ```
/// use pliant_io::{Pc2Reader, Pc2Writer};
/// use glam::DVec3;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("animation.pc2");
/// let mut writer = Pc2Writer::create(&path, 2, 0.0, 1.0, 1)?;
/// writer.write_frame([DVec3::ZERO, DVec3::X])?;
/// writer.finish()?;
/// let mut frame = [DVec3::ZERO; 2];
/// Pc2Reader::open(&path)?.frame(0, &mut frame)?;
/// assert_eq!(frame[1], DVec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pc2Writer {
    file: PartFile,
    header: Pc2Header,
    written: u32,
    buffer: Vec<u8>,
}

impl Pc2Writer {
    /// Starts a cache of `point_count` vertices. `frames` is how many are planned: the header
    /// says so until [`Pc2Writer::finish`] puts in how many there are.
    pub fn create(
        path: &Path,
        point_count: usize,
        start_frame: f32,
        rate: f32,
        frames: usize,
    ) -> Result<Self, IoError> {
        let limit = |count: usize, what: &str| match i32::try_from(count) {
            Ok(count) => Ok(count.unsigned_abs()),
            Err(_) => Err(IoError::content(path, format!("PC2 cannot hold {count} {what}"))),
        };
        let points = limit(point_count, "points")?;
        let samples = limit(frames, "frames")?;
        let header = Pc2Header { points, start: start_frame, rate, samples };
        let mut file = PartFile::create(path, OnFailure::Keep)?;
        file.append(&header.to_bytes())?;
        Ok(Pc2Writer { file, header, written: 0, buffer: Vec::new() })
    }

    /// Goes on with an unfinished (or finished) cache after its first `frames` frames.
    pub fn resume(path: &Path, point_count: usize, frames: usize) -> Result<Self, IoError> {
        let part = part_path(path);
        let found = if part.exists() { part.as_path() } else { path };
        let (_, header) = open_header(found)?;
        if header.points as usize != point_count {
            let problem = format!("expected {point_count} points, found {}", header.points);
            return Err(IoError::content(found, problem));
        }
        let length = header.frame_bytes().checked_mul(frames as u64).map(|b| b + HEADER);
        let (Some(length), Ok(written)) = (length, u32::try_from(frames)) else {
            return Err(IoError::content(found, format!("PC2 cannot hold {frames} frames")));
        };
        let file = PartFile::resume(path, length, OnFailure::Keep)?;
        Ok(Pc2Writer { file, header, written, buffer: Vec::new() })
    }

    /// Adds a frame: as many positions (m) as the cache has points.
    pub fn write_frame<I>(&mut self, positions: I) -> Result<(), IoError>
    where
        I: IntoIterator,
        I::Item: Borrow<DVec3>,
    {
        self.buffer.clear();
        for position in positions {
            for value in position.borrow().to_array() {
                self.buffer.extend_from_slice(&(value as f32).to_le_bytes());
            }
        }
        if self.buffer.len() as u64 != self.header.frame_bytes() {
            let (expected, given) = (self.header.points, self.buffer.len() / 12);
            let problem = format!("expected a frame of {expected} points, was given {given}");
            return Err(IoError::content(self.file.target(), problem));
        }
        self.file.append(&self.buffer)?;
        self.written += 1;
        Ok(())
    }

    /// Frames written so far, those before a resume included.
    pub fn frames(&self) -> usize {
        self.written as usize
    }

    /// Hands what is written to the disk: a snapshot taken now can be resumed from.
    pub fn sync(&mut self) -> Result<(), IoError> {
        self.file.sync()
    }

    /// Puts the number of frames into the header and gives the file its name.
    pub fn finish(mut self) -> Result<(), IoError> {
        self.file.patch(SAMPLES_AT, &self.written.to_le_bytes())?;
        self.file.commit()
    }
}

/// Reads any frame of a cache, holding one in memory.
#[derive(Debug)]
pub struct Pc2Reader {
    file: File,
    path: PathBuf,
    header: Pc2Header,
    buffer: Vec<u8>,
}

impl Pc2Reader {
    /// Opens a cache; refuses one that is shorter than its header says.
    pub fn open(path: &Path) -> Result<Self, IoError> {
        let (file, header) = open_header(path)?;
        let length = file.metadata().map_err(IoError::system(path, "measure"))?.len();
        let claimed = u128::from(header.frame_bytes()) * u128::from(header.samples);
        if claimed + u128::from(HEADER) > u128::from(length) {
            let problem = format!(
                "the header says {} frames of {} points, {} bytes, but the file has {length}",
                header.samples,
                header.points,
                claimed + u128::from(HEADER)
            );
            return Err(IoError::content(path, problem));
        }
        Ok(Pc2Reader { file, path: path.to_owned(), header, buffer: Vec::new() })
    }

    /// What the header says.
    pub fn header(&self) -> Pc2Header {
        self.header
    }

    /// Vertices per frame.
    pub fn points(&self) -> usize {
        self.header.points as usize
    }

    /// Frames in the file.
    pub fn frames(&self) -> usize {
        self.header.samples as usize
    }

    /// Reads frame `index` (from 0) into as many positions as the cache has points.
    pub fn frame(&mut self, index: usize, positions: &mut [DVec3]) -> Result<(), IoError> {
        if index >= self.frames() {
            let problem = format!("has {} frames, frame {index} was asked for", self.frames());
            return Err(IoError::content(&self.path, problem));
        }
        if positions.len() != self.points() {
            let problem =
                format!("has {} points, {} were asked for", self.points(), positions.len());
            return Err(IoError::content(&self.path, problem));
        }
        self.buffer.resize(self.header.frame_bytes() as usize, 0);
        let offset = HEADER + self.header.frame_bytes() * index as u64;
        let read = self
            .file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.read_exact(&mut self.buffer));
        read.map_err(IoError::system(&self.path, "read"))?;
        let (points, _) = self.buffer.as_chunks::<12>();
        for (position, bytes) in positions.iter_mut().zip(points) {
            let value = |at: usize| {
                f64::from(f32::from_le_bytes([
                    bytes[at],
                    bytes[at + 1],
                    bytes[at + 2],
                    bytes[at + 3],
                ]))
            };
            *position = DVec3::new(value(0), value(4), value(8));
        }
        Ok(())
    }
}

impl FrameReader for Pc2Reader {
    fn points(&self) -> usize {
        self.points()
    }

    fn frames(&self) -> usize {
        self.frames()
    }

    fn fps(&self) -> Option<f64> {
        None
    }

    fn frame(&mut self, index: usize, positions: &mut [DVec3]) -> Result<(), IoError> {
        self.frame(index, positions)
    }
}

impl FrameWriter for Pc2Writer {
    fn write_frame(&mut self, positions: &[DVec3]) -> Result<(), IoError> {
        self.write_frame(positions)
    }

    fn finish(self: Box<Self>) -> Result<(), IoError> {
        (*self).finish()
    }
}

fn open_header(path: &Path) -> Result<(File, Pc2Header), IoError> {
    let mut file = File::open(path).map_err(IoError::system(path, "open"))?;
    let mut bytes = [0; HEADER as usize];
    file.read_exact(&mut bytes).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            IoError::content(path, "expected the 32-byte header of a PC2 file, found fewer bytes")
        }
        _ => IoError::system(path, "read")(error),
    })?;
    let header = Pc2Header::from_bytes(path, bytes)?;
    Ok((file, header))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(seed: usize) -> [DVec3; 3] {
        [0, 1, 2].map(|v| DVec3::new(seed as f64, v as f64, 0.25))
    }

    fn read_all(path: &Path) -> Vec<[DVec3; 3]> {
        let mut reader = Pc2Reader::open(path).unwrap();
        (0..reader.frames())
            .map(|i| {
                let mut frame = [DVec3::ZERO; 3];
                reader.frame(i, &mut frame).unwrap();
                frame
            })
            .collect()
    }

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        let mut writer = Pc2Writer::create(&path, 1, 0.0, 1.0, 7).unwrap();
        writer.write_frame([DVec3::new(1.0, -2.0, 0.5)]).unwrap();
        writer.finish().unwrap();
        let mut expected =
            b"POINTCACHE2\0\x01\0\0\0\x01\0\0\0\0\0\0\0\0\0\x80\x3f\x01\0\0\0".to_vec();
        expected.extend([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f]);
        assert_eq!(std::fs::read(&path).unwrap(), expected);
    }

    #[test]
    fn a_resumed_cache_has_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.pc2");
        let mut writer = Pc2Writer::create(&whole, 3, 0.0, 1.0, 5).unwrap();
        (0..5).for_each(|i| writer.write_frame(frame(i)).unwrap());
        writer.finish().unwrap();
        assert_eq!(read_all(&whole), [0, 1, 2, 3, 4].map(frame));

        let broken = folder.path().join("broken.pc2");
        let mut writer = Pc2Writer::create(&broken, 3, 0.0, 1.0, 5).unwrap();
        (0..4).for_each(|i| writer.write_frame(frame(i)).unwrap());
        drop(writer);
        let mut writer = Pc2Writer::resume(&broken, 3, 2).unwrap();
        (2..4).for_each(|i| writer.write_frame(frame(i)).unwrap());
        writer.finish().unwrap();
        assert_eq!(read_all(&broken).len(), 4);
        let mut writer = Pc2Writer::resume(&broken, 3, 4).unwrap();
        writer.write_frame(frame(4)).unwrap();
        assert_eq!(writer.frames(), 5);
        writer.finish().unwrap();
        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&broken).unwrap());
    }

    #[test]
    fn wrong_numbers_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        let mut writer = Pc2Writer::create(&path, 3, 0.0, 1.0, 1).unwrap();
        assert!(writer.write_frame([DVec3::ZERO]).unwrap_err().to_string().contains("3 points"));
        writer.write_frame(frame(0)).unwrap();
        writer.finish().unwrap();
        assert!(Pc2Writer::resume(&path, 4, 1).is_err());
        let mut reader = Pc2Reader::open(&path).unwrap();
        assert!(reader.frame(1, &mut frame(0)).is_err());
        assert!(reader.frame(0, &mut [DVec3::ZERO; 2]).is_err());
    }

    #[test]
    fn claims_beyond_the_file_are_refused_before_allocating() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.pc2");
        let header =
            Pc2Header { points: i32::MAX as u32, start: 0.0, rate: 1.0, samples: i32::MAX as u32 };
        std::fs::write(&path, header.to_bytes()).unwrap();
        let error = Pc2Reader::open(&path).unwrap_err().to_string();
        assert!(error.contains("huge.pc2") && error.contains("but the file has 32"), "{error}");
    }

    thread_local! {
        /// One for all cases.
        static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::property_cases()))]
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), header: bool) {
            let path = FOLDER.with(|folder| folder.path().join("any.pc2"));
            let mut content = if header { MAGIC.to_vec() } else { Vec::new() };
            content.extend(bytes);
            std::fs::write(&path, content).unwrap();
            match Pc2Reader::open(&path) {
                Ok(mut reader) => {
                    for i in 0..reader.frames().min(3) {
                        let mut frame = vec![DVec3::ZERO; reader.points()];
                        reader.frame(i, &mut frame).unwrap();
                    }
                }
                Err(error) => prop_assert!(error.to_string().contains("any.pc2")),
            }
        }
    }
}
