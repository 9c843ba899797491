//! What joins vertices, around a factor of the rest of Newton's matrix.
//!
//! Contact between bodies adds terms c cᵀ to the factored F, c = √β g ⊗ u for every eigenvector u of a touch's e″
//! with weights g. With them as columns of C (Woodbury):
//!
//! ```text
//! (F + C Cᵀ)⁻¹ r = y − Y (I + CᵀY)⁻¹ Cᵀy,   y = F⁻¹r,   Y = F⁻¹C.
//! ```
//!
//! The columns of Y are solved for together, which takes little longer than a factorisation for a hundred of them. What
//! `compliance.rs` does around the matrix at rest, whose columns it can keep, this does around one that is new in every
//! iteration.

use pliant_math::cholesky::SparseCholesky;
use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_math::{DVec3, Row};

use super::couplings::{Couplings, MOST};
use super::patches::{factor_lower, solve_lower};

/// More columns take longer than they save.
const MOST_COLUMNS: usize = 512;
/// Eigenvalues below this part of the largest count for nothing.
const NEGLIGIBLE: f64 = 1e-6;

/// C, Y and the small system; memory that grows to the most that touch at a time.
#[derive(Default)]
pub(super) struct Joined {
    columns: Vec<Column>,
    /// Y, column by column.
    answers: Vec<f64>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    flat: Vec<f64>,
}

/// A column of C: free vertices, and what it has there; those missing have nothing.
struct Column([(u32, DVec3); MOST]);

impl Column {
    fn parts(&self) -> impl Iterator<Item = (usize, DVec3)> {
        self.0.iter().filter(|(_, c)| *c != DVec3::ZERO).map(|&(v, c)| (3 * v as usize, c))
    }

    fn dot(&self, x: &[f64]) -> f64 {
        self.parts().map(|(at, c)| c.dot(DVec3::from_slice(&x[at..]))).sum()
    }
}

impl Joined {
    /// Takes over what joins vertices now; whether it could.
    pub fn meet(&mut self, couplings: &Couplings, cholesky: &mut SparseCholesky) -> bool {
        let Joined { columns, answers, matrix, vector, .. } = self;
        columns.clear();
        for (vertices, weights, bend) in couplings.terms() {
            let SymmetricEigen { values, vectors } = symmetric_eigen(bend);
            for k in (0..3).filter(|&k| values[k] > NEGLIGIBLE * values.max_element()) {
                let along = vectors.col(k) * values[k].sqrt();
                columns.push(Column(std::array::from_fn(|i| (vertices[i], along * weights[i]))));
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
        matrix.clear();
        matrix.resize(count * count, 0.0);
        vector.resize(count, 0.0);
        let is_solved = cholesky.solve_many(answers).is_ok();
        for (j, answer) in answers.chunks_exact(size.max(1)).enumerate() {
            for (i, column) in columns.iter().enumerate().skip(j) {
                matrix[i * count + j] = column.dot(answer) + if i == j { 1.0 } else { 0.0 };
            }
        }
        if !(is_solved && factor_lower(matrix, count)) {
            columns.clear();
            return false;
        }
        true
    }

    /// Forgets what joins vertices.
    pub fn part(&mut self) {
        self.columns.clear();
    }

    /// out ← rows divided by the matrix; whether it could be.
    pub fn divide(&mut self, rows: &[Row], cholesky: &mut SparseCholesky, out: &mut [Row]) -> bool {
        let Joined { columns, answers, matrix, vector, flat } = self;
        flat.resize(3 * rows.len(), 0.0);
        for (flat, row) in flat.chunks_exact_mut(3).zip(rows) {
            flat.copy_from_slice(&row.0[..3]);
        }
        let is_solved = cholesky.solve(flat).is_ok();
        if !columns.is_empty() {
            vector.iter_mut().zip(&*columns).for_each(|(v, column)| *v = column.dot(flat));
            solve_lower(matrix, vector);
            for (z, answer) in vector.iter().zip(answers.chunks_exact(flat.len().max(1))) {
                flat.iter_mut().zip(answer).for_each(|(x, y)| *x -= z * y);
            }
        }
        for (out, x) in out.iter_mut().zip(flat.chunks_exact(3)) {
            *out = Row::new(x[0], x[1], x[2]);
        }
        is_solved
    }
}
