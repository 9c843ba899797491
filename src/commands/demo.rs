//! `pliant demo`: a built-in scene from end to end, with pictures.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use pliant::demos::{self, Demo, Prop, Variant};
use pliant::io::Pc2Reader;
use pliant::mesh::Mesh;
use pliant::model::scene::SceneFile;
use pliant::model::{Model, Motion};
use pliant::run::{RunOptions, Shown};
use pliant::view::{Filmstrip, FilmstripRow, Framing, Material, Object, Picture};

use crate::arguments::{Options, Size};
use crate::failure::Failure;
use crate::figure::{self, Curves};
use crate::film::Film;
use crate::metrics::Metrics;
use crate::progress::Progress;
use crate::report;
use crate::runner::{SceneFiles, simulate};
use crate::stage::{Stage, save_png};

/// Frames of the filmstrip.
const STRIP: usize = 6;

/// Run a built-in scene: animation, metrics, plot, filmstrip
#[derive(Args)]
#[command(after_help = "Example:\n  pliant demo\n  pliant demo flag --out flag")]
pub struct Arguments {
    /// The scene [default: the flagship]
    name: Option<String>,
    /// Name the scenes there are
    #[arg(long)]
    list: bool,
    /// The directory to write into [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    if arguments.list {
        for demo in demos::ALL {
            report::say(&format!("{:10} {}", demo.name, demo.about));
        }
        return Ok(());
    }
    let name = arguments.name.as_deref().unwrap_or(demos::ALL[0].name);
    let demo = demos::find(name).ok_or_else(|| {
        let known: Vec<&str> = demos::ALL.iter().map(|d| d.name).collect();
        Failure::usage(format!("there is no demo `{name}`, expected one of {}", known.join(", ")))
    })?;
    let directory = arguments.out.unwrap_or_else(|| Path::new("out").join(name));
    let mut runs = Vec::new();
    let mut curves = Vec::new();
    for variant in demo.variants {
        let fail = |error: String| Failure::new(format!("demo {name}: {error}"));
        let scene =
            SceneFile::parse(&demo.scene_of(variant)).map_err(|error| fail(error.to_string()))?;
        let model = Model::from_scene(&scene, &mut SceneFiles::within(Path::new("")))
            .map_err(|error| fail(error.to_string()))?;
        let folder = directory.join(variant.folder);
        simulate(&scene, &model, &folder, RunOptions::new(options.threads()), options)?;
        let metrics = Metrics::of_run(&folder, &figure::COLUMNS)?;
        curves.push(Curves { name: variant.label.to_owned(), metrics });
        runs.push(Footage::open(demo, variant, scene, &model, &folder)?);
    }
    let mut show = Show { demo, runs };
    show.strip(&directory.join("filmstrip.png"), options)?;
    show.gif(&directory.join("animation.gif"), options)?;
    let figure = figure::of_runs(demo.about, &curves);
    figure::save(&figure, &directory.join("plot.png"))?;
    figure::save(&figure, &directory.join("plot.svg"))?;
    if !options.quiet {
        let files = "filmstrip.png, animation.gif, plot.png and plot.svg";
        report::say(&format!("wrote {files} into {}", directory.display()));
    }
    Ok(())
}

/// A finished run of a demo, ready to be shown.
struct Footage {
    label: &'static str,
    fps: f64,
    cache: Pc2Reader,
    triangles: Vec<[u32; 3]>,
    positions: Vec<DVec3>,
    material: Material,
    /// What stands on the stage besides the bodies, and moves with the first attachment.
    props: Vec<(Mesh, Material)>,
    motion: Option<Motion>,
}

impl Footage {
    fn open(
        demo: &Demo,
        variant: &Variant,
        scene: SceneFile,
        model: &Model,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let cache = Pc2Reader::open(&folder.join("animation.pc2"))?;
        let prop = |prop: &Prop| prop.mesh().map(|mesh| (mesh, prop.material()));
        let props: Result<Vec<_>, _> = demo.props.iter().map(prop).collect();
        let attached = scene.body.iter().flat_map(|b| &b.attach);
        Ok(Footage {
            label: variant.label,
            fps: scene.fps,
            triangles: Shown::of(model).rest().mesh.triangles.clone(),
            positions: vec![DVec3::ZERO; cache.points()],
            cache,
            material: demo.material,
            props: props.map_err(|error| Failure::new(error.to_string()))?,
            motion: attached.filter_map(|a| a.motion.as_ref()).map(Motion::from).next(),
        })
    }

    /// Bodies and props at a frame, seen on a stage.
    fn picture(&mut self, frame: usize, stage: &Stage) -> Result<Picture, Failure> {
        self.cache.frame(frame, &mut self.positions)?;
        let moved = self.moved_props(frame);
        let mut objects = vec![Object::new(&self.positions[..], &self.triangles, self.material)];
        for (positions, (mesh, material)) in moved.iter().zip(&self.props) {
            objects.push(Object::new(&positions[..], &mesh.triangles, *material));
        }
        Ok(stage.picture(objects)?)
    }

    fn moved_props(&self, frame: usize) -> Vec<Vec<DVec3>> {
        let rigid = self.motion.as_ref().map(|m| m.at(frame as f64 / self.fps));
        let place = |x: &DVec3| rigid.map_or(*x, |r| r.apply(*x));
        self.props.iter().map(|(mesh, _)| mesh.positions.iter().map(place).collect()).collect()
    }

    fn add_to(&mut self, framing: &mut Framing) -> Result<(), Failure> {
        for frame in (0..self.cache.frames()).step_by(4) {
            self.cache.frame(frame, &mut self.positions)?;
            framing.add(self.positions.iter().copied());
            self.moved_props(frame).into_iter().for_each(|prop| framing.add(prop));
        }
        Ok(())
    }
}

/// All runs of a demo, one below the other, seen by the same camera.
struct Show<'a> {
    demo: &'a Demo,
    runs: Vec<Footage>,
}

impl Show<'_> {
    fn stage(&mut self, size: Size, options: &Options) -> Result<Stage, Failure> {
        let mut framing = Stage::framing(size);
        self.runs.iter_mut().try_for_each(|run| run.add_to(&mut framing))?;
        Ok(Stage::around(&framing, size, options.threads()))
    }

    fn frames(&self) -> usize {
        self.runs.iter().map(|run| run.cache.frames()).min().unwrap_or(0)
    }

    fn fps(&self) -> f64 {
        self.runs.first().map_or(30.0, |run| run.fps)
    }

    /// The liveliest stretch, evenly spaced.
    fn strip(&mut self, path: &Path, options: &Options) -> Result<(), Failure> {
        let stage = self.stage(Size { width: 480, height: 400 }, options)?;
        let fps = self.fps();
        let [first, last] = self.demo.strip.map(|seconds| (seconds * fps).round() as usize);
        let last = last.min(self.frames().saturating_sub(1));
        let frame = |k: usize| first + last.saturating_sub(first) * k / (STRIP - 1);
        let columns = (0..STRIP).map(|k| format!("{:.2} s", frame(k) as f64 / fps)).collect();
        let mut rows = Vec::new();
        for run in &mut self.runs {
            let frames =
                (0..STRIP).map(|k| run.picture(frame(k), &stage)).collect::<Result<_, _>>()?;
            rows.push(FilmstripRow { label: run.label.to_owned(), frames });
        }
        let strip = Filmstrip { title: self.demo.about.to_owned(), columns, rows };
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
            rows.push(FilmstripRow { label: run.label.to_owned(), frames });
        }
        Ok(Filmstrip { rows, ..Filmstrip::default() }.compose()?)
    }

    fn gif(&mut self, path: &Path, options: &Options) -> Result<(), Failure> {
        let height = 480 / self.runs.len().max(1) + 60;
        let stage = self.stage(Size { width: height * 4 / 3, height }, options)?;
        // Half of the usual 30 frames per second are enough for a GIF.
        let stride = if self.fps() > 25.0 { 2 } else { 1 };
        let count = self.frames();
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
