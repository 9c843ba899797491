//! The driver: one loop for all projects, with progress, checkpoints, resuming and cancellation.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::error::ProjectError;
use crate::lock::OutputLock;
use crate::snapshot::Snapshot;

/// How a project is run. Nothing here changes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads to use.
    pub threads: usize,
    /// Continue from the last snapshot of the same project, if there is one.
    pub resume: bool,
    /// Time between snapshots: most of the work that a killed process loses.
    pub checkpoint_every: Duration,
}

impl Default for Settings {
    /// All threads of the machine, from the beginning, a snapshot every two seconds.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Settings { threads, resume: false, checkpoint_every: Duration::from_secs(2) }
    }
}

impl Settings {
    /// The same settings with `resume` on.
    pub fn resuming(self) -> Self {
        Settings { resume: true, ..self }
    }
}

/// A message of a running project to its caller.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A sentence about the input or the result.
    Note(&'a str),
    /// A sentence about something that is probably wrong.
    Warning(&'a str),
    /// Work that is done so far.
    Progress(Progress<'a>),
}

/// Work that is done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Unit of the work, such as `frames`.
    pub unit: &'a str,
    /// How many are done.
    pub done: usize,
    /// How many there are.
    pub total: usize,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Outcome<R> {
    /// All work is done.
    Finished(R),
    /// All work was done by an earlier run; nothing was written.
    AlreadyFinished(R),
    /// The caller stopped the run. `resume` continues it.
    Stopped {
        /// Unit of the work, such as `frames`.
        unit: &'static str,
        /// How many are done and readable in the output.
        done: usize,
        /// How many there are.
        total: usize,
    },
}

impl<R> Outcome<R> {
    /// The report, unless the run was stopped.
    pub fn report(self) -> Option<R> {
        match self {
            Outcome::Finished(report) | Outcome::AlreadyFinished(report) => Some(report),
            Outcome::Stopped { .. } => None,
        }
    }
}

/// A project on disk: what to read, what to do, and where to write.
pub trait Project {
    /// The result of a finished run.
    type Report;

    /// Runs the project with a [`Watch`] that may be shared between several projects.
    ///
    /// # Errors
    /// [`ProjectError`]; what was done before stays in the output.
    fn drive(
        &self,
        settings: &Settings,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<Self::Report>, ProjectError>;

    /// Runs the project. `callback` hears of notes and progress, and stops the run by
    /// [`ControlFlow::Break`] after the frame at hand.
    ///
    /// # Errors
    /// [`ProjectError`]; what was done before stays in the output.
    fn run(
        &self,
        settings: &Settings,
        mut callback: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Outcome<Self::Report>, ProjectError> {
        self.drive(settings, &mut Watch::new(&mut callback))
    }
}

/// The caller's callback, and whether it has asked to stop.
pub struct Watch<'a> {
    callback: &'a mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    is_stopped: bool,
}

impl<'a> Watch<'a> {
    /// Wraps a callback.
    pub fn new(callback: &'a mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Self {
        Watch { callback, is_stopped: false }
    }

    /// Tells the caller a sentence.
    pub fn note(&mut self, sentence: &str) {
        self.is_stopped |= (self.callback)(Event::Note(sentence)).is_break();
    }

    /// Tells the caller a sentence about something that is probably wrong.
    pub fn warn(&mut self, sentence: &str) {
        self.is_stopped |= (self.callback)(Event::Warning(sentence)).is_break();
    }

    /// Tells the caller how much is done; `true` when the caller wants to stop.
    pub fn progress(&mut self, unit: &str, done: usize, total: usize) -> bool {
        let event = Event::Progress(Progress { unit, done, total });
        self.is_stopped |= (self.callback)(event).is_break();
        self.is_stopped
    }
}

/// The files that mark the place of a run.
pub(crate) struct Place {
    /// The file or folder that only one process may write.
    pub output: PathBuf,
    /// The snapshot.
    pub snapshot: PathBuf,
    /// Tells snapshots of this project from those of others.
    pub key: u64,
}

/// Work that is done one unit after the other: the inside of a project.
pub(crate) trait Work {
    type Report;
    /// Unit of the work.
    const UNIT: &'static str;

    fn place(&self) -> Place;
    fn total(&self) -> usize;
    /// Units done so far.
    fn done(&self) -> usize;

    /// The report of an earlier run that was finished.
    fn finished(&self) -> Result<Option<Self::Report>, ProjectError> {
        Ok(None)
    }

    /// Starts the outputs.
    fn begin(&mut self, watch: &mut Watch<'_>) -> Result<(), ProjectError>;
    /// Continues the outputs after `done` units.
    fn restore(&mut self, done: usize, state: &[u8]) -> Result<(), ProjectError>;
    /// Does the next unit.
    fn step(&mut self) -> Result<(), ProjectError>;

    /// Why the work cannot continue, if it cannot.
    fn lost(&self) -> Option<ProjectError> {
        None
    }

    /// Hands everything written so far to the disk, and returns the state.
    fn snapshot(&mut self) -> Result<Vec<u8>, ProjectError>;
    /// Makes what is done so far readable.
    fn suspend(self) -> Result<(), ProjectError>;
    /// Completes the outputs.
    fn finish(self, watch: &mut Watch<'_>) -> Result<Self::Report, ProjectError>;
}

/// Runs work to its end, or until the caller stops it.
pub(crate) fn drive<W: Work>(
    mut work: W,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> Result<Outcome<W::Report>, ProjectError> {
    let place = work.place();
    let _lock = OutputLock::take(&place.output)?;
    let snapshot = Snapshot::new(place.snapshot, place.key);
    if settings.resume
        && let Some(report) = work.finished()?
    {
        // A process that was killed just before its end leaves its snapshot.
        snapshot.remove()?;
        return Ok(Outcome::AlreadyFinished(report));
    }
    match if settings.resume { snapshot.read()? } else { None } {
        Some((done, state)) => work.restore(done, &state)?,
        None => {
            snapshot.remove()?;
            work.begin(watch)?;
        }
    }
    let total = work.total();
    let mut saved = Instant::now();
    let mut stop = false;
    loop {
        if let Some(lost) = work.lost() {
            snapshot.write(work.done(), &work.snapshot()?)?;
            work.suspend()?;
            return Err(lost);
        }
        let done = work.done();
        if done >= total {
            let report = work.finish(watch)?;
            snapshot.remove()?;
            return Ok(Outcome::Finished(report));
        }
        if stop {
            snapshot.write(done, &work.snapshot()?)?;
            work.suspend()?;
            return Ok(Outcome::Stopped { unit: W::UNIT, done, total });
        }
        work.step()?;
        if saved.elapsed() >= settings.checkpoint_every {
            snapshot.write(work.done(), &work.snapshot()?)?;
            saved = Instant::now();
        }
        stop = watch.progress(W::UNIT, work.done(), total);
    }
}
