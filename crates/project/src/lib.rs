//! Complete projects, from files to files.
//!
//! A [`Project`] is opened from a file, run with a callback for progress, and leaves finished
//! outputs. There are five kinds: scenes ([`SceneProject`]), enrichments ([`EnrichmentProject`]),
//! face performances ([`PerformanceProject`]), face fits ([`FitProject`]) and lip corrections
//! ([`CorrectionProject`]). One driver gives all of them snapshots, resuming, cancellation and a
//! lock on the output.
//!
//! ```text
//! open → prepare → (step → snapshot)* → write
//! ```
//!
//! ```
//! use std::ops::ControlFlow;
//! use pliant_project::{Project, SceneProject, Settings};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("scene.toml");
//! std::fs::write(&path, r#"
//!     frames = 3
//!     [[body]]
//!     mesh = { box = { size = [1, 1, 1], cells = [2, 2, 2] } }
//!     material = { preset = "jelly", density = 1100 }
//! "#)?;
//! let project = SceneProject::open(&path, folder.path().join("run"))?;
//! let outcome = project.run(&Settings::default(), |_event| ControlFlow::Continue(()))?;
//! assert_eq!(outcome.report().map(|summary| summary.steps), Some(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod driver;
mod error;
mod frame_store;
mod lock;
mod path;
mod save;
mod snapshot;

pub mod demo;
pub mod enrichment;
pub mod fit;
pub mod folder;
pub mod lips;
pub mod performance;
pub mod picture;
pub mod saved;
pub mod scene;
pub mod source;

pub use driver::{Event, Outcome, Progress, Project, Settings, Watch};
pub use enrichment::EnrichmentProject;
pub use error::ProjectError;
pub use fit::FitProject;
pub use lips::CorrectionProject;
pub use path::ending;
pub use performance::PerformanceProject;
pub use save::Save;
pub use scene::SceneProject;
