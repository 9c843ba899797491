//! What a step tells about itself, always.

use std::time::Duration;

use crate::contact::Contacts;
use crate::measure::{Energy, Momentum};
use crate::solver::SolverInfo;

/// The outcome of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Energies at its end \[J\].
    pub energy: Energy,
    /// Momenta at its end.
    pub momentum: Momentum,
    /// Solver iterations, over all sub-steps.
    pub iterations: u32,
    /// Energy or gradient evaluations, over all sub-steps.
    pub evaluations: u32,
    /// ‖gradient‖ relative to the forces it is made of, when the solver stopped.
    pub residual: f64,
    /// The solver stopped because no step led downhill.
    pub stalled: bool,
    /// Iterations of the correction, over all sub-steps.
    pub correction_iterations: u32,
    /// s and t of Eq. 1 of the FEPR paper; no numbers where momenta do not give way.
    pub given_way: [f64; 2],
    /// α of the blended correction: the share of backward Euler, or minus that of forward Euler, in
    /// the body that needed most (thesis Fig. 3.12); no number without that correction.
    pub blend: f64,
    /// The step went astray, and the correction started nearer to the state before it.
    pub pulled_back: bool,
    /// The correction could not reach its goal, and gave way.
    pub correction_failed: bool,
    /// Into how many sub-steps the guard had to cut this step; 1 when it did not.
    pub substeps: u32,
    /// The guard could not save the step: positions are those before it, at rest.
    pub rolled_back: bool,
    /// Contact with colliders at its end.
    pub contacts: Contacts,
    /// Where the time went.
    pub timings: Timings,
}

impl Default for StepReport {
    fn default() -> Self {
        StepReport {
            energy: Energy::default(),
            momentum: Momentum::default(),
            iterations: 0,
            evaluations: 0,
            residual: 0.0,
            stalled: false,
            correction_iterations: 0,
            given_way: [f64::NAN; 2],
            blend: f64::NAN,
            pulled_back: false,
            correction_failed: false,
            substeps: 0,
            rolled_back: false,
            contacts: Contacts::default(),
            timings: Timings::default(),
        }
    }
}

impl StepReport {
    /// Adds a solve to the report.
    pub(crate) fn absorb(&mut self, info: &SolverInfo) {
        self.iterations += info.iterations;
        self.evaluations += info.evaluations;
        self.residual = info.residual;
        self.stalled = info.stalled;
        self.timings.add_parts(&info.timings);
    }

    /// Whether the guard or the correction had to give way.
    pub fn gave_way(&self) -> bool {
        self.substeps > 1 || self.rolled_back || self.correction_failed
    }
}

/// Where a step's time went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Energies and gradients.
    pub evaluate: Duration,
    /// Newton's Hessians: their elements, and putting them into the matrix.
    pub assemble: Duration,
    /// Factorisations.
    pub factor: Duration,
    /// Triangular solves.
    pub solve: Duration,
    /// The correction.
    pub correction: Duration,
    /// The whole step.
    pub total: Duration,
}

impl Timings {
    /// Adds a part's times, except the total.
    pub(crate) fn add_parts(&mut self, other: &Timings) {
        self.evaluate += other.evaluate;
        self.assemble += other.assemble;
        self.factor += other.factor;
        self.solve += other.solve;
    }
}
