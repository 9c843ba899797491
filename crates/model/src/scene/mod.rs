//! The scene file: what a user wrote, read from TOML and checked, before it becomes a model.
//!
//! Every type here is plain data with public fields: defaults are filled in, presets are
//! resolved, names have become enums, and every number has passed its range. Nothing refers to
//! the disk: files are named, not opened, and their paths are as written (relative paths are
//! meant from the scene file's folder).

mod body;
mod collider;
mod correction;
mod damping;
mod error;
mod file;
mod integrator;
mod limits;
mod material;
mod mesh;
mod motion;
mod preset;
mod scheme;
mod select;
mod solver;
mod table;
mod touch;
mod value;
mod wind;

pub use body::{Attach, Body, Ether, Initial, Place, Stiffness};
pub use collider::{Collider, ColliderShape, Response, revolved};
pub use correction::{Correction, Fepr, FeprMetric, FeprMomenta, FeprSolution};
pub use damping::Damping;
pub use error::{Problem, SceneError};
pub use file::SceneFile;
pub use integrator::{Integrator, IntegratorPreset};
pub use material::{ElasticModel, Material};
pub use mesh::{MeshSource, Unit};
pub use motion::Motion;
pub use preset::MaterialPreset;
pub use scheme::Scheme;
pub use select::Select;
pub use solver::Solver;
pub use touch::Touch;
pub use wind::Wind;

/// What other files of this kind are read with: the same errors, selections and integrators.
pub mod reading {
    pub use super::limits::Limits;
    pub use super::table::{Table, read_document};
    pub use super::value::Value;
}

#[cfg(test)]
mod tests;
