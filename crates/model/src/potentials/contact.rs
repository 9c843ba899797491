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

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};

use super::attachment::points;
use super::compliant::Compliant;
use super::potential::{CHUNK_ELEMENTS, Curvature, Potential, ProxyKind, Situation};
use crate::collider::{Collider, Placed};

/// Contact of free vertices of a body with all colliders, posed by [`crate::Drive::colliders`].
pub struct Contact {
    vertices: Vec<u32>,
    colliders: Vec<Collider>,
}

impl Contact {
    /// For these model vertices: hard ones go where they are driven, whatever is there.
    pub fn new(vertices: Vec<u32>, colliders: Vec<Collider>) -> Self {
        Contact { vertices, colliders }
    }

    fn placed<'a>(&'a self, at: &'a Situation) -> impl Iterator<Item = Placed<'a>> {
        self.colliders.iter().zip(&at.contact_drive().colliders).map(|(c, pose)| c.placed(pose))
    }
}

impl Potential for Contact {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn chunk_count(&self) -> usize {
        self.vertices.len().div_ceil(CHUNK_ELEMENTS)
    }

    fn chunk_vertices(&self, chunk: usize) -> &[u32] {
        points(&self.vertices, chunk)
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let out = gradient.unwrap_or(&mut []);
        out.fill(Row::zero());
        let (mut energy, lead) = (0.0, at.contact_lead());
        for placed in self.placed(at) {
            for (i, &v) in self.chunk_vertices(chunk).iter().enumerate() {
                let Some(nearest) = placed.touch(at.contact_position(v)) else { continue };
                energy += placed.collider.energy(nearest.distance) / lead;
                if let Some(row) = out.get_mut(i) {
                    *row = *row - Row::from(placed.collider.push(&nearest));
                }
            }
        }
        energy
    }

    fn is_in_proxy(&self) -> bool {
        false
    }

    fn stiff_points(
        &self,
        chunk: usize,
        at: &Situation,
        curvature: Curvature,
        felt: Option<&[Row]>,
        visit: &mut dyn FnMut(usize, DMat3),
    ) -> bool {
        let lead = at.contact_lead();
        let is_pushed = |place: usize| felt.is_none_or(|felt| felt[place] != Row::zero());
        let vertices = self.chunk_vertices(chunk).iter().enumerate();
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
        true
    }

    /// None: which vertices touch changes from step to step, and the quasi-Newton loop learns it.
    /// Stiffness given to all would hold back the many that touch nothing.
    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}

    fn compliant(&self, visit: &mut dyn FnMut(Compliant)) -> bool {
        visit(Compliant::Touching);
        true
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

/// u uᵀ.
pub(crate) fn square(u: DVec3) -> DMat3 {
    DMat3::from_cols(u * u.x, u * u.y, u * u.z)
}
