//! An energy of single points, given as a function of the position: for experiments.
//!
//! Textbook systems of one particle (Dinev 2020, Eq. 3.12, 3.31 and Fig. 3.27) are bodies of points
//! ([`crate::Body::points`]) in such an energy.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::decomposition::symmetric_eigen;

use super::chunks::{Chunk, point_chunks, points};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;

/// An energy at one position, with its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointResponse {
    /// E \[J\].
    pub energy: f64,
    /// ∇E \[N\].
    pub gradient: DVec3,
    /// ∇²E [N/m].
    pub hessian: DMat3,
}

/// An energy as a function of a point's position \[m\].
pub type PointLaw = Arc<dyn Fn(DVec3) -> PointResponse + Send + Sync>;

/// The same energy for each of some vertices.
pub struct PointEnergy {
    vertices: Vec<u32>,
    law: PointLaw,
}

impl PointEnergy {
    /// For model vertices; [`crate::ModelBuilder::point_energy`] takes a body's own.
    pub fn new(vertices: Vec<u32>, law: PointLaw) -> Self {
        PointEnergy { vertices, law }
    }

    fn at<'a>(&'a self, chunk: usize, at: &'a Situation) -> impl Iterator<Item = PointResponse> {
        let positions = points(&self.vertices, chunk).iter().map(|&v| at.positions[v as usize]);
        positions.map(|x| (self.law)(x.xyz()))
    }
}

impl Potential for PointEnergy {
    fn name(&self) -> &'static str {
        "point energy"
    }

    fn chunk_count(&self) -> usize {
        point_chunks(&self.vertices)
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        Chunk::of_points(points(&self.vertices, chunk))
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let out = gradient.unwrap_or(&mut []);
        let mut energy = 0.0;
        for (i, response) in self.at(chunk, at).enumerate() {
            energy += response.energy;
            if let Some(row) = out.get_mut(i) {
                *row = response.gradient.into();
            }
        }
        energy
    }

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        for (out, response) in out.chunks_exact_mut(9).zip(self.at(chunk, at)) {
            let hessian = match curvature {
                Curvature::Exact => response.hessian,
                Curvature::Definite => without_negative(&response.hessian),
            };
            out.copy_from_slice(&hessian.to_cols_array());
        }
    }

    /// None: nothing is known of the law's stiffness but where it is asked.
    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}

    fn is_in_proxy(&self) -> bool {
        false
    }
}

/// A symmetric matrix with its negative eigenvalues set to zero.
fn without_negative(matrix: &DMat3) -> DMat3 {
    let eigen = symmetric_eigen(matrix);
    let kept = DMat3::from_diagonal(eigen.values.max(DVec3::ZERO));
    eigen.vectors * kept * eigen.vectors.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definite_hessian_keeps_what_is_positive() {
        let turn = DMat3::from_rotation_y(0.7) * DMat3::from_rotation_z(0.3);
        let made = |values: DVec3| turn * DMat3::from_diagonal(values) * turn.transpose();
        let seen = without_negative(&made(DVec3::new(3.0, -2.0, 0.5)));
        let off = (seen - made(DVec3::new(3.0, 0.0, 0.5))).to_cols_array();
        assert!(off.iter().all(|e| e.abs() < 1e-14), "{off:?}");
    }
}
