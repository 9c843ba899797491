//! The minimisation: feasible Gauss–Newton steps with adjoint gradients.

use pliant_math::Row;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::dependence::Dependence;
use super::equilibrium::{Equilibrium, Tangent};
use super::observation::Observation;

/// ½ Σ w (θ − θ̄)².
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prior {
    pub weights: Vec<f64>,
    pub towards: Vec<f64>,
}

impl Prior {
    fn value(&self, theta: &[f64]) -> f64 {
        let terms = self.weights.iter().zip(&self.towards).zip(theta);
        terms.map(|((w, t), x)| 0.5 * w * (x - t) * (x - t)).sum()
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Of Gauss–Newton's steps.
    pub steps: u32,
    /// Products per step at most.
    pub products: u32,
    /// J has settled when a step lowers it by less than this part of it.
    pub settled: f64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Steps that were taken, and equilibria that were looked for.
    pub steps: u32,
    pub equilibria: u32,
    /// Products with the approximate Hessian.
    pub products: u32,
    /// J and its first term at the end.
    pub value: f64,
    pub misfit: f64,
    /// ‖∇J‖.
    pub slope: f64,
}

/// A problem with the memory that it is solved in.
pub struct Problem<'a, D: Dependence> {
    pub equilibrium: Equilibrium<'a>,
    pub observation: &'a Observation,
    pub dependence: &'a D,
    pub prior: &'a Prior,
}

/// A step is shortened at most so often.
const MOST_HALVINGS: u32 = 8;
/// A step must lower J by this part of what its slope promises.
const ARMIJO: f64 = 1e-4;

impl<D: Dependence> Problem<'_, D> {
    /// J at θ, with the equilibrium found for it.
    pub fn value(&mut self, theta: &[f64]) -> f64 {
        let mut activations = vec![RELAXED; self.equilibrium.input.end.activations.len()];
        self.dependence.activations(theta, &mut activations);
        self.equilibrium.find(&activations);
        self.observation.value(&self.equilibrium.state.positions) + self.prior.value(theta)
    }

    /// ∇J at θ, where the equilibrium is; also λ, for whoever needs it.
    ///
    /// # Errors
    /// When there is no tangent.
    pub fn slope(&mut self, theta: &[f64], tangent: &Tangent) -> (Vec<f64>, Vec<Row>) {
        let free = self.equilibrium.model.free_count();
        let (mut force, mut lambda) = (vec![Row::zero(); free], vec![Row::zero(); free]);
        self.observation.slope(&self.equilibrium.state.positions, &mut force);
        self.equilibrium.answer(&force, &mut lambda);
        lambda.iter_mut().for_each(|row| *row = *row * -1.0);
        let mut pull = vec![[0.0; 6]; self.equilibrium.input.end.activations.len()];
        tangent.pull(&lambda, &mut pull);
        let mut slope = vec![0.0; self.dependence.count()];
        self.dependence.gather(theta, &pull, &mut slope);
        for (k, slope) in slope.iter_mut().enumerate() {
            *slope += self.prior.weights[k] * (theta[k] - self.prior.towards[k]);
        }
        (slope, lambda)
    }

    /// Minimises J from θ.
    ///
    /// # Errors
    /// When there is no tangent.
    pub fn minimise(&mut self, theta: &mut Vec<f64>, effort: &Effort) -> Result<Outcome, SimError> {
        let mut outcome = Outcome { value: self.value(theta), equilibria: 1, ..Outcome::default() };
        let mut tried = vec![0.0; theta.len()];
        while outcome.steps < effort.steps {
            let mut tangent = self.equilibrium.tangent()?;
            let (slope, _) = self.slope(theta, &tangent);
            outcome.slope = dot(&slope, &slope).sqrt();
            let step = self.direction(theta, &slope, &mut tangent, effort.products, &mut outcome);
            let descent = dot(&slope, &step);
            if descent >= 0.0 || descent.is_nan() {
                break;
            }
            let before = (outcome.value, self.equilibrium.state.positions.to_vec());
            let mut length = 1.0;
            let mut is_lower = false;
            for _ in 0..MOST_HALVINGS {
                for ((tried, from), by) in tried.iter_mut().zip(&*theta).zip(&step) {
                    *tried = from + length * by;
                }
                let value = self.value(&tried);
                outcome.equilibria += 1;
                if value <= before.0 + ARMIJO * length * descent {
                    outcome.value = value;
                    is_lower = true;
                    break;
                }
                self.equilibrium.state.positions.copy_from_slice(&before.1);
                length *= 0.5;
            }
            if !is_lower {
                outcome.value = self.value(theta);
                break;
            }
            theta.copy_from_slice(&tried);
            outcome.steps += 1;
            if before.0 - outcome.value < effort.settled * before.0 {
                break;
            }
        }
        outcome.misfit = self.observation.value(&self.equilibrium.state.positions);
        Ok(outcome)
    }

    /// −H⁻¹ ∇J by conjugate gradients, H = (K̃⁻¹B)ᵀ SᵀωS (K̃⁻¹B) + W.
    fn direction(
        &mut self,
        theta: &[f64],
        slope: &[f64],
        tangent: &mut Tangent,
        most: u32,
        outcome: &mut Outcome,
    ) -> Vec<f64> {
        /// Left of the gradient when a direction is good enough.
        const ENOUGH: f64 = 1e-3;
        let mut answer = vec![0.0; slope.len()];
        let mut residual: Vec<f64> = slope.iter().map(|s| -s).collect();
        let scaled = |residual: &[f64], prior: &Prior| -> Vec<f64> {
            residual.iter().zip(&prior.weights).map(|(r, w)| r / w).collect()
        };
        let mut along = scaled(&residual, self.prior);
        let mut size = dot(&residual, &along);
        let goal = ENOUGH * ENOUGH * size;
        for _ in 0..most {
            if !(size > goal && size.is_finite()) {
                break;
            }
            let product = self.product(theta, &along, tangent);
            outcome.products += 1;
            let curvature = dot(&along, &product);
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            let length = size / curvature;
            for k in 0..answer.len() {
                answer[k] += length * along[k];
                residual[k] -= length * product[k];
            }
            let next = scaled(&residual, self.prior);
            let before = size;
            size = dot(&residual, &next);
            let keep = size / before;
            along.iter_mut().zip(&next).for_each(|(a, n)| *a = n + keep * *a);
        }
        answer
    }

    fn product(&mut self, theta: &[f64], change: &[f64], tangent: &mut Tangent) -> Vec<f64> {
        let free = self.equilibrium.model.free_count();
        let mut activations: Vec<Activation> =
            vec![[0.0; 6]; self.equilibrium.input.end.activations.len()];
        self.dependence.spread(theta, change, &mut activations);
        let (mut moved, mut force) = (vec![Row::zero(); free], vec![Row::zero(); free]);
        self.equilibrium.rough_answer(tangent.force(&activations), &mut moved);
        self.observation.bend(&moved, &mut force);
        self.equilibrium.rough_answer(&force, &mut moved);
        tangent.pull(&moved, &mut activations);
        let mut product = vec![0.0; change.len()];
        self.dependence.gather(theta, &activations, &mut product);
        for (k, product) in product.iter_mut().enumerate() {
            *product += self.prior.weights[k] * change[k];
        }
        product
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
