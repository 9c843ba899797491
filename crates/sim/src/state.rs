//! What changes from step to step, and nothing else: a state determines all that follows.

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_model::{Drive, Model, ModelBody, Rigid};

use crate::blocks;
use crate::measure::{self, Momentum};
use crate::workspace::Workspace;

/// Positions, velocities and what the next step needs besides them, in model order.
#[derive(Clone, Debug)]
pub struct State {
    /// Positions \[m\].
    pub positions: Buffer<Row>,
    /// Velocities [m/s].
    pub velocities: Buffer<Row>,
    /// Accelerations of the last step [m/s²]: the next one starts its search from them.
    pub accelerations: Buffer<Row>,
    /// The state one step earlier, for schemes of two steps.
    pub past: Past,
    /// Where colliders were at the start of the last step; empty before the first. What they leave
    /// behind in the next is owed with how they moved then.
    pub colliders: Vec<Rigid>,
    /// Steps done.
    pub steps: u64,
    /// The energy accounts, one per body.
    pub accounts: Vec<Account>,
}

/// Where everything was one step ago.
#[derive(Clone, Debug)]
pub struct Past {
    /// Positions \[m\].
    pub positions: Buffer<Row>,
    /// Velocities \[m/s\].
    pub velocities: Buffer<Row>,
    /// Whether there was such a step, of the same length as the next.
    pub is_valid: bool,
}

/// What a body was given and what was taken from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// What corrections steer for; set by the first corrected step.
    pub goal: Option<Goal>,
    /// Energy put in so far by driven points and wind \[J\].
    pub added: f64,
    /// Energy taken so far by damping, friction and inelastic rebound \[J\].
    pub dissipated: f64,
}

impl Account {
    /// Initial + added − dissipated \[J\]: what a corrected body's energy should be.
    pub fn target(&self) -> Option<f64> {
        self.goal.map(|goal| goal.energy + self.added - self.dissipated)
    }
}

/// Energy and momenta that a body began with, or was left with by damping: tracked, because what is
/// read from the last state drifts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Goal {
    /// Total energy at the first step \[J\].
    pub energy: f64,
    /// Momenta, where nothing external acts; the angular one is about the origin, or about where
    /// the body is held, if it turns there.
    pub momentum: Momentum,
}

impl State {
    /// The state a model starts in.
    pub fn initial(model: &Model) -> Self {
        State {
            positions: Buffer::from(model.initial_positions()),
            velocities: Buffer::from(model.initial_velocities()),
            accelerations: Buffer::zeroed(model.vertex_count()),
            past: Past {
                positions: Buffer::zeroed(model.vertex_count()),
                velocities: Buffer::zeroed(model.vertex_count()),
                is_valid: false,
            },
            colliders: Vec::with_capacity(model.colliders().len()),
            steps: 0,
            accounts: vec![Account::default(); model.bodies().len()],
        }
    }

    /// Energy put in so far by driven points and wind, all bodies \[J\].
    pub fn added(&self) -> f64 {
        self.accounts.iter().map(|account| account.added).sum()
    }

    /// Energy taken so far by damping, friction and inelastic rebound, all bodies \[J\].
    pub fn dissipated(&self) -> f64 {
        self.accounts.iter().map(|account| account.dissipated).sum()
    }

    /// Opens the accounts that are not open yet, with a body's energy and momenta as they are.
    pub(crate) fn open_accounts(&mut self, model: &Model, drive: &Drive, work: &mut Workspace) {
        if self.accounts.iter().all(|account| account.goal.is_some()) {
            return;
        }
        let potentials = work.potential_energies(model, drive, self);
        for (b, (body, &potential)) in model.bodies().iter().zip(potentials).enumerate() {
            let kinetic = measure::kinetic_of(model, body, &self.velocities);
            let now = [&self.positions[..], &self.velocities];
            let momentum = measure::kept_momentum_of(model, body, now);
            let goal = Goal { energy: potential + kinetic, momentum };
            self.accounts[b].goal.get_or_insert(goal);
        }
    }

    /// Takes the momenta that some bodies were left with as those to be kept.
    pub(crate) fn accept_momenta(&mut self, model: &Model, of: impl Fn(&ModelBody) -> bool) {
        for (body, account) in model.bodies().iter().zip(&mut self.accounts).filter(|b| of(b.0)) {
            if let Some(goal) = &mut account.goal {
                let now = [&self.positions[..], &self.velocities];
                goal.momentum = measure::kept_momentum_of(model, body, now);
            }
        }
    }

    /// Copies another state of the same model into this one, without allocating.
    pub fn copy_from(&mut self, other: &State) {
        self.copy_by(other, |from, to| to.copy_from_slice(from));
    }

    /// The same, by a team.
    pub(crate) fn copy_with(&mut self, other: &State, team: &Team) {
        self.copy_by(other, |from, to| blocks::copy(from, to, team));
    }

    fn copy_by(&mut self, other: &State, copy: impl Fn(&[Row], &mut [Row])) {
        copy(&other.positions, &mut self.positions);
        copy(&other.velocities, &mut self.velocities);
        copy(&other.accelerations, &mut self.accelerations);
        copy(&other.past.positions, &mut self.past.positions);
        copy(&other.past.velocities, &mut self.past.velocities);
        self.past.is_valid = other.past.is_valid;
        self.colliders.clone_from(&other.colliders);
        self.steps = other.steps;
        self.accounts.copy_from_slice(&other.accounts);
    }
}
