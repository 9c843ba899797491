//! `pliant simulate`: a scene file, run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use pliant::io::atomic::refuse_overwriting;
use pliant::io::{AnimationOptions, AnimationWriter, Format};
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
    /// The scene
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// The directory to write metrics.csv, summary.json, rest.obj and animation.pc2 into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write the animation in this format, too: glb, gltf, usda or mdd in one file, or a mesh per
    /// frame in a folder of its own
    #[arg(long, value_name = "FORMAT", default_value = "pc2", value_parser = PossibleValuesParser::new(formats()))]
    format: String,
    /// Go on from where an earlier run into the same directory was stopped or killed
    #[arg(long)]
    resume: bool,
    /// Seconds between the places that --resume can go on from after a kill; 0 for every frame
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    checkpoint: Duration,
}

/// Endings of the formats of animations, then of those of surfaces, with a file per frame.
fn formats() -> impl Iterator<Item = &'static str> {
    let of = |is_animation: bool| {
        let surfaces = Format::ALL.iter().filter(|format| !format.holds_tets());
        surfaces.filter(move |format| format.holds_animation() == is_animation)
    };
    of(true).chain(of(false)).flat_map(|format| format.written_endings()).copied()
}

/// Path of the animation beside `animation.pc2`, from which runs are resumed.
fn second_output(directory: &Path, ending: &str) -> Option<PathBuf> {
    let file = Path::new("animation").with_extension(ending);
    match Format::of(&file)? {
        Format::Pc2 => None,
        format if format.holds_animation() => Some(directory.join(file)),
        _ => Some(directory.join("frames").join("*").with_extension(ending)),
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
