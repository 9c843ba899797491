//! The nearest positive semi-definite matrix, for Hessians that have no closed form of their
//! eigenvalues: Householder's reflections make the matrix tridiagonal, implicit QL steps diagonal
//! (Golub and Van Loan 2013, sections 8.3.1 and 8.3.3).

use crate::material::density::Matrix9;

/// Steps for one eigenvalue; two or three are usual.
const MOST_STEPS: u32 = 40;

/// The matrix with its negative eigenvalues set to zero.
pub(super) fn without_negative(matrix: &Matrix9) -> Matrix9 {
    let (mut diagonal, mut beside, mut vectors) = tridiagonal(*matrix);
    diagonalise(&mut diagonal, &mut beside, &mut vectors);
    // Few are negative: these are taken away.
    let mut positive = *matrix;
    for (value, vector) in diagonal.iter().zip(&vectors).filter(|(value, _)| **value < 0.0) {
        for i in 0..9 {
            let scaled = value * vector[i];
            for j in 0..9 {
                positive[i][j] -= scaled * vector[j];
            }
        }
    }
    positive
}

/// Diagonal, what is beside it, and the rows of Q with Q M Qᵀ tridiagonal.
fn tridiagonal(mut m: Matrix9) -> ([f64; 9], [f64; 9], Matrix9) {
    let mut vectors: Matrix9 =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for k in 0..7 {
        let tail: f64 = (k + 2..9).map(|i| m[i][k] * m[i][k]).sum();
        if tail == 0.0 {
            continue;
        }
        let length = (tail + m[k + 1][k] * m[k + 1][k]).sqrt().copysign(m[k + 1][k]);
        // I − 2 u uᵀ takes the column's end to one number.
        let mut u = [0.0; 9];
        (k + 1..9).for_each(|i| u[i] = m[i][k]);
        u[k + 1] += length;
        let scale = (2.0 * length * u[k + 1]).sqrt().recip();
        u.iter_mut().for_each(|x| *x *= scale);
        // M ← M − 2 (u wᵀ + w uᵀ), w = M u − (uᵀ M u) u.
        let mut w: [f64; 9] = m.map(|row| row.iter().zip(&u).map(|(a, b)| a * b).sum());
        let along: f64 = w.iter().zip(&u).map(|(a, b)| a * b).sum();
        w.iter_mut().zip(&u).for_each(|(w, u)| *w -= along * u);
        for i in k..9 {
            for j in k..9 {
                m[i][j] -= 2.0 * (u[i] * w[j] + w[i] * u[j]);
            }
        }
        let mut sums = [0.0; 9];
        for i in k + 1..9 {
            (0..9).for_each(|j| sums[j] += u[i] * vectors[i][j]);
        }
        for i in k + 1..9 {
            (0..9).for_each(|j| vectors[i][j] -= 2.0 * u[i] * sums[j]);
        }
    }
    let diagonal = std::array::from_fn(|k| m[k][k]);
    let beside = std::array::from_fn(|k| if k < 8 { m[k + 1][k] } else { 0.0 });
    (diagonal, beside, vectors)
}

/// Implicit QL steps with Wilkinson's shift; rows of `vectors` are eigenvectors in the end.
fn diagonalise(d: &mut [f64; 9], e: &mut [f64; 9], vectors: &mut Matrix9) {
    for first in 0..9 {
        for _ in 0..MOST_STEPS {
            let is_split =
                |k: &usize| e[*k].abs() <= f64::EPSILON * (d[*k].abs() + d[*k + 1].abs());
            let last = (first..8).find(is_split).unwrap_or(8);
            if last == first {
                break;
            }
            let half = (d[first + 1] - d[first]) / (2.0 * e[first]);
            let root = half.hypot(1.0).copysign(half);
            let mut g = d[last] - d[first] + e[first] / (half + root);
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut is_whole = true;
            for i in (first..last).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[last] = 0.0;
                    is_whole = false;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let turn = (d[i] - g) * s + 2.0 * c * b;
                p = s * turn;
                d[i + 1] = g + p;
                g = c * turn - b;
                let (low, high) = vectors.split_at_mut(i + 1);
                for (x, y) in low[i].iter_mut().zip(&mut high[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
            if is_whole {
                d[first] -= p;
                e[first] = g;
                e[last] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn what_is_left_is_definite_and_what_was_taken_is_at_right_angles_to_it(
            numbers in prop::collection::vec(-1.0..1.0_f64, 45),
        ) {
            let mut m = [[0.0; 9]; 9];
            for (place, number) in (0..9).flat_map(|i| (0..=i).map(move |j| (i, j))).zip(numbers) {
                (m[place.0][place.1], m[place.1][place.0]) = (number, number);
            }
            let kept = without_negative(&m);
            let taken: Matrix9 =
                std::array::from_fn(|i| std::array::from_fn(|j| kept[i][j] - m[i][j]));
            for i in 0..9 {
                for j in 0..9 {
                    let product: f64 = (0..9).map(|k| kept[i][k] * taken[k][j]).sum();
                    prop_assert!(product.abs() < 1e-12, "{product:e}");
                }
            }
            for definite in [kept, taken] {
                let again = without_negative(&definite);
                let off = again.iter().flatten().zip(definite.iter().flatten());
                prop_assert!(off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-12);
            }
        }
    }
}
