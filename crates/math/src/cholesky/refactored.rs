//! A factor whose values change while its pattern stays.

use super::supernodes::{MOST_COLUMNS, Merging, Supernodes};
use crate::MathError;
use crate::sparse::SymmetricMatrix;

/// A Cholesky factor of a fixed pattern: analysed once, factored and solved often. After
/// [`analyse`](Self::analyse) it allocates nothing of its own.
///
/// ```
/// use pliant_math::cholesky::SparseCholesky;
/// use pliant_math::ordering::nested_dissection;
/// use pliant_math::sparse::SymmetricMatrix;
///
/// let mut a = SymmetricMatrix::from_triplets(2, [(0, 0, 2.0), (1, 0, 1.0), (1, 1, 2.0)])?;
/// let order = nested_dissection(&a.adjacency())?;
/// let mut factor = SparseCholesky::analyse(&a, &order)?;
/// for scale in [1.0, 10.0] {
///     a.values_mut().copy_from_slice(&[2.0 * scale, scale, 2.0 * scale]);
///     factor.factor(a.values())?;
///     let mut x = [3.0 * scale, 3.0 * scale];
///     factor.solve(&mut x)?;
///     assert!((x[0] - 1.0).abs() < 1e-14);
/// }
/// # Ok::<(), pliant_math::MathError>(())
/// ```
pub struct SparseCholesky {
    order: Vec<usize>,
    /// The matrix in elimination order, and the slot that each of its values comes from.
    ordered: SymmetricMatrix,
    slots: Vec<usize>,
    supernodes: Supernodes,
    factor: Vec<f64>,
    is_factored: bool,
    solution: Vec<f64>,
}

impl SparseCholesky {
    /// Prepares for matrices with the pattern of `pattern`, to be eliminated in `order` (see
    /// [`nested_dissection`](crate::ordering::nested_dissection) and, for several unknowns per
    /// vertex, [`expand_order`](crate::ordering::expand_order)). Its values do not matter.
    pub fn analyse(pattern: &SymmetricMatrix, order: &[usize]) -> Result<Self, MathError> {
        let (ordered, slots) = pattern.permuted_with_slots(order)?;
        let supernodes = Supernodes::new(&ordered, Merging::Default)?;
        Ok(SparseCholesky {
            order: order.to_vec(),
            factor: vec![0.0; supernodes.values()],
            solution: vec![0.0; MOST_COLUMNS * order.len()],
            ordered,
            slots,
            supernodes,
            is_factored: false,
        })
    }

    /// Rows (and columns) of the matrix.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// Numbers in the factor, zeros that fill up supernodes included.
    pub fn stored_values(&self) -> usize {
        self.factor.len()
    }

    /// Factors the matrix with these values, in the pattern's slot order.
    ///
    /// Fails where the matrix is not positive definite or not finite, and names the column in
    /// the pattern's numbering; the factor cannot be used then.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), MathError> {
        self.is_factored = false;
        check_length("the values", values.len(), self.slots.len())?;
        for (to, &slot) in self.ordered.values_mut().iter_mut().zip(&self.slots) {
            *to = values[slot];
        }
        self.supernodes.factor(&self.ordered, &mut self.factor).map_err(|error| match error {
            MathError::NonFinite { column } => MathError::NonFinite { column: self.order[column] },
            MathError::NotPositiveDefinite { column } => {
                MathError::NotPositiveDefinite { column: self.order[column] }
            }
            other => other,
        })?;
        self.is_factored = true;
        Ok(())
    }

    /// x ← A⁻¹ x, in the pattern's numbering.
    ///
    /// Fails where there is no factor, or the solution is not finite; `x` is then unchanged.
    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), MathError> {
        check_length("the right-hand side", x.len(), self.size())?;
        self.solve_many(x)
    }

    /// The same of right-hand sides after each other: the factor is read once for some of them
    /// together.
    ///
    /// Fails as one would; those before it are then solved.
    pub fn solve_many(&mut self, x: &mut [f64]) -> Result<(), MathError> {
        let size = self.size();
        if !self.is_factored {
            return Err(MathError::NotFactored);
        }
        if size == 0 {
            return Ok(());
        }
        check_length("the last right-hand side", x.len() % size, 0)?;
        for some in x.chunks_mut(MOST_COLUMNS * size) {
            let solution = &mut self.solution[..some.len()];
            for (to, from) in solution.chunks_exact_mut(size).zip(some.chunks_exact(size)) {
                to.iter_mut().zip(&self.order).for_each(|(to, &index)| *to = from[index]);
            }
            self.supernodes.solve(&self.factor, solution, size);
            if let Some(k) = solution.iter().position(|v| !v.is_finite()) {
                return Err(MathError::NonFinite { column: self.order[k % size] });
            }
            for (from, to) in solution.chunks_exact(size).zip(some.chunks_exact_mut(size)) {
                from.iter().zip(&self.order).for_each(|(&from, &index)| to[index] = from);
            }
        }
        Ok(())
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), MathError> {
    if found == expected { Ok(()) } else { Err(MathError::WrongLength { what, found, expected }) }
}
