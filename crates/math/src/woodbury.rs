//! Low-rank updates of a matrix whose inverse is known, by the Woodbury identity.
//!
//! With a matrix A, and a matrix C of a few columns,
//!
//! ```text
//! (A + C Cᵀ)⁻¹ r = y − A⁻¹C z,     (I + CᵀA⁻¹C) z = Cᵀy,     y = A⁻¹r.
//! ```
//!
//! [`Woodbury`] solves the small dense system for z. Callers keep C and A⁻¹ in the form that suits
//! them. For an update that is not symmetric there is [`sherman_morrison`].

/// The dense system (I + CᵀA⁻¹C) z = Cᵀy of a low-rank update.
///
/// ```
/// use pliant_math::woodbury::Woodbury;
/// // A = diag(2, 4), C = (1, 1)ᵀ, r = (2, 8): A + C Cᵀ = (3, 1; 1, 5).
/// let mut update = Woodbury::default();
/// update.begin(1);
/// update.set(0, 0, 1.0 / 2.0 + 1.0 / 4.0);
/// assert!(update.factor());
/// let y = [2.0 / 2.0, 8.0 / 4.0];
/// update.weights[0] = y[0] + y[1];
/// update.solve();
/// let x = [y[0] - update.weights[0] / 2.0, y[1] - update.weights[0] / 4.0];
/// assert!((3.0 * x[0] + x[1] - 2.0).abs() < 1e-14 && (x[0] + 5.0 * x[1] - 8.0).abs() < 1e-14);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Woodbury {
    /// The lower half of I + CᵀA⁻¹C row by row, and then its Cholesky factor.
    matrix: Vec<f64>,
    /// Cᵀy before [`Woodbury::solve`], and z after it: a number per column of C.
    pub weights: Vec<f64>,
}

impl Woodbury {
    /// Makes room for so many columns, so that later systems up to that size allocate nothing.
    pub fn reserve(&mut self, columns: usize) {
        self.matrix.resize(columns * columns, 0.0);
        self.weights.resize(columns, 0.0);
    }

    /// Begins a system of so many columns.
    pub fn begin(&mut self, columns: usize) {
        self.matrix.clear();
        self.matrix.resize(columns * columns, 0.0);
        self.weights.resize(columns, 0.0);
    }

    /// Sets entry (i, j) of CᵀA⁻¹C; only the lower half, j ≤ i, counts.
    pub fn set(&mut self, i: usize, j: usize, product: f64) {
        self.matrix[i * self.weights.len() + j] = if i == j { 1.0 } else { 0.0 } + product;
    }

    /// Factors the matrix; false where it is not positive definite, or has entries that are no
    /// numbers.
    pub fn factor(&mut self) -> bool {
        let (a, n) = (&mut self.matrix, self.weights.len());
        for i in 0..n {
            let (done, rest) = a.split_at_mut(i * n);
            let row = &mut rest[..=i];
            for j in 0..i {
                let above = &done[j * n..=j * n + j];
                let sum: f64 = row[..j].iter().zip(&above[..j]).map(|(p, q)| p * q).sum();
                row[j] = (row[j] - sum) / above[j];
            }
            let square = row[i] - row[..i].iter().map(|p| p * p).sum::<f64>();
            // False for NaN.
            let is_positive = square > 0.0 && square.is_finite();
            if !is_positive {
                return false;
            }
            row[i] = square.sqrt();
        }
        true
    }

    /// Replaces Cᵀy in [`Woodbury::weights`] by z.
    pub fn solve(&mut self) {
        let (factor, x) = (&self.matrix, &mut self.weights);
        let n = x.len();
        for i in 0..n {
            let row = &factor[i * n..=i * n + i];
            let sum: f64 = row[..i].iter().zip(&*x).map(|(p, q)| p * q).sum();
            x[i] = (x[i] - sum) / row[i];
        }
        for i in (0..n).rev() {
            let row = &factor[i * n..=i * n + i];
            x[i] /= row[i];
            let value = x[i];
            x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= l * value);
        }
    }
}

/// Makes the solution of (A + u vᵀ) x = b of `x` = A⁻¹b, with `lifted` = A⁻¹u: subtracts
/// A⁻¹u (vᵀx)/(1 + vᵀA⁻¹u). Leaves `x` as it is where that is no number.
pub fn sherman_morrison(x: &mut [f64], lifted: &[f64], v: &[f64]) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let share = dot(v, x) / (1.0 + dot(v, lifted));
    if share.is_finite() {
        x.iter_mut().zip(lifted).for_each(|(x, l)| *x -= share * l);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = diag(2, 3, 4, 5) and columns of C.
    const DIAGONAL: [f64; 4] = [2.0, 3.0, 4.0, 5.0];
    const COLUMNS: [[f64; 4]; 3] =
        [[1.0, -2.0, 0.0, 0.5], [0.0, 1.0, 1.0, 0.0], [3.0, 0.0, -1.0, 2.0]];

    fn dot(a: [f64; 4], b: [f64; 4]) -> f64 {
        (0..4).map(|k| a[k] * b[k]).sum()
    }

    fn divided(x: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|k| x[k] / DIAGONAL[k])
    }

    #[test]
    fn the_updated_matrix_takes_the_solution_back_to_the_right_hand_side() {
        let r = [1.0, -2.0, 0.5, 3.0];
        let mut update = Woodbury::default();
        update.begin(3);
        for i in 0..3 {
            for j in 0..=i {
                update.set(i, j, dot(COLUMNS[i], divided(COLUMNS[j])));
            }
        }
        assert!(update.factor());
        let y = divided(r);
        (0..3).for_each(|j| update.weights[j] = dot(COLUMNS[j], y));
        update.solve();
        let mut x = y;
        for (z, column) in update.weights.iter().zip(COLUMNS) {
            (0..4).for_each(|k| x[k] -= z * divided(column)[k]);
        }
        for k in 0..4 {
            let added: f64 = COLUMNS.iter().map(|column| column[k] * dot(*column, x)).sum();
            assert!((DIAGONAL[k] * x[k] + added - r[k]).abs() < 1e-13, "row {k}");
        }
    }

    #[test]
    fn an_indefinite_system_is_refused() {
        for products in [[0.0, 2.0, 0.0], [0.0, f64::NAN, 0.0], [f64::INFINITY, 0.0, 0.0]] {
            let mut update = Woodbury::default();
            update.begin(2);
            for ((i, j), product) in [(0, 0), (1, 0), (1, 1)].into_iter().zip(products) {
                update.set(i, j, product);
            }
            assert!(!update.factor(), "{products:?}");
        }
    }

    #[test]
    fn a_skew_update_of_rank_one_is_solved() {
        let (u, v, b) = (COLUMNS[0], COLUMNS[2], [1.0, 2.0, 3.0, 4.0]);
        let mut x = divided(b);
        sherman_morrison(&mut x, &divided(u), &v);
        for k in 0..4 {
            assert!((DIAGONAL[k] * x[k] + u[k] * dot(v, x) - b[k]).abs() < 1e-13, "row {k}");
        }
    }
}
