//! Groups of a mesh as primitives: glTF has no sets of vertices, but materials with names.

use pliant_mesh::Mesh;

/// With more groups than this, targets of every primitive would outgrow the positions.
const MOST_GROUPS: usize = 64;

/// Triangles that are written as one primitive.
#[derive(Debug, Default)]
pub struct Piece {
    /// The group they are in, if any.
    pub group: Option<usize>,
    pub triangles: Vec<[u32; 3]>,
}

/// Cuts the triangles of a mesh into its groups, those in none first. A triangle in several goes to
/// the smallest, of equal ones to the last.
pub fn pieces(mesh: &Mesh) -> Vec<Piece> {
    let groups = if mesh.groups.len() <= MOST_GROUPS { &mesh.groups[..] } else { &[] };
    let mut pieces: Vec<Piece> = vec![Piece::default()];
    pieces.extend((0..groups.len()).map(|group| Piece { group: Some(group), ..Piece::default() }));
    for triangle in &mesh.triangles {
        let around = |group: &usize| {
            triangle.iter().all(|corner| groups[*group].vertices.binary_search(corner).is_ok())
        };
        let size = |group: &usize| (groups[*group].vertices.len(), usize::MAX - group);
        let smallest = (0..groups.len()).filter(around).min_by_key(size);
        pieces[smallest.map_or(0, |group| group + 1)].triangles.push(*triangle);
    }
    pieces.retain(|piece| !piece.triangles.is_empty());
    pieces
}

/// The groups of which other groups have taken triangles, or that have none; not those around
/// everything.
pub fn lost_groups(mesh: &Mesh) -> Vec<&str> {
    let pieces = pieces(mesh);
    let lost = |group: usize| {
        let vertices = &mesh.groups[group].vertices;
        let inside = |t: &[u32; 3]| t.iter().all(|corner| vertices.binary_search(corner).is_ok());
        let whole = mesh.triangles.iter().filter(|t| inside(t)).count();
        let own = pieces.iter().find(|piece| piece.group == Some(group));
        let own = own.map_or(0, |piece| piece.triangles.len());
        whole != mesh.triangles.len() && (own < whole || own == 0)
    };
    let lost = (0..mesh.groups.len()).filter(|&group| lost(group));
    lost.map(|group| mesh.groups[group].name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::{DVec3, Group};

    #[test]
    fn a_triangle_goes_to_its_smallest_group() {
        let triangles = vec![[0, 1, 2], [1, 2, 3], [2, 3, 4]];
        let mut mesh = Mesh::surface(vec![DVec3::ZERO; 5], triangles);
        mesh.groups = vec![
            Group::new("all", vec![0, 1, 2, 3, 4]),
            Group::new("left", vec![0, 1, 2, 3]),
            Group::new("tip", vec![0, 1, 2]),
            Group::new("point", vec![4]),
        ];
        let cut: Vec<_> = pieces(&mesh).iter().map(|p| (p.group, p.triangles[0])).collect();
        assert_eq!(cut, [(Some(0), [2, 3, 4]), (Some(1), [1, 2, 3]), (Some(2), [0, 1, 2])]);
        assert_eq!(lost_groups(&mesh), ["left", "point"]);
        mesh.groups.clear();
        assert_eq!((pieces(&mesh).len(), pieces(&mesh)[0].triangles.len()), (1, 3));
    }
}
