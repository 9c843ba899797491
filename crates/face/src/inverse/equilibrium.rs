//! Equilibria of a face and their derivative by activations, dx = −K⁻¹ B da.

use pliant_math::Row;
use pliant_model::potentials::activation::Activation;
use pliant_model::potentials::{Curvature, MixedDerivative, Situation};
use pliant_model::{Drive, FrameInput, Model};
use pliant_sim::{SimError, State, StepReport, Workspace, step};

use super::targets::Observation;

/// An equilibrium with the memory to find it. The model has no inertia, and Newton's method solves
/// it.
pub struct Equilibrium<'a> {
    pub model: &'a Model,
    pub state: &'a mut State,
    pub workspace: &'a mut Workspace,
    pub input: &'a mut FrameInput,
    /// Relative residual at which a solve with K stops.
    pub accuracy: f64,
}

/// Further unknowns that move what is prescribed: the pose of a jaw.
pub trait Knobs {
    /// Step of each knob for finite differences.
    fn steps(&self) -> &[f64];

    /// Writes the state for these values of the knobs into the drive.
    fn turn(&self, knobs: &[f64], drive: &mut Drive);
}

/// No knobs.
impl Knobs for () {
    fn steps(&self) -> &[f64] {
        &[]
    }

    fn turn(&self, _: &[f64], _: &mut Drive) {}
}

/// K and B of an equilibrium.
pub struct Tangent {
    mixed: Vec<MixedDerivative>,
    /// One row per free vertex.
    rows: Vec<Row>,
}

impl Equilibrium<'_> {
    /// Accuracy of gradients that tests compare with reference values.
    pub const EXACT: f64 = 1e-9;
    /// Accuracy of gradients that Gauss–Newton steps use.
    pub const ROUGH: f64 = 1e-4;

    /// Finds the equilibrium with these activations, from the current state.
    pub fn find(&mut self, activations: &[Activation]) -> StepReport {
        self.input.end.activations.copy_from_slice(activations);
        let report = step(self.model, self.input, self.state, self.workspace);
        self.input.start.clone_from(&self.input.end);
        report
    }

    /// K and B at the current state.
    ///
    /// # Errors
    /// When K cannot be factored.
    pub fn tangent(&mut self) -> Result<Tangent, SimError> {
        let Equilibrium { model, state, workspace, input, .. } = self;
        let positions = &state.positions;
        workspace.linearise(model, &input.end, positions, Curvature::Exact)?;
        let at = Situation {
            positions,
            start: positions,
            rate: 0.0,
            drive: &input.end,
            end: None,
            touches: &[],
            rubbing: &[],
        };
        let mixed = model.field().mixed_derivatives(&at);
        Ok(Tangent { mixed, rows: vec![Row::zero(); model.free_count()] })
    }

    /// Positions of all vertices after one Newton step from the current state, with the last
    /// tangent.
    pub fn newton_prediction(&mut self) -> Vec<Row> {
        let Equilibrium { model, state, workspace, input, .. } = self;
        let free = model.free_count();
        let (mut force, mut answer) = (vec![Row::zero(); free], vec![Row::zero(); free]);
        workspace.slope(model, &input.end, &state.positions, &mut force);
        workspace.rough_answer(&force, &mut answer);
        let mut predicted = state.positions.to_vec();
        for (x, by) in predicted.iter_mut().zip(&answer) {
            *x = x.plus_scaled(-1.0, *by);
        }
        predicted
    }

    /// ∂∇E/∂p of the free vertices by the k-th knob p, by central differences at the current state.
    pub fn knob_force<K: Knobs>(&mut self, knobs: &K, at: &[f64], k: usize) -> Vec<Row> {
        let free = self.model.free_count();
        let [mut ahead, mut behind] = [vec![Row::zero(); free], vec![Row::zero(); free]];
        let step = knobs.steps()[k];
        let mut drive = self.input.end.clone();
        for (out, by) in [(&mut ahead, step), (&mut behind, -step)] {
            let mut turned = at.to_vec();
            turned[k] += by;
            knobs.turn(&turned, &mut drive);
            // Prescribed vertices move with the knobs.
            let mut positions = self.state.positions.to_vec();
            positions[free..].copy_from_slice(&drive.hard);
            self.workspace.slope(self.model, &drive, &positions, out);
        }
        let slope = |(a, b): (Row, Row)| (a + b * -1.0) * (0.5 / step);
        ahead.into_iter().zip(behind).map(slope).collect()
    }

    /// Solves K u = f for the free vertices, to the accuracy; false if it did not converge.
    pub fn stiffness_solve(&mut self, force: &[Row], out: &mut [Row]) -> bool {
        self.workspace.answer(force, self.accuracy, out)
    }

    /// Solves K u = f by one back-substitution: with the factor of K and its contacts, or, where K
    /// is too large to factor, with the rotated matrix at rest.
    pub fn approximate_stiffness_solve(&mut self, force: &[Row], out: &mut [Row]) -> bool {
        self.workspace.rough_answer(force, out)
    }

    /// The adjoint λ of the free vertices: K λ = −Sᵀω(Sx − t) at these positions x.
    pub(crate) fn adjoint(&mut self, observation: &Observation, positions: &[Row]) -> Vec<Row> {
        let free = self.model.free_count();
        let (mut force, mut adjoint) = (vec![Row::zero(); free], vec![Row::zero(); free]);
        observation.gradient(positions, &mut force);
        self.stiffness_solve(&force, &mut adjoint);
        negate(&mut adjoint);
        adjoint
    }

    /// Approximate displacement of the free vertices, −K⁻¹ B da plus the displacements per unit
    /// of each knob times its change.
    pub(crate) fn response<'r>(
        &mut self,
        tangent: &mut Tangent,
        change: &[Activation],
        knobs: impl Iterator<Item = (&'r Vec<Row>, &'r f64)>,
    ) -> Vec<Row> {
        let mut moved = vec![Row::zero(); self.model.free_count()];
        self.approximate_stiffness_solve(tangent.apply(change), &mut moved);
        negate(&mut moved);
        for (response, by) in knobs {
            moved.iter_mut().zip(response).for_each(|(row, a)| *row = row.plus_scaled(*by, *a));
        }
        moved
    }

    /// f = SᵀωS dx of a displacement dx, and −(K⁻¹B)ᵀ f of the activations, approximately.
    pub(crate) fn pull_back(
        &mut self,
        observation: &Observation,
        tangent: &Tangent,
        mut moved: Vec<Row>,
    ) -> (Vec<Row>, Vec<Activation>) {
        let mut force = vec![Row::zero(); moved.len()];
        let mut activations = vec![[0.0; 6]; self.input.end.activations.len()];
        observation.apply_hessian(&moved, &mut force);
        self.approximate_stiffness_solve(&force, &mut moved);
        tangent.apply_transposed(&moved, &mut activations);
        activations.as_flattened_mut().iter_mut().for_each(|x| *x = -*x);
        (force, activations)
    }
}

/// rows ← −rows.
pub(crate) fn negate(rows: &mut [Row]) {
    rows.iter_mut().for_each(|row| *row = *row * -1.0);
}

impl Tangent {
    /// B da for the free vertices.
    pub fn apply(&mut self, change: &[Activation]) -> &[Row] {
        self.rows.fill(Row::zero());
        for one in &self.mixed {
            let Some(own) = change.get(one.activation as usize) else { continue };
            for (c, &v) in one.corners.iter().enumerate() {
                if let Some(row) = self.rows.get_mut(v as usize) {
                    let sum: glam::DVec3 = (0..6).map(|k| one.slopes[k][c] * own[k]).sum();
                    *row = *row + Row::from(sum);
                }
            }
        }
        &self.rows
    }

    /// out ← Bᵀ λ.
    pub fn apply_transposed(&self, along: &[Row], out: &mut [Activation]) {
        out.fill([0.0; 6]);
        for one in &self.mixed {
            let Some(own) = out.get_mut(one.activation as usize) else { continue };
            for (c, &v) in one.corners.iter().enumerate() {
                if let Some(row) = along.get(v as usize) {
                    let way = row.xyz();
                    (0..6).for_each(|k| own[k] += one.slopes[k][c].dot(way));
                }
            }
        }
    }
}
