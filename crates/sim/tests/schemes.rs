//! Time rules: their orders, and what they do to energy.

use crate::bodies::{Run, newton};
use pliant_mesh::Mesh;
use pliant_model::method::{Method, Scheme, Solver};
use pliant_model::{Body, DVec3, ElasticModel, Hold, ModelBuilder};

const ALL: [Scheme; 7] = [
    Scheme::DiscreteGradient,
    Scheme::BackwardEuler,
    Scheme::Bdf2,
    Scheme::ImplicitMidpoint,
    Scheme::Trapezoidal,
    Scheme::ForwardEuler,
    Scheme::SymplecticEuler,
];

fn with(scheme: Scheme, solver: Solver) -> Method {
    Method { scheme, solver, ..Method::default() }
}

/// A mass on a spring, pulled along it: x″ = −ω²(x − r), with the exact solution a cosine.
fn oscillator(integrator: Method, h: f64) -> Run {
    let mesh = Mesh { positions: vec![DVec3::ZERO, DVec3::X], ..Mesh::default() };
    // Half the mass is at each end; the one at the origin is held.
    let mut body = Body::springs("spring", mesh, vec![[0, 1]], 50.0, 1.0);
    body.positions = Some(vec![DVec3::ZERO, DVec3::X * 1.3]);
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO).method(integrator);
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
            Scheme::BackwardEuler | Scheme::ForwardEuler | Scheme::SymplecticEuler => 1.0,
            _ => 2.0,
        };
        let seen = (oscillator_error(scheme, 400) / oscillator_error(scheme, 800)).log2();
        assert!((seen - order).abs() < 0.1, "{scheme:?} has order {seen}");
    }
}

#[test]
fn midpoint_trapezoidal_and_discrete_gradient_keep_a_linear_oscillator_s_energy() {
    for scheme in [Scheme::ImplicitMidpoint, Scheme::Trapezoidal, Scheme::DiscreteGradient] {
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
fn every_scheme_drives_hard_vertices_exactly() {
    for scheme in ALL {
        let body =
            crate::bodies::rubber(DVec3::new(0.4, 0.2, 0.2), [4, 2, 2], ElasticModel::Corotated);
        let pins: Vec<u32> = (0..9).collect();
        let motion = pliant_model::Motion {
            times: vec![0.0, 1.0],
            translate: vec![DVec3::ZERO, DVec3::Y],
            rotate: vec![],
            about: DVec3::ZERO,
        };
        let rest = body.mesh.positions[0];
        let builder = ModelBuilder::new().body(body).hold(0, pins, Hold::Hard, Some(motion));
        let model = builder.method(with(scheme, newton(1e-10))).build().expect("a model");
        let mut run = Run::new(model, 1e-3, 1);
        run.steps(20);
        let off = run.positions()[0].distance(rest + DVec3::Y * 0.02);
        assert!(off < 1e-15, "{scheme:?}: {off:e} m");
        assert!((run.velocities()[0].y - 1.0).abs() < 1e-12, "{scheme:?}");
    }
}
