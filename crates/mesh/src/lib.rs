//! Meshes of triangles and tetrahedra: what a body is made of, before it has a material.
//!
//! - [`Mesh`]: the one mesh type, with [`boundary_of_tets`] and [`edges_of_tets`]
//! - [`shapes`]: boxes, cloths, the jelly and its plate
//! - [`select`]: which vertices a user means
//! - [`diagnosis`]: what is wrong with a mesh
//!
//! Nothing here reads files or knows physics.

pub mod diagnosis;
mod error;
mod mesh;
pub mod select;
pub mod shapes;
mod topology;

pub use error::MeshError;
pub use glam::DVec3;
pub use mesh::{Bounds, Group, Mesh};
pub use select::Selection;
pub use topology::{boundary_of_tets, edges_of_tets};
