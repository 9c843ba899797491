//! Where geometry is learned from first: activations of tets, known for some expressions, as muscles' matrices and what tets take of them.
//!
//! A matrix per tet makes every skin that flesh can make, and needs no geometry. Of these matrices a_i^k, of tet i in expression k, S
//! and the muscles' a_j^k are to be factors, Eq. 4.5:
//!
//! ```text
//! Σ_i w_i [Σ_k ‖a_i^k − Σ_j s_ij a_j^k‖² + σ Σ_n ‖s_i − s_n‖² + ρ ‖s_i − s̄_i‖²] + ε Σ ‖a_j^k − I‖²,  rows of S on the simplex
//! ```
//!
//! with n the neighbours of i and s̄ the geometry at first. Found by turns: rows by projected gradients (Nesterov 1983), matrices by one
//! system of equations with as many unknowns as there are muscles. Nothing is simulated.

use pliant_model::potentials::activation::{Activation, RELAXED};

use super::blend::{Blend, onto_simplex};
use super::dependence::Dependence;

/// What the factors are to be besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorOptions {
    /// σ: what it costs neighbours to differ.
    pub smoothness: f64,
    /// ρ: what it costs to differ from the geometry at first.
    pub anchor: f64,
    /// ε: what matrices cost, of the mean muscle's.
    pub matrices: f64,
    /// Turns.
    pub turns: u32,
}

impl Default for FactorOptions {
    fn default() -> Self {
        FactorOptions { smoothness: 0.05, anchor: 0.02, matrices: 0.1, turns: 40 }
    }
}

/// Iterations of a row per turn.
const ITERATIONS: u32 = 20;

/// Factors activations of tets, by expression, beyond what relaxed flesh has yielded by. `weights` are w, and `neighbours` those of each
/// tet. Returns S, and by expression six numbers for every muscle.
pub fn factors(
    first: &Blend,
    activations: &[Vec<Activation>],
    weights: &[f64],
    neighbours: &[Vec<u32>],
    options: &FactorOptions,
) -> (Blend, Vec<Vec<f64>>) {
    let numbers = 6 * activations.len();
    // By tet, what its matrices differ from relaxed ones by; what is beside the diagonal counts twice.
    let root = |k: usize| if matches!(k % 6, 1 | 2 | 4) { std::f64::consts::SQRT_2 } else { 1.0 };
    let wanted: Vec<f64> = (0..first.tets())
        .flat_map(|tet| activations.iter().map(move |own| own[tet]))
        .flat_map(|own| (0..6).map(move |k| root(k) * (own[k] - RELAXED[k])))
        .collect();
    let mut blend = first.clone();
    let mut matrices = vec![0.0; numbers * first.muscles];
    for _ in 0..options.turns {
        solve_matrices(&blend, &wanted, weights, options.matrices, &mut matrices);
        blend = rows(&blend, first, (&wanted, &matrices, numbers), neighbours, options);
    }
    solve_matrices(&blend, &wanted, weights, options.matrices, &mut matrices);
    let theta = |expression: usize| {
        let mut theta = blend.relaxed();
        for (muscle, own) in theta.chunks_exact_mut(6).enumerate() {
            let by = &matrices[numbers * muscle + 6 * expression..][..6];
            (0..6).for_each(|k| own[k] += by[k] / root(k));
        }
        blend.confine(&mut theta);
        theta
    };
    let theta = (0..activations.len()).map(theta).collect();
    (blend, theta)
}

/// Rows of S with the matrices as they are, from rows before.
fn rows(
    before: &Blend,
    first: &Blend,
    (wanted, matrices, numbers): (&[f64], &[f64], usize),
    neighbours: &[Vec<u32>],
    options: &FactorOptions,
) -> Blend {
    let mut blend = before.clone();
    let mut sums = vec![0.0; blend.muscles + 1];
    let (mut gram, mut pull, mut row, mut last, mut ahead, mut scratch) =
        (vec![], vec![], vec![], vec![], vec![], vec![]);
    let matrix = |column: u32| {
        let muscle = (column as usize).checked_sub(1)?;
        Some(&matrices[numbers * muscle..][..numbers])
    };
    for tet in 0..blend.tets() {
        let columns: Vec<u32> = before.row(tet).iter().map(|entry| entry.column).collect();
        let count = columns.len();
        let goal = &wanted[numbers * tet..][..numbers];
        let around = &neighbours[tet];
        // What neighbours take, on the mean.
        sums.fill(0.0);
        for &other in around {
            for entry in blend.row(other as usize) {
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
        // No eigenvalue is greater.
        let most = (0..count).map(|i| gram[count * i..][..count].iter().map(|g| g.abs()).sum());
        let most = most.fold(1e-12, f64::max);
        row.clear();
        row.extend(before.row(tet).iter().map(|entry| entry.weight));
        last.clone_from(&row);
        for k in 0..ITERATIONS {
            let lead = f64::from(k) / f64::from(k + 3);
            ahead.clear();
            ahead.extend(row.iter().zip(&last).map(|(now, then)| now + lead * (now - then)));
            last.clone_from(&row);
            for i in 0..count {
                let slope = dot(&gram[count * i..][..count], &ahead) - pull[i];
                row[i] = ahead[i] - slope / most;
            }
            onto_simplex(&mut row, &mut scratch);
        }
        let start = blend.starts[tet] as usize;
        blend.entries[start..start + count]
            .iter_mut()
            .zip(&row)
            .for_each(|(entry, weight)| entry.weight = *weight);
    }
    blend
}

/// Muscles' matrices with S as it is: `numbers` for each muscle.
fn solve_matrices(
    blend: &Blend,
    wanted: &[f64],
    weights: &[f64],
    ridge: f64,
    matrices: &mut [f64],
) {
    let count = blend.muscles;
    let numbers = wanted.len() / blend.tets().max(1);
    let mut gram = vec![0.0; count * count];
    matrices.fill(0.0);
    for tet in 0..blend.tets() {
        let own = blend.row(tet).iter().filter(|entry| entry.column > 0 && entry.weight > 0.0);
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
    // Gauss's elimination: the matrix is positive definite.
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inverse::blend::Entry;

    /// Two muscles in a row of tets, one behind the other, thought to be a tet from where they are.
    #[test]
    fn factors_that_made_activations_are_found() {
        let row = |tet: usize, from: usize| -> Vec<Entry> {
            let is = |own: bool| f64::from(own);
            let [a, b] = [tet >= from && tet < from + 3, tet >= from + 4 && tet < from + 7];
            let weights = [is(!a && !b), is(a), is(b)];
            (0..).zip(weights).map(|(column, weight)| Entry { column, weight }).collect()
        };
        let blend = |from: usize| {
            let rows: Vec<Vec<Entry>> = (0..10).map(|tet| row(tet, from)).collect();
            Blend::new(2, rows.iter().map(|row| &row[..]))
        };
        let (truth, first) = (blend(1), blend(2));
        let theta: Vec<Vec<f64>> = (0..3)
            .map(|k| {
                let by = |j: usize| 0.15 * ((5 * k + 3 * j) as f64).sin();
                truth.relaxed().iter().enumerate().map(|(j, x)| x + by(j)).collect()
            })
            .collect();
        let activations = |theta: &Vec<f64>, blend: &Blend| {
            let mut own = vec![RELAXED; 10];
            blend.activations(theta, &mut own);
            own
        };
        let wanted: Vec<Vec<Activation>> = theta.iter().map(|t| activations(t, &truth)).collect();
        let around = vec![Vec::new(); 10];
        let options = FactorOptions { smoothness: 0.0, anchor: 1e-6, matrices: 1e-6, turns: 60 };
        let (found, theta) = factors(&first, &wanted, &[1.0; 10], &around, &options);
        for (theta, wanted) in theta.iter().zip(&wanted) {
            for (a, b) in activations(theta, &found).iter().zip(wanted) {
                (0..6).for_each(|k| assert!((a[k] - b[k]).abs() < 1e-3, "{a:?} for {b:?}"));
            }
        }
    }
}
