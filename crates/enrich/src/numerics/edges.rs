//! Edges of a surface and how much they are stretched.

use glam::DVec3;
use pliant_mesh::Mesh;

/// The edges of a surface, each once.
#[derive(Clone, Debug)]
pub struct SurfaceEdges {
    pairs: Vec<[u32; 2]>,
    /// Longest side of the surface's bounding box, or 1 if it has none.
    size: f64,
}

impl SurfaceEdges {
    /// Collects the edges of a surface.
    pub fn new(rest: &Mesh) -> Self {
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for &[a, b, c] in &rest.triangles {
            pairs.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let size = rest.bounds().map_or(1.0, |b| b.size().max_element());
        SurfaceEdges { pairs, size: if size > 0.0 { size } else { 1.0 } }
    }

    /// Longest side of the surface's bounding box, or 1 if it has none.
    pub fn size(&self) -> f64 {
        self.size
    }

    #[cfg(test)]
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Edges stretched more than `beyond` times between input and output, and more than
    /// `of_neighbours` times as much as the edges around them.
    pub fn outliers(
        &self,
        input: &[DVec3],
        output: &[DVec3],
        [beyond, of_neighbours]: [f64; 2],
    ) -> Vec<[u32; 2]> {
        let length = |x: &[DVec3], [a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
        let stretch =
            |&edge: &[u32; 2]| length(output, edge) / length(input, edge).max(1e-6 * self.size);
        let stretches: Vec<f64> = self.pairs.iter().map(stretch).collect();
        if stretches.iter().all(|&s| s <= beyond) {
            return Vec::new();
        }
        // The mean stretch around a vertex distinguishes a spike from a stretched region.
        let mut around = vec![(0.0f64, 0.0f64); input.len()];
        for (&edge, &s) in self.pairs.iter().zip(&stretches) {
            for v in edge {
                around[v as usize].0 += s;
                around[v as usize].1 += 1.0;
            }
        }
        let stands_out = |&(&[a, b], &s): &(&[u32; 2], &f64)| {
            // All edges of a displaced vertex are long; the other edges of its neighbour are not.
            let beside = |v: u32| {
                let (sum, count) = around[v as usize];
                (sum - s) / (count - 1.0f64).max(1.0)
            };
            s > beyond && s > of_neighbours * beside(a).min(beside(b))
        };
        self.pairs.iter().zip(&stretches).filter(stands_out).map(|(&edge, _)| edge).collect()
    }
}
