//! `pliant lips train`: a model from a few corrected frames.

use std::path::PathBuf;

use clap::Args;
use pliant::lips::RegressionOptions;
use pliant::project::lips::{Training, TrainingStart};

use super::region::NeutralArguments;
use crate::arguments::{Options, Reading, output};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::watched;

/// Train a lip model from a few corrected frames
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant lips train --rest rest.obj --capture capture.pc2 --corrected \"fix/*.obj\" \
    --inner inner.txt --mouth mouth.txt --out mouth.lips\n  \
    pliant lips train --model mouth.lips --capture capture.pc2 --corrected fix/0137.obj --out mouth.lips")]
pub struct Arguments {
    #[command(flatten)]
    neutral: NeutralArguments,
    /// Lip model to add corrected frames to; its regions are kept
    #[arg(long, value_name = "FILE.lips", conflicts_with_all = ["rest", "inner", "mouth", "lips", "rigid", "ridge", "truncation"])]
    model: Option<PathBuf>,
    /// Captured animation
    #[arg(long = "capture", visible_alias = "frames", value_name = "CAPTURE")]
    frames: String,
    /// Meshes of corrected frames; the last number in a file name is the frame, from 0
    #[arg(long, value_name = "FILES", required = true, num_args = 1..)]
    corrected: Vec<String>,
    /// Regularisation: 0 reproduces the corrected frames, 0.001 averages contradictions
    #[arg(long, value_name = "LAMBDA", default_value_t = 0.0)]
    ridge: f64,
    /// Relative singular value below which directions of the corrected frames are ignored
    #[arg(long, value_name = "PART", default_value_t = 1e-6)]
    truncation: f64,
    /// Learn from the corrected frames alone, without the capture, as in the paper
    #[arg(long, conflicts_with = "model")]
    plain: bool,
    /// Lip model to write
    #[arg(long, short, value_name = "FILE.lips", value_parser = output(&["lips"]))]
    out: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { neutral, model, frames, corrected, ridge, truncation, plain, out, reading } =
        arguments;
    let from = match model {
        Some(model) => TrainingStart::Model(model),
        None if neutral.rest.is_none() => {
            let sentence = "expected --rest, the neutral mesh, or --model to add to";
            return Err(Failure::usage(sentence));
        }
        None => {
            let regression = RegressionOptions { ridge, truncation };
            TrainingStart::Neutral { neutral: neutral.neutral()?, regression, plain }
        }
    };
    let reading = reading.options();
    let training = Training { from, capture: frames, reading, corrected, output: out };
    let report = watched(options, |watch| training.run(options.threads(), watch))??;
    if !options.quiet {
        let [mouth, inner] = report.triangles;
        report::say(&format!(
            "wrote {}: {} corrected frames that show {} ways to move, {mouth} triangles of the \
             mouth and {inner} of the inner lip, trained in {:.3} s",
            training.output.display(),
            report.samples,
            report.rank,
            report.seconds,
        ));
    }
    next_step::suggest(Output::LipModel(&training.output), options);
    Ok(())
}
