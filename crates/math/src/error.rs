//! What can go wrong in the numerics.

use thiserror::Error;

/// Errors of this crate. They name the column, counted in the caller's own numbering.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MathError {
    /// An entry lies outside the matrix.
    #[error("entry ({row}, {column}) lies outside a matrix of size {size}")]
    OutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Rows (and columns) of the matrix.
        size: usize,
    },
    /// Something has another length than the matrix needs.
    #[error("{what} has length {found}, but {expected} is needed")]
    WrongLength {
        /// What it is.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// An elimination order names an index twice or outside the matrix.
    #[error("the elimination order is not a permutation: entry {position} is {index}")]
    NotAPermutation {
        /// Where in the order.
        position: usize,
        /// What stands there.
        index: usize,
    },
    /// A pivot is zero or negative: the matrix is not positive definite.
    #[error("the matrix is not positive definite (column {column})")]
    NotPositiveDefinite {
        /// Column of the pivot.
        column: usize,
    },
    /// A value is NaN or infinite, or became so in the factorisation.
    #[error("a value is not finite (column {column})")]
    NonFinite {
        /// Column of the value.
        column: usize,
    },
    /// A solve was asked for before a factorisation had succeeded.
    #[error("the matrix has not been factored")]
    NotFactored,
    /// The matrix is larger than indices can hold.
    #[error("the matrix is too large ({0})")]
    TooLarge(&'static str),
    /// METIS failed.
    #[error("METIS could not order the matrix (code {0})")]
    Ordering(i32),
}
