//! The numerical ground of pliant: vector lanes, 3×3 decompositions, prefactored sparse
//! Cholesky, and a team of threads whose results do not depend on how many there are.
//!
//! Nothing here knows of bodies, meshes or time.

pub mod cholesky;
pub mod coloring;
pub mod decomposition;
pub mod derivative;
pub mod error;
pub mod lanes;
pub mod lbfgs;
pub mod ordering;
pub mod row;
pub mod sparse;
pub mod team;
pub mod woodbury;

pub use error::MathError;
pub use glam::{DMat3, DVec3};
pub use row::{Buffer, Row};
