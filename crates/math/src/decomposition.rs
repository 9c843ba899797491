//! Decompositions of 3×3 matrices: singular values with rotations on both sides, the closest
//! rotation, eigenvalues of symmetric matrices; one matrix at a time, and eight in lanes.
//!
//! The *rotation variant* of the singular value decomposition (Irving, Teran, Fedkiw 2004,
//! "Invertible finite elements for robust simulation of large deformation", Section 4) keeps
//! U and V free of reflections and puts the sign of det F on the smallest singular value, so
//! that R = U Vᵀ is always a rotation, also for inverted matrices.

mod eigen;
mod matrix;
mod polar;
mod rotations;
mod svd;
mod svd_lanes;

pub use eigen::{SymmetricEigen, symmetric_eigen};
pub use matrix::{
    GreenStrain, cofactors, determinant, green_strain, load_matrix, product,
    product_with_transpose, scalar_matrix, squared_norm,
};
pub use polar::{polar_distance_lanes, polar_lanes};
pub use rotations::closest_rotations;
pub use svd::{Svd, polar, svd_rotation_variant};
pub use svd_lanes::{SvdLanes, svd_lanes};
