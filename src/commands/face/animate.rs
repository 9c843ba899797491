//! `pliant face animate`: a performance, played by muscles and jaw.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use pliant::face::performance::Names;
use pliant::face::{
    Animator, Dynamics, Ensemble, FaceModel, FaceSolver, LipGauge, Performance, SimulationOptions,
};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::io::{AnimationWriter, Loaded, read_text};
use pliant::model::integrator::{Correction, Scheme};
use pliant::sim::snapshot::checksum;
use serde_json::json;

use super::record::Record;
use super::{effects, failure, open};
use crate::arguments::{FrameRange, Options, animation_output, frame_rate, seconds};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;
use crate::unfinished::Unfinished;

/// Animate a face: muscles and jaw play the weights of a performance
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant face animate head.face --weights head/performance.csv --out talk.glb\n  \
    pliant face animate head.face --weights take.csv --out talk.pc2 --solver exact --fps 60\n  \
    pliant face animate head.face --weights take.csv --out talk.glb --dynamic\n  \
    pliant face animate head.face --weights take.csv --out talk.glb --effects palsy.toml")]
pub struct Arguments {
    /// Face that `pliant face build` or `pliant face fit` wrote
    #[arg(value_name = "MODEL.face")]
    model: PathBuf,
    /// Weights of shapes or muscles per frame: a Live Link Face recording, a table
    /// `frame,jawOpen,…`, or JSON
    #[arg(long, value_name = "FILE.csv|.json")]
    weights: PathBuf,
    /// Animation to write: skin, eyes and teeth; its ending sets the format
    #[arg(long, short, value_name = "FILE", value_parser = animation_output)]
    out: PathBuf,
    /// Effects file: wind, fat, palsy, objects, moved bones
    #[arg(long, value_name = "E.toml")]
    effects: Option<PathBuf>,
    /// Solver of a frame [default: interactive; with --dynamic, Newton's method to 1e-3 of the forces]
    #[arg(long, value_enum)]
    solver: Option<Kind>,
    /// Iterations per frame of the interactive solver [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    iterations: Option<u32>,
    /// Frames per second [default: as in the weights, else 30]
    #[arg(long, value_parser = frame_rate)]
    fps: Option<f64>,
    /// Frames A to B, counted from 0, both included; A or B may be left out
    #[arg(long, visible_alias = "range", value_name = "A..B")]
    frames: Option<FrameRange>,
    /// Write the skin without eyes and teeth
    #[arg(long)]
    skin_only: bool,
    /// Turn contact off: lips may pass through teeth and each other
    #[arg(long)]
    no_contact: bool,
    /// Simulate the inertia of the flesh
    #[arg(long)]
    dynamic: bool,
    /// Time integration scheme of the flesh
    #[arg(long, value_enum, requires = "dynamic", default_value_t = Motion::Bdf2)]
    scheme: Motion,
    /// Velocity damping of the flesh, a rate in 1/s
    #[arg(long, value_name = "RATE", requires = "dynamic", default_value_t = 12.0)]
    damping: f64,
    /// Turn the energy correction (FEPR) of the flesh off
    #[arg(long, requires = "dynamic")]
    no_fepr: bool,
    /// Continue where the same command was stopped or killed
    #[arg(long)]
    resume: bool,
    /// Seconds between checkpoints, from which --resume continues after a kill; 0: every frame
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    checkpoint: Duration,
}

#[derive(Clone, Copy, ValueEnum)]
enum Motion {
    BackwardEuler,
    Bdf2,
    ImplicitMidpoint,
    Trapezoidal,
}

/// Iterations per frame where nobody waits for the next one.
const UNHURRIED: u32 = 20;

/// A performance of a demo.
pub struct Play<'a> {
    pub model: &'a Path,
    pub weights: &'a Path,
    pub effects: &'a Path,
    pub out: &'a Path,
    pub fps: f64,
}

impl Arguments {
    /// What a demo asks for.
    pub fn of_demo(play: &Play<'_>) -> Arguments {
        Arguments {
            model: play.model.to_owned(),
            weights: play.weights.to_owned(),
            out: play.out.to_owned(),
            effects: Some(play.effects.to_owned()),
            solver: None,
            iterations: None,
            fps: Some(play.fps),
            frames: None,
            skin_only: false,
            no_contact: false,
            dynamic: false,
            scheme: Motion::Bdf2,
            damping: 0.0,
            no_fepr: false,
            resume: false,
            checkpoint: Duration::from_secs(2),
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
        let correction = (!self.no_fepr).then(|| Correction::Fepr(Dynamics::fepr(scheme)));
        let dynamics = Dynamics { scheme, correction, damping: self.damping, fps, ..usual };
        Ok(self.dynamic.then_some(dynamics))
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Newton's method, to 1e-6 of the forces
    Exact,
    /// A fixed number of iterations with a matrix that is factored once
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
    let [report_path, strains_path, metrics_path] =
        [".report.json", ".strains.csv", ".metrics.csv"].map(beside);
    let mut outputs = AnimationWriter::outputs(&arguments.out, count);
    outputs.extend([report_path.clone(), strains_path.clone(), metrics_path.clone()]);
    outputs.extend(Unfinished::files(&arguments.out));
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
    let solver = match (arguments.solver, arguments.iterations.or(told)) {
        (Some(Kind::Exact), _) => FaceSolver::EXACT,
        (_, Some(iterations)) => FaceSolver::Interactive { iterations },
        (None, None) if dynamics.is_some() => FaceSolver::CONVERGED,
        (_, None) => FaceSolver::Interactive { iterations: UNHURRIED },
    };
    let contact = !arguments.no_contact;
    let threads = options.threads();
    let asked = SimulationOptions { solver, contact, dynamics, threads, ..Default::default() };
    let world = opened.world(arguments.effects.as_deref(), &face, performance.fps)?;
    let altered = (&opened.alteration, time);
    let mut animator =
        Animator::in_world(&face, &performance, &asked, altered, &world).map_err(failure)?;
    let ensemble = Ensemble::new(&face, arguments.skin_only).with_props(&world.props);
    let key = key(&arguments, &opened.inputs, &asked)?;
    let points = ensemble.rest.mesh.positions.len();
    let (resume, every) = (arguments.resume, arguments.checkpoint);
    let (mut frames, place) = Unfinished::open(&arguments.out, points, key, resume, every)?;
    let mut record = Record::new(&face);
    if let Some(place) = place {
        let (known, state) = Record::of_bytes(&place.known)
            .filter(|(known, _)| known.done == place.done && known.done <= count)
            .ok_or_else(|| Failure::about(&arguments.out, "its snapshot is not whole".to_owned()))?;
        animator.resume(state, key).map_err(failure)?;
        record = known;
    }
    let known = |record: &Record, animator: &Animator| {
        let mut bytes = record.to_bytes();
        bytes.extend(animator.snapshot(key));
        bytes
    };
    let mut gauge = LipGauge::new(&face).map_err(failure)?;
    let progress = Progress::start(options, "frames", count as u64);
    let begun = record.done;
    for frame in &performance.frames[begun..] {
        if record.done > begun && interrupt::asked() {
            break;
        }
        let clock = Instant::now();
        let animated = animator.frame(frame);
        let took = clock.elapsed();
        let lips = gauge.shown(&animated, &animator.simulation().positions());
        record.add(&animated, lips, performance.fps, took);
        frames.add(&ensemble.at(&animated), record.done, || known(&record, &animator))?;
        progress.at(record.done as u64);
    }
    drop(progress);
    if record.done < count {
        frames.save(record.done, &known(&record, &animator))?;
    }
    let rest = Loaded {
        mesh: ensemble.rest.mesh.clone(),
        polygons: ensemble.rest.polygons.clone(),
        attributes: ensemble.rest.attributes.clone(),
        notes: Vec::new(),
    };
    let mut writer = AnimationWriter::create(&arguments.out, rest, performance.fps, record.done)?;
    for k in 0..record.done {
        writer.write_frame(&frames.frame(k)?)?;
    }
    writer.finish()?;
    let mut summary = record.summary();
    if let [asked, gained] = animator.simulation().growth().map(|volume| 1e6 * volume)
        && asked != 0.0
    {
        summary["growth_asked_cm3"] = json!(asked);
        summary["growth_cm3"] = json!(gained);
    }
    write_whole(&report_path, format!("{summary:#}\n").as_bytes())?;
    write_whole(&strains_path, record.strains.as_bytes())?;
    write_whole(&metrics_path, record.metrics.as_bytes())?;
    if record.done == count {
        frames.remove();
    }
    finish(&arguments.out, record.done, count, record.ms_per_frame(), options)
}

/// What a snapshot is told apart by: all that is read, and how it is played; not by how many threads.
fn key(
    arguments: &Arguments,
    effects: &[PathBuf],
    options: &SimulationOptions,
) -> Result<u64, Failure> {
    let options = SimulationOptions { threads: 1, ..*options };
    let range = &arguments.frames;
    let (fps, skin) = (arguments.fps, arguments.skin_only);
    let mut bytes = format!("{options:?} {range:?} {fps:?} {skin}").into_bytes();
    let files = [&arguments.model, &arguments.weights].into_iter().chain(effects);
    for path in files {
        let read = std::fs::read(path);
        let read = read.map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
        bytes.extend(checksum(&read).to_le_bytes());
    }
    Ok(checksum(&bytes))
}

fn read_performance(arguments: &Arguments, face: &FaceModel) -> Result<Performance, Failure> {
    let path = &arguments.weights;
    let text = read_text(path)?;
    let shapes = face.playable();
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
            "stopped by Ctrl-C: {path} holds the first {done} of {count} frames; the same command with \
             --resume goes on from there"
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
