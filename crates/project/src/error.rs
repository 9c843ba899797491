//! Why a project cannot be opened, run or written.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant_enrich::EnrichError;
use pliant_face::FaceError;
use pliant_io::IoError;
use pliant_lips::LipsError;
use pliant_sim::SimError;
use thiserror::Error;

use crate::demo::DemoError;

/// Why a project cannot be opened, run or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The model cannot be stepped.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// The enrichment cannot be prepared.
    #[error(transparent)]
    Enrich(#[from] EnrichError),
    /// The face cannot be prepared.
    #[error(transparent)]
    Face(#[from] FaceError),
    /// The lip model cannot be trained.
    #[error(transparent)]
    Lips(#[from] LipsError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    View(#[from] pliant_view::Error),
    /// A demo's file is wrong.
    #[error(transparent)]
    Demo(#[from] DemoError),
    /// The content of a file is not what the project needs.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The problem.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A name leads to no file of the opened folder.
    #[error("`{0}` is not in the opened project")]
    Outside(String),
    /// An output exists, and was not written by the caller.
    #[error("{} is there already", .path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The request has no meaning.
    #[error("{0}")]
    Request(String),
    /// There is a snapshot, but the project cannot continue from it.
    #[error("{}: {problem}; remove it or run without --resume", .path.display())]
    Snapshot {
        /// The snapshot, or the summary of a finished run.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// The guard could not keep the simulation alive.
    #[error(
        "the simulation could not be continued at step {step} ({time:.3} s): {rollbacks} steps in \
         a row had to be rolled back; everything before is in {}", .output.display()
    )]
    Lost {
        /// The last step tried.
        step: u64,
        /// Its time \[s\].
        time: f64,
        /// Steps in a row that were rolled back.
        rollbacks: u32,
        /// The run folder.
        output: PathBuf,
    },
    /// The run folder holds a finished run of another scene.
    #[error(
        "{}: holds a finished run of another scene, `{scene}`; choose another folder or replace it \
         with --overwrite", .folder.display()
    )]
    OtherRun {
        /// The run folder.
        folder: PathBuf,
        /// The name of the other scene.
        scene: String,
    },
    /// Another process writes the same output.
    #[error("{}: another process is writing here; wait for it or choose another output",
        .path.display())]
    Locked {
        /// The output.
        path: PathBuf,
    },
    /// The caller stopped the run where it cannot be resumed.
    #[error("stopped: {0}")]
    Stopped(String),
}

impl ProjectError {
    /// An error about a file, from whatever is wrong with it.
    pub fn about(path: &Path, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        ProjectError::File { path: path.to_owned(), source: source.into() }
    }
}
