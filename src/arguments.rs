//! Arguments that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use pliant::io::{AnimationOptions, AnimationWriter, IoError, check_mesh_name, unit_named};
use pliant::project::Settings;
pub use pliant::project::ending;
pub use pliant::project::picture::Size;
pub use pliant::project::source::FrameRange;
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

    /// The name of an output that cannot be written. Clap puts the name before the sentence.
    fn of_name(error: IoError) -> BadValue {
        BadValue(match error {
            IoError::UnknownFormat { known, .. } => {
                format!("unknown kind of file; expected one of {known}")
            }
            IoError::Content { problem, .. } => problem,
            other => other.to_string(),
        })
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

/// How work with snapshots is done, for every command that has such.
#[derive(Args, Clone, Copy, Debug)]
pub struct Resuming {
    /// Continue where the same command was stopped or killed
    #[arg(long)]
    resume: bool,
    /// Seconds between checkpoints, from which --resume continues after a kill; 0: every frame
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    checkpoint: Duration,
}

impl Resuming {
    /// The same for the library.
    pub fn settings(&self, options: &Options) -> Settings {
        let (threads, resume) = (options.threads(), self.resume);
        Settings { threads, resume, checkpoint_every: self.checkpoint }
    }
}

fn threads(text: &str) -> Result<usize, BadValue> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err(BadValue::expected("a number from 1 to 1024")),
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
pub fn unit(text: &str) -> Result<f64, BadValue> {
    unit_named(text).ok_or_else(|| BadValue::expected("m, cm, mm, in or ft"))
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

/// The name of an animation to write, with an ending that can be written.
pub fn animation_output(text: &str) -> Result<PathBuf, BadValue> {
    let path = PathBuf::from(text);
    AnimationWriter::check_name(&path).map_err(BadValue::of_name)?;
    Ok(path)
}

/// The name of a mesh to write, with an ending that can be written.
pub fn mesh_output(text: &str) -> Result<PathBuf, BadValue> {
    let path = PathBuf::from(text);
    check_mesh_name(&path).map_err(BadValue::of_name)?;
    Ok(path)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_known_by_their_ending() {
        let picture = output(&["png", "gif"]);
        assert!(picture("a/b.PNG").is_ok());
        let error = picture("b.bmp").unwrap_err().to_string();
        assert_eq!(error, "expected a file ending in .png, .gif");
    }
}
