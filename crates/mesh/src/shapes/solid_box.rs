//! A box of cells, five tetrahedra each.

use glam::DVec3;

use super::{at_least, element_count, positive_length};
use crate::error::MeshError;
use crate::mesh::Mesh;

/// Tets of a cell with an even coordinate sum. Corner number = 4a + 2b + c for the corner at
/// a, b, c cells from the least one; the last tet is the middle one.
const EVEN: [[usize; 4]; 5] =
    [[0, 4, 2, 1], [6, 2, 4, 7], [5, 4, 1, 7], [3, 1, 2, 7], [1, 4, 2, 7]];
/// Tets of an odd cell: the mirror image, so that the diagonals of neighbours agree.
const ODD: [[usize; 4]; 5] = [[4, 6, 0, 5], [2, 0, 6, 3], [1, 3, 5, 0], [7, 6, 5, 3], [0, 5, 6, 3]];

/// A box of `size` (m), centred on the origin, five tets per cell, alternating.
///
/// Vertices are numbered along z first, then y, then x.
///
/// ```
/// use pliant_mesh::{DVec3, shapes};
/// let bar = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), [8, 2, 2])?;
/// assert_eq!(bar.positions.len(), 9 * 3 * 3);
/// assert_eq!(bar.tets.len(), 5 * 8 * 2 * 2);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn solid_box(size: impl Into<DVec3>, cells: [usize; 3]) -> Result<Mesh, MeshError> {
    let size = size.into();
    for (what, value) in [("size x", size.x), ("size y", size.y), ("size z", size.z)] {
        positive_length("box", what, value)?;
    }
    for (what, value) in ["cells along x", "cells along y", "cells along z"].into_iter().zip(cells)
    {
        at_least("box", what, value, 1)?;
    }
    let [nx, ny, nz] = cells;
    let tet_count = element_count("box", &[5, nx, ny, nz])?;
    let vertex_count = element_count("box", &[nx + 1, ny + 1, nz + 1])?;

    let mut positions = Vec::with_capacity(vertex_count);
    for i in 0..=nx {
        for j in 0..=ny {
            for k in 0..=nz {
                let steps = DVec3::new(i as f64, j as f64, k as f64);
                let counts = DVec3::new(nx as f64, ny as f64, nz as f64);
                positions.push(size * (steps / counts - 0.5));
            }
        }
    }
    let mut tets = Vec::with_capacity(tet_count);
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let vertex = |corner: usize| {
                    let (a, b, c) = (corner >> 2, corner >> 1 & 1, corner & 1);
                    (((i + a) * (ny + 1) + j + b) * (nz + 1) + k + c) as u32
                };
                let pattern = if (i + j + k) % 2 == 0 { EVEN } else { ODD };
                tets.extend(pattern.map(|tet| tet.map(vertex)));
            }
        }
    }
    Ok(Mesh::solid(positions, tets))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::signed_volume;

    #[test]
    fn tets_are_positive_and_fill_the_box() {
        let solid = solid_box(DVec3::new(1.0, 2.0, 3.0), [3, 2, 4]).unwrap();
        let volumes: Vec<f64> =
            (0..solid.tets.len()).map(|t| signed_volume(solid.corners(t).unwrap())).collect();
        assert!(volumes.iter().all(|&v| v > 0.0));
        assert!((volumes.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        // A closed boundary without cracks: neighbouring diagonals agree.
        assert_eq!(solid.triangles.len(), 4 * (3 * 2 + 2 * 4 + 4 * 3));
    }

    #[test]
    fn vertices_run_along_z_first() {
        let solid = solid_box(DVec3::splat(2.0), [1, 1, 2]).unwrap();
        assert_eq!(solid.positions[0], DVec3::new(-1.0, -1.0, -1.0));
        assert_eq!(solid.positions[1], DVec3::new(-1.0, -1.0, 0.0));
        assert_eq!(solid.positions[3], DVec3::new(-1.0, 1.0, -1.0));
        assert_eq!(solid.positions[6], DVec3::new(1.0, -1.0, -1.0));
    }

    #[test]
    fn absurd_boxes_are_refused() {
        let one = DVec3::ONE;
        assert!(matches!(solid_box(one, [1, 0, 1]), Err(MeshError::TooFewCells { .. })));
        for cells in [[usize::MAX, 2, 2], [1 << 40, 1 << 20, 1 << 10], [1000, 1000, 11]] {
            assert!(matches!(solid_box(one, cells), Err(MeshError::TooManyElements { .. })));
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = solid_box(DVec3::new(1.0, bad, 1.0), [1, 1, 1]);
            assert!(matches!(refused, Err(MeshError::BadLength { what: "size y", .. })));
        }
    }
}
