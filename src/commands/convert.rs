//! `pliant convert`: meshes and animations from one format into another.

use std::path::PathBuf;

use clap::Args;
use pliant::project::source::{Source, convert};

use crate::arguments::{FrameRange, Options, Reading};
use crate::failure::Failure;
use crate::report;
use crate::work::{finished, watched};

/// Convert a mesh or an animation into another format
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant convert walk.glb walk.pc2 --clip Walk --fps 25\n  \
    pliant convert rest.obj+walk.pc2 walk.usda --frames 20..80\n  \
    pliant convert \"frames/*.obj\" walk.glb\n  \
    pliant convert walk.usda \"frames/*.ply\"\n  \
    pliant convert scan.stl scan.obj --unit mm")]
pub struct Arguments {
    /// A mesh or an animation: a file, a quoted glob of frames, rest.obj+cache.pc2, or the
    /// directory of a run
    #[arg(value_name = "IN")]
    input: String,
    /// The file to write; its ending is the format. A * in the name makes a file per frame
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Frames A to B, both included; either may be left out
    #[arg(long, value_name = "A..B")]
    frames: Option<FrameRange>,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let mut source = Source::open(&arguments.input, arguments.reading.options())?;
    let (frames, fps) = (arguments.frames.unwrap_or(FrameRange::ALL), source.fps());
    let outcome = watched(options, |watch| {
        source.report(watch);
        convert(&mut source, frames, fps, &arguments.output, watch)
    })??;
    let files = finished(outcome, &arguments.output, "")?;
    if !options.quiet {
        let out = arguments.output.display();
        report::say(&match files {
            1 => format!("wrote {out}"),
            _ => format!("wrote {out}, {files} files"),
        });
    }
    Ok(())
}
