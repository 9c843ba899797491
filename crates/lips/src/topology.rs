//! Whether two meshes are the same one in two poses.
//!
//! Vertices must have the same numbers. Faces may come in another order, and polygons may be cut
//! into triangles, as programs do when they write a file: then all edges of one mesh are edges of
//! the other.

use crate::error::LipsError;

/// The edges of faces, smaller vertex first, ascending, each once.
fn edges<'a>(faces: impl Iterator<Item = &'a [u32]>) -> Vec<[u32; 2]> {
    let sides = |face: &'a [u32]| {
        let next = face.iter().cycle().skip(1);
        face.iter().zip(next).map(|(a, b)| [*a.min(b), *a.max(b)])
    };
    let mut edges: Vec<[u32; 2]> = faces.flat_map(sides).filter(|[a, b]| a != b).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Compares the faces of a rest mesh with those of another of as many vertices.
///
/// ```
/// use pliant_lips::topology::compare;
/// let square = [[0, 1, 2, 3]];
/// let cut = [[0, 1, 2], [0, 2, 3]];
/// let other = [[0, 1, 3], [1, 2, 3], [3, 4, 0]];
/// assert!(compare(square.iter().map(|f| &f[..]), cut.iter().map(|f| &f[..])).is_ok());
/// assert!(compare(square.iter().map(|f| &f[..]), other.iter().map(|f| &f[..])).is_ok());
/// let error = compare(cut.iter().map(|f| &f[..]), other.iter().map(|f| &f[..])).unwrap_err();
/// assert!(error.to_string().ends_with("only the rest mesh has an edge from vertex 0 to 2"));
/// ```
///
/// # Errors
/// Names an edge that only one of them has, when both have such edges.
pub fn compare<'a>(
    rest: impl Iterator<Item = &'a [u32]>,
    other: impl Iterator<Item = &'a [u32]>,
) -> Result<(), LipsError> {
    let (rest, other) = (edges(rest), edges(other));
    let alone = |own: &[[u32; 2]], others: &[[u32; 2]]| {
        own.iter().copied().find(|edge| others.binary_search(edge).is_err())
    };
    match (alone(&rest, &other), alone(&other, &rest)) {
        (Some([from, to]), Some(_)) => Err(LipsError::Topology { who: "the rest mesh", from, to }),
        _ => Ok(()),
    }
}
