//! On the way to a fit: flesh whose skin springs hold near the target, with its muscles at work.
//!
//! Where muscles have taken flesh so far it may have buckled, and says little of what they must do to take it to the target. Held
//! there it does not buckle, is found in a few iterations, and is where answers of the skin to muscles are wanted. What skin would do
//! without the springs is told by one step of Newton's, which Gauss–Newton's steps then bring nearer to the target; in the end there
//! is nothing left for springs to do, but where no muscle reaches. Fibres that only shorten and lengthen reach so little of it that steps in
//! equilibrium serve them better from the first.

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED};

use super::dependence::Dependence;
use super::drawn::{PULL, Start};
use super::equilibrium::Knobs;
use super::fit::{ActivationModel, FaceFit, Fibres, Fitted};
use super::gauss_newton::{Outcome, Prior, Problem};
use super::observation::Observation;
use super::priors::beyond;
use super::residual::Residual;
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, FaceSolver, JawKnobs, SimulationOptions};

/// Forces that are left where held flesh is near enough to equilibrium.
const NEAR: f64 = 1e-3;
/// Flesh is drawn again at most so often, while its skin is not as close as this (mm).
const GROWTHS: u32 = 4;
const CLOSE: f64 = 0.3;
/// Skin that is drawn to the target and stays this far from it (m) is trusted a quarter: nothing takes it there.
const FAR: f64 = 0.002;

/// A face with its muscles at work, and springs on its skin.
pub struct Guided<'a> {
    simulation: FaceSimulation<'a>,
    knobs: JawKnobs,
}

impl<'a> Guided<'a> {
    /// Of a face.
    ///
    /// # Errors
    /// When it cannot be simulated.
    pub fn new(face: &'a FaceModel, options: &SimulationOptions) -> Result<Self, FaceError> {
        let held = SimulationOptions {
            skin_pull: Some(PULL * options.shear),
            solver: FaceSolver::Exact { tolerance: NEAR },
            ..*options
        };
        let simulation = FaceSimulation::new(face, &held)?;
        let knobs = simulation.jaw_knobs();
        Ok(Guided { simulation, knobs })
    }

    /// Lets springs pull to a target (m), from where the tets' vertices are put (m).
    fn aim(&mut self, target: &[DVec3], jaw: &JawPose, positions: &[DVec3]) {
        self.simulation.aim_skin(target, jaw);
        self.simulation.place(positions);
    }

    /// Where the tets' vertices are (m) with these activations, and the jaw's knobs.
    fn find(&mut self, activations: &[Activation], knobs: &[f64]) -> Vec<DVec3> {
        let mut equilibrium = self.simulation.equilibrium();
        self.knobs.turn(knobs, &mut equilibrium.input.end);
        equilibrium.find(activations);
        self.simulation.positions()
    }
}

impl FaceFit<'_> {
    /// Where steps in equilibrium begin: unknowns that about make a target (m), with flesh where it is then.
    pub(super) fn begin(
        &mut self,
        target: &[DVec3],
        jaw: &JawPose,
        observation: &Observation,
    ) -> Result<Fitted, FaceError> {
        let count = self.dependence.own().count();
        let Start { mut activations, yielded, mut positions } = self.drawn.start(target, jaw);
        self.guided.aim(target, jaw, &positions);
        if let Fibres::Tensors(_) = &self.dependence {
            // What is at ease where springs have drawn it is drawn further by them: a tongue, out of the mouth.
            for _ in 0..GROWTHS {
                if self.left(target, &positions) <= CLOSE {
                    break;
                }
                positions = self.guided.find(&activations, &JawKnobs::numbers(jaw));
                activations = self.drawn.grown(&positions);
            }
        }
        let mut unknowns = match &self.dependence {
            Fibres::Tensors(_) => activations.into_flattened(),
            Fibres::Strands(own) => own.relaxed(),
            Fibres::Blend(own) => own.blend.matrices(&beyond(&activations, &yielded)),
        };
        self.dependence.yield_by(&yielded);
        unknowns.extend(JawKnobs::numbers(jaw));
        self.simulation.pose(&[], &JawPose::default());
        self.simulation.place(&positions);
        let trusts = observation.trusts(&self.simulation.equilibrium().state.positions, |_| FAR);
        let observation = observation.clone().weighed(&trusts);
        let weights = match &self.dependence {
            Fibres::Tensors(_) => self.affordable(&unknowns[..count], &yielded, target),
            _ => self.options.weights.clone(),
        };
        let weight = weights.last().copied().unwrap_or(1.0);
        let mut fitted = Fitted { unknowns, yielded, trusts, weight, ..Fitted::default() };
        let is_free = self.options.model == ActivationModel::Fibre;
        if is_free {
            self.simulation.pose(&[], jaw);
        }
        for weight in weights {
            for _ in 0..self.options.steps {
                let mut prior = self.prior(&fitted.unknowns, &fitted.yielded, weight, count);
                prior.towards[count..].copy_from_slice(&JawKnobs::numbers(jaw));
                let done = match is_free {
                    true => self.minimise(&observation, &prior, &mut fitted.unknowns)?,
                    false => self.approach(&observation, &prior, &mut fitted.unknowns)?,
                };
                fitted.steps += done.steps;
                fitted.products += done.products;
                fitted.equilibria += done.equilibria;
                if done.steps == 0 {
                    break;
                }
            }
        }
        Ok(fitted)
    }

    /// A step from where springs hold flesh with these unknowns.
    fn approach(
        &mut self,
        observation: &Observation,
        prior: &Prior,
        unknowns: &mut [f64],
    ) -> Result<Outcome, FaceError> {
        let (theta, knobs) = unknowns.split_at(self.dependence.own().count());
        let mut activations = vec![RELAXED; self.shares.len()];
        self.dependence.own().activations(theta, &mut activations);
        let positions = self.guided.find(&activations, knobs);
        self.simulation.place(&positions);
        let mut problem = Problem {
            equilibrium: self.simulation.equilibrium(),
            observation,
            dependence: self.dependence.own(),
            knobs: &self.knobs,
            prior,
        };
        let done = problem.approach(unknowns, self.options.products)?;
        Ok(Outcome { equilibria: 1, ..done })
    }

    /// How far the skin is from a target (m) where that moves it, on the mean (mm), with the tets' vertices somewhere (m).
    fn left(&self, target: &[DVec3], positions: &[DVec3]) -> f64 {
        Residual::of(&self.face.skin.mesh.positions, target, &self.face.skin_at(positions)).mean
    }
}
