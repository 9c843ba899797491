//! What can be wrong with a request for a mesh.

use thiserror::Error;

/// Why a shape, a selection or a check was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshError {
    /// A length that is not a positive number.
    #[error("{shape}: {what} is {value}, expected a positive, finite number of metres")]
    BadLength {
        /// The shape asked for.
        shape: &'static str,
        /// Which of its lengths.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// No cells along an axis, or too few to make the shape.
    #[error("{shape}: {what} is {value}, expected at least {least}")]
    TooFewCells {
        /// The shape asked for.
        shape: &'static str,
        /// Which count.
        what: &'static str,
        /// What was given.
        value: usize,
        /// The least that makes a shape.
        least: usize,
    },
    /// More elements than fit into memory and 32-bit indices.
    #[error("{shape}: asks for more than {limit} elements")]
    TooManyElements {
        /// The shape asked for.
        shape: &'static str,
        /// The most that is made.
        limit: usize,
    },
    /// A surface without a triangle that has three finite corners.
    #[error("the surface has no triangle with finite corners: there is nothing to fill")]
    NothingToFill,
    /// A separated pose that is not a pose of the surface.
    #[error("the separated pose has {found} vertices, expected the surface's {expected}")]
    AnotherSurface {
        /// Vertices of the pose.
        found: usize,
        /// Vertices of the surface.
        expected: usize,
    },
    /// Tets could not be carried from the separated pose to the surface.
    #[error("the tets cannot be carried from the separated pose to the surface: {0}")]
    NotCarried(String),
    /// A selection names a vertex that the mesh does not have.
    #[error(
        "selection names vertex {vertex}, but the mesh has {count} vertices (0 to {count} − 1)"
    )]
    NoSuchVertex {
        /// The id in the selection.
        vertex: u32,
        /// Vertices in the mesh.
        count: usize,
    },
    /// A selection names a group that the mesh does not have.
    #[error("selection names group {name:?}; {}", known_groups(known))]
    NoSuchGroup {
        /// The name in the selection.
        name: String,
        /// The groups of the mesh.
        known: Vec<String>,
    },
    /// Tetrahedra that index vertices beyond the mesh.
    #[error("{count} tets index vertices that do not exist, the first is tet {}", first(tets))]
    TetOutOfRange {
        /// How many.
        count: usize,
        /// The first of them.
        tets: Vec<u32>,
    },
    /// Tetrahedra with a corner that is not a number.
    #[error("{count} tets have a corner that is not finite, the first is tet {}", first(tets))]
    TetNotFinite {
        /// How many.
        count: usize,
        /// The first of them.
        tets: Vec<u32>,
    },
    /// Tetrahedra of no volume.
    #[error("{count} tets have no volume, the first is tet {}", first(tets))]
    TetWithoutVolume {
        /// How many.
        count: usize,
        /// The first of them.
        tets: Vec<u32>,
    },
    /// Tetrahedra of negative orientation.
    #[error("{count} tets are inverted (negative volume), the first is tet {}", first(tets))]
    TetInverted {
        /// How many.
        count: usize,
        /// The first of them.
        tets: Vec<u32>,
    },
}

fn known_groups(known: &[String]) -> String {
    if known.is_empty() {
        "the mesh has no groups".to_owned()
    } else {
        format!("the mesh has {}", known.join(", "))
    }
}

fn first(elements: &[u32]) -> String {
    elements.first().map_or_else(|| "unknown".to_owned(), u32::to_string)
}
