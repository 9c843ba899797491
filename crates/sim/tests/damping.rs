//! Damping takes what it says it takes, and leaves rigid motion alone.

mod bodies;

use bodies::{Random, Run, backward_euler, damped, newton, projective, rubber};
use pliant_model::integrator::Damping;
use pliant_model::{BodySpec, DVec3, ElasticModel, Integrator, Model, ModelBuilder};
use pliant_sim::{State, damping, measure};

fn block() -> BodySpec {
    rubber(DVec3::new(0.3, 0.2, 0.25), [3, 2, 2], ElasticModel::Corotated)
}

fn free(body: BodySpec, integrator: Integrator) -> Model {
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO);
    builder.integrator(integrator).build().expect("a model")
}

/// The block, off centre, with the given velocity of each point.
fn moving(velocity: impl Fn(DVec3) -> DVec3) -> (Model, State) {
    let mut body = block();
    body.mesh.positions.iter_mut().for_each(|x| *x += DVec3::new(1.0, -2.0, 0.7));
    body.velocities = Some(body.mesh.positions.iter().map(|&x| velocity(x)).collect());
    let model = free(body, backward_euler(newton(1e-12)));
    let state = State::initial(&model);
    (model, state)
}

#[test]
fn rigid_motion_is_not_damped() {
    let (drift, spin) = (DVec3::new(3.0, -1.0, 0.5), DVec3::new(-2.0, 4.0, 1.0));
    let (model, mut state) = moving(|x| drift + spin.cross(x));
    let before = state.velocities.clone();
    let energy = measure::kinetic(model.masses(), &before);
    let taken = damping::apply(&model, Damping::RigidPreserving(5.0), 0.1, &mut state);
    for (v, w) in before.iter().zip(state.velocities.iter()) {
        let change = v.xyz().distance(w.xyz());
        assert!(change < 1e-13 * v.xyz().length(), "{change:e} m/s");
    }
    assert!(taken.abs() < 1e-13 * energy, "{taken:e} of {energy} J");
}

#[test]
fn rigid_preserving_damping_keeps_momenta_and_takes_the_rest() {
    let random = std::cell::RefCell::new(Random(3));
    let (drift, spin) = (DVec3::new(0.3, -0.1, 0.5), DVec3::new(-0.2, 0.4, 0.1));
    let (model, mut state) = moving(|x| drift + spin.cross(x) + random.borrow_mut().vector());
    let momenta =
        |state: &State| measure::momentum(model.masses(), &state.positions, &state.velocities);
    let kinetic = |state: &State| measure::kinetic(model.masses(), &state.velocities);
    let (before, energy) = (momenta(&state), kinetic(&state));
    let (rate, h) = (2.0, 0.25);
    let (mut taken, mut history) = (0.0, vec![energy]);
    for _ in 0..2 {
        taken += damping::apply(&model, Damping::RigidPreserving(rate), h, &mut state);
        history.push(kinetic(&state));
        let now = momenta(&state);
        let change = now.linear.distance(before.linear) / before.linear.length();
        assert!(change < 1e-12, "linear momentum by {change:e}");
        let change = now.angular.distance(before.angular) / before.angular.length();
        assert!(change < 1e-12, "angular momentum by {change:e}");
    }
    assert!((energy - taken - history[2]).abs() < 1e-12 * energy, "taken is what is missing");
    assert!(taken > 0.1 * energy, "the noise had more energy than {taken} of {energy} J");
    // K(t) = K_rigid + (K₀ − K_rigid) e^(−2 rate t): the loss decays by that factor per step.
    let decay = (history[1] - history[2]) / (history[0] - history[1]);
    assert!((decay - (-2.0 * rate * h).exp()).abs() < 1e-12, "by {decay} per step");
}

#[test]
fn ether_damps_exponentially() {
    let (model, mut state) = moving(|x| DVec3::new(1.0 + x.y, -x.z, 0.3));
    let before = state.velocities.clone();
    let (rate, h, steps) = (1.7, 0.02, 50);
    for _ in 0..steps {
        damping::apply(&model, Damping::Ether(rate), h, &mut state);
    }
    let keep = (-rate * h * f64::from(steps)).exp();
    for (v, w) in before.iter().zip(state.velocities.iter()) {
        assert!((v.xyz() * keep).distance(w.xyz()) < 1e-14, "{v:?} became {w:?}");
    }
}

/// A step's account: dissipated energy is what damping took, no more.
#[test]
fn a_drifting_body_in_ether_loses_its_kinetic_energy_to_the_account() {
    let mut body = block();
    body.velocities = Some(vec![DVec3::X * 2.0; body.mesh.positions.len()]);
    let (rate, h, steps) = (0.8, 1.0 / 60.0, 60);
    for solver in [projective(10, 5, 0.0), newton(1e-12)] {
        let model = free(body.clone(), damped(solver, Damping::Ether(rate)));
        let mut run = Run::new(model, h, 1);
        let before = measure::kinetic(run.model.masses(), &run.state.velocities);
        let report = run.steps(steps);
        let wanted = before * (-2.0 * rate * h * steps as f64).exp();
        assert!((report.energy.kinetic - wanted).abs() < 1e-10 * before, "{solver:?}");
        let account = before - run.state.dissipated();
        assert!((account - report.energy.kinetic).abs() < 1e-10 * before, "{solver:?}");
    }
}

/// A spinning, ringing body comes to spin rigidly: damping takes the ringing and not the spin.
#[test]
fn ringing_dies_and_the_spin_stays() {
    let mut body = block();
    let spin = DVec3::new(0.0, 0.0, 1.0);
    let stretch = DVec3::new(1.1, 1.0, 0.95);
    body.positions = Some(body.mesh.positions.iter().map(|x| *x * stretch).collect());
    body.velocities = Some(body.mesh.positions.iter().map(|x| spin.cross(*x)).collect());
    let spun = |integrator: Integrator| {
        let mut run = Run::new(free(body.clone(), integrator), 1.0 / 240.0, 1);
        let start = run.step().energy.potential;
        let report = run.steps(240);
        (report.momentum.angular.z, report.energy.potential / start)
    };
    let (undamped, _) = spun(backward_euler(newton(1e-10)));
    let (damped, ringing) = spun(damped(newton(1e-10), Damping::RigidPreserving(5.0)));
    // Backward Euler itself loses some of it.
    assert!((damped / undamped - 1.0).abs() < 0.01, "{damped} against {undamped} kg m²/s");
    assert!(ringing < 1e-3, "{ringing} of the elastic energy still rings");
}
