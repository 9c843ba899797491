//! Why the studio cannot be opened, or a place not do what it was asked.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Every message is a sentence for the page or the terminal.
#[derive(Debug, Error)]
pub enum StudioError {
    /// Nothing can be served at the address.
    #[error("cannot listen at {address}: {source}")]
    Address {
        /// Host and port.
        address: String,
        /// As the system says it.
        source: io::Error,
    },
    /// The system gives no random numbers, threads or folders.
    #[error("{what}: {reason}")]
    System {
        /// What was to be had.
        what: &'static str,
        /// As the system says it.
        reason: String,
    },
    /// The file or folder that was to be opened is not there.
    #[error("{}: {source}", path.display())]
    Missing {
        /// The file or folder.
        path: PathBuf,
        /// As the system says it.
        source: io::Error,
    },
    /// A command that a place does not understand, or cannot follow.
    #[error("{0}")]
    Refused(String),
    /// A project, or a file that one writes.
    #[error(transparent)]
    Project(#[from] pliant_project::ProjectError),
    /// A scene or a body.
    #[error(transparent)]
    Model(#[from] pliant_model::ModelError),
    /// A scene that cannot be built.
    #[error(transparent)]
    Scene(#[from] pliant_scene::BuildError),
    /// A step.
    #[error(transparent)]
    Step(#[from] pliant_sim::SimError),
    /// A face.
    #[error(transparent)]
    Face(#[from] pliant_face::FaceError),
    /// An enrichment.
    #[error(transparent)]
    Enrich(#[from] pliant_enrich::EnrichError),
    /// Lips.
    #[error(transparent)]
    Lips(#[from] pliant_lips::LipsError),
    /// A file.
    #[error(transparent)]
    File(#[from] pliant_io::IoError),
}

impl StudioError {
    /// A sentence of a place.
    pub fn refused(sentence: impl Into<String>) -> Self {
        StudioError::Refused(sentence.into())
    }
}
