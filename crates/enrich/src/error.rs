//! Why an animation cannot be enriched.

use thiserror::Error;

/// Why an animation cannot be enriched.
#[derive(Debug, Error)]
pub enum EnrichError {
    /// The surface cannot be filled.
    #[error(transparent)]
    Mesh(#[from] pliant_mesh::MeshError),
    /// The solid cannot be simulated.
    #[error(transparent)]
    Model(#[from] pliant_model::ModelError),
    /// The simulation cannot be set up.
    #[error(transparent)]
    Sim(#[from] pliant_sim::SimError),
    /// There is nothing to go on from.
    #[error(transparent)]
    Snapshot(#[from] pliant_sim::snapshot::SnapshotError),
    /// A matrix cannot be factored.
    #[error(transparent)]
    Math(#[from] pliant_math::MathError),
    /// A list has not one entry per vertex.
    #[error("{what} has {found} entries, expected {expected}")]
    Count {
        /// Which list.
        what: &'static str,
        /// How long it is.
        found: usize,
        /// How long it should be.
        expected: usize,
    },
    /// A list names a vertex that there is not.
    #[error("{what} names vertex {vertex}, but there are {count}")]
    NoSuchVertex {
        /// Which list.
        what: &'static str,
        /// The vertex.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A project asks for what the animation does not have.
    #[error("{key}: {problem}")]
    Asked {
        /// What it says.
        key: &'static str,
        /// Why not.
        problem: String,
    },
    /// A mesh is no map of weights.
    #[error("{problem}")]
    Map {
        /// What was expected, and what was found.
        problem: String,
    },
    /// Something that the body meets is no thing.
    #[error("object {number} of the contact {reason}")]
    Object {
        /// Which, from 0.
        number: usize,
        /// Why.
        reason: String,
    },
    /// A number is out of its range.
    #[error("{what} must be {expected}, not {found}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The number.
        found: f64,
        /// What it should be.
        expected: &'static str,
    },
}
