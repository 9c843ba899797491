//! Soft attachments: zero-length springs ½ k ‖x − t‖² to points that may move.

use pliant_math::Row;

use super::chunks::{Chunk, driven, point_chunks, points};
use super::compliant::{CompliantElement, CompliantPotential};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;

/// Soft attachments of a body; targets are [`crate::Drive::attachments`].
pub struct Attachments {
    first: usize,
    vertices: Vec<u32>,
    stiffness: Vec<f64>,
}

impl Attachments {
    /// One spring per vertex, with its stiffness k [N/m]; the targets begin at `first` of the
    /// drive's.
    pub fn new(first: usize, vertices: Vec<u32>, stiffness: Vec<f64>) -> Self {
        assert_eq!(vertices.len(), stiffness.len(), "one stiffness per attached vertex");
        Attachments { first, vertices, stiffness }
    }
}

impl Potential for Attachments {
    fn name(&self) -> &'static str {
        "attachments"
    }

    fn chunk_count(&self) -> usize {
        point_chunks(&self.vertices)
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        Chunk::of_points(points(&self.vertices, chunk))
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let (vertices, stiffness) = (points(&self.vertices, chunk), points(&self.stiffness, chunk));
        let targets = driven(&at.drive.attachments, self.first, chunk);
        pull(vertices, stiffness, targets, at.positions, gradient)
    }

    fn hessians(&self, chunk: usize, _: &Situation, _: Curvature, out: &mut [f64]) {
        diagonal_hessians(points(&self.stiffness, chunk), out);
    }

    fn proxy(&self, _: ProxyKind, add: &mut dyn FnMut(u32, u32, f64)) {
        for (&v, &k) in self.vertices.iter().zip(&self.stiffness) {
            add(v, v, k);
        }
    }

    fn as_compliant(&self) -> Option<&dyn CompliantPotential> {
        Some(self)
    }
}

impl CompliantPotential for Attachments {
    fn visit_elements(&self, visit: &mut dyn FnMut(CompliantElement)) {
        for (index, (&vertex, &stiffness)) in self.vertices.iter().zip(&self.stiffness).enumerate()
        {
            visit(CompliantElement::Attached { vertex, stiffness, index: self.first + index });
        }
    }
}

/// Energy and gradient of zero-length springs.
pub(super) fn pull(
    vertices: &[u32],
    stiffness: &[f64],
    targets: &[Row],
    positions: &[Row],
    gradient: Option<&mut [Row]>,
) -> f64 {
    let mut energy = 0.0;
    let out = gradient.unwrap_or(&mut []);
    for (i, ((&v, &k), target)) in vertices.iter().zip(stiffness).zip(targets).enumerate() {
        let away = positions[v as usize].xyz() - target.xyz();
        energy += 0.5 * k * away.length_squared();
        if let Some(row) = out.get_mut(i) {
            *row = Row::from(away * k);
        }
    }
    energy
}

/// k I for each point.
pub(super) fn diagonal_hessians(stiffness: &[f64], out: &mut [f64]) {
    for (out, &k) in out.chunks_exact_mut(9).zip(stiffness) {
        out.copy_from_slice(&[k, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k]);
    }
}
