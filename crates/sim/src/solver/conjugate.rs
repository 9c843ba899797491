//! Conjugate gradients on Newton's matrix, preconditioned by the constant matrix of the projective
//! solver (Hestenes and Stiefel 1952; the preconditioner is that of Liu, Bouaziz, Kavan 2017).
//!
//! Factoring Newton's matrix of a solid takes time that grows with the square of the number of its
//! vertices. The projective matrix A = κM + L is a ninth of it in size, is factored once for all
//! steps, and is spectrally near: some ten to thirty iterations of one product and one solve take
//! the place of a factorisation.
//!
//! The rule ([`Patience::new`]) counts operations, so that the same model is always solved in the
//! same way.

use std::ops::Range;

use pliant_math::cholesky::PanelWork;
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{Buffer, Row};
use pliant_model::Model;
use pliant_model::potentials::{Curvature, ProxyKind};
use pliant_model::touching::Touch;

use super::at_rest::AtRest;
use super::hessian::HessianLayout;
use super::modified::dot;
use super::projective::Proxy;
use crate::blocks::each_block;
use crate::objective::{BLOCK, Objective};
use crate::scheme;

/// How many iterations conjugate gradients have, before the matrix is factored after all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patience {
    /// Where nothing touches.
    apart: u32,
    /// Where bodies touch: that is in the preconditioner, and not in a factorisation.
    touching: u32,
}

/// Multiplications in a factorisation from which on iterations may win, and always do.
const SOME_MULTIPLICATIONS: f64 = 3e8;
const MOST_MULTIPLICATIONS: f64 = 3e9;

impl Patience {
    /// For a matrix with stiffness, such as contact, that the preconditioner does not know.
    pub const LONG: Patience = Patience { apart: 150, touching: 150 };
    /// Where nothing has inertia, and a factorisation takes no longer than so many: the matrix of
    /// an equilibrium is far from what it was at rest where a jaw is wide open, and then takes
    /// iterations by the hundred.
    const SHORT: Patience = Patience { apart: 10, touching: 10 };

    /// With which iterations can be quicker than factoring, if they can be: decided by the
    /// multiplications of a factor with so many numbers, Σ (numbers in a column)² over its columns,
    /// as if all were alike.
    pub fn new(is_still: bool, unknowns: usize, factor_values: usize) -> Option<Patience> {
        let multiplications = (factor_values as f64).powi(2) / unknowns.max(1) as f64;
        let is_small = multiplications <= MOST_MULTIPLICATIONS && is_still;
        let own = if is_small { Patience::SHORT } else { Patience::LONG };
        (multiplications > SOME_MULTIPLICATIONS).then_some(own)
    }
}

/// Whether a model goes from one equilibrium, or nearly that, to the next: without inertia, or as
/// flesh that muscles move, which weighs little beside what they exert.
pub(super) fn is_still(model: &Model) -> bool {
    scheme::is_equilibrium(model.method().scheme) || model.contracts()
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
    vectors: ConjugateVectors,
}

/// Vectors over the free vertices.
pub struct ConjugateVectors {
    residual: Buffer<Row>,
    preconditioned: Buffer<Row>,
    search: Buffer<Row>,
    product: Buffer<Row>,
    sums: Vec<f64>,
    patience: Patience,
}

/// A matrix for one κ; none where it is not positive definite.
struct Preconditioner {
    kappa: f64,
    factored: Factored,
}

enum Factored {
    Projective(Box<(Proxy, PanelWork<f32>)>),
    /// Without inertia the projective matrix is far from Newton's.
    AtRest(Box<AtRest>),
    None,
}

impl Factored {
    /// out ← rows of about a size, divided by it; whether there is something to divide by.
    fn divide(
        &mut self,
        rows: &[Row],
        scale: f64,
        narrow: &mut [Row<f32>],
        out: &mut [Row],
        team: &Team,
    ) -> bool {
        match self {
            Factored::Projective(factored) => {
                let (proxy, work) = &mut **factored;
                // In units of the rows' size: single precision has no room for extremes.
                for (to, r) in narrow.iter_mut().zip(rows) {
                    *to = (*r * (1.0 / scale)).narrow();
                }
                proxy.factor().solve(narrow, work, team);
                for (out, row) in out.iter_mut().zip(&*narrow) {
                    *out = row.widen() * scale;
                }
            }
            Factored::AtRest(matrix) => matrix.divide(rows, scale, out, team),
            Factored::None => return false,
        }
        true
    }
}

impl ConjugateSpace {
    /// Vectors for so many free vertices.
    pub(super) fn new(free: usize, patience: Patience) -> Self {
        ConjugateSpace {
            proxies: Vec::new(),
            narrow: Buffer::zeroed(free),
            vectors: ConjugateVectors::new(free, patience),
        }
    }

    /// Whether iterations are quicker than factoring however many they are.
    pub fn is_patient(&self) -> bool {
        self.vectors.patience == Patience::LONG
    }

    /// Factors the preconditioner for a κ [1/s²], if that has not been done. Without one, solves
    /// do not succeed.
    pub fn prepare(&mut self, model: &Model, kappa: f64, team: &Team) {
        if let Some(found) = self.proxies.iter().position(|p| p.kappa == kappa) {
            self.proxies.swap(0, found);
            return;
        }
        let projective = |proxy: Proxy| {
            let work = PanelWork::new(proxy.factor(), team.size());
            Factored::Projective(Box::new((proxy, work)))
        };
        let factored = if is_still(model) {
            AtRest::new(model, kappa, team).map(|matrix| Factored::AtRest(Box::new(matrix)))
        } else {
            Proxy::new(model, kappa, ProxyKind::Typical).map(projective)
        };
        let factored = factored.unwrap_or(Factored::None);
        self.proxies.insert(0, Preconditioner { kappa, factored });
    }

    /// Solves H d = −g for the matrix of the last assembly and what couples vertices beside it,
    /// until the residual has fallen to `accuracy` of ‖g‖; preconditioned by what was prepared.
    pub(super) fn solve(
        &mut self,
        layout: &HessianLayout,
        gradient: &[Row],
        accuracy: f64,
        direction: &mut [f64],
        team: &Team,
    ) -> Outcome {
        let ConjugateSpace { proxies, narrow, vectors } = self;
        let precondition = |residual: &[Row], scale: f64, out: &mut [Row]| {
            let first = proxies.first_mut();
            first.is_some_and(|first| first.factored.divide(residual, scale, narrow, out, team))
        };
        vectors.solve((layout, precondition), gradient, accuracy, direction, team)
    }

    /// out ← rows divided by the preconditioner; whether there is one.
    pub(super) fn precondition(&mut self, rows: &[Row], out: &mut [Row], team: &Team) -> bool {
        let ConjugateSpace { proxies, narrow, vectors } = self;
        let scale = dot(rows, rows, &mut vectors.sums, team).sqrt();
        if !(scale > 0.0 && scale.is_finite()) {
            out.fill(Row::zero());
            return scale == 0.0;
        }
        let first = proxies.first_mut();
        first.is_some_and(|first| first.factored.divide(rows, scale, narrow, out, team))
    }

    /// Takes over how everything has turned at `p`, and what touches there.
    pub(super) fn meet(
        &mut self,
        objective: &Objective,
        p: &[Row],
        touches: &[Touch],
        curvature: Curvature,
        team: &Team,
    ) {
        if let Some(Preconditioner { factored: Factored::AtRest(matrix), .. }) =
            self.proxies.first_mut()
        {
            matrix.turn(p, team);
            matrix.meet(objective, p, touches, curvature, None, team);
        }
    }
}

impl ConjugateVectors {
    /// Vectors for so many free vertices.
    pub(super) fn new(free: usize, patience: Patience) -> Self {
        let rows = || Buffer::zeroed(free);
        ConjugateVectors {
            residual: rows(),
            preconditioned: rows(),
            search: rows(),
            product: rows(),
            sums: vec![0.0; free.div_ceil(BLOCK)],
            patience,
        }
    }

    /// The same with any preconditioner: `precondition(residual, its norm, out)`, which says
    /// whether it could.
    pub(super) fn solve(
        &mut self,
        (layout, mut precondition): (&HessianLayout, impl FnMut(&[Row], f64, &mut [Row]) -> bool),
        gradient: &[Row],
        accuracy: f64,
        direction: &mut [f64],
        team: &Team,
    ) -> Outcome {
        let ConjugateVectors { residual, preconditioned, search, product, sums, patience } = self;
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
        let most = if layout.is_coupled() { patience.touching } else { patience.apart };
        for iteration in 0..most {
            let scale = size.sqrt();
            if !(scale > 0.0 && scale.is_finite() && precondition(residual, scale, preconditioned))
            {
                return Outcome::Slow;
            }
            let before = alignment;
            alignment = dot(preconditioned, residual, sums, team);
            let keep = if iteration == 0 { 0.0 } else { alignment / before };
            for (p, z) in search.iter_mut().zip(&**preconditioned) {
                *p = z.plus_scaled(keep, *p);
            }
            {
                let (product, search) = (SharedSlice::new(product), &**search);
                each_block(search.len(), team, &|_, block| {
                    // SAFETY: each block has its own rows.
                    let out = unsafe { product.range(block.start, block.end) };
                    for (out, v) in out.iter_mut().zip(block) {
                        *out = layout.multiply_row(v, search);
                    }
                });
            }
            layout.add_couplings(search, product);
            let curvature = dot(product, search, sums, team);
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

    /// −g divided by a preconditioner alone; whether it could be.
    pub(super) fn once(
        &mut self,
        mut precondition: impl FnMut(&[Row], f64, &mut [Row]) -> bool,
        gradient: &[Row],
        direction: &mut [f64],
    ) -> bool {
        let is_divided = precondition(gradient, 1.0, &mut self.preconditioned);
        for (d, row) in direction.chunks_exact_mut(3).zip(&*self.preconditioned) {
            d.copy_from_slice(&[-row.0[0], -row.0[1], -row.0[2]]);
        }
        is_divided
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
        let moving = |unknowns, values| Patience::new(false, unknowns, values);
        assert_eq!(moving(1_728, 350_000), None);
        assert_eq!(moving(66_000, 30_000_000), Some(Patience::LONG));
        assert_eq!(moving(0, 0), None);
        // Faces of 35,000 and 115,000 tets.
        let at_rest = |unknowns, values| Patience::new(true, unknowns, values);
        assert_eq!(at_rest(19_476, 2_709_369), Some(Patience::SHORT));
        assert_eq!(at_rest(60_000, 15_000_000), Some(Patience::LONG));
    }
}
