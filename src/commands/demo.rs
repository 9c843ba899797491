//! `pliant demo`: a built-in scene from end to end, with pictures.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use pliant::demos::{self, Demo, Prop};
use pliant::io::Pc2Reader;
use pliant::mesh::Mesh;
use pliant::model::scene::SceneFile;
use pliant::model::{Model, Motion};
use pliant::run::RunOptions;
use pliant::view::{Filmstrip, FilmstripRow, Material, Object, Picture};

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
    let scene = SceneFile::parse(demo.scene).map_err(|e| Failure::new(format!("demo {name}: {e}")))?;
    let model = Model::from_scene(&scene, &mut SceneFiles::within(Path::new("")))
        .map_err(|e| Failure::new(format!("demo {name}: {e}")))?;
    simulate(&scene, &model, &directory, RunOptions::new(options.threads()), options)?;
    let mut film = Footage::open(demo, &scene, &model, &directory)?;
    film.strip(&directory.join("filmstrip.png"), options)?;
    film.gif(&directory.join("animation.gif"), options)?;
    let curves = Curves { name: name.to_owned(), metrics: Metrics::of_run(&directory, &figure::COLUMNS)? };
    let figure = figure::of_runs(&scene.name, &[curves]);
    figure::save(&figure, &directory.join("plot.png"))?;
    figure::save(&figure, &directory.join("plot.svg"))?;
    if !options.quiet {
        let files = ["filmstrip.png", "animation.gif", "plot.png", "plot.svg", "animation.pc2", "metrics.csv"];
        report::say(&format!("wrote {} in {}", files.join(", "), directory.display()));
    }
    Ok(())
}

/// A finished demo run, ready to be shown.
struct Footage<'a> {
    demo: &'a Demo,
    scene: &'a SceneFile,
    cache: Pc2Reader,
    triangles: Vec<[u32; 3]>,
    positions: Vec<DVec3>,
    /// What stands on the stage besides the bodies, and moves with the first attachment.
    props: Vec<(Mesh, Material)>,
    motion: Option<Motion>,
}

impl<'a> Footage<'a> {
    fn open(demo: &'a Demo, scene: &'a SceneFile, model: &Model, directory: &Path) -> Result<Self, Failure> {
        let cache = Pc2Reader::open(&directory.join("animation.pc2"))?;
        let triangles = model.bodies().iter().flat_map(|body| {
            let first = body.first_vertex as u32;
            body.triangles.iter().map(move |t| t.map(|v| v + first))
        });
        let prop = |prop: &Prop| prop.mesh().map(|mesh| (mesh, prop.material()));
        let props: Result<Vec<_>, _> = demo.props.iter().map(prop).collect();
        let props = props.map_err(|error| Failure::new(error.to_string()))?;
        let motion = scene.body.iter().flat_map(|b| &b.attach).find_map(|a| a.motion.as_ref().map(Motion::from));
        Ok(Footage {
            demo,
            scene,
            triangles: triangles.collect(),
            positions: vec![DVec3::ZERO; cache.points()],
            cache,
            props,
            motion,
        })
    }

    /// Bodies and props at a frame, seen on a stage.
    fn picture(&mut self, frame: usize, stage: &Stage) -> Result<Picture, Failure> {
        self.cache.frame(frame, &mut self.positions)?;
        let moved = self.moved_props(frame);
        let mut objects = vec![Object::new(&self.positions[..], &self.triangles, self.demo.material)];
        for (positions, (mesh, material)) in moved.iter().zip(&self.props) {
            objects.push(Object::new(&positions[..], &mesh.triangles, *material));
        }
        Ok(stage.picture(objects)?)
    }

    fn moved_props(&self, frame: usize) -> Vec<Vec<DVec3>> {
        let rigid = self.motion.as_ref().map(|m| m.at(frame as f64 / self.scene.fps));
        let place = |x: &DVec3| rigid.map_or(*x, |r| r.apply(*x));
        self.props.iter().map(|(mesh, _)| mesh.positions.iter().map(place).collect()).collect()
    }

    fn stage(&mut self, size: Size, options: &Options) -> Result<Stage, Failure> {
        let mut framing = Stage::framing(size);
        for frame in (0..self.cache.frames()).step_by(4) {
            self.cache.frame(frame, &mut self.positions)?;
            framing.add(self.positions.iter().copied());
            self.moved_props(frame).into_iter().for_each(|prop| framing.add(prop));
        }
        Ok(Stage::around(&framing, size, options.threads()))
    }

    /// The liveliest stretch of the run, evenly spaced.
    fn strip(&mut self, path: &Path, options: &Options) -> Result<(), Failure> {
        let stage = self.stage(Size { width: 480, height: 400 }, options)?;
        let [first, last] = self.demo.strip.map(|seconds| (seconds * self.scene.fps).round() as usize);
        let last = last.min(self.cache.frames().saturating_sub(1));
        let frames: Vec<usize> = (0..STRIP).map(|k| first + (last.saturating_sub(first)) * k / (STRIP - 1)).collect();
        let columns = frames.iter().map(|&f| format!("{:.2} s", f as f64 / self.scene.fps)).collect();
        let frames = frames.into_iter().map(|f| self.picture(f, &stage)).collect::<Result<_, _>>()?;
        let rows = vec![FilmstripRow { label: String::new(), frames }];
        let strip = Filmstrip { title: self.demo.about.to_owned(), columns, rows };
        save_png(&strip.compose()?, path)
    }

    fn gif(&mut self, path: &Path, options: &Options) -> Result<(), Failure> {
        let stage = self.stage(Size { width: 640, height: 480 }, options)?;
        // GIFs count in hundredths of a second: a third of the usual 30 frames can be left out.
        let stride = if self.scene.fps > 25.0 { 2 } else { 1 };
        let count = self.cache.frames();
        let progress = Progress::start(options, "pictures", (count / stride) as u64);
        let first = self.picture(0, &stage)?;
        let mut film = Film::start(path, &first, self.scene.fps / stride as f64)?;
        film.add(&first)?;
        for frame in (stride..count).step_by(stride) {
            film.add(&self.picture(frame, &stage)?)?;
            progress.at((frame / stride) as u64);
        }
        film.finish()
    }
}
