//! What changes from step to step, and nothing else: a state determines all that follows.

use pliant_math::{Buffer, Row};
use pliant_model::Model;

/// Positions, velocities and what the next step needs besides them, in model order.
#[derive(Clone, Debug)]
pub struct State {
    /// Positions \[m\].
    pub positions: Buffer<Row>,
    /// Velocities [m/s].
    pub velocities: Buffer<Row>,
    /// Accelerations of the last step [m/s²]: the next one starts its search from them.
    pub accelerations: Buffer<Row>,
    /// Steps done.
    pub steps: u64,
    /// Energy put in so far by driven points and wind \[J\].
    pub added: f64,
    /// Energy taken so far by damping \[J\].
    pub dissipated: f64,
}

impl State {
    /// The state a model starts in.
    pub fn initial(model: &Model) -> Self {
        State {
            positions: Buffer::from(model.initial_positions()),
            velocities: Buffer::from(model.initial_velocities()),
            accelerations: Buffer::zeroed(model.vertex_count()),
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
        self.steps = other.steps;
        self.added = other.added;
        self.dissipated = other.dissipated;
    }
}
