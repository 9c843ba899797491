//! Both halves of something symmetric, from one.

use glam::DVec3;

use crate::mesh::Mesh;

/// Adds the mirror image in the plane x = 0, joined at the vertices that are exactly in it. Also
/// returns, for every vertex, which one is its mirror image.
///
/// ```
/// use pliant_mesh::{DVec3, Mesh, isosurface::mirrored};
/// let half = Mesh::surface(vec![DVec3::Y, DVec3::ZERO, DVec3::X], vec![[0, 1, 2]]);
/// let (whole, twins) = mirrored(&half);
/// assert_eq!(whole.triangles, [[0, 1, 2], [0, 3, 1]]);
/// assert_eq!(twins, [0, 1, 3, 2]);
/// ```
pub fn mirrored(half: &Mesh) -> (Mesh, Vec<u32>) {
    let mut positions = half.positions.clone();
    let mut twins: Vec<u32> = (0..positions.len() as u32).collect();
    for (v, p) in half.positions.iter().enumerate() {
        if p.x != 0.0 {
            twins[v] = positions.len() as u32;
            twins.push(v as u32);
            positions.push(DVec3 { x: -p.x, ..*p });
        }
    }
    let image = |[a, b, c]: [u32; 3]| [a, c, b].map(|v| twins[v as usize]);
    let triangles = half.triangles.iter().copied().chain(half.triangles.iter().map(|t| image(*t)));
    (Mesh::surface(positions, triangles.collect()), twins)
}
