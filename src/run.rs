//! Running a scene: the loop over frames, and the files it leaves behind.
//!
//! A run directory holds `metrics.csv`, `animation.pc2`, `rest.obj` and `summary.json`; while the
//! run goes on, the first two end in `.part`, and `snapshot.bin` is the place to resume from.

mod checkpoint;
mod ledger;
mod metrics;
mod shown;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pliant_io::atomic::{OnFailure, PartFile, part_path};
use pliant_io::{IoError, Pc2Writer, write_mesh};
use pliant_model::{DVec3, FrameInput, Model};
use pliant_scene::SceneFile;
use pliant_sim::{SimError, State, StepReport, Workspace, measure, step};
use thiserror::Error;

pub use ledger::{Milliseconds, Summary};
pub use metrics::{COLUMNS, Row as MetricsRow};
pub use shown::Shown;

use checkpoint::Checkpoint;
use ledger::Ledger;

/// A run ends when the guard had to roll back this many steps in a row.
const MOST_ROLLBACKS: u32 = 10;

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file cannot be written or resumed from.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The model cannot be stepped.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// There is something to resume, but not whole or not of this scene.
    #[error("{}: {problem}; remove the directory or run without --resume", .path.display())]
    Snapshot {
        /// The snapshot, or the summary of a finished run.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The guard could not keep the run alive.
    #[error(
        "the simulation could not be continued at step {step} ({time:.3} s): {MOST_ROLLBACKS} steps in a row \
         had to be rolled back; everything before is in {}", .directory.display()
    )]
    Lost {
        /// The last step tried.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// The run directory.
        directory: PathBuf,
    },
}

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Threads to use.
    pub threads: usize,
    /// Go on from the snapshot in the run directory, if there is one.
    pub resume: bool,
    /// At most this much work, and the frame at hand, is lost when a run is killed.
    pub checkpoint_every: Duration,
}

impl RunOptions {
    /// From the beginning, with a checkpoint every two seconds.
    pub fn new(threads: usize) -> Self {
        RunOptions { threads, resume: false, checkpoint_every: Duration::from_secs(2) }
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All frames are there.
    Finished(Box<Summary>),
    /// All frames were there already, from an earlier run; nothing was done.
    WasFinished(Box<Summary>),
    /// Stopped on request after this many frames; the run can be resumed.
    Stopped {
        /// Frames simulated so far.
        frames: u32,
    },
}

/// Simulates `scene` into `directory`; `watch` is told each finished frame and returns whether to
/// go on.
///
/// # Errors
/// [`RunError`]; whatever was simulated before stays in the directory.
pub fn run(
    scene: &SceneFile,
    model: &Model,
    directory: &Path,
    options: RunOptions,
    watch: &mut dyn FnMut(u32) -> bool,
) -> Result<Outcome, RunError> {
    let files = RunFiles::new(directory);
    if options.resume
        && let Some(summary) = finished(&files, scene)?
    {
        return Ok(Outcome::WasFinished(Box::new(summary)));
    }
    let mut run = Run::open(scene, model, files, options)?;
    let mut stop = false;
    loop {
        let frames = run.frames_done();
        if run.rollbacks >= MOST_ROLLBACKS {
            return Err(run.lost());
        }
        if frames >= scene.frames {
            return Ok(Outcome::Finished(Box::new(run.finish()?)));
        }
        if stop {
            run.stop()?;
            return Ok(Outcome::Stopped { frames });
        }
        run.frame()?;
        stop = !watch(run.frames_done());
    }
}

/// The summary of the run in the directory, if it has come to its end.
fn finished(files: &RunFiles, scene: &SceneFile) -> Result<Option<Summary>, RunError> {
    if part_path(&files.metrics).exists() {
        return Ok(None);
    }
    let Some(summary) = Summary::read(&files.summary) else { return Ok(None) };
    if summary.hash != scene.hash() {
        let problem = "the summary of another scene".to_owned();
        return Err(RunError::Snapshot { path: files.summary.clone(), problem });
    }
    // Left when the run was killed just before its end.
    remove_snapshot(files)?;
    Ok(Some(summary))
}

/// The files of a run directory.
struct RunFiles {
    directory: PathBuf,
    metrics: PathBuf,
    animation: PathBuf,
    rest: PathBuf,
    summary: PathBuf,
    snapshot: PathBuf,
}

impl RunFiles {
    fn new(directory: &Path) -> Self {
        let file = |name: &str| directory.join(name);
        RunFiles {
            directory: directory.to_owned(),
            metrics: file("metrics.csv"),
            animation: file("animation.pc2"),
            rest: file("rest.obj"),
            summary: file("summary.json"),
            snapshot: file("snapshot.bin"),
        }
    }
}

/// The files a run writes, to be kept apart from its inputs.
pub fn outputs(directory: &Path) -> [PathBuf; 5] {
    let files = RunFiles::new(directory);
    [files.metrics, files.animation, files.rest, files.summary, files.snapshot]
}

struct Run<'a> {
    scene: &'a SceneFile,
    model: &'a Model,
    files: RunFiles,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    metrics: PartFile,
    animation: Pc2Writer,
    ledger: Ledger,
    shown: Shown<'a>,
    positions: Vec<DVec3>,
    rollbacks: u32,
    checkpoint_every: Duration,
    saved: Instant,
}

impl<'a> Run<'a> {
    fn open(
        scene: &'a SceneFile,
        model: &'a Model,
        files: RunFiles,
        options: RunOptions,
    ) -> Result<Self, RunError> {
        std::fs::create_dir_all(&files.directory)
            .map_err(IoError::system(&files.directory, "create"))?;
        let checkpoint = match options.resume {
            true => Checkpoint::read(&files.snapshot, scene, model)?,
            false => None,
        };
        let workspace = Workspace::new(model, options.threads)?;
        let shown = Shown::of(model);
        let points = shown.rest().mesh.positions.len();
        write_mesh(&files.rest, shown.rest())?;
        let mut ledger = Ledger::new(scene, model);
        let resumed = checkpoint.is_some();
        let (metrics, animation, state, rollbacks) = match checkpoint {
            Some(Checkpoint { state, rollbacks, exploded }) => {
                let length = ledger.reread(&files.metrics, state.steps, exploded)?;
                let metrics = PartFile::resume(&files.metrics, length, OnFailure::Keep)?;
                let frames = frames_done(scene, &state) as usize + 1;
                let animation = Pc2Writer::resume(&files.animation, points, frames)?;
                (metrics, animation, state, rollbacks)
            }
            None => {
                remove_old(&files)?;
                let metrics = PartFile::create(&files.metrics, OnFailure::Keep)?;
                let frames = scene.frames as usize + 1;
                let animation = Pc2Writer::create(&files.animation, points, 0.0, 1.0, frames)?;
                (metrics, animation, State::initial(model), 0)
            }
        };
        let mut run = Run {
            scene,
            model,
            files,
            state,
            workspace,
            input: FrameInput { h: scene.step_seconds(), ..FrameInput::default() },
            metrics,
            animation,
            ledger,
            shown,
            positions: vec![DVec3::ZERO; points],
            rollbacks,
            checkpoint_every: options.checkpoint_every,
            saved: Instant::now(),
        };
        if !resumed {
            run.metrics.append(format!("{}\n", COLUMNS.join(",")).as_bytes())?;
            run.initial_row()?;
            run.write_frame()?;
        }
        Ok(run)
    }

    fn frames_done(&self) -> u32 {
        frames_done(self.scene, &self.state)
    }

    /// One frame: its steps, their metrics, its positions, and a checkpoint when one is due.
    fn frame(&mut self) -> Result<(), RunError> {
        for _ in 0..self.scene.substeps {
            let (from, to) = (self.time(), self.time_at(self.state.steps + 1));
            self.model.drive(from, &mut self.input.start);
            self.model.drive(to, &mut self.input.end);
            let report = step(self.model, &self.input, &mut self.state, &mut self.workspace);
            self.rollbacks = if report.rolled_back { self.rollbacks + 1 } else { 0 };
            self.row(&report)?;
        }
        self.write_frame()?;
        if self.saved.elapsed() >= self.checkpoint_every {
            self.checkpoint()?;
        }
        Ok(())
    }

    fn time(&self) -> f64 {
        self.time_at(self.state.steps)
    }

    fn time_at(&self, step: u64) -> f64 {
        step as f64 * self.scene.step_seconds()
    }

    fn initial_row(&mut self) -> Result<(), RunError> {
        self.model.drive(0.0, &mut self.input.start);
        let masses = self.model.masses();
        let mut report = StepReport::default();
        report.energy.kinetic = measure::kinetic(masses, &self.state.velocities);
        report.energy.potential =
            self.workspace.potential_energy(self.model, &self.input.start, &self.state);
        report.momentum = measure::momentum(masses, &self.state.positions, &self.state.velocities);
        self.row(&report)
    }

    fn row(&mut self, report: &StepReport) -> Result<(), RunError> {
        let row = self.ledger.row(&self.state, self.time(), report);
        Ok(self.metrics.append(row.to_line().as_bytes())?)
    }

    fn write_frame(&mut self) -> Result<(), RunError> {
        self.shown.carry(&self.state.positions, &mut self.positions);
        Ok(self.animation.write_frame(&self.positions)?)
    }

    /// Everything up to now on the disk, and the state to go on from.
    fn checkpoint(&mut self) -> Result<(), RunError> {
        self.metrics.sync()?;
        self.animation.sync()?;
        let checkpoint = Checkpoint {
            state: self.state.clone(),
            rollbacks: self.rollbacks,
            exploded: self.ledger.exploded(),
        };
        checkpoint.write(&self.files.snapshot, self.scene, self.model)?;
        self.saved = Instant::now();
        Ok(())
    }

    /// Ends before the last frame: what there is becomes readable, and can be resumed.
    fn stop(mut self) -> Result<(), RunError> {
        self.checkpoint()?;
        self.metrics.commit()?;
        Ok(self.animation.finish()?)
    }

    fn lost(self) -> RunError {
        let (step, time) = (self.state.steps, self.time());
        let directory = self.files.directory.clone();
        match self.stop() {
            Ok(()) => RunError::Lost { step, time, directory },
            Err(error) => error,
        }
    }

    fn finish(mut self) -> Result<Summary, RunError> {
        let summary = self.ledger.summary();
        // A full disk shows itself here, before any file has its name.
        self.metrics.sync()?;
        self.animation.sync()?;
        self.metrics.commit()?;
        self.animation.finish()?;
        summary.write(&self.files.summary)?;
        remove_snapshot(&self.files)?;
        Ok(summary)
    }
}

/// Frames simulated so far, the initial one not counted.
fn frames_done(scene: &SceneFile, state: &State) -> u32 {
    (state.steps / u64::from(scene.substeps)) as u32
}

/// Removes an earlier run's results: half a new run beside an old one would be a lie.
fn remove_old(files: &RunFiles) -> Result<(), RunError> {
    for path in [&files.snapshot, &files.summary, &files.metrics, &files.animation] {
        remove(path)?;
    }
    Ok(())
}

/// Removes a snapshot, and what a kill may have left of one half written.
fn remove_snapshot(files: &RunFiles) -> Result<(), RunError> {
    remove(&files.snapshot)?;
    remove(&part_path(&files.snapshot))
}

fn remove(path: &Path) -> Result<(), RunError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(IoError::system(path, "remove")(error).into())
        }
        _ => Ok(()),
    }
}
