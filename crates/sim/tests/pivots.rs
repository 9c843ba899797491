//! What is held at a point or along a line goes on turning there.

use crate::bodies::{Run, projective, rubber};
use pliant_math::Row;
use pliant_model::method::{Correction, Fepr, FeprMetric, FeprSolution};
use pliant_model::{Body, DVec3, ElasticModel, Method, ModelBuilder};
use pliant_sim::measure;

fn fepr(solution: FeprSolution) -> Method {
    let metric =
        if solution == FeprSolution::Fast { FeprMetric::Smooth } else { FeprMetric::Diagonal };
    let correction = Some(Correction::Fepr(Fepr { solution, metric, ..Fepr::default() }));
    Method { solver: projective(20, 5, 0.0), correction, ..Method::default() }
}

/// A soft box that turns with ω [rad/s] about a point.
fn turning(size: DVec3, cells: [usize; 3], about: DVec3, omega: DVec3) -> Body {
    let mut body = rubber(size, cells, ElasticModel::Corotated);
    let velocity = |x: &DVec3| omega.cross(*x - about);
    body.velocities = Some(body.mesh.positions.iter().map(velocity).collect());
    body
}

/// Angular momentum about a point [kg m²/s].
fn spin(run: &Run, about: DVec3) -> DVec3 {
    let body = &run.model.bodies()[0];
    let now = measure::momentum_of(&run.model, body, &run.state.positions, &run.state.velocities);
    now.angular - about.cross(now.linear)
}

/// Runs, and returns the largest change of an angular momentum, relative to its start.
fn largest_change(run: &mut Run, steps: usize, about: DVec3, along: DVec3) -> f64 {
    let start = spin(run, about).dot(along);
    let mut most = 0.0f64;
    for step in 0..steps {
        assert!(!run.step().gave_way(), "step {step}");
        most = most.max((spin(run, about).dot(along) / start - 1.0).abs());
    }
    most
}

const TOP: DVec3 = DVec3::new(0.0, 0.3, 0.0);

/// Hung up at the middle of its top, and spun about the plumb line.
fn hanging(integrator: Method, gravity: DVec3) -> Run {
    let body = turning(DVec3::new(0.2, 0.6, 0.2), [2, 6, 2], TOP, DVec3::new(0.4, 6.0, 0.0));
    let builder = ModelBuilder::new().body(body).pin(0, |x| x.distance(TOP) < 1e-9);
    let model = builder.gravity(gravity).method(integrator).build().expect("a model");
    assert_eq!(model.hard_vertices().len(), 1);
    Run::new(model, 1.0 / 60.0, 1)
}

#[test]
fn a_body_hung_from_one_point_keeps_spinning() {
    let gravity = DVec3::Y * -9.81;
    for solution in [FeprSolution::Fast, FeprSolution::Exact] {
        let steps = if solution == FeprSolution::Fast { 300 } else { 40 };
        let kept = largest_change(&mut hanging(fepr(solution), gravity), steps, TOP, DVec3::Y);
        assert!(kept < 1e-7, "{solution:?}: {kept:e} of the spin");
    }
    // Backward Euler alone loses it.
    let plain = Method { correction: None, ..fepr(FeprSolution::Fast) };
    let lost = largest_change(&mut hanging(plain, gravity), 300, TOP, DVec3::Y);
    assert!(lost > 0.05, "only {lost}");
}

#[test]
fn without_gravity_it_keeps_all_of_its_spin() {
    let mut run = hanging(fepr(FeprSolution::Fast), DVec3::ZERO);
    // A body that only turns has all the energy that its spin leaves it; this one is stretched,
    // too.
    let stretched = |x: &Row| Row::from((x.xyz() - TOP) * 1.1 + TOP);
    run.state.positions.iter_mut().for_each(|x| *x = stretched(x));
    let start = spin(&run, TOP);
    for _ in 0..200 {
        let report = run.step();
        assert!(!report.gave_way(), "{report:?}");
        let off = (spin(&run, TOP) - start).length() / start.length();
        assert!(off < 1e-7, "{off:e}");
    }
}

#[test]
fn a_door_keeps_turning_on_slanted_hinges() {
    let (lean, corner) = (pliant_model::rotation(DVec3::new(20.0, 0.0, 30.0)), DVec3::X * -0.4);
    let axis = lean * DVec3::Y;
    let mut door = turning(DVec3::new(0.8, 0.8, 0.1), [8, 8, 1], corner, DVec3::Y * 3.0);
    door.mesh.positions.iter_mut().for_each(|x| *x = lean * *x);
    let turned = door.velocities.into_iter().flatten().map(|v| lean * v);
    let hinge = lean * DVec3::new(-0.4, 0.0, -0.05);
    let door = Body { velocities: Some(turned.collect()), ..door };
    let on_hinge = |x: DVec3| (x - hinge).cross(axis).length() < 1e-9;
    let builder = ModelBuilder::new().body(door).pin(0, on_hinge).gravity(DVec3::ZERO);
    let model = builder.method(fepr(FeprSolution::Fast)).build().expect("a model");
    assert!(model.hard_vertices().len() >= 4);
    let mut run = Run::new(model, 1.0 / 60.0, 1);
    // Hinges on the corner are not where it turned: the first step changes the spin.
    run.step();
    let kept = largest_change(&mut run, 200, hinge, axis);
    assert!(kept < 1e-7, "{kept:e} of the spin");
}

#[test]
fn a_pin_that_is_moved_may_change_the_spin() {
    let mut run = hanging(fepr(FeprSolution::Fast), DVec3::Y * -9.81);
    for step in 0..60 {
        let report = run.step_with(|_, input| {
            let moved = |n: f64| DVec3::new(0.02 * n, 0.0, 0.0);
            let n = f64::from(step);
            input.start.hard[0] = (TOP + moved(n)).into();
            input.end.hard[0] = (TOP + moved(n + 1.0)).into();
        });
        assert!(!report.gave_way(), "step {step}");
    }
}
