//! An equilibrium, and how it answers: dx = −K⁻¹ B da.

use pliant_math::Row;
use pliant_model::potentials::activation::Activation;
use pliant_model::potentials::{Curvature, MixedDerivative, Situation};
use pliant_model::{Drive, FrameInput, Model};
use pliant_sim::{SimError, State, StepReport, Workspace, step};

/// What an equilibrium is looked for with. The model is one without inertia, solved by Newton's method.
pub struct Equilibrium<'a> {
    pub model: &'a Model,
    pub state: &'a mut State,
    pub workspace: &'a mut Workspace,
    pub input: &'a mut FrameInput,
    /// Left of a force when its answer counts as found.
    pub accuracy: f64,
}

/// What else is driven, by some numbers: a jaw.
pub trait Knobs {
    /// How far each is turned to see what it does.
    fn steps(&self) -> &[f64];

    /// Turns them.
    fn turn(&self, knobs: &[f64], drive: &mut Drive);
}

/// None.
impl Knobs for () {
    fn steps(&self) -> &[f64] {
        &[]
    }

    fn turn(&self, _: &[f64], _: &mut Drive) {}
}

/// K and B of an equilibrium.
pub struct Tangent {
    mixed: Vec<MixedDerivative>,
    /// A row per free vertex.
    rows: Vec<Row>,
}

impl Equilibrium<'_> {
    /// For gradients that are to be compared with other code's.
    pub const EXACT: f64 = 1e-9;
    /// For gradients that steps are found with.
    pub const ROUGH: f64 = 1e-4;

    /// Where forces balance with these activations, from where it is.
    pub fn find(&mut self, activations: &[Activation]) -> StepReport {
        self.input.end.activations.copy_from_slice(activations);
        let report = step(self.model, self.input, self.state, self.workspace);
        self.input.start.clone_from(&self.input.end);
        report
    }

    /// K and B where it is now.
    ///
    /// # Errors
    /// When K has no factor.
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

    /// Where a step of Newton's takes all vertices from where they are, by the last tangent.
    pub fn predicted(&mut self) -> Vec<Row> {
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

    /// ∂∇E/∂p of the free vertices by the k-th knob, where it is now, by central differences.
    pub fn knob_force<K: Knobs>(&mut self, knobs: &K, at: &[f64], k: usize) -> Vec<Row> {
        let free = self.model.free_count();
        let [mut ahead, mut behind] = [vec![Row::zero(); free], vec![Row::zero(); free]];
        let step = knobs.steps()[k];
        let mut drive = self.input.end.clone();
        for (out, by) in [(&mut ahead, step), (&mut behind, -step)] {
            let mut turned = at.to_vec();
            turned[k] += by;
            knobs.turn(&turned, &mut drive);
            // What is held goes where the knobs take it.
            let mut positions = self.state.positions.to_vec();
            positions[free..].copy_from_slice(&drive.hard);
            self.workspace.slope(self.model, &drive, &positions, out);
        }
        let slope = |(a, b): (Row, Row)| (a + b * -1.0) * (0.5 / step);
        ahead.into_iter().zip(behind).map(slope).collect()
    }

    /// K⁻¹ f of the free vertices, to the accuracy.
    pub fn answer(&mut self, force: &[Row], out: &mut [Row]) -> bool {
        self.workspace.answer(force, self.accuracy, out)
    }

    /// The same by one division: by K's factor and what touches around it, or, where K is too large to be factored, by the
    /// matrix at rest, turned.
    pub fn rough_answer(&mut self, force: &[Row], out: &mut [Row]) -> bool {
        self.workspace.rough_answer(force, out)
    }
}

impl Tangent {
    /// B da, of the free vertices.
    pub fn force(&mut self, change: &[Activation]) -> &[Row] {
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
    pub fn pull(&self, along: &[Row], out: &mut [Activation]) {
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
