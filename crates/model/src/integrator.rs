//! How a model is to be stepped: scheme, solver, damping. Constants of a model; what they do is
//! the simulation's business.

/// The time rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// x₁ = x₀ + h v₁, v₁ = v₀ − h M⁻¹ ∇E(x₁).
    BackwardEuler,
    /// ∇E(x₁) = 0: no inertia.
    QuasiStatic,
}

/// The minimiser of a step's incremental potential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// Projective dynamics as a quasi-Newton method on a matrix factored once.
    Projective {
        /// Most iterations per step.
        iterations: u32,
        /// Pairs of the L-BFGS history; 0 is plain local/global.
        history: u32,
        /// Relative gradient norm to stop at; 0 runs all iterations.
        tolerance: f64,
    },
    /// Newton's method with a factorisation per iteration.
    Newton {
        /// Most iterations per step; 1 is the linearised scheme.
        iterations: u32,
        /// Relative gradient norm to stop at.
        tolerance: f64,
    },
}

/// Damping, applied to the velocities after each step. Rates in 1/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    /// Velocities decay towards the body's own rigid motion (thesis Eq. 3.52, sign corrected).
    RigidPreserving(f64),
    /// Velocities decay towards rest.
    Ether(f64),
}

/// How a model is to be stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integrator {
    /// The time rule.
    pub scheme: Scheme,
    /// The minimiser.
    pub solver: Solver,
    /// The damping, if any.
    pub damping: Option<Damping>,
}

impl Default for Integrator {
    /// Backward Euler, projective, 20 iterations with a history of 5, undamped.
    fn default() -> Self {
        Integrator {
            scheme: Scheme::BackwardEuler,
            solver: Solver::Projective { iterations: 20, history: 5, tolerance: 0.0 },
            damping: None,
        }
    }
}
