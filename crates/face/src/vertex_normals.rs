//! Unit normals of a mesh's vertices, weighted by area.

use glam::DVec3;

/// Outward unit normal of each vertex; zero where its triangles have no area.
pub(crate) fn vertex_normals(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        let normal = (b - a).cross(c - a);
        t.iter().for_each(|&v| normals[v as usize] += normal);
    }
    normals.iter().map(|n| n.normalize_or_zero()).collect()
}
