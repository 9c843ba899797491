//! Small dense systems whose unknowns have different units, some of them redundant.

/// The largest system.
pub const MOST: usize = 7;

/// Solves a x = b for the first `n` unknowns, scaled by the diagonal, with full pivoting.
///
/// Directions whose pivot vanishes (redundant or impossible equations) get no share: the rest is
/// solved as if they were not there.
pub fn solve(a: &[[f64; MOST]; MOST], b: &[f64; MOST], n: usize) -> [f64; MOST] {
    let scale: [f64; MOST] = std::array::from_fn(|i| {
        let diagonal = a[i][i].abs();
        if i < n && diagonal.is_normal() { 1.0 / diagonal.sqrt() } else { 0.0 }
    });
    let mut m = [[0.0; MOST + 1]; MOST];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = a[i][j] * scale[i] * scale[j];
        }
        m[i][MOST] = b[i] * scale[i];
    }
    let mut columns: [usize; MOST] = std::array::from_fn(|k| k);
    let mut rank = 0;
    while rank < n {
        let candidates = (rank..n).flat_map(|i| (rank..n).map(move |j| (i, j)));
        let largest = candidates.fold((rank, rank), |best, (i, j)| {
            if m[i][j].abs() > m[best.0][best.1].abs() { (i, j) } else { best }
        });
        let pivot = m[largest.0][largest.1].abs();
        if pivot.is_nan() || pivot <= 1e-12 {
            break;
        }
        m.swap(rank, largest.0);
        m.iter_mut().for_each(|row| row.swap(rank, largest.1));
        columns.swap(rank, largest.1);
        for i in rank + 1..n {
            let factor = m[i][rank] / m[rank][rank];
            for j in rank..=MOST {
                m[i][j] -= factor * m[rank][j];
            }
        }
        rank += 1;
    }
    let mut x = [0.0; MOST];
    for k in (0..rank).rev() {
        let known: f64 = (k + 1..rank).map(|j| m[k][j] * x[columns[j]]).sum();
        x[columns[k]] = (m[k][MOST] - known) / m[k][k];
    }
    std::array::from_fn(|i| x[i] * scale[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_do_not_matter_and_redundant_equations_are_passed_over() {
        // (2, 1; 1, 3) x = (5, 10) has the solution (1, 3); in other units, and twice.
        let units = [1e-9, 1e6, 1e6];
        let plain = [[2.0, 1.0, 1.0], [1.0, 3.0, 3.0], [1.0, 3.0, 3.0]];
        let (mut a, mut b) = ([[0.0; MOST]; MOST], [0.0; MOST]);
        for i in 0..3 {
            for j in 0..3 {
                a[i][j] = plain[i][j] * units[i] * units[j];
            }
            b[i] = [5.0, 10.0, 10.0][i] * units[i];
        }
        let x = solve(&a, &b, 3);
        assert!((x[0] * units[0] - 1.0).abs() < 1e-12);
        assert!(((x[1] + x[2]) * units[1] - 3.0).abs() < 1e-12);
    }
}
