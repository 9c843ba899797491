//! Parametrisations a(θ) of the activations, with products by their Jacobian and its transpose.

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED, fibre};

use super::{FIBRE_STRETCH_BOUNDS, clamp_stretches, dyad};

/// Activations as a function of parameters, a(θ).
pub trait Parametrisation {
    /// Number of parameters in θ.
    fn count(&self) -> usize;

    /// Parameters of relaxed tissue.
    fn relaxed(&self) -> Vec<f64>;

    /// Clamps θ to what flesh can do.
    fn confine(&self, theta: &mut [f64]);

    /// True if a parameter is at its bound and the negative gradient points beyond it.
    fn is_at_bound(&self, _value: f64, _gradient: f64) -> bool {
        false
    }

    /// out ← a(θ).
    fn activations(&self, theta: &[f64], out: &mut [Activation]);

    /// out ← ∂a/∂θ dθ.
    fn apply_jacobian(&self, theta: &[f64], change: &[f64], out: &mut [Activation]);

    /// out ← (∂a/∂θ)ᵀ g.
    fn apply_transposed_jacobian(&self, theta: &[f64], gradient: &[Activation], out: &mut [f64]);
}

/// A symmetric matrix per tet, six numbers each: the parametrisation of \[ichim2017phace\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TetMatrices {
    /// Number of tets.
    pub tets: usize,
}

impl Parametrisation for TetMatrices {
    fn count(&self) -> usize {
        6 * self.tets
    }

    fn relaxed(&self) -> Vec<f64> {
        RELAXED.repeat(self.tets)
    }

    fn confine(&self, theta: &mut [f64]) {
        theta.as_chunks_mut().0.iter_mut().for_each(clamp_stretches);
    }

    fn activations(&self, theta: &[f64], out: &mut [Activation]) {
        out.as_flattened_mut().copy_from_slice(theta);
    }

    fn apply_jacobian(&self, _: &[f64], change: &[f64], out: &mut [Activation]) {
        out.as_flattened_mut().copy_from_slice(change);
    }

    fn apply_transposed_jacobian(&self, _: &[f64], gradient: &[Activation], out: &mut [f64]) {
        out.copy_from_slice(gradient.as_flattened());
    }
}

/// A part of a tet that contracts along one fibre direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FibreShare {
    /// Index of its contraction in θ.
    pub contraction: u32,
    /// Share of the tet's active tissue; the shares of a tet add up to 1.
    pub share: f64,
    /// Unit vector along the fibres.
    pub along: DVec3,
}

/// Contractions along fibres: one per tet, or one per muscle. Tets refer to them by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FibreContractions {
    /// Number of contractions.
    pub contractions: usize,
    /// Least contraction; 0 for muscles, which do not lengthen by themselves.
    pub min_contraction: f64,
    /// Tet i has `shares[starts[i]..starts[i + 1]]`; a tet without shares stays relaxed.
    pub starts: Vec<u32>,
    pub shares: Vec<FibreShare>,
}

impl FibreContractions {
    pub(crate) fn of_tet(&self, tet: usize) -> &[FibreShare] {
        &self.shares[self.starts[tet] as usize..self.starts[tet + 1] as usize]
    }

    fn combine(
        &self,
        theta: &[f64],
        out: &mut [Activation],
        of: impl Fn(&FibreShare, f64) -> Activation,
    ) {
        for (tet, out) in out.iter_mut().enumerate() {
            *out = [0.0; 6];
            for fibre_share in self.of_tet(tet) {
                let own = of(fibre_share, theta[fibre_share.contraction as usize]);
                out.iter_mut().zip(own).for_each(|(o, x)| *o += fibre_share.share * x);
            }
        }
    }
}

/// Derivative of [`fibre`] by the contraction c: −1 along the fibre, ½ (1 − c)^(−3/2) across.
fn fibre_derivative(along: DVec3, contraction: f64) -> Activation {
    let across = 0.5 * (1.0 - contraction.clamp(-4.0, 0.9)).powf(-1.5);
    let dyad = dyad(along.to_array());
    std::array::from_fn(|k| (-1.0 - across) * dyad[k] + across * RELAXED[k])
}

impl Parametrisation for FibreContractions {
    fn count(&self) -> usize {
        self.contractions
    }

    fn relaxed(&self) -> Vec<f64> {
        vec![0.0; self.contractions]
    }

    fn confine(&self, theta: &mut [f64]) {
        theta
            .iter_mut()
            .for_each(|c| *c = c.clamp(self.min_contraction, 1.0 - FIBRE_STRETCH_BOUNDS[0]));
    }

    fn is_at_bound(&self, value: f64, gradient: f64) -> bool {
        value <= self.min_contraction && gradient > 0.0
    }

    fn activations(&self, theta: &[f64], out: &mut [Activation]) {
        self.combine(theta, out, |fibre_share, c| fibre(fibre_share.along, c));
        for (tet, out) in out.iter_mut().enumerate() {
            if self.of_tet(tet).is_empty() {
                *out = RELAXED;
            }
        }
    }

    fn apply_jacobian(&self, theta: &[f64], change: &[f64], out: &mut [Activation]) {
        self.combine(theta, out, |fibre_share, c| {
            fibre_derivative(fibre_share.along, c)
                .map(|x| x * change[fibre_share.contraction as usize])
        });
    }

    fn apply_transposed_jacobian(&self, theta: &[f64], gradient: &[Activation], out: &mut [f64]) {
        out.fill(0.0);
        for (tet, gradient) in gradient.iter().enumerate() {
            for fibre_share in self.of_tet(tet) {
                let own =
                    fibre_derivative(fibre_share.along, theta[fibre_share.contraction as usize]);
                let product: f64 = own.iter().zip(gradient).map(|(a, b)| a * b).sum();
                out[fibre_share.contraction as usize] += fibre_share.share * product;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contractions() -> FibreContractions {
        let fibre_share = |contraction, share, along: DVec3| FibreShare {
            contraction,
            share,
            along: along.normalize(),
        };
        FibreContractions {
            contractions: 2,
            min_contraction: 1.0 - FIBRE_STRETCH_BOUNDS[1],
            starts: vec![0, 1, 3],
            shares: vec![
                fibre_share(0, 1.0, DVec3::new(1.0, 2.0, 0.5)),
                fibre_share(0, 0.3, DVec3::X),
                fibre_share(1, 0.7, DVec3::new(0.0, 1.0, -1.0)),
            ],
        }
    }

    #[test]
    fn derivatives_match_differences_and_their_transposes() {
        let fibres = contractions();
        let theta = [0.2, -0.1];
        let (mut ahead, mut behind, mut slope) = ([[0.0; 6]; 2], [[0.0; 6]; 2], [[0.0; 6]; 2]);
        for change in [[1.0, 0.0], [0.0, 1.0]] {
            let by = |h: f64| [theta[0] + h * change[0], theta[1] + h * change[1]];
            fibres.activations(&by(1e-5), &mut ahead);
            fibres.activations(&by(-1e-5), &mut behind);
            fibres.apply_jacobian(&theta, &change, &mut slope);
            for ((a, b), s) in ahead.iter().zip(&behind).zip(&slope) {
                for k in 0..6 {
                    assert!(((a[k] - b[k]) / 2e-5 - s[k]).abs() < 1e-9);
                }
            }
            let pull = [[0.3, -0.2, 0.9, 0.1, 0.5, -0.4], [1.0, 0.2, -0.3, 0.6, 0.7, 0.8]];
            let mut gathered = [0.0; 2];
            fibres.apply_transposed_jacobian(&theta, &pull, &mut gathered);
            let one: f64 =
                pull.as_flattened().iter().zip(slope.as_flattened()).map(|(a, b)| a * b).sum();
            let other = gathered[0] * change[0] + gathered[1] * change[1];
            assert!((one - other).abs() < 1e-14);
        }
    }
}
