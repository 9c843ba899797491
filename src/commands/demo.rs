//! `pliant demo`: a built-in scene from end to end, with pictures.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pliant::enrich::Project;
use pliant::io::atomic::write_whole;
use pliant::project::demo::{self, Demo, DemoError, ProjectDemo, face_show, scene_show};
use pliant::project::{ProjectError, Settings};

use crate::arguments::{Options, Resuming};
use crate::commands::{enrich, render};
use crate::failure::Failure;
use crate::report;
use crate::work::{RESUME, finished, watched};

/// Run a built-in scene: animation, metrics, plot, filmstrip
#[derive(Args)]
#[command(after_help = "Example:\n  pliant demo\n  pliant demo flag --out flag")]
pub struct Arguments {
    /// The scene [default: the flagship], or a scene file with a table `[demo]`
    name: Option<String>,
    /// Name the scenes there are
    #[arg(long)]
    list: bool,
    /// The directory to write into [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Make no film: a filmstrip and plots only, in half of the time
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
    Ok(())
}

/// A demo that is built in, or a file.
fn find(name: &str) -> Result<Demo, Failure> {
    if let Some(demo) = demo::find(name) {
        return demo.map_err(wrong);
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|ending| ending != "toml") {
        let all = demo::face_names().chain(demo::names()).chain(demo::project_names());
        let known = all.collect::<Vec<&str>>().join(", ");
        return Err(Failure::usage(format!(
            "there is no demo `{name}`, expected a file that ends in .toml, or one of {known}"
        )));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
    let name = path.file_stem().map_or("demo".into(), |stem| stem.to_string_lossy());
    Demo::parse(&name, &text).map_err(|error| Failure::about(path, error))
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
    let others = enrich::enrich_demo(&file, &out, demo.look, picture, (settings, options))?;
    if !still {
        let film = folder.join("animation.gif");
        let mut shown = vec![input, out.display().to_string()];
        shown.extend(others.iter().map(|path| path.display().to_string()));
        render::run(render::Arguments::film(shown, &film), options)?;
    }
    Ok(())
}

fn wrong(error: DemoError) -> Failure {
    ProjectError::from(error).into()
}
