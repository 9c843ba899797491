//! Scene files: what a user wrote, read from TOML and checked, and the model that it describes.
//!
//! [`SceneFile::parse`] reads and [`SceneFile::build`] builds.
//! Every type here is plain data with public fields: defaults are filled in, presets are
//! resolved, names have become enums, and every number has passed its range. Nothing refers to
//! the disk: files are named, not opened, and their paths are as written (relative paths are
//! meant from the scene file's folder).

mod body;
mod build;
mod collider;
mod correction;
mod damping;
mod error;
mod file;
mod files;
mod hashed;
mod integrator;
mod kind;
mod limits;
mod material;
mod mesh;
mod motion;
mod select;
mod solver;
mod table;
mod touch;
mod value;
mod wind;

pub use body::{Attach, Body, Ether, Initial, Place, Stiffness};
pub use build::BuildError;
pub use collider::{Collider, ShapeSource, revolved};
pub use error::{Problem, SceneError};
pub use file::SceneFile;
pub use files::{FileError, Files, NoFiles};
pub use integrator::Integrator;
pub use mesh::{MeshSource, Unit};
pub use motion::Motion;
pub use select::Select;
pub use touch::Touch;
pub use wind::Wind;

/// What other files of this kind are read with: the same errors, selections and integrators.
pub mod reading {
    pub use crate::limits::Limits;
    pub use crate::material::read_material;
    pub use crate::table::{Table, read_document};
    pub use crate::value::Value;
}

#[cfg(test)]
mod tests;
