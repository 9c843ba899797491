//! Time rules.

use serde::Serialize;

use crate::words::words;

words! {
    /// The time rule.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum Scheme: "scheme" {
        /// x₁ = x₀ + h v₁ with v₁ = v₀ − h M⁻¹ ∇E(x₁): robust, and damps.
        "backward-euler", "Backward Euler", ["baraff1998"] => BackwardEuler,
        /// The second-order backward difference formula: damps less than backward Euler.
        "bdf2", "BDF2", ["dinev2020"] => Bdf2,
        /// Forces at the middle of the step: keeps momenta, damps nothing, can explode.
        "implicit-midpoint", "Implicit midpoint", ["dinev2020"] => ImplicitMidpoint,
        /// The mean of the forces at both ends of the step: damps nothing, can explode.
        "trapezoidal", "Trapezoidal", ["dinev2020"] => Trapezoidal,
        /// Everything from the start of the step: gains energy; for comparisons.
        "forward-euler", "Forward Euler", ["dinev2020"] => ForwardEuler,
        /// Velocities from the forces at the start, positions from the new velocities: explicit,
        /// for small steps.
        "symplectic-euler", "Symplectic Euler", ["dinev2018stabilizing"] => SymplecticEuler,
        /// Implicit midpoint with forces changed so that energy is kept: for Newton's method.
        "discrete-gradient", "Discrete gradient", ["gonzalez1996"] => DiscreteGradient,
        /// ∇E(x₁) = 0: equilibrium at every step, no inertia.
        "quasi-static", "Quasi-static", ["sifakis2012"] => QuasiStatic,
    }
}

/// What a step of a scheme is to a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A minimum of the incremental potential.
    Minimum,
    /// A root that is no gradient of anything.
    Root,
    /// A minimum of the stored energy, without inertia.
    Equilibrium,
    /// Nothing to solve: the forces at the start give the step.
    Explicit,
}

impl Scheme {
    /// The problem that a step poses.
    pub const fn problem(self) -> Problem {
        match self {
            Scheme::ForwardEuler | Scheme::SymplecticEuler => Problem::Explicit,
            Scheme::DiscreteGradient => Problem::Root,
            Scheme::QuasiStatic => Problem::Equilibrium,
            _ => Problem::Minimum,
        }
    }

    /// True if a step loses energy of stiff motion by itself.
    pub const fn damps(self) -> bool {
        matches!(self, Scheme::BackwardEuler | Scheme::Bdf2 | Scheme::QuasiStatic)
    }

    /// True for backward Euler, which XPBD and the linear solve are forms of.
    pub const fn is_backward_euler(self) -> bool {
        matches!(self, Scheme::BackwardEuler)
    }

    /// True if blending with a step of backward or forward Euler can both lower and raise the
    /// energy of a step.
    pub const fn can_be_blended(self) -> bool {
        matches!(self, Scheme::ImplicitMidpoint | Scheme::SymplecticEuler)
    }
}
