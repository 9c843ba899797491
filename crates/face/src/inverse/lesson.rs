//! A face's muscle geometry, learned from some of its expressions (Dinev 2020, section 4.2.8).
//!
//! Muscles begin where the template has them ([`Blend::of_muscles`]); flesh near them may come to be theirs where the face lends it
//! ([`FaceModel::lending`]). First every skin is fitted with that; then muscles'
//! matrices, jaws and S are improved together ([`geometry`](super::geometry)), with priors that weigh less and less. Skins that were
//! not learned from are fitted with S as it is: [`ActivationModel::Geometry`].

use std::time::Instant;

use glam::DVec3;

use super::blend::Blend;
use super::fit::{ActivationModel, FaceFit, Fibres, FitOptions, Fitted};
use super::gauss_newton::{Effort, Prior};
use super::geometry::{Expression, Learning};
use super::observation::Observation;
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::simulation::FaceSimulation;

/// How geometry is learned.
#[derive(Clone, Debug)]
pub struct LessonOptions {
    /// For every expression; its `model` is not used.
    pub fit: FitOptions,
    /// Weights of the priors (mm²) while S is learned, one after the other.
    pub weights: Vec<f64>,
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
            weights: vec![0.2, 0.05, 0.02],
            anchor: 0.1,
            volume: 0.01,
            steps: 3,
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
    let as_geometry = FitOptions { model: ActivationModel::Geometry, ..options.fit.clone() };
    let mut fit = FaceFit::new(face, as_geometry)?;
    let mut learned = Learned::default();
    let mut simulations = Vec::new();
    for target in targets {
        if is_over() {
            break;
        }
        learned.before.push(fit.fit(target, None)?);
        let mut simulation = FaceSimulation::new(face, &options.fit.simulated())?;
        simulation.place(&fit.simulation.positions());
        simulations.push(simulation);
    }
    let Fibres::Blend(first) = &fit.dependence else { return Ok(learned) };
    let first = first.clone();
    let told = targets.iter().zip(&learned.before);
    let mut observations: Vec<_> =
        told.map(|(target, before)| fit.observation(target).trusted(&before.trusts)).collect();
    let counts = counts(&observations, &mut simulations);
    observations.iter_mut().zip(&counts).for_each(|(own, count)| own.scale(*count));
    let knobs = fit.simulation.jaw_knobs();
    let mut unknowns: Vec<f64> = learned.before.iter().flat_map(|b| b.unknowns.clone()).collect();
    let mut geometry = first.clone();
    for &weight in &options.weights {
        for _ in 0..options.steps {
            if is_over() {
                break;
            }
            fit.dependence = Fibres::Blend(geometry.clone());
            let mut at = 0;
            let mut expressions = Vec::new();
            for (((simulation, observation), before), counts) in
                simulations.iter_mut().zip(&observations).zip(&learned.before).zip(&counts)
            {
                let count = before.unknowns.len();
                let own = &unknowns[at..at + count];
                at += count;
                let theta = 6 * geometry.muscles;
                let mut prior = fit.prior(own, &before.yielded, weight, theta);
                prior.towards[theta..].copy_from_slice(&before.unknowns[theta..]);
                prior.weights.iter_mut().for_each(|weight| *weight *= counts);
                let equilibrium = simulation.equilibrium();
                expressions.push(Expression { equilibrium, observation, knobs: &knobs, prior });
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
    fit.dependence = Fibres::Blend(geometry.clone());
    let mut at = 0;
    for (before, simulation) in learned.before.iter().zip(&simulations) {
        let count = before.unknowns.len();
        let mut after = Fitted {
            unknowns: unknowns[at..at + count].to_vec(),
            yielded: before.yielded.clone(),
            ..Fitted::default()
        };
        at += count;
        fit.simulation.place(&simulation.positions());
        fit.finish(&mut after);
        learned.after.push(after);
    }
    (learned.geometry, learned.seconds) = (geometry, clock.elapsed().as_secs_f64());
    Ok(learned)
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
