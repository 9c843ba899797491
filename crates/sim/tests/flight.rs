//! What is thrown keeps its spin until it touches something.

use crate::bodies::{Run, projective, rubber};
use pliant_model::method::{Correction, Fepr, Scheme};
use pliant_model::{Collider, DVec3, ElasticModel, Method, ModelBuilder, Shape};
use pliant_sim::measure;

const H: f64 = 1.0 / 60.0;

/// A soft box, thrown up and tumbling, over a floor.
fn thrown(scheme: Scheme, filter: f64, height: f64) -> Run {
    let mut body = rubber(DVec3::new(0.4, 0.2, 0.3), [4, 2, 3], ElasticModel::Corotated);
    let omega = DVec3::new(3.0, 1.0, 5.0);
    let velocity = |x: &DVec3| omega.cross(*x) + DVec3::new(0.5, 4.0, 0.0);
    body.velocities = Some(body.mesh.positions.iter().map(velocity).collect());
    let correction = Some(Correction::Fepr(Fepr { filter, ..Fepr::default() }));
    let solver = projective(20, 5, 0.0);
    let integrator = Method { scheme, solver, correction, ..Method::default() };
    let floor = Collider::new(Shape::plane(DVec3::Y * -height, DVec3::Y), 1e5);
    let builder = ModelBuilder::new().body(body).collider(floor).method(integrator);
    Run::new(builder.build().expect("a model"), H, 1)
}

/// Angular momentum about the centre of mass [kg m²/s], and momentum [kg m/s].
fn motion(run: &Run) -> (DVec3, DVec3) {
    let (model, state) = (&run.model, &run.state);
    let (mut mass, mut sum) = (0.0, DVec3::ZERO);
    for (m, x) in model.masses().iter().zip(&*state.positions) {
        mass += m;
        sum += x.xyz() * *m;
    }
    let now = measure::momentum_of(model, &model.bodies()[0], &state.positions, &state.velocities);
    (now.angular - (sum / mass).cross(now.linear), now.linear)
}

#[test]
fn a_thrown_body_keeps_its_spin_and_falls_by_its_energy() {
    for (scheme, filter) in [
        (Scheme::BackwardEuler, 0.0),
        (Scheme::Bdf2, 0.0),
        (Scheme::ImplicitMidpoint, 0.0),
        (Scheme::ImplicitMidpoint, 0.1),
    ] {
        let mut run = thrown(scheme, filter, 10.0);
        let (spin, momentum) = motion(&run);
        for step in 0..90 {
            let report = run.step();
            assert!(!report.gave_way(), "{scheme:?}, step {step}");
            let (now, pushed) = motion(&run);
            assert!((now - spin).length() < 1e-8 * spin.length(), "{scheme:?} {filter}, {step}");
            let across = (pushed - momentum) * DVec3::new(1.0, 0.0, 1.0);
            assert!(across.length() < 1e-8 * momentum.length(), "{scheme:?} {filter}, {step}");
        }
        // 4 m/s upwards, for 1.5 s: as high as it was thrown, within a step's error.
        let fallen = motion(&run).1.y - momentum.y;
        let mass: f64 = run.model.masses().iter().sum();
        assert!((fallen / (mass * 9.81 * 90.0 * H) + 1.0).abs() < 0.02, "{scheme:?}: {fallen}");
    }
}

#[test]
fn a_bounce_gives_it_another_spin_that_it_keeps() {
    let mut run = thrown(Scheme::ImplicitMidpoint, 0.1, 0.4);
    let (mut flights, mut spins) = (0, vec![motion(&run).0]);
    let mut was_high = false;
    for _ in 0..240 {
        run.step();
        let spin = motion(&run).0;
        let lowest = run.state.positions.iter().map(|x| x.xyz().y).fold(f64::MAX, f64::min);
        // Well above the floor, which a step may reach before it is corrected.
        let is_high = lowest > -0.4 + 0.05;
        if is_high && was_high {
            let last = spins[spins.len() - 1];
            assert!((spin - last).length() < 1e-8 * spins[0].length(), "step {}", run.state.steps);
            flights += 1;
        }
        was_high = is_high;
        spins.push(spin);
    }
    let turned = (spins[0] - spins[240]).length();
    assert!(flights > 60 && turned > 0.05 * spins[0].length(), "{flights}, {turned}");
}
