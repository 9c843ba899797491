//! The edges that bodies may cut each other with: sharp and convex at rest.

use glam::DVec3;

/// Cosine of the angle between the normals of two sides from which on their edge is sharp: 50°.
/// What is rounder than that has vertices all over.
const SHARP: f64 = 0.643;

/// An edge between two triangles of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sharp {
    pub ends: [u32; 2],
    /// The third corners of its triangles: that in which it goes from the first end to the second,
    /// and the other.
    pub sides: [u32; 2],
    pub body: u32,
}

impl Sharp {
    /// The sharp edges of a closed surface's triangles, with vertices at `rest`.
    pub fn all(body: u32, triangles: &[[u32; 3]], rest: &[DVec3]) -> Vec<Sharp> {
        // Low end, high end, whether it goes up, third corner.
        let halves = |&[a, b, c]: &[u32; 3]| {
            [[a, b, c], [b, c, a], [c, a, b]].map(|[p, q, r]| (p.min(q), p.max(q), p > q, r))
        };
        let mut halves: Vec<(u32, u32, bool, u32)> = triangles.iter().flat_map(halves).collect();
        halves.sort_unstable();
        let edges = halves.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        let whole = edges.filter_map(|same| match *same {
            [(a, b, false, left), (_, _, true, right)] => {
                Some(Sharp { ends: [a, b], sides: [left, right], body })
            }
            _ => None,
        });
        whole.filter(|edge| edge.is_sharp(rest)).collect()
    }

    fn is_sharp(&self, rest: &[DVec3]) -> bool {
        let at = |v: u32| rest[v as usize];
        let [left, right] = self.normals(at).map(|n| n.normalize_or_zero());
        let drops = left.dot(at(self.sides[1]) - at(self.ends[0])) < 0.0;
        drops && left.dot(right) < SHARP
    }

    /// Outward normals of its triangles, as long as twice their areas \[m²\].
    fn normals(&self, at: impl Fn(u32) -> DVec3) -> [DVec3; 2] {
        let ([a, b], [c, d]) = (self.ends.map(&at), self.sides.map(&at));
        [(b - a).cross(c - a), (a - b).cross(d - b)]
    }

    /// Where its body's outside is.
    pub fn outward(&self, at: impl Fn(u32) -> DVec3) -> DVec3 {
        self.normals(at).iter().map(|n| n.normalize_or_zero()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::{boundary_of_tets, shapes};

    #[test]
    fn a_box_has_its_twelve_edges() {
        let mesh = shapes::solid_box(DVec3::new(3.0, 2.0, 1.0), [3, 2, 1]).unwrap();
        let triangles = boundary_of_tets(&mesh.tets);
        let edges = Sharp::all(7, &triangles, &mesh.positions);
        assert_eq!(edges.len(), 4 * (3 + 2 + 1), "a piece per cell");
        for edge in &edges {
            let [a, b] = edge.ends.map(|v| mesh.positions[v as usize]);
            let outward = edge.outward(|v| mesh.positions[v as usize]);
            assert!(outward.dot(a + b) > 0.0 && edge.body == 7);
            let steps = (b - a).abs().to_array().into_iter().filter(|d| *d > 1e-9).count();
            assert_eq!(steps, 1, "no diagonals");
        }
    }
}
