//! Activations a(θ) of the tets: their parameters, their bounds, and statistics of them.

mod parametrisation;
mod statistics;
mod stretch_bounds;

use glam::DMat3;
use pliant_model::potentials::activation::{Activation, RELAXED};

pub use self::parametrisation::{FibreContractions, FibreShare, Parametrisation, TetMatrices};
pub use self::statistics::ActivationStatistics;
pub use self::stretch_bounds::{
    FIBRE_STRETCH_BOUNDS, STRETCH_BOUNDS, clamp_stretches, clamp_stretches_to,
};

/// How often each of the six numbers stands in the symmetric matrix: off-diagonal ones twice.
pub(crate) const MULTIPLICITY: Activation = [1.0, 2.0, 2.0, 1.0, 2.0, 1.0];

/// The six numbers of a symmetric matrix.
pub(crate) fn symmetric_entries(m: &DMat3) -> Activation {
    [m.x_axis.x, m.y_axis.x, m.z_axis.x, m.y_axis.y, m.z_axis.y, m.z_axis.z]
}

/// The dyad q qᵀ as six numbers.
pub(crate) fn dyad([x, y, z]: [f64; 3]) -> Activation {
    [x * x, x * y, x * z, y * y, y * z, z * z]
}

/// qᵀ S q: the stretch of a symmetric matrix along a unit vector.
pub(crate) fn stretch_along([xx, xy, xz, yy, yz, zz]: &Activation, [x, y, z]: [f64; 3]) -> f64 {
    xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z)
}

/// ‖S − I‖².
pub(crate) fn squared_strain(a: &Activation) -> f64 {
    (0..6).map(|k| MULTIPLICITY[k] * (a[k] - RELAXED[k]) * (a[k] - RELAXED[k])).sum()
}

/// Adds the passive stretch of the tets, S − I, to activations.
pub(crate) fn add_passive_stretch(activations: &mut [Activation], passive_stretch: &[Activation]) {
    for (own, by) in activations.iter_mut().zip(passive_stretch) {
        (0..6).for_each(|k| own[k] += by[k]);
    }
}

/// Activations without the passive stretch of the tets, S − I.
pub(crate) fn without_passive_stretch(
    activations: &[Activation],
    passive_stretch: &[Activation],
) -> Vec<Activation> {
    let less = |(a, y): (&Activation, &Activation)| std::array::from_fn(|k| a[k] - y[k]);
    activations.iter().zip(passive_stretch).map(less).collect()
}
