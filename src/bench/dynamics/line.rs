//! A line of a table: a body, how it is moved, and how it is stepped.

use glam::{DQuat, DVec3};
use pliant::mesh::Mesh;
use pliant::model::method::{Correction, Method, Scheme, Solver};
use pliant::model::{Body, ElasticModel, Hold, Model, ModelBuilder, ModelError};

use crate::bench::stand_in::{cloth, stand_in};

/// Of every solid [kg/m³], and Poisson's ratio.
const DENSITY: f64 = 1000.0;
const POISSON: f64 = 0.3;
/// Stiffness of every spring of a cloth [N/m], and the cloth's mass \[kg\].
const SPRING: f64 = 1e3;
const CLOTH_MASS: f64 = 1.0;

/// A line of a table.
pub struct Line {
    /// The row's name.
    pub name: String,
    /// What the paper calls the body.
    pub body: &'static str,
    /// Its tets in the paper, or the vertices of its cloth.
    pub count: usize,
    /// What it is made of.
    pub stuff: Stuff,
    /// How it moves.
    pub motion: Motion,
    /// The time rule.
    pub scheme: Scheme,
    /// The minimiser.
    pub solver: Solver,
    /// What acts on the state after it.
    pub correction: Option<Correction>,
    /// Length of a frame \[s\].
    pub h: f64,
    /// Steps per frame.
    pub substeps: usize,
    /// Milliseconds per frame in the paper, the correction included.
    pub paper_ms: f64,
    /// Of these, the correction.
    pub paper_correction_ms: Option<f64>,
}

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stuff {
    /// A continuum, with Young's modulus \[Pa\].
    Solid(ElasticModel, f64),
    /// A square of springs.
    Cloth,
}

/// How a body moves.
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
    /// The model to be stepped.
    pub fn model(&self) -> Result<Model, ModelError> {
        let (scheme, solver, correction) = (self.scheme, self.solver, self.correction);
        let integrator = Method { scheme, solver, correction, damping: None };
        let (mut body, grid) = match self.stuff {
            Stuff::Solid(model, young) => {
                let mesh = stand_in(self.body, self.count)?;
                (
                    Body::solid(
                        "body",
                        mesh,
                        pliant::model::Material::elastic(model, young, POISSON, DENSITY),
                    ),
                    0,
                )
            }
            Stuff::Cloth => {
                let (mesh, ends) = cloth(self.count)?;
                let side = (mesh.positions.len() as f64).sqrt().round() as u32;
                (Body::springs("body", mesh, ends, SPRING, CLOTH_MASS), side)
            }
        };
        let held = self.motion.held(&body.mesh, grid);
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

    /// As in scene files.
    pub fn material(&self) -> &'static str {
        match self.stuff {
            Stuff::Solid(model, _) => model.name(),
            Stuff::Cloth => "springs",
        }
    }

    /// As in scene files.
    pub fn scheme_name(&self) -> &'static str {
        self.scheme.name()
    }

    /// As in scene files, except for one iteration of Newton's method.
    pub fn solver_name(&self) -> &'static str {
        match self.solver {
            Solver::Newton { iterations: 1, .. } => Solver::Linearised { delta: 0.0 }.name(),
            other => other.name(),
        }
    }

    /// About how often a step visits every element; an iteration of Newton's method is worth 20
    /// visits, and takes 5 iterations to converge.
    pub fn visits(&self) -> usize {
        match self.solver {
            Solver::Projective { iterations, .. }
            | Solver::Modified { iterations, .. }
            | Solver::Xpbd { iterations } => iterations as usize,
            Solver::Newton { iterations, .. } => 20 * iterations.min(5) as usize,
            Solver::Linearised { .. } => 20,
        }
    }

    /// Energy that there is to move with \[J\]: of motion and deformation at the start, or of a
    /// fall by the body's own size.
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
    /// The vertices that are held; a cloth has `side` of them along each edge.
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
                // Turned the more, the higher: by 60° at the top.
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
