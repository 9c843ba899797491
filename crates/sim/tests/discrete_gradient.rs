//! The midpoint discrete gradient keeps energy and momenta, as long as its root is found.

mod bodies;

use bodies::{Run, newton, projective};
use pliant_model::collider::{Collider, Shape};
use pliant_model::integrator::{Integrator, Scheme};
use pliant_model::{BodySpec, DVec3, ElasticModel, Hold, Lame, Matter, ModelBuilder};
use pliant_sim::{SimError, Workspace};

fn discrete(tolerance: f64) -> Integrator {
    let scheme = Scheme::DiscreteGradient;
    Integrator { scheme, solver: newton(tolerance), ..Integrator::default() }
}

/// A cube of 20 kPa, stretched by a fifth, spinning and flying.
fn stretched(material: ElasticModel) -> BodySpec {
    let mut body = bodies::rubber(DVec3::ONE, [3, 3, 3], material);
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
        let model = builder.integrator(discrete(1e-11)).build().expect("a model");
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
        let body = bodies::rubber(DVec3::new(1.0, 0.2, 0.2), [8, 2, 2], ElasticModel::Corotated);
        let ids = (0u32..).zip(&body.mesh.positions).filter(|(_, x)| x.x < -0.49).map(|(v, _)| v);
        let (ids, builder) = (ids.collect(), ModelBuilder::new());
        let builder = builder.body(body.clone()).hold(0, ids, hold, None);
        let model = builder.integrator(discrete(1e-11)).build().expect("a model");
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

/// FEPR paper, Fig. 16: a body falls on the floor, and has to come back up.
#[test]
fn a_cube_bounces_without_loss_in_small_steps() {
    let mut body = bodies::rubber(DVec3::splat(0.4), [3, 3, 3], ElasticModel::Corotated);
    body.mesh.positions.iter_mut().for_each(|x| *x += DVec3::Y * 0.5);
    let floor = Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 1e4);
    let model = ModelBuilder::new().body(body).collider(floor).integrator(discrete(1e-10)).build();
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

#[test]
fn the_order_is_two() {
    let error = |steps: usize| {
        let mut positions = Vec::new();
        for n in [steps, 16 * steps] {
            let builder = ModelBuilder::new().body(stretched(ElasticModel::Corotated));
            let model = builder.integrator(discrete(1e-12)).build().expect("a model");
            let mut run = Run::new(model, 0.2 / n as f64, 1);
            run.steps(n);
            positions.push(run.positions());
        }
        bodies::distance(&positions[0], &positions[1])
    };
    let order = (error(10) / error(20)).log2();
    assert!((order - 2.0).abs() < 0.15, "order {order}");
}

#[test]
fn solvers_that_minimise_are_refused() {
    let scheme = Scheme::DiscreteGradient;
    let integrator = Integrator { scheme, solver: projective(20, 5, 0.0), ..Integrator::default() };
    let body = stretched(ElasticModel::Corotated);
    let model = ModelBuilder::new().body(body).integrator(integrator).build().expect("a model");
    assert!(matches!(Workspace::new(&model, 1), Err(SimError::DiscreteGradient)));
}
