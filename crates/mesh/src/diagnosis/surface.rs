//! Defects of triangles: borders, branches, repeats, and faces wound the wrong way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use glam::DVec3;

use super::{Finding, FindingKind, finding};
use crate::mesh::Mesh;

/// A triangle's use of an edge.
struct Side {
    /// The edge's vertices, the smaller first.
    edge: [u32; 2],
    face: u32,
    /// Whether the triangle runs from the smaller vertex to the greater.
    forward: bool,
}

/// All findings about the triangles. Triangles that index missing vertices are passed over.
pub fn findings(mesh: &Mesh) -> Vec<Finding> {
    let count = mesh.positions.len();
    let faces: Vec<(u32, [u32; 3])> = (0u32..)
        .zip(mesh.triangles.iter().copied())
        .filter(|(_, face)| face.iter().all(|&v| (v as usize) < count))
        .collect();
    let proper: Vec<(u32, [u32; 3])> =
        faces.iter().copied().filter(|(_, [a, b, c])| a != b && b != c && c != a).collect();
    let sides = sorted_sides(&proper);
    let edges: Vec<&[Side]> = sides.chunk_by(|a, b| a.edge == b.edge).collect();

    let degenerate = faces.iter().filter(|(_, f)| is_degenerate(mesh, f)).map(|(id, _)| *id);
    [
        edge_finding(FindingKind::OpenEdge, &edges, |uses| uses == 1),
        edge_finding(FindingKind::NonManifoldEdge, &edges, |uses| uses > 2),
        finding(FindingKind::NonManifoldVertex, split_vertices(&proper, &edges)),
        finding(FindingKind::DuplicateFace, duplicates(&faces)),
        finding(FindingKind::DegenerateFace, degenerate),
        finding(FindingKind::FlippedFace, flipped(mesh.triangles.len(), &edges)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Triangles wound against the majority of their piece.
pub fn flipped_faces(mesh: &Mesh) -> Vec<u32> {
    let proper: Vec<(u32, [u32; 3])> = (0u32..)
        .zip(mesh.triangles.iter().copied())
        .filter(|(_, [a, b, c])| a != b && b != c && c != a)
        .collect();
    let sides = sorted_sides(&proper);
    let edges: Vec<&[Side]> = sides.chunk_by(|a, b| a.edge == b.edge).collect();
    flipped(mesh.triangles.len(), &edges)
}

fn sorted_sides(faces: &[(u32, [u32; 3])]) -> Vec<Side> {
    let mut sides: Vec<Side> = faces
        .iter()
        .flat_map(|&(face, [a, b, c])| {
            [[a, b], [b, c], [c, a]].map(|[from, to]| Side {
                edge: [from.min(to), from.max(to)],
                face,
                forward: from < to,
            })
        })
        .collect();
    sides.sort_unstable_by_key(|s| (s.edge, s.face));
    sides
}

fn edge_finding(
    kind: FindingKind,
    edges: &[&[Side]],
    matches: impl Fn(usize) -> bool,
) -> Option<Finding> {
    let chosen = || edges.iter().filter(|sides| matches(sides.len()));
    let faces: BTreeSet<u32> = chosen().flat_map(|sides| sides.iter().map(|s| s.face)).collect();
    let count = chosen().count();
    Some(Finding { count, ..finding(kind, faces)? })
}

/// Repeated corners, or an area below 1e-12 of the square of the longest side. Corners that are
/// not finite are found as such, not here.
fn is_degenerate(mesh: &Mesh, face: &[u32; 3]) -> bool {
    let [a, b, c] = *face;
    let [x, y, z] = face.map(|v| mesh.positions[v as usize]);
    let longest = [x - y, y - z, z - x].into_iter().map(DVec3::length_squared).fold(0.0, f64::max);
    a == b || b == c || c == a || 0.5 * (y - x).cross(z - x).length() <= 1e-12 * longest
}

fn duplicates(faces: &[(u32, [u32; 3])]) -> Vec<u32> {
    let mut keyed: Vec<([u32; 3], u32)> = faces
        .iter()
        .map(|&(id, mut corners)| {
            corners.sort_unstable();
            (corners, id)
        })
        .collect();
    keyed.sort_unstable();
    let mut repeats: Vec<u32> =
        keyed.chunk_by(|a, b| a.0 == b.0).flat_map(|same| same[1..].iter().map(|s| s.1)).collect();
    repeats.sort_unstable();
    repeats
}

/// Vertices whose triangles, joined across the edges at that vertex, fall into several fans.
fn split_vertices(faces: &[(u32, [u32; 3])], edges: &[&[Side]]) -> Vec<u32> {
    // A corner is a (vertex, face) pair; corners that share an edge at their vertex are united.
    let mut corners: Vec<(u32, u32)> =
        faces.iter().flat_map(|&(id, corners)| corners.map(|v| (v, id))).collect();
    corners.sort_unstable();
    let mut parent: Vec<usize> = (0..corners.len()).collect();
    for sides in edges {
        for vertex in sides[0].edge {
            let mut slots =
                sides.iter().filter_map(|s| corners.binary_search(&(vertex, s.face)).ok());
            let Some(first) = slots.next() else { continue };
            for slot in slots {
                let (a, b) = (root(&mut parent, first), root(&mut parent, slot));
                parent[a.max(b)] = a.min(b);
            }
        }
    }
    let mut fans: BTreeMap<u32, usize> = BTreeMap::new();
    for (slot, (vertex, _)) in corners.iter().enumerate() {
        if root(&mut parent, slot) == slot {
            *fans.entry(*vertex).or_default() += 1;
        }
    }
    fans.into_iter().filter(|(_, fans)| *fans > 1).map(|(vertex, _)| vertex).collect()
}

fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// Walks every piece across its two-sided edges and compares windings; returns, per piece, the
/// smaller of the two camps, and on one-sided surfaces the faces where the walk contradicts
/// itself.
fn flipped(face_count: usize, edges: &[&[Side]]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<(u32, bool)>> = vec![Vec::new(); face_count];
    for sides in edges {
        if let [a, b] = sides {
            // Neighbours agree when they run along their common edge in opposite directions.
            let agree = a.forward != b.forward;
            neighbours[a.face as usize].push((b.face, agree));
            neighbours[b.face as usize].push((a.face, agree));
        }
    }
    let mut camp: Vec<Option<bool>> = vec![None; face_count];
    let mut wrong = BTreeSet::new();
    for start in 0..face_count {
        if camp[start].is_some() || neighbours[start].is_empty() {
            continue;
        }
        camp[start] = Some(true);
        let mut piece = vec![start as u32];
        let mut queue = VecDeque::from([(start, true)]);
        while let Some((face, side)) = queue.pop_front() {
            for &(next, agree) in &neighbours[face] {
                let expected = side == agree;
                match camp[next as usize] {
                    None => {
                        camp[next as usize] = Some(expected);
                        piece.push(next);
                        queue.push_back((next as usize, expected));
                    }
                    Some(actual) if actual != expected => {
                        wrong.insert(next.max(face as u32));
                    }
                    Some(_) => {}
                }
            }
        }
        let with_start = piece.iter().filter(|&&f| camp[f as usize] == Some(true)).count();
        let minority = Some(2 * with_start < piece.len());
        wrong.extend(piece.into_iter().filter(|&f| camp[f as usize] == minority));
    }
    wrong.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    fn found(triangles: &[[u32; 3]], positions: Vec<DVec3>) -> Vec<(FindingKind, usize, Vec<u32>)> {
        let mesh = Mesh::surface(positions, triangles.to_vec());
        super::super::findings(&mesh).into_iter().map(|f| (f.kind, f.count, f.elements)).collect()
    }

    /// Points in general position.
    fn scattered(count: u32) -> Vec<DVec3> {
        (0..count).map(f64::from).map(|t| DVec3::new(t, t * t, t * t * t)).collect()
    }

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    #[test]
    fn a_hole_is_open_on_all_its_edges() {
        let all = found(&TETRAHEDRON[..3], scattered(4));
        assert_eq!(all, [(FindingKind::OpenEdge, 3, vec![0, 1, 2])]);
    }

    #[test]
    fn a_flipped_face_is_the_odd_one_out() {
        let mut triangles = TETRAHEDRON;
        triangles[2] = [0, 2, 3];
        assert_eq!(found(&triangles, scattered(4)), [(FindingKind::FlippedFace, 1, vec![2])]);
    }

    #[test]
    fn a_moebius_strip_contradicts_itself() {
        let strip: Vec<[u32; 3]> = (0..5).map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
        let kinds: Vec<_> = found(&strip, scattered(5)).into_iter().map(|f| f.0).collect();
        assert_eq!(kinds, [FindingKind::OpenEdge, FindingKind::FlippedFace]);
    }

    #[test]
    fn tetrahedra_that_share_a_vertex_pinch_it() {
        let mut triangles = TETRAHEDRON.to_vec();
        triangles.extend(TETRAHEDRON.map(|f| f.map(|v| if v == 0 { 0 } else { v + 3 })));
        assert_eq!(found(&triangles, scattered(7)), [(FindingKind::NonManifoldVertex, 1, vec![0])]);
    }

    #[test]
    fn tetrahedra_that_share_an_edge_branch_there() {
        let mut triangles = TETRAHEDRON.to_vec();
        triangles.extend(TETRAHEDRON.map(|f| f.map(|v| if v < 2 { v } else { v + 2 })));
        let all = found(&triangles, scattered(6));
        assert_eq!(all, [(FindingKind::NonManifoldEdge, 1, vec![0, 1, 4, 5])]);
    }

    #[test]
    fn repeats_and_slivers_are_listed() {
        let mut triangles = TETRAHEDRON.to_vec();
        triangles.extend([[3, 1, 2], [2, 2, 0]]);
        let all = found(&triangles, scattered(4));
        assert!(all.contains(&(FindingKind::DuplicateFace, 1, vec![4])));
        assert!(all.contains(&(FindingKind::DegenerateFace, 1, vec![5])));
        assert!(all.contains(&(FindingKind::NonManifoldEdge, 3, vec![0, 1, 2, 3, 4])));
        let line = (0..3).map(|i| DVec3::splat(f64::from(i))).collect();
        assert!(found(&[[0, 1, 2]], line).contains(&(FindingKind::DegenerateFace, 1, vec![0])));
    }

    #[test]
    fn borders_of_a_cloth_are_counted() {
        let (mesh, _) = shapes::cloth([1.0, 1.0], [4, 3]).unwrap();
        let all = findings(&mesh);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].kind, all[0].count), (FindingKind::OpenEdge, 14));
    }

    #[test]
    fn triangles_with_missing_vertices_do_not_panic() {
        assert_eq!(found(&[[0, 1, 7]], vec![]), []);
    }
}
