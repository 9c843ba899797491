//! Bodies and runs that the tests share.
#![allow(dead_code, reason = "every test file uses its own part of these")]

pub mod reference;

use pliant_mesh::{Mesh, shapes};
use pliant_model::method::{Damping, Scheme, Solver};
use pliant_model::{Body, DVec3, ElasticModel, FrameInput, Material, Method, Model, ModelBuilder};
use pliant_sim::{State, StepReport, Workspace, step};

/// Every continuum material.
pub fn materials() -> impl Iterator<Item = ElasticModel> {
    ElasticModel::ALL.iter().copied()
}

/// A model on its way.
pub struct Run {
    pub model: Model,
    pub state: State,
    pub workspace: Workspace,
    pub input: FrameInput,
    pub time: f64,
}

impl Run {
    /// From a model's initial state, with steps of h seconds.
    pub fn new(model: Model, h: f64, threads: usize) -> Self {
        let workspace = Workspace::new(&model, threads).expect("a workspace");
        let input = FrameInput { h, ..FrameInput::default() };
        Run { state: State::initial(&model), workspace, input, time: 0.0, model }
    }

    /// One step, with what the model itself drives.
    pub fn step(&mut self) -> StepReport {
        self.step_with(|_, _| {})
    }

    /// One step, after `overwrite` has changed the input.
    pub fn step_with(&mut self, overwrite: impl FnOnce(&Model, &mut FrameInput)) -> StepReport {
        self.model.drive(self.time, &mut self.input.start);
        self.model.drive(self.time + self.input.h, &mut self.input.end);
        overwrite(&self.model, &mut self.input);
        self.time += self.input.h;
        step(&self.model, &self.input, &mut self.state, &mut self.workspace)
    }

    /// Several steps; the last one's report.
    pub fn steps(&mut self, count: usize) -> StepReport {
        (0..count).fold(StepReport::default(), |_, _| self.step())
    }

    /// Positions in the order of the meshes [m].
    pub fn positions(&self) -> Vec<DVec3> {
        self.in_user_order(&self.state.positions)
    }

    /// Velocities in the order of the meshes [m/s].
    pub fn velocities(&self) -> Vec<DVec3> {
        self.in_user_order(&self.state.velocities)
    }

    fn in_user_order(&self, rows: &[pliant_math::Row]) -> Vec<DVec3> {
        let mut out = vec![DVec3::ZERO; self.model.vertex_count()];
        self.model.to_user_order(rows, &mut out);
        out
    }

    /// Every bit that determines the future.
    pub fn bits(&self) -> Vec<u64> {
        let State { positions, velocities, accelerations, past, accounts, .. } = &self.state;
        let rows = [positions, velocities, accelerations, &past.positions, &past.velocities];
        let values = rows.into_iter().flat_map(|r| r.iter()).flat_map(|row| row.0);
        let kept = accounts.iter().flat_map(|account| {
            let goal = account.goal.unwrap_or_default();
            let spin = goal.momentum.angular;
            [account.added, account.dissipated, goal.energy, spin.x, spin.y, spin.z]
        });
        values.chain(kept).map(f64::to_bits).collect()
    }

    /// Whether every number of the state is finite.
    pub fn is_finite(&self) -> bool {
        self.bits().into_iter().all(|b| f64::from_bits(b).is_finite())
    }
}

/// Projective iterations; a history of 0 is plain local/global.
pub fn projective(iterations: u32, history: u32, tolerance: f64) -> Solver {
    Solver::Projective { iterations, history, tolerance }
}

/// Newton until a residual.
pub fn newton(tolerance: f64) -> Solver {
    Solver::Newton { iterations: 200, tolerance }
}

/// Backward Euler with a solver, undamped.
pub fn backward_euler(solver: Solver) -> Method {
    Method { scheme: Scheme::BackwardEuler, solver, damping: None, ..Method::default() }
}

/// Backward Euler, damped.
pub fn damped(solver: Solver, damping: Damping) -> Method {
    Method { scheme: Scheme::BackwardEuler, solver, damping: Some(damping), ..Method::default() }
}

/// Equilibrium with a solver.
pub fn quasi_static(solver: Solver) -> Method {
    Method { scheme: Scheme::QuasiStatic, solver, damping: None, ..Method::default() }
}

/// A box of soft rubber: 100 kPa, ν = 0.3, 1000 kg/m³.
pub fn rubber(size: DVec3, cells: [usize; 3], material: ElasticModel) -> Body {
    let mesh = shapes::solid_box(size, cells).expect("a box");
    Body::solid("box", mesh, Material::elastic(material, 1e5, 0.3, 1000.0))
}

/// A square cloth of `cells`² cells and 1 m, 0.2 kg, springs of 100 N/m.
pub fn cloth(cells: usize) -> Body {
    let (mesh, springs) = shapes::cloth([1.0, 1.0], [cells, cells]).expect("a cloth");
    let ends = springs.iter().map(|s| s.vertices).collect();
    Body::springs("cloth", mesh, ends, 100.0, 0.2)
}

/// A model of one body, clamped where a condition holds.
pub fn clamped(body: Body, integrator: Method, condition: impl Fn(DVec3) -> bool) -> Model {
    let builder = ModelBuilder::new().body(body).method(integrator);
    builder.pin(0, condition).build().expect("a model")
}

/// Largest distance between two sets of points [m].
pub fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    let distances = a.iter().zip(b).map(|(p, q)| p.distance(*q));
    distances.fold(0.0, |most, d| if d <= most { most } else { d })
}

/// How many tets have no positive volume.
pub fn inverted(mesh: &Mesh, positions: &[DVec3]) -> usize {
    let volume = |t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|v| positions[v as usize]);
        (b - a).dot((c - a).cross(d - a))
    };
    mesh.tets.iter().filter(|t| volume(t) <= 0.0).count()
}

/// Random numbers in [−1, 1) that are the same everywhere (a linear congruential generator).
pub struct Random(pub u64);

impl Random {
    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// The next number.
    pub fn signed(&mut self) -> f64 {
        f64::from(self.bits()) / f64::from(1u32 << 31) - 1.0
    }

    /// The next vector, in a cube of edge 2.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}
