//! Splits activations of tets into muscle matrices and the geometry S: the start of learning.
//!
//! A matrix per tet makes every skin that flesh can make, and needs no geometry. Given such
//! matrices a_i^k, of tet i in expression k, S and the muscle matrices a_j^k are factors of them by
//! Eq. 4.5 of \[dinev2020\]. They minimise
//!
//! ```text
//! Σ_i w_i [Σ_k ‖a_i^k − Σ_j s_ij a_j^k‖² + σ Σ_n ‖s_i − s_n‖² + ρ ‖s_i − s̄_i‖²]
//!     + ε Σ ‖a_j^k − I‖²,  rows of S on the simplex,
//! ```
//!
//! where n are the neighbours of i, and s̄ is the initial geometry. The rows of S and the muscle
//! matrices are solved in turn: rows by accelerated projected gradients, matrices by one linear
//! system of the size of the muscles. Nothing is simulated.

use pliant_model::potentials::activation::{Activation, RELAXED};

use super::GeometryMatrix;
use super::simplex::project_onto_simplex;
use crate::inverse::activation::{MULTIPLICITY, Parametrisation};
use crate::inverse::solve::dot;

/// Weights of the terms beside the misfit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorisationOptions {
    /// σ: cost of differences between neighbouring rows of S.
    pub smoothness: f64,
    /// ρ: cost of differences from the initial geometry.
    pub anchor: f64,
    /// ε: cost of the muscle matrices, relative to the mean diagonal of their system.
    pub matrices: f64,
    /// Number of alternations.
    pub alternations: u32,
}

impl Default for FactorisationOptions {
    fn default() -> Self {
        FactorisationOptions { smoothness: 0.05, anchor: 0.02, matrices: 0.1, alternations: 40 }
    }
}

/// Iterations per row in each alternation.
const ROW_ITERATIONS: u32 = 20;

/// Factorises the activations of tets, by expression, without their passive stretch. `weights` are
/// w. Returns S and, by expression, six numbers per muscle.
pub fn factorise_activations(
    first: &GeometryMatrix,
    activations: &[Vec<Activation>],
    weights: &[f64],
    neighbours: &[Vec<u32>],
    options: &FactorisationOptions,
) -> (GeometryMatrix, Vec<Vec<f64>>) {
    let numbers = 6 * activations.len();
    // Differences from relaxed matrices, by tet; off-diagonal entries count twice.
    let root = |k: usize| MULTIPLICITY[k % 6].sqrt();
    let wanted: Vec<f64> = (0..first.tets())
        .flat_map(|tet| activations.iter().map(move |own| own[tet]))
        .flat_map(|own| (0..6).map(move |k| root(k) * (own[k] - RELAXED[k])))
        .collect();
    let mut geometry = first.clone();
    let mut matrices = vec![0.0; numbers * first.muscles];
    for _ in 0..options.alternations {
        solve_matrices(&geometry, &wanted, weights, options.matrices, &mut matrices);
        geometry = solve_rows(&geometry, first, (&wanted, &matrices, numbers), neighbours, options);
    }
    solve_matrices(&geometry, &wanted, weights, options.matrices, &mut matrices);
    let theta = |expression: usize| {
        let mut theta = geometry.relaxed();
        for (muscle, own) in theta.chunks_exact_mut(6).enumerate() {
            let by = &matrices[numbers * muscle + 6 * expression..][..6];
            (0..6).for_each(|k| own[k] += by[k] / root(k));
        }
        geometry.confine(&mut theta);
        theta
    };
    let theta = (0..activations.len()).map(theta).collect();
    (geometry, theta)
}

/// Rows of S for given muscle matrices, starting at `before`.
fn solve_rows(
    before: &GeometryMatrix,
    first: &GeometryMatrix,
    (wanted, matrices, numbers): (&[f64], &[f64], usize),
    neighbours: &[Vec<u32>],
    options: &FactorisationOptions,
) -> GeometryMatrix {
    let mut geometry = before.clone();
    let mut sums = vec![0.0; geometry.muscles + 1];
    let (mut gram, mut pull, mut row, mut last, mut ahead, mut scratch) =
        (vec![], vec![], vec![], vec![], vec![], vec![]);
    let matrix = |column: u32| {
        let muscle = (column as usize).checked_sub(1)?;
        Some(&matrices[numbers * muscle..][..numbers])
    };
    for tet in 0..geometry.tets() {
        let columns: Vec<u32> = before.row(tet).iter().map(|entry| entry.column).collect();
        let count = columns.len();
        let goal = &wanted[numbers * tet..][..numbers];
        let around = &neighbours[tet];
        // Mean weights of the neighbours.
        sums.fill(0.0);
        for &other in around {
            for entry in geometry.row(other as usize) {
                sums[entry.column as usize] += entry.weight / around.len() as f64;
            }
        }
        let smoothness = if around.is_empty() { 0.0 } else { options.smoothness };
        gram.clear();
        pull.clear();
        for (i, &column) in columns.iter().enumerate() {
            let own = matrix(column);
            let with = |other: &[f64]| own.map_or(0.0, |own| dot(own, other));
            gram.extend(columns.iter().map(|&other| matrix(other).map_or(0.0, with)));
            gram[count * i + i] += smoothness + options.anchor;
            pull.push(
                with(goal)
                    + smoothness * sums[column as usize]
                    + options.anchor * first.row(tet)[i].weight,
            );
        }
        // An upper bound of the eigenvalues.
        let most = (0..count).map(|i| gram[count * i..][..count].iter().map(|g| g.abs()).sum());
        let most = most.fold(1e-12, f64::max);
        row.clear();
        row.extend(before.row(tet).iter().map(|entry| entry.weight));
        last.clone_from(&row);
        for k in 0..ROW_ITERATIONS {
            let lead = f64::from(k) / f64::from(k + 3);
            ahead.clear();
            ahead.extend(row.iter().zip(&last).map(|(now, then)| now + lead * (now - then)));
            last.clone_from(&row);
            for i in 0..count {
                let slope = dot(&gram[count * i..][..count], &ahead) - pull[i];
                row[i] = ahead[i] - slope / most;
            }
            project_onto_simplex(&mut row, &mut scratch);
        }
        let start = geometry.starts[tet] as usize;
        geometry.entries[start..start + count]
            .iter_mut()
            .zip(&row)
            .for_each(|(entry, weight)| entry.weight = *weight);
    }
    geometry
}

/// Muscle matrices for a given S: `numbers` entries per muscle.
fn solve_matrices(
    geometry: &GeometryMatrix,
    wanted: &[f64],
    weights: &[f64],
    ridge: f64,
    matrices: &mut [f64],
) {
    let count = geometry.muscles;
    let numbers = wanted.len() / geometry.tets().max(1);
    let mut gram = vec![0.0; count * count];
    matrices.fill(0.0);
    for tet in 0..geometry.tets() {
        let own = geometry.row(tet).iter().filter(|entry| entry.column > 0 && entry.weight > 0.0);
        for entry in own.clone() {
            let (muscle, by) = (entry.column as usize - 1, weights[tet] * entry.weight);
            for other in own.clone() {
                gram[count * muscle + other.column as usize - 1] += by * other.weight;
            }
            let sums = &mut matrices[numbers * muscle..][..numbers];
            let goal = &wanted[numbers * tet..][..numbers];
            sums.iter_mut().zip(goal).for_each(|(sum, x)| *sum += by * x);
        }
    }
    let whole: f64 = (0..count).map(|k| gram[count * k + k]).sum();
    let least = (ridge * whole / count.max(1) as f64).max(1e-30);
    (0..count).for_each(|k| gram[count * k + k] += least);
    // Gaussian elimination; the matrix is positive definite.
    for k in 0..count {
        for i in k + 1..count {
            let factor = gram[count * i + k] / gram[count * k + k];
            if factor == 0.0 {
                continue;
            }
            (k..count).for_each(|j| gram[count * i + j] -= factor * gram[count * k + j]);
            let (above, below) = matrices.split_at_mut(numbers * i);
            let above = &above[numbers * k..][..numbers];
            below[..numbers].iter_mut().zip(above).for_each(|(x, by)| *x -= factor * by);
        }
    }
    for k in (0..count).rev() {
        let (above, below) = matrices.split_at_mut(numbers * (k + 1));
        let own = &mut above[numbers * k..];
        for j in k + 1..count {
            let by = gram[count * k + j];
            let other = &below[numbers * (j - k - 1)..][..numbers];
            own.iter_mut().zip(other).for_each(|(x, o)| *x -= by * o);
        }
        own.iter_mut().for_each(|x| *x /= gram[count * k + k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inverse::muscle_geometry::GeometryEntry;

    /// Two muscles in a row of tets, with an initial geometry that is one tet off.
    #[test]
    fn factors_that_made_activations_are_found() {
        let row = |tet: usize, from: usize| -> Vec<GeometryEntry> {
            let is = |own: bool| f64::from(own);
            let [a, b] = [tet >= from && tet < from + 3, tet >= from + 4 && tet < from + 7];
            let weights = [is(!a && !b), is(a), is(b)];
            (0..).zip(weights).map(|(column, weight)| GeometryEntry { column, weight }).collect()
        };
        let geometry = |from: usize| {
            let solve_rows: Vec<Vec<GeometryEntry>> = (0..10).map(|tet| row(tet, from)).collect();
            GeometryMatrix::new(2, solve_rows.iter().map(|row| &row[..]))
        };
        let (truth, first) = (geometry(1), geometry(2));
        let theta: Vec<Vec<f64>> = (0..3)
            .map(|k| {
                let by = |j: usize| 0.15 * ((5 * k + 3 * j) as f64).sin();
                truth.relaxed().iter().enumerate().map(|(j, x)| x + by(j)).collect()
            })
            .collect();
        let activations = |theta: &Vec<f64>, geometry: &GeometryMatrix| {
            let mut own = vec![RELAXED; 10];
            geometry.activations(theta, &mut own);
            own
        };
        let wanted: Vec<Vec<Activation>> = theta.iter().map(|t| activations(t, &truth)).collect();
        let around = vec![Vec::new(); 10];
        let options = FactorisationOptions {
            smoothness: 0.0,
            anchor: 1e-6,
            matrices: 1e-6,
            alternations: 60,
        };
        let (found, theta) = factorise_activations(&first, &wanted, &[1.0; 10], &around, &options);
        for (theta, wanted) in theta.iter().zip(&wanted) {
            for (a, b) in activations(theta, &found).iter().zip(wanted) {
                (0..6).for_each(|k| assert!((a[k] - b[k]).abs() < 1e-3, "{a:?} for {b:?}"));
            }
        }
    }
}
