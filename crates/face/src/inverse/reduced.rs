//! New expressions of a face whose muscle geometry is known (Dinev 2020, section 4.2.8): matrices of muscles and the jaw.
//!
//! These unknowns p are few, so that how the whole face answers them at rest is known beforehand, dx/dp = −K⁻¹B, and with it all of
//! Gauss–Newton's matrix, G = (dx/dp)ᵀ SᵀωS (dx/dp) + W, factored once per subject for every weight of the priors: a chord method. A round
//! is some iterations towards equilibrium on the matrix at rest, one division by K's factor for the adjoint, and one by G's; nothing of the
//! size of flesh is factored. Weights that fall from stage to stage take flesh there by steps that it can follow: with the last one from the
//! beginning lips buckle on the way, and the method ends higher.

use std::time::Instant;

use glam::DVec3;
use pliant_math::Row;
use pliant_math::cholesky::SparseCholesky;
use pliant_math::sparse::SymmetricMatrix;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::blend::{Blend, give_way};
use super::dependence::Dependence;
use super::equilibrium::{Knobs, Tangent};
use super::fit::{ActivationModel, FaceFit, FitOptions, Fitted};
use super::gauss_newton::{Prior, dot_rows};
use super::observation::Observation;
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::simulation::{FaceSimulation, FaceSolver, JawKnobs, SimulationOptions};

/// Rounds under the last weight of the priors at most, under each that comes before it, and iterations towards equilibrium in each.
const ROUNDS: u32 = 8;
const ROUNDS_BEFORE: u32 = 2;
const ITERATIONS: u32 = 8;
/// Rounds end when J changes by less than this part of it.
const SETTLED: f64 = 0.03;
/// How far the jaw opens to see what muscles yield (degrees).
const OPEN: f64 = 10.0;
/// Rounds without unknowns that change at most, and what is left of forces on the way, and in equilibrium.
const LAST: u32 = 6;
const NEAR: f64 = 0.03;
const FOUND: f64 = 1e-3;

/// Fits muscles of a known geometry to one skin after the other.
pub struct Reduced<'a> {
    /// At rest, for good.
    fit: FaceFit<'a>,
    moving: FaceSimulation<'a>,
    blend: Blend,
    tangent: Tangent,
    /// How free vertices answer the knobs at rest.
    answers: Vec<Vec<Row>>,
    /// G's factor for every weight of the priors, with these.
    stages: Vec<(SparseCholesky, Prior)>,
    /// What relaxed muscles lengthen by per degree that the jaw opens.
    yielding: Vec<Activation>,
    /// Seconds that this took.
    pub seconds: f64,
}

impl<'a> Reduced<'a> {
    /// For a face, with the geometry that it has learned, or as its muscles lie.
    ///
    /// # Errors
    /// When the face cannot be simulated.
    pub fn new(face: &'a FaceModel, options: FitOptions) -> Result<Self, FaceError> {
        let clock = Instant::now();
        let weights = match options.weights.is_empty() {
            true => vec![1.0],
            false => options.weights.clone(),
        };
        let options = FitOptions { model: ActivationModel::Geometry, ..options };
        let moving = SimulationOptions {
            solver: FaceSolver::Interactive { iterations: ITERATIONS },
            ..options.simulated()
        };
        let moving = FaceSimulation::new(face, &moving)?;
        let mut fit = FaceFit::new(face, options)?;
        let blend = Blend::of(face);
        let mut relaxed = blend.relaxed();
        let count = relaxed.len();
        relaxed.extend([0.0; JawKnobs::COUNT]);
        let still = vec![[0.0; 6]; blend.tets()];
        let observation = fit.observation(&face.skin.mesh.positions);
        let (tangent, columns) = columns(&mut fit, &blend)?;
        let gram = gram(&columns, &observation)?;
        let mut stages = Vec::new();
        for weight in weights {
            let prior = fit.prior(&relaxed, &still, weight, count);
            stages.push((factor(&gram, &prior)?, prior));
        }
        let answers = columns[count..].to_vec();
        let mut yielding = fit.drawn.yielded(&JawPose { open: OPEN, ..JawPose::default() });
        yielding.as_flattened_mut().iter_mut().for_each(|by| *by /= OPEN);
        let mut own =
            Reduced { fit, moving, blend, tangent, answers, stages, yielding, seconds: 0.0 };
        // What is done once.
        own.follow(&relaxed, &[]);
        own.seconds = clock.elapsed().as_secs_f64();
        Ok(own)
    }

    /// Fits muscles and jaw to a skin (m), in the frame of the skull and the order of the face's own.
    ///
    /// # Errors
    /// When the skin has another number of vertices, or one that is no number.
    pub fn fit(&mut self, target: &[DVec3]) -> Result<Fitted, FaceError> {
        self.fit.check(target)?;
        let clock = Instant::now();
        let observation = self.fit.observation(target);
        let jaw = self.fit.jaw_of(target);
        self.moving.open(&jaw);
        let yielded: Vec<Activation> =
            self.yielding.iter().map(|own| own.map(|by| by * jaw.open)).collect();
        let mut unknowns = self.blend.relaxed();
        let count = unknowns.len();
        unknowns.extend(JawKnobs::numbers(&jaw));
        let mut fitted = Fitted { yielded, ..Fitted::default() };
        let towards = unknowns.clone();
        self.settle(&unknowns, &fitted.yielded, NEAR);
        for stage in 0..self.stages.len() {
            self.stages[stage].1.towards.copy_from_slice(&towards);
            let is_last = stage + 1 == self.stages.len();
            let most = if is_last { ROUNDS } else { ROUNDS_BEFORE };
            let (mut length, mut before) = (1.0_f64, f64::INFINITY);
            let mut best = (f64::INFINITY, unknowns.clone());
            for round in 0..=most {
                // Flesh has come to where the last stage has left it.
                if round > 0 {
                    self.follow(&unknowns, &fitted.yielded);
                    fitted.steps += 1;
                }
                let positions = &self.moving.equilibrium().state.positions;
                let value = observation.value(positions) + self.stages[stage].1.value(&unknowns);
                let is_settled = (before - value).abs() < SETTLED * value;
                length = if value < before { (1.5 * length).min(1.0) } else { 0.5 * length };
                before = value;
                if value < best.0 {
                    best = (value, unknowns.clone());
                }
                if is_settled || round == most {
                    break;
                }
                let step = self.step(&observation, &unknowns, stage)?;
                for (unknown, by) in unknowns.iter_mut().zip(&step) {
                    *unknown -= length * by;
                }
                self.blend.confine(&mut unknowns[..count]);
                let jaw = self.fit.face.hinge.limited(&JawKnobs::pose(&unknowns[count..]));
                unknowns[count..].copy_from_slice(&JawKnobs::numbers(&jaw));
            }
            unknowns = best.1;
            let enough = if is_last { FOUND } else { NEAR };
            self.settle(&unknowns, &fitted.yielded, enough);
        }
        fitted.unknowns = unknowns;
        self.fit.dependence.yield_by(&fitted.yielded);
        self.fit.tell(&mut fitted);
        fitted.flesh = self.moving.positions();
        fitted.skin = self.fit.face.skin_at(&fitted.flesh);
        fitted.seconds = clock.elapsed().as_secs_f64();
        Ok(fitted)
    }

    /// Takes flesh nearer to where the unknowns have it; what is left of forces then.
    fn follow(&mut self, unknowns: &[f64], yielded: &[Activation]) -> f64 {
        let (theta, knobs) = unknowns.split_at(self.blend.count());
        let mut activations = vec![RELAXED; self.blend.tets()];
        self.blend.activations(theta, &mut activations);
        give_way(&mut activations, yielded);
        let mut equilibrium = self.moving.equilibrium();
        self.fit.knobs.turn(knobs, &mut equilibrium.input.end);
        equilibrium.find(&activations).residual
    }

    /// Takes flesh there until so much is left of forces, or it takes too long.
    fn settle(&mut self, unknowns: &[f64], yielded: &[Activation], enough: f64) {
        for _ in 0..LAST {
            let is_found = self.follow(unknowns, yielded) <= enough;
            if is_found {
                break;
            }
        }
    }

    /// G⁻¹ ∇J, with derivatives at rest.
    fn step(
        &mut self,
        observation: &Observation,
        unknowns: &[f64],
        stage: usize,
    ) -> Result<Vec<f64>, SimError> {
        let mut still = self.fit.simulation.equilibrium();
        let free = still.model.free_count();
        let (mut force, mut adjoint) = (vec![Row::zero(); free], vec![Row::zero(); free]);
        observation.slope(&self.moving.equilibrium().state.positions, &mut force);
        still.rough_answer(&force, &mut adjoint);
        adjoint.iter_mut().for_each(|row| *row = *row * -1.0);
        let mut pull = vec![[0.0; 6]; self.blend.tets()];
        self.tangent.pull(&adjoint, &mut pull);
        let mut slope = vec![0.0; unknowns.len()];
        let (of_theta, of_knobs) = slope.split_at_mut(self.blend.count());
        self.blend.gather(&unknowns[..of_theta.len()], &pull, of_theta);
        for (value, answer) in of_knobs.iter_mut().zip(&self.answers) {
            *value = dot_rows(answer, &force);
        }
        let (gram, prior) = &mut self.stages[stage];
        prior.add_slope(unknowns, &mut slope);
        gram.solve(&mut slope)?;
        Ok(slope)
    }
}

/// dx/dp of the free vertices at rest, by unknown.
fn columns(fit: &mut FaceFit, blend: &Blend) -> Result<(Tangent, Vec<Vec<Row>>), FaceError> {
    let relaxed = blend.relaxed();
    let mut still = fit.simulation.equilibrium();
    let mut tangent = still.tangent()?;
    let free = still.model.free_count();
    let mut columns = Vec::with_capacity(relaxed.len() + JawKnobs::COUNT);
    let mut change = vec![0.0; relaxed.len()];
    let mut activations: Vec<Activation> = vec![[0.0; 6]; blend.tets()];
    for k in 0..relaxed.len() {
        change[k] = -1.0;
        blend.spread(&relaxed, &change, &mut activations);
        change[k] = 0.0;
        let mut column = vec![Row::zero(); free];
        still.rough_answer(tangent.force(&activations), &mut column);
        columns.push(column);
    }
    for k in 0..JawKnobs::COUNT {
        let mut force = still.knob_force(&fit.knobs, &[0.0; JawKnobs::COUNT], k);
        force.iter_mut().for_each(|row| *row = *row * -1.0);
        let mut column = vec![Row::zero(); free];
        still.rough_answer(&force, &mut column);
        columns.push(column);
    }
    Ok((tangent, columns))
}

/// G without W: its lower half, column by column.
fn gram(columns: &[Vec<Row>], observation: &Observation) -> Result<SymmetricMatrix, SimError> {
    let count = columns.len();
    let mut entries = Vec::with_capacity(count * (count + 1) / 2);
    let mut force = vec![Row::zero(); columns.first().map_or(0, Vec::len)];
    for (j, column) in columns.iter().enumerate() {
        observation.bend(column, &mut force);
        for (i, other) in columns.iter().enumerate().skip(j) {
            entries.push((i, j, dot_rows(other, &force)));
        }
    }
    Ok(SymmetricMatrix::from_triplets(count, entries)?)
}

/// G's factor.
fn factor(gram: &SymmetricMatrix, prior: &Prior) -> Result<SparseCholesky, SimError> {
    let mut values = gram.values().to_vec();
    for (k, weight) in prior.weights.iter().enumerate() {
        if let Some(slot) = gram.slot(k, k) {
            values[slot] += weight;
        }
    }
    let order: Vec<usize> = (0..gram.size()).collect();
    let mut factor = SparseCholesky::analyse(gram, &order)?;
    factor.factor(&values)?;
    Ok(factor)
}
