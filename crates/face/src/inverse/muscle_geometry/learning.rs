//! Learns the muscle geometry of a face from the skins of some expressions.
//!
//! The method is that of section 4.2.8 of \[dinev2020\], in three steps:
//!
//! 1. A matrix per tet is fitted to each skin.
//! 2. These matrices are factorised into muscle matrices and S, starting from the anatomy
//!    ([`GeometryMatrix::from_anatomy`]). Tissue near a muscle may become its own where the face
//!    has assignable tissue ([`FaceModel::with_assignable_tissue`]).
//! 3. Muscle matrices, jaw poses and S are refined together ([`JointFit`]), with falling weights of
//!    the priors.
//!
//! Other skins are then fitted with this S: [`ActivationModel::Geometry`].

use std::time::Instant;

use glam::DVec3;
use pliant_model::potentials::activation::Activation;

use super::{
    ExpressionFit, FactorisationOptions, GeometryMatrix, JointFit, StretchedGeometry,
    factorise_activations,
};
use crate::error::FaceError;
use crate::inverse::activation::without_passive_stretch;
use crate::inverse::solve::{
    ActivationModel, FaceFit, FaceFitOptions, FaceParametrisation, Fitted, QuadraticPrior,
    SolveLimits,
};
use crate::inverse::targets::Observation;
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, JawKnobs};

/// Options of geometry learning.
#[derive(Clone, Debug)]
pub struct GeometryLearningOptions {
    /// Options for every expression; its `model` is not used.
    pub fit: FaceFitOptions,
    /// Weights of the priors (mm²) while S is learned, one after the other.
    pub weights: Vec<f64>,
    /// Options of the factorisation that S starts from.
    pub factorise_activations: FactorisationOptions,
    /// Cost of changes of S, relative to the priors of activations.
    pub anchor: f64,
    /// w_v: cost of muscles' changes of volume (mm²).
    pub volume: f64,
    /// Joint steps per weight of the priors.
    pub steps: u32,
}

impl Default for GeometryLearningOptions {
    fn default() -> Self {
        GeometryLearningOptions {
            fit: FaceFitOptions::default(),
            weights: vec![0.1, 0.03, 0.01],
            factorise_activations: FactorisationOptions::default(),
            anchor: 0.1,
            volume: 0.01,
            steps: 4,
        }
    }
}

/// A learned geometry, with the fits of its expressions.
#[derive(Clone, Debug, Default)]
pub struct LearnedGeometry {
    /// S.
    pub geometry: GeometryMatrix,
    /// Fits of the expressions with the initial S, and with the learned one.
    pub before: Vec<Fitted>,
    pub after: Vec<Fitted>,
    /// Duration (s).
    pub seconds: f64,
}

/// Learns the geometry of a face from target skins (m), in the frame of the skull and in the vertex
/// order of the face's skin. `should_stop` is asked between steps, and ends learning early.
///
/// # Errors
/// When a skin has another number of vertices, or K cannot be factored.
pub fn learn_geometry(
    face: &FaceModel,
    targets: &[Vec<DVec3>],
    options: &GeometryLearningOptions,
    should_stop: &dyn Fn() -> bool,
) -> Result<LearnedGeometry, FaceError> {
    let clock = Instant::now();
    let by_tets = FaceFitOptions { model: ActivationModel::Tensor, ..options.fit.clone() };
    let mut fit = FaceFit::new(face, by_tets)?;
    let mut learned = LearnedGeometry::default();
    let mut free = Vec::new();
    for target in targets {
        if should_stop() {
            return Ok(learned);
        }
        free.push(fit.fit(target, None)?);
    }
    let first = GeometryMatrix::of(face);
    fit.options.model = ActivationModel::Geometry;
    fit.parametrisation = FaceParametrisation::Geometry(StretchedGeometry::new(first.clone()));
    let mut simulations = Vec::new();
    for target in targets {
        if should_stop() {
            return Ok(learned);
        }
        learned.before.push(fit.fit(target, None)?);
        simulations.push(FaceSimulation::new(face, &options.fit.simulation_options())?);
    }
    let mut observations: Vec<_> = targets
        .iter()
        .zip(&free)
        .map(|(target, free)| fit.observation(target).reweighted(&free.trust_weights))
        .collect();
    place(&mut simulations, &learned.before);
    let weights = expression_weights(&observations, &mut simulations);
    observations.iter_mut().zip(&weights).for_each(|(own, count)| own.scale(*count));
    place(&mut simulations, &free);
    let (geometry, starts) = factorise(&fit, &first, &free, options);
    let mut refinement = Refinement { simulations, observations, weights, free, starts };
    let (geometry, unknowns) = refinement.refine(&mut fit, geometry, options, should_stop)?;
    fit.parametrisation = FaceParametrisation::Geometry(StretchedGeometry::new(geometry.clone()));
    learned.after = refinement.finish(&mut fit, &unknowns);
    (learned.geometry, learned.seconds) = (geometry, clock.elapsed().as_secs_f64());
    Ok(learned)
}

/// Factorises the fitted matrices. Returns S and the unknowns of each expression: its muscle
/// matrices and its jaw pose.
fn factorise(
    fit: &FaceFit,
    first: &GeometryMatrix,
    free: &[Fitted],
    options: &GeometryLearningOptions,
) -> (GeometryMatrix, Vec<Vec<f64>>) {
    let activations: Vec<Vec<Activation>> = free
        .iter()
        .map(|own| without_passive_stretch(&own.activations, &own.passive_stretch))
        .collect();
    let (geometry, matrices) = factorise_activations(
        first,
        &activations,
        &fit.active_shares,
        &fit.neighbours,
        &options.factorise_activations,
    );
    let own = matrices.into_iter().zip(free);
    let own = own.map(|(own, free)| [own, JawKnobs::numbers(&free.jaw).to_vec()].concat());
    (geometry, own.collect())
}

/// Expressions whose muscle matrices and jaw poses are refined together with S.
struct Refinement<'f> {
    simulations: Vec<FaceSimulation<'f>>,
    observations: Vec<Observation>,
    /// Weight of each expression.
    weights: Vec<f64>,
    /// Fits with a matrix per tet.
    free: Vec<Fitted>,
    /// Initial unknowns of each expression.
    starts: Vec<Vec<f64>>,
}

impl Refinement<'_> {
    /// Refines S and all unknowns with falling weights of the priors. Returns both.
    fn refine(
        &mut self,
        fit: &mut FaceFit,
        first: GeometryMatrix,
        options: &GeometryLearningOptions,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<(GeometryMatrix, Vec<f64>), FaceError> {
        let mut geometry = first.clone();
        let mut unknowns = self.starts.concat();
        let knobs = fit.simulation.jaw_knobs();
        for &weight in &options.weights {
            for _ in 0..options.steps {
                if should_stop() {
                    break;
                }
                fit.parametrisation =
                    FaceParametrisation::Geometry(StretchedGeometry::new(geometry.clone()));
                let theta = 6 * geometry.muscles;
                let expressions = self.expressions(fit, &knobs, &unknowns, weight, theta);
                let anchor = anchor(&first, &fit.active_shares, options.anchor * weight);
                let mut joint =
                    JointFit { expressions, geometry, anchor, volume: options.volume, unknowns };
                let effort =
                    SolveLimits { steps: 1, products: options.fit.products, settled: 1e-3 };
                let done = joint.minimise(&effort)?;
                (geometry, unknowns) = (joint.geometry, joint.unknowns);
                if done.steps == 0 {
                    break;
                }
            }
        }
        Ok((geometry, unknowns))
    }

    /// The expressions of a joint step, of which `theta` unknowns each are muscle matrices.
    fn expressions<'a>(
        &'a mut self,
        fit: &FaceFit,
        knobs: &'a JawKnobs,
        unknowns: &[f64],
        weight: f64,
        theta: usize,
    ) -> Vec<ExpressionFit<'a, JawKnobs>> {
        let mut at = 0;
        let mut expressions = Vec::new();
        for ((((simulation, observation), free), start), expression_weight) in self
            .simulations
            .iter_mut()
            .zip(&self.observations)
            .zip(&self.free)
            .zip(&self.starts)
            .zip(&self.weights)
        {
            let count = start.len();
            let own = &unknowns[at..at + count];
            at += count;
            let passive_stretch = &free.passive_stretch;
            let mut prior = fit.prior(own, passive_stretch, weight, theta);
            prior.towards[theta..].copy_from_slice(&start[theta..]);
            prior.weights.iter_mut().for_each(|weight| *weight *= expression_weight);
            let equilibrium = simulation.equilibrium();
            expressions.push(ExpressionFit {
                equilibrium,
                observation,
                knobs,
                prior,
                passive_stretch,
            });
        }
        expressions
    }

    /// The fits with the refined unknowns.
    fn finish(&self, fit: &mut FaceFit, unknowns: &[f64]) -> Vec<Fitted> {
        let mut at = 0;
        let mut all = Vec::new();
        for ((free, start), simulation) in self.free.iter().zip(&self.starts).zip(&self.simulations)
        {
            let count = start.len();
            let mut after = Fitted {
                unknowns: unknowns[at..at + count].to_vec(),
                passive_stretch: free.passive_stretch.clone(),
                ..Fitted::default()
            };
            at += count;
            fit.parametrisation.set_passive_stretch(&after.passive_stretch);
            fit.simulation.place(&simulation.positions());
            fit.finish(&mut after);
            all.push(after);
        }
        all
    }
}

/// Moves the flesh of each simulation to where its fit has it.
fn place(simulations: &mut [FaceSimulation], fits: &[Fitted]) {
    simulations.iter_mut().zip(fits).for_each(|(own, fitted)| own.place(&fitted.flesh));
}

/// Weight of each expression: inverse of its residual, normalised to mean 1. A wide open mouth
/// would otherwise outweigh all others.
fn expression_weights(
    observations: &[Observation],
    simulations: &mut [FaceSimulation],
) -> Vec<f64> {
    /// Residuals below this (mm²) count as this.
    const LEAST: f64 = 0.01;
    let left = simulations.iter_mut().zip(observations);
    let left = left.map(|(own, seen)| seen.value(&own.equilibrium().state.positions));
    let expression_weights: Vec<f64> = left.map(|left| 1.0 / left.max(LEAST)).collect();
    let mean = expression_weights.iter().sum::<f64>() / expression_weights.len().max(1) as f64;
    expression_weights.iter().map(|count| count / mean).collect()
}

/// Prior that draws S to its initial entries; rows count by their tets' active tissue.
fn anchor(first: &GeometryMatrix, active_shares: &[f64], weight: f64) -> QuadraticPrior {
    let weights = (0..first.tets()).flat_map(|tet| first.row(tet).iter().map(move |_| tet));
    QuadraticPrior {
        weights: weights.map(|tet| weight * active_shares[tet].max(1e-12)).collect(),
        towards: first.entries.iter().map(|entry| entry.weight).collect(),
    }
}
