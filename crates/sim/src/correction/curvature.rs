//! Second derivatives of a model's stored energy, for the exact projection.

use glam::DMat3;
use pliant_math::cholesky::SparseCholesky;
use pliant_math::team::Team;
use pliant_math::{MathError, Row};
use pliant_model::Model;
use pliant_model::potentials::Curvature;

use super::sqp::Hessian;
use crate::objective::Objective;
use crate::solver::hessian::HessianLayout;

/// Second derivatives of a model's stored energy: a matrix, and its factorisation.
pub struct FieldHessian {
    layout: HessianLayout,
    cholesky: SparseCholesky,
    values: Vec<f64>,
    flat: Vec<f64>,
}

impl FieldHessian {
    /// Analyses a model's matrix.
    ///
    /// # Errors
    /// When that fails.
    pub fn new(model: &Model) -> Result<Self, MathError> {
        let layout = HessianLayout::new(model)?;
        let size = 3 * model.free_count();
        let order: Vec<usize> = (0..size).collect();
        let cholesky = SparseCholesky::analyse(layout.matrix(), &order)?;
        Ok(FieldHessian { layout, cholesky, values: Vec::new(), flat: vec![0.0; size] })
    }

    /// The Hessian of an objective.
    pub fn of<'a>(&'a mut self, objective: Objective<'a>, team: &'a Team) -> HessianAt<'a> {
        HessianAt { hessian: self, objective, team }
    }
}

/// Second derivatives at one moment.
pub struct HessianAt<'a> {
    hessian: &'a mut FieldHessian,
    objective: Objective<'a>,
    team: &'a Team,
}

impl Hessian for HessianAt<'_> {
    fn factor(&mut self, positions: &[Row], scales: &[f64], blocks: &[DMat3]) -> bool {
        let HessianAt { hessian, objective, team } = self;
        let FieldHessian { layout, cholesky, values, .. } = &mut **hessian;
        let field = objective.model.field();
        let stored = |task: usize| field.is_stored(task);
        layout.assemble(objective, positions, Curvature::Exact, 0.0, &stored, team);
        let matrix = layout.matrix();
        values.clear();
        values.extend_from_slice(matrix.values());
        let starts = matrix.column_starts();
        for (vertex, (scale, block)) in scales.iter().zip(blocks).enumerate() {
            for c in 0..3 {
                let column = 3 * vertex + c;
                let own = &mut values[starts[column]..starts[column + 1]];
                own.iter_mut().for_each(|value| *value *= scale);
                // The diagonal block's lower half comes first in its columns.
                for r in c..3 {
                    own[r - c] += block.col(c)[r];
                }
            }
        }
        cholesky.factor(values).is_ok()
    }

    fn solve(&mut self, x: &mut [Row]) -> bool {
        let FieldHessian { cholesky, flat, .. } = &mut *self.hessian;
        for (out, row) in flat.chunks_exact_mut(3).zip(&*x) {
            out.copy_from_slice(&row.0[..3]);
        }
        let is_solved = cholesky.solve(flat).is_ok();
        for (row, values) in x.iter_mut().zip(flat.chunks_exact(3)) {
            *row = Row::new(values[0], values[1], values[2]);
        }
        is_solved
    }
}
