//! A surface Γ bound to the tetrahedra Ω that enclose it: section 4.1, and 8.1 for rest shapes that
//! touch themselves.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::{
    Embedding, Mesh, TetOptions, TetReport, tetrahedralise, tetrahedralise_separated,
};
use pliant_model::potentials::Tracked;

use crate::error::EnrichError;

/// Γ, Ω, and the interpolation C between them.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Γ at rest.
    pub surface: Mesh,
    /// Ω at rest.
    pub solid: Mesh,
    /// C: for every vertex of Γ a tet of Ω with weights.
    pub embedding: Embedding,
    /// What came of filling Γ.
    pub report: TetReport,
    /// Share of Γ's area at each of its vertices, the diagonal of Λ \[m²\].
    pub areas: Vec<f64>,
}

impl Bound {
    /// Fills a surface; `separated` is a pose of it whose parts do not touch, where the rest shape's
    /// do (Fig. 12).
    ///
    /// ```
    /// use pliant_enrich::Bound;
    /// use pliant_math::team::Team;
    /// use pliant_mesh::{DVec3, Resolution, TetOptions, shapes};
    /// let surface = shapes::solid_box(DVec3::ONE, [4, 4, 4])?;
    /// let options = TetOptions { resolution: Resolution::Cells(8), ..TetOptions::default() };
    /// let bound = Bound::new(surface, None, &options, &Team::new(1))?;
    /// assert!((bound.areas.iter().sum::<f64>() - 6.0).abs() < 1e-12);
    /// # Ok::<(), pliant_enrich::EnrichError>(())
    /// ```
    pub fn new(
        surface: Mesh,
        separated: Option<&Mesh>,
        options: &TetOptions,
        team: &Team,
    ) -> Result<Self, EnrichError> {
        let filled = match separated {
            Some(pose) => tetrahedralise_separated(&surface, pose, options, team)?,
            None => tetrahedralise(&surface, options, team)?,
        };
        Ok(Bound {
            areas: vertex_areas(&surface),
            surface,
            solid: filled.solid,
            embedding: filled.embedding,
            report: filled.report,
        })
    }

    /// The corners of the tet that a vertex of Γ is bound to.
    pub fn corners(&self, vertex: usize) -> [u32; 4] {
        self.solid.tets[self.embedding.tets[vertex] as usize]
    }

    /// The points of C′ for vertices of Γ, pulled with λ = area ÷ γ.
    pub fn tracked(&self, vertices: &[u32], gamma: f64) -> Vec<Tracked> {
        let point = |&v: &u32| Tracked {
            corners: self.corners(v as usize),
            weights: self.embedding.weights[v as usize],
            stiffness: self.areas[v as usize] / gamma,
        };
        vertices.iter().map(point).collect()
    }

    /// C u: where a vertex of Γ is when Ω's vertices are at `solid` \[m\].
    pub fn carried(&self, vertex: usize, solid: &[DVec3]) -> DVec3 {
        let weighted = self.corners(vertex).into_iter().zip(self.embedding.weights[vertex]);
        weighted.map(|(v, w)| w * solid[v as usize]).sum()
    }

    /// The vertices of Ω that vertices of Γ hang on, ascending: Ω″ for Γ″.
    pub fn holders(&self, vertices: &[u32]) -> Vec<u32> {
        let mut held: Vec<u32> =
            vertices.iter().flat_map(|&v| self.corners(v as usize)).collect();
        held.sort_unstable();
        held.dedup();
        held
    }
}

/// A third of every triangle's area to each of its corners \[m²\].
fn vertex_areas(surface: &Mesh) -> Vec<f64> {
    let mut areas = vec![0.0; surface.positions.len()];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|v| surface.positions[v as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        if third.is_finite() {
            triangle.iter().for_each(|&v| areas[v as usize] += third);
        }
    }
    areas
}
