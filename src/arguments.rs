//! Arguments that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use pliant::io::{AnimationOptions, unit_named};
use pliant::project::Settings;
pub use pliant::project::ending;
pub use pliant::project::picture::Size;
pub use pliant::project::source::FrameRange;

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
    /// Threads to use, at least one.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores)
    }
}

/// How work with snapshots is done, for every command that has such.
#[derive(Args, Clone, Copy, Debug)]
pub struct Resuming {
    /// Continue from where the same command was stopped or killed
    #[arg(long)]
    resume: bool,
    /// Seconds between snapshots, from which --resume continues after a kill; 0 for every frame
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

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("expected a number from 1 to 1024".to_owned()),
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
pub fn unit(text: &str) -> Result<f64, String> {
    unit_named(text).ok_or_else(|| "expected m, cm, mm, in or ft".to_owned())
}

/// Frames per second: a positive number.
pub fn frame_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= 1000.0 => Ok(rate),
        _ => Err("expected frames per second, more than 0 and at most 1000".to_owned()),
    }
}

/// A number above zero.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("expected a positive number".to_owned()),
    }
}

/// A duration in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds @ 0.0..=86_400.0) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("expected a number of seconds from 0 to 86400".to_owned()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_known_by_their_ending() {
        let picture = output(&["png", "gif"]);
        assert!(picture("a/b.PNG").is_ok());
        assert_eq!(picture("b.bmp").unwrap_err(), "expected a file ending in .png, .gif");
    }
}
