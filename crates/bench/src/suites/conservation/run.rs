//! Running a case, every step recorded.

use pliant_sim::{Momentum, StepReport, measure};

use super::case::Case;
use crate::error::BenchError;
use crate::stepper::{H, Stepper};
use crate::suite::{Stop, check};

/// An uncorrected run ends when its energy has grown by this factor.
const HOPELESS: f64 = 1e6;
/// A corrected run ends when this many steps in a row were rolled back.
const MOST_ROLLBACKS: usize = 10;

/// The record of a run.
#[derive(Default)]
pub struct Record {
    /// Vertices of the model.
    pub vertices: usize,
    /// Tets or springs of the model.
    pub elements: usize,
    /// Mass of the model \[kg\].
    pub mass: f64,
    /// Diagonal of the bounding box at rest \[m\].
    pub size: f64,
    /// Momentum components on which nothing external acts: linear, angular.
    pub conserved: [[bool; 3]; 2],
    /// Total energy at the beginning \[J\].
    pub initial: f64,
    /// Kinetic energy at the beginning \[J\].
    pub initial_kinetic: f64,
    /// Momenta at the beginning.
    pub momentum: Momentum,
    /// Report of every step, and the target of its total energy \[J\].
    pub steps: Vec<(StepReport, f64)>,
}

/// Runs a case.
///
/// # Errors
/// When the model cannot be built, or not be stepped by the method.
pub fn run(case: &Case, is_corrected: bool, stop: Stop) -> Result<Record, BenchError> {
    let model = case.model(is_corrected)?;
    let mut stepper = Stepper::new(&model, H, 1)?;
    let initial = stepper.energy();
    let kept = model.conserved();
    let (positions, velocities) = (&stepper.state.positions, &stepper.state.velocities);
    let mut record = Record {
        vertices: model.vertex_count(),
        elements: model.element_count(),
        mass: model.masses().iter().sum(),
        size: model.extent(),
        conserved: [kept.linear, kept.angular],
        initial,
        initial_kinetic: stepper.kinetic(),
        momentum: measure::momentum(model.masses(), positions, velocities),
        steps: Vec::with_capacity(case.steps as usize),
    };
    let mut rollbacks = 0;
    for _ in 0..case.steps {
        check(stop)?;
        let report = stepper.step();
        let target = initial + stepper.state.added() - stepper.state.dissipated();
        record.steps.push((report, target));
        rollbacks = if report.rolled_back { rollbacks + 1 } else { 0 };
        let is_bounded = report.energy.total() <= HOPELESS * initial.abs();
        let goes_on =
            if is_corrected { rollbacks < MOST_ROLLBACKS } else { rollbacks == 0 && is_bounded };
        if !goes_on {
            break;
        }
    }
    Ok(record)
}
