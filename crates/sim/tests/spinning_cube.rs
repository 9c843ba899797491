//! A stretched, spinning cube of 162 tets, soft and stiff, against an independent implementation.

use crate::bodies::reference::{free_body, number, numbers, vectors};
use crate::bodies::{Run, newton, projective};
use pliant_model::DVec3;
use pliant_model::method::{Method, Scheme, Solver};
use serde_json::Value;

const MATERIALS: [&str; 2] = ["100", "1000"];

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/spinning_cube.json")).expect("a fixture")
}

/// The cube with a shear modulus \[Pa\].
fn cube(data: &Value, mu: &str, integrator: Method) -> Run {
    free_body(data, mu.parse().expect("a number"), number(&data["h"]), integrator)
}

fn with(scheme: Scheme, solver: Solver) -> Method {
    Method { scheme, solver, ..Method::default() }
}

/// The cube after its first step, by one scheme, about to go on by another.
fn handed_over(data: &Value, mu: &str, solver: Solver, [first, then]: [Scheme; 2]) -> Run {
    let mut started = cube(data, mu, with(first, solver));
    started.step();
    let mut run = cube(data, mu, with(then, solver));
    (run.state, run.time) = (started.state, started.time);
    run
}

/// How far a run may be off at a step: relative to the initial energy and spin, and in metres.
fn tolerance(step: usize) -> f64 {
    if step <= 20 { 1e-6 } else { 1e-4 }
}

/// Goes on to step 50 from step `done`, and compares everything with a reference run.
fn compare(run: &mut Run, done: usize, reference: &Value, name: &str) {
    let (energies, spins) = (numbers(&reference["H"]), vectors(&reference["L"]));
    for n in done + 1..=50 {
        let report = run.step();
        assert_eq!(report.substeps, 1, "{name}: step {n}");
        let tolerance = tolerance(n);
        let off = (report.energy.total() - energies[n]).abs() / energies[0].max(energies[n]);
        assert!(off < tolerance, "{name}: energy off by {off:e} at step {n}");
        let off = report.momentum.angular.distance(spins[n]) / spins[0].length();
        assert!(off < tolerance, "{name}: spin off by {off:e} at step {n}");
        let drift = report.momentum.linear.length();
        assert!(drift < 1e-11, "{name}: momentum {drift:e} at step {n}");
        if let Some(x) = reference["snapshots"].get(n.to_string()) {
            let off = crate::bodies::distance(&run.positions(), &vectors(x));
            assert!(off < tolerance, "{name}: {off:e} m off at step {n}");
        }
    }
}

#[test]
fn trajectories_are_the_reference_s() {
    let data = fixture();
    for mu in MATERIALS {
        for (name, scheme) in [("BE", Scheme::BackwardEuler), ("IM", Scheme::ImplicitMidpoint)] {
            let reference = &data["runs"][mu][name];
            let mut run = cube(&data, mu, with(scheme, newton(1e-13)));
            compare(&mut run, 0, reference, &format!("{name}, {mu} Pa"));
        }
    }
}

#[test]
fn projective_trajectories_are_the_reference_s_too() {
    let data = fixture();
    for (name, scheme) in [("BE", Scheme::BackwardEuler), ("IM", Scheme::ImplicitMidpoint)] {
        let mut run = cube(&data, "100", with(scheme, projective(300, 5, 1e-13)));
        compare(&mut run, 0, &data["runs"]["100"][name], name);
    }
}

/// The reference takes BDF2's first step by backward Euler, and not by implicit midpoint.
#[test]
fn bdf2_trajectories_are_the_reference_s() {
    let data = fixture();
    for mu in MATERIALS {
        let schemes = [Scheme::BackwardEuler, Scheme::Bdf2];
        let mut run = handed_over(&data, mu, newton(1e-13), schemes);
        compare(&mut run, 1, &data["runs"][mu]["BDF2"], &format!("BDF2, {mu} Pa"));
    }
}

#[test]
fn the_midpoint_rule_keeps_the_angular_momentum_of_a_free_body() {
    let mut run = cube(&fixture(), "100", with(Scheme::ImplicitMidpoint, newton(1e-13)));
    let first: DVec3 = run.step().momentum.angular;
    for _ in 0..100 {
        let off = run.step().momentum.angular.distance(first) / first.length();
        assert!(off < 1e-10, "{off:e}");
    }
}
