//! Contact and friction inside the solvers.
//!
//! | file | what |
//! |---|---|
//! | `candidates.rs` | surface vertices that may touch at all |
//! | `couplings.rs` | contact's Hessian terms g e″ gᵀ, for products with Newton's matrix |
//! | `coupled_factor.rs` | the same terms around a factor of Newton's matrix |
//! | `compliance.rs` | the same terms around the matrix at rest, which stays factored |
//! | `learned.rs`, `patches.rs` | stiffness learnt in a search, around the projective matrix |
//!
//! A term g e″ gᵀ with weights g of vertices is a sum of c cᵀ, with a column c = √β g ⊗ u for every
//! eigenvector u of e″ with eigenvalue β: a low-rank update of a factored matrix
//! ([`pliant_math::woodbury`]).

mod candidates;
pub(super) mod compliance;
pub(super) mod coupled_factor;
pub(super) mod couplings;
pub(super) mod learned;
mod patches;

use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_math::{DMat3, DVec3};

/// Most vertices of a contact: a vertex or an edge, and the corners of a tet.
const MOST_VERTICES: usize = 6;
/// Eigenvalues below this part of the largest are left out.
const NEGLIGIBLE: f64 = 1e-6;
/// Index of something that is not in a list.
const NONE: u32 = u32::MAX;

/// √β u of the eigenvectors u of e″ whose eigenvalues β are positive and not negligible.
fn column_vectors(bend: &DMat3) -> impl Iterator<Item = DVec3> {
    let SymmetricEigen { values, vectors } = symmetric_eigen(bend);
    let counts = move |k: &usize| values[*k] > NEGLIGIBLE * values.max_element();
    (0..3).filter(counts).map(move |k| vectors.col(k) * values[k].sqrt())
}
