//! `pliant simulate`: a scene file, run.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::io::atomic::refuse_overwriting;
use pliant::model::scene::SceneFile;
use pliant::run::outputs;

use crate::arguments::Options;
use crate::failure::Failure;
use crate::runner::{SceneFiles, simulate};

/// Simulate a scene file
#[derive(Args)]
#[command(after_help = "Example:\n  pliant simulate scene.toml --out run\n  \
    pliant simulate scene.toml --out run --resume")]
pub struct Arguments {
    /// The scene
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// The directory to write metrics.csv, summary.json, rest.obj and animation.pc2 into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Go on from where an earlier run into the same directory was stopped or killed
    #[arg(long)]
    resume: bool,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let path = &arguments.scene;
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
    let scene = SceneFile::parse(&text).map_err(|error| Failure::about(path, error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files = SceneFiles::within(folder);
    let model = pliant::model::Model::from_scene(&scene, &mut files)
        .map_err(|error| Failure::about(path, error))?;
    let inputs: Vec<&Path> = files.read().chain([path.as_path()]).collect();
    for output in outputs(&arguments.out) {
        refuse_overwriting(&output, &inputs)?;
    }
    files.remark_notes(options);
    simulate(&scene, &model, &arguments.out, arguments.resume, options)?;
    Ok(())
}
