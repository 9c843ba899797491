//! Following an input animation: ½ W ‖x − x̄‖², the implicit blending force of "Enriching
//! triangle mesh animations with physically based simulation", Eq. 11.
//!
//! The target is the input at the *end* of the step: with the one at its start (as Eq. 11 can be
//! read) the body lags a frame behind. W → ∞ follows exactly.

use pliant_math::Row;

use super::attachment::{diagonal_hessians, pull};
use super::chunks::{Chunk, driven, point_chunks, points};
use super::compliant::{CompliantElement, CompliantPotential};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;

/// The followed vertices of a body; targets and weights are [`crate::Drive::follow`] and
/// [`crate::Drive::follow_weights`].
pub struct Follow {
    first: usize,
    vertices: Vec<u32>,
    nominal: Vec<f64>,
}

impl Follow {
    /// `nominal` are the weights [N/m] that the constant proxy is built with; the animated ones
    /// may differ. Targets and weights begin at `first` of the drive's.
    pub fn new(first: usize, vertices: Vec<u32>, nominal: Vec<f64>) -> Self {
        assert_eq!(vertices.len(), nominal.len(), "one weight per followed vertex");
        Follow { first, vertices, nominal }
    }
}

impl Potential for Follow {
    fn name(&self) -> &'static str {
        "follow"
    }

    fn chunk_count(&self) -> usize {
        point_chunks(&self.vertices)
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        Chunk::of_points(points(&self.vertices, chunk))
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let weights = driven(&at.drive.follow_weights, self.first, chunk);
        let targets = driven(&at.drive.follow, self.first, chunk);
        pull(points(&self.vertices, chunk), weights, targets, at.positions, gradient)
    }

    fn hessians(&self, chunk: usize, at: &Situation, _: Curvature, out: &mut [f64]) {
        diagonal_hessians(driven(&at.drive.follow_weights, self.first, chunk), out);
    }

    fn proxy(&self, _: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for (&v, &w) in self.vertices.iter().zip(&self.nominal) {
            add(v, v, w);
        }
    }

    fn as_compliant(&self) -> Option<&dyn CompliantPotential> {
        Some(self)
    }
}

impl CompliantPotential for Follow {
    fn visit_elements(&self, visit: &mut dyn FnMut(CompliantElement)) {
        for (index, &vertex) in self.vertices.iter().enumerate() {
            visit(CompliantElement::Followed { vertex, index: self.first + index });
        }
    }
}
