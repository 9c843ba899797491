//! Penalty on changes of volume of muscle matrices.

use pliant_model::potentials::activation::Activation;

/// w_v/2 Σ_j (det S(a_j) − 1)² of muscle matrices, Eq. 4.10 of \[dinev2020\].
pub(crate) fn volume_penalty(theta: &[f64], weight: f64) -> f64 {
    theta.chunks_exact(6).map(|a| 0.5 * weight * volume_change(a).powi(2)).sum()
}

/// out ← out + the gradient of [`volume_penalty`].
pub(crate) fn add_volume_gradient(theta: &[f64], weight: f64, out: &mut [f64]) {
    for (out, a) in out.chunks_exact_mut(6).zip(theta.chunks_exact(6)) {
        let by = weight * volume_change(a);
        out.iter_mut().zip(volume_change_gradient(a)).for_each(|(out, s)| *out += by * s);
    }
}

/// det S(a) − 1.
fn volume_change(a: &[f64]) -> f64 {
    let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|k| a[k]);
    xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz) - 1.0
}

/// Derivative of det S(a) by the six numbers: cofactors, off-diagonal ones twice.
pub(super) fn volume_change_gradient(a: &[f64]) -> Activation {
    let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|k| a[k]);
    [
        yy * zz - yz * yz,
        2.0 * (xz * yz - xy * zz),
        2.0 * (xy * yz - xz * yy),
        xx * zz - xz * xz,
        2.0 * (xy * xz - xx * yz),
        xx * yy - xy * xy,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_of_a_volume_matches_differences() {
        let a = [1.1, 0.2, -0.3, 0.8, 0.1, 1.3];
        let slope = volume_change_gradient(&a);
        for k in 0..6 {
            let by = |h: f64| {
                let mut a = a;
                a[k] += h;
                volume_change(&a)
            };
            assert!(((by(1e-6) - by(-1e-6)) / 2e-6 - slope[k]).abs() < 1e-9, "{k}");
        }
    }
}
