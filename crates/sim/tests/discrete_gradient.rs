//! The midpoint discrete gradient keeps energy and momenta, as long as its root is found.

use crate::bodies::{Run, newton, projective};
use pliant_model::collider::{Collider, Shape};
use pliant_model::method::{Correction, Damping, Fepr, Method, MethodError, Scheme};
use pliant_model::{Body, DVec3, ElasticModel, Hold, Lame, Matter, ModelBuilder, ModelError};

fn discrete(tolerance: f64) -> Method {
    let scheme = Scheme::DiscreteGradient;
    Method { scheme, solver: newton(tolerance), ..Method::default() }
}

/// A cube of 20 kPa, stretched by a fifth, spinning and flying.
fn stretched(material: ElasticModel) -> Body {
    let mut body = crate::bodies::rubber(DVec3::ONE, [3, 3, 3], material);
    if let Matter::Solid { lame, .. } = &mut body.matter {
        lame.fill(Lame::of(2e4, 0.3));
    }
    let positions: Vec<DVec3> =
        body.mesh.positions.iter().map(|x| *x * DVec3::new(1.2, 1.0, 0.95)).collect();
    let velocity = |x: &DVec3| DVec3::new(0.5, 0.2, 2.0).cross(*x) + DVec3::new(3.0, -1.0, 0.5);
    body.velocities = Some(positions.iter().map(velocity).collect());
    body.positions = Some(positions);
    body
}

#[test]
fn a_free_cube_keeps_energy_and_both_momenta() {
    for material in [ElasticModel::Corotated, ElasticModel::NeoHookean, ElasticModel::Stvk] {
        let builder = ModelBuilder::new().body(stretched(material)).gravity(DVec3::ZERO);
        let model = builder.method(discrete(1e-11)).build().expect("a model");
        let mut run = Run::new(model, 1.0 / 30.0, 1);
        let first = run.step();
        for n in 1..100 {
            let report = run.step();
            assert!(!report.stalled && report.substeps == 1, "{material:?}: step {n}");
            let off = (report.energy.total() / first.energy.total() - 1.0).abs();
            assert!(off < 1e-8, "{material:?}: energy off by {off:e} at step {n}");
            let [now, then] = [report.momentum, first.momentum];
            let off = now.linear.distance(then.linear) / then.linear.length();
            assert!(off < 1e-9, "{material:?}: momentum off by {off:e} at step {n}");
            let off = now.angular.distance(then.angular) / then.angular.length();
            assert!(off < 1e-9, "{material:?}: spin off by {off:e} at step {n}");
        }
    }
}

#[test]
fn a_clamped_bar_under_gravity_keeps_its_energy() {
    for hold in [Hold::Hard, Hold::Spring(1e4)] {
        let body =
            crate::bodies::rubber(DVec3::new(1.0, 0.2, 0.2), [8, 2, 2], ElasticModel::Corotated);
        let ids = (0u32..).zip(&body.mesh.positions).filter(|(_, x)| x.x < -0.49).map(|(v, _)| v);
        let (ids, builder) = (ids.collect(), ModelBuilder::new());
        let builder = builder.body(body.clone()).hold(0, ids, hold, None);
        let model = builder.method(discrete(1e-11)).build().expect("a model");
        let mut run = Run::new(model, 1.0 / 60.0, 1);
        let first = run.step();
        let mut moving = 0.0f64;
        for n in 1..60 {
            let report = run.step();
            moving = moving.max(report.energy.kinetic);
            let off = (report.energy.total() - first.energy.total()).abs() / moving;
            assert!(off < 1e-8 && !report.stalled, "{hold:?}: energy off by {off:e} at step {n}");
        }
        assert!(moving > 1.0, "the bar swings with {moving} J");
    }
}

/// A ball of 0.4 m across, half a metre above the floor: a cube's grid, bent.
fn ball(young: f64) -> Body {
    let mut body = crate::bodies::rubber(DVec3::splat(2.0), [4, 4, 4], ElasticModel::Corotated);
    for x in &mut body.mesh.positions {
        let square = *x * *x;
        let across = |a: f64, b: f64| (1.0 - a / 2.0 - b / 2.0 + a * b / 3.0).sqrt();
        let bent = DVec3::new(
            x.x * across(square.y, square.z),
            x.y * across(square.z, square.x),
            x.z * across(square.x, square.y),
        );
        *x = bent * 0.2 + DVec3::Y * 0.7;
    }
    if let Matter::Solid { lame, .. } = &mut body.matter {
        lame.fill(Lame::of(young, 0.3));
    }
    body
}

#[test]
fn a_cube_bounces_without_loss_in_small_steps() {
    let mut body = crate::bodies::rubber(DVec3::splat(0.4), [3, 3, 3], ElasticModel::Corotated);
    body.mesh.positions.iter_mut().for_each(|x| *x += DVec3::Y * 0.5);
    let floor = Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 1e4);
    let model = ModelBuilder::new().body(body).collider(floor).method(discrete(1e-10)).build();
    let mut run = Run::new(model.expect("a model"), 1.0 / 240.0, 1);
    let first = run.step();
    let (mut touched, mut moving) = (0, 0.0f64);
    for n in 1..240 {
        let report = run.step();
        touched += u32::from(report.contacts.count > 0);
        moving = moving.max(report.energy.kinetic);
        let off = (report.energy.total() - first.energy.total()).abs() / moving.max(1.0);
        assert!(off < 1e-7 && !report.stalled, "energy off by {off:e} at step {n}");
    }
    assert!(touched > 5 && touched < 200, "it touched in {touched} steps");
}

/// FEPR paper, Fig. 16, has the root finder stuck early at 33 ms, and late at 3.3 ms, where FEPR
/// goes on. Here it is stuck rarely, and says so; all other steps keep the energy.
#[test]
fn a_ball_bounces_in_long_steps_but_for_a_stall_now_and_then() {
    let fepr = Method {
        scheme: Scheme::ImplicitMidpoint,
        solver: newton(1e-9),
        correction: Some(Correction::Fepr(Fepr::default())),
        ..Method::default()
    };
    for (integrator, most_stalls) in [(discrete(1e-9), 2), (fepr, 0)] {
        let scheme = integrator.scheme;
        let floor = Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 1e3);
        let builder = ModelBuilder::new().body(ball(2e4)).collider(floor).method(integrator);
        let mut run = Run::new(builder.build().expect("a model"), 1.0 / 30.0, 1);
        let mut last = run.step().energy.total();
        let (mut stalls, mut moving, mut heights) = (0, 0.0f64, Vec::new());
        for n in 1..60 {
            let report = run.step();
            moving = moving.max(report.energy.kinetic);
            let change = (report.energy.total() - last).abs() / moving.max(1.0);
            assert!(change < 1e-7 || report.stalled, "{scheme:?}: {change:e} at step {n}");
            assert_eq!(report.substeps, 1, "{scheme:?}: step {n}");
            stalls += u32::from(report.stalled);
            last = report.energy.total();
            let x = run.positions();
            heights.push(x.iter().map(|x| x.y).sum::<f64>() / x.len() as f64);
        }
        assert!(stalls <= most_stalls, "{scheme:?}: {stalls} stalls");
        let lowest = heights.iter().position(|y| *y < 0.2).expect("it falls");
        let back = heights[lowest..].iter().fold(0.0, |most: f64, y| most.max(*y));
        assert!((0.25..0.7).contains(&back), "{scheme:?}: back at {back} m");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize| {
        let builder = ModelBuilder::new().body(stretched(ElasticModel::Corotated));
        let damping = Some(Damping::Rayleigh { mass: 0.1, stiffness: 1e-3 });
        let integrator = Method { damping, ..discrete(1e-9) };
        let model = builder.method(integrator).build().expect("a model");
        let mut run = Run::new(model, 1.0 / 30.0, threads);
        run.steps(5);
        run.bits()
    };
    let one = run(1);
    assert!([2, 3].into_iter().all(|threads| run(threads) == one));
}

#[test]
fn the_order_is_two() {
    let error = |steps: usize| {
        let mut positions = Vec::new();
        for n in [steps, 16 * steps] {
            let builder = ModelBuilder::new().body(stretched(ElasticModel::Corotated));
            let model = builder.method(discrete(1e-12)).build().expect("a model");
            let mut run = Run::new(model, 0.2 / n as f64, 1);
            run.steps(n);
            positions.push(run.positions());
        }
        crate::bodies::distance(&positions[0], &positions[1])
    };
    let order = (error(10) / error(20)).log2();
    assert!((order - 2.0).abs() < 0.15, "order {order}");
}

#[test]
fn solvers_that_minimise_are_refused() {
    let scheme = Scheme::DiscreteGradient;
    let integrator = Method { scheme, solver: projective(20, 5, 0.0), ..Method::default() };
    let body = stretched(ElasticModel::Corotated);
    let refused = ModelBuilder::new().body(body).method(integrator).build();
    assert!(matches!(refused, Err(ModelError::Method(MethodError::NotNewton { .. }))));
}
