//! Active flesh that springs hold near the target: the states from which the first steps of a fit
//! are taken.
//!
//! Flesh moved by muscles alone may have buckled, and its derivatives then say little about the way
//! to the target. Held by springs it does not buckle, and equilibrium takes a few iterations. One
//! Newton step without the springs predicts the skin, and a Gauss–Newton step brings this
//! prediction nearer to the target. At the end the springs have no load, except where no muscle
//! reaches.
//!
//! Fibre contractions reach too little of the skin for this; they are fitted in equilibrium from
//! the start.

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED};

use super::{InitialGuess, SKIN_SPRINGS};
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::inverse::activation::{Parametrisation, without_passive_stretch};
use crate::inverse::equilibrium::Knobs;
use crate::inverse::solve::{
    ActivationModel, FaceFit, FaceParametrisation, FitProblem, Fitted, QuadraticPrior, SolveReport,
};
use crate::inverse::targets::{Observation, Residual};
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, FaceSimulationOptions, FaceSolver, JawKnobs};

/// Residual at which held flesh is close enough to equilibrium.
const NEAR: f64 = 1e-3;
/// Limit on repeated guesses, and the residual (mm) at which they stop.
const MOST_GUESSES: u32 = 4;
const CLOSE: f64 = 0.3;
/// Distance (m) at which attracted skin has a trust of ¼: no muscle can take it to the target.
const DOUBTFUL: f64 = 0.002;

/// A face with active muscles, and springs on its skin.
pub struct GuidedFlesh<'a> {
    simulation: FaceSimulation<'a>,
    knobs: JawKnobs,
}

impl<'a> GuidedFlesh<'a> {
    /// Prepares the simulation of a face.
    ///
    /// # Errors
    /// When the face cannot be simulated.
    pub fn new(face: &'a FaceModel, options: &FaceSimulationOptions) -> Result<Self, FaceError> {
        let held = FaceSimulationOptions {
            skin_pull: Some(SKIN_SPRINGS * options.shear),
            solver: FaceSolver::Exact { tolerance: NEAR },
            ..*options
        };
        let simulation = FaceSimulation::new(face, &held)?;
        let knobs = simulation.jaw_knobs();
        Ok(GuidedFlesh { simulation, knobs })
    }

    /// Sets the springs' target (m) and the positions of the tets' vertices (m).
    fn set_target(&mut self, target: &[DVec3], jaw: &JawPose, positions: &[DVec3]) {
        self.simulation.set_skin_target(target, jaw);
        self.simulation.place(positions);
    }

    /// Positions of the tets' vertices (m) in equilibrium with these activations and jaw knobs.
    fn find(&mut self, activations: &[Activation], knobs: &[f64]) -> Vec<DVec3> {
        let mut equilibrium = self.simulation.equilibrium();
        self.knobs.turn(knobs, &mut equilibrium.input.end);
        equilibrium.find(activations);
        self.simulation.positions()
    }
}

impl FaceFit<'_> {
    /// First fit of a target (m), by steps from guided flesh; steps in equilibrium continue from
    /// it.
    pub(crate) fn initial_fit(
        &mut self,
        target: &[DVec3],
        jaw: &JawPose,
        observation: &Observation,
    ) -> Result<Fitted, FaceError> {
        let count = self.parametrisation.as_dyn().count();
        let InitialGuess { mut activations, passive_stretch, mut positions } =
            self.attracted_flesh.guess(target, jaw);
        self.guided_flesh.set_target(target, jaw, &positions);
        if let FaceParametrisation::TetMatrices(_) = &self.parametrisation {
            // Stress-free flesh is attracted further by the springs: a tongue that leaves the
            // mouth.
            for _ in 0..MOST_GUESSES {
                if self.mean_residual(target, &positions) <= CLOSE {
                    break;
                }
                positions = self.guided_flesh.find(&activations, &JawKnobs::numbers(jaw));
                activations = self.attracted_flesh.stress_free_activations(&positions);
            }
        }
        let mut unknowns = match &self.parametrisation {
            FaceParametrisation::TetMatrices(_) => activations.into_flattened(),
            FaceParametrisation::Fibres(own) => own.relaxed(),
            FaceParametrisation::Geometry(own) => own
                .geometry
                .mean_muscle_matrices(&without_passive_stretch(&activations, &passive_stretch)),
        };
        self.parametrisation.set_passive_stretch(&passive_stretch);
        unknowns.extend(JawKnobs::numbers(jaw));
        self.simulation.pose(&[], &JawPose::default());
        self.simulation.place(&positions);
        let trust_weights =
            observation.trust_weights(&self.simulation.equilibrium().state.positions, |_| DOUBTFUL);
        let observation = observation.clone().reweighted(&trust_weights);
        let weights = match &self.parametrisation {
            FaceParametrisation::TetMatrices(_) => {
                self.prior_weights(&unknowns[..count], &passive_stretch, target)
            }
            _ => self.options.weights.clone(),
        };
        let weight = weights.last().copied().unwrap_or(1.0);
        let mut fitted =
            Fitted { unknowns, passive_stretch, trust_weights, weight, ..Fitted::default() };
        let is_in_equilibrium = self.options.model == ActivationModel::Fibre;
        if is_in_equilibrium {
            self.simulation.pose(&[], jaw);
        }
        for weight in weights {
            for _ in 0..self.options.steps {
                let mut prior =
                    self.prior(&fitted.unknowns, &fitted.passive_stretch, weight, count);
                prior.towards[count..].copy_from_slice(&JawKnobs::numbers(jaw));
                let done = match is_in_equilibrium {
                    true => self.minimise(&observation, &prior, &mut fitted.unknowns)?,
                    false => self.guided_step(&observation, &prior, &mut fitted.unknowns)?,
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

    /// One Gauss–Newton step from guided flesh with these unknowns.
    fn guided_step(
        &mut self,
        observation: &Observation,
        prior: &QuadraticPrior,
        unknowns: &mut [f64],
    ) -> Result<SolveReport, FaceError> {
        let (theta, knobs) = unknowns.split_at(self.parametrisation.as_dyn().count());
        let mut activations = vec![RELAXED; self.shares.len()];
        self.parametrisation.as_dyn().activations(theta, &mut activations);
        let positions = self.guided_flesh.find(&activations, knobs);
        self.simulation.place(&positions);
        let mut problem = FitProblem {
            equilibrium: self.simulation.equilibrium(),
            observation,
            parametrisation: self.parametrisation.as_dyn(),
            knobs: &self.knobs,
            prior,
        };
        let done = problem.step_from_prediction(unknowns, self.options.products)?;
        Ok(SolveReport { equilibria: 1, ..done })
    }

    /// Mean residual (mm) of the skin at these positions of the tets' vertices (m).
    fn mean_residual(&self, target: &[DVec3], positions: &[DVec3]) -> f64 {
        Residual::of(&self.face.skin.mesh.positions, target, &self.face.skin_at(positions)).mean
    }
}
