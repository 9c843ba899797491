//! Helpers of the tests.

use crate::mesh::Mesh;
use crate::topology::edges_of_tets;

/// Surfaces as one mesh.
pub fn joined(parts: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for part in parts {
        let first = all.positions.len() as u32;
        all.positions.extend(&part.positions);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

/// V − E + F − T: 1 for a ball, 0 for a ring.
pub fn euler(mesh: &Mesh) -> i64 {
    let edges = edges_of_tets(&mesh.tets).len() as i64;
    let faces = (4 * mesh.tets.len() + mesh.triangles.len()) as i64 / 2;
    mesh.positions.len() as i64 - edges + faces - mesh.tets.len() as i64
}
