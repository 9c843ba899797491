//! `pliant demo`: a built-in scene from end to end, with pictures.

mod faces;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use pliant::demos::{self, Accuracy, Demo, DemoError, ProjectDemo};
use pliant::enrich::Project;
use pliant::io::atomic::write_whole;
use pliant::scene::SceneFile;
use pliant::run::RunOptions;
use pliant::view::plot::Panel;
use pliant::view::{Bounds, Filmstrip, FilmstripRow, Picture};

use crate::arguments::{Options, Size};
use crate::commands::{enrich, render};
use crate::costume::Wardrobe;
use crate::failure::Failure;
use crate::figure::{self, Curves};
use crate::film::Film;
use crate::footage::Footage;
use crate::metrics::Metrics;
use crate::nearest::nearest;
use crate::progress::Progress;
use crate::report;
use crate::runner::{SceneFiles, simulate_until_lost};
use crate::stage::{Stage, save_png};

/// Pictures in the film, at most.
const FILM: usize = 90;

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
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    if arguments.list {
        return list();
    }
    let asked = arguments.name.as_deref();
    if let Some((name, demo)) = asked.and_then(|name| Some((name, demos::project(name)?))) {
        return enriched(name, demo.map_err(wrong)?, &arguments, options);
    }
    let flagship = demos::face_names().next().unwrap_or_default();
    let name = asked.unwrap_or(flagship);
    if let Some(demo) = demos::face(name) {
        let directory = arguments.out.unwrap_or_else(|| Path::new("out").join(name));
        return faces::run(&demo.map_err(wrong)?, &directory, arguments.still, options);
    }
    let demo = find(name)?;
    let directory = arguments.out.unwrap_or_else(|| Path::new("out").join(&demo.name));
    let mut wardrobe = Wardrobe::default();
    let (mut runs, mut curves) = (Vec::new(), Vec::new());
    for variant in &demo.variants {
        let folder = directory.join(variant.folder());
        let text = demo.scene_of(variant).map_err(wrong)?;
        runs.push(act(&demo, &variant.label, &text, &folder, &mut wardrobe, options)?);
        let metrics = Metrics::of_run(&folder, &figure::COLUMNS)?;
        curves.push(Curves { name: variant.label.clone(), metrics });
    }
    let errors = match &demo.accuracy {
        Some(accuracy) => Some(errors(&demo, accuracy, &directory, &mut wardrobe, options)?),
        None => None,
    };
    let mut show = Show { demo: &demo, runs };
    show.strip(&directory.join("filmstrip.png"), options)?;
    if !arguments.still {
        show.gif(&directory.join("animation.gif"), options)?;
    }
    let mut figure = match &demo.plot[..] {
        [] => figure::of_runs(&demo.about, &curves),
        asked => figure::of_curves(&demo.about, &curves, asked),
    };
    if let Some(errors) = errors {
        figure.panels.push(errors);
        figure.columns += 1;
    }
    figure::save(&figure, &directory.join("plot.png"))?;
    figure::save(&figure, &directory.join("plot.svg"))?;
    if !options.quiet {
        let film = if arguments.still { "" } else { " animation.gif," };
        let place = directory.display();
        report::say(&format!("wrote filmstrip.png,{film} plot.png and plot.svg into {place}"));
    }
    Ok(())
}

/// A built-in demo, or the scene in a file.
fn find(name: &str) -> Result<Demo, Failure> {
    if let Some(demo) = demos::find(name) {
        return demo.map_err(wrong);
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|ending| ending != "toml") {
        let all = demos::face_names().chain(demos::names()).chain(demos::project_names());
        let hint = match nearest(name, all) {
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
    for name in demos::face_names() {
        if let Some(demo) = demos::face(name) {
            let show = demo.map_err(wrong)?.show;
            line(name, &show.about, &show.figure);
        }
    }
    for name in demos::names() {
        if let Some(demo) = demos::find(name) {
            let Demo { about, figure, .. } = demo.map_err(wrong)?;
            line(name, &about, &figure);
        }
    }
    for name in demos::project_names() {
        if let Some(demo) = demos::project(name) {
            report::say(&format!("{name:12} {}", demo.map_err(wrong)?.about));
        }
    }
    Ok(())
}

/// Enriches an animation, with the project file beside what comes out.
fn enriched(
    name: &str,
    demo: ProjectDemo,
    arguments: &Arguments,
    options: &Options,
) -> Result<(), Failure> {
    let directory = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(name));
    fs::create_dir_all(&directory).map_err(|error| Failure::about(&directory, error))?;
    let project = directory.join("project.toml");
    write_whole(&project, demo.text.as_bytes())?;
    let input = Project::parse(demo.text).map_err(|error| Failure::about(&project, error))?.input;
    let out = directory.join(format!("{name}.glb"));
    let picture = directory.join("filmstrip.png");
    let asked = enrich::Arguments::of_project(&project, &out, &picture, demo.look);
    let others = enrich::enrich(asked, options)?;
    if !arguments.still {
        let film = directory.join("animation.gif");
        let mut shown = vec![input, out.display().to_string()];
        shown.extend(others.iter().map(|path| path.display().to_string()));
        render::run(render::Arguments::film(shown, &film), options)?;
    }
    Ok(())
}

fn wrong(error: DemoError) -> Failure {
    Failure::new(error.to_string())
}

/// Simulates a scene into a folder, with the scene file beside what comes out.
fn act(
    demo: &Demo,
    label: &str,
    text: &str,
    folder: &Path,
    wardrobe: &mut Wardrobe,
    options: &Options,
) -> Result<Footage, Failure> {
    let fail = |error: String| Failure::new(format!("demo {}: {error}", demo.name));
    let scene = SceneFile::parse(text).map_err(|error| fail(error.to_string()))?;
    let model = scene
        .build(&mut SceneFiles::within(Path::new("")))
        .map_err(|error| fail(error.to_string()))?;
    // Methods that explode are what some demos are about.
    simulate_until_lost(&scene, &model, folder, RunOptions::new(options.threads()), options)?;
    write_whole(&folder.join("scene.toml"), text.as_bytes())?;
    Footage::open(demo, label, &scene, &model, folder, wardrobe, options.threads())
}

/// How far every variant's last frame is from that of the first variant with the smallest steps.
fn errors(
    demo: &Demo,
    accuracy: &Accuracy,
    directory: &Path,
    wardrobe: &mut Wardrobe,
    options: &Options,
) -> Result<Panel, Failure> {
    let mut last_frame = |variant: &demos::Variant, substeps: u32| {
        let text = demo.scene_with_substeps(variant, substeps).map_err(wrong)?;
        let folder = directory.join(variant.folder()).join(format!("substeps-{substeps}"));
        let mut footage = act(demo, &variant.label, &text, &folder, wardrobe, options)?;
        let last = footage.frames().saturating_sub(1);
        let fps = footage.fps;
        footage.positions(last).map(|x| (x.to_vec(), fps))
    };
    let (exact, fps) = last_frame(&demo.variants[0], accuracy.reference)?;
    let mut methods = Vec::new();
    for variant in &demo.variants {
        let (mut steps, mut distances) = (Vec::new(), Vec::new());
        for &substeps in &accuracy.substeps {
            let (x, _) = last_frame(variant, substeps)?;
            let squares = x.iter().zip(&exact).map(|(a, b)| a.distance_squared(*b));
            steps.push(1.0 / (fps * f64::from(substeps)));
            distances.push(squares.sum::<f64>().sqrt());
        }
        methods.push((variant.label.clone(), steps, distances));
    }
    Ok(figure::errors(methods))
}

/// All runs of a demo, one below the other, seen by the same camera.
struct Show<'a> {
    demo: &'a Demo,
    runs: Vec<Footage>,
}

impl Show<'_> {
    fn stage(&mut self, size: Size, options: &Options) -> Result<Stage, Failure> {
        let mut framing = match self.demo.view {
            Some(direction) => Stage::framing_along(DVec3::from_array(direction), size),
            None => Stage::framing(size),
        };
        match self.demo.room {
            Some(room) => {
                framing.add(Bounds { min: room.min.into(), max: room.max.into() }.corners());
            }
            None => self.runs.iter_mut().try_for_each(|run| run.add_to(&mut framing))?,
        }
        let stage = Stage::around(&framing, size, options.threads());
        let floor = self.runs.iter().find_map(|run| run.floor);
        Ok(floor.map_or(stage, |height| stage.with_floor(height)))
    }

    fn frames(&self) -> usize {
        self.runs.iter().map(Footage::frames).max().unwrap_or(0)
    }

    fn fps(&self) -> f64 {
        self.runs.first().map_or(30.0, |run| run.fps)
    }

    /// The moments that the demo asks for.
    fn strip(&mut self, path: &Path, options: &Options) -> Result<(), Failure> {
        let stage = self.stage(Size { width: 480, height: 400 }, options)?;
        let fps = self.fps();
        let last = self.frames().saturating_sub(1);
        let frame = |seconds: f64| ((seconds * fps).round() as usize).min(last);
        let shown: Vec<usize> = self.demo.moments().into_iter().map(frame).collect();
        let columns = shown.iter().map(|&k| format!("{:.2} s", k as f64 / fps)).collect();
        let mut rows = Vec::new();
        for run in &mut self.runs {
            let frames =
                shown.iter().map(|&k| run.picture(k, &stage)).collect::<Result<_, _>>()?;
            rows.push(FilmstripRow { label: run.label.clone(), frames });
        }
        let strip = Filmstrip { title: self.demo.about.clone(), columns, rows };
        save_png(&strip.compose()?, path)
    }

    /// One frame of every run.
    fn picture(&mut self, frame: usize, stage: &Stage) -> Result<Picture, Failure> {
        if let [run] = &mut self.runs[..] {
            return run.picture(frame, stage);
        }
        let mut rows = Vec::new();
        for run in &mut self.runs {
            let frames = vec![run.picture(frame, stage)?];
            rows.push(FilmstripRow { label: run.label.clone(), frames });
        }
        Ok(Filmstrip { rows, ..Filmstrip::default() }.compose()?)
    }

    fn gif(&mut self, path: &Path, options: &Options) -> Result<(), Failure> {
        let height = 480 / self.runs.len().max(1) + 60;
        let stage = self.stage(Size { width: height * 4 / 3, height }, options)?;
        // Half of the usual 30 frames per second are enough for a GIF, and fewer if it is long.
        let count = self.frames();
        let least = if self.fps() > 25.0 { 2 } else { 1 };
        let stride = count.div_ceil(FILM).max(least);
        let progress = Progress::start(options, "pictures", (count / stride) as u64);
        let first = self.picture(0, &stage)?;
        let mut film = Film::start(path, &first, self.fps() / stride as f64)?;
        film.add(&first)?;
        for frame in (stride..count).step_by(stride) {
            film.add(&self.picture(frame, &stage)?)?;
            progress.at((frame / stride) as u64);
        }
        film.finish()
    }
}
