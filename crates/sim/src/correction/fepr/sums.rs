//! One pass over the vertices gives all that the small systems of a projection are made of.

use glam::DVec3;
use pliant_math::Row;

use super::super::dense::{self, MOST};
use super::{FeprInfo, Projection, Slack, Targets, ratio};

/// Sums over the vertices. Everything angular is about the centre of rotation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// Σ m ‖v‖², all vertices and the free ones.
    pub(super) kinetic: [f64; 2],
    /// Σ ∇E·W, Σ m ‖W‖².
    pub(super) slope: f64,
    pub(super) length: f64,
    pub(super) mass: f64,
    /// Of the free vertices, and of all.
    pub(super) linear: [DVec3; 2],
    pub(super) angular: [DVec3; 2],
    /// Σ m r, Σ m r rᵀ.
    pub(super) first: DVec3,
    pub(super) second: [DVec3; 3],
    /// Σ m W × v, Σ ρ ∇E × v, Σ m ρ v vᵀ, with ρ the ratio of mass and metric.
    pub(super) energy_spin: DVec3,
    pub(super) spin_energy: DVec3,
    pub(super) spins: [DVec3; 3],
}

/// The constraints of an island.
pub struct Constraints {
    /// What should be zero.
    pub values: [f64; MOST],
    /// Which of energy, 3 linear and 3 angular components each value is.
    pub kinds: [usize; MOST],
    /// How many there are.
    pub count: usize,
    /// Their sum, each relative to its own scale.
    pub residual: f64,
}

/// How far an island moves along each direction.
pub struct Multipliers {
    /// Along W_E.
    pub energy: f64,
    /// Along W_P.
    pub linear: DVec3,
    /// Along W_L.
    pub angular: DVec3,
    /// What s and t grow by.
    pub slack: [f64; 2],
}

impl Sums {
    /// The sums of all islands, with the gradient and the directions W_E.
    pub fn over(
        projection: &Projection,
        positions: &[Row],
        velocities: &[Row],
        [gradient, direction]: [&[Row]; 2],
        centres: &[DVec3],
        out: &mut [Sums],
    ) {
        out.fill(Sums::default());
        for part in projection.parts {
            let (s, centre) = (&mut out[part.island], centres[part.island]);
            for i in part.free.clone() {
                let (m, v) = (projection.masses[i], velocities[i].xyz());
                let (g, w) = (gradient[i].xyz(), direction[i].xyz());
                let r = positions[i].xyz() - centre;
                let rho = ratio(projection, i);
                s.count_moving(m, r, v);
                s.kinetic[1] += m * v.length_squared();
                s.slope += g.dot(w);
                s.length += m * w.length_squared();
                s.mass += m;
                s.linear[0] += m * v;
                s.angular[0] += m * r.cross(v);
                s.first += m * r;
                s.energy_spin += m * w.cross(v);
                s.spin_energy += rho * g.cross(v);
                for k in 0..3 {
                    s.second[k] += m * r[k] * r;
                    s.spins[k] += m * rho * v[k] * v;
                }
            }
            for i in part.hard.clone() {
                let r = positions[i].xyz() - centre;
                s.count_moving(projection.masses[i], r, velocities[i].xyz());
            }
        }
    }

    fn count_moving(&mut self, m: f64, r: DVec3, v: DVec3) {
        self.kinetic[0] += m * v.length_squared();
        self.linear[1] += m * v;
        self.angular[1] += m * r.cross(v);
    }

    /// How far energy and momenta are off.
    pub fn constraints(&self, targets: &Targets, info: &FeprInfo, centre: DVec3) -> Constraints {
        let Targets { energy, linear, angular, slack, frame, .. } = targets;
        let total = info.potential + 0.5 * self.kinetic[0];
        let energy_scale = energy.abs().max(0.5 * self.kinetic[0]).max(info.potential.abs());
        // The momentum of a body that moves as one with this kinetic energy.
        let push = (self.kinetic[0] * self.mass).sqrt();
        let trace = self.second[0].x + self.second[1].y + self.second[2].z;
        let spin = (self.kinetic[0] * trace).sqrt();
        let given = slack.map_or([DVec3::ZERO; 2], |slack| {
            [slack.linear * info.given_way[0], slack.angular * info.given_way[1]]
        });
        let mut c = Constraints { values: [0.0; MOST], kinds: [0; MOST], count: 0, residual: 0.0 };
        c.add(0, total - energy, energy_scale);
        for k in 0..3 {
            if let Some(target) = linear[k] {
                c.add(1 + k, self.linear[1][k] - target - given[0][k], push);
            }
        }
        // Targets are about the frame's point, sums about the centre of rotation.
        let off = centre - frame.about;
        let wanted = |k: usize| linear[k].unwrap_or(self.linear[1][k]);
        let spins = self.angular[1] + off.cross(DVec3::new(wanted(0), wanted(1), wanted(2)));
        for k in 0..3 {
            if let Some(target) = angular[k] {
                let scale = spin + push * off.length();
                c.add(4 + k, spins.dot(frame.axes[k]) - target - given[1][k], scale);
            }
        }
        c
    }

    /// λ of each direction, with the energy step's length corrected for curvature.
    pub fn multipliers(&self, h: f64, targets: &Targets, constraints: &Constraints) -> Multipliers {
        let matrix = self.matrix(h, targets, constraints);
        let n = constraints.count;
        let mut lambda = dense::solve(&matrix, &constraints.values, n);
        // H along −λ W_E is H − λ s + ½ λ² q with the curvature q estimated by that of a quadratic
        // energy whose Hessian is A/h² − M/h²; the root of it instead of its tangent's.
        let inverse = 1.0 / (h * h);
        let curvature =
            self.kinetic[1] * inverse * inverse + (self.slope - self.length).max(0.0) * inverse;
        let (r, q) = (constraints.values[0].abs(), lambda[0] * lambda[0] * curvature);
        if r > 0.0 && q.is_finite() && targets.slack.is_none() {
            let alpha = if constraints.values[0] < 0.0 {
                2.0 * r / (r + (r * r + 2.0 * q * r).sqrt())
            } else if r < 2.0 * q {
                r / q
            } else {
                2.0 * r / (r + (r * r - 2.0 * q * r).sqrt())
            };
            let mut values = constraints.values;
            values[0] *= alpha;
            lambda = dense::solve(&matrix, &values, n);
        }
        let mut all = [0.0; MOST];
        for (value, kind) in lambda.iter().zip(constraints.kinds).take(n) {
            all[kind] = *value;
        }
        let linear = DVec3::new(all[1], all[2], all[3]);
        let angular = targets.frame.sum([all[4], all[5], all[6]]);
        let slack = targets.slack.map_or([0.0; 2], |slack| {
            [linear.dot(slack.linear) / slack.weight, angular.dot(slack.angular) / slack.weight]
        });
        Multipliers { energy: all[0], linear, angular, slack }
    }

    /// ∇cᵢ·Wⱼ.
    pub(super) fn matrix(
        &self,
        h: f64,
        targets: &Targets,
        constraints: &Constraints,
    ) -> [[f64; MOST]; MOST] {
        let inverse = 1.0 / (h * h);
        // What the unknowns s and t add: ∇c has −(P − P′) and −(L − L′) there.
        let yields = |of: fn(&Slack) -> DVec3, i: usize, j: usize| {
            targets.slack.map_or(0.0, |slack| of(&slack)[i] * of(&slack)[j] / slack.weight)
        };
        let axis = |k: usize| targets.frame.axes[k - 4];
        let trace = |m: &[DVec3; 3]| m[0].x + m[1].y + m[2].z;
        // Σ m (p × a)·(q × a) = p·q Σ m ‖a‖² − Σ m (p·a)(q·a).
        let crossed = |m: &[DVec3; 3], p: DVec3, q: DVec3| {
            trace(m) * p.dot(q) - p.dot(DVec3::new(m[0].dot(q), m[1].dot(q), m[2].dot(q)))
        };
        let entry = |i: usize, j: usize| match (i, j) {
            (0, 0) => self.slope + self.kinetic[1] * inverse,
            (0, 1..=3) => self.linear[0][j - 1] * inverse,
            (1..=3, 0) => self.linear[0][i - 1] * inverse,
            (0, _) => axis(j).dot(self.spin_energy + self.angular[0] * inverse),
            (_, 0) => axis(i).dot(self.energy_spin + self.angular[0] * inverse),
            (1..=3, 1..=3) => {
                let own = if i == j { self.mass * inverse } else { 0.0 };
                own + yields(|slack| slack.linear, i - 1, j - 1)
            }
            (1..=3, _) => axis(j).cross(self.first)[i - 1] * inverse,
            (_, 1..=3) => axis(i).cross(self.first)[j - 1] * inverse,
            _ => {
                let (p, q) = (axis(i), axis(j));
                let own = crossed(&self.spins, p, q) + crossed(&self.second, p, q) * inverse;
                own + yields(|slack| slack.angular, i - 4, j - 4)
            }
        };
        let mut a = [[0.0; MOST]; MOST];
        for i in 0..constraints.count {
            for j in 0..constraints.count {
                a[i][j] = entry(constraints.kinds[i], constraints.kinds[j]);
            }
        }
        a
    }
}

impl Constraints {
    fn add(&mut self, kind: usize, value: f64, scale: f64) {
        self.values[self.count] = value;
        self.kinds[self.count] = kind;
        self.count += 1;
        // Nothing there, nothing wrong: a body at rest in its rest shape.
        self.residual += if value == 0.0 { 0.0 } else { value.abs() / scale };
    }
}
