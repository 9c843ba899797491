//! Minimisers of a step's incremental potential.

use serde::Serialize;

use super::{Method, Problem, Scheme};
use crate::words::words;

const NEWTON_ITERATIONS: u32 = 100;
const NEWTON_TOLERANCE: f64 = 1e-9;

words! {
    /// The minimiser of a step's incremental potential.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub enum Solver: "solver" {
        /// Projective dynamics: a quasi-Newton method on a matrix that is factored once.
        "projective", "Projective dynamics", ["liu2017"] => Projective {
            /// Most iterations per step.
            iterations: u32 = 20,
            /// Pairs of the L-BFGS history; 0 is plain local/global.
            history: u32 = 5,
            /// Relative gradient norm to stop at; 0 runs all iterations.
            tolerance: f64 = 0.0,
        },
        /// Newton's method: a factorisation per iteration.
        "newton", "Newton", ["sifakis2012"] => Newton {
            /// Most iterations per step; 1 is the linearised scheme.
            iterations: u32 = NEWTON_ITERATIONS,
            /// Relative gradient norm to stop at.
            tolerance: f64 = NEWTON_TOLERANCE,
        },
        /// Compliant constraints, relaxed one after the other: for backward Euler.
        "xpbd", "XPBD", ["macklin2016"] => Xpbd {
            /// Visits to every constraint per step.
            iterations: u32 = 40,
        },
        /// A quasi-Newton method on Newton's matrix at rest, factored once: knows volumes and
        /// fibres, for equilibria.
        "modified", "Newton at rest", ["liu2017"] => Modified {
            /// Most iterations per step.
            iterations: u32 = 20,
            /// Pairs of the L-BFGS history.
            history: u32 = 5,
            /// Relative gradient norm to stop at; 0 runs all iterations.
            tolerance: f64 = 0.0,
        },
        // Section 5 there; Eq. 8 as printed counts stiffness twice for δ > 0.
        /// One linear solve of backward Euler: forces are linear around x + δhv.
        "linearised", "One linear solve", ["li2017enriching"] => Linearised {
            /// δ from 0 (the last positions: more damped, more stable) to 1 (where they were
            /// going).
            delta: f64 = 0.0,
        },
    }
}

impl Solver {
    /// The solver of a scheme where none is named.
    pub const fn usual_for(scheme: Scheme) -> Solver {
        match scheme.problem() {
            Problem::Root => {
                Solver::Newton { iterations: NEWTON_ITERATIONS, tolerance: NEWTON_TOLERANCE }
            }
            _ => Method::ROBUST.solver,
        }
    }

    /// Most iterations per step.
    pub const fn iterations(self) -> u32 {
        match self {
            Solver::Projective { iterations, .. }
            | Solver::Modified { iterations, .. }
            | Solver::Newton { iterations, .. }
            | Solver::Xpbd { iterations } => iterations,
            Solver::Linearised { .. } => 1,
        }
    }

    /// The same with another number of iterations; the linear solve has always one.
    pub const fn with_iterations(mut self, most: u32) -> Self {
        match &mut self {
            Solver::Projective { iterations, .. }
            | Solver::Modified { iterations, .. }
            | Solver::Newton { iterations, .. }
            | Solver::Xpbd { iterations } => *iterations = most,
            Solver::Linearised { .. } => {}
        }
        self
    }
}
