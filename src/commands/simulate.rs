//! `pliant simulate`: a scene file, run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pliant::io::atomic::refuse_overwriting;
use pliant::io::{AnimationOptions, AnimationWriter};
use pliant::scene::SceneFile;
use pliant::run::{RunOptions, Shown, outputs};

use crate::animation::{Source, convert};
use crate::arguments::{FrameRange, Options, seconds};
use crate::failure::Failure;
use crate::runner::{SceneFiles, simulate};

/// Simulate a scene file
#[derive(Args)]
#[command(after_help = "Example:\n  pliant simulate scene.toml --out run\n  \
    pliant simulate scene.toml --out run --format glb\n  \
    pliant simulate scene.toml --out run --resume")]
pub struct Arguments {
    /// Scene file
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// Folder for metrics.csv, summary.json, rest.obj and animation.pc2
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Also write the animation in this format: one file (glb, gltf, usda, mdd), or one mesh per
    /// frame in the folder frames/
    #[arg(long, value_name = "FORMAT", default_value = "pc2", value_parser = FORMATS)]
    format: String,
    /// Continue where an earlier run into the same folder was stopped or killed
    #[arg(long)]
    resume: bool,
    /// Seconds between checkpoints, from which --resume continues after a kill; 0: every frame
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    checkpoint: Duration,
}

/// Formats that hold an animation, and those of which there is a file per frame.
const FORMATS: [&str; 9] = ["pc2", "mdd", "glb", "gltf", "usda", "obj", "ply", "off", "stl"];

/// Where the animation goes besides `animation.pc2`, which runs are resumed from.
fn second_output(directory: &Path, format: &str) -> Option<PathBuf> {
    match format {
        "pc2" => None,
        "mdd" | "glb" | "gltf" | "usda" => Some(directory.join(format!("animation.{format}"))),
        _ => Some(directory.join("frames").join(format!("*.{format}"))),
    }
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let path = &arguments.scene;
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
    let scene = SceneFile::parse(&text).map_err(|error| Failure::about(path, error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files = SceneFiles::within(folder);
    let model = scene.build(&mut files).map_err(|error| Failure::about(path, error))?;
    let inputs: Vec<&Path> = files.read().chain([path.as_path()]).collect();
    let second = second_output(&arguments.out, &arguments.format);
    let frames = scene.frames as usize + 1;
    let more = second.iter().flat_map(|path| AnimationWriter::outputs(path, frames));
    for output in outputs(&arguments.out).into_iter().chain(more) {
        refuse_overwriting(&output, &inputs)?;
    }
    files.remark_notes(options);
    let run_options = RunOptions {
        resume: arguments.resume,
        checkpoint_every: arguments.checkpoint,
        ..RunOptions::new(options.threads())
    };
    simulate(&scene, &model, &arguments.out, run_options, options)?;
    if let Some(second) = second {
        let run = arguments.out.to_string_lossy();
        let source = Source::open(&run, AnimationOptions::default())?;
        let mut source = source.of_mesh(Shown::of(&model).rest().clone());
        convert(&mut source, FrameRange::ALL, scene.fps, &second, options)?;
    }
    Ok(())
}
