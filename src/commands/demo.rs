//! `pliant demo`: a built-in scene from end to end, with pictures.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pliant::enrich::Project;
use pliant::io::atomic::write_whole;
use pliant::model::words::nearest;
use pliant::project::demo::{self, Demo, DemoError, ProjectDemo, face_show, scene_show};
use pliant::project::{ProjectError, Settings};
use pliant::scene::SceneFile;

use crate::arguments::{Options, Resuming};
use crate::commands::{enrich, render};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::{RESUME, finished, watched};

/// Run a built-in demo or a scene file: animation, metrics, plot and filmstrip
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant demo\n  pliant demo flag --out flag\n  \
    pliant demo scene.toml --still")]
pub struct Arguments {
    /// Name of a demo, or any scene file [default: gust, a face in the wind]
    #[arg(value_name = "NAME|SCENE.toml")]
    name: Option<String>,
    /// List the built-in demos
    #[arg(long)]
    list: bool,
    /// Folder to write into [default: out/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the filmstrip and the plots without the film, in half the time
    #[arg(long)]
    still: bool,
    #[command(flatten)]
    resuming: Resuming,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    if arguments.list {
        return list();
    }
    let flagship = demo::face_names().next().unwrap_or_default();
    let name = arguments.name.as_deref().unwrap_or(flagship);
    let out = |name: &str| arguments.out.clone().unwrap_or_else(|| Path::new("out").join(name));
    let (settings, still) = (arguments.resuming.settings(options), arguments.still);
    if let Some(demo) = demo::project(name) {
        return enriched(name, demo.map_err(wrong)?, &out(name), still, (&settings, options));
    }
    if let Some(demo) = demo::face(name) {
        let (demo, folder) = (demo.map_err(wrong)?, out(name));
        let outcome =
            watched(options, |watch| face_show::run(&demo, &folder, still, &settings, watch))??;
        let sentences = finished(outcome, &folder, RESUME)?;
        if !options.quiet {
            sentences.iter().for_each(|sentence| report::say(sentence));
            report::say(&format!("wrote filmstrip.png into {}", folder.display()));
        }
        next_step::suggest(Output::Picture(&shown(&folder, still)), options);
        return Ok(());
    }
    let demo = find(name)?;
    let folder = out(&demo.name);
    let outcome =
        watched(options, |watch| scene_show::run(&demo, &folder, still, &settings, watch))??;
    finished(outcome, &folder, RESUME)?;
    if !options.quiet {
        let film = if still { "" } else { " animation.gif," };
        let place = folder.display();
        report::say(&format!("wrote filmstrip.png,{film} plot.png and plot.svg into {place}"));
    }
    next_step::suggest(Output::Picture(&shown(&folder, still)), options);
    Ok(())
}

/// The picture of a demo to look at first.
fn shown(folder: &Path, still: bool) -> PathBuf {
    folder.join(if still { "filmstrip.png" } else { "animation.gif" })
}

/// A built-in demo, or the scene in a file.
fn find(name: &str) -> Result<Demo, Failure> {
    if let Some(demo) = demo::find(name) {
        return demo.map_err(wrong);
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|ending| ending != "toml") {
        let all: Vec<&str> =
            demo::face_names().chain(demo::names()).chain(demo::project_names()).collect();
        let hint = match nearest(name, &all) {
            Some(near) => format!("did you mean `{near}`? `pliant demo --list` names them all"),
            None => "expected a scene file (.toml), or a name that `pliant demo --list` shows".into(),
        };
        return Err(Failure::usage(format!("there is no demo `{name}`: {hint}")));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
    let about = |error: &dyn std::fmt::Display| Failure::about(path, error);
    let stem = path.file_stem().map_or("demo".into(), |stem| stem.to_string_lossy());
    let demo = match Demo::parse(&stem, &text) {
        Err(DemoError::NoTable { .. }) => {
            let scene = SceneFile::parse(&text).map_err(|error| about(&error))?;
            Demo::of_scene(&stem, &scene, &text)
        }
        other => other,
    }
    .map_err(|error| about(&error))?;
    // Files that the scene names are in its folder, not in the one that the command runs in.
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = std::path::absolute(folder.join(".")).map_err(|error| about(&error))?;
    Ok(demo.within(&folder.to_string_lossy()))
}

fn list() -> Result<(), Failure> {
    let line = |name: &str, about: &str, figure: &str| {
        let source = if figure.is_empty() { String::new() } else { format!(" ({figure})") };
        report::say(&format!("{name:12} {about}{source}"));
    };
    for name in demo::face_names() {
        if let Some(demo) = demo::face(name) {
            let show = demo.map_err(wrong)?.show;
            line(name, &show.about, &show.figure);
        }
    }
    for name in demo::names() {
        if let Some(demo) = demo::find(name) {
            let Demo { about, figure, .. } = demo.map_err(wrong)?;
            line(name, &about, &figure);
        }
    }
    for name in demo::project_names() {
        if let Some(demo) = demo::project(name) {
            report::say(&format!("{name:12} {}", demo.map_err(wrong)?.about));
        }
    }
    Ok(())
}

/// Enriches an animation, with the project file beside the result.
fn enriched(
    name: &str,
    demo: ProjectDemo,
    folder: &Path,
    still: bool,
    (settings, options): (&Settings, &Options),
) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::about(folder, error))?;
    let file = folder.join("project.toml");
    write_whole(&file, demo.text.as_bytes())?;
    let input = Project::parse(demo.text).map_err(|error| Failure::about(&file, error))?.input;
    let out = folder.join(format!("{name}.glb"));
    let picture = folder.join("filmstrip.png");
    let others = enrich::enrich_demo(&file, &out, demo.look, &picture, (settings, options))?;
    if still {
        next_step::suggest(Output::Picture(&picture), options);
        return Ok(());
    }
    let mut animations = vec![input, out.display().to_string()];
    animations.extend(others.iter().map(|path| path.display().to_string()));
    render::run(render::Arguments::film(animations, &shown(folder, still)), options)
}

fn wrong(error: DemoError) -> Failure {
    ProjectError::from(error).into()
}
