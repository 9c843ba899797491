//! The one mesh type: positions with triangles, tetrahedra, or both.

use glam::DVec3;

/// Positions in metres, with triangles and tetrahedra that index them.
///
/// A surface has triangles only; a solid has tetrahedra, positively oriented
/// (det[x₁−x₀, x₂−x₀, x₃−x₀] > 0), and its triangles are the boundary, facing outward.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions [m].
    pub positions: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Named sets of vertices, in file order.
    pub groups: Vec<Group>,
}

/// A named set of vertices: an OBJ group, a physical group of a Gmsh file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// As written in the file.
    pub name: String,
    /// Ascending, without duplicates.
    pub vertices: Vec<u32>,
}
