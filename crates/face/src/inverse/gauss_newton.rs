//! The minimisation: feasible Gauss–Newton steps with adjoint gradients.

use pliant_math::Row;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::dependence::Dependence;
use super::equilibrium::{Equilibrium, Knobs, Tangent};
use super::observation::Observation;

/// ½ Σ w (θ − θ̄)².
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prior {
    pub weights: Vec<f64>,
    pub towards: Vec<f64>,
}

impl Prior {
    pub(super) fn value(&self, theta: &[f64]) -> f64 {
        let terms = self.weights.iter().zip(&self.towards).zip(theta);
        terms.map(|((w, t), x)| 0.5 * w * (x - t) * (x - t)).sum()
    }

    /// out ← out + w (θ − θ̄).
    pub(super) fn add_slope(&self, theta: &[f64], out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            *out += self.weights[k] * (theta[k] - self.towards[k]);
        }
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
    /// By how much the last step lowered J.
    pub fallen: f64,
}

/// A problem with the memory that it is solved in. Its unknowns are θ of the activations, then the knobs.
pub struct Problem<'a, D: Dependence + ?Sized, K: Knobs> {
    pub equilibrium: Equilibrium<'a>,
    pub observation: &'a Observation,
    pub dependence: &'a D,
    pub knobs: &'a K,
    /// Of all unknowns.
    pub prior: &'a Prior,
}

/// ∇J at a point, and what it was made of.
pub struct Slope {
    pub values: Vec<f64>,
    /// λ of the free vertices.
    pub adjoint: Vec<Row>,
    /// How they answer the knobs.
    answers: Vec<Vec<Row>>,
}

/// Forces that are left where no equilibrium was found, of those that flesh exerts.
pub(super) const LOST: f64 = 1e-3;
/// A step is shortened at most so often.
const MOST_HALVINGS: u32 = 8;
/// A step must lower J by this part of what its slope promises.
const ARMIJO: f64 = 1e-4;

impl<D: Dependence + ?Sized, K: Knobs> Problem<'_, D, K> {
    /// J, with the equilibrium found for it; infinite where none is.
    pub fn value(&mut self, unknowns: &[f64]) -> f64 {
        let (theta, knobs) = unknowns.split_at(self.dependence.count());
        let mut activations = vec![RELAXED; self.equilibrium.input.end.activations.len()];
        self.dependence.activations(theta, &mut activations);
        self.knobs.turn(knobs, &mut self.equilibrium.input.end);
        let found = self.equilibrium.find(&activations);
        // False for what is no number.
        let is_found = found.residual <= LOST;
        if !is_found {
            return f64::INFINITY;
        }
        self.observation.value(&self.equilibrium.state.positions) + self.prior.value(unknowns)
    }

    /// ∇J where the equilibrium is.
    pub fn slope(&mut self, unknowns: &[f64], tangent: &Tangent) -> Slope {
        let positions = self.equilibrium.state.positions.to_vec();
        self.slope_at(&positions, unknowns, tangent)
    }

    /// A Gauss–Newton step from where forces need not balance: equilibrium is taken to be where a step of Newton's has it.
    ///
    /// # Errors
    /// When there is no tangent.
    pub fn approach(&mut self, unknowns: &mut [f64], products: u32) -> Result<Outcome, SimError> {
        let mut outcome = Outcome::default();
        let count = self.dependence.count();
        self.dependence
            .activations(&unknowns[..count], &mut self.equilibrium.input.end.activations);
        self.knobs.turn(&unknowns[count..], &mut self.equilibrium.input.end);
        let mut tangent = self.equilibrium.tangent()?;
        let predicted = self.equilibrium.predicted();
        let slope = self.slope_at(&predicted, unknowns, &tangent);
        outcome.value = self.observation.value(&predicted) + self.prior.value(unknowns);
        let step = self.direction(unknowns, &slope, &mut tangent, products, &mut outcome);
        for (unknown, by) in unknowns.iter_mut().zip(&step) {
            *unknown += by;
        }
        self.dependence.confine(&mut unknowns[..count]);
        outcome.steps = 1;
        Ok(outcome)
    }

    fn slope_at(&mut self, positions: &[Row], unknowns: &[f64], tangent: &Tangent) -> Slope {
        let (theta, knobs) = unknowns.split_at(self.dependence.count());
        let free = self.equilibrium.model.free_count();
        let (mut force, mut adjoint) = (vec![Row::zero(); free], vec![Row::zero(); free]);
        self.observation.slope(positions, &mut force);
        self.equilibrium.answer(&force, &mut adjoint);
        adjoint.iter_mut().for_each(|row| *row = *row * -1.0);
        let mut pull = vec![[0.0; 6]; self.equilibrium.input.end.activations.len()];
        tangent.pull(&adjoint, &mut pull);
        let mut values = vec![0.0; unknowns.len()];
        let (of_theta, of_knobs) = values.split_at_mut(theta.len());
        self.dependence.gather(theta, &pull, of_theta);
        let mut answers = Vec::new();
        for (k, value) in of_knobs.iter_mut().enumerate() {
            let forces = self.equilibrium.knob_force(self.knobs, knobs, k);
            *value = dot_rows(&forces, &adjoint);
            let mut answer = vec![Row::zero(); free];
            // Steps forgive a rough one.
            self.equilibrium.rough_answer(&forces, &mut answer);
            answer.iter_mut().for_each(|row| *row = *row * -1.0);
            answers.push(answer);
        }
        self.prior.add_slope(unknowns, &mut values);
        Slope { values, adjoint, answers }
    }

    /// Minimises J from where the unknowns are.
    ///
    /// # Errors
    /// When there is no tangent.
    pub fn minimise(&mut self, unknowns: &mut [f64], effort: &Effort) -> Result<Outcome, SimError> {
        let mut outcome =
            Outcome { value: self.value(unknowns), equilibria: 1, ..Outcome::default() };
        let mut tried = vec![0.0; unknowns.len()];
        let count = self.dependence.count();
        while outcome.steps < effort.steps {
            let mut tangent = self.equilibrium.tangent()?;
            let slope = self.slope(unknowns, &tangent);
            outcome.slope = dot(&slope.values, &slope.values).sqrt();
            let most = effort.products;
            let step = self.direction(unknowns, &slope, &mut tangent, most, &mut outcome);
            let descent = dot(&slope.values, &step);
            if descent >= 0.0 || descent.is_nan() {
                break;
            }
            let before = (outcome.value, self.equilibrium.state.positions.to_vec());
            let moved = self.moved(unknowns, &step, &slope.answers, &mut tangent);
            let mut length = 1.0;
            let mut is_lower = false;
            for _ in 0..MOST_HALVINGS {
                for ((tried, from), by) in tried.iter_mut().zip(&*unknowns).zip(&step) {
                    *tried = from + length * by;
                }
                self.dependence.confine(&mut tried[..count]);
                let ways = tried.iter().zip(&*unknowns).zip(&slope.values);
                let promised: f64 = ways.map(|((to, from), s)| (to - from) * s).sum();
                // Where the linear answer has it is where to begin.
                let places = self.equilibrium.state.positions.iter_mut().zip(&before.1);
                for ((x, from), by) in places.zip(&moved) {
                    *x = from.plus_scaled(length, *by);
                }
                let value = self.value(&tried);
                outcome.equilibria += 1;
                if value < before.0 && value <= before.0 + ARMIJO * promised.min(0.0) {
                    outcome.value = value;
                    is_lower = true;
                    break;
                }
                length *= 0.5;
            }
            if !is_lower {
                self.equilibrium.state.positions.copy_from_slice(&before.1);
                outcome.value = self.value(unknowns);
                break;
            }
            unknowns.copy_from_slice(&tried);
            outcome.steps += 1;
            outcome.fallen = before.0 - outcome.value;
            if outcome.fallen < effort.settled * before.0 {
                break;
            }
        }
        outcome.misfit = self.observation.value(&self.equilibrium.state.positions);
        Ok(outcome)
    }

    /// −H⁻¹ ∇J by conjugate gradients, H = (K̃⁻¹B)ᵀ SᵀωS (K̃⁻¹B) + W.
    fn direction(
        &mut self,
        unknowns: &[f64],
        slope: &Slope,
        tangent: &mut Tangent,
        most: u32,
        outcome: &mut Outcome,
    ) -> Vec<f64> {
        /// Left of the gradient when a direction is good enough.
        const ENOUGH: f64 = 1e-3;
        let Slope { values, answers, .. } = slope;
        let mut answer = vec![0.0; values.len()];
        let mut residual: Vec<f64> = values.iter().map(|s| -s).collect();
        let count = self.dependence.count();
        let is_held = |k: usize| k < count && self.dependence.is_held(unknowns[k], values[k]);
        let held: Vec<bool> = (0..values.len()).map(is_held).collect();
        let scaled = |residual: &[f64], prior: &Prior| -> Vec<f64> {
            let own = residual.iter().zip(&prior.weights).zip(&held);
            own.map(|((r, w), held)| if *held { 0.0 } else { r / w }).collect()
        };
        let mut along = scaled(&residual, self.prior);
        let mut size = dot(&residual, &along);
        let goal = ENOUGH * ENOUGH * size;
        for _ in 0..most {
            if !(size > goal && size.is_finite()) {
                break;
            }
            let product = self.product(unknowns, &along, answers, tangent);
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

    /// How free vertices answer a change of the unknowns, roughly.
    fn moved(
        &mut self,
        unknowns: &[f64],
        change: &[f64],
        answers: &[Vec<Row>],
        tangent: &mut Tangent,
    ) -> Vec<Row> {
        let count = self.dependence.count();
        let mut activations: Vec<Activation> =
            vec![[0.0; 6]; self.equilibrium.input.end.activations.len()];
        self.dependence.spread(&unknowns[..count], &change[..count], &mut activations);
        let mut moved = vec![Row::zero(); self.equilibrium.model.free_count()];
        self.equilibrium.rough_answer(tangent.force(&activations), &mut moved);
        moved.iter_mut().for_each(|row| *row = *row * -1.0);
        for (answer, by) in answers.iter().zip(&change[count..]) {
            moved.iter_mut().zip(answer).for_each(|(row, a)| *row = row.plus_scaled(*by, *a));
        }
        moved
    }

    fn product(
        &mut self,
        unknowns: &[f64],
        change: &[f64],
        answers: &[Vec<Row>],
        tangent: &mut Tangent,
    ) -> Vec<f64> {
        let count = self.dependence.count();
        let theta = &unknowns[..count];
        let mut moved = self.moved(unknowns, change, answers, tangent);
        let mut force = vec![Row::zero(); moved.len()];
        let mut activations = vec![[0.0; 6]; self.equilibrium.input.end.activations.len()];
        self.observation.bend(&moved, &mut force);
        self.equilibrium.rough_answer(&force, &mut moved);
        tangent.pull(&moved, &mut activations);
        activations.as_flattened_mut().iter_mut().for_each(|x| *x = -*x);
        let mut product = vec![0.0; change.len()];
        let (of_theta, of_knobs) = product.split_at_mut(count);
        self.dependence.gather(theta, &activations, of_theta);
        for (product, answer) in of_knobs.iter_mut().zip(answers) {
            *product = dot_rows(answer, &force);
        }
        for (k, product) in product.iter_mut().enumerate() {
            *product += self.prior.weights[k] * change[k];
        }
        product
    }
}

pub(super) fn dot_rows(a: &[Row], b: &[Row]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.xyz().dot(b.xyz())).sum()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
