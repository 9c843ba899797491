//! `pliant face animate`: a performance, played by muscles and jaw.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use pliant::face::Dynamics;
use pliant::model::method::Scheme;
use pliant::project::performance::{Inertia, SolverKind};
use pliant::project::{PerformanceProject, Project};

use crate::arguments::{FrameRange, Options, Resuming, animation_output, frame_rate};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;
use crate::work::{RESUME, finished, watched};

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
    /// Solver of a frame [default: interactive; with --dynamic, Newton's method to 1e-3 of the
    /// forces]
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
    #[arg(long, value_parser = scheme(), requires = "dynamic", default_value = USUAL.name())]
    scheme: Scheme,
    /// Velocity damping of the flesh, a rate in 1/s
    #[arg(long, value_name = "RATE", requires = "dynamic", default_value_t = 12.0)]
    damping: f64,
    /// Turn the energy correction (FEPR) of the flesh off
    #[arg(long, requires = "dynamic")]
    no_fepr: bool,
    #[command(flatten)]
    resuming: Resuming,
}

/// How flesh moves where nothing else is asked for.
const USUAL: Scheme = Scheme::Bdf2;

/// Reads the schemes that flesh can move by.
fn scheme() -> impl TypedValueParser<Value = Scheme> {
    PossibleValuesParser::new(Dynamics::schemes().map(|scheme| scheme.name()))
        .try_map(|name| name.parse::<Scheme>())
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Newton's method, to 1e-6 of the forces
    Exact,
    /// A fixed number of iterations with a matrix that is factored once
    Interactive,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let settings = arguments.resuming.settings(options);
    let project = PerformanceProject {
        effects: arguments.effects,
        solver: arguments.solver.map(|kind| match kind {
            Kind::Exact => SolverKind::Exact,
            Kind::Interactive => SolverKind::Interactive,
        }),
        iterations: arguments.iterations,
        fps: arguments.fps,
        frames: arguments.frames,
        skin_only: arguments.skin_only,
        contact: !arguments.no_contact,
        inertia: arguments.dynamic.then_some(Inertia {
            scheme: arguments.scheme,
            damping: arguments.damping,
            fepr: !arguments.no_fepr,
        }),
        ..PerformanceProject::new(&arguments.model, &arguments.weights, &arguments.out)
    };
    let outcome = watched(options, |watch| project.drive(&settings, watch))??;
    let report = finished(outcome, &arguments.out, RESUME)?;
    if !options.quiet {
        let (path, frames, rate) = (arguments.out.display(), report.frames, report.ms_per_frame);
        report::say(&format!("wrote {path}: {frames} frames, {rate:.1} ms each"));
    }
    next_step::suggest(Output::Animation(&arguments.out), options);
    Ok(())
}
