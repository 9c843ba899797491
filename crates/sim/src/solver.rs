//! Minimisers of a step's objective: [`projective`], [`modified`], [`newton`] and [`xpbd`]; and
//! [`discrete_gradient`], which minimises nothing.

mod at_rest;
mod conjugate;
mod contact;
pub mod discrete_gradient;
pub mod hessian;
mod line_search;
pub mod modified;
pub mod newton;
mod passes;
pub mod projective;
pub mod xpbd;

use pliant_math::Row;

use crate::objective::Sums;
use crate::report::Timings;

/// Where a minimisation starts.
pub struct Start<'a> {
    /// Positions, to be moved to the minimum \[m\].
    pub p: &'a mut [Row],
    /// ∇G at the free vertices, when it ends \[N\].
    pub gradient: &'a mut [Row],
    /// The sums of an evaluation at p, where there was one that left its gradient in `gradient`.
    pub known: Option<Sums>,
}

/// How a minimisation went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverInfo {
    /// Iterations done.
    pub iterations: u32,
    /// Energy or gradient evaluations.
    pub evaluations: u32,
    /// Residual at the end; see [`crate::objective::Sums::residual`].
    pub residual: f64,
    /// Stored energy at the end \[J\].
    pub stored: f64,
    /// No step led downhill any more.
    pub stalled: bool,
    /// Where the time went.
    pub timings: Timings,
}

/// Whether a new value of the objective is no sufficient decrease (Armijo) from the one in
/// `sums`, beyond its rounding error. NaN is none.
fn rises(value: f64, last: f64, predicted: f64, sums: &Sums) -> bool {
    let rise = value - last;
    !(rise <= 1e-4 * predicted || rise <= sums.rounding)
}
