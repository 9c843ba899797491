//! Conjugate gradients on Newton's matrix, preconditioned by the constant matrix of the projective
//! solver (Hestenes and Stiefel 1952; the preconditioner is that of Liu, Bouaziz, Kavan 2017).
//!
//! Factoring Newton's matrix of a solid takes time that grows with the square of the number of its
//! vertices. The projective matrix A = κM + L is a ninth of it in size, is factored once for all
//! steps, and is spectrally near: some ten to thirty iterations of one product and one solve take
//! the place of a factorisation.
//!
//! The rule ([`is_preferred`]) counts operations, so that the same model is always solved in the
//! same way.

use std::ops::Range;

use pliant_math::cholesky::PanelWork;
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, Row};
use pliant_model::Model;
use pliant_model::potentials::ProxyKind;

use super::hessian::HessianLayout;
use super::projective::Proxy;
use crate::objective::BLOCK;

/// Iterations before the matrix is factored after all: it has stiffness, such as contact, that
/// the preconditioner does not know.
const MOST_ITERATIONS: u32 = 150;

/// Multiplications in a factorisation from which on iterations win.
const MOST_MULTIPLICATIONS: f64 = 3e8;

/// Whether conjugate gradients take less time than factoring: decided by the multiplications of a
/// factor with so many numbers, Σ (numbers in a column)² over its columns, as if all were alike.
pub(super) fn is_preferred(unknowns: usize, factor_values: usize) -> bool {
    let mean = factor_values as f64 / unknowns.max(1) as f64;
    factor_values as f64 * mean > MOST_MULTIPLICATIONS
}

/// How an attempt to solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The residual has fallen as asked.
    Solved,
    /// A direction along which the matrix is not positive.
    Indefinite,
    /// Too many iterations, numbers that are none, or no preconditioner.
    Slow,
}

/// Preconditioners and vectors over the free vertices.
pub struct ConjugateSpace {
    /// One for each κ, the last used first.
    proxies: Vec<Preconditioner>,
    narrow: Buffer<Row<f32>>,
    residual: Buffer<Row>,
    preconditioned: Buffer<Row>,
    search: Buffer<Row>,
    product: Buffer<Row>,
    sums: Vec<f64>,
}

struct Preconditioner {
    kappa: f64,
    /// None where the projective matrix is not positive definite.
    factored: Option<(Proxy, PanelWork<f32>)>,
}

impl ConjugateSpace {
    /// Vectors for so many free vertices.
    pub fn new(free: usize) -> Self {
        let rows = || Buffer::zeroed(free);
        ConjugateSpace {
            proxies: Vec::new(),
            narrow: Buffer::zeroed(free),
            residual: rows(),
            preconditioned: rows(),
            search: rows(),
            product: rows(),
            sums: vec![0.0; free.div_ceil(BLOCK)],
        }
    }

    /// Factors the preconditioner for a κ [1/s²], if that has not been done. Without one, solves
    /// do not succeed.
    pub fn prepare(&mut self, model: &Model, kappa: f64, team: &Team) {
        if let Some(found) = self.proxies.iter().position(|p| p.kappa == kappa) {
            self.proxies.swap(0, found);
            return;
        }
        let factored = Proxy::new(model, kappa, ProxyKind::Typical).ok().map(|proxy| {
            let work = PanelWork::new(proxy.factor(), team.size());
            (proxy, work)
        });
        self.proxies.insert(0, Preconditioner { kappa, factored });
    }

    /// Solves H d = −g for the matrix of the last assembly, until the residual has fallen to
    /// `accuracy` of ‖g‖.
    pub(super) fn solve(
        &mut self,
        layout: &HessianLayout,
        gradient: &[Row],
        accuracy: f64,
        direction: &mut [f64],
        team: &Team,
    ) -> Outcome {
        let ConjugateSpace { proxies, narrow, residual, preconditioned, search, product, sums } =
            self;
        let Some(Preconditioner { factored: Some((proxy, work)), .. }) = proxies.first_mut() else {
            return Outcome::Slow;
        };
        direction.fill(0.0);
        let first = {
            let residual = SharedSlice::new(residual);
            in_blocks(gradient.len(), sums, team, &|range| {
                // SAFETY: each block has its own rows.
                let out = unsafe { residual.range(range.start, range.end) };
                let mut sum = Row::zero();
                for (r, g) in out.iter_mut().zip(&gradient[range]) {
                    *r = *g * -1.0;
                    sum = sum + r.times(*r);
                }
                sum.sum()
            })
        };
        let goal = accuracy * accuracy * first;
        let (mut size, mut alignment) = (first, 0.0);
        for iteration in 0..MOST_ITERATIONS {
            // In units of the residual's size: single precision has no room for extremes.
            let scale = size.sqrt();
            if !(scale > 0.0 && scale.is_finite()) {
                return Outcome::Slow;
            }
            for (out, r) in narrow.iter_mut().zip(&**residual) {
                *out = (*r * (1.0 / scale)).narrow();
            }
            proxy.factor().solve(narrow, work, team);
            let before = alignment;
            alignment = {
                let out = SharedSlice::new(preconditioned);
                let (narrow, residual) = (&**narrow, &**residual);
                in_blocks(residual.len(), sums, team, &|range| {
                    // SAFETY: each block has its own rows.
                    let out = unsafe { out.range(range.start, range.end) };
                    let mut sum = Row::zero();
                    for (k, v) in range.enumerate() {
                        out[k] = narrow[v].widen() * scale;
                        sum = sum + out[k].times(residual[v]);
                    }
                    sum.sum()
                })
            };
            let keep = if iteration == 0 { 0.0 } else { alignment / before };
            for (p, z) in search.iter_mut().zip(&**preconditioned) {
                *p = z.plus_scaled(keep, *p);
            }
            let curvature = {
                let (product, search) = (SharedSlice::new(product), &**search);
                in_blocks(search.len(), sums, team, &|range| {
                    // SAFETY: each block has its own rows.
                    let out = unsafe { product.range(range.start, range.end) };
                    let mut sum = Row::zero();
                    for (k, v) in range.enumerate() {
                        out[k] = layout.multiply_row(v, search);
                        sum = sum + out[k].times(search[v]);
                    }
                    sum.sum()
                })
            };
            if curvature.is_nan() || alignment.is_nan() {
                return Outcome::Slow;
            }
            if curvature <= 0.0 {
                return Outcome::Indefinite;
            }
            let step = alignment / curvature;
            size = {
                let (residual, direction) =
                    (SharedSlice::new(residual), SharedSlice::new(direction));
                let (search, product) = (&**search, &**product);
                in_blocks(search.len(), sums, team, &|range| {
                    // SAFETY: each block has its own rows.
                    let (r, d) = unsafe {
                        (
                            residual.range(range.start, range.end),
                            direction.range(3 * range.start, 3 * range.end),
                        )
                    };
                    let mut sum = Row::zero();
                    for (k, v) in range.enumerate() {
                        for c in 0..3 {
                            d[3 * k + c] = search[v].0[c].mul_add(step, d[3 * k + c]);
                        }
                        r[k] = r[k].plus_scaled(-step, product[v]);
                        sum = sum + r[k].times(r[k]);
                    }
                    sum.sum()
                })
            };
            if size <= goal {
                return Outcome::Solved;
            }
        }
        Outcome::Slow
    }
}

/// Calls `part` for blocks of rows on all threads, and adds up what it returns in order.
fn in_blocks(
    count: usize,
    sums: &mut [f64],
    team: &Team,
    part: &(dyn Fn(Range<usize>) -> f64 + Sync),
) -> f64 {
    let blocks = count.div_ceil(BLOCK);
    let shared = SharedSlice::new(sums);
    team.each(blocks, &|b, _| {
        let sum = part(b * BLOCK..((b + 1) * BLOCK).min(count));
        // SAFETY: each block has its own sum.
        unsafe { *shared.at(b) = sum }
    });
    sums[..blocks].iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_factors_are_avoided() {
        // Bars of 2,000 and 98,000 tets.
        assert!(!is_preferred(1_728, 350_000));
        assert!(is_preferred(66_000, 30_000_000));
        assert!(!is_preferred(0, 0));
    }
}
