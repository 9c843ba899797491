//! Bounds of the stretches that an activation may ask for.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_model::potentials::activation::{Activation, RELAXED, matrix};

use super::symmetric_entries;

/// Least and greatest stretch of an activation. The mouth corners of a wide open mouth reach 3; a
/// lower bound than that leaves stress there, and the flesh buckles.
pub const STRETCH_BOUNDS: [f64; 2] = [0.25, 4.0];
/// Least and greatest stretch of fibres, per tet or per muscle.
pub const FIBRE_STRETCH_BOUNDS: [f64; 2] = [0.35, 2.2];

/// Clamps the eigenvalues of an activation to [`STRETCH_BOUNDS`].
pub fn clamp_stretches(a: &mut Activation) {
    clamp_stretches_to(a, STRETCH_BOUNDS);
}

/// Clamps the eigenvalues of an activation to a range; an activation that is not finite relaxes.
pub fn clamp_stretches_to(a: &mut Activation, [low, high]: [f64; 2]) {
    let [xx, xy, xz, yy, yz, zz] = *a;
    if !a.iter().all(|x| x.is_finite()) {
        *a = RELAXED;
        return;
    }
    // Gershgorin's discs decide most cases without an eigenvalue decomposition.
    let discs = [(xx, xy.abs() + xz.abs()), (yy, xy.abs() + yz.abs()), (zz, xz.abs() + yz.abs())];
    if discs.iter().all(|(center, radius)| center - radius >= low && center + radius <= high) {
        return;
    }
    let SymmetricEigen { values, vectors } = symmetric_eigen(&matrix(a));
    let values = values.clamp(DVec3::splat(low), DVec3::splat(high));
    *a = symmetric_entries(&(vectors * DMat3::from_diagonal(values) * vectors.transpose()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamped_stretches_keep_their_axes() {
        let axes = DMat3::from_rotation_z(0.7) * DMat3::from_rotation_x(0.3);
        let of = |values: [f64; 3]| {
            let values = DMat3::from_diagonal(DVec3::from_array(values));
            symmetric_entries(&(axes * values * axes.transpose()))
        };
        let mut wild = of([-0.5, 1.2, 9.0]);
        clamp_stretches(&mut wild);
        let wanted = of([STRETCH_BOUNDS[0], 1.2, STRETCH_BOUNDS[1]]);
        assert!(wild.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{wild:?}");
        let mut nothing = [f64::NAN; 6];
        clamp_stretches(&mut nothing);
        assert!(nothing.iter().all(|x| x.is_finite()));
    }
}
