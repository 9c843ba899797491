//! The tangent of an equilibrium: K = ∇²E, and how positions answer forces, K⁻¹ f.
//!
//! An equilibrium ∇E(x, a) = 0 that depends on a moves by dx = −K⁻¹ B da with B = ∂∇E/∂a (the
//! implicit function theorem); inverse problems ask for many of these. What the exact solver
//! factors for the search stands for K here as well: whole, where the matrix is small, else as
//! preconditioner of conjugate gradients.

use pliant_math::{DMat3, Row};
use pliant_model::potentials::Curvature;
use pliant_model::{Drive, Model};

use crate::objective::{Forces, Objective};
use crate::scheme;
use crate::workspace::{SimError, SolverSpace, Workspace};

impl Workspace {
    /// Takes over K at positions of all vertices \[m\], in model order, with what is driven as
    /// `drive` has it; without inertia, and with what touches there. For models that are solved by
    /// Newton's method.
    ///
    /// # Errors
    /// When there is no factor to be had, or the solver has none.
    pub fn linearise(
        &mut self,
        model: &Model,
        drive: &Drive,
        positions: &[Row],
        curvature: Curvature,
    ) -> Result<(), SimError> {
        self.solver.prepare(
            model,
            &self.elastic,
            scheme::constants(model.method().scheme, 1.0),
            &self.team,
        )?;
        let objective = still(model, drive, positions, &self.vectors.measured);
        match &mut self.solver {
            SolverSpace::Newton { space, .. } => {
                Ok(space.linearise(&objective, positions, curvature, &self.team)?)
            }
            _ => Err(SimError::NoTangent),
        }
    }

    /// out ← K⁻¹ f of the free vertices, until what is left of f is `accuracy` of it; whether that
    /// was reached. [`Workspace::linearise`] comes first.
    pub fn answer(&mut self, force: &[Row], accuracy: f64, out: &mut [Row]) -> bool {
        match &mut self.solver {
            SolverSpace::Newton { space, .. } => space.answer(force, accuracy, out, &self.team),
            _ => false,
        }
    }

    /// The same with what K is preconditioned by in its place: the matrix at rest, turned, or K's
    /// own factor. Linear and symmetric, and one division. Whether there is one.
    pub fn rough_answer(&mut self, force: &[Row], out: &mut [Row]) -> bool {
        match &mut self.solver {
            SolverSpace::Newton { space, .. } => space.rough_answer(force, out, &self.team),
            _ => false,
        }
    }

    /// How the surroundings of free vertices have turned from rest at positions of all \[m\], where
    /// equilibrium is looked for on the matrix at rest; nothing where it is not, or has never been.
    pub fn turns(&mut self, positions: &[Row]) -> &[DMat3] {
        match &mut self.solver {
            SolverSpace::Modified { cached, .. } => {
                cached.first_mut().map_or(&[], |(_, space)| space.turns(positions, &self.team))
            }
            _ => &[],
        }
    }

    /// out ← ∇E of the free vertices \[N\] at positions of all \[m\]; returns E \[J\].
    pub fn slope(
        &mut self,
        model: &Model,
        drive: &Drive,
        positions: &[Row],
        out: &mut [Row],
    ) -> f64 {
        let objective = still(model, drive, positions, &self.vectors.measured);
        objective.gradient(positions, out, None, &mut self.evaluation, &self.team).value
    }
}

/// E alone, as an objective without inertia.
fn still<'a>(
    model: &'a Model,
    drive: &'a Drive,
    positions: &'a [Row],
    measured: &'a [f64],
) -> Objective<'a> {
    Objective {
        model,
        drive,
        start: positions,
        rate: 0.0,
        kappa: 0.0,
        inertia: positions,
        forces: Forces::Stored,
        end: None,
        rubbing: &[],
        measured,
    }
}
