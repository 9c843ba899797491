//! Joint fit of several expressions and of the muscle geometry that they share.
//!
//! Eq. 4.8 of \[dinev2020\] is minimised over the muscle matrices a_k and knobs b_k of each
//! expression, and over the shared geometry S, a [`GeometryMatrix`]:
//!
//! ```text
//! Σ_k [½ Σ ω |S x_k − t_k|² + ½ Σ w_a (a_k − ā)² + w_v/2 Σ_j (det S(a_kj) − 1)²] + ½ Σ w_s (S − S̄)²
//! ```
//!
//! with every equilibrium ∇E(x_k, a_k, S) = 0 held.
//!
//! The thesis alternates between a and S. Joint Gauss–Newton steps need half the equilibria and end
//! lower. Conjugate gradients find a step; they are scaled by the distance of each entry of S from
//! its bound. The step is projected onto the simplex, and shortened until the objective falls.
//! Muscle stretches at their bounds stay there.

use std::ops::Range;

use pliant_math::Row;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::matrix::{remove_stretch_changes, stretches_at_bounds};
use super::volume_penalty::volume_change_gradient;
use super::{GeometryMatrix, add_volume_gradient, volume_penalty};
use crate::inverse::activation::{Parametrisation, add_passive_stretch};
use crate::inverse::equilibrium::{Equilibrium, Knobs, Tangent, negate};
use crate::inverse::solve::{
    LOST_EQUILIBRIUM, QuadraticPrior, SolveLimits, SolveReport, conjugate_gradients, dot, dot_rows,
};
use crate::inverse::targets::Observation;

/// A target skin with the memory for its equilibrium.
pub struct ExpressionFit<'a, K: Knobs> {
    pub equilibrium: Equilibrium<'a>,
    pub observation: &'a Observation,
    pub knobs: &'a K,
    /// Prior of the expression's unknowns: six numbers per muscle, then the knobs.
    pub prior: QuadraticPrior,
    /// Passive stretch by tet, to which the muscles' activations add; empty if there is none.
    pub passive_stretch: &'a [Activation],
}

/// Several expressions of one face, and the geometry that they share.
pub struct JointFit<'a, K: Knobs> {
    pub expressions: Vec<ExpressionFit<'a, K>>,
    /// S, and the prior that draws its entries to their initial values.
    pub geometry: GeometryMatrix,
    pub anchor: QuadraticPrior,
    /// w_v: weight of the muscles' changes of volume.
    pub volume: f64,
    /// Unknowns of all expressions, one after the other.
    pub unknowns: Vec<f64>,
}

/// Gradient of the objective at a point, with its intermediate results.
struct Gradient {
    values: Vec<f64>,
    tangents: Vec<Tangent>,
    /// By expression, the displacement of the free vertices per unit of each knob.
    knob_responses: Vec<Vec<Vec<Row>>>,
}

/// Limit on halvings of a step.
const MOST_HALVINGS: u32 = 5;
/// Relative residual at which a direction is accurate enough.
const ENOUGH: f64 = 1e-2;

impl<K: Knobs> JointFit<'_, K> {
    /// Range of an expression's unknowns.
    pub fn range(&self, expression: usize) -> Range<usize> {
        let own = |e: &ExpressionFit<'_, K>| 6 * self.geometry.muscles + e.knobs.steps().len();
        let first: usize = self.expressions[..expression].iter().map(own).sum();
        first..first + own(&self.expressions[expression])
    }

    /// Minimises the objective, starting at the unknowns and S.
    ///
    /// # Errors
    /// When K of an expression cannot be factored.
    pub fn minimise(&mut self, limits: &SolveLimits) -> Result<SolveReport, SimError> {
        let mut report =
            SolveReport { value: self.value(), equilibria: 1, ..SolveReport::default() };
        while report.steps < limits.steps {
            let mut gradient = self.gradient()?;
            let step = self.direction(&mut gradient, limits.products, &mut report);
            if !self.advance(&mut gradient, &step, &mut report) {
                break;
            }
            report.steps += 1;
            if report.decrease < limits.settled * report.value {
                break;
            }
        }
        report.misfit = self.misfits().iter().sum();
        Ok(report)
    }

    /// ½ Σ ω |Sx − t|² of each expression, in its current equilibrium.
    pub fn misfits(&self) -> Vec<f64> {
        let of = |e: &ExpressionFit<'_, K>| e.observation.value(&e.equilibrium.state.positions);
        self.expressions.iter().map(of).collect()
    }

    /// The objective in equilibrium; infinite if an expression has none.
    fn value(&mut self) -> f64 {
        let weights: Vec<f64> = self.geometry.entries.iter().map(|entry| entry.weight).collect();
        let mut sum = self.anchor.value(&weights);
        for k in 0..self.expressions.len() {
            let range = self.range(k);
            let ExpressionFit { equilibrium, observation, knobs, prior, passive_stretch } =
                &mut self.expressions[k];
            let unknowns = &self.unknowns[range];
            let (theta, turned) = unknowns.split_at(6 * self.geometry.muscles);
            let mut activations = vec![RELAXED; equilibrium.input.end.activations.len()];
            self.geometry.activations(theta, &mut activations);
            add_passive_stretch(&mut activations, passive_stretch);
            knobs.turn(turned, &mut equilibrium.input.end);
            // False for NaN.
            let is_found = equilibrium.find(&activations).residual <= LOST_EQUILIBRIUM;
            if !is_found {
                return f64::INFINITY;
            }
            sum += observation.value(&equilibrium.state.positions) + prior.value(unknowns);
            sum += volume_penalty(theta, self.volume);
        }
        sum
    }

    fn gradient(&mut self) -> Result<Gradient, SimError> {
        let entries = self.geometry.entries.len();
        let mut values = vec![0.0; self.unknowns.len() + entries];
        let (own, of_geometry) = values.split_at_mut(self.unknowns.len());
        let (mut tangents, mut knob_responses) = (Vec::new(), Vec::new());
        for k in 0..self.expressions.len() {
            let range = self.range(k);
            let ExpressionFit { equilibrium, observation, knobs, prior, .. } =
                &mut self.expressions[k];
            let unknowns = &self.unknowns[range.clone()];
            let (theta, turned) = unknowns.split_at(6 * self.geometry.muscles);
            let tangent = equilibrium.tangent()?;
            let positions = equilibrium.state.positions.to_vec();
            let adjoint = equilibrium.adjoint(observation, &positions);
            let mut pull = vec![[0.0; 6]; self.geometry.tets()];
            tangent.apply_transposed(&adjoint, &mut pull);
            let (of_theta, of_knobs) = own[range.clone()].split_at_mut(theta.len());
            self.geometry.apply_transposed_jacobian(theta, &pull, of_theta);
            self.geometry.add_transposed_weight_jacobian(theta, &pull, of_geometry);
            let mut responses = Vec::new();
            for (knob, value) in of_knobs.iter_mut().enumerate() {
                let forces = equilibrium.knob_force(*knobs, turned, knob);
                *value = dot_rows(&forces, &adjoint);
                let mut response = vec![Row::zero(); adjoint.len()];
                equilibrium.stiffness_solve(&forces, &mut response);
                negate(&mut response);
                responses.push(response);
            }
            add_volume_gradient(theta, self.volume, of_theta);
            prior.add_gradient(unknowns, &mut own[range]);
            tangents.push(tangent);
            knob_responses.push(responses);
        }
        for ((value, entry), (weight, towards)) in of_geometry
            .iter_mut()
            .zip(&self.geometry.entries)
            .zip(self.anchor.weights.iter().zip(&self.anchor.towards))
        {
            *value += weight * (entry.weight - towards);
        }
        Ok(Gradient { values, tangents, knob_responses })
    }

    /// Minimises the quadratic model gᵀd + ½ dᵀHd over steps d that keep the rows of S on the
    /// simplex. Runs of conjugate gradients alternate with projections onto the simplex
    /// \[more1991\].
    fn direction(
        &mut self,
        gradient: &mut Gradient,
        most: u32,
        report: &mut SolveReport,
    ) -> Vec<f64> {
        /// Limit on halvings of a run's result.
        const HALVINGS: u32 = 6;
        /// Runs end when one lowers the model by less than this part of the total.
        const LITTLE: f64 = 0.02;
        let (count, size) = (self.unknowns.len(), gradient.values.len());
        // d, H d, and the value of the model.
        let (mut way, mut bent, mut lowered) = (vec![0.0; size], vec![0.0; size], 0.0_f64);
        let first = report.products;
        while report.products < first + most {
            let left: Vec<f64> = gradient.values.iter().zip(&bent).map(|(g, b)| g + b).collect();
            let scales = self.geometry.with_changes(&way[count..]).scales(&left[count..]);
            let [step, bend] =
                self.conjugate_run(gradient, &left, &scales, most.div_ceil(2), report);
            let before = lowered;
            let mut length = 1.0;
            for _ in 0..HALVINGS {
                let mut tried: Vec<f64> =
                    way.iter().zip(&step).map(|(x, by)| x + length * by).collect();
                let mut of_tried: Vec<f64> =
                    bent.iter().zip(&bend).map(|(x, by)| x + length * by).collect();
                let within = self.geometry.with_changes(&tried[count..]);
                let mut is_within = true;
                let own = within.entries.iter().zip(&self.geometry.entries);
                for (by, (to, from)) in tried[count..].iter_mut().zip(own) {
                    is_within &= (to.weight - from.weight - *by).abs() < 1e-12;
                    *by = to.weight - from.weight;
                }
                if !is_within {
                    of_tried = self.product(&tried, gradient);
                    report.products += 1;
                }
                let value = dot(&gradient.values, &tried) + 0.5 * dot(&tried, &of_tried);
                if value < lowered {
                    (way, bent, lowered) = (tried, of_tried, value);
                    break;
                }
                length *= 0.5;
            }
            if before - lowered <= -LITTLE * lowered {
                break;
            }
        }
        way
    }

    /// −H⁻¹ of a gradient with scaled entries of S, by conjugate gradients, and H times the result.
    fn conjugate_run(
        &mut self,
        gradient: &mut Gradient,
        values: &[f64],
        entry_scales: &[f64],
        most: u32,
        report: &mut SolveReport,
    ) -> [Vec<f64>; 2] {
        let scales: Vec<f64> = self
            .expressions
            .iter()
            .flat_map(|e| &e.prior.weights)
            .chain(&self.anchor.weights)
            .map(|weight| 1.0 / weight)
            .collect();
        let mut held = Vec::new();
        for k in 0..self.expressions.len() {
            let own = self.range(k).start..self.range(k).start + 6 * self.geometry.muscles;
            let of = stretches_at_bounds(&self.unknowns[own.clone()], &values[own.clone()]);
            held.extend(of.into_iter().map(|(at, dyad)| (own.start + at, dyad)));
        }
        let (of_unknowns, of_geometry) = scales.split_at(self.unknowns.len());
        let of_geometry: Vec<f64> =
            of_geometry.iter().zip(entry_scales).map(|(s, scale)| s * scale).collect();
        let (count, geometry) = (self.unknowns.len(), self.geometry.clone());
        let precondition = |residual: &[f64]| -> Vec<f64> {
            let mut scaled = residual.to_vec();
            scaled.iter_mut().zip(of_unknowns).for_each(|(r, scale)| *r *= scale);
            remove_stretch_changes(&held, &mut scaled[..count]);
            geometry.scale_change(&of_geometry, &mut scaled[count..]);
            scaled
        };
        let descent = values.iter().map(|s| -s).collect();
        let found = conjugate_gradients(descent, (most, ENOUGH), precondition, |along| {
            self.product(along, gradient)
        });
        report.products += found.products;
        report.gradient_norm = found.size.max(0.0).sqrt();
        [found.solution, found.image]
    }

    /// H d with the Gauss–Newton matrix H and an approximate K.
    fn product(&mut self, change: &[f64], gradient: &mut Gradient) -> Vec<f64> {
        let mut product = vec![0.0; change.len()];
        let (own, of_geometry) = product.split_at_mut(self.unknowns.len());
        let by_geometry = &change[self.unknowns.len()..];
        for k in 0..self.expressions.len() {
            let range = self.range(k);
            let ExpressionFit { equilibrium, observation, prior, .. } = &mut self.expressions[k];
            let theta = &self.unknowns[range.clone()][..6 * self.geometry.muscles];
            let (by_theta, by_knobs) = change[range.clone()].split_at(theta.len());
            let moved = linear_response(
                equilibrium,
                (&mut gradient.tangents[k], &gradient.knob_responses[k]),
                (&self.geometry, theta),
                (by_theta, by_knobs, by_geometry),
            );
            let (force, activations) =
                equilibrium.pull_back(observation, &gradient.tangents[k], moved);
            let (of_theta, of_knobs) = own[range.clone()].split_at_mut(theta.len());
            self.geometry.apply_transposed_jacobian(theta, &activations, of_theta);
            self.geometry.add_transposed_weight_jacobian(theta, &activations, of_geometry);
            for (value, response) in of_knobs.iter_mut().zip(&gradient.knob_responses[k]) {
                *value = dot_rows(response, &force);
            }
            let muscles = of_theta.chunks_exact_mut(6).zip(theta.chunks_exact(6));
            for ((of, a), by) in muscles.zip(by_theta.chunks_exact(6)) {
                let along = volume_change_gradient(a);
                let rate = self.volume * dot(&along, by);
                of.iter_mut().zip(along).for_each(|(of, s)| *of += rate * s);
            }
            for ((value, weight), by) in
                own[range.clone()].iter_mut().zip(&prior.weights).zip(&change[range])
            {
                *value += weight * by;
            }
        }
        for ((value, weight), by) in
            of_geometry.iter_mut().zip(&self.anchor.weights).zip(by_geometry)
        {
            *value += weight * by;
        }
        product
    }

    /// Shortens the step until the objective falls; false if it does not.
    fn advance(&mut self, gradient: &mut Gradient, step: &[f64], report: &mut SolveReport) -> bool {
        let (unknowns, geometry) = (self.unknowns.clone(), self.geometry.clone());
        let (by_unknowns, by_geometry) = step.split_at(unknowns.len());
        // Positions before the step, and their linear response to it.
        let mut places: Vec<[Vec<Row>; 2]> = Vec::new();
        for k in 0..self.expressions.len() {
            let range = self.range(k);
            let theta = &unknowns[range.clone()][..6 * geometry.muscles];
            let (by_theta, by_knobs) = by_unknowns[range].split_at(theta.len());
            let equilibrium = &mut self.expressions[k].equilibrium;
            let moved = linear_response(
                equilibrium,
                (&mut gradient.tangents[k], &gradient.knob_responses[k]),
                (&geometry, theta),
                (by_theta, by_knobs, by_geometry),
            );
            places.push([equilibrium.state.positions.to_vec(), moved]);
        }
        let gradient = &gradient.values;
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            for ((now, from), by) in self.unknowns.iter_mut().zip(&unknowns).zip(by_unknowns) {
                *now = from + length * by;
            }
            let by_geometry: Vec<f64> = by_geometry.iter().map(|by| length * by).collect();
            self.geometry = geometry.with_changes(&by_geometry);
            for k in 0..self.expressions.len() {
                let theta = self.range(k).start..self.range(k).start + 6 * self.geometry.muscles;
                self.geometry.confine(&mut self.unknowns[theta]);
            }
            for (e, [from, moved]) in self.expressions.iter_mut().zip(&places) {
                e.equilibrium.state.positions.copy_from_slice(from);
                for (x, by) in e.equilibrium.state.positions.iter_mut().zip(moved) {
                    *x = x.plus_scaled(length, *by);
                }
            }
            let value = self.value();
            report.equilibria += 1;
            let taken = self.unknowns.iter().zip(&unknowns).zip(gradient);
            let taken: f64 = taken.map(|((now, from), gradient)| (now - from) * gradient).sum();
            let taken = taken
                + (self
                    .geometry
                    .entries
                    .iter()
                    .zip(&geometry.entries)
                    .zip(&gradient[unknowns.len()..]))
                .map(|((now, from), gradient)| (now.weight - from.weight) * gradient)
                .sum::<f64>();
            if value < report.value && value <= report.value + 1e-4 * taken.min(0.0) {
                report.decrease = report.value - value;
                report.value = value;
                return true;
            }
            length *= 0.5;
        }
        for (e, [from, _]) in self.expressions.iter_mut().zip(&places) {
            e.equilibrium.state.positions.copy_from_slice(from);
        }
        (self.unknowns, self.geometry) = (unknowns, geometry);
        report.value = self.value();
        false
    }
}

/// Approximate displacement of the free vertices by changes of muscle matrices, knobs and S.
fn linear_response(
    equilibrium: &mut Equilibrium,
    (tangent, knob_responses): (&mut Tangent, &[Vec<Row>]),
    (geometry, theta): (&GeometryMatrix, &[f64]),
    (by_theta, by_knobs, by_geometry): (&[f64], &[f64], &[f64]),
) -> Vec<Row> {
    let mut activations: Vec<Activation> = vec![[0.0; 6]; geometry.tets()];
    geometry.apply_jacobian(theta, by_theta, &mut activations);
    geometry.add_weight_jacobian(theta, by_geometry, &mut activations);
    equilibrium.response(tangent, &activations, knob_responses.iter().zip(by_knobs))
}
