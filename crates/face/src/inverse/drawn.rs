//! A start for fitting: flesh whose skin is drawn to the target by springs.
//!
//! Muscle at work is many times as stiff as what is around it, so that its tets come to have nearly the shape that
//! their activations ask for. Turned around: the stretches S = √(FᵀF) of flesh that is drawn into a shape are nearly the
//! activations that make it. Eq. 4 begins there. Muscles that are relaxed lengthen and let the jaw go; what relaxed means
//! where it is open is what flesh without muscles' stiffness does.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{SymmetricEigen, polar, symmetric_eigen};
use pliant_mesh::edge_matrix;
use pliant_model::potentials::activation::{Activation, RELAXED, matrix};

use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, FaceSolver, SimulationOptions};

/// Flesh shortens to no less than this part of its length, and stretches to no more than the other. A mouth that is wide open has corners
/// which are three times as long: flesh that may not be told so is under stress there, and buckles.
pub const STRETCHES: [f64; 2] = [0.25, 4.0];
/// The same of fibres: of tets, and of muscles that have one number each.
pub const STRETCHES_OF_MUSCLES: [f64; 2] = [0.35, 2.2];
/// A start is a mild one: what it asks for beyond that, not all tets can do at once.
const MILD: [f64; 2] = [0.3, 3.5];
/// What is left of forces, and iterations at most, where a start is good enough.
const ENOUGH: (f64, u32) = (1e-2, 10);
/// Of all springs of the skin together (N/m), per Pa of shear modulus.
pub(super) const PULL: f64 = 400.0;

/// A face of passive flesh, with springs on its skin and without.
pub struct Drawn<'a> {
    face: &'a FaceModel,
    pulled: FaceSimulation<'a>,
    slack: FaceSimulation<'a>,
    /// Of every tet with muscle: its number, and (X₁ − X₀, X₂ − X₀, X₃ − X₀)⁻¹ at rest [1/m].
    tets: Vec<(u32, DMat3)>,
}

/// Where Eq. 4 begins.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Activations that about make the target.
    pub activations: Vec<Activation>,
    /// What relaxed muscles have lengthened by to let the jaw go: S − I.
    pub yielded: Vec<Activation>,
    /// Where the tets' vertices are then (m).
    pub positions: Vec<DVec3>,
}

impl<'a> Drawn<'a> {
    /// Of a face.
    ///
    /// # Errors
    /// When it cannot be simulated.
    pub fn new(face: &'a FaceModel, threads: usize) -> Result<Self, FaceError> {
        let usual = SimulationOptions::default();
        let slack = SimulationOptions {
            solver: FaceSolver::Exact { tolerance: ENOUGH.0 },
            most_iterations: ENOUGH.1,
            muscle_stiffness: 1.0,
            contact: false,
            threads,
            ..usual
        };
        let pulled = SimulationOptions { skin_pull: Some(PULL * usual.shear), ..slack };
        let tets = face.shares.chunk_by(|a, b| a.tet == b.tet);
        let tets = tets.map(|own| {
            (
                own[0].tet,
                edge_matrix(face.solid.corners(own[0].tet as usize).unwrap_or_default()).inverse(),
            )
        });
        Ok(Drawn {
            face,
            pulled: FaceSimulation::new(face, &pulled)?,
            slack: FaceSimulation::new(face, &slack)?,
            tets: tets.collect(),
        })
    }

    /// The stretches of the tets that have muscle in them where the skin is drawn to a target (m) with the jaw in a pose, and
    /// those that the jaw brings about alone.
    pub fn start(&mut self, target: &[DVec3], jaw: &JawPose) -> Start {
        self.pulled.draw(target, jaw);
        let positions = self.pulled.positions();
        let activations = self.grown(&positions);
        Start { activations, yielded: self.yielded(jaw), positions }
    }

    /// Activations of flesh that is at ease where the tets' vertices are (m).
    pub(super) fn grown(&self, positions: &[DVec3]) -> Vec<Activation> {
        let mut activations = self.stretches(positions);
        activations.iter_mut().for_each(|a| bound_within(a, MILD));
        activations
    }

    /// What relaxed muscles lengthen by to let the jaw go into a pose: S − I.
    pub fn yielded(&mut self, jaw: &JawPose) -> Vec<Activation> {
        if *jaw == JawPose::default() {
            return vec![[0.0; 6]; self.tets.len()];
        }
        self.slack.pose(&[], &JawPose::default());
        self.slack.pose(&[], jaw);
        let mut yielded = self.stretches(&self.slack.positions());
        for own in &mut yielded {
            bound_within(own, MILD);
            (0..6).for_each(|k| own[k] -= RELAXED[k]);
        }
        yielded
    }

    fn stretches(&self, positions: &[DVec3]) -> Vec<Activation> {
        let tets = self.tets.iter();
        let of = |(tet, at_rest): &(u32, DMat3)| {
            let corners = self.face.solid.tets[*tet as usize].map(|v| positions[v as usize]);
            stretch(&(edge_matrix(corners) * *at_rest))
        };
        tets.map(of).collect()
    }
}

/// RᵀF.
fn stretch(f: &DMat3) -> Activation {
    let s = polar(f).transpose() * *f;
    [s.x_axis.x, s.y_axis.x, s.z_axis.x, s.y_axis.y, s.z_axis.y, s.z_axis.z]
}

/// Takes the eigenvalues of a symmetric matrix to the nearest that are within [`STRETCHES`].
pub fn bound(a: &mut Activation) {
    bound_within(a, STRETCHES);
}

pub(super) fn bound_within(a: &mut Activation, [low, high]: [f64; 2]) {
    let [xx, xy, xz, yy, yz, zz] = *a;
    if !a.iter().all(|x| x.is_finite()) {
        *a = RELAXED;
        return;
    }
    // Gershgorin's discs tell most that are within.
    let discs = [(xx, xy.abs() + xz.abs()), (yy, xy.abs() + yz.abs()), (zz, xz.abs() + yz.abs())];
    if discs.iter().all(|(center, radius)| center - radius >= low && center + radius <= high) {
        return;
    }
    let SymmetricEigen { values, vectors } = symmetric_eigen(&matrix(a));
    let values = values.clamp(DVec3::splat(low), DVec3::splat(high));
    let whole = vectors * DMat3::from_diagonal(values) * vectors.transpose();
    *a = [
        whole.x_axis.x,
        whole.y_axis.x,
        whole.z_axis.x,
        whole.y_axis.y,
        whole.z_axis.y,
        whole.z_axis.z,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_model::potentials::activation::fibre;

    #[test]
    fn stretches_do_not_depend_on_how_flesh_has_turned() {
        let squeezed = fibre(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.3);
        let turned = DMat3::from_rotation_y(1.0) * DMat3::from_rotation_x(-0.4) * matrix(&squeezed);
        for (found, wanted) in stretch(&turned).iter().zip(squeezed) {
            assert!((found - wanted).abs() < 1e-12);
        }
    }

    #[test]
    fn bounds_keep_axes() {
        let axes = DMat3::from_rotation_z(0.7) * DMat3::from_rotation_x(0.3);
        let of = |values: [f64; 3]| {
            let s = axes * DMat3::from_diagonal(DVec3::from_array(values)) * axes.transpose();
            [s.x_axis.x, s.y_axis.x, s.z_axis.x, s.y_axis.y, s.z_axis.y, s.z_axis.z]
        };
        let mut wild = of([-0.5, 1.2, 9.0]);
        bound(&mut wild);
        let wanted = of([STRETCHES[0], 1.2, STRETCHES[1]]);
        assert!(wild.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{wild:?}");
        let mut nothing = [f64::NAN; 6];
        bound(&mut nothing);
        assert!(nothing.iter().all(|x| x.is_finite()));
    }
}
