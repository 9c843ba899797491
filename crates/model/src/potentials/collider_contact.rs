//! Contact with moving obstacles: Σ E(d) over free vertices, d < 0 their signed distance.
//!
//! E is ½ k d² (repulsion springs, thesis Eq. 3.58) or −k d³ (FEPR paper, section 3.2). Distances
//! are measured anew at every evaluation, so the energy is a function of positions and poses
//! alone: with surface points instanced once per step it would jump from step to step. Vertices
//! are not projected to the surface before the step, as they are in the paper: that changes the
//! energy by what no account knows.
//!
//! With the slope g = ∇d, of length 1 but in shapes that are smoothed:
//!
//! ```text
//! ∇E = E′ g,     ∇²E = E″ g gᵀ + E′ ∇²d.
//! ```
//!
//! E′ < 0, so the definite Hessian lacks the curvature of convex directions.

use glam::DMat3;
use pliant_math::Row;
use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};

use super::chunks::{Chunk, point_chunks, points};
use super::compliant::{CompliantElement, CompliantPotential};
use super::contact_potential::{ContactPotential, point_hessians, square};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;
use crate::collider::{Collider, Placed};

/// Contact of free vertices of a body with all colliders, posed by [`crate::Drive::colliders`].
pub struct ColliderContact {
    vertices: Vec<u32>,
    colliders: Vec<Collider>,
}

impl ColliderContact {
    /// For these model vertices: hard ones go where they are driven, whatever is there.
    pub fn new(vertices: Vec<u32>, colliders: Vec<Collider>) -> Self {
        ColliderContact { vertices, colliders }
    }

    fn placed<'a>(&'a self, at: &'a Situation) -> impl Iterator<Item = Placed<'a>> {
        self.colliders.iter().zip(&at.contact_drive().colliders).map(|(c, pose)| c.placed(pose))
    }
}

impl Potential for ColliderContact {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn chunk_count(&self) -> usize {
        point_chunks(&self.vertices)
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        Chunk::of_points(points(&self.vertices, chunk))
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let out = gradient.unwrap_or(&mut []);
        out.fill(Row::zero());
        let (mut energy, lead) = (0.0, at.contact_lead());
        for placed in self.placed(at) {
            for (i, &v) in points(&self.vertices, chunk).iter().enumerate() {
                let Some(nearest) = placed.touch(at.contact_position(v)) else { continue };
                energy += placed.collider.energy(nearest.distance) / lead;
                if let Some(row) = out.get_mut(i) {
                    *row = *row - Row::from(placed.collider.push(&nearest));
                }
            }
        }
        energy
    }

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        point_hessians(self, chunk, at, curvature, out);
    }

    /// None: which vertices touch changes from step to step, and the quasi-Newton loop learns it.
    /// Stiffness given to all would hold back the many that touch nothing.
    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}

    fn as_contact(&self) -> Option<&dyn ContactPotential> {
        Some(self)
    }

    fn as_compliant(&self) -> Option<&dyn CompliantPotential> {
        Some(self)
    }
}

impl ContactPotential for ColliderContact {
    fn stiff_points(
        &self,
        chunk: usize,
        at: &Situation,
        curvature: Curvature,
        felt: Option<&[Row]>,
        visit: &mut dyn FnMut(usize, DMat3),
    ) {
        let lead = at.contact_lead();
        let is_pushed = |place: usize| felt.is_none_or(|felt| felt[place] != Row::zero());
        let vertices = points(&self.vertices, chunk).iter().enumerate();
        for placed in self.placed(at) {
            for (place, &v) in vertices.clone().filter(|(place, _)| is_pushed(*place)) {
                let x = at.contact_position(v);
                let Some(nearest) = placed.touch(x) else { continue };
                let (d, force) = (nearest.distance, placed.collider.force(nearest.distance));
                let pull = placed.shape.bend(x, &nearest) * -force;
                let pull = if curvature == Curvature::Exact { pull } else { definite(pull) };
                let slope = nearest.slope * nearest.slope * placed.collider.slope(d);
                let hessian = square(nearest.normal) * slope + pull;
                visit(place, hessian * lead);
            }
        }
    }
}

impl CompliantPotential for ColliderContact {
    fn visit_elements(&self, visit: &mut dyn FnMut(CompliantElement)) {
        visit(CompliantElement::Touching);
    }
}

/// A symmetric matrix without its negative eigenvalues.
fn definite(matrix: DMat3) -> DMat3 {
    if matrix == DMat3::ZERO || !matrix.is_finite() {
        return DMat3::ZERO;
    }
    let SymmetricEigen { values, vectors } = symmetric_eigen(&matrix);
    let kept = (0..3).filter(|&k| values[k] > 0.0);
    kept.fold(DMat3::ZERO, |sum, k| sum + square(vectors.col(k)) * values[k])
}
