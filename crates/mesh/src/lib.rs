//! Meshes of triangles and tetrahedra: what a body is made of, before it has a material.
//!
//! Nothing here reads files or knows physics.

mod mesh;

pub use glam::DVec3;
pub use mesh::{Group, Mesh};
