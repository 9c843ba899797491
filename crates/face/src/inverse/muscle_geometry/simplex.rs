//! Projection onto the simplex of weights that are not negative and add up to 1.

/// Projects a row onto the simplex.
pub(crate) fn project_onto_simplex(row: &mut [f64], scratch: &mut Vec<f64>) {
    scratch.clear();
    scratch.extend_from_slice(row);
    let threshold = simplex_threshold(scratch);
    row.iter_mut().for_each(|weight| *weight = (*weight - threshold).max(0.0));
}

/// Threshold subtracted from weights when they are projected onto the simplex.
fn simplex_threshold(weights: &mut [f64]) -> f64 {
    weights.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut threshold) = (0.0, 0.0);
    for (k, weight) in weights.iter().enumerate() {
        sum += weight;
        let next = (sum - 1.0) / (k + 1) as f64;
        if *weight > next {
            threshold = next;
        }
    }
    threshold
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_go_to_the_nearest_point_of_the_simplex(
            weights in prop::collection::vec(-2.0..2.0_f64, 1..6),
            others in prop::collection::vec(0.0..1.0_f64, 6),
        ) {
            let mut on = weights.clone();
            project_onto_simplex(&mut on, &mut Vec::new());
            prop_assert!(on.iter().all(|w| *w >= 0.0));
            prop_assert!((on.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            // No other point of the simplex is nearer.
            let sum: f64 = others[..weights.len()].iter().sum();
            let other: Vec<f64> = others.iter().map(|w| w / sum.max(1e-9)).collect();
            let away = |from: &[f64]| -> f64 {
                from.iter().zip(&weights).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            prop_assert!(away(&on) <= away(&other) + 1e-12);
        }
    }
}
