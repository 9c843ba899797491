//! The thesis's systems of one particle (Dinev 2020, section 3.2 and Fig. 3.27), stepped by the
//! engine itself, against an independent implementation.

use crate::bodies::reference::{number, numbers};
use crate::bodies::{Run, newton};
use glam::DMat3;
use pliant_model::method::{Method, Scheme};
use pliant_model::potentials::PointResponse;
use pliant_model::{Body, DVec3, ModelBuilder};
use serde_json::Value;

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/didactic.json")).expect("a fixture")
}

fn vector(value: &Value) -> DVec3 {
    DVec3::from_slice(&numbers(value))
}

/// A particle in an energy, free of gravity.
fn particle(
    scheme: Scheme,
    mass: f64,
    [position, velocity]: [DVec3; 2],
    h: f64,
    law: impl Fn(DVec3) -> PointResponse + Send + Sync + 'static,
) -> Run {
    let mut body = Body::points("particle", vec![position], vec![mass]);
    body.velocities = Some(vec![velocity]);
    let integrator = Method { scheme, solver: newton(1e-15), ..Method::default() };
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO).method(integrator);
    Run::new(builder.point_energy(0, vec![0], law).build().expect("a model"), h, 1)
}

/// An energy of x alone, from its value and its first two derivatives.
fn along_x(law: impl Fn(f64) -> [f64; 3]) -> impl Fn(DVec3) -> PointResponse {
    move |x| {
        let [energy, slope, curvature] = law(x.x);
        let hessian = DMat3::from_diagonal(DVec3::X * curvature);
        PointResponse { energy, gradient: DVec3::X * slope, hessian }
    }
}

/// Eq. 3.12: two springs of rest length √2, k (√(x² + 1) − √2)²; not convex near 0.
fn two_springs(k: f64) -> impl Fn(DVec3) -> PointResponse {
    let rest = f64::sqrt(2.0);
    along_x(move |x| {
        let length = (x * x + 1.0).sqrt();
        let stretch = length - rest;
        let bend = 1.0 - rest / (length * length * length);
        [k * stretch * stretch, 2.0 * k * (x - rest * x / length), 2.0 * k * bend]
    })
}

/// Eq. 3.31: ½ k (|x|² − 1)².
fn spring(k: f64) -> impl Fn(DVec3) -> PointResponse {
    move |x| {
        let stretch = x.length_squared() - 1.0;
        let square = DMat3::from_cols(x * x.x, x * x.y, x * x.z);
        PointResponse {
            energy: 0.5 * k * stretch * stretch,
            gradient: x * (2.0 * k * stretch),
            hessian: (DMat3::IDENTITY * stretch + square * 2.0) * (2.0 * k),
        }
    }
}

/// Fig. 3.27: 128 x⁴.
fn quartic() -> impl Fn(DVec3) -> PointResponse {
    along_x(|x| [128.0 * x.powi(4), 512.0 * x.powi(3), 1536.0 * x * x])
}

#[test]
fn backward_euler_between_two_springs_is_the_reference_s() {
    for case in fixture()["two_springs"]["backward_euler"].as_array().expect("cases") {
        let [k, m, h, x0, v0] = ["k", "m", "h", "x0", "v0"].map(|key| number(&case[key]));
        let start = [DVec3::X * x0, DVec3::X * v0];
        let mut run = particle(Scheme::BackwardEuler, m, start, h, two_springs(k));
        let (positions, energies) = (numbers(&case["x"]), numbers(&case["H"]));
        let mut rises = 0;
        for n in 1..positions.len() {
            let report = run.step();
            let off = (run.positions()[0].x - positions[n]).abs();
            assert!(off < 1e-6, "h = {h}: {off:e} m off at step {n}");
            let off = (report.energy.total() - energies[n]).abs() / energies[0];
            assert!(off < 1e-6, "h = {h}: energy off by {off:e} at step {n}");
            rises += u32::from(energies[n] > energies[n - 1]);
        }
        // What the example is for: backward Euler can gain energy where E is not convex.
        assert!(rises > 0 || k > 1.0, "h = {h}");
    }
}

#[test]
fn one_step_of_backward_euler_can_raise_the_energy() {
    let case = &fixture()["two_springs"]["counterexample"];
    let [k, m, h, x0, v0] = ["k", "m", "h", "x0", "v0"].map(|key| number(&case[key]));
    let start = [DVec3::X * x0, DVec3::X * v0];
    let mut run = particle(Scheme::BackwardEuler, m, start, h, two_springs(k));
    let report = run.step();
    assert!((run.positions()[0].x - number(&case["x1"])).abs() < 1e-12);
    assert!((report.energy.total() - number(&case["H1"])).abs() < 1e-12);
    assert!(report.energy.total() > number(&case["H0"]) + 0.08);
}

#[test]
fn implicit_midpoint_on_a_spring_is_the_reference_s_and_keeps_its_spin() {
    for (_, case) in fixture()["spring"]["implicit_midpoint"].as_object().expect("cases") {
        let [k, m, h] = ["k", "m", "h"].map(|key| number(&case[key]));
        let start = [vector(&case["x0"]), vector(&case["v0"])];
        let mut run = particle(Scheme::ImplicitMidpoint, m, start, h, spring(k));
        let (energies, sensitive) = (numbers(&case["H"]), numbers(&case["sensitivity"]));
        let mut highest = 0.0f64;
        for n in 1..=200 {
            let report = run.step();
            // How far 1e-12 at the start has grown, times the rounding that adds up.
            let tolerance = if n <= 100 { 1e-6 } else { 1e3 * sensitive[n - 1].max(1e-9) };
            let off = run.positions()[0].distance(vector(&case["x"][n]));
            assert!(off < tolerance, "h = {h}: {off:e} m off at step {n}");
            let off = (report.momentum.angular.z - 7.5).abs();
            assert!(off < 1e-9, "h = {h}: spin off by {off:e} at step {n}");
            if n <= 100 {
                let off = (report.energy.total() - energies[n]).abs() / energies[n];
                assert!(off < 1e-6, "h = {h}: energy off by {off:e} at step {n}");
            }
            highest = highest.max(report.energy.total());
        }
        // 78,150 J at the start: kept for small steps, and an explosion for large ones.
        assert_eq!(highest > 10.0 * energies[0], h > 0.01, "h = {h}: up to {highest} J");
    }
}

#[test]
fn backward_euler_on_a_spring_loses_its_energy_as_the_reference_does() {
    let data = &fixture()["spring"];
    let case = &data["backward_euler"];
    let start = [DVec3::X * 1.5, DVec3::Y * 10.0];
    let mut run = particle(Scheme::BackwardEuler, 0.5, start, number(&case["h"]), spring(1e5));
    let (energies, spins) = (numbers(&case["H"]), numbers(&case["Lz"]));
    for n in 0..100 {
        let report = run.step();
        let off = (report.energy.total() - energies[n]).abs() / energies[n];
        assert!(off < 1e-6, "energy off by {off:e} at step {n}");
        let off = (report.momentum.angular.z - spins[n]).abs();
        assert!(off < 1e-9, "spin off by {off:e} at step {n}");
    }
}

#[test]
fn the_quartic_well_is_the_reference_s_by_midpoint_and_by_discrete_gradient() {
    for (name, case) in fixture()["quartic"].as_object().expect("cases") {
        let is_discrete = name.starts_with("dg");
        let scheme = if is_discrete { Scheme::DiscreteGradient } else { Scheme::ImplicitMidpoint };
        let [m, h, x0, v0] = ["m", "h", "x0", "v0"].map(|key| number(&case[key]));
        let start = [DVec3::X * x0, DVec3::X * v0];
        let mut run = particle(scheme, m, start, h, quartic());
        let (positions, energies) = (numbers(&case["x"]), numbers(&case["H"]));
        for n in 1..=300 {
            let report = run.step();
            let off = (run.positions()[0].x - positions[n]).abs();
            assert!(off < if n <= 100 { 1e-6 } else { 1e-4 }, "{name}: {off:e} m off at step {n}");
            let off = (report.energy.total() - energies[n]).abs() / 128.0;
            assert!(off < 1e-6, "{name}: energy off by {off:e} at step {n}");
            assert!(!report.stalled, "{name}: stalled at step {n}");
            if is_discrete {
                let drift = (report.energy.total() - 128.0).abs() / 128.0;
                assert!(drift < 1e-11, "{name}: energy off by {drift:e} at step {n}");
            }
        }
    }
}
