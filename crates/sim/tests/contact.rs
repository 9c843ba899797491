//! Bodies on floors, slopes and moving plates.

use crate::bodies::{Run, backward_euler, newton, projective};
use pliant_mesh::shapes;
use pliant_model::method::Solver;
use pliant_model::{Body, Collider, DVec3, Material, Model, ModelBuilder, Motion, Shape};
use pliant_sim::collider_work::collider_work;
use pliant_sim::contact::{contacts, friction_heat};

const WEIGHT: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// The half space below y = 0.
fn floor(stiffness: f64) -> Collider {
    Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), stiffness)
}

/// A plate of 16 kg, 0.4 m wide and 0.1 m high, with its lower side at a height [m].
fn plate(height: f64, young: f64) -> Body {
    let mut mesh = shapes::solid_box(DVec3::new(0.4, 0.1, 0.4), [4, 1, 4]).expect("a box");
    mesh.positions.iter_mut().for_each(|x| x.y += 0.05 + height);
    Body::solid("plate", mesh, Material::corotated(young, 0.3, 1000.0))
}

fn model(body: Body, collider: Collider, gravity: DVec3, solver: Solver) -> Model {
    let builder = ModelBuilder::new().body(body).collider(collider).gravity(gravity);
    builder.method(backward_euler(solver)).build().expect("a model")
}

/// Velocity of the centre of mass [m/s].
fn drift(run: &Run) -> DVec3 {
    let masses = run.model.masses();
    let sum: DVec3 = masses.iter().zip(&*run.state.velocities).map(|(&m, v)| m * v.xyz()).sum();
    sum / masses.iter().sum::<f64>()
}

/// Force of all contacts on the body [N].
fn pressed(run: &Run) -> f64 {
    let placed: Vec<_> = run.model.colliders().iter().zip(&run.input.end.colliders).collect();
    let force = |x: DVec3| -> f64 {
        let touch = placed.iter().filter_map(|(c, pose)| Some((c, c.placed(pose).touch(x)?)));
        touch.map(|(c, nearest)| c.force(nearest.distance)).sum()
    };
    run.positions().into_iter().map(force).sum()
}

#[test]
fn a_dropped_body_comes_to_rest_where_contact_carries_its_weight() {
    for solver in [newton(1e-10), projective(60, 5, 1e-9)] {
        let collider = Collider { restitution: 0.5, ..floor(5e3) };
        let mut run = Run::new(model(plate(0.02, 1e7), collider, WEIGHT, solver), 1.0 / 60.0, 1);
        let last = run.steps(240);
        assert!(!last.gave_way(), "{solver:?}");
        assert!(drift(&run).length() < 1e-4, "{solver:?}: moves with {}", drift(&run));
        let weight = 16.0 * 9.81;
        assert!((pressed(&run) / weight - 1.0).abs() < 1e-3, "{solver:?}: {} N", pressed(&run));
        let found = contacts(&run.model, &run.input.end, &run.state.positions);
        assert_eq!(found.count, 25, "{solver:?}");
        // 25 springs share the weight; the stiff plate lets none of them sink much deeper.
        let even = weight / 25.0 / 5e3;
        assert!((even..1.1 * even).contains(&found.deepest), "{solver:?}: {}", found.deepest);
    }
}

#[test]
fn a_slope_holds_below_the_friction_angle_and_not_above() {
    let friction: f64 = 0.5;
    for degrees in [20.0f64, 35.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let gravity = 9.81 * DVec3::new(sin, -cos, 0.0);
        let stiffness = 5e3;
        let depth = 16.0 * 9.81 * cos / 25.0 / stiffness;
        let collider = Collider { friction, ..floor(stiffness) };
        let model = model(plate(-depth, 1e6), collider, gravity, newton(1e-10));
        let mut run = Run::new(model, 1.0 / 60.0, 1);
        run.steps(60);
        if degrees < friction.atan().to_degrees() {
            let slid = run.positions()[0].x - run.model.rest()[run.model.number(0, 0)].xyz().x;
            assert!(slid.abs() < 2e-3, "{degrees}°: slid {slid} m in a second");
        } else {
            let wanted = 9.81 * (sin - friction * cos);
            let speed = drift(&run).x;
            assert!((speed / wanted - 1.0).abs() < 0.02, "{degrees}°: {speed} m/s, not {wanted}");
        }
    }
}

#[test]
fn a_moving_plate_carries_a_body() {
    let motion = Motion {
        times: vec![0.0, 2.0],
        translate: vec![DVec3::ZERO, DVec3::new(1.0, 0.5, 0.0)],
        rotate: vec![],
        about: DVec3::ZERO,
    };
    let depth = 16.0 * 9.81 / 25.0 / 5e3;
    let collider = Collider { friction: 0.5, restitution: 0.0, motion: Some(motion), ..floor(5e3) };
    let model = model(plate(-depth, 1e6), collider, WEIGHT, newton(1e-10));
    let mut run = Run::new(model, 1.0 / 60.0, 1);
    let (mut lifted, mut heat) = (0.0, 0.0);
    for step in 0..120 {
        let start = run.state.positions.to_vec();
        run.step();
        let (x1, input) = (&run.state.positions[..], &mut run.input);
        let body = &run.model.bodies()[0];
        let ends = [&input.start, &input.end];
        let work = collider_work(&run.model, body, &[], ends, [&start, x1]);
        input.end.begin_at(&input.start);
        let lost = friction_heat(&run.model, body, [&input.end; 2], 60.0, [&start, x1, x1]);
        assert!(lost >= 0.0, "step {step}: friction gave {lost} J");
        if step >= 60 {
            lifted += work;
            heat += lost;
        }
    }
    let velocity = drift(&run);
    assert!((velocity - DVec3::new(0.5, 0.25, 0.0)).length() < 2e-3, "carried with {velocity}");
    // In the second second nothing changes any more but the height: 0.25 m of 16 kg.
    assert!((lifted / (16.0 * 9.81 * 0.25) - 1.0).abs() < 0.01, "lifting took {lifted} J");
    assert!(heat < 0.01, "a body that is carried rubbed for {heat} J");
}

#[test]
fn a_spinning_drum_turns_what_lies_in_it() {
    // Friction on a turning, curved surface: a capsule under the plate, turning about its axis.
    let motion = Motion {
        times: vec![0.0, 1.0],
        translate: vec![],
        rotate: vec![DVec3::ZERO, DVec3::new(0.0, 0.0, -60.0)],
        about: DVec3::new(0.0, -0.5, 0.0),
    };
    let (a, b) = (DVec3::new(0.0, -0.5, -1.0), DVec3::new(0.0, -0.5, 1.0));
    let shape = Shape::capsule(a, b, 0.5);
    let collider = Collider { friction: 0.8, motion: Some(motion), ..Collider::new(shape, 2e4) };
    let mut run = Run::new(model(plate(0.0, 1e6), collider, WEIGHT, newton(1e-9)), 1.0 / 120.0, 1);
    run.steps(24);
    // The top of the drum goes towards +x with 0.52 m/s.
    assert!(drift(&run).x > 0.2, "{}", drift(&run));
}

#[test]
fn rebound_is_as_elastic_as_it_is_asked_to_be() {
    // Without gravity, which would take its share of a slow rebound.
    let rebound = |restitution: f64| {
        let collider = Collider { restitution, ..floor(800.0) };
        let mut body = plate(0.001, 1e7);
        body.velocities = Some(vec![-DVec3::Y; body.mesh.positions.len()]);
        let model = model(body, collider, DVec3::ZERO, newton(1e-9));
        let mut run = Run::new(model, 1.0 / 480.0, 1);
        run.steps(240);
        drift(&run).y
    };
    // Backward Euler itself takes a few percent at this step length.
    let (full, half, none) = (rebound(1.0), rebound(0.5), rebound(0.0));
    assert!((0.85..=1.0).contains(&full), "elastic: {full}");
    assert!((0.4..=0.6).contains(&half), "half: {half}");
    assert!(none < 0.06, "none: {none}");
}

#[test]
fn contact_is_the_same_for_any_number_of_threads() {
    let bits = |threads: usize| {
        let mesh = shapes::solid_box(DVec3::splat(0.4), [9, 9, 9]).expect("a box");
        let cube = Body::solid("cube", mesh, Material::corotated(1e5, 0.3, 1000.0));
        let shape = Shape::torus(DVec3::new(0.0, -0.3, 0.0), DVec3::Y, 0.2, 0.12);
        let ring = Collider { friction: 0.3, restitution: 0.2, ..Collider::new(shape, 1e4) };
        let builder = ModelBuilder::new().body(cube).collider(ring);
        let model = builder.method(backward_euler(projective(10, 5, 0.0))).build();
        let mut run = Run::new(model.expect("a model"), 1.0 / 60.0, threads);
        run.steps(12);
        let found = contacts(&run.model, &run.input.end, &run.state.positions);
        assert!(found.count > 10, "{} contacts test nothing", found.count);
        run.bits()
    };
    assert_eq!(bits(1), bits(3));
}
