//! Contact that couples vertices, around a factor of the rest of Newton's matrix.
//!
//! Contact between bodies adds the columns of `contact.rs` to the factored F. With them as columns
//! of C:
//!
//! ```text
//! (F + C Cᵀ)⁻¹ r = y − Y (I + CᵀY)⁻¹ Cᵀy,   y = F⁻¹r,   Y = F⁻¹C.
//! ```
//!
//! The columns of Y are solved for together: for a hundred columns that takes little longer than a
//! factorisation. `compliance.rs` keeps its columns, because the matrix at rest stays; here the
//! matrix is new in every iteration.

use pliant_math::cholesky::SparseCholesky;
use pliant_math::woodbury::Woodbury;
use pliant_math::{DVec3, Row};

use super::couplings::Couplings;
use super::{MOST_VERTICES, column_vectors};

/// More columns take longer than they save.
const MOST_COLUMNS: usize = 512;

/// C, Y and the dense system; memory that grows to the most contacts at a time.
#[derive(Default)]
pub(in crate::solver) struct CoupledFactor {
    columns: Vec<CouplingColumn>,
    /// Y, column by column.
    answers: Vec<f64>,
    update: Woodbury,
    flat: Vec<f64>,
}

/// A column of C: free vertices with their entries; zero for vertices that take no part.
struct CouplingColumn([(u32, DVec3); MOST_VERTICES]);

impl CouplingColumn {
    fn parts(&self) -> impl Iterator<Item = (usize, DVec3)> {
        self.0.iter().filter(|(_, c)| *c != DVec3::ZERO).map(|&(v, c)| (3 * v as usize, c))
    }

    fn dot(&self, x: &[f64]) -> f64 {
        self.parts().map(|(at, c)| c.dot(DVec3::from_slice(&x[at..]))).sum()
    }
}

impl CoupledFactor {
    /// Takes over the couplings of the moment; false if that is impossible.
    pub fn update(&mut self, couplings: &Couplings, cholesky: &mut SparseCholesky) -> bool {
        let CoupledFactor { columns, answers, update, .. } = self;
        columns.clear();
        for (vertices, weights, bend) in couplings.terms() {
            for along in column_vectors(bend) {
                let part = |i: usize| (vertices[i], along * weights[i]);
                columns.push(CouplingColumn(std::array::from_fn(part)));
            }
        }
        let (count, size) = (columns.len(), cholesky.size());
        if count > MOST_COLUMNS {
            columns.clear();
            return false;
        }
        answers.clear();
        answers.resize(count * size, 0.0);
        for (column, out) in columns.iter().zip(answers.chunks_exact_mut(size.max(1))) {
            for (at, c) in column.parts() {
                (0..3).for_each(|k| out[at + k] += c[k]);
            }
        }
        update.begin(count);
        let is_solved = cholesky.solve_many(answers).is_ok();
        for (j, answer) in answers.chunks_exact(size.max(1)).enumerate() {
            for (i, column) in columns.iter().enumerate().skip(j) {
                update.set(i, j, column.dot(answer));
            }
        }
        if !(is_solved && update.factor()) {
            columns.clear();
            return false;
        }
        true
    }

    /// Forgets the couplings.
    pub fn clear(&mut self) {
        self.columns.clear();
    }

    /// out ← rows divided by the matrix; false if that is impossible.
    pub fn divide(&mut self, rows: &[Row], cholesky: &mut SparseCholesky, out: &mut [Row]) -> bool {
        let CoupledFactor { columns, answers, update, flat } = self;
        flat.resize(3 * rows.len(), 0.0);
        for (flat, row) in flat.chunks_exact_mut(3).zip(rows) {
            flat.copy_from_slice(&row.0[..3]);
        }
        let is_solved = cholesky.solve(flat).is_ok();
        if !columns.is_empty() {
            let weights = update.weights.iter_mut().zip(&*columns);
            weights.for_each(|(weight, column)| *weight = column.dot(flat));
            update.solve();
            for (z, answer) in update.weights.iter().zip(answers.chunks_exact(flat.len().max(1))) {
                flat.iter_mut().zip(answer).for_each(|(x, y)| *x -= z * y);
            }
        }
        for (out, x) in out.iter_mut().zip(flat.chunks_exact(3)) {
            *out = Row::new(x[0], x[1], x[2]);
        }
        is_solved
    }
}
