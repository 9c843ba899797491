//! FEPR as the paper has it (mass metric, momenta by s and t), on the cube of 162 tets, against an
//! independent implementation.

use crate::bodies::reference::{free_body, number, numbers, vectors};
use crate::bodies::{Run, newton};
use pliant_model::method::{Correction, Fepr, FeprMetric, FeprMomenta, Method, Scheme};
use serde_json::Value;

/// m r² of the cube \[kg m²\]: 1 kg, and half the diagonal of 1 m³.
const SIZE: f64 = 0.75;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("a fixture")
}

/// The cube with a shear modulus \[Pa\] and ε \[kg m²\].
fn cube(mu: &str, scheme: Scheme, epsilon: f64) -> Run {
    let data = parsed(include_str!("fixtures/spinning_cube.json"));
    let momenta = FeprMomenta::Paper { epsilon: epsilon / SIZE };
    let fepr = Fepr { metric: FeprMetric::Mass, momenta, ..Fepr::default() };
    let correction = Some(Correction::Fepr(fepr));
    let integrator = Method { scheme, solver: newton(1e-13), correction, ..Method::default() };
    free_body(&data, mu.parse().expect("a number"), number(&data["h"]), integrator)
}

/// The cube after one step of backward Euler, about to go on by another scheme.
fn handed_over(mu: &str, then: Scheme) -> Run {
    let mut started = cube(mu, Scheme::BackwardEuler, 1e-3);
    started.step();
    let mut run = cube(mu, then, 1e-3);
    (run.state, run.time) = (started.state, started.time);
    run
}

/// Steps on to step 50, and compares with a reference run while it can be: every tolerance is
/// that of the reference, and chaos takes over in the end.
fn compare(run: &mut Run, done: usize, reference: &Value, name: &str) {
    let (spins, slacks) = (vectors(&reference["L"]), numbers(&reference["t"]));
    for n in done + 1..=50 {
        let tolerance = if n <= 20 { 1e-6 } else { 1e-4 };
        let report = run.step();
        assert!(!report.gave_way(), "{name}: step {n}");
        let off = report.momentum.angular.distance(spins[n]) / spins[0].length();
        assert!(off < tolerance, "{name}: spin off by {off:e} at step {n}");
        let (t, expected) = (report.given_way[1], slacks[n - 1]);
        // Where the step itself keeps the spin, t is a quotient of rounding errors.
        let turned = spins[n].distance(spins[n - 1]) > 1e-9;
        let off = (t - expected).abs() / expected.abs().max(1.0);
        assert!(!turned || off < 100.0 * tolerance, "{name}: t {t}, not {expected}, at step {n}");
        if let Some(x) = reference["snapshots"].get(n.to_string()) {
            let off = crate::bodies::distance(&run.positions(), &vectors(x));
            assert!(off < tolerance, "{name}: {off:e} m off at step {n}");
        }
    }
}

#[test]
fn projected_trajectories_are_the_reference_s() {
    let data = parsed(include_str!("fixtures/paper.json"));
    let runs = &data["runs"]["100"];
    compare(&mut cube("100", Scheme::BackwardEuler, 1e-3), 0, &runs["BE+FEPR"], "BE, 100 Pa");
    compare(&mut handed_over("100", Scheme::Bdf2), 1, &runs["BDF2+FEPR"], "BDF2, 100 Pa");
    for mu in ["100", "1000"] {
        let mut run = cube(mu, Scheme::ImplicitMidpoint, 1e-3);
        compare(&mut run, 0, &data["runs"][mu]["IM+FEPR"], &format!("IM, {mu} Pa"));
    }
}

/// On the stiff cube, rounding grows a millionfold in the first step: only what is kept is
/// compared.
#[test]
fn the_stiff_cube_keeps_energy_and_linear_momentum() {
    for scheme in [Scheme::BackwardEuler, Scheme::Bdf2] {
        let mut run = cube("1000", scheme, 1e-3);
        for n in 1..=100 {
            let report = run.step();
            assert!(!report.gave_way(), "{scheme:?}: step {n}");
            let off = (report.energy.total() / 379.1377314814812 - 1.0).abs();
            assert!(off < 1e-7, "{scheme:?}: energy off by {off:e} at step {n}");
            let drift = report.momentum.linear.length();
            assert!(drift < 1e-9, "{scheme:?}: momentum {drift:e} at step {n}");
        }
    }
}

/// s and t are no interpolation: t is 12 in the first step, and the spin grows sevenfold. A large ε
/// keeps them small.
#[test]
fn the_slack_of_the_spin_is_the_reference_s() {
    let data = parsed(include_str!("fixtures/paper.json"));
    for epsilon in ["0.001", "1.0", "1000.0"] {
        let reference = &data["epsilon"][epsilon];
        let mut run = cube("1000", Scheme::BackwardEuler, epsilon.parse().expect("a number"));
        let report = run.step();
        let (t, expected) = (report.given_way[1], numbers(&reference["t"])[0]);
        let off = (t / expected - 1.0).abs();
        assert!(off < 1e-7, "ε {epsilon}: {off:e}: t {t}, not {expected}");
        let spins = vectors(&reference["L"]);
        let off = report.momentum.angular.distance(spins[1]) / spins[1].length();
        assert!(off < 1e-7, "ε {epsilon}: spin off by {off:e}");
    }
}
