//! `pliant lips demo`: a talking mouth with all that the other commands need, and pictures.

use std::path::PathBuf;

use clap::Args;
use pliant::lips::performance::FRAMES;
use pliant::project::demo::lips;

use crate::arguments::Options;
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::watched;

/// Write a sample capture with damaged lips, and some corrected frames of it
#[derive(Args)]
#[command(after_help = "Example:\n  pliant lips demo --out lips")]
pub struct Arguments {
    /// Folder to write into
    #[arg(long, short, value_name = "DIR", default_value = "lips")]
    out: PathBuf,
    /// Number of vertices around the mouth; 128 give 13,000 triangles
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u16).range(32..=1024))]
    around: u16,
    /// Number of frames to correct
    #[arg(long = "count", alias = "corrected", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=40))]
    corrected: u16,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let folder = &arguments.out;
    let counts = (usize::from(arguments.around), usize::from(arguments.corrected));
    let corrected =
        watched(options, |watch| lips::run(folder, counts, options.threads(), watch))??;
    if !options.quiet {
        let list: Vec<String> = corrected.iter().map(usize::to_string).collect();
        report::say(&format!(
            "wrote {}: {FRAMES} captured frames, {} of them corrected ({}), the truth, regions, a \
             camera and a contour; filmstrip.png and errors.png show the corrected frames, \
             sketch.png the contour",
            folder.display(),
            corrected.len(),
            list.join(", ")
        ));
    }
    next_step::suggest(Output::LipSample(folder), options);
    Ok(())
}
