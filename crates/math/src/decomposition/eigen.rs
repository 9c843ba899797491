//! Eigenvalues of symmetric 3×3 matrices by cyclic Jacobi rotations.

use glam::{DMat3, DVec3};

/// S = Q diag(λ) Qᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymmetricEigen {
    /// Eigenvalues, in no particular order.
    pub values: DVec3,
    /// Orthonormal eigenvectors in the columns, in the order of the values.
    pub vectors: DMat3,
}

/// Eigenvalues and eigenvectors of a symmetric matrix; only its upper triangle is read.
///
/// ```
/// use pliant_math::{DMat3, decomposition::symmetric_eigen};
/// let s = DMat3::from_cols_array(&[2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 5.0]);
/// let mut values = symmetric_eigen(&s).values.to_array();
/// values.sort_by(f64::total_cmp);
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// ```
pub fn symmetric_eigen(s: &DMat3) -> SymmetricEigen {
    let mut m = s.transpose().to_cols_array_2d();
    let mut vectors = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..MOST_SWEEPS {
        let size = m[0][0].abs().max(m[1][1].abs()).max(m[2][2].abs());
        let off = m[0][1].abs().max(m[0][2].abs()).max(m[1][2].abs());
        if off <= SETTLED * size {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut m, &mut vectors, p, q);
        }
    }
    let [x, y, z] = vectors;
    SymmetricEigen {
        values: DVec3::new(m[0][0], m[1][1], m[2][2]),
        vectors: DMat3::from_cols(x, y, z),
    }
}

const MOST_SWEEPS: usize = 30;
/// Off-diagonal entries this small change the eigenvalues by their square.
const SETTLED: f64 = 1e-17;

fn rotate(m: &mut [[f64; 3]; 3], vectors: &mut [DVec3; 3], p: usize, q: usize) {
    let off = m[p][q];
    if off == 0.0 {
        return;
    }
    let theta = (m[q][q] - m[p][p]) / (2.0 * off);
    let tangent = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    m[p][p] -= tangent * off;
    m[q][q] += tangent * off;
    m[p][q] = 0.0;
    let r = 3 - p - q;
    let ((rp, cp), (rq, cq)) = ((r.min(p), r.max(p)), (r.min(q), r.max(q)));
    let (a, b) = (m[rp][cp], m[rq][cq]);
    m[rp][cp] = cosine * a - sine * b;
    m[rq][cq] = sine * a + cosine * b;
    let (a, b) = (vectors[p], vectors[q]);
    vectors[p] = a * cosine - b * sine;
    vectors[q] = a * sine + b * cosine;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rebuilds_the_matrix(e in proptest::array::uniform6(-3.0..3.0)) {
            let s = DMat3::from_cols_array(&[e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]]);
            let SymmetricEigen { values, vectors } = symmetric_eigen(&s);
            prop_assert!((vectors.transpose() * vectors).abs_diff_eq(DMat3::IDENTITY, 4e-15));
            let product = vectors * DMat3::from_diagonal(values) * vectors.transpose();
            prop_assert!(product.abs_diff_eq(s, 2e-14), "{product:?}, not {s:?}");
        }
    }

    #[test]
    fn broken_matrices_do_not_hang() {
        assert!(symmetric_eigen(&DMat3::NAN).values.is_nan());
        assert_eq!(symmetric_eigen(&DMat3::ZERO).values, DVec3::ZERO);
    }
}
