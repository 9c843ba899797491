//! `pliant face animate`: a performance, played by muscles and jaw.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use pliant::face::performance::Names;
use pliant::face::{
    Animator, Dynamics, Ensemble, FaceModel, FaceSolver, Performance, SimulationOptions,
};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::io::{AnimationWriter, Loaded, read_text};
use pliant::model::integrator::Scheme;
use serde_json::json;

use super::{effects, failure, open};
use crate::arguments::{FrameRange, Options};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// Let muscles and jaw play weights of shapes
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant face animate head.face --weights head/performance.csv --out talk.glb\n  \
    pliant face animate head.face --weights take.csv --out talk.pc2 --solver exact --fps 60\n  \
    pliant face animate head.face --weights take.csv --out talk.glb --dynamic\n  \
    pliant face animate head.face --weights take.csv --out talk.glb --effects palsy.toml")]
pub struct Arguments {
    /// What `pliant face build` wrote
    #[arg(value_name = "MODEL.face")]
    model: PathBuf,
    /// Weights of shapes, and contractions of muscles, per frame: what Live Link Face writes, a table
    /// `frame,jawOpen,…`, or JSON
    #[arg(long, value_name = "W.csv|.json")]
    weights: PathBuf,
    /// The animated skin, eyes and teeth; its ending is the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What is done to the face and what it meets: wind, fat, palsy, objects, bones …
    #[arg(long, value_name = "E.toml")]
    effects: Option<PathBuf>,
    /// How a frame is solved for [default: interactive, or exact with --dynamic]
    #[arg(long, value_enum)]
    solver: Option<Kind>,
    /// Iterations per frame of the interactive solver
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    iterations: u32,
    /// Frames per second, where the table does not tell
    #[arg(long)]
    fps: Option<f64>,
    /// Frames A to B only, both included; either may be left out
    #[arg(long, value_name = "A..B")]
    frames: Option<FrameRange>,
    /// Write the skin without eyes and teeth
    #[arg(long)]
    skin_only: bool,
    /// Let lips pass through teeth
    #[arg(long)]
    no_contact: bool,
    /// Let flesh have inertia
    #[arg(long)]
    dynamic: bool,
    /// How it moves then
    #[arg(long, value_enum, requires = "dynamic", default_value_t = Motion::Bdf2)]
    scheme: Motion,
    /// Rate at which its velocities decay [1/s]
    #[arg(long, value_name = "RATE", requires = "dynamic", default_value_t = 12.0)]
    damping: f64,
    /// Do not keep its energy to what muscles and bones put in
    #[arg(long, requires = "dynamic")]
    no_fepr: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Motion {
    BackwardEuler,
    Bdf2,
    ImplicitMidpoint,
    Trapezoidal,
}

/// A performance of a demo.
pub struct Play<'a> {
    pub model: &'a Path,
    pub weights: &'a Path,
    pub effects: &'a Path,
    pub out: &'a Path,
    pub fps: f64,
    /// Frames are solved for exactly, whether flesh has inertia or not.
    pub exact: bool,
}

impl Arguments {
    /// What a demo asks for.
    pub fn of_demo(play: &Play<'_>) -> Arguments {
        Arguments {
            model: play.model.to_owned(),
            weights: play.weights.to_owned(),
            out: play.out.to_owned(),
            effects: Some(play.effects.to_owned()),
            solver: play.exact.then_some(Kind::Exact),
            iterations: 6,
            fps: Some(play.fps),
            frames: None,
            skin_only: false,
            no_contact: false,
            dynamic: false,
            scheme: Motion::Bdf2,
            damping: 0.0,
            no_fepr: false,
        }
    }

    fn dynamics(&self, fps: f64) -> Result<Option<Dynamics>, Failure> {
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            let rate = self.damping;
            return Err(Failure::new(format!("--damping {rate}: expected a rate from 0 on")));
        }
        let scheme = match self.scheme {
            Motion::BackwardEuler => Scheme::BackwardEuler,
            Motion::Bdf2 => Scheme::Bdf2,
            Motion::ImplicitMidpoint => Scheme::ImplicitMidpoint,
            Motion::Trapezoidal => Scheme::Trapezoidal,
        };
        let usual = Dynamics::default();
        let correction = usual.correction.filter(|_| !self.no_fepr);
        let dynamics = Dynamics { scheme, correction, damping: self.damping, fps, ..usual };
        Ok(self.dynamic.then_some(dynamics))
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Newton's method, converged
    Exact,
    /// On a matrix that is factored once: some iterations per frame
    Interactive,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    interrupt::listen()?;
    let face = open(&arguments.model)?;
    let mut performance = read_performance(&arguments, &face)?;
    let mut time = 0.0;
    if let Some(range) = &arguments.frames {
        let count = performance.frames.len();
        let chosen = range.within(count).ok_or_else(|| {
            Failure::about(&arguments.weights, format!("has {count} frames, none of those asked for"))
        })?;
        time = *chosen.start() as f64 / performance.fps;
        performance.frames = performance.frames[chosen].to_vec();
    }
    let count = performance.frames.len();
    let beside = |ending: &str| {
        let mut name = arguments.out.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let (report_path, strains_path) = (beside(".report.json"), beside(".strains.csv"));
    let mut outputs = AnimationWriter::outputs(&arguments.out, count);
    outputs.extend([report_path.clone(), strains_path.clone()]);
    let opened = effects::open(arguments.effects.as_deref(), &face)?;
    let mut inputs: Vec<&Path> = vec![&arguments.model, &arguments.weights];
    inputs.extend(opened.inputs.iter().map(PathBuf::as_path));
    for output in &outputs {
        refuse_overwriting(output, &inputs)?;
    }
    let dynamics = match &opened.effects.integrator {
        Some(inertia) if !arguments.dynamic => Some(inertia.dynamics(performance.fps)),
        _ => arguments.dynamics(performance.fps)?,
    };
    let told = opened.effects.integrator.and_then(|inertia| inertia.iterations);
    let solver = match (arguments.solver, told) {
        (Some(Kind::Exact), _) => FaceSolver::EXACT,
        (None, Some(iterations)) if dynamics.is_some() => FaceSolver::Interactive { iterations },
        (None, None) if dynamics.is_some() => FaceSolver::EXACT,
        _ => FaceSolver::Interactive { iterations: arguments.iterations },
    };
    let contact = !arguments.no_contact;
    let threads = options.threads();
    let asked = SimulationOptions { solver, contact, dynamics, threads, ..Default::default() };
    let world = opened.world(arguments.effects.as_deref(), &face, performance.fps)?;
    let altered = (&opened.alteration, time);
    let mut animator =
        Animator::in_world(&face, &performance, &asked, altered, &world).map_err(failure)?;
    let ensemble = Ensemble::new(&face, arguments.skin_only).with_props(&world.props);
    let rest = Loaded {
        mesh: ensemble.rest.mesh.clone(),
        polygons: ensemble.rest.polygons.clone(),
        attributes: ensemble.rest.attributes.clone(),
        notes: Vec::new(),
    };
    let mut writer = AnimationWriter::create(&arguments.out, rest, performance.fps, count)?;
    let mut strains = String::from("frame");
    face.muscles.iter().for_each(|muscle| strains.extend([",", &muscle.name]));
    strains.push('\n');
    let (mut seconds, mut fallbacks, mut deepest, mut done) = (0.0, 0, 0.0f64, 0);
    let mut exploded = false;
    let progress = Progress::start(options, "frames", count as u64);
    for frame in &performance.frames {
        if done > 0 && interrupt::asked() {
            break;
        }
        let clock = Instant::now();
        let animated = animator.frame(frame);
        seconds += clock.elapsed().as_secs_f64();
        fallbacks += animated.report.fallbacks;
        deepest = deepest.max(animated.report.max_penetration);
        exploded |= animated.skin.iter().any(|p| !p.is_finite());
        writer.write_frame(&ensemble.at(&animated))?;
        let _ = write!(strains, "{done}");
        animated.strains.iter().for_each(|s| _ = write!(strains, ",{s:.5}"));
        strains.push('\n');
        done += 1;
        progress.at(done as u64);
    }
    drop(progress);
    writer.finish()?;
    let ms_per_frame = 1e3 * seconds / done.max(1) as f64;
    let growth = animator.simulation().growth();
    let mut summary = json!({
        "frames": done,
        "ms_per_frame": ms_per_frame,
        "max_lip_penetration_mm": 1e3 * deepest,
        "fallbacks": fallbacks,
        "exploded": exploded,
    });
    if let [asked, gained] = growth.map(|volume| 1e6 * volume)
        && asked != 0.0
    {
        summary["growth_asked_cm3"] = json!(asked);
        summary["growth_cm3"] = json!(gained);
    }
    write_whole(&report_path, format!("{summary:#}\n").as_bytes())?;
    write_whole(&strains_path, strains.as_bytes())?;
    finish(&arguments.out, done, count, ms_per_frame, options)
}

fn read_performance(arguments: &Arguments, face: &FaceModel) -> Result<Performance, Failure> {
    let path = &arguments.weights;
    let text = read_text(path)?;
    let shapes: Vec<&str> = face.recipes.iter().map(|recipe| recipe.0.as_str()).collect();
    let muscles: Vec<&str> = face.muscles.iter().map(|muscle| muscle.name.as_str()).collect();
    let names = Names { shapes: &shapes, muscles: &muscles };
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let read = if is_json { Performance::parse_json } else { Performance::parse };
    read(path, &text, &names, arguments.fps).map_err(failure)
}

fn finish(
    out: &Path,
    done: usize,
    count: usize,
    ms_per_frame: f64,
    options: &Options,
) -> Result<(), Failure> {
    if done < count {
        let path = out.display();
        return Err(Failure::interrupted(format!(
            "stopped by Ctrl-C: {path} holds the first {done} of {count} frames"
        )));
    }
    if !options.quiet {
        report::say(&format!(
            "wrote {}: {count} frames, {ms_per_frame:.1} ms each",
            out.display()
        ));
    }
    Ok(())
}
