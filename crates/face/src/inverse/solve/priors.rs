//! The priors of Eq. 4 of \[ichim2017phace\]: activations that are wanted where the skin does not
//! decide.
//!
//! R_act wants the matrix of fibres that shorten by one number γ per muscle
//! (`muscle_contraction.rs`). R_sparse wants relaxed muscles, the more the less they do. A
//! smoothness term wants equal matrices in neighbouring tets.

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED, fibre};

use super::{ActivationModel, FaceFit, FaceParametrisation, QuadraticPrior, optimal_contraction};
use crate::inverse::activation::{
    FibreContractions, MULTIPLICITY, Parametrisation, squared_strain, stretch_along,
    without_passive_stretch,
};
use crate::inverse::muscle_geometry::GeometryMatrix;
use crate::inverse::targets::Residual;
use crate::model::Share;

/// Weights of the jaw's knobs (mm² of skin per squared degree or mm), for fibre contractions and
/// for matrices. The few contractions leave the jaw pose to the skin; matrices could compensate any
/// pose.
const JAW: f64 = 0.004;
const JAW_WITH_MATRICES: f64 = 0.1;

/// ‖S − I‖² at which the priors double.
const DOUBLING_STRAIN: f64 = 1.0;
/// Cost of assignable tissue relative to R_act; it makes muscles do what they can.
const ASSIGNABLE: f64 = 10.0;
/// Weighted mean of ‖S − I‖² at which the priors halve.
const HALVING_STRAIN: f64 = 0.12;
/// Motion of the target (mm) below which the priors get less weight.
const FAINT_MOTION: f64 = 2.0;
/// Lower bound of a muscle's share in the active tissue.
const LEAST_SHARE: f64 = 1e-4;

impl FaceFit<'_> {
    /// Weights and goals of the prior at the current activations.
    pub(crate) fn prior(
        &self,
        unknowns: &[f64],
        passive_stretch: &[Activation],
        weight: f64,
        count: usize,
    ) -> QuadraticPrior {
        let jaw = match self.parametrisation {
            FaceParametrisation::Fibres(_) => JAW,
            _ => JAW_WITH_MATRICES,
        };
        let mut prior =
            QuadraticPrior { weights: vec![jaw; unknowns.len()], towards: unknowns.to_vec() };
        let own = match &self.parametrisation {
            FaceParametrisation::TetMatrices(own) => own,
            FaceParametrisation::Fibres(own) => {
                self.relax_contractions(own, &unknowns[..count], weight, &mut prior);
                return prior;
            }
            FaceParametrisation::Geometry(own) => {
                self.relax_matrices(&own.geometry, weight, &mut prior);
                return prior;
            }
        };
        let mut activations = vec![RELAXED; own.tets];
        own.activations(&unknowns[..count], &mut activations);
        let work = without_passive_stretch(&activations, passive_stretch);
        let (contractions, sparsity_weights) =
            (self.contractions(&work), self.sparsity_weights(&work));
        for (tet, shares) in self.shares.iter().enumerate() {
            let (mut sum, mut towards) = (0.0, [0.0; 6]);
            for share in &self.face.shares[shares.clone()] {
                let m = share.muscle as usize;
                let (aligned, relaxed) = match self.options.anatomical {
                    // No fibres run there that could contract.
                    true if share.is_assignable() => (0.0, ASSIGNABLE),
                    true => (1.0, self.options.sparsity * sparsity_weights[m]),
                    false => (0.0, 1.0),
                };
                let wanted = fibre(share.fibre, contractions[m]);
                for k in 0..6 {
                    towards[k] +=
                        share.active_weight() * (aligned * wanted[k] + relaxed * RELAXED[k]);
                }
                sum += share.active_weight() * (aligned + relaxed);
            }
            let whole: f64 =
                self.face.shares[shares.clone()].iter().map(Share::active_weight).sum();
            (0..6).for_each(|k| towards[k] += sum * passive_stretch[tet][k]);
            let around = &self.neighbours[tet];
            if self.options.anatomical && !around.is_empty() {
                let each = self.options.smoothness * whole / around.len() as f64;
                for &other in around {
                    (0..6).for_each(|k| towards[k] += each * activations[other as usize][k]);
                }
                sum += self.options.smoothness * whole;
            }
            // Far from relaxed, further strain costs more: flesh must neither vanish nor explode.
            let strain = squared_strain(&work[tet]) / DOUBLING_STRAIN;
            sum *= 1.0 + strain * strain;
            towards.iter_mut().for_each(|t| *t *= 1.0 + strain * strain);
            for k in 0..6 {
                let relative = sum / whole.max(1e-12);
                prior.weights[6 * tet + k] =
                    MULTIPLICITY[k] * weight * self.active_shares[tet] * relative;
                prior.towards[6 * tet + k] = towards[k] / sum.max(1e-12);
            }
        }
        prior
    }

    /// Prior of contractions towards zero. Each counts as the matrix that it makes, with squares of
    /// 1 along the fibres and ¼ twice across. Under the last weight, muscles that do little are
    /// drawn to zero more strongly.
    fn relax_contractions(
        &self,
        own: &FibreContractions,
        contractions: &[f64],
        weight: f64,
        prior: &mut QuadraticPrior,
    ) {
        /// Extra weight, contraction at which it applies, and least contraction that counts.
        const SPARSE: (f64, f64, f64) = (25.0, 0.1, 0.01);
        let is_last = self.options.weights.last().is_some_and(|last| weight <= *last);
        let is_sparse =
            is_last && self.options.anatomical && self.options.model == ActivationModel::Muscle;
        let scarce = |by: f64| match is_sparse {
            true => 1.0 + SPARSE.0 * (SPARSE.1 / by.abs().max(SPARSE.2)).powi(2),
            false => 1.0,
        };
        let mut own_shares = vec![0.0; own.contractions];
        for (tet, part) in self.active_shares.iter().enumerate() {
            own.of_tet(tet)
                .iter()
                .for_each(|s| own_shares[s.contraction as usize] += s.share * part);
        }
        for (k, part) in own_shares.iter().enumerate() {
            prior.weights[k] = 1.5 * weight * part.max(1e-9) * scarce(contractions[k]);
            prior.towards[k] = 0.0;
        }
    }

    /// Prior of muscle matrices towards relaxed ones, weighted by the flesh that takes them.
    fn relax_matrices(&self, own: &GeometryMatrix, weight: f64, prior: &mut QuadraticPrior) {
        let mut own_shares = vec![0.0; own.muscles];
        for (tet, part) in self.active_shares.iter().enumerate() {
            for entry in own.row(tet) {
                let Some(muscle) = (entry.column as usize).checked_sub(1) else { continue };
                own_shares[muscle] += entry.weight * part;
            }
        }
        for (k, towards) in own.relaxed().iter().enumerate() {
            prior.weights[k] = MULTIPLICITY[k % 6] * weight * own_shares[k / 6].max(LEAST_SHARE);
            prior.towards[k] = *towards;
        }
    }

    /// Contraction 1 − 1/γ of each muscle.
    pub(crate) fn contractions(&self, activations: &[Activation]) -> Vec<f64> {
        let mut along = vec![[0.0; 3]; self.face.muscles.len()];
        for (shares, a) in self.shares.iter().zip(activations) {
            for share in &self.face.shares[shares.clone()] {
                let first = stretch_along(a, share.fibre.to_array());
                let own = &mut along[share.muscle as usize];
                own[0] += share.fraction;
                own[1] += share.fraction * first;
                own[2] += share.fraction * (a[0] + a[3] + a[5] - first);
            }
        }
        along
            .iter()
            .map(|[whole, first, others]| optimal_contraction(*whole, *first, *others))
            .collect()
    }

    /// Share of each muscle in the volume of flesh times its shortening.
    pub(crate) fn work(&self, contractions: &[f64]) -> Vec<f64> {
        let mut work = vec![0.0; self.face.muscles.len()];
        for share in &self.face.shares {
            let m = share.muscle as usize;
            work[m] += share.fraction * contractions[m].max(0.0);
        }
        let whole: f64 = work.iter().sum();
        work.iter_mut().for_each(|own| *own /= whole.max(1e-12));
        work
    }

    /// Weights of R_sparse, one over the square of what a muscle does: reweighted ℓ₁ minimisation
    /// \[candes2008\], updated in every step.
    fn sparsity_weights(&self, activations: &[Activation]) -> Vec<f64> {
        let mut squares = vec![[0.0; 2]; self.face.muscles.len()];
        for (shares, a) in self.shares.iter().zip(activations) {
            let square = squared_strain(a);
            for share in &self.face.shares[shares.clone()] {
                let own = &mut squares[share.muscle as usize];
                own[0] += share.fraction;
                own[1] += share.fraction * square;
            }
        }
        /// Muscles that do less count as this.
        const LEAST: f64 = 0.02;
        let norms = squares.iter().map(|[whole, sum]| (sum / whole.max(1e-12)).sqrt());
        norms.map(|norm| (0.1 / norm.max(LEAST)).powi(2)).collect()
    }

    /// The one weight of the priors for flesh attracted to a target (m); empty if the options have
    /// none. The greatest weight applies to flesh that is hardly strained. It falls with the
    /// strain, and for targets that hardly move, so that all skins are met equally well.
    pub(crate) fn prior_weights(
        &self,
        guess: &[f64],
        passive_stretch: &[Activation],
        target: &[DVec3],
    ) -> Vec<f64> {
        let Some(most) = self.options.weights.first() else { return Vec::new() };
        let acting = without_passive_stretch(guess.as_chunks().0, passive_stretch);
        let cost = |(tet, own): (usize, &Activation)| {
            let is_assignable = self.face.shares[self.shares[tet].start].is_assignable();
            self.active_shares[tet]
                * squared_strain(own)
                * if is_assignable { ASSIGNABLE } else { 1.0 }
        };
        let strained = acting.iter().enumerate().map(cost).sum::<f64>() / HALVING_STRAIN;
        let rest = &self.face.skin.mesh.positions;
        let moved = Residual::of(rest, target, rest).moved / FAINT_MOTION;
        vec![most * (moved * moved).clamp(LEAST_SHARE, 1.0) / (1.0 + strained * strained)]
    }
}
