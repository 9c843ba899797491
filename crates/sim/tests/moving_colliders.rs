//! Colliders that move: slowly, fast, and not at all like anything real.

use crate::bodies::{Random, Run, backward_euler, projective, rubber};
use pliant_model::method::{Correction, Fepr};
use pliant_model::{Collider, DVec3, ElasticModel, Method, ModelBuilder, Motion, Shape};

/// A soft cube of 0.4 m, flying at a wall that moves.
fn hit(wall: f64) -> (Run, DVec3) {
    let mut cube = rubber(DVec3::splat(0.4), [4; 3], ElasticModel::Corotated);
    cube.velocities = Some(vec![DVec3::X * 2.0; cube.mesh.positions.len()]);
    let motion = Motion {
        times: vec![0.0, 10.0],
        translate: vec![DVec3::ZERO, DVec3::X * (10.0 * wall)],
        rotate: vec![],
        about: DVec3::ZERO,
    };
    let shape = Shape::plane(DVec3::X * 0.25, -DVec3::X);
    let collider = Collider { motion: Some(motion), ..Collider::new(shape, 2e4) };
    let builder = ModelBuilder::new().body(cube).collider(collider).gravity(DVec3::ZERO);
    let model = builder.method(backward_euler(projective(100, 5, 1e-10)));
    let run = Run::new(model.build().expect("a model"), 1.0 / 120.0, 1);
    let momentum = DVec3::X * (2.0 * run.model.masses().iter().sum::<f64>());
    (run, momentum)
}

#[test]
fn the_work_of_a_wall_is_its_speed_times_the_impulse() {
    for wall in [1.0, -1.0, -3.0] {
        let (mut run, before) = hit(wall);
        let mut after = before;
        for _ in 0..60 {
            after = run.step().momentum.linear;
        }
        let impulse = (after - before).x;
        assert!(impulse < -0.5 * before.x, "{wall} m/s: {impulse} kg m/s");
        let (work, wanted) = (run.state.added(), impulse * wall);
        assert!((work / wanted - 1.0).abs() < 0.02, "{wall} m/s: {work} J, not {wanted}");
    }
}

/// A ball that is somewhere else in every step, mostly in the body or beyond it.
fn jumping(reach: f64, every: usize) -> ModelBuilder {
    let mut random = Random(5);
    let mut places: Vec<DVec3> = Vec::new();
    for k in 0..60 {
        let next = random.vector() * reach;
        let last = places.last().copied().unwrap_or(next);
        places.push(if k % every == 0 { next } else { last });
    }
    let motion = Motion {
        times: (0..60).map(|k| f64::from(k) / 60.0).collect(),
        translate: places,
        rotate: vec![],
        about: DVec3::ZERO,
    };
    let ball = Collider::new(Shape::sphere(DVec3::ZERO, 0.2), 1e4);
    let mut cube = rubber(DVec3::splat(0.5), [5; 3], ElasticModel::Corotated);
    cube.velocities = Some(vec![DVec3::X * 0.3; cube.mesh.positions.len()]);
    let correction = Some(Correction::Fepr(Fepr::default()));
    ModelBuilder::new()
        .body(cube)
        .collider(Collider { motion: Some(motion), ..ball })
        .gravity(DVec3::ZERO)
        .method(Method { correction, ..backward_euler(projective(20, 5, 0.0)) })
}

#[test]
fn a_ball_that_jumps_takes_no_more_than_there_is() {
    for (reach, every) in [(0.4, 1), (0.4, 5), (0.6, 2), (0.6, 7)] {
        let model = jumping(reach, every).build().expect("a model");
        let mut run = Run::new(model, 1.0 / 60.0, 1);
        for step in 0..60 {
            let (before, held) = (run.state.added(), run.model.bodies()[0].free.len());
            let report = run.step();
            assert!(!report.gave_way(), "{reach}, {every}, step {step}: {report:?}");
            let target: f64 = run.state.accounts.iter().filter_map(|a| a.target()).sum();
            let off = report.energy.total() - target;
            assert!(off.abs() < 1e-8 * target.abs().max(1.0), "step {step}: {off} J");
            // What all of its vertices, at the deepest place, could have stored.
            let most = 0.5 * 1e4 * 0.2 * 0.2 * held as f64;
            assert!((run.state.added() - before).abs() < most, "step {step}");
        }
    }
}
