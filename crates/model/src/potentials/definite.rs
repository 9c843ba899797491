//! The nearest positive semi-definite matrix, by Jacobi's rotations: for Hessians that have no closed form of their eigenvalues.

use super::density::Matrix9;

/// Rounds over all pairs; four are enough for matrices of this size, and one that is diagonal needs none.
const ROUNDS: usize = 12;

/// The matrix with its negative eigenvalues set to zero.
pub(super) fn without_negative(matrix: &Matrix9) -> Matrix9 {
    let mut m = *matrix;
    // Rows are eigenvectors in the end.
    let mut vectors: Matrix9 =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let size: f64 = m.iter().flatten().map(|x| x * x).sum();
    for _ in 0..ROUNDS {
        let off: f64 =
            (0..9).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| m[i][j] * m[i][j]).sum();
        if off <= 1e-28 * size {
            break;
        }
        for p in 0..8 {
            for q in p + 1..9 {
                rotate(&mut m, &mut vectors, p, q);
            }
        }
    }
    let mut positive = [[0.0; 9]; 9];
    for (k, vector) in vectors.iter().enumerate() {
        let value = m[k][k].max(0.0);
        for i in 0..9 {
            for j in 0..9 {
                positive[i][j] += value * vector[i] * vector[j];
            }
        }
    }
    positive
}

/// Makes entry (p, q) zero.
fn rotate(m: &mut Matrix9, vectors: &mut Matrix9, p: usize, q: usize) {
    if m[p][q] == 0.0 {
        return;
    }
    let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    if !s.is_finite() {
        return;
    }
    for row in m.iter_mut() {
        let (a, b) = (row[p], row[q]);
        (row[p], row[q]) = (c * a - s * b, s * a + c * b);
    }
    for rows in [&mut *m, vectors] {
        for k in 0..9 {
            let (a, b) = (rows[p][k], rows[q][k]);
            (rows[p][k], rows[q][k]) = (c * a - s * b, s * a + c * b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ λ v vᵀ of three vectors that are orthogonal.
    fn made(values: [f64; 3]) -> Matrix9 {
        let unit = |k: usize| -> [f64; 9] {
            std::array::from_fn(|i| if i % 3 == k { [2.0, -1.0, 2.0][i / 3] / 3.0 } else { 0.0 })
        };
        let mut m = [[0.0; 9]; 9];
        for (k, value) in values.into_iter().enumerate() {
            let v = unit(k);
            for i in 0..9 {
                for j in 0..9 {
                    m[i][j] += value * v[i] * v[j];
                }
            }
        }
        m
    }

    #[test]
    fn negative_eigenvalues_go_and_others_stay() {
        let found = without_negative(&made([3.0, -2.0, 0.5]));
        let wanted = made([3.0, 0.0, 0.5]);
        for (a, b) in found.iter().flatten().zip(wanted.iter().flatten()) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        assert_eq!(without_negative(&[[0.0; 9]; 9]), [[0.0; 9]; 9]);
    }
}
