//! How sparse activations are, and how well they follow fibres (Ichim et al. 2017, Fig. 7): which muscles have how much of all activation.

use pliant_model::potentials::activation::Activation;

use super::priors::strain;
use crate::model::FaceModel;

/// Σ ‖S − I‖ over flesh, by volume, and by how stiff it is at work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// What is in every muscle, of all.
    pub muscles: Vec<f64>,
    /// What is in flesh that is lent to muscles, of all.
    pub lent: f64,
    /// Of what is in muscles, what contraction or stretch along their fibres makes of it at constant volume; from 0 to 1.
    pub aligned: f64,
}

impl Activity {
    /// Of activations of a face's tets, in the order of its shares.
    pub fn of(face: &FaceModel, activations: &[Activation]) -> Activity {
        let mut own = Activity { muscles: vec![0.0; face.muscles.len()], ..Activity::default() };
        let mut in_muscles = 0.0;
        for (shares, a) in face.active_tets().into_iter().zip(activations) {
            let shares = &face.shares[shares];
            let Some(first) = shares.first() else { continue };
            let [o, p, q, r] = face.solid.corners(first.tet as usize).unwrap_or_default();
            let volume = (p - o).dot((q - o).cross(r - o)) / 6.0;
            let norm = strain(a).sqrt();
            for share in shares {
                let here = share.part() * volume * norm;
                if share.is_lent() {
                    own.lent += here;
                    continue;
                }
                own.muscles[share.muscle as usize] += here;
                in_muscles += here;
                own.aligned += share.part() * volume * along(a, share.fibre.to_array()).min(norm);
            }
        }
        let whole = f64::max(in_muscles + own.lent, 1e-30);
        own.muscles.iter_mut().for_each(|muscle| *muscle /= whole);
        own.lent /= whole;
        own.aligned /= f64::max(in_muscles, 1e-30);
        own
    }
}

/// ‖S − I‖ of fibres along `q` that are as much shorter, or longer, as those of a matrix: 1 along, ½ twice across for small ones.
fn along([xx, xy, xz, yy, yz, zz]: &Activation, [x, y, z]: [f64; 3]) -> f64 {
    let stretch =
        xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z);
    1.5_f64.sqrt() * (stretch - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use pliant_model::potentials::activation::fibre;

    #[test]
    fn fibres_that_shorten_are_along_themselves() {
        let q = DVec3::new(1.0, 2.0, -0.5).normalize();
        let squeezed = fibre(q, 0.01);
        let (own, norm) = (along(&squeezed, q.to_array()), strain(&squeezed).sqrt());
        assert!((own / norm - 1.0).abs() < 0.01, "{own} of {norm}");
        let across = q.any_orthonormal_vector();
        assert!(along(&squeezed, across.to_array()) < 0.6 * norm);
    }
}
