//! What changes from step to step, and nothing else: a state determines all that follows.

use pliant_math::{Buffer, Row};
use pliant_model::{Drive, Model};

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
    /// What corrections steer for; set by the first corrected step.
    pub goal: Option<Goal>,
    /// Steps done.
    pub steps: u64,
    /// Energy put in so far by driven points and wind \[J\].
    pub added: f64,
    /// Energy taken so far by damping \[J\].
    pub dissipated: f64,
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

/// Energy and momenta that a run began with, or was left with by damping: tracked, because what is
/// read from the last state drifts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Total energy at the first step \[J\].
    pub energy: f64,
    /// Momenta, where nothing external acts.
    pub momentum: Momentum,
}

impl Goal {
    /// The goal of a run that begins in a state.
    pub fn of(model: &Model, drive: &Drive, state: &State, workspace: &mut Workspace) -> Goal {
        let potential = workspace.potential_energy(model, drive, state);
        let energy = potential + measure::kinetic(model.masses(), &state.velocities);
        Goal { energy, momentum: Momentum::default() }.with_momenta_of(model, state)
    }

    /// The same with a state's momenta.
    pub fn with_momenta_of(self, model: &Model, state: &State) -> Goal {
        let momentum = measure::momentum(model.masses(), &state.positions, &state.velocities);
        Goal { momentum, ..self }
    }
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
            goal: None,
            steps: 0,
            added: 0.0,
            dissipated: 0.0,
        }
    }

    /// Copies another state of the same model into this one, without allocating.
    pub fn copy_from(&mut self, other: &State) {
        self.positions.copy_from_slice(&other.positions);
        self.velocities.copy_from_slice(&other.velocities);
        self.accelerations.copy_from_slice(&other.accelerations);
        self.past.positions.copy_from_slice(&other.past.positions);
        self.past.velocities.copy_from_slice(&other.past.velocities);
        self.past.is_valid = other.past.is_valid;
        self.goal = other.goal;
        self.steps = other.steps;
        self.added = other.added;
        self.dissipated = other.dissipated;
    }
}
