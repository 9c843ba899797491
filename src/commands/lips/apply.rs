//! `pliant lips apply`: a whole performance, corrected.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::project::lips::CorrectionReport;
use pliant::project::{CorrectionProject, Project};

use crate::arguments::{FrameRange, Options, Reading, Resuming, animation_output, positive};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::{RESUME, finished, watched};

/// Correct the lips in all frames of a captured animation
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant lips apply mouth.lips --capture capture.pc2 --out corrected.pc2\n  \
    pliant lips apply mouth.lips --capture capture.glb --out corrected.usda --range 20..80\n  \
    pliant lips apply mouth.lips --capture capture.pc2 --out c.pc2 --truth truth.pc2 --maps \"maps/*.ply\"")]
pub struct Arguments {
    /// Lip model that `pliant lips train` wrote
    #[arg(value_name = "FILE.lips")]
    model: PathBuf,
    /// Captured animation
    #[arg(long = "capture", visible_alias = "frames", value_name = "CAPTURE")]
    frames: String,
    /// Corrected animation to write; its ending sets the format
    #[arg(long, short, value_name = "FILE", value_parser = animation_output)]
    out: PathBuf,
    /// Frames A to B, counted from 0, both included; A or B may be left out
    #[arg(long, value_name = "A..B")]
    range: Option<FrameRange>,
    /// True animation, to measure errors against
    #[arg(long, value_name = "ANIM")]
    truth: Option<String>,
    /// Write one mesh per frame, coloured by its error, or without --truth by its displacement
    #[arg(long, value_name = "\"DIR/*.ply\"")]
    maps: Option<PathBuf>,
    /// Error at which the maps are darkest, in millimetres
    #[arg(long, value_name = "MM", default_value_t = 1.0, value_parser = positive)]
    map_scale: f64,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    resuming: Resuming,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let settings = arguments.resuming.settings(options);
    let project = CorrectionProject {
        reading: arguments.reading.options(),
        frames: arguments.range.unwrap_or(FrameRange::ALL),
        truth: arguments.truth,
        maps: arguments.maps,
        map_scale: 1e-3 * arguments.map_scale,
        ..CorrectionProject::new(&arguments.model, &arguments.frames, &arguments.out)
    };
    let outcome = watched(options, |watch| project.drive(&settings, watch))??;
    let report = finished(outcome, &arguments.out, RESUME)?;
    if !options.quiet {
        report::say(&closing_line(&arguments.out, &report));
    }
    next_step::suggest(Output::Animation(&arguments.out), options);
    Ok(())
}

fn closing_line(out: &Path, report: &CorrectionReport) -> String {
    let mut line = format!(
        "wrote {}: {} frames, {:.2} ms each, lips moved up to {:.1} mm",
        out.display(),
        report.frames,
        report.ms_per_frame,
        1e3 * report.moved
    );
    if let Some([before, after]) = report.mean_errors {
        line += &format!(", off by {:.3} mm instead of {:.3}", 1e3 * after, 1e3 * before);
    }
    if report.skipped > 0 {
        line += &format!(", {} left alone that are not finite", report.skipped);
    }
    if let Some(next) = report.suggestion.filter(|next| next.score > 0.01) {
        let (frame, part) = (next.frame, 100.0 * next.score);
        line += &format!("; next worth correcting: frame {frame} ({part:.0} % new)");
    }
    line
}
