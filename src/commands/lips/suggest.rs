//! `pliant lips suggest`: which frames to correct, before any is.

use clap::Args;
use pliant::lips::{LipModel, RegressionOptions, Suggester, Suggestion};
use pliant::math::team::Team;
use serde_json::json;

use super::region::{Neutral, check_capture, mesh};
use crate::animation::Source;
use crate::arguments::{Options, Reading};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// List the frames that are most worth correcting
#[derive(Args)]
#[command(after_help = "Example:\n  \
    pliant lips suggest --rest rest.obj --capture capture.pc2 --inner inner.txt --mouth mouth.txt --count 10")]
pub struct Arguments {
    #[command(flatten)]
    neutral: Neutral,
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
    interrupt::listen()?;
    let Some(rest) = &arguments.neutral.rest else {
        return Err(Failure::usage("expected --rest, the neutral mesh"));
    };
    let rest = mesh(rest, &arguments.reading)?.0;
    let mut capture = Source::open(&arguments.frames, arguments.reading.options())?;
    capture.remark(options);
    let mut model = arguments.neutral.model(&rest, RegressionOptions::default(), options)?;
    check_capture(&capture, &arguments.frames, &model)?;
    let count = usize::from(arguments.count).min(capture.frames());
    let found = suggest(&mut model, count, options, capture.frames(), |frame| capture.frame(frame))?;
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

/// So many frames, each with most that is new after those before it. The model is taught them as
/// they were captured.
pub fn suggest(
    model: &mut LipModel,
    count: usize,
    options: &Options,
    frames: usize,
    mut read: impl FnMut(usize) -> Result<Vec<glam::DVec3>, Failure>,
) -> Result<Vec<Suggestion>, Failure> {
    let team = Team::new(options.threads());
    let progress = Progress::start(options, "frames", (count * frames) as u64);
    let mut found: Vec<Suggestion> = Vec::new();
    for pass in 0..count {
        let (mut suggester, mut work) = (Suggester::default(), model.workspace(team.size()));
        for frame in 0..frames {
            if interrupt::asked() {
                return Err(Failure::interrupted("stopped by Ctrl-C"));
            }
            suggester.watch(frame, &model.look(&read(frame)?, &mut work, &team));
            progress.at((pass * frames + frame + 1) as u64);
        }
        let Some(next) = suggester.suggestion() else { break };
        if found.iter().any(|known| known.frame == next.frame) || next.score <= 0.0 {
            break;
        }
        let captured = read(next.frame)?;
        model.add(next.frame, &captured, &captured).map_err(|e| Failure::new(e.to_string()))?;
        found.push(next);
    }
    Ok(found)
}
