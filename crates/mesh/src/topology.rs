//! Who touches whom: boundary faces and edges of tetrahedra.

/// The faces of a positively oriented tet, each seen counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// The edges of a tet.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The faces that belong to exactly one tet, facing outward, in the order of the tets.
///
/// ```
/// // Two tets glued on the face 1 2 3.
/// let faces = pliant_mesh::boundary_of_tets(&[[0, 1, 2, 3], [4, 1, 3, 2]]);
/// assert_eq!(faces.len(), 6);
/// assert!(!faces.contains(&[1, 2, 3]));
/// ```
pub fn boundary_of_tets(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut keyed: Vec<([u32; 3], usize)> = Vec::with_capacity(4 * tets.len());
    for (t, tet) in tets.iter().enumerate() {
        for (f, face) in FACES.iter().enumerate() {
            let mut key = face.map(|c| tet[c]);
            key.sort_unstable();
            keyed.push((key, 4 * t + f));
        }
    }
    keyed.sort_unstable();
    let mut single: Vec<usize> = keyed
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|same| if let [(_, at)] = same { Some(*at) } else { None })
        .collect();
    single.sort_unstable();
    single.into_iter().map(|at| FACES[at % 4].map(|c| tets[at / 4][c])).collect()
}

/// Every edge of the tets once, smaller vertex first, ascending.
///
/// ```
/// let edges = pliant_mesh::edges_of_tets(&[[3, 1, 2, 0]]);
/// assert_eq!(edges, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
/// ```
pub fn edges_of_tets(tets: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = tets
        .iter()
        .flat_map(|tet| EDGES.map(|[a, b]| [tet[a].min(tet[b]), tet[a].max(tet[b])]))
        .filter(|[a, b]| a != b)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The number of the edge-connected piece of every triangle, from 0 in the order of first
/// triangles.
///
/// ```
/// let triangles = [[0, 1, 2], [3, 4, 5], [2, 1, 6]];
/// assert_eq!(pliant_mesh::components_of_triangles(&triangles), [0, 1, 0]);
/// ```
pub fn components_of_triangles(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for (t, &[a, b, c]) in (0u32..).zip(triangles) {
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], t)));
    }
    sides.sort_unstable();
    let mut sets = Sets::new(triangles.len());
    for uses in sides.chunk_by(|a, b| a.0 == b.0) {
        uses[1..].iter().for_each(|&(_, t)| sets.join(uses[0].1, t));
    }
    let mut number = vec![u32::MAX; triangles.len()];
    let mut next = 0;
    (0..triangles.len() as u32)
        .map(|t| {
            let slot = &mut number[sets.root(t) as usize];
            if *slot == u32::MAX {
                (*slot, next) = (next, next + 1);
            }
            *slot
        })
        .collect()
}

/// Disjoint sets of numbers; the least of a set stands for it.
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(count: usize) -> Self {
        Sets((0..count as u32).collect())
    }

    pub fn root(&mut self, mut of: u32) -> u32 {
        while self.0[of as usize] != of {
            let up = self.0[self.0[of as usize] as usize];
            self.0[of as usize] = up;
            of = up;
        }
        of
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use glam::DVec3;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_box_has_eulers_number_of_edges() {
        let [nx, ny, nz] = [3usize, 4, 2];
        let solid = shapes::solid_box(DVec3::ONE, [nx, ny, nz]).unwrap();
        let faces = 4 * (nx * ny + ny * nz + nz * nx);
        assert_eq!(solid.triangles.len(), faces);
        // V − E + F − T = 1 for a ball, with F = (4T + boundary) / 2.
        let tets = solid.tets.len();
        let edges = edges_of_tets(&solid.tets).len();
        assert_eq!(edges, solid.positions.len() + (4 * tets + faces) / 2 - tets - 1);
    }

    proptest! {
        /// Every directed edge of a boundary is matched by the opposite one: it is closed and
        /// consistently oriented, whatever subset of a box the tets are.
        #[test]
        fn the_boundary_of_any_subset_is_closed(kept in proptest::collection::vec(any::<bool>(), 60)) {
            let solid = shapes::solid_box(DVec3::ONE, [2, 3, 2]).unwrap();
            let tets: Vec<_> = solid.tets.iter().zip(&kept).filter(|(_, k)| **k).map(|(t, _)| *t).collect();
            let mut balance: BTreeMap<[u32; 2], i32> = BTreeMap::new();
            for [a, b, c] in boundary_of_tets(&tets) {
                for [from, to] in [[a, b], [b, c], [c, a]] {
                    *balance.entry([from.min(to), from.max(to)]).or_default() += if from < to { 1 } else { -1 };
                }
            }
            prop_assert!(balance.values().all(|&sum| sum == 0));
        }
    }
}
