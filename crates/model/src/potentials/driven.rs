//! The solver's view of potentials with driven quantities of their own: activations, planes,
//! weights.

use glam::DVec3;

use super::situation::Situation;

/// Mixed second derivative of one activated tet: change of its corner forces with its activation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixedDerivative {
    /// Index into [`crate::Drive::activations`].
    pub activation: u32,
    /// Model vertices.
    pub corners: [u32; 4],
    /// ∂²E/∂x∂aₖ \[N\] of every corner, for each of the six numbers.
    pub slopes: [[DVec3; 4]; 6],
}

/// A potential whose energy depends on driven quantities q of its own.
pub trait DrivenPotential {
    /// Work that the driven quantities do on a chunk between two situations,
    /// ½ (∂E/∂q₀ + ∂E/∂q₁)·Δq \[J\]. The simulation books attachments and followed inputs itself.
    fn driven_work(&self, chunk: usize, ends: [&Situation; 2]) -> f64;

    /// Calls `visit` with ∂∇E/∂a of every tet of a chunk that has an activation a.
    fn mixed_derivatives(
        &self,
        chunk: usize,
        at: &Situation,
        visit: &mut dyn FnMut(MixedDerivative),
    ) {
        let _ = (chunk, at, visit);
    }
}
