//! How well what is not tracked was completed, where the truth is known: distances from it, and how many
//! triangles cross each other.

use glam::DVec3;
use pliant_mesh::Mesh;
use pliant_mesh::diagnosis::{self, FindingKind};

/// Sums over frames of what is not tracked.
#[derive(Clone, Debug)]
pub struct Hidden {
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// Those all of whose corners are tracked.
    seen: Vec<[u32; 3]>,
    sum: f64,
    frames: usize,
    /// The greatest distance from the truth, in the animation's unit.
    pub most: f64,
    /// Triangles that would not be crossed were it not for what is hidden, over the frames that were asked
    /// for them.
    pub crossings: usize,
}

impl Hidden {
    /// For a mesh of which some vertices are tracked; none where all are.
    pub fn of(rest: &Mesh, tracked: &[u32]) -> Option<Hidden> {
        let mut is_tracked = vec![false; rest.positions.len()];
        for &v in tracked {
            if let Some(tracked) = is_tracked.get_mut(v as usize) {
                *tracked = true;
            }
        }
        let vertices: Vec<u32> =
            (0u32..).zip(&is_tracked).filter(|(_, t)| !**t).map(|(v, _)| v).collect();
        let triangles = rest.triangles.clone();
        let all_seen = |t: &&[u32; 3]| t.iter().all(|&v| is_tracked[v as usize]);
        let seen = triangles.iter().filter(all_seen).copied().collect();
        let hidden =
            Hidden { vertices, triangles, seen, sum: 0.0, frames: 0, most: 0.0, crossings: 0 };
        (!hidden.vertices.is_empty()).then_some(hidden)
    }

    /// Adds a frame; `counts` says whether crossings are counted, which takes time.
    pub fn add(&mut self, truth: &[DVec3], completed: &[DVec3], counts: bool) {
        self.frames += 1;
        for &v in &self.vertices {
            let off = truth[v as usize].distance(completed[v as usize]);
            self.sum += off;
            self.most = self.most.max(off);
        }
        if counts {
            self.crossings += self.crossings_of(completed);
        }
    }

    /// Triangles that would not be crossed were it not for what is hidden. What a camera has seen crosses
    /// itself as it likes.
    pub fn crossings_of(&self, positions: &[DVec3]) -> usize {
        let [all, seen] = [&self.triangles, &self.seen].map(|t| crossings(positions, t));
        all.saturating_sub(seen)
    }

    /// How many vertices are not tracked.
    pub fn count(&self) -> usize {
        self.vertices.len()
    }

    /// Mean distance from the truth, in the animation's unit.
    pub fn mean(&self) -> f64 {
        self.sum / (self.frames * self.vertices.len()).max(1) as f64
    }
}

/// Triangles of a surface that another one passes through.
fn crossings(positions: &[DVec3], triangles: &[[u32; 3]]) -> usize {
    let mesh = Mesh::surface(positions.to_vec(), triangles.to_vec());
    let findings = diagnosis::findings(&mesh);
    let own = findings.iter().filter(|f| f.kind == FindingKind::SelfIntersection);
    own.map(|finding| finding.count).sum()
}
