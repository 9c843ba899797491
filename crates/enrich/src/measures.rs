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
    edges: Vec<[u32; 2]>,
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
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for &[a, b, c] in &rest.triangles {
            edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        edges.sort_unstable();
        edges.dedup();
        let size = rest.bounds().map_or(1.0, |b| b.size().max_element());
        Measures {
            edges,
            size: if size > 0.0 { size } else { 1.0 },
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
        let length = |x: &[DVec3], [a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
        let stretch: Vec<f64> = self
            .edges
            .iter()
            .map(|&edge| length(output, edge) / length(input, edge).max(1e-6 * self.size))
            .collect();
        // The mean stretch around a vertex tells a spike from a region that is stretched.
        let mut around = vec![(0.0f64, 0.0f64); input.len()];
        for (&[a, b], &s) in self.edges.iter().zip(&stretch) {
            for v in [a, b] {
                around[v as usize].0 += s;
                around[v as usize].1 += 1.0;
            }
        }
        for (&[a, b], &s) in self.edges.iter().zip(&stretch) {
            // All edges of a vertex that was thrown out are long: those at its neighbour are not.
            let beside = |v: u32| {
                let (sum, count) = around[v as usize];
                (sum - s) / (count - 1.0f64).max(1.0)
            };
            let others = beside(a).min(beside(b));
            if s > SPIKE && s > OF_NEIGHBOURS * others {
                self.spikes += 1;
            }
        }
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
