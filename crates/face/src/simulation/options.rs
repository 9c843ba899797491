//! Options of a simulation: solver, material and dynamics.

use glam::DVec3;
use pliant_model::method::{Correction, Fepr, Problem, Scheme};

/// Share of the stiffest motion that a filter takes.
const STIFFEST: f64 = 0.1;

/// How equilibrium is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaceSolver {
    /// Newton's method, to a residual.
    Exact {
        /// Relative norm of the gradient.
        tolerance: f64,
    },
    /// A modified Newton's method, on the matrix at rest, which is factored once: some iterations
    /// per frame. Activations and contact enter the right-hand side.
    Interactive {
        /// Of a frame.
        iterations: u32,
    },
}

impl FaceSolver {
    /// To a millionth of the forces that muscles, flesh and contact exert.
    pub const EXACT: FaceSolver = FaceSolver::Exact { tolerance: 1e-6 };
    /// What motion is solved for with: to a thousandth of the forces.
    pub const CONVERGED: FaceSolver = FaceSolver::Exact { tolerance: 1e-3 };
    /// As many iterations as thirty frames per second have time for.
    pub const INTERACTIVE: FaceSolver = FaceSolver::Interactive { iterations: 6 };
}

/// How flesh moves where it has inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dynamics {
    /// An implicit one.
    pub scheme: Scheme,
    /// What keeps energy to its account: what muscles and bones put in, less what damping takes.
    pub correction: Option<Correction>,
    /// Velocities decay at this rate (1/s): living tissue stops within some tenths of a second.
    pub damping: f64,
    /// Frames per second.
    pub fps: f64,
    /// Steps per frame.
    pub substeps: u32,
}

impl Dynamics {
    /// The schemes that flesh can move by: those that minimise.
    pub fn schemes() -> impl Iterator<Item = Scheme> {
        Scheme::ALL.iter().copied().filter(|scheme| scheme.problem() == Problem::Minimum)
    }

    /// How energy is kept by a scheme: schemes that do not damp what is stiffest, as muscle is,
    /// leave that to a filter.
    pub fn fepr(scheme: Scheme) -> Fepr {
        let keeps_all = scheme.problem() == Problem::Minimum && !scheme.damps();
        Fepr { filter: if keeps_all { STIFFEST } else { 0.0 }, ..Fepr::default() }
    }
}

impl Default for Dynamics {
    /// BDF2 with FEPR, two steps in each of 30 frames per second.
    fn default() -> Self {
        Dynamics {
            scheme: Scheme::Bdf2,
            correction: Some(Correction::Fepr(Fepr::default())),
            damping: 12.0,
            fps: 30.0,
            substeps: 2,
        }
    }
}

/// What a face is simulated with.
#[derive(Clone, Copy, Debug)]
pub struct FaceSimulationOptions {
    pub solver: FaceSolver,
    /// Iterations of the exact solver per step, at most.
    pub most_iterations: u32,
    /// Shear modulus of passive tissue (Pa).
    pub shear: f64,
    /// Of active tissue, in those of passive: muscle at work is a multiple as stiff, and most tets
    /// have little of it.
    pub muscle_stiffness: f64,
    /// The paper's λ/μ; Lamé's λ is twice that many μ.
    pub volume_ratio: f64,
    /// Whether lips meet teeth and each other, or pass through.
    pub contact: bool,
    /// Whether flesh slides over the forehead, or is pinned there too.
    pub sliding: bool,
    /// Stiffness of all springs together that attract the skin to a target (N/m):
    /// [`FaceSimulation::attract_skin`](super::FaceSimulation::attract_skin).
    pub skin_pull: Option<f64>,
    /// Gravity beyond that which the face at rest is seen in (m/s²).
    pub gravity: DVec3,
    /// How flesh moves; without inertia, from equilibrium to equilibrium, if `None`.
    pub dynamics: Option<Dynamics>,
    pub threads: usize,
}

impl Default for FaceSimulationOptions {
    /// Soft tissue of 15 kPa Young's modulus, μ : λ as in the paper (1 : 3).
    fn default() -> Self {
        FaceSimulationOptions {
            solver: FaceSolver::EXACT,
            most_iterations: 60,
            shear: 5200.0,
            muscle_stiffness: 30.0,
            volume_ratio: 3.0,
            contact: true,
            sliding: true,
            skin_pull: None,
            gravity: DVec3::ZERO,
            dynamics: None,
            threads: 1,
        }
    }
}
