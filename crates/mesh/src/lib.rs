//! Meshes of triangles and tetrahedra: what a body is made of, before it has a material.
//!
//! - [`Mesh`]: the one mesh type, with [`boundary_of_tets`] and [`edges_of_tets`]
//! - [`shapes`]: boxes, cloths, the jelly and its plate
//! - [`select`]: which vertices a user means
//! - [`diagnosis`]: what is wrong with a mesh
//! - [`Bvh`], [`SurfaceTree`], [`winding`], [`SignedDistance`]: what is near, what is inside
//!
//! Nothing here reads files or knows physics.

mod bvh;
pub mod diagnosis;
mod error;
mod mesh;
pub mod quality;
pub mod select;
pub mod shapes;
mod signed_distance;
mod stuffing;
mod surface_tree;
mod topology;
mod triangle;
pub mod winding;

pub use bvh::{Bvh, Ray};
pub use error::MeshError;
pub use glam::DVec3;
pub use mesh::{Bounds, Group, Mesh};
pub use select::Selection;
pub use signed_distance::SignedDistance;
pub use surface_tree::{ClosestPoint, Hit, SurfaceTree};
pub use topology::{boundary_of_tets, edges_of_tets};
pub use triangle::Feature;
pub use winding::WindingTree;
