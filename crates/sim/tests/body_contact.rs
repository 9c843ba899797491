//! Bodies that meet, fold over themselves, lie on each other and on moving meshes.

use crate::bodies::{Run, backward_euler, damped, newton, projective, rubber};
use pliant_math::team::Team;
use pliant_mesh::shapes;
use pliant_model::method::{Correction, Damping, Fepr, Scheme, Solver};
use pliant_model::touching::{Touch, TouchLaw, Touching};
use pliant_model::{
    Body, Collider, DVec3, ElasticModel, Hold, Material, Method, Model, ModelBuilder, Motion, Shape,
};
use pliant_sim::{State, Workspace, measure, snapshot};

/// A cube of half a metre, 125 kg.
fn cube(at: DVec3, turn: DVec3, velocity: DVec3, cells: usize) -> Body {
    let mut body = rubber(DVec3::splat(0.5), [cells; 3], ElasticModel::Corotated);
    let turn = pliant_model::rotation(turn);
    body.mesh.positions.iter_mut().for_each(|x| *x = turn * *x + at);
    body.velocities = Some(vec![velocity; body.mesh.positions.len()]);
    body
}

fn conserving(scheme: Scheme) -> Method {
    let correction = Some(Correction::Fepr(Fepr::default()));
    Method { scheme, solver: projective(20, 5, 0.0), correction, damping: None }
}

/// Two cubes that fly into each other at 2 m/s, off centre, and one that flies by.
fn meeting(integrator: Method) -> ModelBuilder {
    let right = DVec3::new(0.4, 0.12, 0.07);
    ModelBuilder::new()
        .body(cube(DVec3::X * -0.4, DVec3::ZERO, DVec3::X, 5))
        .body(cube(right, DVec3::new(20.0, 30.0, 0.0), -DVec3::X, 5))
        .body(cube(DVec3::Y * 3.0, DVec3::ZERO, DVec3::Z, 2))
        .gravity(DVec3::ZERO)
        .touching(TouchLaw::ELASTIC)
        .method(integrator)
}

/// What touches in a run, whether its model knows or not.
fn touches(run: &Run, model: &Model) -> Vec<Touch> {
    let mut touching = Touching::default();
    touching.find(model.solids(), &run.state.positions, &Team::new(1));
    touching.touches().to_vec()
}

fn target(run: &Run) -> f64 {
    run.state.accounts.iter().filter_map(|account| account.target()).sum()
}

#[test]
fn bodies_that_meet_keep_energy_and_momenta_together() {
    for scheme in [Scheme::BackwardEuler, Scheme::Bdf2, Scheme::ImplicitMidpoint] {
        let model = meeting(conserving(scheme)).build().expect("a model");
        let mut run = Run::new(model, 1.0 / 60.0, 1);
        let start = measure::momentum(
            run.model.masses(),
            run.model.initial_positions(),
            run.model.initial_velocities(),
        );
        let (mut met, mut deepest) = (0, 0.0f64);
        for _ in 0..60 {
            let report = run.step();
            assert!(!report.gave_way(), "{scheme:?}");
            met += u32::from(report.contacts.count > 0);
            deepest = deepest.max(report.contacts.deepest);
            let off = report.energy.total() - target(&run);
            assert!(off.abs() < 1e-6, "{scheme:?}: {off} J");
            // Of 125 kg m/s in each body.
            let linear = (report.momentum.linear - start.linear).length();
            let angular = (report.momentum.angular - start.angular).length();
            assert!(linear.max(angular) < 125.0 * 1e-8, "{scheme:?}: {linear} {angular}");
        }
        // They bounce off, and lose nothing of 62.5 J each.
        assert!(met > 5 && touches(&run, &run.model).is_empty(), "{scheme:?}: {met} steps");
        assert!((target(&run) - 187.5).abs() < 1e-6, "{scheme:?}: {} J", target(&run));
        let State { positions, velocities, .. } = &run.state;
        let [left, right] = [0, 1].map(|b| {
            let body = &run.model.bodies()[b];
            measure::momentum_of(&run.model, body, positions, velocities).linear.x
        });
        assert!(left < 50.0 && right > -50.0, "{scheme:?}: {left} and {right} kg m/s");
        // In 33 mm a step; midpoint's forces see half of a step's penetration.
        let allowed = if scheme == Scheme::ImplicitMidpoint { 0.02 } else { 0.01 };
        assert!(deepest < allowed * 0.5, "{scheme:?}: {deepest} m deep");
    }
}

#[test]
fn who_does_not_touch_has_no_part_in_it() {
    let model = meeting(conserving(Scheme::BackwardEuler)).build().expect("a model");
    let mut run = Run::new(model, 1.0 / 60.0, 1);
    run.steps(60);
    let third = &run.model.bodies()[2];
    for v in run.state.velocities[third.free.clone()].iter().map(|v| v.xyz()) {
        assert!((v - DVec3::Z).length() < 1e-9, "{v}");
    }
}

#[test]
fn implicit_steps_only_lose_energy_in_contact() {
    for (solver, steps) in [(projective(60, 5, 0.0), 40), (newton(1e-4), 12)] {
        let model = meeting(backward_euler(solver)).build().expect("a model");
        let mut run = Run::new(model, 1.0 / 60.0, 1);
        let mut last = 187.5;
        for step in 0..steps {
            let report = run.step();
            let now = report.energy.total();
            assert!(now < last + 1e-3, "{solver:?}, step {step}: from {last} J to {now} J");
            assert!(report.contacts.deepest < 0.01 * 0.5, "{solver:?}: {:?}", report.contacts);
            last = now;
        }
        assert!(last > 20.0, "{solver:?}: {last} J");
    }
}

/// A bar of two metres whose ends are turned down and pressed together.
fn folding(integrator: Method) -> ModelBuilder {
    let bar = rubber(DVec3::new(2.0, 0.2, 0.2), [20, 3, 3], ElasticModel::Corotated);
    let ends = |side: f64| {
        let all = (0u32..).zip(&bar.mesh.positions);
        all.filter(|(_, x)| x.x * side > 0.99).map(|(v, _)| v).collect::<Vec<u32>>()
    };
    let motion = |side: f64| Motion {
        times: vec![0.0, 1.5],
        translate: vec![DVec3::ZERO, DVec3::new(-0.99 * side, 0.0, 0.0)],
        rotate: vec![DVec3::ZERO, DVec3::new(0.0, 0.0, 90.0 * side)],
        about: DVec3::new(side, 0.0, 0.0),
    };
    let [left, right] = [-1.0, 1.0].map(|side| (ends(side), motion(side)));
    ModelBuilder::new()
        .body(bar)
        .hold(0, left.0, Hold::Spring(3e3), Some(left.1))
        .hold(0, right.0, Hold::Spring(3e3), Some(right.1))
        .method(integrator)
}

#[test]
fn a_folded_bar_does_not_pass_through_itself() {
    let integrator = conserving(Scheme::BackwardEuler);
    let model = || folding(integrator).touching(TouchLaw::ELASTIC).build().expect("a model");
    let mut run = Run::new(model(), 1.0 / 60.0, 1);
    let (mut most, mut deepest) = (0, 0.0f64);
    for _ in 0..150 {
        let report = run.step();
        assert!(!report.gave_way());
        let off = report.energy.total() - target(&run);
        assert!(off.abs() < 1e-6, "{off} J");
        most = most.max(report.contacts.count);
        deepest = deepest.max(report.contacts.deepest);
    }
    assert!(most > 10, "at most {most} contacts");
    assert!(deepest < 0.01 * 2.0, "{deepest} m deep");
    // Without contact its halves are where they cannot be.
    let passing = folding(integrator).build().expect("a model");
    let mut ghost = Run::new(passing, 1.0 / 60.0, 1);
    ghost.steps(150);
    let through = touches(&ghost, &model()).iter().map(|t| t.depth).fold(0.0, f64::max);
    assert!(through > 2.0 * deepest && through > 0.02, "{through} m");
}

#[test]
fn a_bar_falls_over_its_own_end_onto_the_floor() {
    let bar = rubber(DVec3::new(0.2, 2.0, 0.2), [3, 20, 3], ElasticModel::Corotated);
    let bar = Body::solid("bar", bar.mesh, Material::corotated(5e4, 0.3, 1000.0));
    let floor = Shape::plane(DVec3::new(0.0, -1.1, 0.0), DVec3::new(0.02, 1.0, 0.01));
    let model = ModelBuilder::new()
        .body(bar)
        .collider(Collider { friction: 0.5, ..Collider::new(floor, 2e4) })
        .touching(TouchLaw { stiffness: Some(1e5), ..TouchLaw::ELASTIC })
        .method(conserving(Scheme::BackwardEuler));
    let mut run = Run::new(model.build().expect("a model"), 1.0 / 120.0, 1);
    let mut most = 0;
    for _ in 0..220 {
        let report = run.step();
        assert!(!report.rolled_back && run.is_finite());
        let off = report.energy.total() - target(&run);
        assert!(report.correction_failed || off.abs() < 1e-6, "{off} J");
        let own = touches(&run, &run.model);
        most = most.max(own.len());
        // Vertices: sharp edges that lie across each other may be deeper than the way out.
        let vertices = own.iter().filter(|t| t.points[0] == t.points[1]);
        let own = vertices.map(|t| t.depth).fold(0.0, f64::max);
        assert!(own < 0.01 * 2.0, "{own} m in itself");
    }
    assert!(most > 2, "at most {most} vertices in itself");
}

#[test]
fn a_cube_carries_a_cube() {
    let model = ModelBuilder::new()
        .body(cube(DVec3::Y * 0.26, DVec3::ZERO, DVec3::ZERO, 4))
        .body(cube(DVec3::Y * 0.78, DVec3::new(0.0, 30.0, 0.0), DVec3::ZERO, 3))
        .collider(Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 2e4))
        .touching(TouchLaw::ELASTIC)
        .method(damped(projective(40, 5, 0.0), Damping::Ether(3.0)));
    let mut run = Run::new(model.build().expect("a model"), 1.0 / 60.0, 1);
    let report = run.steps(300);
    assert!(report.energy.kinetic < 1e-4, "{} J", report.energy.kinetic);
    let between = touches(&run, &run.model);
    let push = |t: &Touch| {
        let out = t.normal * (-t.stiffness * t.depth);
        if t.owner == 1 { out } else { -out }
    };
    let force: DVec3 = between.iter().filter(|t| t.owner != t.body).map(push).sum();
    let weight = 125.0 * 9.81;
    assert!((force.y / weight - 1.0).abs() < 0.01, "{force} carries {weight} N");
    let deepest = between.iter().map(|t| t.depth).fold(0.0, f64::max);
    assert!(deepest < 0.01 * 0.5, "{deepest} m deep");
}

#[test]
fn a_body_rides_on_a_moving_mesh() {
    let mut rock = shapes::jelly(14).expect("a jelly");
    rock.positions.iter_mut().for_each(|x| *x *= 10.0);
    let bounds = rock.bounds().expect("a size");
    let motion = Motion {
        times: vec![0.0, 3.0],
        translate: vec![DVec3::ZERO, DVec3::new(0.2, 0.5, 0.0)],
        rotate: vec![DVec3::ZERO, DVec3::new(0.0, 60.0, 0.0)],
        about: bounds.center(),
    };
    let shape = Shape::mesh(&rock).expect("a surface");
    let collider = Collider { motion: Some(motion), friction: 0.6, ..Collider::new(shape, 4e4) };
    let above = DVec3::new(bounds.center().x, bounds.max.y + 0.26, bounds.center().z);
    let body = cube(above, DVec3::ZERO, DVec3::ZERO, 6);
    let integrator = conserving(Scheme::BackwardEuler);
    let builder = ModelBuilder::new().body(body).collider(collider).method(integrator);
    let mut run = Run::new(builder.build().expect("a model"), 1.0 / 60.0, 1);
    let (mut touched, mut deepest) = (0, 0.0f64);
    for _ in 0..120 {
        let report = run.step();
        assert!(!report.gave_way());
        let off = report.energy.total() - target(&run);
        assert!(off.abs() < 1e-8 * target(&run), "{off} J");
        touched += u32::from(report.contacts.count > 0);
        deepest = deepest.max(report.contacts.deepest);
    }
    assert!(touched > 20, "touched in {touched} steps");
    assert!(deepest < 0.01 * 0.5 * 3f64.sqrt(), "{deepest} m deep");
}

/// Bars that fall across each other, edge on edge, and so coarse that no vertex gets into the
/// other.
fn crossed_bars(law: Option<TouchLaw>) -> Run {
    let bar = |turn: DVec3, y: f64| {
        let mut body = rubber(DVec3::new(1.8, 0.3, 0.3), [3, 1, 1], ElasticModel::Corotated);
        let turn = pliant_model::rotation(turn);
        body.mesh.positions.iter_mut().for_each(|x| *x = turn * *x + DVec3::Y * y);
        body
    };
    let builder = ModelBuilder::new()
        .body(bar(DVec3::new(45.0, 0.0, 0.0), 0.0))
        .body(bar(DVec3::new(45.0, 90.0, 0.0), 0.45))
        .pin(0, |x| x.x.abs() > 0.85)
        .method(conserving(Scheme::BackwardEuler));
    let builder = match law {
        Some(law) => builder.touching(law),
        None => builder,
    };
    Run::new(builder.build().expect("a model"), 1.0 / 120.0, 1)
}

#[test]
fn crossed_bars_do_not_cut_through_each_other() {
    // Of the upper bar's middle above the lower one's; both are soft, and hang down at the sides.
    let height = |run: &Run| {
        let [lower, upper] = [0, 1].map(|b| {
            let body = &run.model.bodies()[b];
            let middle = |v: &usize| run.model.rest()[*v].xyz().abs().max_element() < 0.5;
            let all = body.free.clone().chain(body.hard.clone());
            let middle: Vec<usize> = all.filter(middle).collect();
            let sum = middle.iter().map(|&v| run.state.positions[v].0[1]).sum::<f64>();
            sum / middle.len() as f64
        });
        upper - lower
    };
    let mut ghost = crossed_bars(None);
    ghost.steps(60);
    assert!(height(&ghost) < 0.0, "{} m", height(&ghost));
    let mut run = crossed_bars(Some(TouchLaw::default()));
    let mut crossed = 0;
    for _ in 0..60 {
        let report = run.step();
        assert!(!report.gave_way());
        assert!(report.energy.total() < target(&run) + 1e-6, "{:?}", report.energy);
        assert!(report.contacts.deepest < 0.01 * 1.8, "{:?}", report.contacts);
        crossed += usize::from(report.contacts.count > 0);
        assert!(touches(&run, &run.model).iter().all(|t| t.points[0] != t.points[1]));
    }
    assert!(crossed > 5 && height(&run) > 0.2, "{} m after {crossed} contacts", height(&run));
}

/// A cube that is thrown along on another, which is held.
fn slide(friction: f64) -> Run {
    let law = TouchLaw { friction, ..TouchLaw::default() };
    let mut table = rubber(DVec3::new(3.0, 0.2, 1.0), [15, 2, 5], ElasticModel::Corotated);
    table.mesh.positions.iter_mut().for_each(|x| *x -= DVec3::Y * 0.1);
    let model = ModelBuilder::new()
        .body(table)
        .body(cube(DVec3::new(-0.8, 0.251, 0.0), DVec3::ZERO, DVec3::X, 3))
        .pin(0, |x| x.y < -0.15)
        .touching(law)
        .method(damped(projective(30, 5, 0.0), Damping::RigidPreserving(2.0)));
    Run::new(model.build().expect("a model"), 1.0 / 120.0, 1)
}

#[test]
fn friction_between_bodies_is_that_of_coulomb() {
    let middle = |run: &Run| {
        let body = run.model.bodies()[1].free.clone();
        let count = body.len() as f64;
        run.state.positions[body].iter().map(|x| x.0[0]).sum::<f64>() / count
    };
    let mut smooth = slide(0.0);
    let from = middle(&smooth);
    smooth.steps(48);
    let far = middle(&smooth) - from;
    assert!((far - 0.4).abs() < 0.02, "1 m/s for 0.4 s: {far} m");
    // From 1 m/s to rest takes v²/(2 μ g) = 0.1 m for μ = 0.5.
    let mut rough = slide(0.5);
    rough.steps(48);
    let near = middle(&rough) - from;
    assert!((near - 0.1).abs() < 0.02, "{near} m");
    rough.steps(48);
    let later = middle(&rough) - from;
    assert!((later - near).abs() < 0.02, "from {near} m to {later} m");
    let heat = rough.state.dissipated();
    assert!(heat > 0.3 * 62.5 && heat < 62.5, "{heat} J; the rest shook both bodies");
}

#[test]
fn threads_and_memory_change_no_bit() {
    let make = || meeting(conserving(Scheme::ImplicitMidpoint)).build().expect("a model");
    let [mut one, mut two] = [1, 2].map(|threads| Run::new(make(), 1.0 / 60.0, threads));
    let mut interrupted = Run::new(make(), 1.0 / 60.0, 1);
    for step in 0..30 {
        one.step();
        two.step();
        interrupted.step();
        let bytes = snapshot::encode(&interrupted.state, 7);
        interrupted.state = snapshot::decode(&bytes, &interrupted.model, 7).expect("a state");
        interrupted.workspace = Workspace::new(&interrupted.model, 1).expect("a workspace");
        assert_eq!(one.bits(), two.bits(), "step {step}");
        assert_eq!(one.bits(), interrupted.bits(), "step {step}");
    }
    assert!(!touches(&one, &one.model).is_empty() || one.state.accounts.len() == 3);
    let start = State::initial(&one.model);
    assert_ne!(start.velocities[0].xyz(), one.state.velocities[0].xyz(), "they met");
}

#[test]
fn what_cannot_be_kept_or_solved_is_refused() {
    let refused = |integrator: Method| {
        let model = meeting(integrator).build().expect("a model");
        Workspace::new(&model, 1).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let velocity = Method { correction: Some(Correction::Velocity), ..Method::default() };
    assert!(refused(velocity).contains("share their energy"), "{}", refused(velocity));
    let xpbd = backward_euler(Solver::Xpbd { iterations: 10 });
    assert!(refused(xpbd).contains("contact between bodies"), "{}", refused(xpbd));
    let negative = meeting(Method::default())
        .touching(TouchLaw { stiffness: Some(-1.0), ..TouchLaw::ELASTIC })
        .build()
        .err();
    assert!(negative.is_some_and(|error| error.to_string().contains("-1 N/m")));
}
