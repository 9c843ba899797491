//! `pliant simulate`: a scene file, run.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use pliant::io::Format;
use pliant::project::scene::Summary;
use pliant::project::{Outcome, Project, SceneProject};

use crate::arguments::{Options, Resuming};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::{RESUME, finished, watched};

/// Simulate a scene file
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant simulate scene.toml --out run\n  \
    pliant simulate scene.toml --out run --format glb\n  \
    pliant simulate scene.toml --out run --resume")]
pub struct Arguments {
    /// Scene file
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// Folder for metrics.csv, summary.json, rest.obj, animation.pc2 and a copy of the scene
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Also write the animation in this format: one file (glb, gltf, usda, mdd), or one mesh per
    /// frame in the folder frames/
    #[arg(long, value_name = "FORMAT", default_value = "pc2", value_parser = PossibleValuesParser::new(formats()))]
    format: String,
    /// Replace a finished run of another scene in the folder
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    resuming: Resuming,
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
    let mut project = SceneProject::open(&arguments.scene, &arguments.out)?;
    project.animation = second_output(&arguments.out, &arguments.format);
    project.overwrite = arguments.overwrite;
    let settings = arguments.resuming.settings(options);
    let outcome = watched(options, |watch| project.drive(&settings, watch))??;
    let already = matches!(outcome, Outcome::AlreadyFinished(_));
    let summary = finished(outcome, &arguments.out, RESUME)?;
    if !options.quiet {
        let already = if already { "already finished; " } else { "" };
        report::say(&format!("{already}{}", closing_line(&summary, &arguments.out)));
    }
    next_step::suggest(Output::Animation(&arguments.out), options);
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
