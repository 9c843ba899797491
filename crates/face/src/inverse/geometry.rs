//! Muscle geometry from several expressions at once (Dinev 2020, sections 4.2.6–4.2.8, Eq. 4.8).
//!
//! Minimised over the activations a_k of muscles and knobs b_k of every expression, and the one [`Blend`] S that they share:
//!
//! ```text
//! Σ_k [½ Σ ω |S x_k − t_k|² + ½ Σ w_a (a_k − ā)² + w_v/2 Σ_j (det S(a_kj) − 1)²] + ½ Σ w_s (S − S̄)²
//! ```
//!
//! with all equilibria, ∇E(x_k, a_k, S) = 0, held. The thesis alternates between a and S; joint Gauss–Newton steps need half the
//! equilibria and end lower (both were tried by the authors of the reference this is tested against). A step is found by conjugate gradients
//! in what the simplex leaves free, put back onto it, and shortened until the objective falls.

use std::ops::Range;

use pliant_math::Row;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::blend::{Blend, give_way};
use super::dependence::Dependence;
use super::equilibrium::{Equilibrium, Knobs, Tangent};
use super::gauss_newton::{Effort, LOST, Outcome, Prior, dot, dot_rows};
use super::observation::Observation;

/// A skin that is to be made, with the memory for its equilibrium.
pub struct Expression<'a, K: Knobs> {
    pub equilibrium: Equilibrium<'a>,
    pub observation: &'a Observation,
    pub knobs: &'a K,
    /// Of its unknowns: six numbers per muscle, then the knobs.
    pub prior: Prior,
    /// What relaxed flesh has lengthened by, beyond which muscles act; none where it is nothing.
    pub yielded: &'a [Activation],
}

/// Several expressions of one face.
pub struct Learning<'a, K: Knobs> {
    pub expressions: Vec<Expression<'a, K>>,
    /// S, and what draws it to where it was at first, by entry.
    pub blend: Blend,
    pub anchor: Prior,
    /// w_v.
    pub volume: f64,
    /// Of all expressions, one after the other.
    pub unknowns: Vec<f64>,
}

/// The objective's slope at a point, and what it was made of.
struct Slope {
    values: Vec<f64>,
    tangents: Vec<Tangent>,
    /// By expression, how free vertices answer the knobs.
    answers: Vec<Vec<Vec<Row>>>,
    /// Entries of S that may change.
    free: Vec<bool>,
}

/// A step is shortened at most so often.
const MOST_HALVINGS: u32 = 8;
/// Left of the gradient when a direction is good enough.
const ENOUGH: f64 = 1e-2;

impl<K: Knobs> Learning<'_, K> {
    /// Where the unknowns of an expression are.
    pub fn range(&self, expression: usize) -> Range<usize> {
        let own = |e: &Expression<'_, K>| 6 * self.blend.muscles + e.knobs.steps().len();
        let first: usize = self.expressions[..expression].iter().map(own).sum();
        first..first + own(&self.expressions[expression])
    }

    /// Learns from where the unknowns and S are.
    ///
    /// # Errors
    /// When an equilibrium has no tangent.
    pub fn learn(&mut self, effort: &Effort) -> Result<Outcome, SimError> {
        let mut outcome = Outcome { value: self.value(), equilibria: 1, ..Outcome::default() };
        while outcome.steps < effort.steps {
            let mut slope = self.slope()?;
            let step = self.direction(&mut slope, effort.products, &mut outcome);
            if !self.advance(&slope.values, &step, &mut outcome) {
                break;
            }
            outcome.steps += 1;
            if outcome.fallen < effort.settled * outcome.value {
                break;
            }
        }
        outcome.misfit = self.misfits().iter().sum();
        Ok(outcome)
    }

    /// ½ Σ ω |Sx − t|² of every expression, where its equilibrium is.
    pub fn misfits(&self) -> Vec<f64> {
        let of = |e: &Expression<'_, K>| e.observation.value(&e.equilibrium.state.positions);
        self.expressions.iter().map(of).collect()
    }

    /// The objective, with equilibria found for it; infinite where one is not.
    fn value(&mut self) -> f64 {
        let weights: Vec<f64> = self.blend.entries.iter().map(|entry| entry.weight).collect();
        let mut sum = self.anchor.value(&weights);
        for k in 0..self.expressions.len() {
            let range = self.range(k);
            let Expression { equilibrium, observation, knobs, prior, yielded } =
                &mut self.expressions[k];
            let unknowns = &self.unknowns[range];
            let (theta, turned) = unknowns.split_at(6 * self.blend.muscles);
            let mut activations = vec![RELAXED; equilibrium.input.end.activations.len()];
            self.blend.activations(theta, &mut activations);
            give_way(&mut activations, yielded);
            knobs.turn(turned, &mut equilibrium.input.end);
            // False for what is no number.
            let is_found = equilibrium.find(&activations).residual <= LOST;
            if !is_found {
                return f64::INFINITY;
            }
            sum += observation.value(&equilibrium.state.positions) + prior.value(unknowns);
            sum += theta.chunks_exact(6).map(|a| self.volume / 2.0 * swell(a).powi(2)).sum::<f64>();
        }
        sum
    }

    fn slope(&mut self) -> Result<Slope, SimError> {
        let entries = self.blend.entries.len();
        let mut values = vec![0.0; self.unknowns.len() + entries];
        let (own, of_blend) = values.split_at_mut(self.unknowns.len());
        let (mut tangents, mut answers) = (Vec::new(), Vec::new());
        for k in 0..self.expressions.len() {
            let range = self.range(k);
            let Expression { equilibrium, observation, knobs, prior, .. } =
                &mut self.expressions[k];
            let unknowns = &self.unknowns[range.clone()];
            let (theta, turned) = unknowns.split_at(6 * self.blend.muscles);
            let tangent = equilibrium.tangent()?;
            let free = equilibrium.model.free_count();
            let (mut force, mut adjoint) = (vec![Row::zero(); free], vec![Row::zero(); free]);
            observation.slope(&equilibrium.state.positions, &mut force);
            equilibrium.answer(&force, &mut adjoint);
            adjoint.iter_mut().for_each(|row| *row = *row * -1.0);
            let mut pull = vec![[0.0; 6]; self.blend.tets()];
            tangent.pull(&adjoint, &mut pull);
            let (of_theta, of_knobs) = own[range.clone()].split_at_mut(theta.len());
            self.blend.gather(theta, &pull, of_theta);
            self.blend.add_gather(theta, &pull, of_blend);
            let mut responses = Vec::new();
            for (knob, value) in of_knobs.iter_mut().enumerate() {
                let forces = equilibrium.knob_force(*knobs, turned, knob);
                *value = dot_rows(&forces, &adjoint);
                let mut response = vec![Row::zero(); free];
                equilibrium.answer(&forces, &mut response);
                response.iter_mut().for_each(|row| *row = *row * -1.0);
                responses.push(response);
            }
            for (slope, a) in of_theta.chunks_exact_mut(6).zip(theta.chunks_exact(6)) {
                let by = self.volume * swell(a);
                slope.iter_mut().zip(swell_slope(a)).for_each(|(slope, s)| *slope += by * s);
            }
            prior.add_slope(unknowns, &mut own[range]);
            tangents.push(tangent);
            answers.push(responses);
        }
        for ((value, entry), (weight, towards)) in of_blend
            .iter_mut()
            .zip(&self.blend.entries)
            .zip(self.anchor.weights.iter().zip(&self.anchor.towards))
        {
            *value += weight * (entry.weight - towards);
        }
        let mut free = vec![false; entries];
        self.blend.free(of_blend, &mut free);
        self.blend.keep_free(&free, of_blend);
        Ok(Slope { values, tangents, answers, free })
    }

    /// −H⁻¹ of the slope, by conjugate gradients in what is free.
    fn direction(&mut self, slope: &mut Slope, most: u32, outcome: &mut Outcome) -> Vec<f64> {
        let scales: Vec<f64> = self
            .expressions
            .iter()
            .flat_map(|e| &e.prior.weights)
            .chain(&self.anchor.weights)
            .map(|weight| 1.0 / weight)
            .collect();
        let mut answer = vec![0.0; slope.values.len()];
        let mut residual: Vec<f64> = slope.values.iter().map(|s| -s).collect();
        let count = self.unknowns.len();
        let scaled = |residual: &[f64], blend: &Blend, free: &[bool]| -> Vec<f64> {
            let mut scaled: Vec<f64> = residual.iter().zip(&scales).map(|(r, s)| r * s).collect();
            blend.keep_free(free, &mut scaled[count..]);
            scaled
        };
        let mut along = scaled(&residual, &self.blend, &slope.free);
        let mut size = dot(&residual, &along);
        outcome.slope = size.max(0.0).sqrt();
        let goal = ENOUGH * ENOUGH * size;
        for _ in 0..most {
            if !(size > goal && size.is_finite()) {
                break;
            }
            let mut product = self.product(&along, slope);
            self.blend.keep_free(&slope.free, &mut product[count..]);
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
            let next = scaled(&residual, &self.blend, &slope.free);
            let before = size;
            size = dot(&residual, &next);
            let keep = size / before;
            along.iter_mut().zip(&next).for_each(|(a, n)| *a = n + keep * *a);
        }
        answer
    }

    /// H d with Gauss–Newton's H, K's stand-in for K.
    fn product(&mut self, change: &[f64], slope: &mut Slope) -> Vec<f64> {
        let mut product = vec![0.0; change.len()];
        let (own, of_blend) = product.split_at_mut(self.unknowns.len());
        let by_blend = &change[self.unknowns.len()..];
        for k in 0..self.expressions.len() {
            let range = self.range(k);
            let Expression { equilibrium, observation, prior, .. } = &mut self.expressions[k];
            let theta = &self.unknowns[range.clone()][..6 * self.blend.muscles];
            let (by_theta, by_knobs) = change[range.clone()].split_at(theta.len());
            let mut activations: Vec<Activation> = vec![[0.0; 6]; self.blend.tets()];
            self.blend.spread(theta, by_theta, &mut activations);
            self.blend.add_spread(theta, by_blend, &mut activations);
            let free = equilibrium.model.free_count();
            let (mut moved, mut force) = (vec![Row::zero(); free], vec![Row::zero(); free]);
            equilibrium.rough_answer(slope.tangents[k].force(&activations), &mut moved);
            moved.iter_mut().for_each(|row| *row = *row * -1.0);
            for (answer, by) in slope.answers[k].iter().zip(by_knobs) {
                moved.iter_mut().zip(answer).for_each(|(row, a)| *row = row.plus_scaled(*by, *a));
            }
            observation.bend(&moved, &mut force);
            equilibrium.rough_answer(&force, &mut moved);
            slope.tangents[k].pull(&moved, &mut activations);
            activations.as_flattened_mut().iter_mut().for_each(|x| *x = -*x);
            let (of_theta, of_knobs) = own[range.clone()].split_at_mut(theta.len());
            self.blend.gather(theta, &activations, of_theta);
            self.blend.add_gather(theta, &activations, of_blend);
            for (value, answer) in of_knobs.iter_mut().zip(&slope.answers[k]) {
                *value = dot_rows(answer, &force);
            }
            let muscles = of_theta.chunks_exact_mut(6).zip(theta.chunks_exact(6));
            for ((of, a), by) in muscles.zip(by_theta.chunks_exact(6)) {
                let along = swell_slope(a);
                let rate = self.volume * dot(&along, by);
                of.iter_mut().zip(along).for_each(|(of, s)| *of += rate * s);
            }
            for ((value, weight), by) in
                own[range.clone()].iter_mut().zip(&prior.weights).zip(&change[range])
            {
                *value += weight * by;
            }
        }
        for ((value, weight), by) in of_blend.iter_mut().zip(&self.anchor.weights).zip(by_blend) {
            *value += weight * by;
        }
        product
    }

    /// Goes as far as the objective falls; whether it did.
    fn advance(&mut self, slope: &[f64], step: &[f64], outcome: &mut Outcome) -> bool {
        let (unknowns, blend) = (self.unknowns.clone(), self.blend.clone());
        let positions: Vec<Vec<Row>> =
            self.expressions.iter().map(|e| e.equilibrium.state.positions.to_vec()).collect();
        let (by_unknowns, by_blend) = step.split_at(unknowns.len());
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            for ((now, from), by) in self.unknowns.iter_mut().zip(&unknowns).zip(by_unknowns) {
                *now = from + length * by;
            }
            for ((now, from), by) in self.blend.entries.iter_mut().zip(&blend.entries).zip(by_blend)
            {
                now.weight = from.weight + length * by;
            }
            self.blend.project();
            for k in 0..self.expressions.len() {
                let theta = self.range(k).start..self.range(k).start + 6 * self.blend.muscles;
                self.blend.confine(&mut self.unknowns[theta]);
            }
            let value = self.value();
            outcome.equilibria += 1;
            let taken = self.unknowns.iter().zip(&unknowns).zip(slope);
            let taken: f64 = taken.map(|((now, from), slope)| (now - from) * slope).sum();
            let taken = taken
                + (self.blend.entries.iter().zip(&blend.entries).zip(&slope[unknowns.len()..]))
                    .map(|((now, from), slope)| (now.weight - from.weight) * slope)
                    .sum::<f64>();
            if value < outcome.value && value <= outcome.value + 1e-4 * taken.min(0.0) {
                outcome.fallen = outcome.value - value;
                outcome.value = value;
                return true;
            }
            for (e, before) in self.expressions.iter_mut().zip(&positions) {
                e.equilibrium.state.positions.copy_from_slice(before);
            }
            length *= 0.5;
        }
        (self.unknowns, self.blend) = (unknowns, blend);
        outcome.value = self.value();
        false
    }
}

/// det S(a) − 1 (Eq. 4.10).
fn swell(a: &[f64]) -> f64 {
    let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|k| a[k]);
    xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz) - 1.0
}

/// Its derivative by the six: cofactors, those beside the diagonal twice.
fn swell_slope(a: &[f64]) -> Activation {
    let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|k| a[k]);
    [
        yy * zz - yz * yz,
        2.0 * (xz * yz - xy * zz),
        2.0 * (xy * yz - xz * yy),
        xx * zz - xz * xz,
        2.0 * (xy * xz - xx * yz),
        xx * yy - xy * xy,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_volume_matches_differences() {
        let a = [1.1, 0.2, -0.3, 0.8, 0.1, 1.3];
        let slope = swell_slope(&a);
        for k in 0..6 {
            let by = |h: f64| {
                let mut a = a;
                a[k] += h;
                swell(&a)
            };
            assert!(((by(1e-6) - by(-1e-6)) / 2e-6 - slope[k]).abs() < 1e-9, "{k}");
        }
    }
}
