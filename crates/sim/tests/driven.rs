//! Driven bodies: what is dragged, shaken, blown, damped or rubbed keeps its energy account.

use crate::bodies::{Run, projective};
use pliant_math::Row;
use pliant_model::collider::{Collider, Shape};
use pliant_model::method::{Correction, Damping, Fepr, Method, Scheme};
use pliant_model::{Breeze, DVec3, ElasticModel, Hold, Model, ModelBuilder, Motion};

const H: f64 = 1.0 / 30.0;
const SCHEMES: [Scheme; 3] = [Scheme::BackwardEuler, Scheme::Bdf2, Scheme::ImplicitMidpoint];
const HOLDS: [Hold; 2] = [Hold::Spring(1e5), Hold::Hard];

fn integrator(scheme: Scheme, fepr: Option<Fepr>, damping: Option<Damping>) -> Method {
    let correction = fepr.map(Correction::Fepr);
    Method { scheme, solver: projective(20, 5, 0.0), correction, damping }
}

fn bar() -> pliant_model::Body {
    crate::bodies::rubber(DVec3::new(0.6, 0.2, 0.2), [6, 2, 2], ElasticModel::Corotated)
}

fn pins() -> Vec<u32> {
    (0..9).collect()
}

/// The account is what driven points do, and nothing else.
#[test]
fn a_body_dragged_at_constant_velocity_stays_quiet() {
    for (hold, scheme) in HOLDS.into_iter().flat_map(|hold| SCHEMES.map(|scheme| (hold, scheme))) {
        let mut body = bar();
        body.velocities = Some(vec![DVec3::X; body.mesh.positions.len()]);
        let motion = Motion {
            times: vec![0.0, 1000.0],
            translate: vec![DVec3::ZERO, DVec3::X * 1000.0],
            rotate: vec![],
            about: DVec3::ZERO,
        };
        let builder = ModelBuilder::new().body(body).hold(0, pins(), hold, Some(motion));
        let integrator = integrator(scheme, Some(Fepr::default()), None);
        let model = builder.gravity(DVec3::ZERO).method(integrator).build();
        let mut run = Run::new(model.expect("a model"), H, 1);
        for step in 0..1000 {
            let report = run.step();
            let moving = run.model.masses().iter().zip(run.state.velocities.iter());
            let square = |(m, v): (&f64, &Row)| m * (v.xyz() - DVec3::X).length_squared();
            let vibration = 0.5 * moving.map(square).sum::<f64>() + report.energy.potential;
            let relative = vibration / report.energy.kinetic;
            assert!(relative < 1e-9, "{hold:?}, {scheme:?}: {relative:e} at step {step}");
        }
    }
}

/// Midpoint's own energy changes by the force in the middle of the step times what it moves: a body
/// that is small and nearly linear shows whether the account has the same.
#[test]
fn work_of_moved_ends_is_what_midpoint_gives() {
    let pull = Motion {
        times: vec![0.0, 1.0],
        translate: vec![DVec3::ZERO, DVec3::X * -0.03],
        rotate: vec![],
        about: DVec3::ZERO,
    };
    let given = |fepr| {
        let integrator = integrator(Scheme::ImplicitMidpoint, fepr, None);
        let builder =
            ModelBuilder::new().body(bar()).hold(0, pins(), Hold::Hard, Some(pull.clone()));
        let model = builder.gravity(DVec3::ZERO).method(integrator).build();
        let mut run = Run::new(model.expect("a model"), H, 1);
        let report = run.step();
        (run.state.added(), report.energy.total())
    };
    let ((free, energy), (kept, _)) = (given(None), given(Some(Fepr::default())));
    assert!((free / energy - 1.0).abs() < 1e-3, "{free} of {energy} J");
    assert!((kept / free - 1.0).abs() < 1e-9, "{kept} and {free} J");
}

/// Back and forth by 2 cm, twice a second.
fn shaking() -> Motion {
    let times: Vec<f64> = (0..=400).map(|k| f64::from(k) * 0.05).collect();
    let sway = |t: &f64| DVec3::Z * 0.02 * (4.0 * std::f64::consts::PI * t).sin();
    Motion {
        translate: times.iter().map(sway).collect(),
        times,
        rotate: vec![],
        about: DVec3::ZERO,
    }
}

fn shaken(hold: Hold, integrator: Method) -> Model {
    let builder = ModelBuilder::new().body(bar()).hold(0, pins(), hold, Some(shaking()));
    builder.method(integrator).build().expect("a model")
}

fn blown(integrator: Method) -> Model {
    let breeze = Breeze {
        velocity: DVec3::new(0.0, 0.0, 12.0),
        drag: 1.2,
        gust: 0.3,
        seed: 3,
        times: vec![],
        scale: vec![],
    };
    let builder = ModelBuilder::new().body(bar()).hold(0, pins(), Hold::Hard, None).wind(breeze);
    builder.method(integrator).build().expect("a model")
}

/// Slides over a rough floor until it stops.
fn rubbed(integrator: Method) -> Model {
    let mut body = bar();
    body.velocities = Some(vec![DVec3::X * 2.0; body.mesh.positions.len()]);
    let floor = Shape::plane(DVec3::Y * -0.101, DVec3::Y);
    let floor = Collider { friction: 0.3, ..Collider::new(floor, 1e4) };
    let builder = ModelBuilder::new().body(body).collider(floor);
    builder.method(integrator).build().expect("a model")
}

/// Energy added and dissipated by the end \[J\], and the largest distance from the account in
/// a step, relative to the energies there are.
fn account(model: Model, h: f64, seconds: f64) -> (f64, f64, f64) {
    let mut run = Run::new(model, h, 1);
    let (mut off, mut scale, mut gave_way) = (0.0f64, 0.0f64, 0);
    let steps = (seconds / h).round() as usize;
    for _ in 0..steps {
        let report = run.step();
        let (kinetic, total) = (report.energy.kinetic, report.energy.total());
        if let Some(target) = run.state.accounts[0].target() {
            let initial = run.state.accounts[0].goal.expect("a goal").energy;
            scale = scale.max(initial.abs()).max(kinetic);
            off = off.max((total - target).abs() / scale);
        }
        gave_way += usize::from(report.gave_way());
    }
    assert!(gave_way * 1000 <= steps, "gave way in {gave_way} of {steps} steps");
    (run.state.added(), run.state.dissipated(), off)
}

/// A driven body, and how it is made for an integrator.
type Driven = (&'static str, fn(Method) -> Model, Option<Damping>);

#[test]
fn driven_bodies_keep_their_account() {
    let cases: [Driven; 7] = [
        ("shaken softly", |i| shaken(HOLDS[0], i), None),
        ("shaken hard", |i| shaken(HOLDS[1], i), None),
        ("blown", blown, None),
        (
            "damped towards rigid motion",
            |i| shaken(HOLDS[0], i),
            Some(Damping::RigidPreserving(2.0)),
        ),
        ("damped by an ether", |i| shaken(HOLDS[0], i), Some(Damping::Ether(2.0))),
        (
            "damped by its straining",
            |i| shaken(HOLDS[0], i),
            Some(Damping::Rayleigh { mass: 0.5, stiffness: 0.01 }),
        ),
        ("rubbed", rubbed, None),
    ];
    let vivid = Fepr { filter: 0.1, ..Fepr::default() };
    for (name, build, damping) in cases {
        for (scheme, fepr) in [(SCHEMES[0], Fepr::default()), (SCHEMES[2], vivid)] {
            let model = build(integrator(scheme, Some(fepr), damping));
            let (added, dissipated, off) = account(model, H, 10.0);
            assert!(off < 1e-6, "{name}, {scheme:?}: {off:e} off its account");
            let lossy = damping.is_some() || name == "rubbed";
            assert!(!lossy || dissipated > 0.0, "{name}, {scheme:?}: nothing dissipated");
            assert!(name == "rubbed" || added != 0.0, "{name}, {scheme:?}: nothing added");
        }
    }
}

/// What friction takes is all of the sliding, in the end: what the body has more at the start than
/// when it lies on the floor.
#[test]
fn rubbing_takes_all_of_the_sliding() {
    let vivid = Fepr { filter: 0.1, ..Fepr::default() };
    let (mass, stiffness) = (24.0, 21.0 * 1e4);
    let weight = mass * 9.81;
    let falling = weight * 0.001 + 0.5 * weight * weight / stiffness;
    let expected = 0.5 * mass * 4.0 + falling;
    for (scheme, fepr) in [(SCHEMES[0], Fepr::default()), (SCHEMES[2], vivid)] {
        let (_, dissipated, _) = account(rubbed(integrator(scheme, Some(fepr), None)), H, 8.0);
        let off = (dissipated / expected - 1.0).abs();
        assert!(off < 0.01, "{scheme:?}: {dissipated} J, not {expected} J");
    }
}
