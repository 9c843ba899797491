//! Sparse Cholesky factors of symmetric positive definite matrices, A = L Lᵀ.
//!
//! [`PanelCholesky`] is for a matrix that is factored once and solved very often, with three
//! right-hand sides (the constant matrix of projective dynamics) or one (Newton's matrix at rest).
//! [`SparseCholesky`] is for a pattern that stays while its values change (Newton's method).
//!
//! Both take the numerical factorisation from faer's supernodal code, in f64 on one thread.

mod amalgamation;
mod panel;
mod refactored;
mod schedule;
mod side;
mod supernodes;
mod sweep;
mod tiles;

pub use panel::{Correction, PanelCholesky, PanelReal, PanelWork};
pub use refactored::SparseCholesky;
pub use side::Side;

#[cfg(test)]
mod tests;
