//! Surfaces of functions of space: extracted by marching tetrahedra, then meshed anew with edges
//! as long as is asked at each place.
//!
//! [`march`] gives a closed manifold whatever the function, as each crossed edge of the lattice has
//! one vertex and each crossed tetrahedron one or two triangles. [`remesh`] gives it good
//! triangles, with vertices on the zero set.

mod adjacency;
mod march;
mod mirror;
mod remesh;

pub use march::{Lattice, march};
pub use mirror::mirrored;
pub use remesh::{Remesh, remesh};
