//! Errors of an enrichment.

use thiserror::Error;

/// Reasons why an animation cannot be enriched.
#[derive(Debug, Error)]
pub enum EnrichError {
    /// The surface cannot be filled with tets.
    #[error(transparent)]
    Mesh(#[from] pliant_mesh::MeshError),
    /// The solid cannot be simulated.
    #[error(transparent)]
    Model(#[from] pliant_model::ModelError),
    /// The simulation cannot be set up.
    #[error(transparent)]
    Sim(#[from] pliant_sim::SimError),
    /// A snapshot cannot be resumed from.
    #[error(transparent)]
    Snapshot(#[from] pliant_sim::snapshot::SnapshotError),
    /// A matrix cannot be factored.
    #[error(transparent)]
    Math(#[from] pliant_math::MathError),
    /// A list has a wrong number of entries.
    #[error("{what} has {found} entries, expected {expected}")]
    Count {
        /// Name of the list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Expected length.
        expected: usize,
    },
    /// A list names a vertex that does not exist.
    #[error("{what} names vertex {vertex}, but there are {count}")]
    NoSuchVertex {
        /// Name of the list.
        what: &'static str,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A selection of the project cannot be made on the animation.
    #[error("{key}: {problem}")]
    Selection {
        /// Key of the project file.
        key: &'static str,
        /// Cause.
        problem: String,
    },
    /// A mesh cannot be read as a weight map.
    #[error("{problem}")]
    Map {
        /// Expected and found content.
        problem: String,
    },
    /// A contact object cannot be made a collider.
    #[error("object {number} of the contact {reason}")]
    ContactObject {
        /// Number of the object, from 0.
        number: usize,
        /// Cause.
        reason: pliant_model::ShapeError,
    },
    /// A number is out of its range.
    #[error("{what} must be {expected}, not {found}")]
    Number {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        found: f64,
        /// Expected range.
        expected: &'static str,
    },
}
