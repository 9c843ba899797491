//! `pliant convert`: meshes and animations from one format into another.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::project::source::{Source, convert};

use crate::arguments::{FrameRange, Options, Reading, animation_output};
use crate::failure::Failure;
use crate::next_step::{self, Output};
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
    /// Mesh or animation to read: a file, a quoted glob of frames, rest.obj+cache.pc2, or a run
    /// directory
    #[arg(value_name = "IN")]
    input: String,
    /// File to write; its ending sets the format. A * in the name writes one file per frame
    #[arg(value_name = "OUT", value_parser = animation_output)]
    output: PathBuf,
    /// Frames A to B, counted from 0, both included; A or B may be left out
    #[arg(long, visible_alias = "range", value_name = "A..B")]
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
    next_step::suggest(output_of(&source, frames, &arguments.output), options);
    Ok(())
}

/// A mesh where one frame was written, else an animation.
fn output_of<'a>(source: &Source, frames: FrameRange, out: &'a Path) -> Output<'a> {
    match frames.within(source.frames()) {
        Some(range) if range.start() == range.end() => Output::Mesh(out),
        _ => Output::Animation(out),
    }
}
