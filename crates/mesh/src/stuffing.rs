//! Isosurface stuffing: good tetrahedra inside of any function of space.
//!
//! Labelle and Shewchuk 2007, "Isosurface stuffing: fast tetrahedral meshes with good dihedral angles".

pub mod cover;
pub mod field;
pub mod lattice;
pub mod octree;
pub mod stencil;
