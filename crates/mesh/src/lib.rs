//! Meshes of triangles and tetrahedra: what a body is made of, before it has a material.
//!
//! - [`Mesh`]: the one mesh type, with [`boundary_of_tets`] and [`edges_of_tets`]
//! - [`Surface`]: a mesh with its [`Polygons`] and the numbers painted on it ([`Attribute`])
//! - [`shapes`]: boxes, cloths, the jelly and its plate
//! - [`menagerie`]: creatures as functions of space
//! - [`isosurface`]: the surface of any function of space, well meshed
//! - [`select`]: which vertices a user means
//! - [`diagnosis`]: what is wrong with a mesh
//! - [`Bvh`], [`SurfaceTree`], [`winding`], [`SignedDistance`]: what is near, what is inside
//! - [`tetrahedralise`], [`Embedding`], [`quality`]: solids from surfaces, and surfaces in solids
//!
//! Nothing here reads files or knows physics.

mod attribute;
mod bvh;
mod carry;
mod conforming;
mod delaunay;
pub mod diagnosis;
mod embedding;
mod error;
mod graded;
pub mod isosurface;
pub mod menagerie;
mod mesh;
mod polygons;
mod proxy;
pub mod quality;
pub mod select;
pub mod shapes;
mod signed_distance;
mod soup;
mod stuffing;
mod surface;
mod surface_tree;
#[cfg(test)]
mod testing;
mod tetrahedralise;
mod topology;
mod triangle;
pub mod winding;

pub use attribute::Attribute;
pub use bvh::{Bvh, Ray};
pub use carry::{Untangler, tetrahedralise_separated};
pub use conforming::{Conforming, tetrahedralise_between};
pub use delaunay::delaunay;
pub use embedding::{Embedding, Locator, barycentric};
pub use error::MeshError;
pub use glam::DVec3;
pub use graded::{Graded, GradedOptions, improve_shapes, tetrahedralise_graded};
pub use mesh::{Bounds, Group, Mesh, edge_matrix};
pub use polygons::Polygons;
pub use proxy::{Proxy, manifold_boundary, proxy};
pub use select::Selection;
pub use signed_distance::SignedDistance;
pub use surface::Surface;
pub use surface_tree::{ClosestPoint, Hit, SurfaceTree};
pub use tetrahedralise::{Resolution, TetOptions, TetReport, Tetrahedralised, tetrahedralise};
pub use topology::{boundary_of_tets, components_of_triangles, edges_of_tets};
pub use triangle::Feature;
pub use winding::WindingTree;
