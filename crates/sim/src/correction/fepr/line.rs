//! All of a projection along one direction: energies alone, no more gradients.
//!
//! In the smooth metric only W_E moves positions, x(λ) = x − λ W_E, and velocities follow,
//! (1 − λ/h²) v and then the rigid motion that puts momenta right. Momenta and kinetic energy at
//! any λ are known from moments of x, W_E and v, taken once; so what is left of Eq. 8 is one equation
//! c(λ) = 0 per island, c(0) and c′(0) known, which interpolation solves with two or three
//! evaluations of the energy. The direction is that of the first iterate: its change along the way
//! is of second order in a correction that is small.

use glam::DVec3;
use pliant_math::Row;

use super::super::dense::{self, MOST};
use super::sums::{Multipliers, Sums};
use super::{FeprInfo, Projection, Targets};

/// Evaluations before the direction is given up.
const MOST_POINTS: usize = 6;

/// Moments of an island's free vertices, about its centre, along a direction w.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    mass: f64,
    /// Σ m r, Σ m w.
    first: [DVec3; 2],
    /// Σ m r rᵀ, Σ m (r wᵀ + w rᵀ), Σ m w wᵀ.
    second: [[DVec3; 3]; 3],
    /// Σ m v; Σ m r × v, Σ m w × v; Σ m ‖v‖².
    linear: DVec3,
    angular: [DVec3; 2],
    kinetic: f64,
    /// The same of hard vertices.
    hard_linear: DVec3,
    hard_angular: DVec3,
    hard_kinetic: f64,
}

impl Moments {
    /// Those of all islands.
    pub fn over(
        projection: &Projection,
        positions: &[Row],
        velocities: &[Row],
        direction: &[Row],
        centres: &[DVec3],
        out: &mut [Moments],
    ) {
        out.fill(Moments::default());
        for part in projection.parts {
            let (s, centre) = (&mut out[part.island], centres[part.island]);
            for i in part.free.clone() {
                let (m, v, w) = (projection.masses[i], velocities[i].xyz(), direction[i].xyz());
                let r = positions[i].xyz() - centre;
                let (mr, mw) = (m * r, m * w);
                s.mass += m;
                s.first[0] += mr;
                s.first[1] += mw;
                for k in 0..3 {
                    s.second[0][k] += mr[k] * r;
                    s.second[1][k] += mr[k] * w + mw[k] * r;
                    s.second[2][k] += mw[k] * w;
                }
                s.linear += m * v;
                s.angular[0] += mr.cross(v);
                s.angular[1] += mw.cross(v);
                s.kinetic += m * v.length_squared();
            }
            for i in part.hard.clone() {
                let (p, r) = (projection.masses[i] * velocities[i].xyz(), positions[i].xyz());
                s.hard_linear += p;
                s.hard_angular += (r - centre).cross(p);
                s.hard_kinetic += p.dot(velocities[i].xyz());
            }
        }
    }

    /// What is at λ, with momenta put right, and how.
    fn at(&self, lambda: f64, h: f64, targets: &Targets, centre: DVec3) -> (Sums, Multipliers) {
        let inverse = 1.0 / (h * h);
        let share = 1.0 - lambda * inverse;
        let first = self.first[0] - lambda * self.first[1];
        let second = std::array::from_fn(|k| {
            self.second[0][k] - lambda * (self.second[1][k] - lambda * self.second[2][k])
        });
        let linear = share * self.linear;
        let angular = share * (self.angular[0] - lambda * self.angular[1]);
        let kinetic = share * share * self.kinetic;
        let sums = |linear: DVec3, angular: DVec3, kinetic: f64| Sums {
            kinetic: [kinetic + self.hard_kinetic, kinetic],
            mass: self.mass,
            linear: [linear, linear + self.hard_linear],
            angular: [angular, angular + self.hard_angular],
            first,
            second,
            ..Sums::default()
        };
        let before = sums(linear, angular, kinetic);
        let constraints = before.constraints(targets, &FeprInfo::default(), centre);
        let matrix = before.matrix(h, targets, &constraints);
        // Energy comes first, and is not solved for here.
        let (mut momenta, mut values) = ([[0.0; MOST]; MOST], [0.0; MOST]);
        let count = constraints.count - 1;
        for i in 0..count {
            values[i] = constraints.values[i + 1];
            momenta[i][..count].copy_from_slice(&matrix[i + 1][1..=count]);
        }
        let solution = dense::solve(&momenta, &values, count);
        let mut all = [0.0; MOST];
        for (value, kind) in solution.iter().zip(&constraints.kinds[1..]).take(count) {
            all[*kind] = *value;
        }
        let push = DVec3::new(all[1], all[2], all[3]);
        let turn = DVec3::new(all[4], all[5], all[6]);
        // Σ m ‖turn × r‖² and Σ m r × (turn × r) by the second moments.
        let trace = second[0].x + second[1].y + second[2].z;
        let carried = |k: usize| second[k].dot(turn);
        let turned = trace * turn - DVec3::new(carried(0), carried(1), carried(2));
        let pushed = push * self.mass + turn.cross(first);
        let spun = first.cross(push) + turned;
        let spent = push.dot(linear) + turn.dot(angular);
        let gained = push.dot(pushed) + turn.dot(spun);
        let after = sums(
            linear - inverse * pushed,
            angular - inverse * spun,
            kinetic + inverse * (inverse * gained - 2.0 * spent),
        );
        let multipliers =
            Multipliers { energy: lambda, linear: push, angular: turn, slack: [0.0; 2] };
        (after, multipliers)
    }
}

/// The search of one island.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// c′(0) [J], where the first two nodes are.
    slope: f64,
    /// λ and c(λ), the latest last.
    points: [(f64, f64); MOST_POINTS + 1],
    count: usize,
    /// Where c is to be evaluated next.
    pub lambda: f64,
    /// Whether it is found.
    pub is_done: bool,
}

impl Search {
    /// One with nothing to look for.
    pub fn done() -> Self {
        Search { is_done: true, ..Search::default() }
    }

    /// Begins at c(0) = `value`, along ∇E·W = `slope`, with a first guess.
    pub fn new(
        moments: &Moments,
        h: f64,
        targets: &Targets,
        centre: DVec3,
        [value, slope, guess]: [f64; 3],
    ) -> Self {
        let kinetic = |lambda: f64| 0.5 * moments.at(lambda, h, targets, centre).0.kinetic[0];
        // A quadratic in λ but for what momenta need: differences are nearly exact.
        let reach = 1e-3 * guess;
        let slope = (kinetic(reach) - kinetic(-reach)) / (2.0 * reach) - slope;
        let mut search = Search { slope, lambda: guess, ..Search::default() };
        search.points[0] = (0.0, value);
        search.count = 1;
        search
    }

    /// Takes in the energy at λ: fills `info`, and looks further unless that is it. False when the
    /// direction is to be given up.
    pub fn take(
        &mut self,
        projection: &Projection,
        moments: &Moments,
        targets: &Targets,
        centre: DVec3,
        info: &mut FeprInfo,
    ) -> bool {
        let (after, _) = moments.at(self.lambda, projection.h, targets, centre);
        let constraints = after.constraints(targets, info, centre);
        info.residual = constraints.residual;
        info.converged = info.residual <= projection.tolerance;
        self.is_done = info.converged;
        self.points[self.count] = (self.lambda, constraints.values[0]);
        self.count += 1;
        let last = self.lambda;
        let root = self.root();
        if self.is_done {
            // What interpolation knows better costs no evaluation.
            if (root - last).abs() <= 1e-6 * last.abs() {
                self.lambda = root;
                let (at_root, _) = moments.at(root, projection.h, targets, centre);
                info.potential = targets.energy - 0.5 * at_root.kinetic[0];
            }
            return true;
        }
        self.lambda = root;
        let reach = self.points[1].0.abs();
        self.count < self.points.len() && self.lambda.abs() <= 3.0 * reach
    }

    /// How the island's velocities follow at its λ.
    pub fn multipliers(
        &self,
        moments: &Moments,
        h: f64,
        targets: &Targets,
        centre: DVec3,
    ) -> Multipliers {
        moments.at(self.lambda, h, targets, centre).1
    }

    /// The root of the polynomial through all points, near the last.
    fn root(&self) -> f64 {
        // Divided differences, the first node twice.
        let mut nodes = [0.0; MOST_POINTS + 2];
        let mut factors = [0.0; MOST_POINTS + 2];
        let count = self.count + 1;
        for k in 0..count {
            (nodes[k], factors[k]) = self.points[k.saturating_sub(1)];
        }
        for order in 1..count {
            for k in (order..count).rev() {
                let apart = nodes[k] - nodes[k - order];
                factors[k] =
                    if apart == 0.0 { self.slope } else { (factors[k] - factors[k - 1]) / apart };
            }
        }
        let mut lambda = self.points[self.count - 1].0;
        for _ in 0..20 {
            let (mut value, mut slope) = (factors[count - 1], 0.0);
            for k in (0..count - 1).rev() {
                slope = slope * (lambda - nodes[k]) + value;
                value = value * (lambda - nodes[k]) + factors[k];
            }
            let step = value / slope;
            lambda -= step;
            if step.abs() <= 1e-15 * lambda.abs() {
                break;
            }
        }
        lambda
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolation_finds_the_root_of_a_cubic_at_once() {
        let c = |x: f64| 1.0 - 2.0 * x + 0.3 * x * x - 0.05 * x * x * x;
        let mut search = Search { slope: -2.0, count: 3, ..Search::default() };
        search.points[..3].copy_from_slice(&[(0.0, c(0.0)), (0.5, c(0.5)), (0.54, c(0.54))]);
        assert!(c(search.root()).abs() < 1e-14, "{}", c(search.root()));
    }
}
