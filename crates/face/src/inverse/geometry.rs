//! Muscle geometry from several expressions at once (Dinev 2020, sections 4.2.6–4.2.8, Eq. 4.8).
//!
//! Minimised over the activations a_k of muscles and knobs b_k of every expression, and the one [`Blend`] S that they share:
//!
//! ```text
//! Σ_k [½ Σ ω |S x_k − t_k|² + ½ Σ w_a (a_k − ā)² + w_v/2 Σ_j (det S(a_kj) − 1)²] + ½ Σ w_s (S − S̄)²
//! ```
//!
//! with all equilibria, ∇E(x_k, a_k, S) = 0, held. The thesis alternates between a and S; joint Gauss–Newton steps need half the
//! equilibria and end lower (both were tried by the authors of the reference this is tested against). A step is found by conjugate gradients,
//! scaled by the room that the simplex leaves every entry of S, put back onto it, and shortened until the objective falls. Stretches of muscles that are as far as they
//! can be stay there.

use std::ops::Range;

use pliant_math::Row;
use pliant_model::potentials::activation::{Activation, RELAXED};
use pliant_sim::SimError;

use super::blend::{Blend, ends, give_way, keep_ends};
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
}

/// A step is shortened at most so often.
const MOST_HALVINGS: u32 = 5;
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
            if !self.advance(&mut slope, &step, &mut outcome) {
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
            sum += swelling(theta, self.volume);
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
            add_swelling(theta, self.volume, of_theta);
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
        Ok(Slope { values, tangents, answers })
    }

    /// The change that lowers the model gᵀd + ½ dᵀHd the most, with rows of S on the simplex: conjugate gradients with the room that there is at d,
    /// put back onto the simplex, and again with the room that is there (Moré and Toraldo 1991).
    fn direction(&mut self, slope: &mut Slope, most: u32, outcome: &mut Outcome) -> Vec<f64> {
        /// How often what a run of conjugate gradients has found is halved.
        const HALVINGS: u32 = 6;
        /// Runs end when one lowers the model by less than this part of what all have.
        const LITTLE: f64 = 0.02;
        let (count, size) = (self.unknowns.len(), slope.values.len());
        // d, H d and the model there.
        let (mut way, mut bent, mut lowered) = (vec![0.0; size], vec![0.0; size], 0.0_f64);
        let first = outcome.products;
        while outcome.products < first + most {
            let left: Vec<f64> = slope.values.iter().zip(&bent).map(|(g, b)| g + b).collect();
            let room = self.blend.moved(&way[count..]).room(&left[count..]);
            let [step, bend] = self.run(slope, &left, &room, most.div_ceil(2), outcome);
            let before = lowered;
            let mut length = 1.0;
            for _ in 0..HALVINGS {
                let mut tried: Vec<f64> =
                    way.iter().zip(&step).map(|(x, by)| x + length * by).collect();
                let mut of_tried: Vec<f64> =
                    bent.iter().zip(&bend).map(|(x, by)| x + length * by).collect();
                let within = self.blend.moved(&tried[count..]);
                let mut is_within = true;
                let own = within.entries.iter().zip(&self.blend.entries);
                for (by, (to, from)) in tried[count..].iter_mut().zip(own) {
                    is_within &= (to.weight - from.weight - *by).abs() < 1e-12;
                    *by = to.weight - from.weight;
                }
                if !is_within {
                    of_tried = self.product(&tried, slope);
                    outcome.products += 1;
                }
                let value = dot(&slope.values, &tried) + 0.5 * dot(&tried, &of_tried);
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

    /// −H⁻¹ of a slope, by conjugate gradients where there is room, and H times that.
    fn run(
        &mut self,
        slope: &mut Slope,
        values: &[f64],
        room: &[f64],
        most: u32,
        outcome: &mut Outcome,
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
            let own = self.range(k).start..self.range(k).start + 6 * self.blend.muscles;
            let of = ends(&self.unknowns[own.clone()], &values[own.clone()]);
            held.extend(of.into_iter().map(|(at, dyad)| (own.start + at, dyad)));
        }
        let (of_unknowns, of_blend) = scales.split_at(self.unknowns.len());
        let of_blend: Vec<f64> = of_blend.iter().zip(room).map(|(s, room)| s * room).collect();
        let mut residual: Vec<f64> = values.iter().map(|s| -s).collect();
        let count = self.unknowns.len();
        let scaled = |residual: &[f64], blend: &Blend| -> Vec<f64> {
            let mut scaled = residual.to_vec();
            scaled.iter_mut().zip(of_unknowns).for_each(|(r, scale)| *r *= scale);
            keep_ends(&held, &mut scaled[..count]);
            blend.keep_within(&of_blend, &mut scaled[count..]);
            scaled
        };
        let [mut answer, mut bent] = [vec![0.0; values.len()], vec![0.0; values.len()]];
        let mut along = scaled(&residual, &self.blend);
        let mut size = dot(&residual, &along);
        outcome.slope = size.max(0.0).sqrt();
        let goal = ENOUGH * ENOUGH * size;
        for _ in 0..most {
            if !(size > goal && size.is_finite()) {
                break;
            }
            let product = self.product(&along, slope);
            outcome.products += 1;
            let curvature = dot(&along, &product);
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            let length = size / curvature;
            for k in 0..answer.len() {
                answer[k] += length * along[k];
                bent[k] += length * product[k];
                residual[k] -= length * product[k];
            }
            let next = scaled(&residual, &self.blend);
            let before = size;
            size = dot(&residual, &next);
            let keep = size / before;
            along.iter_mut().zip(&next).for_each(|(a, n)| *a = n + keep * *a);
        }
        [answer, bent]
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
            let mut moved = answered(
                equilibrium,
                (&mut slope.tangents[k], &slope.answers[k]),
                (&self.blend, theta),
                (by_theta, by_knobs, by_blend),
            );
            let mut force = vec![Row::zero(); moved.len()];
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
    fn advance(&mut self, slope: &mut Slope, step: &[f64], outcome: &mut Outcome) -> bool {
        let (unknowns, blend) = (self.unknowns.clone(), self.blend.clone());
        let (by_unknowns, by_blend) = step.split_at(unknowns.len());
        // Where flesh is, and how it answers the step.
        let mut places: Vec<[Vec<Row>; 2]> = Vec::new();
        for k in 0..self.expressions.len() {
            let range = self.range(k);
            let theta = &unknowns[range.clone()][..6 * blend.muscles];
            let (by_theta, by_knobs) = by_unknowns[range].split_at(theta.len());
            let equilibrium = &mut self.expressions[k].equilibrium;
            let moved = answered(
                equilibrium,
                (&mut slope.tangents[k], &slope.answers[k]),
                (&blend, theta),
                (by_theta, by_knobs, by_blend),
            );
            places.push([equilibrium.state.positions.to_vec(), moved]);
        }
        let slope = &slope.values;
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            for ((now, from), by) in self.unknowns.iter_mut().zip(&unknowns).zip(by_unknowns) {
                *now = from + length * by;
            }
            let by_blend: Vec<f64> = by_blend.iter().map(|by| length * by).collect();
            self.blend = blend.moved(&by_blend);
            for k in 0..self.expressions.len() {
                let theta = self.range(k).start..self.range(k).start + 6 * self.blend.muscles;
                self.blend.confine(&mut self.unknowns[theta]);
            }
            for (e, [from, moved]) in self.expressions.iter_mut().zip(&places) {
                e.equilibrium.state.positions.copy_from_slice(from);
                for (x, by) in e.equilibrium.state.positions.iter_mut().zip(moved) {
                    *x = x.plus_scaled(length, *by);
                }
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
            length *= 0.5;
        }
        for (e, [from, _]) in self.expressions.iter_mut().zip(&places) {
            e.equilibrium.state.positions.copy_from_slice(from);
        }
        (self.unknowns, self.blend) = (unknowns, blend);
        outcome.value = self.value();
        false
    }
}

/// How free vertices answer changes of muscles' matrices, of knobs and of S, roughly.
fn answered(
    equilibrium: &mut Equilibrium,
    (tangent, answers): (&mut Tangent, &[Vec<Row>]),
    (blend, theta): (&Blend, &[f64]),
    (by_theta, by_knobs, by_blend): (&[f64], &[f64], &[f64]),
) -> Vec<Row> {
    let mut activations: Vec<Activation> = vec![[0.0; 6]; blend.tets()];
    blend.spread(theta, by_theta, &mut activations);
    blend.add_spread(theta, by_blend, &mut activations);
    let mut moved = vec![Row::zero(); equilibrium.model.free_count()];
    equilibrium.rough_answer(tangent.force(&activations), &mut moved);
    moved.iter_mut().for_each(|row| *row = *row * -1.0);
    for (answer, by) in answers.iter().zip(by_knobs) {
        moved.iter_mut().zip(answer).for_each(|(row, a)| *row = row.plus_scaled(*by, *a));
    }
    moved
}

/// w_v/2 Σ_j (det S(a_j) − 1)², of muscles' matrices (Eq. 4.10).
pub(super) fn swelling(theta: &[f64], weight: f64) -> f64 {
    theta.chunks_exact(6).map(|a| 0.5 * weight * swell(a).powi(2)).sum()
}

/// out ← out + its slope.
pub(super) fn add_swelling(theta: &[f64], weight: f64, out: &mut [f64]) {
    for (out, a) in out.chunks_exact_mut(6).zip(theta.chunks_exact(6)) {
        let by = weight * swell(a);
        out.iter_mut().zip(swell_slope(a)).for_each(|(out, s)| *out += by * s);
    }
}

/// det S(a) − 1.
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
