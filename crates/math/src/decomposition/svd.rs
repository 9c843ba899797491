//! Singular values by one-sided Jacobi rotations, and the closest rotation from them.
//!
//! One-sided Jacobi (Hestenes 1958) turns the columns of F by rotations V until they are
//! orthogonal: F V = U Σ. Even small singular values come out with full relative accuracy,
//! which routes over FᵀF lose.

use glam::{DMat3, DVec3};

/// F = U diag(σ) Vᵀ with rotations U and V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd {
    /// Rotation; its columns are the left singular vectors.
    pub u: DMat3,
    /// σ₁ ≥ σ₂ ≥ |σ₃|; σ₃ has the sign of det F. NaN where F is not finite.
    pub sigma: DVec3,
    /// Rotation; its columns are the right singular vectors.
    pub v: DMat3,
}

impl Svd {
    /// U Vᵀ, the rotation closest to F.
    pub fn rotation(&self) -> DMat3 {
        self.u * self.v.transpose()
    }
}

/// Singular values of `f`, rotations on both sides, the sign on the smallest value.
///
/// Total: every finite matrix has a finite answer, zero and rank-deficient ones included; a
/// matrix with NaN or infinities has σ = NaN between identities.
///
/// ```
/// use pliant_math::{DMat3, DVec3, decomposition::svd_rotation_variant};
/// let mirrored = DMat3::from_diagonal(DVec3::new(1.0, -3.0, 2.0));
/// let svd = svd_rotation_variant(&mirrored);
/// assert_eq!(svd.sigma, DVec3::new(3.0, 2.0, -1.0));
/// assert!((svd.u.determinant() - 1.0).abs() < 1e-15);
/// ```
pub fn svd_rotation_variant(f: &DMat3) -> Svd {
    let identity = DMat3::IDENTITY;
    if !f.is_finite() {
        return Svd { u: identity, sigma: DVec3::NAN, v: identity };
    }
    let largest = f.to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest == 0.0 {
        return Svd { u: identity, sigma: DVec3::ZERO, v: identity };
    }
    let scale = reciprocal_power_of_two(largest);
    let mut a = [f.x_axis * scale, f.y_axis * scale, f.z_axis * scale];
    let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..MOST_SWEEPS {
        let mut settled = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            settled &= orthogonalise(&mut a, &mut v, p, q);
        }
        if settled {
            break;
        }
    }
    let (u, sigma, v) = complete(a, v);
    Svd { u, sigma: sigma / scale, v }
}

/// The rotation R that minimises ‖F − R‖: det R = +1 for every finite matrix; the identity
/// where `f` is not finite. Where σ₂ + σ₃ = 0 several rotations are equally close, and one of
/// them is returned.
///
/// ```
/// use pliant_math::{DMat3, decomposition::polar};
/// let turn = DMat3::from_rotation_y(0.7);
/// let stretched = turn * DMat3::from_diagonal([2.0, 0.5, 1.0].into());
/// assert!(polar(&stretched).abs_diff_eq(turn, 1e-15));
/// ```
pub fn polar(f: &DMat3) -> DMat3 {
    svd_rotation_variant(f).rotation()
}

/// Six sweeps settle nearly all matrices; the bound only guards against a cycle of roundings.
const MOST_SWEEPS: usize = 40;
/// Below this squared length, next to a largest entry of about 1, a column counts as zero: its
/// direction would be lost to underflow.
const VANISHING: f64 = 1e-280;

/// 2⁻ᵏ with x·2⁻ᵏ near 1, without rounding anything.
fn reciprocal_power_of_two(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) & 0x7ff;
    f64::from_bits(2046_u64.saturating_sub(exponent).clamp(1, 2045) << 52)
}

/// Turns columns p and q until orthogonal; true if they were.
fn orthogonalise(a: &mut [DVec3; 3], v: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let (alpha, beta, gamma) = (a[p].dot(a[p]), a[q].dot(a[q]), a[p].dot(a[q]));
    if gamma.abs() <= f64::EPSILON * alpha.sqrt() * beta.sqrt() {
        return true;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    for m in [a, v] {
        (m[p], m[q]) = (m[p] * cosine - m[q] * sine, m[p] * sine + m[q] * cosine);
    }
    false
}

/// Sorts orthogonal columns by length and completes both sides to rotations.
fn complete(a: [DVec3; 3], v: [DVec3; 3]) -> (DMat3, DVec3, DMat3) {
    let lengths = a.map(|column| column.dot(column));
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let [first, second, third] = order;
    // the largest entry is at least 2⁻⁵², so the first column has a direction
    let u1 = a[first] / lengths[first].sqrt();
    let u2 = if lengths[second] > VANISHING {
        let rest = a[second] - u1 * u1.dot(a[second]);
        rest / rest.length()
    } else {
        u1.any_orthonormal_vector()
    };
    let (v1, v2) = (v[first], v[second]);
    let (u3, v3) = (u1.cross(u2), v1.cross(v2));
    // v3 is the third Jacobi direction up to sign: its column follows
    let a3 = if v3.dot(v[third]) < 0.0 { -a[third] } else { a[third] };
    let s2 = lengths[second].sqrt();
    let sigma = DVec3::new(lengths[first].sqrt(), s2, u3.dot(a3).clamp(-s2, s2));
    (DMat3::from_cols(u1, u2, u3), sigma, DMat3::from_cols(v1, v2, v3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(f: &DMat3) {
        let Svd { u, sigma, v } = svd_rotation_variant(f);
        for q in [u, v] {
            assert!((q.transpose() * q).abs_diff_eq(DMat3::IDENTITY, 4e-15), "{f:?}: {q:?}");
            assert!((q.determinant() - 1.0).abs() < 4e-15, "{f:?}: {q:?}");
        }
        assert!(sigma.x >= sigma.y && sigma.y >= sigma.z.abs(), "{f:?}: {sigma:?}");
        let scale = sigma.x.max(f64::MIN_POSITIVE);
        let product = u * DMat3::from_diagonal(sigma / scale) * v.transpose();
        let wanted = DMat3::from_cols(f.x_axis / scale, f.y_axis / scale, f.z_axis / scale);
        assert!(product.abs_diff_eq(wanted, 4e-15), "{f:?}: {product:?}, not {wanted:?}");
    }

    #[test]
    fn special_matrices() {
        let [a, b] = [DVec3::new(0.3, -1.0, 2.0), DVec3::new(-0.7, 0.1, 0.9)];
        let rank_one = DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        let rank_two = rank_one + DMat3::from_cols(b * a.x, b * a.y, b * a.z);
        let parallel = DMat3::from_cols(a, a, a);
        let mirror = DMat3::from_diagonal(DVec3::new(-1.0, -1.0, -1.0));
        let lonely = DMat3::from_cols(DVec3::ZERO, DVec3::ZERO, DVec3::Y);
        let graded = DMat3::from_cols(a, b * 1e-90, a.cross(b) * 1e-200);
        for f in [DMat3::IDENTITY, rank_one, rank_two, parallel, mirror, lonely, graded] {
            for scale in [1.0, 1e-150, 1e150, 1e-300, 1e300] {
                check(&(f * scale));
            }
        }
        assert_eq!(polar(&DMat3::ZERO), DMat3::IDENTITY);
        let denormal = DMat3::from_diagonal(DVec3::splat(5e-324));
        assert_eq!(svd_rotation_variant(&denormal).sigma, DVec3::splat(5e-324));
        let broken = DMat3::from_cols(DVec3::NAN, DVec3::INFINITY, DVec3::X);
        assert_eq!(polar(&broken), DMat3::IDENTITY);
        assert!(svd_rotation_variant(&broken).sigma.is_nan());
    }

    #[test]
    fn small_singular_values_keep_their_digits() {
        let turn = DMat3::from_euler(glam::EulerRot::XYZ, 0.3, -0.8, 1.9);
        let sigma = DVec3::new(1.0, 1e-9, -1e-13);
        let f = turn * DMat3::from_diagonal(sigma);
        assert!(((svd_rotation_variant(&f).sigma - sigma) / sigma).abs().max_element() < 1e-14);
    }

    proptest! {
        #[test]
        fn any_matrix(entries: [f64; 9]) {
            let f = DMat3::from_cols_array(&entries);
            prop_assume!(f.is_finite() && f.to_cols_array().iter().all(|x| x.abs() < 1e307));
            check(&f);
        }

        #[test]
        fn moderate_matrices(entries in proptest::array::uniform9(-2.0..2.0)) {
            check(&DMat3::from_cols_array(&entries));
        }

        #[test]
        fn no_rotation_is_closer(
            entries in proptest::array::uniform9(-2.0..2.0),
            angles in proptest::array::uniform3(-3.2..3.2),
        ) {
            let f = DMat3::from_cols_array(&entries);
            let [x, y, z] = angles;
            let other = DMat3::from_euler(glam::EulerRot::XYZ, x, y, z);
            let trace = |r: DMat3| (r.transpose() * f).diagonal().element_sum();
            prop_assert!(trace(polar(&f)) >= trace(other) - 1e-13);
        }
    }
}
