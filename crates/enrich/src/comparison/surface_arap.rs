//! Completion of untracked vertices by surface ARAP, which ignores the volume.
//!
//! \[sorkine2007\], as compared in Fig. 17 of \[li2017enriching\].
//!
//! Minimises Σ wᵢⱼ ‖(pᵢ′ − pⱼ′) − Rᵢ(pᵢ − pⱼ)‖² over edges with tracked vertices fixed, alternating
//! between rotations and positions. Negative cotangent weights are set to zero, since obtuse
//! triangles collapse otherwise.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::polar;
use pliant_math::team::Team;
use pliant_mesh::Mesh;

use crate::error::EnrichError;
use crate::numerics::poisson::FactoredMatrix;
use crate::numerics::{FreeVertices, vertex_flags};

/// Alternations between rotations and positions per frame.
const PASSES: usize = 100;
/// Diagonal that regularises pieces without a tracked vertex, relative to the mean row sum.
const REGULARISATION: f64 = 1e-6;

/// Factored matrix of a surface and memory of the completion.
pub struct SurfaceArap {
    rest: Vec<DVec3>,
    /// Neighbours j of each vertex i with wᵢⱼ.
    around: Vec<Vec<(u32, f64)>>,
    free: FreeVertices,
    /// Free vertices and their neighbours, whose rotations matter.
    near: Vec<usize>,
    regularisation: f64,
    factored: Option<FactoredMatrix>,
    team: Team,
}

impl SurfaceArap {
    /// Prepares the completion of a surface with some `tracked` vertices.
    ///
    /// # Errors
    /// A tracked vertex that the surface does not have.
    pub fn new(surface: &Mesh, tracked: &[u32], threads: usize) -> Result<Self, EnrichError> {
        let count = surface.positions.len();
        let free = FreeVertices::new(&vertex_flags("what is tracked", tracked, count)?);
        let around = cotangents(surface);
        let mut is_near = vec![false; count];
        for &v in free.vertices() {
            is_near[v] = true;
            around[v].iter().for_each(|(n, _)| is_near[*n as usize] = true);
        }
        let near = (0..count).filter(|&v| is_near[v]).collect();
        let sums: Vec<f64> = around.iter().map(|a| a.iter().map(|(_, w)| w).sum()).collect();
        let mean = sums.iter().sum::<f64>() / count.max(1) as f64;
        let regularisation = REGULARISATION * mean.max(f64::MIN_POSITIVE);
        let numbered = || free.vertices().iter().enumerate();
        let diagonal = numbered().map(|(k, &v)| (k, k, sums[v] + regularisation));
        let (free_number, weights) = (&free, &around);
        let off_diagonal = numbered().flat_map(|(k, &v)| {
            let coupled = weights[v].iter();
            coupled.filter_map(move |&(n, w)| Some((k, free_number.number(n as usize)?, -w)))
        });
        let team = Team::new(threads);
        let size = free.vertices().len();
        let factored = match size {
            0 => None,
            _ => Some(FactoredMatrix::new(size, diagonal.chain(off_diagonal), &team)?),
        };
        Ok(SurfaceArap {
            rest: surface.positions.clone(),
            around,
            free,
            near,
            regularisation,
            factored,
            team,
        })
    }

    /// Computes the untracked vertices of a frame from the tracked ones.
    pub fn complete(&mut self, frame: &mut [DVec3]) {
        let mut rotations = vec![DMat3::IDENTITY; frame.len()];
        for pass in 0..=PASSES {
            if pass > 0 {
                for &v in &self.near {
                    rotations[v] = self.rotation(v, frame);
                }
            }
            let mut right: Vec<DVec3> = Vec::with_capacity(self.free.vertices().len());
            for &v in self.free.vertices() {
                let mut sum = self.regularisation * self.rest[v];
                for &(n, w) in &self.around[v] {
                    let n = n as usize;
                    let mean = (rotations[v] + rotations[n]) * 0.5;
                    sum += w * (mean * (self.rest[v] - self.rest[n]));
                    if self.free.number(n).is_none() {
                        sum += w * frame[n];
                    }
                }
                right.push(sum);
            }
            if let Some(factored) = &mut self.factored {
                factored.solve(&mut right, &self.team);
            }
            self.free.vertices().iter().zip(right).for_each(|(&v, x)| frame[v] = x);
        }
    }

    /// Closest rotation of the edges around a vertex.
    fn rotation(&self, v: usize, frame: &[DVec3]) -> DMat3 {
        let outer = |y: DVec3, x: DVec3| DMat3::from_cols(y * x.x, y * x.y, y * x.z);
        let covariance = self.around[v].iter().fold(DMat3::ZERO, |sum, &(n, w)| {
            let n = n as usize;
            sum + outer(frame[v] - frame[n], self.rest[v] - self.rest[n]) * w
        });
        let rotation = polar(&covariance);
        if rotation.is_finite() { rotation } else { DMat3::IDENTITY }
    }
}

/// Cotangent weights ½(cot α + cot β) of every edge, at least 0, listed at both its ends.
fn cotangents(surface: &Mesh) -> Vec<Vec<(u32, f64)>> {
    let mut edges: Vec<(u32, u32, f64)> = Vec::new();
    for triangle in &surface.triangles {
        for k in 0..3 {
            let [i, j, o] = [triangle[k], triangle[(k + 1) % 3], triangle[(k + 2) % 3]];
            let [a, b, c] = [i, j, o].map(|v| surface.positions[v as usize]);
            let (u, v) = (a - c, b - c);
            let cotangent = u.dot(v) / u.cross(v).length();
            if cotangent.is_finite() {
                edges.push((i.min(j), i.max(j), 0.5 * cotangent));
            }
        }
    }
    edges.sort_by_key(|&(i, j, _)| (i, j));
    let mut around = vec![Vec::new(); surface.positions.len()];
    for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (i, j, _) = same[0];
        let weight: f64 = same.iter().map(|e| e.2).sum::<f64>().max(0.0);
        around[i as usize].push((j, weight));
        around[j as usize].push((i, weight));
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    #[test]
    fn a_turn_of_what_is_tracked_turns_the_rest() {
        let bar = shapes::solid_box(DVec3::new(1.0, 0.5, 0.5), [4, 2, 2]).unwrap();
        let tracked: Vec<u32> =
            (0u32..).zip(&bar.positions).filter(|(_, x)| x.x < 0.01).map(|(v, _)| v).collect();
        let turn = DMat3::from_rotation_y(0.7) * DMat3::from_rotation_x(0.4);
        let mut frame = bar.positions.clone();
        tracked.iter().for_each(|&v| frame[v as usize] = turn * frame[v as usize] + DVec3::Y);
        SurfaceArap::new(&bar, &tracked, 1).unwrap().complete(&mut frame);
        for &v in bar.triangles.iter().flatten() {
            let (x, y) = (bar.positions[v as usize], frame[v as usize]);
            assert!((turn * x + DVec3::Y).distance(y) < 1e-3, "{x} went to {y}");
        }
    }
}
