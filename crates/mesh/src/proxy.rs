//! A clean surface in place of a broken one: closed, manifold, facing outward.
//!
//! The boundary of a solid filled from the surface, its vertices doubled where the solid only
//! touches itself: what contact is computed with.

use pliant_math::team::Team;

use crate::embedding::Embedding;
use crate::error::MeshError;
use crate::mesh::Mesh;
use crate::tetrahedralise::{TetOptions, tetrahedralise};
use crate::topology::Sets;

/// A surface to compute contact with.
#[derive(Clone, Debug, Default)]
pub struct Proxy {
    /// Closed and manifold.
    pub surface: Mesh,
    /// Its vertices in the tets of the solid that carries it.
    pub embedding: Embedding,
}

/// A clean surface around `surface`, of its own resolution, that moves with `solid`.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::{DVec3, TetOptions, diagnosis, proxy, shapes, tetrahedralise};
/// let surface = shapes::cloth([1.0, 1.0], [4, 4])?.0;
/// let team = Team::new(1);
/// let solid = tetrahedralise(&surface, &TetOptions::default(), &team)?.solid;
/// let clean = proxy(&surface, &solid, &TetOptions::default(), &team)?;
/// assert!(diagnosis::findings(&clean.surface).is_empty());
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn proxy(
    surface: &Mesh,
    solid: &Mesh,
    options: &TetOptions,
    team: &Team,
) -> Result<Proxy, MeshError> {
    let filled = tetrahedralise(surface, options, team)?;
    let surface = manifold_boundary(&filled.solid);
    let embedding = Embedding::new(solid, &surface.positions, team);
    Ok(Proxy { surface, embedding })
}

/// The boundary of a solid as a manifold: a vertex becomes several where tets around it are not
/// joined by faces, an edge likewise.
pub fn manifold_boundary(solid: &Mesh) -> Mesh {
    // Corners of tets at the same vertex are one when their tets share a face there.
    let mut sets = Sets::new(4 * solid.tets.len());
    let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * solid.tets.len());
    for (t, &[a, b, c, d]) in (0u32..).zip(&solid.tets) {
        for mut face in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
            face.sort_unstable();
            faces.push((face, t));
        }
    }
    faces.sort_unstable();
    let slot = |tet: u32, vertex: u32| {
        let corner = solid.tets[tet as usize].iter().position(|&v| v == vertex).unwrap_or(0);
        4 * tet + corner as u32
    };
    for pair in faces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        pair[0].0.iter().for_each(|&v| sets.join(slot(pair[0].1, v), slot(pair[1].1, v)));
    }
    let mut number = vec![u32::MAX; 4 * solid.tets.len()];
    let mut clean = Mesh::default();
    for &triangle in &solid.triangles {
        let mut key = triangle;
        key.sort_unstable();
        let at = faces.partition_point(|face| face.0 < key);
        let Some(&(_, tet)) = faces.get(at) else { continue };
        let corners = triangle.map(|v| {
            let root = sets.root(slot(tet, v)) as usize;
            if number[root] == u32::MAX {
                number[root] = clean.positions.len() as u32;
                clean.positions.push(solid.positions[v as usize]);
            }
            number[root]
        });
        clean.triangles.push(corners);
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::{FindingKind, findings};
    use crate::shapes;
    use glam::DVec3;

    #[test]
    fn solids_that_touch_themselves_get_a_manifold_boundary() {
        // Boxes that share one edge, and boxes that share one corner.
        for shift in [DVec3::new(1.0, 1.0, 0.0), DVec3::ONE] {
            let cube = shapes::solid_box(DVec3::ONE, [1, 1, 1]).unwrap();
            let mut positions = cube.positions.clone();
            let mut tets = cube.tets.clone();
            let places: Vec<u32> = cube
                .positions
                .iter()
                .map(|p| {
                    let moved = *p + shift;
                    let known = cube.positions.iter().position(|q| q.distance(moved) < 1e-9);
                    known.map_or_else(
                        || {
                            positions.push(moved);
                            positions.len() as u32 - 1
                        },
                        |k| k as u32,
                    )
                })
                .collect();
            tets.extend(cube.tets.iter().map(|t| t.map(|v| places[v as usize])));
            let solid = Mesh::solid(positions, tets);
            assert!(
                !findings(&Mesh::surface(solid.positions.clone(), solid.triangles.clone()))
                    .is_empty()
            );
            let clean = manifold_boundary(&solid);
            let kinds: Vec<FindingKind> = findings(&clean).into_iter().map(|f| f.kind).collect();
            assert!(!kinds.contains(&FindingKind::NonManifoldEdge), "{kinds:?}");
            assert!(!kinds.contains(&FindingKind::NonManifoldVertex), "{kinds:?}");
            assert!(!kinds.contains(&FindingKind::OpenEdge), "{kinds:?}");
            assert!((clean.volume() - 2.0).abs() < 1e-9);
        }
    }
}
