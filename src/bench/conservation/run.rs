//! Running a case, every step recorded.

use pliant::model::{FrameInput, ModelError};
use pliant::sim::{Momentum, SimError, State, StepReport, Workspace, measure, step};

use super::case::{Case, H};
use crate::bench::Stop;

/// A run that multiplies its energy by this has shown that it explodes; nothing more is learnt.
const HOPELESS: f64 = 1e6;
/// A run is given up when so many steps in a row had to be rolled back.
const MOST_ROLLBACKS: usize = 10;

/// What a run did.
pub struct Record {
    /// Vertices of the model.
    pub vertices: usize,
    /// Its tets or springs.
    pub elements: usize,
    /// Its mass \[kg\].
    pub mass: f64,
    /// Diagonal of its bounding box at rest \[m\].
    pub size: f64,
    /// Momentum components on which nothing external acts: linear, angular.
    pub conserved: [[bool; 3]; 2],
    /// Total energy at the beginning \[J\].
    pub initial: f64,
    /// Kinetic energy at the beginning \[J\].
    pub initial_kinetic: f64,
    /// Momenta at the beginning.
    pub momentum: Momentum,
    /// Every step's report, and the total energy asked of it \[J\].
    pub steps: Vec<(StepReport, f64)>,
}

/// Runs a case; `None` when asked to stop.
///
/// # Errors
/// A sentence, when there is no such run: the model cannot be built, or not be solved this way.
pub fn run(case: &Case, is_corrected: bool, stop: Stop) -> Result<Option<Record>, String> {
    let model = case.model(is_corrected).map_err(|error: ModelError| error.to_string())?;
    let mut workspace = Workspace::new(&model, 1).map_err(|error: SimError| error.to_string())?;
    let mut input = FrameInput { h: H, ..FrameInput::default() };
    // Nothing is driven: one moment is like the other.
    model.drive(0.0, &mut input.start);
    model.drive(0.0, &mut input.end);
    let mut state = State::initial(&model);
    let kinetic = measure::kinetic(model.masses(), &state.velocities);
    let initial = kinetic + workspace.potential_energy(&model, &input.start, &state);
    let kept = model.conserved();
    let mut record = Record {
        vertices: model.vertex_count(),
        elements: model.element_count(),
        mass: model.masses().iter().sum(),
        size: model.extent(),
        conserved: [kept.linear, kept.angular],
        initial,
        initial_kinetic: kinetic,
        momentum: measure::momentum(model.masses(), &state.positions, &state.velocities),
        steps: Vec::with_capacity(case.steps as usize),
    };
    let mut rollbacks = 0;
    for _ in 0..case.steps {
        if stop() {
            return Ok(None);
        }
        let report = step(&model, &input, &mut state, &mut workspace);
        record.steps.push((report, initial + state.added() - state.dissipated()));
        rollbacks = if report.rolled_back { rollbacks + 1 } else { 0 };
        let is_bounded = report.energy.total() <= HOPELESS * initial.abs();
        let goes_on =
            if is_corrected { rollbacks < MOST_ROLLBACKS } else { rollbacks == 0 && is_bounded };
        if !goes_on {
            break;
        }
    }
    Ok(Some(record))
}
