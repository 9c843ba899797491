//! Positions from gradients: minimises Σ V ‖∇x − G‖² over tetrahedra.
//!
//! The matrix Σ V ∇Nᵢ·∇Nⱼ depends only on the rest shape, and is factored once.

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::Team;
use pliant_mesh::Mesh;

use crate::error::EnrichError;

/// A tet with its shape function gradients [1/m] and its volume \[m³\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Vertices.
    pub corners: [u32; 4],
    /// Gradient ∇N of each corner's shape function.
    pub gradients: [DVec3; 4],
    /// Rest volume V.
    pub volume: f64,
}

impl Element {
    /// Elements of all tets of a solid at rest.
    pub fn all(solid: &Mesh) -> Vec<Element> {
        let element = |&corners: &[u32; 4]| {
            let [o, a, b, c] = corners.map(|v| solid.positions[v as usize]);
            let edges = DMat3::from_cols(a - o, b - o, c - o);
            let inverse = edges.inverse().transpose();
            let [ga, gb, gc] = [inverse.x_axis, inverse.y_axis, inverse.z_axis];
            let gradients = [-(ga + gb + gc), ga, gb, gc];
            Element { corners, gradients, volume: edges.determinant() / 6.0 }
        };
        solid.tets.iter().map(element).collect()
    }

    /// Deformation gradient F when vertices are at `positions`.
    pub fn deformation(&self, positions: &[DVec3]) -> DMat3 {
        let outer = |x: DVec3, g: DVec3| DMat3::from_cols(x * g.x, x * g.y, x * g.z);
        let corners = self.corners.iter().zip(self.gradients);
        corners.fold(DMat3::ZERO, |f, (&v, g)| f + outer(positions[v as usize], g))
    }

    /// Entries (i, j, V ∇Nᵢ·∇Nⱼ) of the matrix, both triangles.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..16).map(|k| {
            let (i, j) = (k / 4, k % 4);
            let value = self.volume * self.gradients[i].dot(self.gradients[j]);
            (self.corners[i] as usize, self.corners[j] as usize, value)
        })
    }

    /// Adds V G ∇N to the right-hand sides of its corners.
    pub fn push(&self, gradient: &DMat3, right: &mut [DVec3]) {
        for (&v, own) in self.corners.iter().zip(self.gradients) {
            right[v as usize] += self.volume * (*gradient * own);
        }
    }
}

/// A symmetric matrix over vertices, ready for solves with three right-hand sides.
pub struct FactoredMatrix {
    order: Vec<usize>,
    factor: PanelCholesky<f64>,
    work: PanelWork<f64>,
    rows: Vec<Row>,
}

impl FactoredMatrix {
    /// Factors the matrix of some entries; duplicates add up, entries above the diagonal are
    /// ignored.
    pub fn new(
        size: usize,
        entries: impl Iterator<Item = (usize, usize, f64)>,
        team: &Team,
    ) -> Result<Self, EnrichError> {
        let matrix = SymmetricMatrix::from_triplets(size, entries.filter(|(i, j, _)| i >= j))?;
        let order = nested_dissection(&matrix.adjacency())?;
        let factor = PanelCholesky::<f64>::new(&matrix.permuted(&order)?)?;
        let work = PanelWork::new(&factor, team.size());
        Ok(FactoredMatrix { rows: vec![Row::zero(); order.len()], order, factor, work })
    }

    /// Solves in place: x ← A⁻¹x.
    pub fn solve(&mut self, x: &mut [DVec3], team: &Team) {
        for (row, &v) in self.rows.iter_mut().zip(&self.order) {
            *row = x[v].into();
        }
        self.factor.solve(&mut self.rows, &mut self.work, team);
        for (row, &v) in self.rows.iter().zip(&self.order) {
            x[v] = row.xyz();
        }
    }
}
