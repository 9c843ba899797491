//! Time rules against an independent reference, their orders, and what they conserve.

mod bodies;

use bodies::{Run, newton, projective};
use pliant_mesh::Mesh;
use pliant_model::integrator::{Integrator, Scheme, Solver};
use pliant_model::potentials::tetrahedra::Lame;
use pliant_model::{BodySpec, DVec3, ElasticModel, Hold, Matter, ModelBuilder};
use serde_json::Value;

const ALL: [Scheme; 6] = [
    Scheme::BackwardEuler,
    Scheme::Bdf2,
    Scheme::ImplicitMidpoint,
    Scheme::Trapezoidal,
    Scheme::ForwardEuler,
    Scheme::SymplecticEuler,
];

fn with(scheme: Scheme, solver: Solver) -> Integrator {
    Integrator { scheme, solver, ..Integrator::default() }
}

fn fixture() -> Value {
    let text = include_str!("fixtures/spinning_cube.json");
    serde_json::from_str(text).expect("a fixture")
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

fn vectors(value: &Value) -> Vec<DVec3> {
    numbers(value).chunks_exact(3).map(DVec3::from_slice).collect()
}

/// The stretched, spinning cube of the reference, with a scheme.
fn cube(integrator: Integrator) -> Run {
    let data = fixture();
    let tets: Vec<[u32; 4]> =
        numbers(&data["T"]).chunks_exact(4).map(|t| [0, 1, 2, 3].map(|c| t[c] as u32)).collect();
    let number = |key: &str| data[key].as_f64().expect("a number");
    let lame = vec![Lame { mu: number("mu"), lambda: number("lambda") }; tets.len()];
    let body = BodySpec {
        name: "cube".to_owned(),
        mesh: Mesh::solid(vectors(&data["X"]), tets),
        matter: Matter::Solid { model: ElasticModel::Corotated, lame, density: number("rho") },
        positions: Some(vectors(&data["x0"])),
        velocities: Some(vectors(&data["v0"])),
    };
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO).integrator(integrator);
    Run::new(builder.build().expect("a model"), number("h"), 1)
}

#[test]
fn trajectories_are_the_reference_s() {
    let data = fixture();
    for (name, scheme) in [("BE", Scheme::BackwardEuler), ("IM", Scheme::ImplicitMidpoint)] {
        let reference = &data["runs"][name];
        let energies = numbers(&reference["H"]);
        let spins = numbers(&reference["Lz"]);
        for solver in [newton(1e-13), projective(300, 5, 1e-13)] {
            let mut run = cube(with(scheme, solver));
            for n in 1..=50 {
                let report = run.step();
                let tolerance = if n <= 20 { 1e-6 } else { 1e-4 };
                let off = (report.energy.total() - energies[n]).abs() / energies[0];
                assert!(off < tolerance, "{name}, {solver:?}: energy off by {off:e} at step {n}");
                let off = (report.momentum.angular.z - spins[n]).abs() / spins[0];
                assert!(off < tolerance, "{name}, {solver:?}: spin off by {off:e} at step {n}");
                if let Some(x) = reference["snapshots"].get(n.to_string()) {
                    let off = bodies::distance(&run.positions(), &vectors(x));
                    assert!(off < tolerance, "{name}, {solver:?}: {off:e} m off at step {n}");
                }
            }
        }
    }
}

/// A mass on a spring, pulled along it: x″ = −ω²(x − r), with the exact solution a cosine.
fn oscillator(integrator: Integrator, h: f64) -> Run {
    let mesh = Mesh { positions: vec![DVec3::ZERO, DVec3::X], ..Mesh::default() };
    // Half the mass is at each end; the one at the origin is held.
    let mut body = BodySpec::springs("spring", mesh, vec![[0, 1]], 50.0, 1.0);
    body.positions = Some(vec![DVec3::ZERO, DVec3::X * 1.3]);
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO).integrator(integrator);
    let builder = builder.hold(0, vec![0], Hold::Hard, None);
    Run::new(builder.build().expect("a model"), h, 1)
}

fn oscillator_error(scheme: Scheme, steps: usize) -> f64 {
    let (time, omega) = (0.5, (50.0f64 / 0.5).sqrt());
    let mut run = oscillator(with(scheme, newton(1e-14)), time / steps as f64);
    run.steps(steps);
    (run.positions()[1].x - (1.0 + 0.3 * (omega * time).cos())).abs()
}

#[test]
fn halving_the_step_divides_the_error_by_two_to_the_order() {
    for scheme in ALL {
        let order = match scheme {
            Scheme::Bdf2 | Scheme::ImplicitMidpoint | Scheme::Trapezoidal => 2.0,
            _ => 1.0,
        };
        let seen = (oscillator_error(scheme, 400) / oscillator_error(scheme, 800)).log2();
        assert!((seen - order).abs() < 0.1, "{scheme:?} has order {seen}");
    }
}

#[test]
fn the_midpoint_and_the_trapezoidal_rule_keep_a_linear_oscillator_s_energy() {
    for scheme in [Scheme::ImplicitMidpoint, Scheme::Trapezoidal] {
        let mut run = oscillator(with(scheme, newton(1e-14)), 1.0 / 30.0);
        let first = run.step().energy.total();
        for _ in 0..300 {
            let off = (run.step().energy.total() - first).abs() / first;
            assert!(off < 1e-12, "{scheme:?}: {off:e}");
        }
    }
}

#[test]
fn backward_euler_loses_energy_and_forward_euler_gains_it() {
    let energy = |scheme: Scheme, steps: usize| {
        let mut run = oscillator(with(scheme, newton(1e-14)), 0.01);
        run.steps(steps).energy.total()
    };
    let initial = 0.5 * 50.0 * 0.09;
    assert!(energy(Scheme::BackwardEuler, 100) < 0.7 * initial);
    assert!(energy(Scheme::Bdf2, 100) > energy(Scheme::BackwardEuler, 100));
    assert!(energy(Scheme::ForwardEuler, 100) > 1.5 * initial);
    let symplectic = energy(Scheme::SymplecticEuler, 1000);
    assert!((symplectic / initial - 1.0).abs() < 0.1, "{symplectic} J of {initial} J");
}

#[test]
fn the_midpoint_rule_keeps_the_angular_momentum_of_a_free_body() {
    let mut run = cube(with(Scheme::ImplicitMidpoint, newton(1e-13)));
    let first = run.step().momentum.angular;
    for _ in 0..100 {
        let off = run.step().momentum.angular.distance(first) / first.length();
        assert!(off < 1e-10, "{off:e}");
    }
}

#[test]
fn every_scheme_drives_hard_vertices_exactly() {
    for scheme in ALL {
        let body = bodies::rubber(DVec3::new(0.4, 0.2, 0.2), [4, 2, 2], ElasticModel::Corotated);
        let pins: Vec<u32> = (0..9).collect();
        let motion = pliant_model::Motion {
            times: vec![0.0, 1.0],
            translate: vec![DVec3::ZERO, DVec3::Y],
            rotate: vec![],
            about: DVec3::ZERO,
        };
        let rest = body.mesh.positions[0];
        let builder = ModelBuilder::new().body(body).hold(0, pins, Hold::Hard, Some(motion));
        let model = builder.integrator(with(scheme, newton(1e-10))).build().expect("a model");
        let mut run = Run::new(model, 1e-3, 1);
        run.steps(20);
        let off = run.positions()[0].distance(rest + DVec3::Y * 0.02);
        assert!(off < 1e-15, "{scheme:?}: {off:e} m");
        assert!((run.velocities()[0].y - 1.0).abs() < 1e-12, "{scheme:?}");
    }
}
