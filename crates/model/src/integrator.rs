//! How a model is to be stepped: scheme, solver, damping. Constants of a model; what they do is
//! the simulation's business.

/// The time rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// x₁ = x₀ + h v₁, v₁ = v₀ − h M⁻¹ ∇E(x₁).
    BackwardEuler,
    /// The second-order backward difference formula; damps less than backward Euler.
    Bdf2,
    /// Forces at the middle of the step: keeps momenta, damps nothing, can explode.
    ImplicitMidpoint,
    /// The mean of the forces at both ends of the step.
    Trapezoidal,
    /// All from the start of the step: gains energy.
    ForwardEuler,
    /// Velocities from the start's forces, positions from the new velocities.
    SymplecticEuler,
    /// Implicit midpoint with forces changed so that energy is kept; for Newton's method.
    DiscreteGradient,
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
    /// The same on Newton's matrix at rest, factored once: dearer iterations that know volumes and
    /// fibres, for equilibria.
    Modified {
        /// Most iterations per step.
        iterations: u32,
        /// Pairs of the L-BFGS history.
        history: u32,
        /// Relative gradient norm to stop at; 0 runs all iterations.
        tolerance: f64,
    },
    /// Compliant constraints, relaxed one after the other; for backward Euler.
    Xpbd {
        /// Visits to every constraint per step.
        iterations: u32,
    },
    /// Newton's method with a factorisation per iteration.
    Newton {
        /// Most iterations per step; 1 is the linearised scheme.
        iterations: u32,
        /// Relative gradient norm to stop at.
        tolerance: f64,
    },
    /// One iteration of Newton's method at full length, for backward Euler: forces are linear around
    /// x + δhv ("Enriching triangle mesh animations", section 5; Eq. 8 as printed counts stiffness twice
    /// for δ > 0).
    Linearised {
        /// δ from 0 (the last positions: more damped, more stable) to 1 (where they were going).
        delta: f64,
    },
}

/// Damping, applied to the velocities after each step. Rates in 1/s where not said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    /// Velocities decay towards the body's own rigid motion (thesis Eq. 3.52, sign corrected).
    RigidPreserving(f64),
    /// Velocities decay towards rest; [`crate::ModelBuilder::ether`] has other rates for parts.
    Ether(f64),
    /// Forces −(αM + βK)v.
    Rayleigh {
        /// α [1/s].
        mass: f64,
        /// β \[s\].
        stiffness: f64,
    },
}

/// What acts on a state after the solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Correction {
    /// The energy projection: energy follows its account.
    Fepr(Fepr),
    /// Blends the scheme's step with one of backward or forward Euler; the scheme should be
    /// implicit midpoint or symplectic Euler.
    Blend {
        /// How far the energy may be off, of the energy before the step.
        epsilon: f64,
    },
    /// Scales velocities.
    Velocity,
    /// The step's minimisation, with the energy as a constraint; for implicit schemes.
    Lagrange,
}

/// How FEPR projects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fepr {
    /// In which metric it is small.
    pub metric: FeprMetric,
    /// What becomes of the momenta.
    pub momenta: FeprMomenta,
    /// Share of the stiffest motion that a filter takes before projecting; 0 for none.
    pub filter: f64,
    /// How the closest state is looked for.
    pub solution: FeprSolution,
}

impl Default for Fepr {
    /// Smooth, momenta held, no filter, fast.
    fn default() -> Self {
        Fepr {
            metric: FeprMetric::Smooth,
            momenta: FeprMomenta::Held,
            filter: 0.0,
            solution: FeprSolution::Fast,
        }
    }
}

/// What becomes of the momenta in FEPR.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FeprMomenta {
    /// Exactly those of the start where nothing external acts, free elsewhere.
    Held,
    /// Between those before and after the step, or beyond, as in Eq. 1 of the paper.
    Paper {
        /// c of ε = c m r², which keeps s and t small.
        epsilon: f64,
    },
}

/// In which metric FEPR's corrections are small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeprMetric {
    /// The projective matrix: corrections smooth in space.
    Smooth,
    /// Its diagonal.
    Diagonal,
    /// Masses, as in the paper.
    Mass,
}

/// How FEPR looks for the state that is closest to the step's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeprSolution {
    /// From iterate to iterate, Eq. 8 of the paper: nearly the closest.
    Fast,
    /// The closest, Eq. 2, by Newton's method; in the metrics of masses or of the diagonal.
    Exact,
    /// Eq. 7: what both improve on, for comparisons. It often does not converge.
    Anchored,
}

/// How a model is to be stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integrator {
    /// The time rule.
    pub scheme: Scheme,
    /// The minimiser.
    pub solver: Solver,
    /// The correction, if any.
    pub correction: Option<Correction>,
    /// The damping, if any.
    pub damping: Option<Damping>,
}

impl Default for Integrator {
    /// Backward Euler, projective, 20 iterations with a history of 5, undamped.
    fn default() -> Self {
        Integrator {
            scheme: Scheme::BackwardEuler,
            solver: Solver::Projective { iterations: 20, history: 5, tolerance: 0.0 },
            correction: None,
            damping: None,
        }
    }
}
