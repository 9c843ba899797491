//! Stiffness of contact and friction that a search learns, beside a matrix that stays factored.
//!
//! Where it acts as H on a vertex with the diagonal a of A, the preconditioner is S A⁻¹ S with
//! S = (I + H/a)^(−½) on that vertex, which is as soft as A + H would be there. That is right for a
//! single vertex; `patches.rs` corrects it for many vertices together.
//!
//! Contacts are not known before the search has been there: a step that ends inside an unknown
//! obstacle would have to be shortened for all vertices. H is *learnt* instead: where an evaluation
//! finds a vertex much stiffer than it was thought to be, that is kept for the rest of the search.
//! Friction is stiff where a vertex sticks and soft where it slides. It is expected to go on as it
//! did, and learnt both ways.

use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_math::team::Team;
use pliant_math::{DMat3, Row};
use pliant_model::Model;
use pliant_model::potentials::Curvature;
use pliant_model::touching::Touch;

use super::NONE;
use super::patches::ContactPatches;
use crate::objective::{EvaluationSpace, Objective};

/// Stiffness has to be this many times what is known of it to be news; friction, this many times or
/// this part.
const NEWS: f64 = 2.0;
const TURN: f64 = 4.0;
/// Friction is learnt in that many iterations: each time the search begins anew.
const TURNS: u32 = 6;

/// The stiffness that is known in a search.
#[derive(Default)]
pub(in crate::solver) struct LearnedStiffness {
    /// Index of each free vertex in `stiff`; empty for a model without contact.
    places: Vec<u32>,
    stiff: Vec<StiffVertex>,
    /// One task's.
    blocks: Vec<f64>,
    patches: ContactPatches,
}

/// The stiffness that is known of a vertex [N/m].
pub(super) struct StiffVertex {
    pub vertex: u32,
    contact: DMat3,
    friction: DMat3,
    found: DMat3,
    /// S.
    pub softening: DMat3,
}

impl StiffVertex {
    /// H.
    pub fn stiffness(&self) -> DMat3 {
        self.contact + self.friction
    }
}

impl LearnedStiffness {
    /// Beside a factored matrix with this diagonal, of a model's free vertices.
    pub fn new(model: &Model, diagonal: &[f64]) -> Self {
        if model.field().passing_tasks().next().is_none() {
            return LearnedStiffness::default();
        }
        LearnedStiffness {
            places: vec![NONE; diagonal.len()],
            patches: ContactPatches::new(model, diagonal),
            ..LearnedStiffness::default()
        }
    }

    /// Begins a search.
    pub fn begin(&mut self, objective: &Objective) {
        let LearnedStiffness { places, stiff, patches, .. } = self;
        stiff.iter().for_each(|known| places[known.vertex as usize] = NONE);
        stiff.clear();
        patches.clear();
        if !self.places.is_empty() {
            // As if everything went on.
            self.find(objective, objective.inertia, &[], false);
            self.stiff.iter_mut().for_each(|known| known.friction = known.found);
        }
    }

    /// Learns from `p`, where the last evaluation was, and returns true if anything is new:
    /// stiffer vertices, and in the first iterations vertices that begin to stick or slide.
    pub fn learn(
        &mut self,
        objective: &Objective,
        p: &[Row],
        diagonal: &[f64],
        evaluation: &EvaluationSpace,
        iterations: u32,
    ) -> bool {
        if self.places.is_empty() {
            return false;
        }
        let mut is_news = iterations == 0;
        self.find(objective, p, evaluation.touching.touches(), true);
        for known in &mut self.stiff {
            let a = diagonal[known.vertex as usize];
            if trace(&known.found) + a > NEWS * (trace(&known.contact) + a) {
                known.contact += known.found;
                is_news = true;
            }
        }
        if (1..=TURNS).contains(&iterations) {
            self.find(objective, p, &[], false);
            for known in &mut self.stiff {
                let a = diagonal[known.vertex as usize];
                let (before, now) = (trace(&known.friction) + a, trace(&known.found) + a);
                if now > TURN * before || before > TURN * now {
                    known.friction = known.found;
                    is_news = true;
                }
            }
        }
        if is_news {
            self.stiff.iter_mut().for_each(|known| known.soften(diagonal));
        }
        is_news
    }

    /// Finds the stiffness at `p`, of contact or of friction.
    fn find(&mut self, objective: &Objective, p: &[Row], touches: &[Touch], is_contact: bool) {
        let LearnedStiffness { places, stiff, blocks, .. } = self;
        let field = objective.model.field();
        let at = objective.situation(p, touches);
        stiff.iter_mut().for_each(|known| known.found = DMat3::ZERO);
        for task in field.passing_tasks().filter(|&task| field.is_stored(task) == is_contact) {
            field.stiff_points(task, &at, Curvature::Definite, blocks, |vertex, block| {
                // Hard vertices have no place.
                let Some(place) = places.get_mut(vertex as usize) else { return };
                if !block.is_finite() {
                    return;
                }
                if *place == NONE {
                    *place = stiff.len() as u32;
                    stiff.push(StiffVertex {
                        vertex,
                        contact: DMat3::ZERO,
                        friction: DMat3::ZERO,
                        found: DMat3::ZERO,
                        softening: DMat3::IDENTITY,
                    });
                }
                stiff[*place as usize].found += block;
            });
        }
    }

    /// Fits the patches to what was learnt, with solves by the factored matrix.
    pub fn fit(&mut self, factor: &PanelCholesky<f32>, panels: &mut PanelWork<f32>, team: &Team) {
        self.patches.fit(&self.stiff, factor, panels, team);
    }

    /// Applies S.
    pub fn soften(&mut self, rows: &mut [Row<f32>]) {
        self.patches.begin_softening(&self.stiff, rows);
        for known in &self.stiff {
            let row = &mut rows[known.vertex as usize];
            *row = Row::from(known.softening * row.widen().xyz()).narrow();
        }
        self.patches.end_softening(&self.stiff, rows);
    }

    /// Corrects a solution of the factored matrix alone.
    pub fn hold(&mut self, rows: &mut [Row<f32>], team: &Team) {
        self.patches.hold(rows, team);
    }
}

impl StiffVertex {
    fn soften(&mut self, diagonal: &[f64]) {
        let a = diagonal[self.vertex as usize];
        let SymmetricEigen { values, vectors } = symmetric_eigen(&self.stiffness());
        let softer = values.to_array().map(|h| 1.0 / (1.0 + h.max(0.0) / a).sqrt());
        let scaled = vectors * DMat3::from_diagonal(softer.into());
        self.softening = scaled * vectors.transpose();
    }
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}
