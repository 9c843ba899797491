//! Energy projection: energy follows its account, and free bodies keep their momenta.

use crate::bodies::{Run, materials, newton, projective};
use pliant_model::collider::{Collider, Shape};
use pliant_model::method::{
    Correction, Damping, Fepr, FeprMetric, FeprMomenta, Method, Scheme, Solver,
};
use pliant_model::{Body, DVec3, ElasticModel, Hold, ModelBuilder};
use pliant_sim::StepReport;

const H: f64 = 1.0 / 30.0;

fn fepr(scheme: Scheme, solver: Solver, metric: FeprMetric) -> Method {
    let correction = Some(Correction::Fepr(Fepr { metric, ..Fepr::default() }));
    Method { scheme, solver, correction, ..Method::default() }
}

/// A box stretched by a fifth, spinning free of gravity.
fn spinning(material: ElasticModel) -> Body {
    let mut body = crate::bodies::rubber(DVec3::ONE, [3, 3, 3], material);
    let stretched = |x: &DVec3| *x * DVec3::new(1.2, 1.0, 1.0);
    let positions: Vec<DVec3> = body.mesh.positions.iter().map(stretched).collect();
    let spin = |x: &DVec3| DVec3::Z.cross(*x) * 5.0 + DVec3::X;
    body.velocities = Some(positions.iter().map(spin).collect());
    body.positions = Some(positions);
    body
}

struct Drift {
    energy: f64,
    linear: f64,
    angular: f64,
    failures: u32,
    moving: f64,
}

/// Runs steps, and sees how far energy and momenta leave what they were.
fn drift(run: &mut Run, steps: usize) -> Drift {
    drift_while(run, steps, |_| {})
}

/// The same, with every report shown.
fn drift_while(run: &mut Run, steps: usize, mut show: impl FnMut(&StepReport)) -> Drift {
    let mut seen = Drift { energy: 0.0, linear: 0.0, angular: 0.0, failures: 0, moving: 0.0 };
    let masses: f64 = run.model.masses().iter().sum();
    let mut first = None;
    for _ in 0..steps {
        let report = run.step();
        show(&report);
        let state = &run.state;
        let total = report.energy.total() - state.added() + state.dissipated();
        let goal = state.accounts[0].goal.expect("a corrected run has a goal");
        seen.moving = report.energy.kinetic.max(seen.moving);
        let scale = goal.energy.abs().max(seen.moving);
        seen.energy = ((total - goal.energy).abs() / scale).max(seen.energy);
        let start = *first.get_or_insert(report.momentum);
        let push = (2.0 * masses * seen.moving).sqrt();
        seen.linear = (report.momentum.linear.distance(start.linear) / push).max(seen.linear);
        seen.angular = (report.momentum.angular.distance(start.angular) / push).max(seen.angular);
        seen.failures += u32::from(report.correction_failed);
    }
    seen
}

#[test]
fn a_free_spinning_body_keeps_energy_and_momenta() {
    let schemes = [Scheme::BackwardEuler, Scheme::Bdf2, Scheme::ImplicitMidpoint];
    for scheme in schemes {
        for solver in [projective(20, 5, 0.0), newton(1e-9)] {
            for metric in [FeprMetric::Smooth, FeprMetric::Diagonal] {
                let integrator = fepr(scheme, solver, metric);
                let builder = ModelBuilder::new().body(spinning(ElasticModel::Corotated));
                let model = builder.gravity(DVec3::ZERO).method(integrator).build();
                let mut run = Run::new(model.expect("a model"), H, 1);
                let seen = drift(&mut run, 200);
                let case = format!("{scheme:?}, {solver:?}, {metric:?}");
                assert!(seen.energy < 1e-6, "{case}: energy {:e}", seen.energy);
                assert!(seen.linear < 1e-8, "{case}: linear momentum {:e}", seen.linear);
                assert!(seen.angular < 1e-8, "{case}: angular momentum {:e}", seen.angular);
                assert_eq!(seen.failures, 0, "{case}");
            }
        }
    }
}

#[test]
fn every_material_keeps_its_energy() {
    for material in materials() {
        let integrator = fepr(Scheme::BackwardEuler, projective(20, 5, 0.0), FeprMetric::Smooth);
        let builder = ModelBuilder::new().body(spinning(material));
        let model = builder.gravity(DVec3::ZERO).method(integrator).build();
        let mut run = Run::new(model.expect("a model"), H, 1);
        let seen = drift(&mut run, 200);
        assert!(seen.energy < 1e-6, "{material:?}: energy {:e}", seen.energy);
        assert!(seen.angular < 1e-8, "{material:?}: angular momentum {:e}", seen.angular);
        assert_eq!(seen.failures, 0, "{material:?}");
    }
}

#[test]
fn without_it_backward_euler_loses_most_of_its_energy() {
    let integrator = Method { solver: newton(1e-9), ..Method::default() };
    let mut body = spinning(ElasticModel::Corotated);
    body.velocities = None;
    let model = ModelBuilder::new().body(body).gravity(DVec3::ZERO).method(integrator).build();
    let mut run = Run::new(model.expect("a model"), H, 1);
    let first = run.step().energy.total();
    assert!(run.steps(60).energy.total() < 0.1 * first);
}

#[test]
fn a_swinging_bar_keeps_its_energy_in_gravity() {
    for hold in [Hold::Spring(1e5), Hold::Hard] {
        let body =
            crate::bodies::rubber(DVec3::new(1.0, 0.2, 0.2), [8, 2, 2], ElasticModel::Corotated);
        let pins: Vec<u32> = (0..9).collect();
        let solver = projective(20, 5, 0.0);
        let integrator = fepr(Scheme::ImplicitMidpoint, solver, FeprMetric::Smooth);
        let builder = ModelBuilder::new().body(body).hold(0, pins, hold, None);
        let model = builder.method(integrator).build().expect("a model");
        let mut run = Run::new(model, H, 1);
        let seen = drift(&mut run, 300);
        assert!(seen.moving > 1.0, "{hold:?}: the bar does not swing: {} J", seen.moving);
        assert!(seen.energy < 1e-6, "{hold:?}: energy {:e}", seen.energy);
        assert_eq!(seen.failures, 0, "{hold:?}");
    }
}

#[test]
fn damping_is_respected() {
    let mut integrator = fepr(Scheme::BackwardEuler, projective(20, 5, 0.0), FeprMetric::Smooth);
    integrator.damping = Some(Damping::Ether(0.5));
    let builder = ModelBuilder::new().body(spinning(ElasticModel::Corotated));
    let model = builder.gravity(DVec3::ZERO).method(integrator).build();
    let mut run = Run::new(model.expect("a model"), H, 1);
    let seen = drift(&mut run, 150);
    assert!(run.state.dissipated() > 0.5 * run.state.accounts[0].goal.expect("a goal").energy);
    assert!(seen.energy < 1e-6, "energy {:e}", seen.energy);
    assert_eq!(seen.failures, 0);
}

/// A dropped box bounces on a springy floor, and is as high after as before.
#[test]
fn a_bouncing_body_keeps_its_energy() {
    for scheme in [Scheme::BackwardEuler, Scheme::ImplicitMidpoint] {
        let mut body = crate::bodies::rubber(DVec3::splat(0.2), [3, 3, 3], ElasticModel::Corotated);
        body.mesh.positions.iter_mut().for_each(|x| x.y += 0.4);
        let floor = Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 1e4);
        let integrator = fepr(scheme, projective(20, 5, 0.0), FeprMetric::Smooth);
        let builder = ModelBuilder::new().body(body).collider(floor).method(integrator);
        let mut run = Run::new(builder.build().expect("a model"), 1.0 / 60.0, 1);
        let mut touched = 0;
        let seen = drift_while(&mut run, 300, |report| touched += report.contacts.count);
        assert!(touched > 0, "{scheme:?}: never on the floor");
        assert!(seen.energy < 1e-6, "{scheme:?}: energy {:e}", seen.energy);
        assert_eq!(seen.failures, 0, "{scheme:?}");
    }
}

/// Where the energy goes is another matter: without a filter, midpoint steps of a stiff body move
/// it into jitter; with one it stays in the swing.
#[test]
fn the_filter_keeps_the_energy_in_the_swing() {
    let swing = |filter: f64| {
        let mut body =
            crate::bodies::rubber(DVec3::new(1.0, 0.1, 0.1), [20, 2, 2], ElasticModel::Corotated);
        if let pliant_model::Matter::Solid { lame, .. } = &mut body.matter {
            lame.fill(pliant_model::Lame::of(1e6, 0.3));
        }
        let correction = Some(Correction::Fepr(Fepr { filter, ..Fepr::default() }));
        let (scheme, solver) = (Scheme::ImplicitMidpoint, projective(20, 5, 0.0));
        let integrator = Method { scheme, solver, correction, damping: None };
        let builder = ModelBuilder::new().body(body).hold(0, vec![4], Hold::Spring(1e5), None);
        let model = builder.method(integrator).build().expect("a model");
        let mut run = Run::new(model, H, 1);
        let seen = drift(&mut run, 300);
        assert!(seen.energy < 1e-6 && seen.failures == 0, "filter {filter}: {:e}", seen.energy);
        let angle = |run: &Run| {
            let x = run.positions();
            let along = x[x.len() - 5] - x[4];
            along.x.atan2(-along.y).to_degrees().abs()
        };
        (0..60).fold(0.0f64, |widest, _| {
            run.step();
            widest.max(angle(&run))
        })
    };
    let (with, without) = (swing(0.1), swing(0.0));
    // Let go at 90°.
    assert!((80.0..100.0).contains(&with), "the filtered swing is {with}°");
    assert!(without < 0.8 * with, "the unfiltered swing is {without}°, the filtered {with}°");
}

#[test]
fn bodies_apart_have_accounts_of_their_own() {
    // One is stretched and swings, the other spins: alone or together, each does the same.
    let apart = |body: Body, by: f64| {
        let moved = |x: &DVec3| *x + DVec3::X * by;
        let positions = body.positions.as_ref().map(|p| p.iter().map(moved).collect());
        let mut moved_body = body.clone();
        moved_body.mesh.positions = body.mesh.positions.iter().map(moved).collect();
        moved_body.positions = positions;
        moved_body
    };
    let mut swinging = spinning(ElasticModel::Corotated);
    swinging.velocities = None;
    let bodies = [apart(swinging, -3.0), apart(spinning(ElasticModel::NeoHookean), 3.0)];
    for momenta in [FeprMomenta::Held, FeprMomenta::Paper { epsilon: 1e-3 }] {
        let correction = Some(Correction::Fepr(Fepr { momenta, ..Fepr::default() }));
        let integrator = Method { correction, ..Method::default() };
        let run = |chosen: &[Body]| {
            let add = |builder: ModelBuilder, body: &Body| builder.body(body.clone());
            let builder = chosen.iter().fold(ModelBuilder::new(), add).gravity(DVec3::ZERO);
            let model = builder.method(integrator).build().expect("a model");
            let mut run = Run::new(model, H, 1);
            run.steps(100);
            run
        };
        let together = run(&bodies);
        for (b, body) in bodies.iter().enumerate() {
            let alone = run(std::slice::from_ref(body));
            let account = |run: &Run, b: usize| {
                let of =
                    |body| pliant_sim::measure::kinetic_of(&run.model, body, &run.state.velocities);
                (run.state.accounts[b].target(), of(&run.model.bodies()[b]))
            };
            let ((target, moving), (own_target, own_moving)) =
                (account(&together, b), account(&alone, 0));
            assert_eq!(target, own_target, "{momenta:?}, body {b}");
            let off = (moving - own_moving).abs() / own_moving;
            assert!(off < 1e-6, "{momenta:?}, body {b}: kinetic energy off by {off:e}");
        }
    }
}

/// A linearised step of the midpoint rule can end anywhere; its projection starts nearer to where
/// the step began then, and all constraints hold.
#[test]
fn a_step_that_goes_astray_is_projected_all_the_same() {
    let mut body = crate::bodies::rubber(DVec3::ONE, [3, 3, 3], ElasticModel::Tissue);
    let stretched = |x: &DVec3| *x * DVec3::new(1.5, 1.0, 1.0);
    body.positions = Some(body.mesh.positions.iter().map(stretched).collect());
    let linearised = Solver::Newton { iterations: 1, tolerance: 0.0 };
    let integrator = fepr(Scheme::ImplicitMidpoint, linearised, FeprMetric::Smooth);
    let model = ModelBuilder::new().body(body).gravity(DVec3::ZERO).method(integrator).build();
    let mut run = Run::new(model.expect("a model"), H, 1);
    let mut astray = 0;
    let seen = drift_while(&mut run, 500, |report| astray += u32::from(report.pulled_back));
    assert!(astray > 0, "no step went astray");
    assert!(seen.energy < 1e-6, "energy {:e}", seen.energy);
    assert!(seen.angular < 1e-8, "angular momentum {:e}", seen.angular);
    assert_eq!(seen.failures, 0);
}
