//! A rectangular cloth: a grid of triangles with the springs that hold it together.

use glam::DVec3;

use super::{at_least, element_count, positive_length};
use crate::error::MeshError;
use crate::mesh::Mesh;

/// What a spring of a cloth resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpringKind {
    /// Stretch along the grid lines.
    Structural,
    /// Shear: a diagonal of a cell.
    Diagonal,
    /// Bending: two cells along a grid line, the vertex between them skipped.
    Bend,
}

/// An edge that resists a change of its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spring {
    /// The vertices it joins, the smaller first.
    pub vertices: [u32; 2],
    /// What it resists.
    pub kind: SpringKind,
}

/// A cloth of `size` (m) in the xz plane, centred on the origin, facing +y, with its springs:
/// structural first, then both diagonals of every cell, then skip-one bending springs.
///
/// Vertices are numbered along z first, then x.
///
/// ```
/// use pliant_mesh::shapes::{self, SpringKind};
/// let (mesh, springs) = shapes::cloth([2.0, 2.0], [60, 60])?;
/// assert_eq!(mesh.triangles.len(), 2 * 60 * 60);
/// let diagonals = springs.iter().filter(|s| s.kind == SpringKind::Diagonal).count();
/// assert_eq!(diagonals, 2 * 60 * 60);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn cloth(size: [f64; 2], cells: [usize; 2]) -> Result<(Mesh, Vec<Spring>), MeshError> {
    positive_length("cloth", "size x", size[0])?;
    positive_length("cloth", "size z", size[1])?;
    at_least("cloth", "cells along x", cells[0], 1)?;
    at_least("cloth", "cells along z", cells[1], 1)?;
    // Two structural, two diagonal and two bending springs per cell, give or take a border.
    element_count("cloth", &[6, cells[0], cells[1]])?;
    element_count("cloth", &[6, cells[0] + 1, cells[1] + 1])?;
    let [nx, nz] = cells;

    let mut positions = Vec::with_capacity((nx + 1) * (nz + 1));
    for i in 0..=nx {
        for k in 0..=nz {
            let x = size[0] * (i as f64 / nx as f64 - 0.5);
            let z = size[1] * (k as f64 / nz as f64 - 0.5);
            positions.push(DVec3::new(x, 0.0, z));
        }
    }
    let vertex = |i: usize, k: usize| (i * (nz + 1) + k) as u32;
    let mut triangles = Vec::with_capacity(2 * nx * nz);
    for i in 0..nx {
        for k in 0..nz {
            let [a, b, c, d] =
                [vertex(i, k), vertex(i, k + 1), vertex(i + 1, k + 1), vertex(i + 1, k)];
            // Alternating diagonals: no direction of the cloth is preferred.
            triangles.extend(if (i + k) % 2 == 0 {
                [[a, b, c], [a, c, d]]
            } else {
                [[a, b, d], [b, c, d]]
            });
        }
    }
    Ok((Mesh::surface(positions, triangles), springs(nx, nz, vertex)))
}

fn springs(nx: usize, nz: usize, vertex: impl Fn(usize, usize) -> u32) -> Vec<Spring> {
    let mut springs = Vec::with_capacity(6 * (nx + 1) * (nz + 1));
    let mut join = |kind, from: (usize, usize), to: (usize, usize)| {
        if from.0 <= nx && to.0 <= nx && from.1 <= nz && to.1 <= nz {
            let (a, b) = (vertex(from.0, from.1), vertex(to.0, to.1));
            springs.push(Spring { vertices: [a.min(b), a.max(b)], kind });
        }
    };
    let grid = || (0..=nx).flat_map(|i| (0..=nz).map(move |k| (i, k)));
    for (i, k) in grid() {
        join(SpringKind::Structural, (i, k), (i + 1, k));
        join(SpringKind::Structural, (i, k), (i, k + 1));
    }
    for (i, k) in grid() {
        join(SpringKind::Diagonal, (i, k), (i + 1, k + 1));
        join(SpringKind::Diagonal, (i + 1, k), (i, k + 1));
    }
    for (i, k) in grid() {
        join(SpringKind::Bend, (i, k), (i + 2, k));
        join(SpringKind::Bend, (i, k), (i, k + 2));
    }
    springs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_point_up_and_cover_the_cloth() {
        let (mesh, _) = cloth([2.0, 3.0], [4, 5]).unwrap();
        let mut area = 0.0;
        for &[a, b, c] in &mesh.triangles {
            let [a, b, c] = [a, b, c].map(|v| mesh.positions[v as usize]);
            let normal = 0.5 * (b - a).cross(c - a);
            assert!(normal.y > 0.0 && normal.x == 0.0 && normal.z == 0.0);
            area += normal.y;
        }
        assert!((area - 6.0).abs() < 1e-12);
    }

    #[test]
    fn springs_are_complete_unique_and_of_the_right_length() {
        let (mesh, springs) = cloth([3.0, 2.0], [3, 2]).unwrap();
        let count = |kind| springs.iter().filter(|s| s.kind == kind).count();
        assert_eq!(count(SpringKind::Structural), 3 * 3 + 4 * 2);
        assert_eq!(count(SpringKind::Diagonal), 2 * 3 * 2);
        assert_eq!(count(SpringKind::Bend), 2 * 3 + 4);
        for spring in &springs {
            let [a, b] = spring.vertices.map(|v| mesh.positions[v as usize]);
            let expected = match spring.kind {
                SpringKind::Structural => 1.0,
                SpringKind::Diagonal => 2f64.sqrt(),
                SpringKind::Bend => 2.0,
            };
            assert!((a.distance(b) - expected).abs() < 1e-12);
        }
        let mut pairs: Vec<_> = springs.iter().map(|s| s.vertices).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), springs.len());
    }

    #[test]
    fn absurd_cloths_are_refused() {
        assert!(matches!(cloth([1.0, 1.0], [0, 1]), Err(MeshError::TooFewCells { .. })));
        assert!(matches!(cloth([1.0, -0.0], [1, 1]), Err(MeshError::BadLength { .. })));
        for cells in [[usize::MAX, 1], [1, usize::MAX], [5000, 5000]] {
            assert!(matches!(cloth([1.0, 1.0], cells), Err(MeshError::TooManyElements { .. })));
        }
    }
}
