//! Running scenes from the command line: files, progress, Ctrl-C, and a closing line.

use std::path::{Path, PathBuf};

use pliant::io::{Loaded, read_ids, read_mesh};
use pliant::mesh::{Mesh, Surface};
use pliant::model::Model;
use pliant::run::{self, Outcome, RunError, RunOptions, Summary};
use pliant::scene::{FileError, Files, SceneFile};

use crate::arguments::Options;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// The files a scene names, looked for in its folder.
pub struct SceneFiles {
    folder: PathBuf,
    read: Vec<PathBuf>,
    notes: Vec<String>,
}

impl SceneFiles {
    /// Relative names start from `folder`.
    pub fn within(folder: &Path) -> Self {
        SceneFiles { folder: folder.to_owned(), read: Vec::new(), notes: Vec::new() }
    }

    /// The files read so far.
    pub fn read(&self) -> impl Iterator<Item = &Path> {
        self.read.iter().map(PathBuf::as_path)
    }

    /// Tells what readers found worth saying.
    pub fn remark_notes(&self, options: &Options) {
        if !options.quiet {
            self.notes.iter().for_each(|note| report::remark(&format!("note: {note}")));
        }
    }

    fn resolve(&mut self, name: &str) -> PathBuf {
        let path = self.folder.join(name);
        self.read.push(path.clone());
        path
    }

    fn load(&mut self, path: &str) -> Result<Loaded, FileError> {
        let path = self.resolve(path);
        let loaded = read_mesh(&path).map_err(FileError::unreadable)?;
        self.notes.extend(loaded.notes.iter().map(|note| format!("{}: {note}", path.display())));
        Ok(loaded)
    }
}

impl Files for SceneFiles {
    fn mesh(&mut self, path: &str) -> Result<Mesh, FileError> {
        // What is painted can be selected, too.
        Ok(self.load(path)?.into_selectable())
    }

    fn surface(&mut self, path: &str) -> Result<Surface, FileError> {
        Ok(self.load(path)?.into_surface())
    }

    fn ids(&mut self, path: &str) -> Result<Vec<u32>, FileError> {
        read_ids(&self.resolve(path)).map_err(FileError::unreadable)
    }
}

/// Simulates a scene into a directory, showing progress.
pub fn simulate(
    scene: &SceneFile,
    model: &Model,
    directory: &Path,
    run_options: RunOptions,
    options: &Options,
) -> Result<Summary, Failure> {
    let outcome = watched(scene, model, directory, run_options, options)?;
    conclude(outcome.map_err(|error| Failure::new(error.to_string()))?, scene, directory, options)
}

/// The same for a run that may be lost: what came before is kept, and a sentence says so.
pub fn simulate_until_lost(
    scene: &SceneFile,
    model: &Model,
    directory: &Path,
    run_options: RunOptions,
    options: &Options,
) -> Result<(), Failure> {
    match watched(scene, model, directory, run_options, options)? {
        Err(lost @ RunError::Lost { .. }) => {
            if !options.quiet {
                report::remark(&format!("note: {lost}"));
            }
            Ok(())
        }
        Err(error) => Err(Failure::new(error.to_string())),
        Ok(outcome) => conclude(outcome, scene, directory, options).map(drop),
    }
}

fn watched(
    scene: &SceneFile,
    model: &Model,
    directory: &Path,
    run_options: RunOptions,
    options: &Options,
) -> Result<Result<Outcome, RunError>, Failure> {
    interrupt::listen()?;
    let progress = Progress::start(options, "frames", u64::from(scene.frames));
    Ok(run::run(scene, model, directory, run_options, &mut |frames| {
        progress.at(u64::from(frames));
        !interrupt::asked()
    }))
}

fn conclude(
    outcome: Outcome,
    scene: &SceneFile,
    directory: &Path,
    options: &Options,
) -> Result<Summary, Failure> {
    match outcome {
        Outcome::Finished(summary) => {
            if !options.quiet {
                report::say(&closing_line(&summary, directory));
            }
            Ok(*summary)
        }
        Outcome::WasFinished(summary) => {
            if !options.quiet {
                report::say(&format!("already finished; {}", closing_line(&summary, directory)));
            }
            Ok(*summary)
        }
        Outcome::Stopped { frames } => Err(Failure::interrupted(format!(
            "stopped by Ctrl-C after {frames} of {} frames; the same command with --resume goes on from there",
            scene.frames
        ))),
    }
}

fn closing_line(summary: &Summary, directory: &Path) -> String {
    let rate = summary.ms_per_step.mean;
    format!(
        "{}: {} steps of {} vertices and {} elements, {rate:.2} ms each, in {}",
        summary.name,
        summary.steps,
        summary.vertices,
        summary.elements,
        directory.display()
    )
}
