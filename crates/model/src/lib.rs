//! From a scene file to a model: bodies, materials and the potentials that act on them.
//!
//! [`scene::SceneFile`] is what was written, [`Model`] is what it means; [`Model::from_scene`]
//! and [`ModelBuilder`] lead there. Nothing here knows of time steps.

mod attach;
mod body_spec;
mod breeze;
mod builder;
pub mod collider;
mod error;
mod field;
mod flesh;
mod from_scene;
mod gusts;
mod input;
pub mod integrator;
mod model;
mod motion;
mod numbering;
mod own_energy;
mod pivot;
pub mod potentials;
mod random;
pub mod scene;
mod skin;
pub mod touching;

pub use attach::Attachment;
pub use body_spec::{BodySpec, Matter};
pub use breeze::Breeze;
pub use builder::{Hold, ModelBuilder};
pub use collider::{Collider, Placed, Shape};
pub use error::ModelError;
pub use field::{Field, StiffPoints, TaskElements};
pub use flesh::{ActiveTet, SlidingVertex};
pub use from_scene::{Files, place};
pub use glam::DVec3;
pub use gusts::Gusts;
pub use input::{Drive, FrameInput};
pub use integrator::Integrator;
pub use model::{Body, Conserved, Model};
pub use motion::{Motion, Rigid, rotation};
pub use own_energy::Numbers;
pub use pivot::{Frame, Pivot};
pub use potentials::tetrahedra::Lame;
pub use scene::{ElasticModel, Response};
pub use skin::Skin;
