//! Statistics of activations: how sparse they are, and how well they follow the muscle fibres.
//!
//! Fig. 7 of \[ichim2017phace\].

use pliant_model::potentials::activation::Activation;

use super::{squared_strain, stretch_along};
use crate::model::FaceModel;

/// Shares of Σ ‖S − I‖ over the flesh, weighted by volume and by stiffness when active.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActivationStatistics {
    /// Share of each muscle in the sum.
    pub muscles: Vec<f64>,
    /// Share of the assignable tissue in the sum.
    pub assignable: f64,
    /// Share of the muscles' sum that is isochoric stretch along their fibres, from 0 to 1.
    pub aligned: f64,
}

impl ActivationStatistics {
    /// Statistics of the activations of a face's active tets, in the order of its shares.
    pub fn of(face: &FaceModel, activations: &[Activation]) -> ActivationStatistics {
        let muscles = vec![0.0; face.muscles.len()];
        let mut own = ActivationStatistics { muscles, ..ActivationStatistics::default() };
        let mut in_muscles = 0.0;
        for (shares, a) in face.active_tets().into_iter().zip(activations) {
            let shares = &face.shares[shares];
            let Some(first) = shares.first() else { continue };
            let [o, p, q, r] = face.solid.corners(first.tet as usize).unwrap_or_default();
            let volume = (p - o).dot((q - o).cross(r - o)) / 6.0;
            let norm = squared_strain(a).sqrt();
            for share in shares {
                let here = share.active_weight() * volume * norm;
                if share.is_assignable() {
                    own.assignable += here;
                    continue;
                }
                own.muscles[share.muscle as usize] += here;
                in_muscles += here;
                let along = fibre_strain(a, share.fibre.to_array()).min(norm);
                own.aligned += share.active_weight() * volume * along;
            }
        }
        let whole = f64::max(in_muscles + own.assignable, 1e-30);
        own.muscles.iter_mut().for_each(|muscle| *muscle /= whole);
        own.assignable /= whole;
        own.aligned /= f64::max(in_muscles, 1e-30);
        own
    }
}

/// ‖S − I‖ of an isochoric fibre along `q` with the stretch qᵀ S q: to first order, the strain is
/// 1 along the fibre and ½ across it, twice.
fn fibre_strain(a: &Activation, q: [f64; 3]) -> f64 {
    1.5_f64.sqrt() * (stretch_along(a, q) - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use pliant_model::potentials::activation::fibre;

    #[test]
    fn shortened_fibres_are_aligned_with_themselves_only() {
        let q = DVec3::new(1.0, 2.0, -0.5).normalize();
        let squeezed = fibre(q, 0.01);
        let norm = squared_strain(&squeezed).sqrt();
        let own = fibre_strain(&squeezed, q.to_array());
        assert!((own / norm - 1.0).abs() < 0.01, "{own} of {norm}");
        let across = q.any_orthonormal_vector();
        assert!(fibre_strain(&squeezed, across.to_array()) < 0.6 * norm);
    }
}
