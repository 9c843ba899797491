//! Differences between the input and the enriched animation.

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::numerics::edges::SurfaceEdges;

/// Stretch beyond which an edge is a spike, …
const SPIKE: f64 = 3.0;
/// … if it is also this many times the mean stretch of the edges around it.
const OF_NEIGHBOURS: f64 = 5.0;

/// Differences between input and result, over all frames so far.
#[derive(Clone, Debug)]
pub struct Measures {
    edges: SurfaceEdges,
    size: f64,
    free_squares: f64,
    free_count: usize,
    per_frame: Vec<f64>,
    /// Greatest distance from the input among vertices that follow exactly.
    pub follow_error: f64,
    /// Greatest distance from the input among all vertices, relative to the mesh's size.
    pub most_motion: f64,
    /// Number of edges that became spikes, over all frames.
    pub spikes: usize,
}

impl Measures {
    /// Starts the measures of an animation of a mesh.
    pub fn new(rest: &Mesh) -> Self {
        let edges = SurfaceEdges::new(rest);
        let size = edges.size();
        Measures {
            edges,
            size,
            free_squares: 0.0,
            free_count: 0,
            per_frame: Vec::new(),
            follow_error: 0.0,
            most_motion: 0.0,
            spikes: 0,
        }
    }

    /// Adds a frame; `is_exact` marks vertices that should equal the input.
    pub fn add(&mut self, input: &[DVec3], output: &[DVec3], is_exact: &[bool]) {
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
        self.spikes += self.edges.outliers(input, output, [SPIKE, OF_NEIGHBOURS]).len();
    }

    /// Root mean square distance of the free vertices from the input in each frame, relative to the
    /// mesh's size.
    pub fn per_frame(&self) -> &[f64] {
        &self.per_frame
    }

    /// Root mean square distance of the free vertices from the input, relative to the mesh's size.
    pub fn motion_added(&self) -> f64 {
        (self.free_squares / self.free_count.max(1) as f64).sqrt() / self.size
    }
}
