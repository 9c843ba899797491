//! Pieces of tissue from fixtures, with memory for their equilibria.

use glam::DVec3;
use pliant_face::inverse::equilibrium::Equilibrium;
use pliant_face::inverse::targets::{Observation, SkinSample};
use pliant_mesh::Mesh;
use pliant_model::method::{Method, Scheme, Solver};
use pliant_model::{
    ActiveTet, Body, ElasticModel, FrameInput, Hold, Lame, Matter, Model, ModelBuilder,
};
use pliant_sim::{State, Workspace};
use serde_json::Value;

pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

pub fn ids(value: &Value) -> Vec<u32> {
    numbers(value).iter().map(|n| *n as u32).collect()
}

pub fn points(value: &Value) -> Vec<DVec3> {
    numbers(value).chunks_exact(3).map(DVec3::from_slice).collect()
}

/// Tets `T` over the points `X`, held where `fixed` says; those of `active` have muscle only, the
/// others none.
pub fn model(file: &Value, active: &[u32]) -> Model {
    let tets = ids(&file["T"]).chunks_exact(4).map(|t| [t[0], t[1], t[2], t[3]]).collect();
    let mesh = Mesh::solid(points(&file["X"]), tets);
    // μ = 1, λ = 3 as in the paper: the engine's λ is twice that.
    let tissue = Lame { mu: 1.0, lambda: 6.0 };
    let none = Lame { mu: 0.0, lambda: 0.0 };
    let lame = |t: u32| if active.contains(&t) { none } else { tissue };
    let lame = (0..mesh.tets.len() as u32).map(lame).collect();
    let matter = Matter::Solid { model: ElasticModel::Tissue, lame, density: 1000.0 };
    let integrator = Method {
        scheme: Scheme::QuasiStatic,
        solver: Solver::Newton { iterations: 60, tolerance: 1e-13 },
        correction: None,
        damping: None,
    };
    ModelBuilder::new()
        .body(Body::new("tissue", mesh, matter))
        .muscles(0, active.iter().map(|&tet| ActiveTet { tet, lame: tissue }).collect())
        .hold(0, ids(&file["fixed"]), Hold::Hard, None)
        .gravity(DVec3::ZERO)
        .method(integrator)
        .build()
        .expect("tissue")
}

/// Vertices that are to be at points.
pub fn observation(model: &Model, vertices: &[u32], targets: &[DVec3]) -> Observation {
    let sample = |(&v, &target): (&u32, &DVec3)| SkinSample {
        vertices: [model.number(0, v as usize) as u32; 4],
        weights: [1.0, 0.0, 0.0, 0.0],
        target,
        to_point: 1.0,
        to_plane: 0.0,
        normal: DVec3::ZERO,
    };
    Observation { samples: vertices.iter().zip(targets).map(sample).collect() }
}

pub struct Memory {
    state: State,
    workspace: Workspace,
    input: FrameInput,
}

impl Memory {
    pub fn new(model: &Model) -> Memory {
        let mut input = FrameInput { h: 1.0, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        let workspace = Workspace::new(model, 1).expect("a workspace");
        Memory { state: State::initial(model), workspace, input }
    }

    pub fn of<'a>(&'a mut self, model: &'a Model) -> Equilibrium<'a> {
        let Memory { state, workspace, input } = self;
        Equilibrium { model, state, workspace, input, accuracy: Equilibrium::EXACT }
    }
}
