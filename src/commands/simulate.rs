//! `pliant simulate`: a scene file, run.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant::project::scene::Summary;
use pliant::project::{Outcome, Project, SceneProject};

use crate::arguments::{Options, Resuming};
use crate::failure::Failure;
use crate::report;
use crate::work::{RESUME, finished, watched};

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
    #[arg(long, value_name = "FORMAT", default_value = "pc2", value_parser = FORMATS)]
    format: String,
    #[command(flatten)]
    resuming: Resuming,
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
    let mut project = SceneProject::open(&arguments.scene, &arguments.out)?;
    project.animation = second_output(&arguments.out, &arguments.format);
    let settings = arguments.resuming.settings(options);
    let outcome = watched(options, |watch| project.drive(&settings, watch))??;
    let already = matches!(outcome, Outcome::AlreadyFinished(_));
    let summary = finished(outcome, &arguments.out, RESUME)?;
    if !options.quiet {
        let already = if already { "already finished; " } else { "" };
        report::say(&format!("{already}{}", closing_line(&summary, &arguments.out)));
    }
    Ok(())
}

fn closing_line(summary: &Summary, folder: &Path) -> String {
    let rate = summary.ms_per_step.mean;
    format!(
        "{}: {} steps of {} vertices and {} elements, {rate:.2} ms each, in {}",
        summary.name,
        summary.steps,
        summary.vertices,
        summary.elements,
        folder.display()
    )
}
