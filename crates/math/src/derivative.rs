//! Are the derivatives right? Analytic gradients and Hessians against extrapolated central
//! differences, for the tests of every potential.
//!
//! Differences are taken with halving steps and extrapolated to zero in a Neville tableau
//! (Ridders 1982, "Accurate computation of F′(x) and F′(x)F″(x)"); the entry with the smallest
//! error estimate is used, so neither truncation nor rounding needs a hand-picked step.

/// Largest deviation of `gradient(x)` from differences of `energy`, relative to the largest
/// component of either. About 1e-10 for a correct gradient in double precision; of no meaning
/// where the gradient vanishes.
///
/// ```
/// use pliant_math::derivative::gradient_error;
/// let energy = |x: &[f64]| x[0].sin() * x[1];
/// let right = gradient_error(energy, |x| vec![x[0].cos() * x[1], x[0].sin()], &[0.4, 2.0]);
/// let wrong = gradient_error(energy, |x| vec![x[0].cos() * x[1], x[1]], &[0.4, 2.0]);
/// assert!(right < 1e-10 && wrong > 0.5);
/// ```
pub fn gradient_error(
    energy: impl Fn(&[f64]) -> f64,
    gradient: impl Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
) -> f64 {
    let estimate: Vec<f64> =
        (0..x.len()).map(|k| derivative(&|y| vec![energy(y)], x, k)[0]).collect();
    relative_error(&gradient(x), &estimate)
}

/// Largest deviation of `hessian(x)` (n×n, by rows) from differences of `gradient`, relative to
/// the largest entry of either.
///
/// ```
/// use pliant_math::derivative::hessian_error;
/// let gradient = |x: &[f64]| vec![x[0] * x[1], 0.5 * x[0] * x[0]];
/// assert!(hessian_error(gradient, |x| vec![x[1], x[0], x[0], 0.0], &[0.3, -1.2]) < 1e-10);
/// ```
pub fn hessian_error(
    gradient: impl Fn(&[f64]) -> Vec<f64>,
    hessian: impl Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
) -> f64 {
    let n = x.len();
    let mut estimate = vec![0.0; n * n];
    for k in 0..n {
        for (row, value) in derivative(&gradient, x, k).into_iter().enumerate() {
            estimate[row * n + k] = value;
        }
    }
    relative_error(&hessian(x), &estimate)
}

const FIRST_STEP: f64 = 0.01;
const HALVINGS: usize = 10;

/// ∂`function`/∂xₖ, each component from the best entry of its own tableau.
fn derivative(function: &dyn Fn(&[f64]) -> Vec<f64>, x: &[f64], k: usize) -> Vec<f64> {
    let mut y = x.to_vec();
    let mut previous: Vec<Vec<f64>> = Vec::new();
    let mut best: Vec<(f64, f64)> = Vec::new();
    for level in 0..HALVINGS {
        let step = FIRST_STEP * x[k].abs().max(1.0) / f64::powi(2.0, level as i32);
        y[k] = x[k] + step;
        let (above, reached) = (function(&y), y[k]);
        y[k] = x[k] - step;
        let (below, width) = (function(&y), reached - y[k]);
        let mut row = vec![above.iter().zip(&below).map(|(a, b)| (a - b) / width).collect()];
        let mut power = 1.0;
        for coarser in &previous {
            power *= 4.0;
            let finer: &Vec<f64> = &row[row.len() - 1];
            let extrapolated =
                finer.iter().zip(coarser).map(|(f, c)| f + (f - c) / (power - 1.0)).collect();
            row.push(extrapolated);
        }
        if level == 0 {
            best = row[0].iter().map(|&value| (value, f64::INFINITY)).collect();
        }
        for order in 1..row.len() {
            for (i, (value, error)) in best.iter_mut().enumerate() {
                let candidate = row[order][i];
                let estimate = (candidate - row[order - 1][i])
                    .abs()
                    .max((candidate - previous[order - 1][i]).abs());
                if estimate < *error {
                    (*value, *error) = (candidate, estimate);
                }
            }
        }
        previous = row;
    }
    best.into_iter().map(|(value, _)| value).collect()
}

/// Infinite where the lengths differ or a number is not finite: a tester must not overlook it.
fn relative_error(analytic: &[f64], estimate: &[f64]) -> f64 {
    let finite = analytic.iter().chain(estimate).all(|v| v.is_finite());
    if analytic.len() != estimate.len() || !finite {
        return f64::INFINITY;
    }
    let size = analytic.iter().chain(estimate).fold(0.0, |m: f64, v| m.max(v.abs()));
    let error = analytic.iter().zip(estimate).fold(0.0, |m: f64, (a, e)| m.max((a - e).abs()));
    if size == 0.0 { 0.0 } else { error / size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_measured_not_hidden() {
        let energy = |x: &[f64]| (x[0] * x[1]).exp();
        let gradient = |x: &[f64]| {
            let e = (x[0] * x[1]).exp();
            vec![x[1] * e, x[0] * e]
        };
        let x = [0.7, -0.4];
        assert!(gradient_error(energy, gradient, &x) < 1e-11);
        let off = gradient_error(energy, |x| vec![gradient(x)[0], gradient(x)[1] * 1.001], &x);
        assert!((off - 1e-3).abs() < 1e-5, "{off}");
        assert_eq!(gradient_error(energy, |_| vec![f64::NAN, 0.0], &x), f64::INFINITY);
        assert_eq!(gradient_error(energy, |_| vec![0.0], &x), f64::INFINITY);
    }

    #[test]
    fn the_order_of_hessian_entries_matters() {
        let gradient = |x: &[f64]| vec![x[0] * x[1], x[1] * x[1]];
        assert!(
            hessian_error(gradient, |x| vec![x[1], x[0], 0.0, 2.0 * x[1]], &[3.0, 1.0]) < 1e-11
        );
        let swapped = |x: &[f64]| vec![x[1], 0.0, x[0], 2.0 * x[1]];
        assert!(hessian_error(gradient, swapped, &[3.0, 1.0]) > 0.5);
    }
}
