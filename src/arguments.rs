//! Arguments that several commands share.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use pliant::io::{AnimationOptions, AnimationWriter, IoError, check_mesh_name, unit_named};

/// Options of every command.
#[derive(Args, Clone, Copy, Debug)]
pub struct Options {
    /// Print errors only
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Number of threads, at most twice the number of cores [default: the number of cores]
    #[arg(long, global = true, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
}

/// More threads than this per core only wait for each other.
const MOST_THREADS_PER_CORE: usize = 2;

impl Options {
    /// So many threads, and not a word.
    pub fn quiet(threads: usize) -> Options {
        Options { quiet: true, threads: Some(threads) }
    }

    /// Number of threads to use, at least one.
    pub fn threads(&self) -> usize {
        let asked = self.threads.unwrap_or_else(cores);
        asked.min(MOST_THREADS_PER_CORE * cores())
    }

    /// A sentence about threads that were asked for and are not used.
    pub fn thread_note(&self) -> Option<String> {
        let (asked, used) = (self.threads?, self.threads());
        (asked > used).then(|| {
            let cores = cores();
            format!(
                "note: --threads {asked}: using {used}, twice the {cores} cores of this machine"
            )
        })
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("expected a number from 1 to 1024".to_owned()),
    }
}

/// How animations are read, for every command that reads one.
#[derive(Args, Clone, Debug, Default)]
pub struct Reading {
    /// Frames per second of the animation that is read; glTF and USD files are sampled at this
    /// rate [default: as in the file, else 30]
    #[arg(long, value_parser = frame_rate)]
    pub fps: Option<f64>,
    /// Animation to read from a glTF file with several [default: the first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Unit of length of the file: m, cm, mm, in or ft [default: as in the file, else m]
    #[arg(long, value_parser = unit)]
    pub unit: Option<f64>,
}

impl Reading {
    /// The same for the library.
    pub fn options(&self) -> AnimationOptions {
        AnimationOptions { fps: self.fps, clip: self.clip.clone(), unit: self.unit }
    }
}

/// Metres in a unit of length.
pub fn unit(text: &str) -> Result<f64, String> {
    unit_named(text).ok_or_else(|| "expected m, cm, mm, in or ft".to_owned())
}

/// `20..80`: frames from 20 to 80, both included; either end may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    first: usize,
    last: usize,
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a range such as 20..80, or 5..5 for one frame".to_owned();
        let (first, last) = text.split_once("..").ok_or_else(expected)?;
        let end = |digits: &str, open: usize| {
            if digits.is_empty() { Ok(open) } else { digits.parse().map_err(|_| expected()) }
        };
        let range = FrameRange { first: end(first, 0)?, last: end(last, usize::MAX)? };
        if range.first > range.last {
            return Err("the first frame comes after the last one".to_owned());
        }
        Ok(range)
    }
}

impl FrameRange {
    /// Every frame.
    pub const ALL: FrameRange = FrameRange { first: 0, last: usize::MAX };

    /// A single frame.
    pub fn only(frame: usize) -> FrameRange {
        FrameRange { first: frame, last: frame }
    }

    /// The part of `count` frames that is meant; `None` if there is none.
    pub fn within(self, count: usize) -> Option<RangeInclusive<usize>> {
        let last = self.last.min(count.checked_sub(1)?);
        (self.first <= last).then_some(self.first..=last)
    }
}

/// `1280x720`: width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: usize,
    pub height: usize,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side =
            |digits: &str| digits.parse().ok().filter(|pixels| (1..=16_384).contains(pixels));
        text.split_once('x')
            .and_then(|(width, height)| Some(Size { width: side(width)?, height: side(height)? }))
            .ok_or_else(|| "expected a size in pixels such as 1280x720".to_owned())
    }
}

/// Frames per second: a positive number.
pub fn frame_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= 1000.0 => Ok(rate),
        _ => Err("expected frames per second, more than 0 and at most 1000".to_owned()),
    }
}

/// A duration in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds @ 0.0..=86_400.0) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("expected a number of seconds from 0 to 86400".to_owned()),
    }
}

/// The name of an animation to write, with an ending that can be written.
pub fn animation_output(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    AnimationWriter::check_name(&path).map_err(problem)?;
    Ok(path)
}

/// The name of a mesh to write, with an ending that can be written.
pub fn mesh_output(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    check_mesh_name(&path).map_err(problem)?;
    Ok(path)
}

/// What is wrong with a name, without the name, which clap puts before it.
fn problem(error: IoError) -> String {
    match error {
        IoError::UnknownFormat { known, .. } => {
            format!("unknown kind of file; expected one of {known}")
        }
        IoError::Content { problem, .. } => problem,
        other => other.to_string(),
    }
}

/// An output file whose ending is one of those known.
pub fn output(
    endings: &'static [&'static str],
) -> impl Fn(&str) -> Result<PathBuf, String> + Clone {
    move |text| {
        let path = PathBuf::from(text);
        if endings.contains(&ending(&path).as_str()) {
            Ok(path)
        } else {
            let known: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
            Err(format!("expected a file ending in {}", known.join(", ")))
        }
    }
}

/// The ending of a file's name in small letters, without the dot.
pub fn ending(path: &Path) -> String {
    path.extension().map_or(String::new(), |ending| ending.to_string_lossy().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_ranges_include_both_ends_and_may_be_open() {
        let within = |text: &str, count| FrameRange::from_str(text).unwrap().within(count);
        assert_eq!(within("2..4", 10), Some(2..=4));
        assert_eq!(within("8..", 10), Some(8..=9));
        assert_eq!(within("..3", 10), Some(0..=3));
        assert_eq!(within("20..80", 10), None);
        assert_eq!(FrameRange::ALL.within(0), None);
        for wrong in ["", "5", "4..2", "a..b", "-1..3", "1...3"] {
            assert!(FrameRange::from_str(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_two_numbers_of_pixels() {
        assert_eq!("640x480".parse(), Ok(Size { width: 640, height: 480 }));
        for wrong in ["640", "0x480", "640x", "x", "99999x2", "-1x5", "1e3x2"] {
            assert!(Size::from_str(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn outputs_are_known_by_their_ending() {
        let picture = output(&["png", "gif"]);
        assert!(picture("a/b.PNG").is_ok());
        assert_eq!(picture("b.bmp").unwrap_err(), "expected a file ending in .png, .gif");
    }
}
