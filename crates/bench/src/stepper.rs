//! A model with constant boundary conditions, stepped at a constant length; common methods.

use pliant_model::method::Solver;
use pliant_model::{Drive, FrameInput, Model};
use pliant_sim::{SimError, State, StepReport, Workspace, measure, step};

/// Length of a step \[s\].
pub const H: f64 = 1.0 / 30.0;

/// One iteration of Newton's method.
pub const LINEARISED: Solver = Solver::Newton { iterations: 1, tolerance: 0.0 };

/// The projective solver with a fixed number of iterations.
pub const fn projective(iterations: u32) -> Solver {
    Solver::Projective { iterations, history: 5, tolerance: 0.0 }
}

/// A model and everything that its next step needs.
pub struct Stepper<'a> {
    /// The model.
    pub model: &'a Model,
    /// The state that the next step starts from.
    pub state: State,
    workspace: Workspace,
    input: FrameInput,
}

impl<'a> Stepper<'a> {
    /// Prepares steps of `h` seconds from the initial state.
    pub fn new(model: &'a Model, h: f64, threads: usize) -> Result<Stepper<'a>, SimError> {
        let workspace = Workspace::new(model, threads)?;
        let mut input = FrameInput { h, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        Ok(Stepper { model, state: State::initial(model), workspace, input })
    }

    /// Makes one step.
    pub fn step(&mut self) -> StepReport {
        step(self.model, &self.input, &mut self.state, &mut self.workspace)
    }

    /// Kinetic energy of the state \[J\].
    pub fn kinetic(&self) -> f64 {
        measure::kinetic(self.model.masses(), &self.state.velocities)
    }

    /// Total energy of the state \[J\].
    pub fn energy(&mut self) -> f64 {
        let stored = self.workspace.potential_energy(self.model, &self.input.start, &self.state);
        self.kinetic() + stored
    }

    /// The boundary conditions.
    pub fn drive(&self) -> &Drive {
        &self.input.end
    }
}
