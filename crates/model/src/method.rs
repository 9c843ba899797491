//! How a model is stepped: scheme, solver, correction and damping, with the names that files,
//! messages and menus have for them. The steps themselves are in the crate `pliant-sim`.

mod check;
mod correction;
mod damping;
mod preset;
mod scheme;
mod solver;

pub use check::{MethodError, check};
pub use correction::{Correction, Fepr, FeprMetric, FeprMomenta, FeprSolution};
pub use damping::Damping;
pub use preset::Preset;
pub use scheme::{Problem, Scheme};
pub use solver::Solver;

/// How a model is stepped.
///
/// ```
/// use pliant_model::method::{Method, Scheme};
/// let lively = Method { scheme: Scheme::Bdf2, ..Method::VIVID };
/// assert!(lively.correction.is_some());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// The time rule.
    pub scheme: Scheme,
    /// The minimiser.
    pub solver: Solver,
    /// The correction, if any.
    pub correction: Option<Correction>,
    /// The damping, if any.
    pub damping: Option<Damping>,
}

impl Method {
    /// Implicit midpoint, projective, a light filter and FEPR: vivid motion that lasts.
    pub const VIVID: Method = Method {
        scheme: Scheme::ImplicitMidpoint,
        solver: Method::ROBUST.solver,
        correction: Some(Correction::Fepr(Fepr { filter: 0.1, ..Fepr::DEFAULT })),
        damping: None,
    };

    /// Backward Euler, projective, 20 iterations with a history of 5, undamped: robust, and loses
    /// energy.
    pub const ROBUST: Method = Method {
        scheme: Scheme::BackwardEuler,
        solver: Solver::Projective { iterations: 20, history: 5, tolerance: 0.0 },
        correction: None,
        damping: None,
    };
}

impl Default for Method {
    /// [`Method::ROBUST`].
    fn default() -> Self {
        Method::ROBUST
    }
}
