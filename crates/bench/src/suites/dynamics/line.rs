//! A line of a table: a body, its motion, and a method.

use glam::{DQuat, DVec3};
use pliant_mesh::Mesh;
use pliant_model::method::{Correction, Method, Scheme, Solver};
use pliant_model::{Body, Hold, Model, ModelBuilder, ModelError};

use crate::bodies::{Cloth, DENSITY, Material, POISSON, stand_in};

/// Young's modulus of every solid \[Pa\].
const YOUNG: f64 = 1e5;
/// Stiffness of every spring of a cloth [N/m].
const SPRING: f64 = 1e3;
/// Mass of a cloth \[kg\].
const CLOTH_MASS: f64 = 1.0;

/// A line of a table.
pub struct Line {
    /// Name of the row.
    pub name: String,
    /// The paper's name of the body.
    pub body: &'static str,
    /// Tets in the paper, or vertices of the cloth.
    pub count: usize,
    /// A continuum in tets, or the springs of a cloth.
    pub material: Material,
    /// Boundary conditions and initial state.
    pub motion: Motion,
    /// The time rule.
    pub scheme: Scheme,
    /// The minimiser.
    pub solver: Solver,
    /// The correction of the state after a step.
    pub correction: Option<Correction>,
    /// Length of a frame \[s\].
    pub h: f64,
    /// Steps per frame.
    pub substeps: usize,
    /// Milliseconds per frame in the paper, the correction included.
    pub paper_ms: f64,
    /// Milliseconds of the correction alone.
    pub paper_correction_ms: Option<f64>,
}

/// Boundary conditions and initial state of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Free, without gravity, stretched by a fifth, spinning at 5 rad/s.
    Spins,
    /// Held at its foot, pushed sideways at 1 m/s.
    Sways,
    /// Held at its foot, let go from an arc of 60°.
    Unbends,
    /// Held at two corners, falling.
    Hangs,
    /// Held all along its border, thrown down at 3 m/s.
    Bounces,
}

impl Line {
    /// The model.
    pub fn model(&self) -> Result<Model, ModelError> {
        let (scheme, solver, correction) = (self.scheme, self.solver, self.correction);
        let integrator = Method { scheme, solver, correction, damping: None };
        let (mut body, side) = match self.material {
            Material::Solid(model) => {
                let mesh = stand_in(self.body, self.count)?;
                (
                    Body::solid(
                        "body",
                        mesh,
                        pliant_model::Material::elastic(model, YOUNG, POISSON, DENSITY),
                    ),
                    0,
                )
            }
            Material::Springs => {
                let Cloth { mesh, springs, side } = Cloth::new(self.count)?;
                (Body::springs("body", mesh, springs, SPRING, CLOTH_MASS), side)
            }
        };
        let held = self.motion.held(&body.mesh, side);
        self.motion.start(&mut body);
        let mut builder = ModelBuilder::new().body(body).method(integrator);
        if self.motion == Motion::Spins {
            builder = builder.gravity(DVec3::ZERO);
        }
        if !held.is_empty() {
            builder = builder.hold(0, held, Hold::Hard, None);
        }
        builder.build()
    }

    /// Name of the scheme as in scene files.
    pub fn scheme_name(&self) -> &'static str {
        self.scheme.name()
    }

    /// Name of the solver as in scene files; `linearised` for one iteration of Newton's method.
    pub fn solver_name(&self) -> &'static str {
        match self.solver {
            Solver::Newton { iterations: 1, .. } => Solver::Linearised { delta: 0.0 }.name(),
            other => other.name(),
        }
    }

    /// Estimated visits of every element per step: 20 per iteration of Newton's method, which
    /// converges in about 5.
    pub fn visits(&self) -> usize {
        match self.solver {
            Solver::Projective { iterations, .. }
            | Solver::Modified { iterations, .. }
            | Solver::Xpbd { iterations } => iterations as usize,
            Solver::Newton { iterations, .. } => 20 * iterations.min(5) as usize,
            Solver::Linearised { .. } => 20,
        }
    }

    /// Energy scale of the motion \[J\]: kinetic at the start, and a fall by the body's size.
    pub fn scale(&self, model: &Model) -> f64 {
        let mass: f64 = model.masses().iter().sum();
        let speed = match self.motion {
            Motion::Spins => 5.0,
            Motion::Sways => 1.0,
            Motion::Unbends | Motion::Hangs => 0.0,
            Motion::Bounces => 3.0,
        };
        mass * (0.5 * speed * speed + 9.81 * model.extent())
    }
}

impl Motion {
    /// The held vertices; a cloth has `side` vertices along each edge.
    fn held(self, mesh: &Mesh, side: u32) -> Vec<u32> {
        let count = mesh.positions.len() as u32;
        let low = mesh.positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        match self {
            Motion::Spins => Vec::new(),
            Motion::Sways | Motion::Unbends => {
                let is_foot = |v: &u32| mesh.positions[*v as usize].y < low + 0.02;
                (0..count).filter(is_foot).collect()
            }
            Motion::Hangs => vec![0, side - 1],
            Motion::Bounces => {
                let is_border = |v: &u32| {
                    let (i, j) = (v / side, v % side);
                    i == 0 || j == 0 || i + 1 == side || j + 1 == side
                };
                (0..count).filter(is_border).collect()
            }
        }
    }

    fn start(self, body: &mut Body) {
        let rest = body.mesh.positions.clone();
        let low = rest.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        let high = rest.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        let up = |x: &DVec3| (x.y - low) / (high - low).max(1e-9);
        match self {
            Motion::Spins => {
                let stretched: Vec<DVec3> =
                    rest.iter().map(|x| *x * DVec3::new(1.2, 1.0, 1.0)).collect();
                let spin = DVec3::new(1.0, 2.0, 2.0).normalize() * 5.0;
                body.velocities = Some(stretched.iter().map(|x| spin.cross(*x)).collect());
                body.positions = Some(stretched);
            }
            Motion::Sways => {
                body.velocities = Some(rest.iter().map(|x| DVec3::X * up(x)).collect());
            }
            Motion::Unbends => {
                // The angle grows with the height.
                let foot = DVec3::Y * low;
                let bent = |x: &DVec3| {
                    let turn = DQuat::from_rotation_z(-60f64.to_radians() * up(x) * 0.5);
                    foot + turn * (*x - foot)
                };
                body.positions = Some(rest.iter().map(bent).collect());
            }
            Motion::Hangs => {}
            Motion::Bounces => {
                body.velocities = Some(vec![DVec3::Y * -3.0; rest.len()]);
            }
        }
    }
}
