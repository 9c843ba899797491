//! The priors of Eq. 4: what activations are wanted where the skin does not say.
//!
//! R_act wants the matrix of fibres that shorten by one number γ per muscle, found in between from a polynomial
//! ([`gamma`](super::gamma)); R_sparse wants relaxed muscles, those the more that do less; neighbours are to be alike.

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED, fibre};

use super::blend::Blend;
use super::dependence::{Dependence, Strands};
use super::fit::{ActivationModel, FaceFit, Fibres};
use super::gamma::contraction;
use super::gauss_newton::Prior;
use super::residual::Residual;
use crate::model::Share;

/// Weight of the jaw's knobs in the priors: a degree or a millimetre from where the skin over it has it counts as much as
/// so many mm² of skin. Contractions, which are few, leave it to the skin where the jaw is; matrices could make up for any.
const JAW: f64 = 0.004;
const JAW_OF_MATRICES: f64 = 0.1;

/// ‖S − I‖² at which the priors weigh twice as much.
const FAR: f64 = 1.0;
/// What flesh that is lent to muscles costs, relative to R_act: muscles are to do what they can.
const LENT: f64 = 10.0;
/// Mean of ‖S − I‖², as the priors weigh it, at which they have half of their weight.
const STRAINED: f64 = 0.12;
/// Targets that move by less (mm) have priors that weigh less.
const FAINT: f64 = 2.0;
/// A muscle counts as at least this part of all.
const LEAST_PART: f64 = 1e-4;

impl FaceFit<'_> {
    /// The priors' weights, and what they want where activations are now.
    pub(super) fn prior(
        &self,
        unknowns: &[f64],
        yielded: &[Activation],
        weight: f64,
        count: usize,
    ) -> Prior {
        let jaw = match self.dependence {
            Fibres::Strands(_) => JAW,
            _ => JAW_OF_MATRICES,
        };
        let mut prior = Prior { weights: vec![jaw; unknowns.len()], towards: unknowns.to_vec() };
        let own = match &self.dependence {
            Fibres::Tensors(own) => own,
            Fibres::Strands(own) => {
                self.relax_strands(own, &unknowns[..count], weight, &mut prior);
                return prior;
            }
            Fibres::Blend(own) => {
                self.relax_matrices(&own.blend, weight, &mut prior);
                return prior;
            }
        };
        let mut activations = vec![RELAXED; own.tets];
        own.activations(&unknowns[..count], &mut activations);
        let work = beyond(&activations, yielded);
        let (contractions, efforts) = (self.contractions(&work), self.efforts(&work));
        for (tet, shares) in self.shares.iter().enumerate() {
            let (mut sum, mut towards) = (0.0, [0.0; 6]);
            for share in &self.face.shares[shares.clone()] {
                let m = share.muscle as usize;
                let (aligned, relaxed) = match self.options.anatomical {
                    // Nothing is there that could contract along fibres.
                    true if share.is_lent() => (0.0, LENT),
                    true => (1.0, self.options.sparsity * efforts[m]),
                    false => (0.0, 1.0),
                };
                let wanted = fibre(share.fibre, contractions[m]);
                for k in 0..6 {
                    towards[k] += share.part() * (aligned * wanted[k] + relaxed * RELAXED[k]);
                }
                sum += share.part() * (aligned + relaxed);
            }
            let whole: f64 = self.face.shares[shares.clone()].iter().map(Share::part).sum();
            (0..6).for_each(|k| towards[k] += sum * yielded[tet][k]);
            let around = &self.neighbours[tet];
            if self.options.anatomical && !around.is_empty() {
                let each = self.options.smoothness * whole / around.len() as f64;
                for &other in around {
                    (0..6).for_each(|k| towards[k] += each * activations[other as usize][k]);
                }
                sum += self.options.smoothness * whole;
            }
            // Far from relaxed, a step further costs more: flesh can neither vanish nor explode.
            let strain = strain(&work[tet]) / FAR;
            sum *= 1.0 + strain * strain;
            towards.iter_mut().for_each(|t| *t *= 1.0 + strain * strain);
            for k in 0..6 {
                let twice = if matches!(k, 1 | 2 | 4) { 2.0 } else { 1.0 };
                let relative = sum / whole.max(1e-12);
                prior.weights[6 * tet + k] = twice * weight * self.parts[tet] * relative;
                prior.towards[6 * tet + k] = towards[k] / sum.max(1e-12);
            }
        }
        prior
    }

    /// Contractions to none: each counts as the matrix it makes, whose square is 1 along and ¼ twice across. Muscles as a
    /// whole are drawn there the more, the less they do, once it is known what they do: under the last weight.
    fn relax_strands(&self, own: &Strands, contractions: &[f64], weight: f64, prior: &mut Prior) {
        /// What a muscle that contracts by this much weighs more, and the least that counts.
        const SPARSE: (f64, f64, f64) = (25.0, 0.1, 0.01);
        let is_last = self.options.weights.last().is_some_and(|last| weight <= *last);
        let is_sparse =
            is_last && self.options.anatomical && self.options.model == ActivationModel::Muscle;
        let scarce = |by: f64| match is_sparse {
            true => 1.0 + SPARSE.0 * (SPARSE.1 / by.abs().max(SPARSE.2)).powi(2),
            false => 1.0,
        };
        let mut parts = vec![0.0; own.contractions];
        for (tet, part) in self.parts.iter().enumerate() {
            own.of(tet).iter().for_each(|s| parts[s.contraction as usize] += s.share * part);
        }
        for (k, part) in parts.iter().enumerate() {
            prior.weights[k] = 1.5 * weight * part.max(1e-9) * scarce(contractions[k]);
            prior.towards[k] = 0.0;
        }
    }

    /// Muscles' matrices to what they are relaxed, by what of the flesh takes them.
    fn relax_matrices(&self, own: &Blend, weight: f64, prior: &mut Prior) {
        let mut parts = vec![0.0; own.muscles];
        for (tet, part) in self.parts.iter().enumerate() {
            for entry in own.row(tet) {
                let Some(muscle) = (entry.column as usize).checked_sub(1) else { continue };
                parts[muscle] += entry.weight * part;
            }
        }
        for (k, towards) in own.relaxed().iter().enumerate() {
            let twice = if matches!(k % 6, 1 | 2 | 4) { 2.0 } else { 1.0 };
            prior.weights[k] = twice * weight * parts[k / 6].max(LEAST_PART);
            prior.towards[k] = *towards;
        }
    }

    /// γ of every muscle, as a contraction.
    pub(super) fn contractions(&self, activations: &[Activation]) -> Vec<f64> {
        let mut along = vec![[0.0; 3]; self.face.muscles.len()];
        for (shares, a) in self.shares.iter().zip(activations) {
            for share in &self.face.shares[shares.clone()] {
                let q = share.fibre;
                let [xx, xy, xz, yy, yz, zz] = *a;
                let first = xx * q.x * q.x
                    + yy * q.y * q.y
                    + zz * q.z * q.z
                    + 2.0 * (xy * q.x * q.y + xz * q.x * q.z + yz * q.y * q.z);
                let own = &mut along[share.muscle as usize];
                own[0] += share.fraction;
                own[1] += share.fraction * first;
                own[2] += share.fraction * (xx + yy + zz - first);
            }
        }
        along.iter().map(|[whole, first, others]| contraction(*whole, *first, *others)).collect()
    }

    /// How much flesh every muscle shortens by how much, of what all do.
    pub(super) fn work(&self, contractions: &[f64]) -> Vec<f64> {
        let mut work = vec![0.0; self.face.muscles.len()];
        for share in &self.face.shares {
            let m = share.muscle as usize;
            work[m] += share.fraction * contractions[m].max(0.0);
        }
        let whole: f64 = work.iter().sum();
        work.iter_mut().for_each(|own| *own /= whole.max(1e-12));
        work
    }

    /// What R_sparse weighs muscles by: one over the square of what they do, which leaves those out that do little (Candès, Wakin and
    /// Boyd 2008: a sum of logarithms, its weights found again in every step).
    fn efforts(&self, activations: &[Activation]) -> Vec<f64> {
        let mut squares = vec![[0.0; 2]; self.face.muscles.len()];
        for (shares, a) in self.shares.iter().zip(activations) {
            let square = strain(a);
            for share in &self.face.shares[shares.clone()] {
                let own = &mut squares[share.muscle as usize];
                own[0] += share.fraction;
                own[1] += share.fraction * square;
            }
        }
        /// Muscles that do less than this count as doing it.
        const LEAST: f64 = 0.02;
        let norms = squares.iter().map(|[whole, sum]| (sum / whole.max(1e-12)).sqrt());
        norms.map(|norm| (0.1 / norm.max(LEAST)).powi(2)).collect()
    }

    /// The priors' weight for flesh that is drawn to a target (m), as the one that there is; none where none is asked for. The most that is
    /// asked for where flesh must hardly be strained, and the less, the more it must: the skin of a mouth that is wide open is as near to the target
    /// as that of a smile. So are skins that hardly move.
    pub(super) fn affordable(
        &self,
        drawn: &[f64],
        yielded: &[Activation],
        target: &[DVec3],
    ) -> Vec<f64> {
        let Some(most) = self.options.weights.first() else { return Vec::new() };
        let beyond = beyond(drawn.as_chunks().0, yielded);
        let cost = |(tet, own): (usize, &Activation)| {
            let is_lent = self.face.shares[self.shares[tet].start].is_lent();
            self.parts[tet] * strain(own) * if is_lent { LENT } else { 1.0 }
        };
        let strained = beyond.iter().enumerate().map(cost).sum::<f64>() / STRAINED;
        let rest = &self.face.skin.mesh.positions;
        let moved = Residual::of(rest, target, rest).moved / FAINT;
        vec![most * (moved * moved).clamp(LEAST_PART, 1.0) / (1.0 + strained * strained)]
    }
}

/// ‖S − I‖².
pub fn strain(a: &Activation) -> f64 {
    let square = |k: usize| {
        let twice = if matches!(k, 1 | 2 | 4) { 2.0 } else { 1.0 };
        twice * (a[k] - RELAXED[k]) * (a[k] - RELAXED[k])
    };
    (0..6).map(square).sum()
}

/// Activations with what relaxed muscles have lengthened by taken off.
pub(super) fn beyond(activations: &[Activation], yielded: &[Activation]) -> Vec<Activation> {
    let less = |(a, y): (&Activation, &Activation)| std::array::from_fn(|k| a[k] - y[k]);
    activations.iter().zip(yielded).map(less).collect()
}
