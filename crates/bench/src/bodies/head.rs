//! The built-in head.

use pliant_face::anatomy::edge_lengths::DEFAULT_SIZE;
use pliant_face::{BuildOptions, FaceModel, Template, build};
use pliant_math::team::Team;

use crate::error::BenchError;

/// The built-in head with tets of a length \[m\] in the cheek; the length does not change its skin.
pub fn build_head(edge: f64, threads: usize) -> Result<FaceModel, BenchError> {
    let team = Team::new(threads);
    let head = Template::built_in(DEFAULT_SIZE, &team)?;
    let (face, _) = build(&head, "built in".as_ref(), &BuildOptions { size: edge }, &team)?;
    Ok(face)
}
