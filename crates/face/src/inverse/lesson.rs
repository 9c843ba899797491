//! A face's muscle geometry, learned from some of its expressions (Dinev 2020, section 4.2.8).
//!
//! Muscles begin where the template has them ([`Blend::of_muscles`]); flesh near them may come to be theirs where the face lends it
//! ([`FaceModel::lending`]). First every skin is fitted by a matrix per tet, and these are told apart as muscles' matrices and S
//! ([`factors`](super::factors)); then muscles' matrices, jaws and S are improved together ([`geometry`](super::geometry)), with priors that weigh less and less. Skins that were
//! not learned from are fitted with S as it is: [`ActivationModel::Geometry`].

use std::time::Instant;

use glam::DVec3;
use pliant_model::potentials::activation::Activation;

use super::blend::{Blend, Yielding};
use super::factors::{FactorOptions, factors};
use super::fit::{ActivationModel, FaceFit, Fibres, FitOptions, Fitted};
use super::gauss_newton::{Effort, Prior};
use super::geometry::{Expression, Learning};
use super::observation::Observation;
use super::priors::beyond;
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, JawKnobs};

/// How geometry is learned.
#[derive(Clone, Debug)]
pub struct LessonOptions {
    /// For every expression; its `model` is not used.
    pub fit: FitOptions,
    /// Weights of the priors (mm²) while S is learned, one after the other.
    pub weights: Vec<f64>,
    /// How geometry is told from activations of tets at first.
    pub factors: FactorOptions,
    /// What a change of S costs, relative to the priors of activations.
    pub anchor: f64,
    /// w_v: what muscles' changes of volume cost (mm²).
    pub volume: f64,
    /// Joint steps per weight of the priors.
    pub steps: u32,
}

impl Default for LessonOptions {
    fn default() -> Self {
        LessonOptions {
            fit: FitOptions::default(),
            weights: vec![0.1, 0.03, 0.01],
            factors: FactorOptions::default(),
            anchor: 0.1,
            volume: 0.01,
            steps: 4,
        }
    }
}

/// What was learned.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// S.
    pub geometry: Blend,
    /// The expressions with S as it was at first, and as it is now.
    pub before: Vec<Fitted>,
    pub after: Vec<Fitted>,
    /// Seconds.
    pub seconds: f64,
}

/// Learns a face's geometry from skins (m), in the frame of the skull and the order of the face's own. `is_over` is asked between
/// steps whether to leave it at what was found so far.
///
/// # Errors
/// When a skin has another number of vertices, or flesh no tangent.
pub fn learn(
    face: &FaceModel,
    targets: &[Vec<DVec3>],
    options: &LessonOptions,
    is_over: &dyn Fn() -> bool,
) -> Result<Learned, FaceError> {
    let clock = Instant::now();
    let by_tets = FitOptions { model: ActivationModel::Tensor, ..options.fit.clone() };
    let mut fit = FaceFit::new(face, by_tets)?;
    let mut learned = Learned::default();
    let mut free = Vec::new();
    for target in targets {
        if is_over() {
            return Ok(learned);
        }
        free.push(fit.fit(target, None)?);
    }
    let first = Blend::of(face);
    fit.options.model = ActivationModel::Geometry;
    fit.dependence = Fibres::Blend(Yielding::new(first.clone()));
    let mut simulations = Vec::new();
    for target in targets {
        if is_over() {
            return Ok(learned);
        }
        learned.before.push(fit.fit(target, None)?);
        simulations.push(FaceSimulation::new(face, &options.fit.simulated())?);
    }
    let told = targets.iter().zip(&free);
    let mut observations: Vec<_> =
        told.map(|(target, free)| fit.observation(target).weighed(&free.trusts)).collect();
    place(&mut simulations, &learned.before);
    let counts = counts(&observations, &mut simulations);
    observations.iter_mut().zip(&counts).for_each(|(own, count)| own.scale(*count));
    place(&mut simulations, &free);
    let activations: Vec<Vec<Activation>> =
        free.iter().map(|own| beyond(&own.activations, &own.yielded)).collect();
    let (mut geometry, matrices) =
        factors(&first, &activations, &fit.parts, &fit.neighbours, &options.factors);
    let first = geometry.clone();
    let own = matrices.into_iter().zip(&free);
    let own = own.map(|(own, free)| [own, JawKnobs::numbers(&free.jaw).to_vec()].concat());
    let starts: Vec<Vec<f64>> = own.collect();
    let mut unknowns = starts.concat();
    let knobs = fit.simulation.jaw_knobs();
    for &weight in &options.weights {
        for _ in 0..options.steps {
            if is_over() {
                break;
            }
            fit.dependence = Fibres::Blend(Yielding::new(geometry.clone()));
            let mut at = 0;
            let mut expressions = Vec::new();
            for ((((simulation, observation), free), start), counts) in
                simulations.iter_mut().zip(&observations).zip(&free).zip(&starts).zip(&counts)
            {
                let count = start.len();
                let own = &unknowns[at..at + count];
                at += count;
                let theta = 6 * geometry.muscles;
                let mut prior = fit.prior(own, &free.yielded, weight, theta);
                prior.towards[theta..].copy_from_slice(&start[theta..]);
                prior.weights.iter_mut().for_each(|weight| *weight *= counts);
                let equilibrium = simulation.equilibrium();
                let yielded = &free.yielded;
                expressions.push(Expression {
                    equilibrium,
                    observation,
                    knobs: &knobs,
                    prior,
                    yielded,
                });
            }
            let anchor = anchor(&first, &fit.parts, options.anchor * weight);
            let mut learning =
                Learning { expressions, blend: geometry, anchor, volume: options.volume, unknowns };
            let effort = Effort { steps: 1, products: options.fit.products, settled: 1e-3 };
            let done = learning.learn(&effort)?;
            (geometry, unknowns) = (learning.blend, learning.unknowns);
            if done.steps == 0 {
                break;
            }
        }
    }
    fit.dependence = Fibres::Blend(Yielding::new(geometry.clone()));
    let mut at = 0;
    for ((free, start), simulation) in free.iter().zip(&starts).zip(&simulations) {
        let count = start.len();
        let mut after = Fitted {
            unknowns: unknowns[at..at + count].to_vec(),
            yielded: free.yielded.clone(),
            ..Fitted::default()
        };
        at += count;
        fit.dependence.yield_by(&after.yielded);
        fit.simulation.place(&simulation.positions());
        fit.finish(&mut after);
        learned.after.push(after);
    }
    (learned.geometry, learned.seconds) = (geometry, clock.elapsed().as_secs_f64());
    Ok(learned)
}

/// Puts flesh where fits have it.
fn place(simulations: &mut [FaceSimulation], fits: &[Fitted]) {
    simulations.iter_mut().zip(fits).for_each(|(own, fitted)| own.place(&fitted.flesh));
}

/// What expressions count for: one over what is left of them, of the mean of all. A wide open mouth would outweigh all others.
fn counts(observations: &[Observation], simulations: &mut [FaceSimulation]) -> Vec<f64> {
    /// Nothing counts for more than if this was left of it (mm²).
    const LEAST: f64 = 0.01;
    let left = simulations.iter_mut().zip(observations);
    let left = left.map(|(own, seen)| seen.value(&own.equilibrium().state.positions));
    let counts: Vec<f64> = left.map(|left| 1.0 / left.max(LEAST)).collect();
    let mean = counts.iter().sum::<f64>() / counts.len().max(1) as f64;
    counts.iter().map(|count| count / mean).collect()
}

/// What draws S to where it was at first, by what of the flesh its rows are.
fn anchor(first: &Blend, parts: &[f64], weight: f64) -> Prior {
    let weights = (0..first.tets()).flat_map(|tet| first.row(tet).iter().map(move |_| tet));
    Prior {
        weights: weights.map(|tet| weight * parts[tet].max(1e-12)).collect(),
        towards: first.entries.iter().map(|entry| entry.weight).collect(),
    }
}
