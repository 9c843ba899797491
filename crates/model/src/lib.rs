//! Models: bodies, materials and the potentials that act on them.
//!
//! [`ModelBuilder`] builds a [`Model`]. Nothing here knows of time steps or files.

mod attach;
mod body;
mod breeze;
mod builder;
pub mod collider;
mod error;
mod field;
mod gusts;
mod input;
pub mod material;
pub mod method;
mod model;
mod motion;
mod pivot;
pub mod potentials;
mod random;
mod skin;
pub mod touching;
pub mod words;

pub use attach::Attachment;
pub use body::{Body, Matter};
pub use breeze::Breeze;
pub use builder::{ActiveTet, Hold, ModelBuilder, Numbers, SlidingVertex};
pub use collider::{Collider, ColliderShape, Placed, Response, Shape};
pub use error::{ModelError, ShapeError};
pub use field::{Field, StiffPoints};
pub use glam::DVec3;
pub use gusts::Gusts;
pub use input::{Drive, FrameInput};
pub use material::{ElasticModel, Material, MaterialPreset};
pub use method::{Method, MethodError};
pub use model::{Conserved, Model, ModelBody};
pub use motion::{Motion, Rigid, rotation};
pub use pivot::{Frame, Pivot};
pub use potentials::tetrahedra::Lame;
pub use random::Random;
pub use skin::Skin;
pub use words::Word;

/// The direction along the x axis.
pub const X: DVec3 = DVec3::X;
/// The direction along the y axis: up.
pub const Y: DVec3 = DVec3::Y;
/// The direction along the z axis.
pub const Z: DVec3 = DVec3::Z;
