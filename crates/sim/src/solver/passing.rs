//! Stiffness that comes and goes (contact, friction), beside a matrix that stays factored.
//!
//! Where it acts as H on a vertex with the diagonal a of A, the preconditioner is S A⁻¹ S with
//! S = (I + H/a)^(−½) on that vertex, which is as soft as A + H would be there.
//!
//! What touches is not known before the search has been there: a step that ends inside of something
//! nobody knew of would have to be shortened for all vertices. H is *learnt* instead: wherever an
//! evaluation finds a vertex much stiffer than it was thought to be, that is kept for the rest of the
//! search. Friction is stiff where a vertex sticks and soft where it slides, and which of the two is
//! for the search to find out: it is believed to go on as it did, and learnt both ways.

use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_math::{DMat3, Row};
use pliant_model::potentials::Curvature;
use pliant_model::touching::Touch;

use crate::objective::{EvaluationSpace, Objective};

/// Stiffness has to be this many times what is known of it to be news; friction, this many times or
/// this part.
const NEWS: f64 = 2.0;
const TURN: f64 = 4.0;
/// Friction is learnt in that many iterations: each time the search begins anew.
const TURNS: u32 = 6;

/// What is known in a search.
#[derive(Default)]
pub(super) struct Passing {
    /// Of contact, at every free vertex \[N/m\]; empty where nothing comes and goes.
    contact: Vec<DMat3>,
    friction: Vec<DMat3>,
    found: Vec<DMat3>,
    /// One task's.
    blocks: Vec<f64>,
    /// S of the vertices that have any.
    softened: Vec<(u32, DMat3)>,
}

impl Passing {
    /// Begins a search; `diagonal` is the factored matrix's.
    pub fn begin(&mut self, objective: &Objective, diagonal: &[f64]) {
        self.softened.clear();
        self.contact.clear();
        if objective.model.field().passing_tasks().next().is_none() {
            return;
        }
        self.contact.resize(diagonal.len(), DMat3::ZERO);
        self.softened.reserve(diagonal.len());
        // As if everything went on.
        self.find(objective, objective.inertia, &[], false);
        std::mem::swap(&mut self.friction, &mut self.found);
    }

    /// Takes in what is new at `p`, where the last evaluation was, and says whether anything is: what
    /// is stiffer, and in the first of so many `iterations` what sticks or slides now.
    pub fn learn(
        &mut self,
        objective: &Objective,
        p: &[Row],
        diagonal: &[f64],
        evaluation: &EvaluationSpace,
        iterations: u32,
    ) -> bool {
        if self.contact.is_empty() {
            return false;
        }
        let mut is_news = iterations == 0;
        self.find(objective, p, evaluation.touching.touches(), true);
        for ((known, found), &a) in self.contact.iter_mut().zip(&self.found).zip(diagonal) {
            if trace(found) + a > NEWS * (trace(known) + a) {
                *known += *found;
                is_news = true;
            }
        }
        if (1..=TURNS).contains(&iterations) {
            self.find(objective, p, &[], false);
            for ((known, found), &a) in self.friction.iter_mut().zip(&self.found).zip(diagonal) {
                let (before, now) = (trace(known) + a, trace(found) + a);
                if now > TURN * before || before > TURN * now {
                    *known = *found;
                    is_news = true;
                }
            }
        }
        if is_news {
            self.soften_known(diagonal);
        }
        is_news
    }

    /// What acts at `p`, of contact or of friction.
    fn find(&mut self, objective: &Objective, p: &[Row], touches: &[Touch], is_contact: bool) {
        let field = objective.model.field();
        let at = objective.situation(p, touches);
        self.found.clear();
        self.found.resize(self.contact.len(), DMat3::ZERO);
        for task in field.passing_tasks().filter(|&task| field.is_stored(task) == is_contact) {
            let vertices = field.task_vertices(task);
            self.blocks.resize(9 * vertices.len(), 0.0);
            field.hessians(task, &at, Curvature::Definite, &mut self.blocks);
            for (&v, block) in vertices.iter().zip(self.blocks.chunks_exact(9)) {
                let block = DMat3::from_cols_slice(block);
                if let Some(sum) = self.found.get_mut(v as usize).filter(|_| block.is_finite()) {
                    *sum += block;
                }
            }
        }
    }

    fn soften_known(&mut self, diagonal: &[f64]) {
        self.softened.clear();
        let known = self.contact.iter().zip(&self.friction);
        for (v, ((contact, friction), &a)) in known.zip(diagonal).enumerate() {
            let known = *contact + *friction;
            if known != DMat3::ZERO {
                let SymmetricEigen { values, vectors } = symmetric_eigen(&known);
                let softer = values.to_array().map(|h| 1.0 / (1.0 + h.max(0.0) / a).sqrt());
                let scaled = vectors * DMat3::from_diagonal(softer.into());
                self.softened.push((v as u32, scaled * vectors.transpose()));
            }
        }
    }

    /// Applies S.
    pub fn soften(&self, rows: &mut [Row<f32>]) {
        for (v, softening) in &self.softened {
            let row = &mut rows[*v as usize];
            *row = Row::from(*softening * row.widen().xyz()).narrow();
        }
    }
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}
