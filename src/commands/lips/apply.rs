//! `pliant lips apply`: a whole performance, corrected.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::project::lips::CorrectionReport;
use pliant::project::{CorrectionProject, Project};

use crate::arguments::{FrameRange, Options, Reading, Resuming, positive};
use crate::failure::Failure;
use crate::report;
use crate::work::{RESUME, finished, watched};

/// Correct a whole performance
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant lips apply mouth.lips --frames capture.pc2 --out corrected.pc2\n  \
    pliant lips apply mouth.lips --frames capture.glb --out corrected.usda --range 20..80\n  \
    pliant lips apply mouth.lips --frames capture.pc2 --out c.pc2 --truth truth.pc2 --maps \"maps/*.ply\"")]
pub struct Arguments {
    /// What `pliant lips train` wrote
    #[arg(value_name = "M.lips")]
    model: PathBuf,
    /// The captured animation
    #[arg(long, value_name = "ANIM")]
    frames: String,
    /// The corrected animation; its ending is the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Frames A to B, both included; either may be left out
    #[arg(long, value_name = "A..B")]
    range: Option<FrameRange>,
    /// What it should have become, to measure errors against
    #[arg(long, value_name = "ANIM")]
    truth: Option<String>,
    /// A mesh per frame, coloured by its error, or by how far it moved where no truth is known
    #[arg(long, value_name = "\"DIR/*.ply\"")]
    maps: Option<PathBuf>,
    /// The error at which maps are darkest, in millimetres
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
