//! `pliant lips suggest`: which frames to correct, before any is.

use clap::Args;
use pliant::lips::{RegressionOptions, Suggestion};
use pliant::project::{ProjectError, Watch};
use pliant::project::lips::{check_capture, read_mesh_in, suggest};
use pliant::project::source::Source;
use serde_json::json;

use super::region::NeutralArguments;
use crate::arguments::{Options, Reading};
use crate::failure::Failure;
use crate::report;
use crate::work::watched;

/// List the frames that are most worth correcting
#[derive(Args)]
#[command(after_help = "Example:\n  \
    pliant lips suggest --rest rest.obj --capture capture.pc2 --inner inner.txt --mouth mouth.txt --count 10")]
pub struct Arguments {
    #[command(flatten)]
    neutral: NeutralArguments,
    /// Captured animation
    #[arg(long = "capture", visible_alias = "frames", value_name = "CAPTURE")]
    frames: String,
    /// Number of frames
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    count: u16,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let neutral = arguments.neutral.neutral()?;
    let work = |watch: &mut Watch<'_>| -> Result<Vec<Suggestion>, ProjectError> {
        let rest = read_mesh_in(arguments.reading.unit, &neutral.rest)?.0;
        let mut capture = Source::open(&arguments.frames, arguments.reading.options())?;
        capture.report(watch);
        let mut model = neutral.model(&rest, RegressionOptions::default(), watch)?;
        check_capture(&capture, &model)?;
        let frames = capture.frames();
        let count = usize::from(arguments.count).min(frames);
        let read = |frame| capture.frame(frame);
        suggest(&mut model, count, frames, read, (options.threads(), watch))
    };
    let found = watched(options, work)??;
    if arguments.json {
        let list: Vec<_> =
            found.iter().map(|s| json!({ "frame": s.frame, "score": s.score })).collect();
        report::say(&json!({ "frames": list }).to_string());
    } else {
        for Suggestion { frame, score } in found {
            report::say(&format!("frame {frame} ({:.0} % of the largest deformation is new)", 100.0 * score));
        }
    }
    Ok(())
}
