//! Stiffness that comes and goes (contact, friction), beside a matrix that stays factored.
//!
//! Where it acts as H on a vertex with the diagonal a of A, the preconditioner is S A⁻¹ S with
//! S = (I + H/a)^(−½) on that vertex, which is as soft as A + H would be there.
//!
//! What touches is not known before the search has been there: a step that ends inside of something
//! nobody knew of would have to be shortened for all vertices. H is *learnt* instead: wherever an
//! evaluation finds a vertex much stiffer than it was thought to be, that is kept for the rest of the
//! search.

use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_math::{DMat3, Row};
use pliant_model::potentials::Curvature;

use crate::objective::{EvaluationSpace, Objective};

/// Stiffness has to be this many times what is known of it to be news.
const NEWS: f64 = 2.0;

/// What is known in a search.
#[derive(Default)]
pub(super) struct Passing {
    /// Of every free vertex \[N/m\]; empty where nothing comes and goes.
    known: Vec<DMat3>,
    found: Vec<DMat3>,
    /// One task's.
    blocks: Vec<f64>,
    /// S of the vertices that have any.
    softened: Vec<(u32, DMat3)>,
}

impl Passing {
    /// Begins a search.
    pub fn forget(&mut self, objective: &Objective) {
        self.softened.clear();
        self.known.clear();
        if objective.model.field().passing_tasks().next().is_some() {
            self.known.resize(objective.model.free_count(), DMat3::ZERO);
            self.softened.reserve(objective.model.free_count());
        }
    }

    /// Takes in what is new at `p`, where the last evaluation was, and says whether anything is;
    /// `diagonal` is the factored matrix's.
    pub fn learn(
        &mut self,
        objective: &Objective,
        p: &[Row],
        diagonal: &[f64],
        evaluation: &EvaluationSpace,
    ) -> bool {
        if self.known.is_empty() {
            return false;
        }
        let field = objective.model.field();
        let at = objective.situation(p, evaluation.touching.touches());
        self.found.clear();
        self.found.resize(diagonal.len(), DMat3::ZERO);
        for task in field.passing_tasks() {
            let vertices = field.task_vertices(task);
            self.blocks.resize(9 * vertices.len(), 0.0);
            field.hessians(task, &at, Curvature::Definite, &mut self.blocks);
            for (&v, block) in vertices.iter().zip(self.blocks.chunks_exact(9)) {
                if let Some(sum) = self.found.get_mut(v as usize) {
                    *sum += DMat3::from_cols_slice(block);
                }
            }
        }
        let mut is_news = false;
        for ((known, found), &a) in self.known.iter_mut().zip(&self.found).zip(diagonal) {
            let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
            if found.is_finite() && trace(found) + a > NEWS * (trace(known) + a) {
                *known += *found;
                is_news = true;
            }
        }
        if is_news {
            self.soften_known(diagonal);
        }
        is_news
    }

    fn soften_known(&mut self, diagonal: &[f64]) {
        self.softened.clear();
        for (v, (known, &a)) in self.known.iter().zip(diagonal).enumerate() {
            if *known != DMat3::ZERO {
                let SymmetricEigen { values, vectors } = symmetric_eigen(known);
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
