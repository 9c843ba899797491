//! Corrections: what acts on a state after the solve, to keep its energy.

use serde::Serialize;

use crate::words::words;

words! {
    /// What acts on a state after the solve.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub enum Correction: "correction" {
        /// Fast energy projection: energy follows its budget, momenta are kept where nothing
        /// external acts.
        "fepr", "FEPR", ["dinev2018fepr"] => Fepr(Fepr = Fepr::DEFAULT),
        /// Blends the step with one of backward or forward Euler until the energy is met: for
        /// comparisons.
        "blend", "Blend", ["dinev2018stabilizing"] => Blend {
            /// How far the energy may be off, relative to the energy before the step.
            epsilon: f64 = 0.01,
        },
        /// Scales velocities to the energy: for comparisons.
        "velocity", "Velocities", ["su2013"] => Velocity,
        /// Minimises the step with the energy as a constraint: for implicit schemes, for
        /// comparisons.
        "lagrange", "Lagrange", ["hughes1978"] => Lagrange,
    }
}

/// How FEPR projects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fepr {
    /// What becomes of the momenta.
    pub momenta: FeprMomenta,
    /// Metric in which the correction is small.
    pub metric: FeprMetric,
    /// Share of the stiffest motion that a filter takes before projecting; 0 for none.
    pub filter: f64,
    /// How the closest state is searched.
    pub solution: FeprSolution,
}

impl Fepr {
    /// Smooth, momenta held, no filter, fast.
    pub const DEFAULT: Fepr = Fepr {
        momenta: FeprMomenta::Held,
        metric: FeprMetric::Smooth,
        filter: 0.0,
        solution: FeprSolution::Fast,
    };
}

impl Default for Fepr {
    /// [`Fepr::DEFAULT`].
    fn default() -> Self {
        Fepr::DEFAULT
    }
}

words! {
    /// What becomes of the momenta in FEPR.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub enum FeprMomenta: "rule of momenta" {
        /// Exactly those of the start where nothing external acts, free elsewhere.
        "held", "Held", [] => Held,
        /// Between those before and after the step, or beyond, as in Eq. 1 of the paper.
        "paper", "As in the paper", ["dinev2018fepr"] => Paper {
            /// c of ε = c m r², which keeps s and t small.
            epsilon: f64 = 1e-3,
        },
    }
}

words! {
    /// Metric in which FEPR's corrections are small.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum FeprMetric: "metric" {
        /// The projective matrix: corrections smooth in space.
        "smooth", "Smooth", [] => Smooth,
        /// The diagonal of the projective matrix.
        "diagonal", "Diagonal", [] => Diagonal,
        /// Masses, as in the paper.
        "mass", "Masses", ["dinev2018fepr"] => Mass,
    }
}

words! {
    /// How FEPR searches the state that is closest to the step's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum FeprSolution: "kind of solution" {
        /// From iterate to iterate, Eq. 8 of the paper: nearly the closest.
        "fast", "Fast", ["dinev2018fepr"] => Fast,
        /// The closest, Eq. 2, by Newton's method: in the metrics of masses or of the diagonal.
        "exact", "Exact", ["dinev2018fepr"] => Exact,
        /// Eq. 7, which both improve on: for comparisons; it often does not converge.
        "anchored", "Anchored", ["dinev2018fepr"] => Anchored,
    }
}
