//! `pliant face animate`: a performance, played by muscles and jaw.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pliant::model::integrator::Scheme;
use pliant::project::performance::{Inertia, SolverKind};
use pliant::project::{PerformanceProject, Project};

use crate::arguments::{FrameRange, Options, Resuming};
use crate::failure::Failure;
use crate::report;
use crate::work::{RESUME, finished, watched};

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
    /// How a frame is solved for [default: interactive; Newton's method, to a thousandth of the forces, where flesh has inertia]
    #[arg(long, value_enum)]
    solver: Option<Kind>,
    /// Iterations per frame of the interactive solver [default: 20; the studio has 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    iterations: Option<u32>,
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
    #[command(flatten)]
    resuming: Resuming,
}

#[derive(Clone, Copy, ValueEnum)]
enum Motion {
    BackwardEuler,
    Bdf2,
    ImplicitMidpoint,
    Trapezoidal,
}

impl Motion {
    fn scheme(self) -> Scheme {
        match self {
            Motion::BackwardEuler => Scheme::BackwardEuler,
            Motion::Bdf2 => Scheme::Bdf2,
            Motion::ImplicitMidpoint => Scheme::ImplicitMidpoint,
            Motion::Trapezoidal => Scheme::Trapezoidal,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Newton's method, to a millionth of the forces
    Exact,
    /// On a matrix that is factored once: some iterations per frame, for speed
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
            scheme: arguments.scheme.scheme(),
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
    Ok(())
}
