//! The numerical factorisation, by faer.

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::SymbolicSupernodalParams;
use faer::sparse::linalg::cholesky::simplicial::{
    prefactorize_symbolic_cholesky, prefactorize_symbolic_cholesky_scratch,
};
use faer::sparse::linalg::cholesky::supernodal::{
    SupernodalLltRef, SymbolicSupernodalCholesky, factorize_supernodal_numeric_llt,
    factorize_supernodal_numeric_llt_scratch, factorize_supernodal_symbolic_cholesky,
    factorize_supernodal_symbolic_cholesky_scratch,
};
use faer::sparse::{FaerError, SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};

use crate::MathError;
use crate::sparse::SymmetricMatrix;

/// Whether faer may merge supernodes that differ a little.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Merging {
    /// By faer's own rule.
    Default,
    /// Only columns of equal structure.
    Never,
}

/// A pivot is aⱼⱼ − Σ lⱼₖ², with an error of up to (terms + 1) ε aⱼⱼ (Higham 2002, Theorem 10.3):
/// one not larger than that, or than this many ε for short rows, is rounding error alone.
const FEWEST_TERMS: usize = 16;

/// Right-hand sides that are solved for together: so many that reading the factor is no longer what
/// takes time.
pub(super) const MOST_COLUMNS: usize = 16;

/// The supernodes of a factor, and the memory to compute it.
pub(super) struct Supernodes {
    symbolic: SymbolicSupernodalCholesky<usize>,
    scratch: MemBuffer,
    /// Below this fraction of its diagonal entry, a row's pivot is rounding error.
    smallest_pivots: Vec<f64>,
}

impl Supernodes {
    /// Analyses the pattern of a matrix that is already in elimination order.
    pub fn new(matrix: &SymmetricMatrix, merging: Merging) -> Result<Self, MathError> {
        let size = matrix.size();
        let (starts, columns) = upper_triangle(matrix);
        let upper = SymbolicSparseColMatRef::new_checked(size, size, &starts, None, &columns);
        let (mut tree, mut counts) = (vec![0isize; size], vec![0usize; size]);
        let need = StackReq::any_of(&[
            prefactorize_symbolic_cholesky_scratch::<usize>(size, columns.len()),
            factorize_supernodal_symbolic_cholesky_scratch::<usize>(size),
        ]);
        let mut memory = MemBuffer::try_new(need).map_err(|_| out_of_memory())?;
        let stack = MemStack::new(&mut memory);
        let tree = prefactorize_symbolic_cholesky(&mut tree, &mut counts, upper, stack);
        let relax = (merging == Merging::Never).then_some(&[][..]);
        let symbolic = factorize_supernodal_symbolic_cholesky(
            upper,
            tree,
            &counts,
            stack,
            SymbolicSupernodalParams { relax },
        )
        .map_err(|error| match error {
            FaerError::IndexOverflow => MathError::TooLarge("its factor's indices overflow"),
            _ => out_of_memory(),
        })?;
        let need = StackReq::any_of(&[
            factorize_supernodal_numeric_llt_scratch::<usize, f64>(
                &symbolic,
                Par::Seq,
                Spec::default(),
            ),
            symbolic.solve_in_place_scratch::<f64>(MOST_COLUMNS, Par::Seq),
        ]);
        let scratch = MemBuffer::try_new(need).map_err(|_| out_of_memory())?;
        let mut supernodes = Supernodes { symbolic, scratch, smallest_pivots: vec![] };
        let mut terms = vec![FEWEST_TERMS; size];
        for k in 0..supernodes.count() {
            let columns = supernodes.columns(k);
            let rows = columns.clone().chain(supernodes.rows(k).iter().copied());
            rows.for_each(|row| terms[row] += columns.len());
        }
        supernodes.smallest_pivots = terms.iter().map(|&t| t as f64 * f64::EPSILON).collect();
        Ok(supernodes)
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.symbolic.n_supernodes()
    }

    /// How many numbers the factor has, zeros above the diagonals included.
    pub fn values(&self) -> usize {
        self.symbolic.len_val()
    }

    /// The columns of a supernode.
    pub fn columns(&self, k: usize) -> Range<usize> {
        self.symbolic.supernode_begin()[k]..self.symbolic.supernode_end()[k]
    }

    /// The rows of a supernode below its columns, ascending.
    pub fn rows(&self, k: usize) -> &[usize] {
        let start = self.symbolic.col_ptr_for_row_idx()[k];
        &self.symbolic.row_idx()[start..start + self.symbolic.nnz_per_super()[k]]
    }

    /// The trapezoid [L₁₁; L₂₁] of a supernode in `factor`, column after column.
    pub fn trapezoid<'a>(&self, factor: &'a [f64], k: usize) -> &'a [f64] {
        let starts = self.symbolic.col_ptr_for_val();
        &factor[starts[k]..starts[k + 1]]
    }

    /// Computes `factor` of a matrix with the pattern that was analysed.
    pub fn factor(
        &mut self,
        matrix: &SymmetricMatrix,
        factor: &mut [f64],
    ) -> Result<(), MathError> {
        let size = matrix.size();
        for column in 0..size {
            if !matrix.column(column).all(|(_, value)| value.is_finite()) {
                return Err(MathError::NonFinite { column });
            }
        }
        let pattern = SymbolicSparseColMatRef::new_checked(
            size,
            size,
            matrix.column_starts(),
            None,
            matrix.rows(),
        );
        factorize_supernodal_numeric_llt(
            factor,
            SparseColMatRef::new(pattern, matrix.values()),
            Default::default(),
            &self.symbolic,
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Spec::default(),
        )
        .map_err(|LltError::NonPositivePivot { index }| {
            MathError::NotPositiveDefinite { column: index }
        })?;
        self.check_pivots(matrix, factor)
    }

    /// x ← (L Lᵀ)⁻¹ x, of no more than [`MOST_COLUMNS`] right-hand sides of this size after each
    /// other.
    pub fn solve(&mut self, factor: &[f64], x: &mut [f64], size: usize) {
        let columns = x.len() / size.max(1);
        SupernodalLltRef::new(&self.symbolic, factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, size, columns),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }

    /// Whatever is not finite in a row of L makes the row's pivot so: looking at pivots is enough.
    fn check_pivots(&self, matrix: &SymmetricMatrix, factor: &[f64]) -> Result<(), MathError> {
        for k in 0..self.count() {
            let columns = self.columns(k);
            let height = columns.len() + self.rows(k).len();
            let trapezoid = self.trapezoid(factor, k);
            for (j, column) in columns.enumerate() {
                let pivot = trapezoid[j * height + j];
                let diagonal = matrix.values()[matrix.column_starts()[column]];
                if !pivot.is_finite() {
                    return Err(MathError::NonFinite { column });
                }
                if pivot * pivot <= self.smallest_pivots[column] * diagonal {
                    return Err(MathError::NotPositiveDefinite { column });
                }
            }
        }
        Ok(())
    }
}

fn out_of_memory() -> MathError {
    MathError::TooLarge("not enough memory")
}

/// The upper triangle by columns: starts and rows, the diagonal last in each.
fn upper_triangle(matrix: &SymmetricMatrix) -> (Vec<usize>, Vec<usize>) {
    let size = matrix.size();
    let mut starts = vec![0; size + 1];
    for &row in matrix.rows() {
        starts[row + 1] += 1;
    }
    for k in 0..size {
        starts[k + 1] += starts[k];
    }
    let (mut next, mut columns) = (starts.clone(), vec![0; matrix.rows().len()]);
    for column in 0..size {
        for (row, _) in matrix.column(column) {
            columns[next[row]] = column;
            next[row] += 1;
        }
    }
    (starts, columns)
}
