//! Shapes made from numbers: what scenes and demonstrations are built of.
//!
//! Every generator refuses lengths that are not positive and counts that do not fit
//! ([`MAX_ELEMENTS`]) before it allocates anything.

mod cloth;
mod horns;
mod jelly;
mod plate;
mod revolved;
mod solid_box;

pub use cloth::{Spring, SpringKind, cloth};
pub use horns::horns;
pub use jelly::jelly;
pub use plate::plate;
pub use revolved::{capsule, placed, revolved, ring};
pub use solid_box::{solid_box, solid_box as box3};

use crate::error::MeshError;

/// The most elements (tets, triangles or springs) that a generator makes.
pub const MAX_ELEMENTS: usize = 50_000_000;

fn positive_length(shape: &'static str, what: &'static str, value: f64) -> Result<(), MeshError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(MeshError::BadLength { shape, what, value })
    }
}

/// The product of the factors, if a generator may make that many elements.
fn element_count(shape: &'static str, factors: &[usize]) -> Result<usize, MeshError> {
    factors
        .iter()
        .try_fold(1usize, |product, &factor| product.checked_mul(factor))
        .filter(|&count| count <= MAX_ELEMENTS)
        .ok_or(MeshError::TooManyElements { shape, limit: MAX_ELEMENTS })
}

fn at_least(
    shape: &'static str,
    what: &'static str,
    value: usize,
    least: usize,
) -> Result<(), MeshError> {
    if value >= least { Ok(()) } else { Err(MeshError::TooFewCells { shape, what, value, least }) }
}
