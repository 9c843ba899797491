//! Arguments that several commands share.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use pliant::io::{AnimationOptions, unit_named};
use thiserror::Error;

/// A value of an argument that is refused; the sentence says what was expected.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct BadValue(String);

impl BadValue {
    /// A value that is not what was `expected`.
    pub fn expected(expected: impl std::fmt::Display) -> BadValue {
        BadValue(format!("expected {expected}"))
    }
}

/// Reads a number that `is_valid`; the error says what was `expected`.
pub fn number(text: &str, is_valid: impl Fn(f64) -> bool, expected: &str) -> Result<f64, BadValue> {
    let number = text.parse().ok().filter(|number| is_valid(*number));
    number.ok_or_else(|| BadValue::expected(expected))
}

/// Reads a positive number.
pub fn positive(text: &str) -> Result<f64, BadValue> {
    number(text, |number| number > 0.0 && number.is_finite(), "a positive number")
}

/// What every command takes.
#[derive(Args, Clone, Copy, Debug)]
pub struct Options {
    /// Say nothing but errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Threads to use [default: as many as there are cores]
    #[arg(long, global = true, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
}

impl Options {
    /// So many threads, and not a word.
    pub fn quiet(threads: usize) -> Options {
        Options { quiet: true, threads: Some(threads) }
    }

    /// Threads to use, at least one.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores)
    }
}

fn threads(text: &str) -> Result<usize, BadValue> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err(BadValue::expected("a number from 1 to 1024")),
    }
}

/// How animations are read, for every command that takes one.
#[derive(Args, Clone, Debug, Default)]
pub struct Reading {
    /// Frames per second: at which glTF and USD files are sampled, and at which frames of other
    /// files follow each other [default: as the file says, else 30]
    #[arg(long, value_parser = frame_rate)]
    pub fps: Option<f64>,
    /// Which animation of a glTF file with several [default: the first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// The unit of length of the file: m, cm, mm, in or ft [default: as the file says, else m]
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
pub fn unit(text: &str) -> Result<f64, BadValue> {
    unit_named(text).ok_or_else(|| BadValue::expected("m, cm, mm, in or ft"))
}

/// `20..80`: frames from 20 to 80, both included; either end may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    first: usize,
    last: usize,
}

impl FromStr for FrameRange {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let expected = || BadValue::expected("two frame numbers such as 20..80");
        let (first, last) = text.split_once("..").ok_or_else(expected)?;
        let end = |digits: &str, open: usize| {
            if digits.is_empty() { Ok(open) } else { digits.parse().map_err(|_| expected()) }
        };
        let range = FrameRange { first: end(first, 0)?, last: end(last, usize::MAX)? };
        if range.first > range.last {
            return Err(BadValue("the first frame comes after the last one".to_owned()));
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
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let side =
            |digits: &str| digits.parse().ok().filter(|pixels| (1..=16_384).contains(pixels));
        text.split_once('x')
            .and_then(|(width, height)| Some(Size { width: side(width)?, height: side(height)? }))
            .ok_or_else(|| BadValue::expected("a size in pixels such as 1280x720"))
    }
}

/// Frames per second: a positive number.
pub fn frame_rate(text: &str) -> Result<f64, BadValue> {
    let expected = "frames per second, more than 0 and at most 1000";
    number(text, |rate| rate > 0.0 && rate <= 1000.0, expected)
}

/// A duration in seconds.
pub fn seconds(text: &str) -> Result<Duration, BadValue> {
    let expected = "a number of seconds from 0 to 86400";
    number(text, |seconds| (0.0..=86_400.0).contains(&seconds), expected)
        .map(Duration::from_secs_f64)
}

/// An output file whose ending is one of those known.
pub fn output(
    endings: &'static [&'static str],
) -> impl Fn(&str) -> Result<PathBuf, BadValue> + Clone {
    move |text| {
        let path = PathBuf::from(text);
        if endings.contains(&ending(&path).as_str()) {
            Ok(path)
        } else {
            let known: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
            Err(BadValue::expected(format_args!("a file ending in {}", known.join(", "))))
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
        let error = picture("b.bmp").unwrap_err().to_string();
        assert_eq!(error, "expected a file ending in .png, .gif");
    }
}
