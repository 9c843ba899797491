//! Error of the completed (untracked) vertices where the true animation is known.

use glam::DVec3;
use pliant_mesh::Mesh;
use pliant_mesh::diagnosis::{self, FindingKind};

/// Distances of untracked vertices from the truth and triangle crossings, summed over frames.
#[derive(Clone, Debug)]
pub struct CompletionError {
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// Triangles whose three corners are tracked.
    tracked_triangles: Vec<[u32; 3]>,
    sum: f64,
    frames: usize,
    /// Greatest distance from the truth, in the animation's unit.
    pub max: f64,
    /// Crossed triangles that untracked vertices cause, summed over the frames counted.
    pub crossings: usize,
}

impl CompletionError {
    /// Starts the error of a mesh with some `tracked` vertices; `None` if all are tracked.
    pub fn new(rest: &Mesh, tracked: &[u32]) -> Option<CompletionError> {
        let mut is_tracked = vec![false; rest.positions.len()];
        for &v in tracked {
            if let Some(tracked) = is_tracked.get_mut(v as usize) {
                *tracked = true;
            }
        }
        let vertices: Vec<u32> =
            (0u32..).zip(&is_tracked).filter(|(_, t)| !**t).map(|(v, _)| v).collect();
        let triangles = rest.triangles.clone();
        let all_tracked = |t: &&[u32; 3]| t.iter().all(|&v| is_tracked[v as usize]);
        let tracked_triangles = triangles.iter().filter(all_tracked).copied().collect();
        (!vertices.is_empty()).then_some(CompletionError {
            vertices,
            triangles,
            tracked_triangles,
            sum: 0.0,
            frames: 0,
            max: 0.0,
            crossings: 0,
        })
    }

    /// Adds a frame; `counts_crossings` also counts its crossed triangles, which takes time.
    pub fn add(&mut self, truth: &[DVec3], completed: &[DVec3], counts_crossings: bool) {
        self.frames += 1;
        for &v in &self.vertices {
            let off = truth[v as usize].distance(completed[v as usize]);
            self.sum += off;
            self.max = self.max.max(off);
        }
        if counts_crossings {
            self.crossings += self.crossings_of(completed);
        }
    }

    /// Crossed triangles that untracked vertices cause: all minus those among tracked triangles,
    /// whose crossings the input already has.
    pub fn crossings_of(&self, positions: &[DVec3]) -> usize {
        let [all, tracked] =
            [&self.triangles, &self.tracked_triangles].map(|t| crossings(positions, t));
        all.saturating_sub(tracked)
    }

    /// Number of untracked vertices.
    pub fn count(&self) -> usize {
        self.vertices.len()
    }

    /// Mean distance from the truth, in the animation's unit.
    pub fn mean(&self) -> f64 {
        self.sum / (self.frames * self.vertices.len()).max(1) as f64
    }
}

/// Number of triangles of a surface that another triangle passes through.
fn crossings(positions: &[DVec3], triangles: &[[u32; 3]]) -> usize {
    let mesh = Mesh::surface(positions.to_vec(), triangles.to_vec());
    let findings = diagnosis::findings(&mesh);
    let own = findings.iter().filter(|f| f.kind == FindingKind::SelfIntersection);
    own.map(|finding| finding.count).sum()
}
