//! Models: bodies, materials and the potentials that act on them.
//!
//! [`ModelBuilder`] builds a [`Model`]. Nothing here knows of time steps or files.

mod attach;
mod body_spec;
mod breeze;
mod builder;
pub mod collider;
mod error;
mod field;
mod gusts;
mod input;
pub mod integrator;
mod material;
mod model;
mod motion;
mod pivot;
pub mod potentials;
mod random;
mod skin;
pub mod touching;

pub use attach::Attachment;
pub use body_spec::{BodySpec, Matter};
pub use breeze::Breeze;
pub use builder::{ActiveTet, Hold, ModelBuilder, Numbers, SlidingVertex};
pub use collider::{Collider, Placed, Response, Shape};
pub use error::{ModelError, ShapeError};
pub use field::{Field, StiffPoints};
pub use glam::DVec3;
pub use gusts::Gusts;
pub use input::{Drive, FrameInput};
pub use integrator::Integrator;
pub use material::{ElasticModel, Material, MaterialPreset};
pub use model::{Body, Conserved, Model};
pub use motion::{Motion, Rigid, rotation};
pub use pivot::{Frame, Pivot};
pub use potentials::tetrahedra::Lame;
pub use random::Random;
pub use skin::Skin;
