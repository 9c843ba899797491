//! Why lips cannot be corrected.

use thiserror::Error;

/// Why lips cannot be corrected: one sentence that names the vertex, the frame or the byte.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LipsError {
    /// A matrix cannot be factored.
    #[error(transparent)]
    Math(#[from] pliant_math::MathError),
    /// A list has not one entry per vertex.
    #[error("{what} has {found} vertices, but the rest mesh has {expected}")]
    Count {
        /// Which list.
        what: String,
        /// How long it is.
        found: usize,
        /// How long it should be.
        expected: usize,
    },
    /// A list names a vertex that there is not.
    #[error("the {what} names vertex {vertex}, but there are {count} (from 0)")]
    NoSuchVertex {
        /// Which list.
        what: &'static str,
        /// The vertex.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A selection has nothing to work with.
    #[error("the {what} holds no vertex of a triangle: expected some vertices of the lips")]
    Empty {
        /// Which selection.
        what: &'static str,
    },
    /// A part of the inner lip hangs in the air.
    #[error(
        "the inner lip around vertex {vertex} ({vertices} vertices) touches no border: nothing holds \
         it in place; leave out a ring of vertices around it"
    )]
    NoBorder {
        /// One of its vertices.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// Nothing to predict from.
    #[error(
        "the mouth has no triangle outside of the inner lip: expected a wider selection around it"
    )]
    NoMouth,
    /// Another mesh.
    #[error(
        "its faces are not those of the rest mesh: only {who} has an edge from vertex {from} to \
            {to}"
    )]
    Topology {
        /// Which of them.
        who: &'static str,
        /// The edge.
        from: u32,
        /// Its other end.
        to: u32,
    },
    /// A position is infinite or not a number.
    #[error("{what}: vertex {vertex} is not at a finite place")]
    NotFinite {
        /// Which positions.
        what: String,
        /// The vertex.
        vertex: u32,
    },
    /// A frame that teaches nothing.
    #[error(
        "frame {frame}: its mouth is captured at rest, so that its corrected lips cannot be told \
         from those of the neutral mesh; correct a frame in which the mouth moves"
    )]
    NothingToLearn {
        /// The frame, from 0.
        frame: usize,
    },
    /// No corrected frame at all.
    #[error("expected at least one corrected frame, found none")]
    NoSamples,
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
    /// The bytes are no model.
    #[error("byte {byte}: {problem}")]
    File {
        /// Where.
        byte: usize,
        /// What was expected, and what was found.
        problem: String,
    },
    /// A camera or a contour does not say what it should.
    #[error("{problem}")]
    Sketch {
        /// What was expected, and what was found.
        problem: String,
    },
}

impl LipsError {
    pub(crate) fn sketch(problem: impl Into<String>) -> LipsError {
        LipsError::Sketch { problem: problem.into() }
    }
}
