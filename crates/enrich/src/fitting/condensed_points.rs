//! Condenses the tracked points of each tet into at most four.
//!
//! The springs of any number of points in a tet are a quadratic form of its four corners. With rows
//! √λ w of a matrix A = Q R,
//!
//! ```text
//! Σ λ ‖w·x − q̄‖² = ‖R x − Qᵀ√Λ q̄‖² + const.
//! ```
//!
//! The rows of R are points with weights of their own; their targets are sums of the input's. A
//! fine surface in coarse tets then costs no more than a coarse one.

use pliant_model::potentials::Tracked;

use crate::numerics::weighted_sums::WeightedSums;

/// Remainder of a column, relative to its length, below which it depends on the others.
const DEPENDENT: f64 = 1e-9;

/// Returns the condensed points, and the weighted sums of input targets that are theirs.
pub fn condense(points: &[Tracked]) -> (Vec<Tracked>, WeightedSums<f64>) {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by_key(|&p| points[p as usize].corners);
    let (mut condensed, mut targets) = (Vec::new(), Vec::new());
    for own in order.chunk_by(|&a, &b| points[a as usize].corners == points[b as usize].corners) {
        if own.len() <= 4 {
            for &p in own {
                targets.push((condensed.len() as u32, p, 1.0));
                condensed.push(points[p as usize]);
            }
            continue;
        }
        let (q, r) = factored(points, own);
        for k in (0..4).filter(|&k| r[k] != [0.0; 4]) {
            let row = condensed.len() as u32;
            let coefficients = own.iter().zip(&q);
            targets.extend(
                coefficients.map(|(&p, q)| (row, p, q[k] * points[p as usize].stiffness.sqrt())),
            );
            let corners = points[own[0] as usize].corners;
            condensed.push(Tracked { corners, weights: r[k], stiffness: 1.0 });
        }
    }
    let targets = WeightedSums::new(condensed.len(), &targets);
    (condensed, targets)
}

/// QR factors (rows of Q, and R) of the points' matrix A, by the Gram–Schmidt method. Each column
/// is orthogonalised twice, since once is inaccurate for nearly dependent columns.
fn factored(points: &[Tracked], own: &[u32]) -> (Vec<[f64; 4]>, [[f64; 4]; 4]) {
    let scaled = |&p: &u32| {
        let point = &points[p as usize];
        point.weights.map(|w| w * point.stiffness.sqrt())
    };
    let mut q: Vec<[f64; 4]> = own.iter().map(scaled).collect();
    let mut r = [[0.0; 4]; 4];
    let dot = |q: &[[f64; 4]], i: usize, j: usize| q.iter().map(|row| row[i] * row[j]).sum::<f64>();
    for column in 0..4 {
        let whole = dot(&q, column, column).sqrt();
        for _ in 0..2 {
            for before in 0..column {
                let share = dot(&q, before, column);
                r[before][column] += share;
                q.iter_mut().for_each(|row| row[column] -= share * row[before]);
            }
        }
        let left = dot(&q, column, column).sqrt();
        let is_new = left > DEPENDENT * whole;
        r[column][column] = if is_new { left } else { 0.0 };
        let inverse = if is_new { 1.0 / left } else { 0.0 };
        q.iter_mut().for_each(|row| row[column] *= inverse);
    }
    (q, r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use pliant_math::team::Team;

    fn place(k: usize) -> DVec3 {
        let t = k as f64;
        DVec3::new((1.3 * t).sin(), (2.1 * t + 0.5).cos(), (3.7 * t).sin())
    }

    /// Forces on the corners of tet 0, 1, 2, 3 and of 4, 5, 6, 7.
    fn forces(points: &[Tracked], targets: &[DVec3]) -> [DVec3; 8] {
        let mut forces = [DVec3::ZERO; 8];
        for (point, &target) in points.iter().zip(targets) {
            let weighted = point.corners.iter().zip(point.weights);
            let away: DVec3 = weighted.clone().map(|(&v, w)| w * place(v as usize)).sum::<DVec3>();
            for (&v, w) in weighted {
                forces[v as usize] += point.stiffness * w * (away - target);
            }
        }
        forces
    }

    #[test]
    fn few_points_pull_as_many_do() {
        // Six points on an edge of one tet, thirty on a plane through another.
        let point = |k: usize| {
            let t = 0.5 + 0.49 * (k as f64).sin();
            let s = 0.5 + 0.49 * (1.7 * k as f64).cos();
            let (corners, weights) = match k % 12 {
                0 | 5 => ([0, 1, 2, 3], [t, 1.0 - t, 0.0, 0.0]),
                _ => ([4, 5, 6, 7], [t * s, t * (1.0 - s), 0.5 * (1.0 - t), 0.5 * (1.0 - t)]),
            };
            Tracked { corners, weights, stiffness: 1.0 + s }
        };
        let points: Vec<Tracked> = (0..36).map(point).collect();
        let targets: Vec<DVec3> = (0..36).map(|k| place(k + 20)).collect();
        let (few, sums) = condense(&points);
        assert_eq!(few.len(), 2 + 3);
        let mut summed = vec![DVec3::ZERO; few.len()];
        sums.add(&targets, &mut summed, &Team::new(1));
        for (a, b) in forces(&points, &targets).iter().zip(forces(&few, &summed)) {
            assert!(a.abs_diff_eq(b, 1e-11), "{a} {b}");
        }
    }
}
