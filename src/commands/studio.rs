//! `pliant studio`: the interactive page.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use pliant::project::{ProjectError, demo};
use pliant::project::source::{PUPPET, Source};
use pliant::io::AnimationOptions;
use pliant_studio::{Library, Made, SceneEntry, Studio, StudioError, StudioOptions, missing};

use crate::arguments::Options;
use crate::failure::Failure;
use crate::interrupt;
use crate::report;

/// Open the interactive page in a browser: scenes, animations, faces and lips
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant studio\n  pliant studio scene.toml\n  \
    pliant studio head.face --port 8080 --no-open\n\n\
    The server accepts this machine only, at an address with a random token, until Ctrl-C.\n\
    The page can read only files in the folder of FILE.")]
pub struct Arguments {
    /// Scene, animation, enrich project or face to open, or a folder of them
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Port of the page; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Address of the page; an address of the network admits everyone who has the token
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    host: IpAddr,
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
}

/// How often to look whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(100);

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let Arguments { file, port, host, no_open } = arguments;
    interrupt::listen()?;
    // A fault of a place is told on its page; the other places go on.
    std::panic::set_hook(Box::new(|_| {}));
    let threads = options.threads();
    let library = Library { scenes: scenes()?, projects: projects()?, puppets: Some(puppet) };
    let studio = Studio::open(StudioOptions { file, host, port, threads, library })
        .map_err(|error| Failure::new(error.to_string()))?;
    let url = studio.url();
    report::say(&url);
    match missing() {
        Some(sentence) => report::remark(&format!("note: {sentence}")),
        None if !no_open => open_browser(&url),
        None => {}
    }
    if !options.quiet {
        report::remark("the studio is open at the address above; Ctrl-C closes it");
    }
    while !interrupt::asked() {
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// The built-in scenes, with the methods that they compare.
fn scenes() -> Result<Vec<SceneEntry>, Failure> {
    let mut scenes = Vec::new();
    for name in demo::names() {
        let Some(demo) = demo::find(name) else { continue };
        let demo = demo.map_err(ProjectError::from)?;
        let mut variants = Vec::new();
        for variant in &demo.variants {
            variants.push((variant.label.clone(), demo.scene_of(variant).map_err(ProjectError::from)?));
        }
        scenes.push(SceneEntry { name: demo.name, about: demo.about, variants });
    }
    Ok(scenes)
}

/// The built-in animations that can be enriched.
fn projects() -> Result<Vec<(String, String)>, Failure> {
    let mut projects = Vec::new();
    for name in demo::project_names() {
        let Some(demo) = demo::project(name) else { continue };
        let demo = demo.map_err(ProjectError::from)?;
        projects.push((name.to_owned(), demo.text.to_owned()));
    }
    Ok(projects)
}

/// What `puppet:NAME` stands for.
fn puppet(written: &str, fps: Option<f64>) -> Option<Result<Made, StudioError>> {
    if !written.starts_with(PUPPET) {
        return None;
    }
    let options = AnimationOptions { fps, ..AnimationOptions::default() };
    let read = || -> Result<Made, ProjectError> {
        let mut source = Source::open(written, options)?;
        let frames = (0..source.frames()).map(|k| source.frame(k)).collect::<Result<_, _>>()?;
        Ok(Made { loaded: source.loaded().clone(), fps: source.fps(), frames })
    };
    Some(read().map_err(|error| StudioError::refused(error.to_string())))
}

/// By whatever the system opens addresses with; where there is nothing, the address has been printed.
fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    let _ = command.arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
