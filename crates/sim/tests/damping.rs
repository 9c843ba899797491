//! Damping takes what it says it takes, and leaves rigid motion alone.

use crate::bodies::{Random, Run, backward_euler, damped, newton, projective, rubber};
use pliant_model::method::Damping;
use pliant_model::{Body, DVec3, ElasticModel, Method, Model, ModelBuilder};
use pliant_sim::{Drive, State, Workspace, damping, measure};

fn block() -> Body {
    rubber(DVec3::new(0.3, 0.2, 0.25), [3, 2, 2], ElasticModel::Corotated)
}

fn free(body: Body, integrator: Method) -> Model {
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO);
    builder.method(integrator).build().expect("a model")
}

/// The block, off centre, with the given velocity of each point.
fn moving(damping: Damping, velocity: impl Fn(DVec3) -> DVec3) -> (Model, State) {
    let mut body = block();
    body.mesh.positions.iter_mut().for_each(|x| *x += DVec3::new(1.0, -2.0, 0.7));
    body.velocities = Some(body.mesh.positions.iter().map(|&x| velocity(x)).collect());
    let model = free(body, damped(newton(1e-12), damping));
    let state = State::initial(&model);
    (model, state)
}

/// Damps a state for h seconds; the energy taken \[J\].
fn damp(model: &Model, h: f64, state: &mut State) -> f64 {
    let mut drive = Drive::default();
    model.drive(0.0, &mut drive);
    let mut workspace = Workspace::new(model, 1).expect("a workspace");
    damping::apply(model, h, [&drive; 2], state, &mut workspace)
        .expect("a matrix that can be factored")
}

#[test]
fn rigid_motion_is_not_damped() {
    let (drift, spin) = (DVec3::new(3.0, -1.0, 0.5), DVec3::new(-2.0, 4.0, 1.0));
    let (model, mut state) = moving(Damping::RigidPreserving(5.0), |x| drift + spin.cross(x));
    let before = state.velocities.clone();
    let energy = measure::kinetic(model.masses(), &before);
    let taken = damp(&model, 0.1, &mut state);
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
    let (model, mut state) = moving(Damping::RigidPreserving(2.0), |x| {
        drift + spin.cross(x) + random.borrow_mut().vector()
    });
    let momenta =
        |state: &State| measure::momentum(model.masses(), &state.positions, &state.velocities);
    let kinetic = |state: &State| measure::kinetic(model.masses(), &state.velocities);
    let (before, energy) = (momenta(&state), kinetic(&state));
    let (rate, h) = (2.0, 0.25);
    let (mut taken, mut history) = (0.0, vec![energy]);
    for _ in 0..2 {
        taken += damp(&model, h, &mut state);
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
    let (rate, h, steps) = (1.7, 0.02, 50);
    let (model, mut state) = moving(Damping::Ether(rate), |x| DVec3::new(1.0 + x.y, -x.z, 0.3));
    let before = state.velocities.clone();
    for _ in 0..steps {
        damp(&model, h, &mut state);
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
    let spun = |integrator: Method| {
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

#[test]
fn parts_of_a_body_decay_at_rates_of_their_own() {
    for (damping, other) in [(Some(Damping::Ether(0.5)), 0.5), (None, 0.0)] {
        let mut body = block();
        body.velocities = Some(vec![DVec3::new(1.0, 2.0, 3.0); body.mesh.positions.len()]);
        let integrator = Method { damping, ..Method::default() };
        let builder = ModelBuilder::new().body(body).method(integrator);
        let builder = builder.ether(0, vec![0, 1, 2], 4.0).ether(0, vec![2, 3], 0.0);
        let model = builder.build().expect("a model");
        let mut state = State::initial(&model);
        let energy = measure::kinetic(model.masses(), &state.velocities);
        let taken = damp(&model, 0.1, &mut state);
        for v in 0..model.vertex_count() {
            let rate: f64 = [4.0, 4.0, 0.0, 0.0].get(v).copied().unwrap_or(other);
            let seen = state.velocities[model.number(0, v)].xyz().x;
            assert!((seen - (-0.1 * rate).exp()).abs() < 1e-15, "vertex {v}: {seen} m/s");
        }
        let left = measure::kinetic(model.masses(), &state.velocities);
        assert!((energy - taken - left).abs() < 1e-13 * energy, "{taken} of {energy} J");
    }
    let odd = ModelBuilder::new().body(block()).ether(0, vec![0], f64::NAN).build();
    assert!(odd.err().expect("a refusal").to_string().contains("`box`"));
}

#[test]
fn rayleigh_damping_takes_energy_at_any_rate_and_keeps_linear_momentum() {
    for stiffness in [1e-4, 1e-1, 1e4] {
        let random = std::cell::RefCell::new(Random(5));
        let (drift, spin) = (DVec3::new(0.3, -0.1, 0.5), DVec3::new(-0.2, 0.4, 0.1));
        let damping = Damping::Rayleigh { mass: 0.0, stiffness };
        let (model, mut state) =
            moving(damping, |x| drift + spin.cross(x) + random.borrow_mut().vector());
        let momenta = |s: &State| measure::momentum(model.masses(), &s.positions, &s.velocities);
        let (before, mut energy) =
            (momenta(&state), measure::kinetic(model.masses(), &state.velocities));
        for _ in 0..3 {
            let taken = damp(&model, 0.1, &mut state);
            let left = measure::kinetic(model.masses(), &state.velocities);
            // At high rates the matrix is nearly singular, and the solve rounds.
            let off = (energy - taken - left).abs() / energy;
            assert!(
                taken >= -1e-11 * energy && off < 1e-12,
                "β = {stiffness} s: {taken:e} of {energy:e} J, off by {off:e}"
            );
            energy = left;
        }
        // At rest K knows rotations, so that both momenta stay.
        let now = momenta(&state);
        let off = now.linear.distance(before.linear) / before.linear.length();
        assert!(off < 1e-11, "β = {stiffness} s: linear momentum off by {off:e}");
        let off = now.angular.distance(before.angular) / before.angular.length();
        assert!(
            off < 1e-10 || stiffness == 1e4,
            "β = {stiffness} s: angular momentum off by {off:e}"
        );
        if stiffness == 1e4 {
            // All that is left is rigid motion.
            let again = damp(&model, 0.1, &mut state);
            assert!(again < 1e-9 * energy, "{again:e} of {energy} J");
        }
    }
}

/// A mass on a spring of k = 50 N/m along x, 0.5 kg: (m + h(αm + βk)) v′ = m v along the spring,
/// (m + hαm) v′ = m v across.
#[test]
fn rayleigh_damping_of_a_spring_is_its_formula() {
    let mesh = pliant_mesh::Mesh { positions: vec![DVec3::ZERO, DVec3::X], ..Default::default() };
    let mut body = Body::springs("spring", mesh, vec![[0, 1]], 50.0, 1.0);
    body.velocities = Some(vec![DVec3::ZERO, DVec3::new(1.0, 2.0, 0.0)]);
    let (mass, stiffness, h) = (0.7, 0.02, 0.1);
    let integrator = damped(newton(1e-12), Damping::Rayleigh { mass, stiffness });
    let builder = ModelBuilder::new().body(body).method(integrator);
    let builder = builder.hold(0, vec![0], pliant_model::Hold::Hard, None);
    let model = builder.build().expect("a model");
    let mut state = State::initial(&model);
    damp(&model, h, &mut state);
    let seen = state.velocities[0].xyz();
    let along = 0.5 / (0.5 + h * (mass * 0.5 + stiffness * 50.0));
    assert!((seen.x - along).abs() < 1e-14, "{seen}");
    assert!((seen.y - 2.0 / (1.0 + h * mass)).abs() < 1e-14, "{seen}");
}

/// A body that hard vertices carry along is not slowed down by stiffness.
#[test]
fn rayleigh_damping_does_not_hold_back_what_is_carried() {
    let mut body = block();
    body.velocities = Some(vec![DVec3::X * 2.0; body.mesh.positions.len()]);
    let integrator = damped(newton(1e-12), Damping::Rayleigh { mass: 0.0, stiffness: 1.0 });
    let builder = ModelBuilder::new().body(body).method(integrator);
    let builder = builder.hold(0, vec![0, 1, 2, 5], pliant_model::Hold::Hard, None);
    let model = builder.build().expect("a model");
    let mut state = State::initial(&model);
    damp(&model, 0.1, &mut state);
    for v in state.velocities.iter() {
        assert!(v.xyz().distance(DVec3::X * 2.0) < 1e-12, "{v:?}");
    }
}

/// The whole step: what rings is damped, and the account knows by how much.
#[test]
fn a_ringing_body_loses_to_rayleigh_damping_what_its_account_says() {
    let mut body = block();
    let stretched = |x: &DVec3| *x * DVec3::new(1.1, 1.0, 0.95);
    body.positions = Some(body.mesh.positions.iter().map(stretched).collect());
    let damping = Some(Damping::Rayleigh { mass: 0.1, stiffness: 1e-3 });
    let scheme = pliant_model::method::Scheme::DiscreteGradient;
    let integrator = Method { scheme, solver: newton(1e-11), damping, ..Method::default() };
    let mut run = Run::new(free(body, integrator), 1.0 / 480.0, 2);
    let first = run.step();
    let start = first.energy.total() + run.state.dissipated();
    for n in 0..100 {
        let report = run.step();
        let off = (report.energy.total() + run.state.dissipated() - start).abs() / start;
        assert!(off < 1e-9, "off by {off:e} at step {n}");
    }
    assert!(run.state.dissipated() > 0.5 * start, "{} of {start} J", run.state.dissipated());
}
