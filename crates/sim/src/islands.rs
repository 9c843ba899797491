//! Bodies that touch in a step share one account: what one loses the other may have gained.

use pliant_math::Row;
use pliant_model::touching::Touch;
use pliant_model::{Conserved, Frame, Model};

use crate::correction::fepr::{Part, Targets};
use crate::measure::{self, Momentum};
use crate::state::{Goal, State};

/// Which bodies belong together; each island is known by its first body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Islands {
    firsts: Vec<usize>,
}

impl Islands {
    /// Every body its own.
    pub fn new(bodies: usize) -> Self {
        Islands { firsts: (0..bodies).collect() }
    }

    /// Those of what touches.
    pub fn set(&mut self, touches: &[Touch]) {
        self.separate();
        self.join(touches);
    }

    /// Takes those of the same model over.
    pub fn copy_from(&mut self, other: &Islands) {
        self.firsts.copy_from_slice(&other.firsts);
    }

    /// Takes them all apart.
    pub fn separate(&mut self) {
        self.firsts.iter_mut().enumerate().for_each(|(body, first)| *first = body);
    }

    /// Joins what touches.
    ///
    /// ```
    /// use pliant_model::{DVec3, touching::Touch};
    /// use pliant_sim::islands::Islands;
    /// let touch = |owner, body| Touch {
    ///     points: [0; 2], shares: [1.0, 0.0], owner, body, corners: [0; 4], weights: [0.25; 4],
    ///     depth: 0.1, thickness: 0.0, normal: DVec3::Y, is_flat: true, stiffness: 1.0, share: 1.0, sides: [0; 2],
    ///     slopes: [DVec3::ZERO; 8],
    /// };
    /// let mut islands = Islands::new(4);
    /// islands.join(&[touch(3, 1), touch(1, 0), touch(2, 2)]);
    /// assert_eq!((0..4).map(|b| islands.first(b)).collect::<Vec<_>>(), [0, 0, 2, 0]);
    /// ```
    pub fn join(&mut self, touches: &[Touch]) {
        for touch in touches {
            let [a, b] = [touch.owner, touch.body].map(|body| self.firsts[body as usize]);
            if a != b {
                let (low, high) = (a.min(b), a.max(b));
                self.firsts.iter_mut().filter(|f| **f == high).for_each(|f| *f = low);
            }
        }
    }

    /// The first body of a body's island.
    pub fn first(&self, body: usize) -> usize {
        self.firsts[body]
    }

    /// The bodies of the island that begins with one.
    pub fn members(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.firsts.len()).filter(move |&body| self.firsts[body] == first)
    }

    /// The islands of several bodies.
    pub fn shared(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.firsts.len()).filter(|&first| self.members(first).nth(1).is_some())
    }

    /// Turns what bodies have into what islands have: the first body has all, the others nothing.
    pub fn gather(&self, of_bodies: &mut [f64]) {
        for (body, &first) in self.firsts.iter().enumerate() {
            if first != body {
                of_bodies[first] += std::mem::take(&mut of_bodies[body]);
            }
        }
    }

    /// Gives every part of a body its island.
    pub fn number(&self, parts: &mut [Part]) {
        parts.iter_mut().zip(&self.firsts).for_each(|(part, &first)| part.island = first);
    }

    /// The components of an island's momenta on which nothing external acts.
    pub fn conserved(&self, model: &Model, first: usize) -> Conserved {
        let mut members = self.members(first);
        if let (Some(only), None) = (members.next(), members.next()) {
            return model.conserved_of(only);
        }
        let frame = Frame::default();
        let all = Conserved { linear: [true; 3], angular: [true; 3], frame };
        let both = |a: [bool; 3], b: [bool; 3]| std::array::from_fn(|k| a[k] && b[k]);
        self.members(first).map(|body| model.conserved_of(body)).fold(all, |sum, own| Conserved {
            linear: both(sum.linear, own.linear),
            // Two that touch turn about no common point, if one is held.
            angular: both(sum.angular, own.angular.map(|kept| kept && own.frame == frame)),
            frame,
        })
    }

    /// Momenta of an island at positions and velocities.
    pub fn momentum(&self, model: &Model, first: usize, [x, v]: [&[Row]; 2]) -> Momentum {
        let of = |body: usize| measure::momentum_of(model, &model.bodies()[body], x, v);
        self.members(first).map(of).fold(Momentum::default(), |sum, own| Momentum {
            linear: sum.linear + own.linear,
            angular: sum.angular + own.angular,
        })
    }

    /// What the accounts of an island say together; all momenta are asked for.
    pub fn targets(&self, state: &State, first: usize) -> Targets {
        let mut sum =
            Targets { linear: [Some(0.0); 3], angular: [Some(0.0); 3], ..Targets::default() };
        for account in self.members(first).map(|body| &state.accounts[body]) {
            let Goal { momentum, .. } = account.goal.unwrap_or_default();
            sum.energy += account.target().unwrap_or_default();
            for k in 0..3 {
                sum.linear[k] = sum.linear[k].map(|p| p + momentum.linear[k]);
                sum.angular[k] = sum.angular[k].map(|l| l + momentum.angular[k]);
            }
        }
        sum
    }

    /// After a step, sets the goals of bodies in shared islands to what they have, given their
    /// stored energies \[J\], so that nothing jumps from one to the other when they part. What an
    /// island lacks of its account stays with its first body, as far as it is kept at all: it must
    /// not be forgotten.
    pub fn share_out(&self, model: &Model, potentials: &[f64], state: &mut State) {
        for first in self.shared() {
            let (mut lacks, kept) = (self.targets(state, first), self.conserved(model, first));
            for body in self.members(first) {
                let of = &model.bodies()[body];
                let energy = potentials[body] + measure::kinetic_of(model, of, &state.velocities);
                let now = [&state.positions[..], &state.velocities];
                let momentum = measure::kept_momentum_of(model, of, now);
                let account = &mut state.accounts[body];
                account.goal =
                    Some(Goal { energy: energy - account.added + account.dissipated, momentum });
                lacks.energy -= energy;
                for k in 0..3 {
                    lacks.linear[k] = lacks.linear[k].map(|p| p - momentum.linear[k]);
                    lacks.angular[k] = lacks.angular[k].map(|l| l - momentum.angular[k]);
                }
            }
            if let Some(goal) = &mut state.accounts[first].goal {
                goal.energy += lacks.energy;
                for k in 0..3 {
                    let linear = lacks.linear[k].filter(|_| kept.linear[k]);
                    let angular = lacks.angular[k].filter(|_| kept.angular[k]);
                    goal.momentum.linear[k] += linear.unwrap_or(0.0);
                    goal.momentum.angular[k] += angular.unwrap_or(0.0);
                }
            }
        }
    }
}
