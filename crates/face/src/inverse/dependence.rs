//! What activations depend on: a(θ), with its derivative both ways.

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED, fibre};

use super::drawn::{STRETCHES_OF_MUSCLES, bound};

/// a(θ).
pub trait Dependence {
    /// How many numbers θ has.
    fn count(&self) -> usize;

    /// θ of relaxed tissue.
    fn relaxed(&self) -> Vec<f64>;

    /// Takes θ to the nearest that flesh can do.
    fn confine(&self, theta: &mut [f64]);

    /// Whether one of θ is at its end, and would go beyond it against a slope.
    fn is_held(&self, _value: f64, _slope: f64) -> bool {
        false
    }

    /// out ← a(θ).
    fn activations(&self, theta: &[f64], out: &mut [Activation]);

    /// out ← ∂a/∂θ dθ.
    fn spread(&self, theta: &[f64], change: &[f64], out: &mut [Activation]);

    /// out ← (∂a/∂θ)ᵀ g.
    fn gather(&self, theta: &[f64], slope: &[Activation], out: &mut [f64]);
}

/// Six numbers of every tet: the paper's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tensors {
    /// Of tets.
    pub tets: usize,
}

impl Dependence for Tensors {
    fn count(&self) -> usize {
        6 * self.tets
    }

    fn relaxed(&self) -> Vec<f64> {
        RELAXED.repeat(self.tets)
    }

    fn confine(&self, theta: &mut [f64]) {
        theta.as_chunks_mut().0.iter_mut().for_each(bound);
    }

    fn activations(&self, theta: &[f64], out: &mut [Activation]) {
        out.as_flattened_mut().copy_from_slice(theta);
    }

    fn spread(&self, _: &[f64], change: &[f64], out: &mut [Activation]) {
        out.as_flattened_mut().copy_from_slice(change);
    }

    fn gather(&self, _: &[f64], slope: &[Activation], out: &mut [f64]) {
        out.copy_from_slice(slope.as_flattened());
    }
}

/// A share of a tet that contracts along fibres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strand {
    /// Which contraction of θ.
    pub contraction: u32,
    /// Of what is active in the tet; those of a tet add up to 1.
    pub share: f64,
    /// A unit vector.
    pub along: DVec3,
}

/// Contractions along fibres: one per tet, or one per muscle, by which of θ the strands of tets belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strands {
    /// How many contractions there are.
    pub contractions: usize,
    /// No contraction is less: 0 of what does not lengthen by itself.
    pub least: f64,
    /// Of tet i: `strands[starts[i]..starts[i + 1]]`; a tet without any stays relaxed.
    pub starts: Vec<u32>,
    pub strands: Vec<Strand>,
}

impl Strands {
    pub(super) fn of(&self, tet: usize) -> &[Strand] {
        &self.strands[self.starts[tet] as usize..self.starts[tet + 1] as usize]
    }

    fn each(&self, theta: &[f64], out: &mut [Activation], of: impl Fn(&Strand, f64) -> Activation) {
        for (tet, out) in out.iter_mut().enumerate() {
            *out = [0.0; 6];
            for strand in self.of(tet) {
                let own = of(strand, theta[strand.contraction as usize]);
                out.iter_mut().zip(own).for_each(|(o, x)| *o += strand.share * x);
            }
        }
    }
}

/// d/dc of [`fibre`]: −1 along, ½ (1 − c)^(−3/2) across.
fn fibre_slope(along: DVec3, contraction: f64) -> Activation {
    let across = 0.5 * (1.0 - contraction.clamp(-4.0, 0.9)).powf(-1.5);
    let [x, y, z] = along.to_array();
    let dyad = [x * x, x * y, x * z, y * y, y * z, z * z];
    std::array::from_fn(|k| (-1.0 - across) * dyad[k] + across * RELAXED[k])
}

impl Dependence for Strands {
    fn count(&self) -> usize {
        self.contractions
    }

    fn relaxed(&self) -> Vec<f64> {
        vec![0.0; self.contractions]
    }

    fn confine(&self, theta: &mut [f64]) {
        theta.iter_mut().for_each(|c| *c = c.clamp(self.least, 1.0 - STRETCHES_OF_MUSCLES[0]));
    }

    fn is_held(&self, value: f64, slope: f64) -> bool {
        value <= self.least && slope > 0.0
    }

    fn activations(&self, theta: &[f64], out: &mut [Activation]) {
        self.each(theta, out, |strand, c| fibre(strand.along, c));
        for (tet, out) in out.iter_mut().enumerate() {
            if self.of(tet).is_empty() {
                *out = RELAXED;
            }
        }
    }

    fn spread(&self, theta: &[f64], change: &[f64], out: &mut [Activation]) {
        self.each(theta, out, |strand, c| {
            fibre_slope(strand.along, c).map(|x| x * change[strand.contraction as usize])
        });
    }

    fn gather(&self, theta: &[f64], slope: &[Activation], out: &mut [f64]) {
        out.fill(0.0);
        for (tet, slope) in slope.iter().enumerate() {
            for strand in self.of(tet) {
                let own = fibre_slope(strand.along, theta[strand.contraction as usize]);
                let product: f64 = own.iter().zip(slope).map(|(a, b)| a * b).sum();
                out[strand.contraction as usize] += strand.share * product;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strands() -> Strands {
        let strand = |contraction, share, along: DVec3| Strand {
            contraction,
            share,
            along: along.normalize(),
        };
        Strands {
            contractions: 2,
            least: 1.0 - STRETCHES_OF_MUSCLES[1],
            starts: vec![0, 1, 3],
            strands: vec![
                strand(0, 1.0, DVec3::new(1.0, 2.0, 0.5)),
                strand(0, 0.3, DVec3::X),
                strand(1, 0.7, DVec3::new(0.0, 1.0, -1.0)),
            ],
        }
    }

    #[test]
    fn derivatives_match_differences_and_their_transposes() {
        let strands = strands();
        let theta = [0.2, -0.1];
        let (mut ahead, mut behind, mut slope) = ([[0.0; 6]; 2], [[0.0; 6]; 2], [[0.0; 6]; 2]);
        for change in [[1.0, 0.0], [0.0, 1.0]] {
            let by = |h: f64| [theta[0] + h * change[0], theta[1] + h * change[1]];
            strands.activations(&by(1e-5), &mut ahead);
            strands.activations(&by(-1e-5), &mut behind);
            strands.spread(&theta, &change, &mut slope);
            for ((a, b), s) in ahead.iter().zip(&behind).zip(&slope) {
                for k in 0..6 {
                    assert!(((a[k] - b[k]) / 2e-5 - s[k]).abs() < 1e-9);
                }
            }
            let pull = [[0.3, -0.2, 0.9, 0.1, 0.5, -0.4], [1.0, 0.2, -0.3, 0.6, 0.7, 0.8]];
            let mut gathered = [0.0; 2];
            strands.gather(&theta, &pull, &mut gathered);
            let one: f64 =
                pull.as_flattened().iter().zip(slope.as_flattened()).map(|(a, b)| a * b).sum();
            let other = gathered[0] * change[0] + gathered[1] * change[1];
            assert!((one - other).abs() < 1e-14);
        }
    }
}
