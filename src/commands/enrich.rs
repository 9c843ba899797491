//! `pliant enrich`: physics for a finished animation.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::project::demo::Look;
use pliant::project::enrichment::EnrichmentReport;
use pliant::project::{EnrichmentProject, Project, Settings};

use crate::arguments::{
    FrameRange, Options, Reading, Resuming, animation_output, output, positive,
};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::{RESUME, finished, watched};

/// Add physics to a finished animation: weight, swing and contact
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant enrich walk.glb --out walk_soft.glb\n  \
    pliant enrich puppet:elephant --out elephant.glb --picture elephant.png\n  \
    pliant enrich rest.obj+run.pc2 --out run_soft.usda --young 2e4\n  \
    pliant enrich walk.toml --out look.pc2 --preview")]
pub struct Arguments {
    /// Animation (a file, a quoted glob of frames, or rest.obj+cache.pc2) or enrich project
    #[arg(value_name = "ANIM|PROJECT.toml")]
    input: String,
    /// Animation to write; its ending sets the format
    #[arg(long, short, value_name = "FILE", value_parser = animation_output)]
    out: PathBuf,
    /// Cells along the longest side [default: 40, or fewer for compact bodies]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=1000))]
    resolution: Option<u32>,
    /// Half the resolution, for a first look
    #[arg(long)]
    preview: bool,
    /// Young's modulus in pascals; softer bodies move more [default: 2e4 per metre of size]
    #[arg(long, value_name = "PA", value_parser = positive)]
    young: Option<f64>,
    /// Weight of strain in the fit [default: chosen for the input, see the report]
    #[arg(long, value_name = "GAMMA", value_parser = positive)]
    gamma: Option<f64>,
    /// Treat the animation as a loop: the last frame leads into the first
    #[arg(long = "loop")]
    is_loop: bool,
    #[command(flatten)]
    resuming: Resuming,
    /// Write a picture of some frames: the input above the result
    #[arg(long, value_name = "FILE.png", value_parser = output(&["png"]))]
    picture: Option<PathBuf>,
    /// Frames A to B, counted from 0, both included; A or B may be left out
    #[arg(long, visible_alias = "range", value_name = "A..B")]
    frames: Option<FrameRange>,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let mut project = EnrichmentProject::open(&arguments.input, &arguments.out)?;
    let values = &mut project.values;
    values.resolution = arguments.resolution.or(values.resolution);
    values.young = arguments.young.or(values.young);
    values.gamma = arguments.gamma.or(values.gamma);
    values.is_loop |= arguments.is_loop;
    project.frames = arguments.frames.unwrap_or(FrameRange::ALL);
    project.reading = arguments.reading.options();
    project.preview = arguments.preview;
    project.picture = arguments.picture;
    enrich(&project, &arguments.resuming.settings(options), options)?;
    next_step::suggest(Output::Animation(&arguments.out), options);
    Ok(())
}

/// Enriches a built-in project, with a picture; returns the files of what it is compared with.
pub fn enrich_demo(
    file: &Path,
    out: &Path,
    look: Look,
    picture: &Path,
    (settings, options): (&Settings, &Options),
) -> Result<Vec<PathBuf>, Failure> {
    let mut project = EnrichmentProject::open(&file.to_string_lossy(), out)?;
    let frames = look.frames.as_deref().and_then(|frames| frames.parse().ok());
    project.frames = frames.unwrap_or(FrameRange::ALL);
    (project.look, project.picture) = (look, Some(picture.to_owned()));
    let report = enrich(&project, settings, options)?;
    Ok(report.comparisons.into_iter().map(|(path, _)| path).collect())
}

fn enrich(
    project: &EnrichmentProject,
    settings: &Settings,
    options: &Options,
) -> Result<EnrichmentReport, Failure> {
    let outcome = watched(options, |watch| project.drive(settings, watch))??;
    let report = finished(outcome, &project.output, RESUME)?;
    if !options.quiet {
        report.warnings.iter().for_each(|w| report::remark(&format!("warning: {w}")));
        report.comparisons.iter().for_each(|(_, sentence)| report::say(sentence));
        report::say(&closing_line(&project.output, &report));
    }
    Ok(report)
}

fn closing_line(out: &Path, report: &EnrichmentReport) -> String {
    let [fit, simulation] = report.ms_per_frame;
    format!(
        "wrote {}: {} frames, {} tets, moved up to {:.1} % of its size, {fit:.0} + {simulation:.0} \
         ms per frame, {:.1} s in all",
        out.display(),
        report.frames,
        report.tets,
        100.0 * report.most_motion,
        report.seconds,
    )
}
