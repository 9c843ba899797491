//! What can be wrong with a model.

use thiserror::Error;

/// Why a mesh cannot be the shape of a collider.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// The mesh has no triangles.
    #[error("has no triangles")]
    NoTriangles,
    /// A corner of a triangle is missing or not finite.
    #[error("triangle {triangle} has no finite vertex {vertex}")]
    NotFinite {
        /// Number of the triangle, from 0.
        triangle: usize,
        /// Number of the vertex, from 0.
        vertex: u32,
    },
    /// The bounding box has no finite positive size.
    #[error("has no size")]
    NoSize,
    /// The cells of a smooth shape have no finite positive size.
    #[error("needs cells of some size")]
    NoCells,
}

/// Why a model could not be built.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A body's element has no positive volume.
    #[error("tetrahedra with zero or negative rest volume: {}", first_ids(.tets))]
    BadTets {
        /// Their numbers.
        tets: Vec<u32>,
    },
    /// A statement about one body.
    #[error("body `{body}`: {reason}")]
    Body {
        /// Its name.
        body: String,
        /// What is wrong.
        reason: String,
    },
    /// A statement about one collider.
    #[error("collider {collider}: {reason}")]
    Collider {
        /// Its number, from 0.
        collider: usize,
        /// What is wrong.
        reason: String,
    },
    /// A statement about a potential that a user brought along.
    #[error("potential `{potential}`: {reason}")]
    Potential {
        /// Its name.
        potential: String,
        /// What is wrong.
        reason: String,
    },
    /// Scheme, solver and correction do not go together.
    #[error(transparent)]
    Method(#[from] crate::method::MethodError),
    /// Numerics refused (factorisation, ordering).
    #[error(transparent)]
    Math(#[from] pliant_math::MathError),
    /// Geometry refused (selection, shape).
    #[error(transparent)]
    Mesh(#[from] pliant_mesh::MeshError),
}

fn first_ids(ids: &[u32]) -> String {
    let mut text: Vec<String> = ids.iter().take(8).map(u32::to_string).collect();
    if ids.len() > 8 {
        text.push(format!("… ({} in all)", ids.len()));
    }
    text.join(", ")
}
