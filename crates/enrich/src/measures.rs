//! What an enrichment did to an animation, in numbers.

use glam::DVec3;
use pliant_mesh::Mesh;

/// An edge is a spike when it is longer than so many times its input length …
const SPIKE: f64 = 3.0;
/// … and stretched so many times more than the edges around it.
const OF_NEIGHBOURS: f64 = 5.0;

/// Differences between input and result, over all frames so far.
#[derive(Clone, Debug)]
pub struct Measures {
    edges: Edges,
    size: f64,
    frames: usize,
    free_squares: f64,
    free_count: usize,
    per_frame: Vec<f64>,
    /// The greatest distance from the input of what follows exactly.
    pub follow_error: f64,
    /// The greatest distance from the input of anything, relative to the mesh's size.
    pub most_motion: f64,
    /// Edges that became spikes, over all frames.
    pub spikes: usize,
}

impl Measures {
    /// Of an animation of a mesh.
    pub fn new(rest: &Mesh) -> Self {
        let edges = Edges::new(rest);
        let size = edges.size;
        Measures {
            edges,
            size,
            frames: 0,
            free_squares: 0.0,
            free_count: 0,
            per_frame: Vec::new(),
            follow_error: 0.0,
            most_motion: 0.0,
            spikes: 0,
        }
    }

    /// Adds a frame: what went in, what came out, and what should be the same.
    pub fn add(&mut self, input: &[DVec3], output: &[DVec3], is_exact: &[bool]) {
        self.frames += 1;
        let (squares, count) = (self.free_squares, self.free_count);
        for ((a, b), &exact) in input.iter().zip(output).zip(is_exact) {
            let off = a.distance(*b);
            if exact {
                self.follow_error = self.follow_error.max(off);
            } else {
                self.free_squares += off * off;
                self.free_count += 1;
            }
            self.most_motion = self.most_motion.max(off / self.size);
        }
        let count = (self.free_count - count).max(1) as f64;
        self.per_frame.push(((self.free_squares - squares) / count).sqrt() / self.size);
        self.spikes += self.edges.standing_out(input, output, [SPIKE, OF_NEIGHBOURS]).len();
    }

    /// Of every frame: the root mean square distance from the input of what is free, relative to the mesh's
    /// size.
    pub fn per_frame(&self) -> &[f64] {
        &self.per_frame
    }

    /// Root mean square distance from the input of what is free, relative to the mesh's size.
    pub fn motion_added(&self) -> f64 {
        (self.free_squares / self.free_count.max(1) as f64).sqrt() / self.size
    }
}

/// The edges of a surface.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    pairs: Vec<[u32; 2]>,
    /// The surface's longest side, or 1 without any.
    size: f64,
}

impl Edges {
    pub(crate) fn new(rest: &Mesh) -> Self {
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for &[a, b, c] in &rest.triangles {
            pairs.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let size = rest.bounds().map_or(1.0, |b| b.size().max_element());
        Edges { pairs, size: if size > 0.0 { size } else { 1.0 } }
    }

    #[cfg(test)]
    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Those that are longer in the output than some times their input length, and stretched some times more
    /// than the edges around them.
    pub(crate) fn standing_out(
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
        // The mean stretch around a vertex tells a spike from a region that is stretched.
        let mut around = vec![(0.0f64, 0.0f64); input.len()];
        for (&edge, &s) in self.pairs.iter().zip(&stretches) {
            for v in edge {
                around[v as usize].0 += s;
                around[v as usize].1 += 1.0;
            }
        }
        let stands_out = |&(&[a, b], &s): &(&[u32; 2], &f64)| {
            // All edges of a vertex that was thrown out are long: those at its neighbour are not.
            let beside = |v: u32| {
                let (sum, count) = around[v as usize];
                (sum - s) / (count - 1.0f64).max(1.0)
            };
            s > beyond && s > of_neighbours * beside(a).min(beside(b))
        };
        self.pairs.iter().zip(&stretches).filter(stands_out).map(|(&edge, _)| edge).collect()
    }
}
