//! Why a row has no values.

use std::sync::Arc;

use pliant_face::FaceError;
use pliant_lips::LipsError;
use pliant_mesh::MeshError;
use pliant_model::ModelError;
use pliant_project::ProjectError;
use pliant_scene::SceneError;
use pliant_sim::SimError;
use thiserror::Error;

/// Why a measurement was not made.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The caller asked to stop.
    #[error("stopped before the row was measured")]
    Stopped,
    /// A mesh cannot be generated or filled.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A model cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A model cannot be stepped by its method.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A face cannot be built, animated or fitted.
    #[error(transparent)]
    Face(#[from] FaceError),
    /// Lips cannot be corrected.
    #[error(transparent)]
    Lips(#[from] LipsError),
    /// A demo's project cannot be read.
    #[error(transparent)]
    Demo(#[from] SceneError),
    /// An enrichment cannot be opened or prepared.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// No demo has the name.
    #[error("there is no demo `{0}`")]
    NoDemo(&'static str),
    /// A result that several rows need is missing.
    #[error(transparent)]
    Shared(Arc<BenchError>),
}

impl BenchError {
    /// True if the row is missing because the caller asked to stop.
    pub fn is_stop(&self) -> bool {
        match self {
            BenchError::Stopped => true,
            BenchError::Shared(error) => error.is_stop(),
            _ => false,
        }
    }
}
