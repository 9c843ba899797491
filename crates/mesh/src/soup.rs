//! Triangles as they come, made fit for a winding number: welded, each once, facing outward.

use glam::DVec3;

use crate::diagnosis::flipped_faces;
use crate::mesh::Mesh;
use crate::signed_distance::SignedDistance;
use crate::surface_tree::corners_of_triangle;
use crate::topology::{Sets, components_of_triangles};

/// A surface put in order.
#[derive(Clone, Debug, Default)]
pub struct Soup {
    /// Positions are those of the original; triangles are welded to the first of equal ones.
    pub mesh: Mesh,
    /// Triangles of pieces that have a border.
    pub open: Mesh,
    /// Whether no piece has one.
    pub closed: bool,
}

/// How many places of a piece are asked whether others enclose it.
const ASKED: usize = 16;

/// Welds equal positions, drops repeated triangles and those without finite, different corners,
/// winds every piece consistently, and turns pieces that face inward, unless another encloses
/// them: those are cavities.
pub fn put_in_order(mesh: &Mesh) -> Soup {
    let first = weld(&mesh.positions);
    let mut triangles: Vec<[u32; 3]> = (0..mesh.triangles.len())
        .filter(|&t| corners_of_triangle(mesh, t).is_some_and(|c| c.iter().all(|x| x.is_finite())))
        .map(|t| mesh.triangles[t].map(|v| first[v as usize]))
        .collect();
    triangles = without_repeats(&triangles);
    let mut ordered = Mesh::surface(mesh.positions.clone(), triangles);
    for t in flipped_faces(&ordered) {
        ordered.triangles[t as usize].swap(1, 2);
    }
    let pieces = components_of_triangles(&ordered.triangles);
    turn_outward(&mut ordered, &pieces);
    let border = has_border(&ordered, &pieces);
    let open: Vec<[u32; 3]> = pieces
        .iter()
        .zip(&ordered.triangles)
        .filter(|(piece, _)| border[**piece as usize])
        .map(|(_, t)| *t)
        .collect();
    let closed = open.is_empty() && !ordered.triangles.is_empty();
    let open = Mesh::surface(ordered.positions.clone(), open);
    Soup { mesh: ordered, open, closed }
}

/// Each triangle once. One that is there twice, and whose sides are not shared by others, or in
/// pairs, is a pocket folded flat: both of its walls go, since one alone would open a closed
/// surface. Where there are only pockets, they are sheets.
fn without_repeats(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut seen: Vec<([u32; 3], usize)> = (0..triangles.len())
        .map(|t| {
            let mut key = triangles[t];
            key.sort_unstable();
            (key, t)
        })
        .collect();
    seen.sort_unstable();
    let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [a, c]];
    let once = seen.chunk_by(|a, b| a.0 == b.0).map(|same| same[0].0);
    let mut shared: Vec<[u32; 2]> = once.flat_map(sides).collect();
    shared.sort_unstable();
    let others = |side: [u32; 2]| {
        let from = shared.partition_point(|s| *s < side);
        shared[from..].iter().take_while(|s| **s == side).count() - 1
    };
    let is_pocket = |same: &[([u32; 3], usize)]| {
        same.len() == 2 && sides(same[0].0).into_iter().all(|side| others(side) % 2 == 0)
    };
    let groups: Vec<&[([u32; 3], usize)]> = seen.chunk_by(|a, b| a.0 == b.0).collect();
    let only_pockets = groups.iter().all(|same| is_pocket(same));
    let kept = groups.into_iter().filter(|same| only_pockets || !is_pocket(same));
    let mut kept: Vec<usize> = kept.map(|same| same[0].1).collect();
    kept.sort_unstable();
    kept.into_iter().map(|t| triangles[t]).collect()
}

/// For every vertex the first one at its place. Zeros are equal whatever their sign.
pub(crate) fn weld(positions: &[DVec3]) -> Vec<u32> {
    let key = |v: u32| positions[v as usize].to_array().map(|x| (x + 0.0).to_bits());
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&v| (key(v), v));
    let mut first = vec![0; positions.len()];
    for same in order.chunk_by(|&a, &b| key(a) == key(b)) {
        same.iter().for_each(|&v| first[v as usize] = same[0]);
    }
    first
}

fn turn_outward(mesh: &mut Mesh, pieces: &[u32]) {
    let count = pieces.iter().max().map_or(0, |&p| p as usize + 1);
    let apex = mesh.bounds().map_or(DVec3::ZERO, |b| b.center());
    let mut volumes = vec![0.0; count];
    let mut asked: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut sizes = vec![0usize; count];
    pieces.iter().for_each(|&p| sizes[p as usize] += 1);
    let mut place = vec![0usize; count];
    for (t, &piece) in pieces.iter().enumerate() {
        let piece = piece as usize;
        let [a, b, c] = mesh.triangles[t].map(|v| mesh.positions[v as usize] - apex);
        volumes[piece] += a.dot(b.cross(c)) / 6.0;
        if place[piece].is_multiple_of(sizes[piece].div_ceil(ASKED)) {
            asked[piece].push(t);
        }
        place[piece] += 1;
    }
    if volumes.iter().all(|v| *v >= 0.0) {
        return;
    }
    let distance = SignedDistance::new(mesh);
    let turned: Vec<bool> = (0..count)
        .map(|piece| {
            // On a piece that faces inward its own winding number is −½ in the mean.
            let winding = |&t: &usize| {
                let corners = mesh.triangles[t].map(|v| mesh.positions[v as usize]);
                distance.winding(corners.iter().sum::<DVec3>() / 3.0)
            };
            volumes[piece] < 0.0 && asked[piece].iter().map(winding).sum::<f64>() < 0.0
        })
        .collect();
    for (t, &piece) in pieces.iter().enumerate() {
        if turned[piece as usize] {
            mesh.triangles[t].swap(1, 2);
        }
    }
}

fn has_border(mesh: &Mesh, pieces: &[u32]) -> Vec<bool> {
    let count = pieces.iter().max().map_or(0, |&p| p as usize + 1);
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * pieces.len());
    for (&[a, b, c], &piece) in mesh.triangles.iter().zip(pieces) {
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], piece)));
    }
    sides.sort_unstable();
    let mut border = vec![false; count];
    for uses in sides.chunk_by(|a, b| a.0 == b.0).filter(|uses| uses.len() % 2 == 1) {
        uses.iter().for_each(|(_, piece)| border[*piece as usize] = true);
    }
    border
}

/// For every vertex the first one of the piece that it is in, joined by common vertices of tets.
pub(crate) fn pieces(vertices: usize, tets: &[[u32; 4]]) -> Vec<u32> {
    let mut sets = Sets::new(vertices);
    for tet in tets {
        tet[1..].iter().for_each(|&v| sets.join(tet[0], v));
    }
    (0..vertices as u32).map(|v| sets.root(v)).collect()
}

/// How many pieces the tets fall into.
pub(crate) fn count_pieces(vertices: usize, tets: &[[u32; 4]]) -> usize {
    let pieces = pieces(vertices, tets);
    let mut roots: Vec<u32> = tets.iter().map(|tet| pieces[tet[0] as usize]).collect();
    roots.sort_unstable();
    roots.dedup();
    roots.len()
}

/// Tets of pieces that hold at least one of the inhabited tets.
pub(crate) fn inhabited_pieces(
    vertices: usize,
    tets: &[[u32; 4]],
    inhabited: impl Iterator<Item = u32>,
) -> Vec<[u32; 4]> {
    let pieces = pieces(vertices, tets);
    let piece = |tet: &[u32; 4]| pieces[tet[0] as usize] as usize;
    let mut kept = vec![false; vertices];
    for tet in inhabited {
        kept[piece(&tets[tet as usize])] = true;
    }
    tets.iter().copied().filter(|tet| kept[piece(tet)]).collect()
}

/// The tets of the piece that has the most of them.
pub(crate) fn largest_piece(vertices: usize, tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut sets = Sets::new(vertices);
    for tet in tets {
        tet[1..].iter().for_each(|&v| sets.join(tet[0], v));
    }
    let mut sizes = vec![0u32; vertices];
    for tet in tets {
        sizes[sets.root(tet[0]) as usize] += 1;
    }
    let most = sizes.iter().copied().max().unwrap_or(0);
    let largest = sizes.iter().position(|&size| size == most).unwrap_or(0) as u32;
    tets.iter().copied().filter(|tet| sets.root(tet[0]) == largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use crate::testing::joined;

    fn shell(shift: DVec3, size: f64) -> Mesh {
        let solid = shapes::solid_box(DVec3::splat(size), [2, 2, 2]).unwrap();
        let positions = solid.positions.iter().map(|x| *x + shift).collect();
        Mesh::surface(positions, solid.triangles)
    }

    fn turned(mut mesh: Mesh) -> Mesh {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        mesh
    }

    #[test]
    fn inward_pieces_are_turned_and_cavities_are_kept() {
        let outer = shell(DVec3::ZERO, 2.0);
        let hole = turned(shell(DVec3::ZERO, 1.0));
        let beside = turned(shell(DVec3::X * 5.0, 1.0));
        let soup = put_in_order(&joined(&[outer, hole, beside]));
        assert!((soup.mesh.volume() - (8.0 - 1.0 + 1.0)).abs() < 1e-9);
        assert!(soup.closed);
        let all_inward = put_in_order(&turned(shell(DVec3::ZERO, 2.0)));
        assert!((all_inward.mesh.volume() - 8.0).abs() < 1e-9);
    }

    #[test]
    fn repeats_and_mixed_windings_are_settled() {
        let mut mesh = shell(DVec3::ZERO, 2.0);
        mesh.triangles[5].swap(0, 1);
        let repeat = mesh.triangles[9];
        mesh.triangles.extend([repeat, [repeat[1], repeat[0], repeat[2]], [3, 3, 4], [0, 1, 99]]);
        let soup = put_in_order(&mesh);
        assert!((soup.mesh.volume() - 8.0).abs() < 1e-9);
    }

    #[test]
    fn a_pocket_folded_flat_leaves_the_surface_closed() {
        let mut mesh = shell(DVec3::ZERO, 2.0);
        let [a, b, _] = mesh.triangles[0];
        // Two walls of a fin on a side of the shell; its tip is a vertex of its own.
        let tip = mesh.positions.len() as u32;
        mesh.positions.push(DVec3::splat(1.5));
        mesh.triangles.extend([[a, b, tip], [b, a, tip]]);
        let soup = put_in_order(&mesh);
        assert!(soup.closed);
        assert_eq!(soup.mesh.triangles.len(), mesh.triangles.len() - 2);
        let sheet = shapes::cloth([1.0, 1.0], [3, 3]).unwrap().0;
        let two_sided = joined(&[sheet.clone(), turned(sheet.clone())]);
        assert_eq!(put_in_order(&two_sided).mesh.triangles.len(), sheet.triangles.len());
    }

    #[test]
    fn unwelded_triangles_are_welded() {
        let mesh = shell(DVec3::ZERO, 2.0);
        let corners = mesh.triangles.iter().flatten().map(|&v| mesh.positions[v as usize]);
        let positions: Vec<DVec3> = corners.collect();
        let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        let soup = put_in_order(&Mesh::surface(positions, triangles.collect()));
        assert!(soup.closed);
        let sheet = put_in_order(&shapes::cloth([1.0, 1.0], [3, 3]).unwrap().0);
        assert!(!sheet.closed);
        assert_eq!(sheet.open.triangles.len(), sheet.mesh.triangles.len());
    }
}
