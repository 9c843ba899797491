//! Feasible Gauss–Newton steps with adjoint gradients.

use pliant_math::Row;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::{conjugate_gradients, dot, dot_rows};
use crate::inverse::activation::Parametrisation;
use crate::inverse::equilibrium::{Equilibrium, Knobs, Tangent, negate};
use crate::inverse::targets::Observation;

/// The prior ½ Σ w (θ − θ̄)².
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuadraticPrior {
    pub weights: Vec<f64>,
    pub towards: Vec<f64>,
}

impl QuadraticPrior {
    pub(crate) fn value(&self, theta: &[f64]) -> f64 {
        let terms = self.weights.iter().zip(&self.towards).zip(theta);
        terms.map(|((w, t), x)| 0.5 * w * (x - t) * (x - t)).sum()
    }

    /// out ← out + w (θ − θ̄).
    pub(crate) fn add_gradient(&self, theta: &[f64], out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            *out += self.weights[k] * (theta[k] - self.towards[k]);
        }
    }
}

/// Limits of a minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveLimits {
    /// Limit on Gauss–Newton steps.
    pub steps: u32,
    /// Limit on products with the Hessian per step.
    pub products: u32,
    /// Relative decrease of J below which the steps end.
    pub settled: f64,
}

/// Statistics of a minimisation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Gauss–Newton steps taken, and equilibria computed.
    pub steps: u32,
    pub equilibria: u32,
    /// Products with the approximate Hessian.
    pub products: u32,
    /// J at the end, and its data term.
    pub value: f64,
    pub misfit: f64,
    /// ‖∇J‖ before the last step.
    pub gradient_norm: f64,
    /// Decrease of J by the last step.
    pub decrease: f64,
}

/// Eq. 4 of \[ichim2017phace\] with the memory to solve it. The unknowns are θ, then the knobs.
pub struct FitProblem<'a, D: Parametrisation + ?Sized, K: Knobs> {
    pub equilibrium: Equilibrium<'a>,
    pub observation: &'a Observation,
    pub parametrisation: &'a D,
    pub knobs: &'a K,
    /// Prior of all unknowns.
    pub prior: &'a QuadraticPrior,
}

/// ∇J at a point, with its intermediate results.
pub struct Gradient {
    pub values: Vec<f64>,
    /// Adjoint λ of the free vertices.
    pub adjoint: Vec<Row>,
    /// Displacement of the free vertices per unit of each knob.
    knob_responses: Vec<Vec<Row>>,
}

/// Relative residual above which no equilibrium was found.
pub(crate) const LOST_EQUILIBRIUM: f64 = 1e-3;
/// Limit on halvings of a step.
const MOST_HALVINGS: u32 = 8;
/// Least decrease of J, relative to the one that the gradient predicts.
const ARMIJO: f64 = 1e-4;

impl<D: Parametrisation + ?Sized, K: Knobs> FitProblem<'_, D, K> {
    /// J at its equilibrium; infinite if there is none.
    pub fn value(&mut self, unknowns: &[f64]) -> f64 {
        let (theta, knobs) = unknowns.split_at(self.parametrisation.count());
        let mut activations = vec![RELAXED; self.equilibrium.input.end.activations.len()];
        self.parametrisation.activations(theta, &mut activations);
        self.knobs.turn(knobs, &mut self.equilibrium.input.end);
        let found = self.equilibrium.find(&activations);
        // False for NaN.
        let is_found = found.residual <= LOST_EQUILIBRIUM;
        if !is_found {
            return f64::INFINITY;
        }
        self.observation.value(&self.equilibrium.state.positions) + self.prior.value(unknowns)
    }

    /// ∇J at the current equilibrium.
    pub fn gradient(&mut self, unknowns: &[f64], tangent: &Tangent) -> Gradient {
        let positions = self.equilibrium.state.positions.to_vec();
        self.gradient_at(&positions, unknowns, tangent)
    }

    /// Takes a Gauss–Newton step from a state out of equilibrium; one Newton step predicts the
    /// equilibrium.
    ///
    /// # Errors
    /// When K cannot be factored.
    pub fn step_from_prediction(
        &mut self,
        unknowns: &mut [f64],
        products: u32,
    ) -> Result<SolveReport, SimError> {
        let mut report = SolveReport::default();
        let count = self.parametrisation.count();
        self.parametrisation
            .activations(&unknowns[..count], &mut self.equilibrium.input.end.activations);
        self.knobs.turn(&unknowns[count..], &mut self.equilibrium.input.end);
        let mut tangent = self.equilibrium.tangent()?;
        let prediction = self.equilibrium.newton_prediction();
        let gradient = self.gradient_at(&prediction, unknowns, &tangent);
        report.value = self.observation.value(&prediction) + self.prior.value(unknowns);
        let step = self.direction(unknowns, &gradient, &mut tangent, products, &mut report);
        for (unknown, by) in unknowns.iter_mut().zip(&step) {
            *unknown += by;
        }
        self.parametrisation.confine(&mut unknowns[..count]);
        report.steps = 1;
        Ok(report)
    }

    fn gradient_at(&mut self, positions: &[Row], unknowns: &[f64], tangent: &Tangent) -> Gradient {
        let (theta, knobs) = unknowns.split_at(self.parametrisation.count());
        let adjoint = self.equilibrium.adjoint(self.observation, positions);
        let mut pull = vec![[0.0; 6]; self.equilibrium.input.end.activations.len()];
        tangent.apply_transposed(&adjoint, &mut pull);
        let mut values = vec![0.0; unknowns.len()];
        let (of_theta, of_knobs) = values.split_at_mut(theta.len());
        self.parametrisation.apply_transposed_jacobian(theta, &pull, of_theta);
        let mut knob_responses = Vec::new();
        for (k, value) in of_knobs.iter_mut().enumerate() {
            let forces = self.equilibrium.knob_force(self.knobs, knobs, k);
            *value = dot_rows(&forces, &adjoint);
            let mut response = vec![Row::zero(); adjoint.len()];
            // The approximate solve is accurate enough for steps.
            self.equilibrium.approximate_stiffness_solve(&forces, &mut response);
            negate(&mut response);
            knob_responses.push(response);
        }
        self.prior.add_gradient(unknowns, &mut values);
        Gradient { values, adjoint, knob_responses }
    }

    /// Minimises J, starting at these unknowns.
    ///
    /// # Errors
    /// When K cannot be factored.
    pub fn minimise(
        &mut self,
        unknowns: &mut [f64],
        limits: &SolveLimits,
    ) -> Result<SolveReport, SimError> {
        let mut report =
            SolveReport { value: self.value(unknowns), equilibria: 1, ..SolveReport::default() };
        let mut tried = vec![0.0; unknowns.len()];
        let count = self.parametrisation.count();
        while report.steps < limits.steps {
            let mut tangent = self.equilibrium.tangent()?;
            let gradient = self.gradient(unknowns, &tangent);
            report.gradient_norm = dot(&gradient.values, &gradient.values).sqrt();
            let most = limits.products;
            let step = self.direction(unknowns, &gradient, &mut tangent, most, &mut report);
            let descent = dot(&gradient.values, &step);
            if descent >= 0.0 || descent.is_nan() {
                break;
            }
            let before = (report.value, self.equilibrium.state.positions.to_vec());
            let moved = self.moved(unknowns, &step, &gradient.knob_responses, &mut tangent);
            let mut length = 1.0;
            let mut is_lower = false;
            for _ in 0..MOST_HALVINGS {
                for ((tried, from), by) in tried.iter_mut().zip(&*unknowns).zip(&step) {
                    *tried = from + length * by;
                }
                self.parametrisation.confine(&mut tried[..count]);
                let ways = tried.iter().zip(&*unknowns).zip(&gradient.values);
                let promised: f64 = ways.map(|((to, from), s)| (to - from) * s).sum();
                // The search for the equilibrium starts at its linear prediction.
                let places = self.equilibrium.state.positions.iter_mut().zip(&before.1);
                for ((x, from), by) in places.zip(&moved) {
                    *x = from.plus_scaled(length, *by);
                }
                let value = self.value(&tried);
                report.equilibria += 1;
                if value < before.0 && value <= before.0 + ARMIJO * promised.min(0.0) {
                    report.value = value;
                    is_lower = true;
                    break;
                }
                length *= 0.5;
            }
            if !is_lower {
                self.equilibrium.state.positions.copy_from_slice(&before.1);
                report.value = self.value(unknowns);
                break;
            }
            unknowns.copy_from_slice(&tried);
            report.steps += 1;
            report.decrease = before.0 - report.value;
            if report.decrease < limits.settled * before.0 {
                break;
            }
        }
        report.misfit = self.observation.value(&self.equilibrium.state.positions);
        Ok(report)
    }

    /// −H⁻¹ ∇J by conjugate gradients, with H = (K̃⁻¹B)ᵀ SᵀωS (K̃⁻¹B) + W.
    fn direction(
        &mut self,
        unknowns: &[f64],
        gradient: &Gradient,
        tangent: &mut Tangent,
        most: u32,
        report: &mut SolveReport,
    ) -> Vec<f64> {
        /// Relative residual at which the direction is accurate enough.
        const ENOUGH: f64 = 1e-3;
        let Gradient { values, knob_responses, .. } = gradient;
        let (count, prior) = (self.parametrisation.count(), self.prior);
        let is_held =
            |k: usize| k < count && self.parametrisation.is_at_bound(unknowns[k], values[k]);
        let held: Vec<bool> = (0..values.len()).map(is_held).collect();
        let precondition = |residual: &[f64]| -> Vec<f64> {
            let own = residual.iter().zip(&prior.weights).zip(&held);
            own.map(|((r, w), held)| if *held { 0.0 } else { r / w }).collect()
        };
        let descent = values.iter().map(|s| -s).collect();
        let found = conjugate_gradients(descent, (most, ENOUGH), precondition, |along| {
            self.product(unknowns, along, knob_responses, tangent)
        });
        report.products += found.products;
        found.solution
    }

    /// Approximate displacement of the free vertices by a change of the unknowns.
    fn moved(
        &mut self,
        unknowns: &[f64],
        change: &[f64],
        knob_responses: &[Vec<Row>],
        tangent: &mut Tangent,
    ) -> Vec<Row> {
        let count = self.parametrisation.count();
        let mut activations: Vec<Activation> =
            vec![[0.0; 6]; self.equilibrium.input.end.activations.len()];
        self.parametrisation.apply_jacobian(&unknowns[..count], &change[..count], &mut activations);
        let knobs = knob_responses.iter().zip(&change[count..]);
        self.equilibrium.response(tangent, &activations, knobs)
    }

    /// H d.
    fn product(
        &mut self,
        unknowns: &[f64],
        change: &[f64],
        knob_responses: &[Vec<Row>],
        tangent: &mut Tangent,
    ) -> Vec<f64> {
        let count = self.parametrisation.count();
        let theta = &unknowns[..count];
        let moved = self.moved(unknowns, change, knob_responses, tangent);
        let (force, activations) = self.equilibrium.pull_back(self.observation, tangent, moved);
        let mut product = vec![0.0; change.len()];
        let (of_theta, of_knobs) = product.split_at_mut(count);
        self.parametrisation.apply_transposed_jacobian(theta, &activations, of_theta);
        for (product, response) in of_knobs.iter_mut().zip(knob_responses) {
            *product = dot_rows(response, &force);
        }
        for (k, product) in product.iter_mut().enumerate() {
            *product += self.prior.weights[k] * change[k];
        }
        product
    }
}
