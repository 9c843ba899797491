//! Tall matrices by their small part: Y = Q R, with as many columns in Q as Y has independent ones,
//! and the singular values of R, which are those of Y (Chan 1982, "An improved algorithm for
//! computing the singular value decomposition").
//!
//! A column is added without touching those that are there, which is what makes a model with one
//! more corrected frame cheap.

/// A column is one of those already there when no more than this part of it is new.
const DEPENDENT: f64 = 1e-12;

/// Y = Q R, column by column: Q is orthonormal, R has a column per column of Y.
#[derive(Clone, Debug, Default)]
pub struct Reduction {
    basis: Vec<Vec<f64>>,
    /// A column of R each; those of early columns are shorter, the rest of them is zero.
    coefficients: Vec<Vec<f64>>,
}

impl Reduction {
    /// Adds a column of Y.
    pub fn append(&mut self, mut column: Vec<f64>) {
        let size = norm(&column);
        let mut own = vec![0.0; self.basis.len()];
        // Once is not enough when little is left over: Kahan's "twice is enough".
        for _ in 0..2 {
            for (q, coefficient) in self.basis.iter().zip(&mut own) {
                let along = dot(q, &column);
                *coefficient += along;
                column.iter_mut().zip(q).for_each(|(c, q)| *c -= along * q);
            }
        }
        let left = norm(&column);
        if left > DEPENDENT * size {
            column.iter_mut().for_each(|c| *c /= left);
            own.push(left);
            self.basis.push(column);
        }
        self.coefficients.push(own);
    }

    /// The columns of Q.
    pub fn basis(&self) -> &[Vec<f64>] {
        &self.basis
    }

    /// How many columns Q has.
    pub fn rank(&self) -> usize {
        self.basis.len()
    }

    /// R, a column of `rank` numbers per column of Y.
    pub fn coefficients(&self) -> Vec<Vec<f64>> {
        let full = |column: &Vec<f64>| {
            let mut column = column.clone();
            column.resize(self.rank(), 0.0);
            column
        };
        self.coefficients.iter().map(full).collect()
    }
}

/// A = U Σ Vᵀ of a small matrix; the zeros among the singular values are left out.
#[derive(Clone, Debug)]
pub struct SmallSvd {
    /// Columns of U.
    pub u: Vec<Vec<f64>>,
    /// Descending.
    pub values: Vec<f64>,
    /// Columns of V.
    pub v: Vec<Vec<f64>>,
}

/// By rotations of pairs of columns until all are orthogonal (Hestenes 1958): small singular
/// values come out with all their digits, which they do not from AᵀA.
pub fn small_svd(columns: Vec<Vec<f64>>) -> SmallSvd {
    const SWEEPS: usize = 60;
    let (count, mut a) = (columns.len(), columns);
    let unit = |k: usize| (0..count).map(|i| f64::from(u8::from(i == k))).collect();
    let mut v: Vec<Vec<f64>> = (0..count).map(unit).collect();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..count {
            for q in p + 1..count {
                let (alpha, beta) = (dot(&a[p], &a[p]), dot(&a[q], &a[q]));
                let gamma = dot(&a[p], &a[q]);
                if gamma.abs() <= f64::EPSILON * (alpha * beta).sqrt() {
                    continue;
                }
                turned = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                rotate(&mut a, p, q, c, c * t);
                rotate(&mut v, p, q, c, c * t);
            }
        }
        if !turned {
            break;
        }
    }
    let mut order: Vec<(f64, usize)> = a.iter().map(|x| norm(x)).zip(0..).collect();
    order.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let largest = order.first().map_or(0.0, |x| x.0);
    order.retain(|(value, _)| *value > DEPENDENT * largest);
    SmallSvd {
        u: order.iter().map(|(s, k)| a[*k].iter().map(|x| x / s).collect()).collect(),
        values: order.iter().map(|x| x.0).collect(),
        v: order.iter().map(|(_, k)| v[*k].clone()).collect(),
    }
}

fn rotate(columns: &mut [Vec<f64>], p: usize, q: usize, c: f64, s: f64) {
    let (left, right) = columns.split_at_mut(q);
    for (x, y) in left[p].iter_mut().zip(&mut right[0]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

/// A sum of products in a fixed order, eight at a time.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut lanes, tail) = ([0.0; 8], a.len() / 8 * 8);
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for k in 0..8 {
            lanes[k] += x[k] * y[k];
        }
    }
    let rest = a[tail..].iter().zip(&b[tail..]).map(|(x, y)| x * y);
    lanes.iter().sum::<f64>() + rest.sum::<f64>()
}

/// The Euclidean length.
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(seed: u32, length: usize) -> Vec<f64> {
        (0..length).map(|k| ((seed as f64 + 1.3) * (k as f64 + 0.7)).sin()).collect()
    }

    #[test]
    fn columns_are_told_apart_from_combinations_of_others() {
        let mut reduction = Reduction::default();
        let (a, b) = (column(1, 50), column(2, 50));
        let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 3.0 * a - 2.0 * b).collect();
        for y in [a.clone(), b, a, sum.clone(), vec![0.0; 50]] {
            reduction.append(y);
        }
        assert_eq!(reduction.rank(), 2);
        let r = reduction.coefficients();
        assert_eq!(r.len(), 5);
        for k in 0..50 {
            let q = reduction.basis();
            assert!((q[0][k] * r[3][0] + q[1][k] * r[3][1] - sum[k]).abs() < 1e-13);
        }
        assert!(dot(&reduction.basis()[0], &reduction.basis()[1]).abs() < 1e-15);
    }

    #[test]
    fn small_singular_values_keep_their_digits() {
        // diag(1, 1e-9) between two rotations.
        let (c, s): (f64, f64) = (0.6, 0.8);
        let columns = vec![vec![c * c + s * s * 1e-9, c * s - c * s * 1e-9], {
            vec![c * s - c * s * 1e-9, s * s + c * c * 1e-9]
        }];
        let svd = small_svd(columns.clone());
        assert!((svd.values[0] - 1.0).abs() < 1e-15);
        // The entries are given to 1e-16, and so is the value, absolutely.
        assert!((svd.values[1] - 1e-9).abs() < 1e-15, "{:e}", svd.values[1]);
        for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let sum: f64 = (0..2).map(|l| svd.u[l][row] * svd.values[l] * svd.v[l][column]).sum();
            assert!((sum - columns[column][row]).abs() < 1e-15);
        }
    }

    #[test]
    fn a_wide_matrix_has_as_many_singular_values_as_rows() {
        let svd = small_svd((0..7).map(|k| column(k, 3)).collect());
        assert_eq!((svd.values.len(), svd.v[0].len()), (3, 7));
        assert!(small_svd(vec![vec![0.0; 2]; 3]).values.is_empty());
    }
}
