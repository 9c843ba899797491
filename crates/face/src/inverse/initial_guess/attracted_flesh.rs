//! Passive flesh whose skin is attracted to the target by springs: the first guess of a fit.
//!
//! An active muscle is much stiffer than the tissue around it, so its tets nearly take the shape
//! that their activations ask for. Conversely, the stretches S = √(FᵀF) of passive flesh that
//! springs pull into a shape nearly are the activations that make this shape.
//!
//! Relaxed muscles lengthen when the jaw opens. Flesh without muscle stiffness shows by how much.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::polar;
use pliant_mesh::edge_matrix;
use pliant_model::potentials::activation::{Activation, RELAXED};

use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::inverse::activation::{clamp_stretches_to, symmetric_entries};
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, FaceSimulationOptions, FaceSolver};

/// Stretch bounds of the first guess; stronger stretches contradict each other between tets.
const GUESS_BOUNDS: [f64; 2] = [0.3, 3.5];
/// Tolerance and iteration limit of the first guess.
const GUESS_ACCURACY: (f64, u32) = (1e-2, 10);
/// Stiffness of all skin springs together (N/m), per Pa of shear modulus.
pub(crate) const SKIN_SPRINGS: f64 = 400.0;

/// A face of passive flesh, simulated with and without springs on its skin.
pub struct AttractedFlesh<'a> {
    face: &'a FaceModel,
    attracted: FaceSimulation<'a>,
    free: FaceSimulation<'a>,
    /// Index of each active tet, and its inverse edge matrix (X₁ − X₀, X₂ − X₀, X₃ − X₀)⁻¹ at rest
    /// (1/m).
    tets: Vec<(u32, DMat3)>,
}

/// The state from which Eq. 4 of \[ichim2017phace\] is minimised.
#[derive(Clone, Debug, Default)]
pub struct InitialGuess {
    /// Activations that roughly make the target.
    pub activations: Vec<Activation>,
    /// Stretch of relaxed muscles by the open jaw, S − I.
    pub passive_stretch: Vec<Activation>,
    /// Positions of the tets' vertices (m).
    pub positions: Vec<DVec3>,
}

impl<'a> AttractedFlesh<'a> {
    /// Prepares both simulations of a face.
    ///
    /// # Errors
    /// When the face cannot be simulated.
    pub fn new(face: &'a FaceModel, threads: usize) -> Result<Self, FaceError> {
        let usual = FaceSimulationOptions::default();
        let free = FaceSimulationOptions {
            solver: FaceSolver::Exact { tolerance: GUESS_ACCURACY.0 },
            most_iterations: GUESS_ACCURACY.1,
            muscle_stiffness: 1.0,
            contact: false,
            threads,
            ..usual
        };
        let attracted =
            FaceSimulationOptions { skin_pull: Some(SKIN_SPRINGS * usual.shear), ..free };
        let tets = face.shares.chunk_by(|a, b| a.tet == b.tet);
        let tets = tets.map(|own| {
            let corners = face.solid.corners(own[0].tet as usize).unwrap_or_default();
            (own[0].tet, edge_matrix(corners).inverse())
        });
        Ok(AttractedFlesh {
            face,
            attracted: FaceSimulation::new(face, &attracted)?,
            free: FaceSimulation::new(face, &free)?,
            tets: tets.collect(),
        })
    }

    /// Guesses activations from the stretches of flesh whose skin is attracted to a target (m), and
    /// computes the passive stretch of the jaw pose.
    pub fn guess(&mut self, target: &[DVec3], jaw: &JawPose) -> InitialGuess {
        self.attracted.attract_skin(target, jaw);
        let positions = self.attracted.positions();
        let activations = self.stress_free_activations(&positions);
        InitialGuess { activations, passive_stretch: self.passive_stretch(jaw), positions }
    }

    /// Activations whose flesh is free of stress at these positions of the tets' vertices (m).
    pub(crate) fn stress_free_activations(&self, positions: &[DVec3]) -> Vec<Activation> {
        let mut activations = self.stretches(positions);
        activations.iter_mut().for_each(|a| clamp_stretches_to(a, GUESS_BOUNDS));
        activations
    }

    /// Stretch of relaxed muscles when the jaw moves into a pose, S − I.
    pub fn passive_stretch(&mut self, jaw: &JawPose) -> Vec<Activation> {
        if *jaw == JawPose::default() {
            return vec![[0.0; 6]; self.tets.len()];
        }
        self.free.pose(&[], &JawPose::default());
        self.free.pose(&[], jaw);
        let mut passive_stretch = self.stretches(&self.free.positions());
        for own in &mut passive_stretch {
            clamp_stretches_to(own, GUESS_BOUNDS);
            (0..6).for_each(|k| own[k] -= RELAXED[k]);
        }
        passive_stretch
    }

    fn stretches(&self, positions: &[DVec3]) -> Vec<Activation> {
        let tets = self.tets.iter();
        let of = |(tet, at_rest): &(u32, DMat3)| {
            let corners = self.face.solid.tets[*tet as usize].map(|v| positions[v as usize]);
            stretch_of(&(edge_matrix(corners) * *at_rest))
        };
        tets.map(of).collect()
    }
}

/// Symmetric factor RᵀF of the polar decomposition.
fn stretch_of(f: &DMat3) -> Activation {
    symmetric_entries(&(polar(f).transpose() * *f))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_model::potentials::activation::{fibre, matrix};

    #[test]
    fn stretches_do_not_depend_on_rotations() {
        let squeezed = fibre(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.3);
        let turned = DMat3::from_rotation_y(1.0) * DMat3::from_rotation_x(-0.4) * matrix(&squeezed);
        for (found, wanted) in stretch_of(&turned).iter().zip(squeezed) {
            assert!((found - wanted).abs() < 1e-12);
        }
    }
}
