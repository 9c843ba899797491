//! Face performances: weights of shapes, played by muscles and jaw.

mod effects;
mod record;
mod run;

use std::path::{Path, PathBuf};

use pliant_face::performance::Names;
use pliant_face::{
    Animator, Dynamics, Ensemble, FaceModel, FaceSimulationOptions, FaceSolver, LipGauge,
    Performance,
};
use pliant_io::AnimationWriter;
use pliant_io::atomic::refuse_overwriting;
use pliant_model::method::{Correction, Scheme};
use pliant_sim::snapshot::checksum;

pub use effects::OpenedEffects;

use crate::driver::{self, Outcome, Project, Settings, Watch};
use crate::error::ProjectError;
use crate::frame_store::FrameStore;
use crate::path::{beside, ending};
use crate::source::FrameRange;
use run::PerformanceRun;

/// Iterations per frame of the interactive solver when nobody waits for the next frame.
const OFFLINE_ITERATIONS: u32 = 20;

/// A performance to be played by a face model.
#[derive(Clone, Debug)]
pub struct PerformanceProject {
    /// The face model, a `.face` file.
    pub model: PathBuf,
    /// Weights of shapes and contractions of muscles per frame, `.csv` or `.json`.
    pub weights: PathBuf,
    /// The animation to write; its ending is the format.
    pub output: PathBuf,
    /// An effects file.
    pub effects: Option<PathBuf>,
    /// How a frame is solved; chosen by inertia where it is `None`.
    pub solver: Option<SolverKind>,
    /// Iterations per frame of the interactive solver.
    pub iterations: Option<u32>,
    /// Frames per second where the weights do not say.
    pub fps: Option<f64>,
    /// The frames to play; all where it is `None`.
    pub frames: Option<FrameRange>,
    /// Write the skin without eyes and teeth.
    pub skin_only: bool,
    /// Lips collide with teeth and each other.
    pub contact: bool,
    /// Inertia of the flesh; quasi-static where it is `None`.
    pub inertia: Option<Inertia>,
}

/// How a frame is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverKind {
    /// Newton's method, to a millionth of the forces.
    Exact,
    /// A fixed number of iterations on a matrix that is factored once.
    Interactive,
}

/// How flesh with inertia moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// The time rule.
    pub scheme: Scheme,
    /// Rate at which velocities decay [1/s].
    pub damping: f64,
    /// True if FEPR keeps the energy equal to the work of muscles and bones.
    pub fepr: bool,
}

impl Inertia {
    fn dynamics(&self, fps: f64) -> Result<Dynamics, ProjectError> {
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            let rate = self.damping;
            let problem = format!("--damping {rate}: expected a rate of zero or more");
            return Err(ProjectError::Request(problem));
        }
        let (scheme, damping) = (self.scheme, self.damping);
        let correction = self.fepr.then(|| Correction::Fepr(Dynamics::fepr(scheme)));
        Ok(Dynamics { scheme, correction, damping, fps, ..Dynamics::default() })
    }
}

/// The result of a performance.
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceReport {
    /// The content of `FILE.report.json`.
    pub json: serde_json::Value,
    /// Frames played.
    pub frames: usize,
    /// Mean duration of a frame \[ms\].
    pub ms_per_frame: f64,
}

/// Reads the model that `pliant face build` wrote.
///
/// # Errors
/// When the file cannot be read or is no face model.
pub fn open_face(path: &Path) -> Result<FaceModel, ProjectError> {
    let bytes = pliant_io::read_bytes(path)?;
    FaceModel::decode(&bytes).map_err(|error| ProjectError::about(path, error))
}

/// Reads the text of a performance; the ending of `name` is its format. `fps` counts where the text
/// does not say.
///
/// # Errors
/// When the text is no table of weights, or the face lacks a shape or muscle that it names.
pub fn parse_performance(
    name: &Path,
    text: &str,
    face: &FaceModel,
    fps: Option<f64>,
) -> Result<Performance, ProjectError> {
    let shapes = face.playable();
    let muscles: Vec<&str> = face.muscles.iter().map(|muscle| muscle.name.as_str()).collect();
    let names = Names { shapes: &shapes, muscles: &muscles };
    let is_json = ending(name) == "json";
    let read = if is_json { Performance::parse_json } else { Performance::parse };
    Ok(read(name, text, &names, fps)?)
}

impl PerformanceProject {
    /// Plays `weights` on the face `model` into `output`, quasi-statically and with contact.
    pub fn new(
        model: impl AsRef<Path>,
        weights: impl AsRef<Path>,
        output: impl AsRef<Path>,
    ) -> Self {
        PerformanceProject {
            model: model.as_ref().to_owned(),
            weights: weights.as_ref().to_owned(),
            output: output.as_ref().to_owned(),
            effects: None,
            solver: None,
            iterations: None,
            fps: None,
            frames: None,
            skin_only: false,
            contact: true,
            inertia: None,
        }
    }

    /// The frames to play, and the time of the first of them \[s\].
    fn read_performance(&self, face: &FaceModel) -> Result<(Performance, f64), ProjectError> {
        let path = &self.weights;
        let text = pliant_io::read_text(path)?;
        let mut performance = parse_performance(path, &text, face, self.fps)?;
        let mut time = 0.0;
        if let Some(range) = &self.frames {
            let count = performance.frames.len();
            let chosen = range.within(count).ok_or_else(|| {
                ProjectError::about(path, format!("has {count} frames, none of those asked for"))
            })?;
            time = *chosen.start() as f64 / performance.fps;
            performance.frames = performance.frames[chosen].to_vec();
        }
        Ok((performance, time))
    }

    /// Refuses outputs that are inputs, or whose format cannot hold the frames.
    fn check_outputs(&self, effects: &[PathBuf], frames: usize) -> Result<(), ProjectError> {
        AnimationWriter::check(&self.output, frames)?;
        let mut outputs = AnimationWriter::outputs(&self.output, frames);
        outputs.extend(run::TABLES.map(|ending| beside(&self.output, ending)));
        outputs.extend([FrameStore::path(&self.output), FrameStore::snapshot_path(&self.output)]);
        let mut inputs: Vec<&Path> = vec![&self.model, &self.weights];
        inputs.extend(effects.iter().map(PathBuf::as_path));
        for output in &outputs {
            refuse_overwriting(output, &inputs)?;
        }
        Ok(())
    }

    /// How a frame is simulated.
    fn simulation_options(
        &self,
        opened: &OpenedEffects,
        fps: f64,
        threads: usize,
    ) -> Result<FaceSimulationOptions, ProjectError> {
        let dynamics = match (&opened.effects.integrator, &self.inertia) {
            (Some(inertia), None) => Some(inertia.dynamics(fps)),
            (_, inertia) => inertia.map(|inertia| inertia.dynamics(fps)).transpose()?,
        };
        let told = opened.effects.integrator.and_then(|inertia| inertia.iterations);
        let solver = match (self.solver, self.iterations.or(told)) {
            (Some(SolverKind::Exact), _) => FaceSolver::EXACT,
            (_, Some(iterations)) => FaceSolver::Interactive { iterations },
            (None, None) if dynamics.is_some() => FaceSolver::CONVERGED,
            (_, None) => FaceSolver::Interactive { iterations: OFFLINE_ITERATIONS },
        };
        let contact = self.contact;
        Ok(FaceSimulationOptions { solver, contact, dynamics, threads, ..Default::default() })
    }

    /// Tells snapshots apart: every file that is read, and how it is played, but not the threads.
    fn key(
        &self,
        effects: &[PathBuf],
        options: &FaceSimulationOptions,
    ) -> Result<u64, ProjectError> {
        let options = FaceSimulationOptions { threads: 1, ..*options };
        let (range, fps, skin) = (&self.frames, self.fps, self.skin_only);
        let mut bytes = format!("{options:?} {range:?} {fps:?} {skin}").into_bytes();
        for path in [&self.model, &self.weights].into_iter().chain(effects) {
            bytes.extend(checksum(&pliant_io::read_bytes(path)?).to_le_bytes());
        }
        Ok(checksum(&bytes))
    }
}

impl Project for PerformanceProject {
    type Report = PerformanceReport;

    fn drive(
        &self,
        settings: &Settings,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<PerformanceReport>, ProjectError> {
        let face = open_face(&self.model)?;
        let (performance, time) = self.read_performance(&face)?;
        let opened = OpenedEffects::open(self.effects.as_deref(), &face)?;
        self.check_outputs(&opened.inputs, performance.frames.len())?;
        let options = self.simulation_options(&opened, performance.fps, settings.threads)?;
        let world = opened.world(&face, performance.fps)?;
        let altered = (&opened.alteration, time);
        let animator = Animator::in_world(&face, &performance, &options, altered, &world)?;
        let ensemble = Ensemble::new(&face, self.skin_only).with_props(&world.props);
        let run = PerformanceRun {
            output: &self.output,
            key: self.key(&opened.inputs, &options)?,
            store: None,
            record: record::Record::new(&face),
            gauge: LipGauge::new(&face)?,
            performance: &performance,
            animator,
            ensemble,
        };
        driver::drive(run, settings, watch)
    }
}
