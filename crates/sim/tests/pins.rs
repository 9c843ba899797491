//! What is held stays, what is driven goes where it is driven, and stiff springs become pins.

use crate::bodies::{Run, backward_euler, clamped, cloth, distance, newton, projective, rubber};
use pliant_model::method::Solver;
use pliant_model::{Body, DVec3, ElasticModel, Hold, ModelBuilder, Motion};

const H: f64 = 1.0 / 30.0;

fn bar() -> Body {
    rubber(DVec3::new(0.6, 0.2, 0.2), [6, 2, 2], ElasticModel::Corotated)
}

fn solvers() -> [Solver; 3] {
    [projective(20, 5, 0.0), projective(40, 0, 0.0), newton(1e-10)]
}

fn end_vertices(body: &Body, condition: impl Fn(DVec3) -> bool) -> Vec<u32> {
    let positions = body.mesh.positions.iter();
    (0u32..).zip(positions).filter(|(_, x)| condition(**x)).map(|(v, _)| v).collect()
}

#[test]
fn hard_pins_stay_exactly() {
    for solver in solvers() {
        let (body, held) = (bar(), |x: DVec3| x.x < -0.29);
        let rest = body.mesh.positions.clone();
        let mut run = Run::new(clamped(body, backward_euler(solver), held), H, 1);
        for _ in 0..20 {
            run.step();
        }
        let (now, speed) = (run.positions(), run.velocities());
        let mut fell = 0.0f64;
        for (v, x) in rest.iter().enumerate() {
            if held(*x) {
                assert_eq!(now[v], *x, "{solver:?}: pin {v} moved");
                assert_eq!(speed[v], DVec3::ZERO, "{solver:?}: pin {v} has a velocity");
            }
            fell = fell.max(x.y - now[v].y);
        }
        assert!(fell > 0.01, "{solver:?}: the bar fell by {fell} m only");
    }
}

#[test]
fn driven_pins_are_exactly_where_they_are_driven() {
    let motion = Motion {
        times: vec![0.0, 1.0],
        translate: vec![DVec3::ZERO, DVec3::new(0.3, 0.7, -0.2)],
        rotate: vec![DVec3::ZERO, DVec3::new(0.0, 0.0, 120.0)],
        about: DVec3::new(-0.3, 0.0, 0.0),
    };
    for solver in solvers() {
        let body = bar();
        let (rest, held) = (body.mesh.positions.clone(), end_vertices(&body, |x| x.x < -0.29));
        let model = ModelBuilder::new()
            .body(body)
            .hold(0, held.clone(), Hold::Hard, Some(motion.clone()))
            .method(backward_euler(solver))
            .build()
            .expect("a model");
        let mut run = Run::new(model, H, 1);
        for _ in 0..15 {
            let (before, time) = (run.positions(), run.time);
            let report = run.step();
            assert!(!report.gave_way(), "{solver:?}");
            let (now, speed) = (run.positions(), run.velocities());
            for &v in &held {
                let v = v as usize;
                assert_eq!(now[v], motion.at(time + H).apply(rest[v]), "{solver:?}: pin {v}");
                let wanted = (now[v] - before[v]) / H;
                let error = speed[v].distance(wanted);
                assert!(error <= 1e-15 * wanted.length(), "{solver:?}: pin {v} by {error:e} m/s");
            }
        }
    }
}

/// The stiffer the springs, the closer to a pin: the gap falls like 1/k.
#[test]
fn soft_pins_become_hard_ones() {
    for solver in [projective(400, 5, 1e-13), newton(1e-12)] {
        let held = |x: DVec3| x.x < -0.29;
        let mut hard = Run::new(clamped(bar(), backward_euler(solver), held), H, 1);
        hard.steps(10);
        let mut gaps = Vec::new();
        for stiffness in [1e3, 1e4, 1e5, 1e6, 1e7, 1e8] {
            let body = bar();
            let vertices = end_vertices(&body, held);
            let model = ModelBuilder::new()
                .body(body)
                .hold(0, vertices, Hold::Spring(stiffness), None)
                .method(backward_euler(solver))
                .build()
                .expect("a model");
            let mut soft = Run::new(model, H, 1);
            let report = soft.steps(10);
            assert!(!report.gave_way(), "{solver:?} at {stiffness:e} N/m");
            gaps.push(distance(&soft.positions(), &hard.positions()));
        }
        for (decade, pair) in gaps.windows(2).enumerate() {
            let ratio = pair[0] / pair[1];
            // From 1e5 N/m on, the springs are much stiffer than the bar.
            let least = if decade < 2 { 3.0 } else { 9.5 };
            assert!((least..10.5).contains(&ratio), "{solver:?}: gaps {gaps:?} m");
        }
        assert!(gaps[5] < 1e-5, "{solver:?}: 1e8 N/m leaves {:e} m", gaps[5]);
    }
}

/// Following with an enormous weight is exact, whatever the body and the solver, for all of its
/// vertices and for some.
#[test]
fn enormous_weights_follow_exactly() {
    for solver in [projective(20, 5, 0.0), projective(20, 0, 0.0), newton(1e-10)] {
        for body in [bar(), cloth(6)] {
            for subset in [false, true] {
                let rest = body.mesh.positions.clone();
                let followed = end_vertices(&body, |x| !subset || x.x < -0.1);
                let model = ModelBuilder::new()
                    .body(body.clone())
                    .follow(0, followed.clone(), vec![1e30; followed.len()])
                    .method(backward_euler(solver))
                    .build()
                    .expect("a model");
                let mut run = Run::new(model, H, 1);
                let name = format!("{solver:?}, {}, subset: {subset}", body.name);
                for _ in 0..20 {
                    let target = |v: u32, time: f64| {
                        let x = rest[v as usize];
                        x + DVec3::new(0.4 * time, (5.0 * time + x.x).sin() * 0.1, x.z * time)
                    };
                    let time = run.time;
                    let targets =
                        |at: f64| followed.iter().map(|&v| target(v, at).into()).collect();
                    let report = run.step_with(|_, input| {
                        input.start.follow = targets(time);
                        input.end.follow = targets(time + H);
                    });
                    assert!(!report.gave_way(), "{name}");
                    let now = run.positions();
                    for &v in &followed {
                        let gap = now[v as usize].distance(target(v, time + H));
                        assert!(gap < 1e-12, "{name}: vertex {v} is {gap:e} m off at {time} s");
                    }
                }
                assert!(run.is_finite(), "{name}");
                // The rest of the body comes along.
                let far = run.positions().iter().zip(&rest).all(|(x, r)| x.distance(*r) < 1.0);
                assert!(far, "{name}: a free vertex is lost");
            }
        }
    }
}

#[test]
fn a_weight_of_zero_is_free_motion() {
    for solver in [projective(30, 5, 0.0), newton(1e-12)] {
        for body in [bar(), cloth(6)] {
            let all: Vec<u32> = (0..body.mesh.positions.len() as u32).collect();
            let held = |x: DVec3| x.x < -0.29;
            let build = |weights: Option<Vec<f64>>| {
                let mut builder = ModelBuilder::new().body(body.clone()).pin(0, held);
                if let Some(weights) = weights {
                    builder = builder.follow(0, all.clone(), weights);
                }
                builder.method(backward_euler(solver)).build().expect("a model")
            };
            let mut free = Run::new(build(None), H, 1);
            let mut followed = Run::new(build(Some(vec![0.0; all.len()])), H, 1);
            free.steps(10);
            followed.steps(10);
            let apart = distance(&free.positions(), &followed.positions());
            assert!(apart < 1e-9, "{solver:?}, {}: {apart:e} m apart", body.name);
            let fell = distance(&free.positions(), &body.mesh.positions);
            assert!(fell > 0.01, "{}: it moved by {fell} m only", body.name);
        }
    }
}
