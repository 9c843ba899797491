//! Where corrections meet a model: the stored energy of its field.

use pliant_math::Row;
use pliant_math::team::Team;
use pliant_model::{Drive, Model};

use super::fepr::Energy;
use super::filter::Stiffness;
use crate::islands::Islands;
use crate::measure;
use crate::objective::{EvaluationSpace, Forces, Objective};
use crate::solver::projective::{ProjectiveSpace, precondition};

/// The stored energy alone, at a drive: no inertia, no wind.
pub(super) fn stored<'a>(
    model: &'a Model,
    drive: &'a Drive,
    inertia: &'a [Row],
    measured: &'a [f64],
) -> Objective<'a> {
    Objective {
        model,
        drive,
        start: inertia,
        rate: 0.0,
        kappa: 0.0,
        inertia,
        measured,
        forces: Forces::Stored,
        end: None,
        rubbing: &[],
    }
}

/// The stored energy of every body at `positions` \[J\].
pub(super) fn energies(
    objective: &Objective,
    positions: &[Row],
    evaluation: &mut EvaluationSpace,
    team: &Team,
    out: &mut [f64],
) {
    objective.value(positions, evaluation, team);
    let gravity = objective.drive.gravity;
    measure::by_body(objective.model, gravity, positions, &evaluation.energies, out);
}

/// The stored energy of a model's field, at one moment.
pub(super) struct FieldEnergy<'a> {
    pub objective: Objective<'a>,
    pub evaluation: &'a mut EvaluationSpace,
    pub smoother: Option<&'a mut ProjectiveSpace>,
    pub islands: &'a Islands,
    pub h: f64,
    pub team: &'a Team,
    /// The gradient that the solver has left, where it is that of the positions to be projected.
    pub known: Option<&'a [Row]>,
}

impl Energy for FieldEnergy<'_> {
    fn gradient(&mut self, positions: &[Row], gradient: &mut [Row], energies: &mut [f64]) {
        let FieldEnergy { objective, evaluation, team, .. } = self;
        match self.known.take() {
            Some(known) => gradient.copy_from_slice(known),
            None => {
                objective.gradient(positions, gradient, None, evaluation, team);
            }
        }
        let gravity = objective.drive.gravity;
        measure::by_body(objective.model, gravity, positions, &evaluation.energies, energies);
        self.islands.gather(energies);
    }

    fn smooth(&mut self, gradient: &[Row], out: &mut [Row]) {
        if let Some(smoother) = &mut self.smoother {
            precondition(gradient, 1.0 / (self.h * self.h), smoother, out, self.team);
        }
    }
}

/// The stored energy's gradients at both ends of a step, and the filter's matrix.
pub(super) struct FilteredField<'a> {
    pub objective: Objective<'a>,
    pub from: &'a Drive,
    pub evaluation: &'a mut EvaluationSpace,
    pub matrix: &'a mut ProjectiveSpace,
    pub team: &'a Team,
}

impl Stiffness for FilteredField<'_> {
    fn gradient_at_start(&mut self, positions: &[Row], gradient: &mut [Row]) {
        let start = Objective { drive: self.from, ..self.objective };
        start.gradient(positions, gradient, None, self.evaluation, self.team);
    }

    fn gradient_at_end(&mut self, positions: &[Row], gradient: &mut [Row]) {
        self.objective.gradient(positions, gradient, None, self.evaluation, self.team);
    }

    fn relax(&mut self, forces: &[Row], out: &mut [Row]) {
        precondition(forces, 1.0, self.matrix, out, self.team);
    }
}
