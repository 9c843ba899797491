//! Forward physics: an independent solution, a squeezed cube and a rotated world.

use glam::DMat3;
use pliant_math::Row;
use pliant_mesh::{Mesh, shapes};
use pliant_model::method::{Method, Scheme, Solver};
use pliant_model::potentials::activation::{Activation, fibre, matrix};
use pliant_model::{
    ActiveTet, Body, DVec3, ElasticModel, FrameInput, Hold, Lame, Matter, Model, ModelBuilder,
};
use pliant_sim::{State, StepReport, Workspace, step};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

fn ids(value: &Value) -> Vec<u32> {
    numbers(value).iter().map(|n| *n as u32).collect()
}

/// μ = 1 Pa, λ = 3 Pa as in the paper: the engine's λ is twice that.
const TISSUE: Lame = Lame { mu: 1.0, lambda: 6.0 };

/// Tissue without weight, of which some tets are active and the others passive.
fn tissue(mesh: &Mesh, active: &[u32], fixed: Vec<u32>, solver: Solver) -> Model {
    let none = Lame { mu: 0.0, lambda: 0.0 };
    let lame = |t: u32| if active.contains(&t) { none } else { TISSUE };
    let lame = (0..mesh.tets.len() as u32).map(lame).collect();
    let matter = Matter::Solid { model: ElasticModel::Tissue, lame, density: 1000.0 };
    let active = active.iter().map(|&tet| ActiveTet { tet, lame: TISSUE }).collect();
    let integrator =
        Method { scheme: Scheme::QuasiStatic, solver, correction: None, damping: None };
    ModelBuilder::new()
        .body(Body::new("tissue", mesh.clone(), matter))
        .muscles(0, active)
        .hold(0, fixed, Hold::Hard, None)
        .gravity(DVec3::ZERO)
        .method(integrator)
        .build()
        .expect("sound tissue")
}

fn equilibrium(model: &Model, activations: &[Activation]) -> (Vec<DVec3>, StepReport) {
    let mut input = FrameInput { h: 1.0, ..FrameInput::default() };
    model.drive(0.0, &mut input.start);
    model.drive(0.0, &mut input.end);
    input.end.activations.copy_from_slice(activations);
    input.start.clone_from(&input.end);
    let mut state = State::initial(model);
    let mut workspace = Workspace::new(model, 2).expect("a workspace");
    let report = step(model, &input, &mut state, &mut workspace);
    let mut positions = vec![DVec3::ZERO; model.vertex_count()];
    model.to_user_order(&state.positions, &mut positions);
    (positions, report)
}

const EXACT: Solver = Solver::Newton { iterations: 60, tolerance: 1e-12 };

struct Bar {
    mesh: Mesh,
    active: Vec<u32>,
    fixed: Vec<u32>,
    activations: Vec<Activation>,
    expected: Vec<DVec3>,
    energy: f64,
}

fn bar() -> Bar {
    let file: Value =
        serde_json::from_str(include_str!("fixtures/bar.json")).expect("the fixture is JSON");
    let points = |key: &str| -> Vec<DVec3> {
        numbers(&file[key]).chunks_exact(3).map(DVec3::from_slice).collect()
    };
    let tets = ids(&file["T"]).chunks_exact(4).map(|t| [t[0], t[1], t[2], t[3]]).collect();
    let mut activations: Vec<Activation> = Vec::new();
    for six in numbers(&file["a_star"]).chunks_exact(6) {
        activations.push(std::array::from_fn(|k| six[k]));
    }
    Bar {
        mesh: Mesh::solid(points("X"), tets),
        active: ids(&file["active"]),
        fixed: ids(&file["fixed"]),
        activations,
        expected: points("x_star_free"),
        energy: file["energy"].as_f64().expect("a number"),
    }
}

#[test]
fn an_active_bar_has_the_reference_equilibrium() {
    let Bar { mesh, active, fixed, activations, expected, energy } = bar();
    let model = tissue(&mesh, &active, fixed.clone(), EXACT);
    let (found, report) = equilibrium(&model, &activations);
    let free = (0..found.len() as u32).filter(|v| !fixed.contains(v));
    let mut worst = 0.0f64;
    for (v, expected) in free.zip(&expected) {
        worst = worst.max(found[v as usize].distance(*expected));
    }
    assert!(worst < 1e-8, "off by {worst:e}");
    assert!((report.energy.potential - energy).abs() < 1e-10 * energy.abs());
    assert!(report.iterations <= 12, "{} iterations", report.iterations);
}

#[test]
fn the_interactive_solver_finds_it_too() {
    let Bar { mesh, active, fixed, activations, expected, .. } = bar();
    let solver = Solver::Projective { iterations: 150, history: 8, tolerance: 1e-7 };
    let model = tissue(&mesh, &active, fixed.clone(), solver);
    let (found, _) = equilibrium(&model, &activations);
    let free: Vec<u32> = (0..found.len() as u32).filter(|v| !fixed.contains(v)).collect();
    let moved = |(&v, e): (&u32, &DVec3)| mesh.positions[v as usize].distance(*e);
    let most = free.iter().zip(&expected).map(moved).fold(0.0, f64::max);
    let off = |(&v, e): (&u32, &DVec3)| found[v as usize].distance(*e);
    let worst = free.iter().zip(&expected).map(off).fold(0.0, f64::max);
    assert!(worst < 1e-4 * most, "off by {worst:e} of {most:e}");
}

/// Fig. 4: S = Q Λ Qᵀ squeezes a cube along an axis of its own, at constant volume.
#[test]
fn an_activation_squeezes_a_cube_along_its_axis_and_keeps_the_volume() {
    let mesh = shapes::solid_box(DVec3::ONE, [6, 6, 6]).expect("a cube");
    let all: Vec<u32> = (0..mesh.tets.len() as u32).collect();
    let axis = DVec3::new(1.0, 2.0, -0.5).normalize();
    let squeeze = fibre(axis, 0.4);
    // Three vertices that are held say where the cube is; they may turn nothing.
    let held = (0..mesh.positions.len() as u32)
        .filter(|v| mesh.positions[*v as usize].length() < 1e-9)
        .collect();
    let model = tissue(&mesh, &all, held, EXACT);
    let (found, report) = equilibrium(&model, &vec![squeeze; all.len()]);
    assert!(report.residual < 1e-6 || report.energy.potential < 1e-12);
    let squeezed = Mesh { positions: found, ..mesh.clone() };
    assert!((squeezed.volume() / mesh.volume() - 1.0).abs() < 0.02);
    let s = matrix(&squeeze);
    let side = squeezed.positions[0] - squeezed.positions[mesh.positions.len() - 1];
    let wanted = s * (mesh.positions[0] - mesh.positions[mesh.positions.len() - 1]);
    assert!((side.length() - wanted.length()).abs() < 1e-6);
    // Half the cube passive: it gives way, and the volume is still kept.
    let half: Vec<u32> = all
        .iter()
        .copied()
        .filter(|t| {
            mesh.corners(*t as usize).expect("a tet").iter().map(|c| c.y).sum::<f64>() > 0.0
        })
        .collect();
    let floor = (0..mesh.positions.len() as u32)
        .filter(|v| mesh.positions[*v as usize].y < -0.49)
        .collect();
    let model = tissue(&mesh, &half, floor, EXACT);
    let (found, report) = equilibrium(&model, &vec![fibre(DVec3::X, 0.3); half.len()]);
    assert!(report.residual < 1e-9, "{}", report.residual);
    let bent = Mesh { positions: found, ..mesh.clone() };
    assert!((bent.volume() / mesh.volume() - 1.0).abs() < 0.02, "{}", bent.volume());
    let extent = |y: f64| {
        let row =
            mesh.positions.iter().zip(&bent.positions).filter(|(r, _)| (r.y - y).abs() < 1e-9);
        let (low, high) = row.fold((f64::MAX, f64::MIN), |(a, b), (_, p)| (a.min(p.x), b.max(p.x)));
        high - low
    };
    assert!(extent(0.5) < 0.8 && (extent(-0.5) - 1.0).abs() < 1e-12, "{}", extent(0.5));
}

#[test]
fn a_turned_bar_gives_the_turned_answer() {
    let Bar { mesh, active, fixed, activations, .. } = bar();
    let turn = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_2)
        * DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let model = tissue(&mesh, &active, fixed.clone(), EXACT);
    let (straight, _) = equilibrium(&model, &activations);
    let turned_rest: Vec<DVec3> = mesh.positions.iter().map(|p| turn * *p).collect();
    let turned_mesh = Mesh { positions: turned_rest, ..mesh.clone() };
    let turned_activation = |a: &Activation| -> Activation {
        let s = turn * matrix(a) * turn.transpose();
        [s.x_axis.x, s.y_axis.x, s.z_axis.x, s.y_axis.y, s.z_axis.y, s.z_axis.z]
    };
    let model = tissue(&turned_mesh, &active, fixed.clone(), EXACT);
    let rotated: Vec<Activation> = activations.iter().map(turned_activation).collect();
    let (found, _) = equilibrium(&model, &rotated);
    let off = |(a, b): (&DVec3, &DVec3)| (turn * *a).distance(*b);
    let worst = straight.iter().zip(&found).map(off).fold(0.0, f64::max);
    assert!(worst < 1e-6, "off by {worst:e}");
    // The same activations with the bar's ends turned: rotations do not stretch active tissue.
    let model = tissue(&mesh, &active, fixed.clone(), EXACT);
    let mut input = FrameInput { h: 1.0, ..FrameInput::default() };
    model.drive(0.0, &mut input.start);
    model.drive(0.0, &mut input.end);
    input.end.activations.copy_from_slice(&activations);
    for &v in &fixed {
        let place = model.number(0, v as usize) - model.free_count();
        input.end.hard[place] = Row::from(turn * mesh.positions[v as usize]);
    }
    input.start.clone_from(&input.end);
    let mut state = State::initial(&model);
    for (x, rest) in state.positions.iter_mut().zip(model.rest()) {
        *x = Row::from(turn * rest.xyz());
    }
    let mut workspace = Workspace::new(&model, 1).expect("a workspace");
    step(&model, &input, &mut state, &mut workspace);
    let mut found = vec![DVec3::ZERO; model.vertex_count()];
    model.to_user_order(&state.positions, &mut found);
    let worst = straight.iter().zip(&found).map(off).fold(0.0, f64::max);
    assert!(worst < 1e-6, "off by {worst:e}");
}
