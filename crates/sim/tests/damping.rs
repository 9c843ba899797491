//! Damping takes what it says it takes, and leaves rigid motion alone.

mod bodies;

use bodies::{Random, Run, backward_euler, damped, distance, newton, projective, rubber};
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
    let mut random = Random(3);
    let noise: Vec<DVec3> = (0..1000).map(|_| random.vector()).collect();
    let mut next = noise.iter();
    let (drift, spin) = (DVec3::new(3.0, -1.0, 0.5), DVec3::new(-2.0, 4.0, 1.0));
    let velocities = std::cell::RefCell::new(&mut next);
    let (model, mut state) =
        moving(|x| drift + spin.cross(x) + *velocities.borrow_mut().next().expect("enough noise"));
    let momenta =
        |state: &State| measure::momentum(model.masses(), &state.positions, &state.velocities);
    let (before, energy) = (momenta(&state), measure::kinetic(model.masses(), &state.velocities));
    let (rate, h) = (2.0, 0.25);
    let mut taken = 0.0;
    for _ in 0..8 {
        taken += damping::apply(&model, Damping::RigidPreserving(rate), h, &mut state);
        let now = momenta(&state);
        let change = now.linear.distance(before.linear) / before.linear.length();
        assert!(change < 1e-12, "linear momentum by {change:e}");
        let change = now.angular.distance(before.angular) / before.angular.length();
        assert!(change < 1e-12, "angular momentum by {change:e}");
    }
    let left = measure::kinetic(model.masses(), &state.velocities);
    assert!((energy - taken - left).abs() < 1e-12 * energy, "what is taken is what is missing");
    assert!(taken > 0.1 * energy, "the noise had more energy than {taken} of {energy} J");
    // What is not rigid decays like exp(−rate t): halfway, its energy was exp(2·rate·8h/2) as much.
    let (_, mut slow) = (0, State::initial(&model));
    (0..4).for_each(|_| drop(damping::apply(&model, Damping::RigidPreserving(rate), h, &mut slow)));
    let halfway = measure::kinetic(model.masses(), &slow.velocities);
    let decay = (-2.0 * rate * 4.0 * h).exp();
    // K(t) = K_rigid + (K₀ − K_rigid) e^(−2 rate t), so that the three agree on K_rigid.
    let rigid = (halfway - energy * decay) / (1.0 - decay);
    let wanted = rigid + (energy - rigid) * decay * decay;
    assert!((left - wanted).abs() < 1e-12 * energy, "{left} J, not {wanted} J");
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
        let account = before - run.state.dissipated;
        assert!((account - report.energy.kinetic).abs() < 1e-10 * before, "{solver:?}");
    }
}

/// A spinning, ringing body comes to spin rigidly, and spins on.
#[test]
fn ringing_dies_and_the_spin_stays() {
    let mut body = block();
    let spin = DVec3::new(0.0, 0.0, 3.0);
    body.positions =
        Some(body.mesh.positions.iter().map(|x| *x * DVec3::new(1.2, 1.0, 0.9)).collect());
    body.velocities = Some(body.mesh.positions.iter().map(|x| spin.cross(*x)).collect());
    let integrator = damped(newton(1e-12), Damping::RigidPreserving(5.0));
    let mut run = Run::new(free(body.clone(), integrator), 1.0 / 60.0, 1);
    let momentum = |run: &Run| {
        measure::momentum(run.model.masses(), &run.state.positions, &run.state.velocities)
    };
    let before = momentum(&run).angular;
    run.steps(120);
    // Backward Euler loses angular momentum itself (to first order in h); damping must not add
    // to that: the undamped run loses at least as much.
    let mut undamped = Run::new(free(body, backward_euler(newton(1e-12))), 1.0 / 60.0, 1);
    undamped.steps(120);
    let (kept, reference) = (momentum(&run).angular, momentum(&undamped).angular);
    assert!(kept.length() > 0.98 * reference.length(), "{kept} against {reference} of {before}");
    let (x, v) = (run.positions(), run.velocities());
    let centre = x.iter().sum::<DVec3>() / x.len() as f64;
    let rate = DVec3::Z * (kept.z / measured_inertia(&run, centre));
    let rigid: Vec<DVec3> = x.iter().map(|x| rate.cross(*x - centre)).collect();
    let error = distance(&v, &rigid);
    assert!(error < 1e-2 * rate.length() * 0.2, "velocities differ from a spin by {error} m/s");
}

/// Moment of inertia about the z axis through a point [kg m²].
fn measured_inertia(run: &Run, centre: DVec3) -> f64 {
    let parts = run.model.masses().iter().zip(run.state.positions.iter());
    parts.map(|(&m, x)| m * (x.xyz() - centre).truncate().length_squared()).sum()
}
