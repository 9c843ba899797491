//! XPBD against Newton: the same minimiser for every potential, and the same bits for any number
//! of threads.

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_mesh::shapes;
use pliant_model::method::{Method, Solver};
use pliant_model::{
    Body, Breeze, Collider, DVec3, Drive, ElasticModel, FrameInput, Hold, Material, Model,
    ModelBuilder, Response, Shape,
};
use pliant_sim::objective::{EvaluationSpace, Forces, Objective};
use pliant_sim::solver::SolverInfo;
use pliant_sim::solver::newton::{self, NewtonParams, NewtonSpace};
use pliant_sim::solver::xpbd::{self, XpbdParams, XpbdSpace};
use pliant_sim::{State, Workspace, step};

const H: f64 = 1.0 / 60.0;

/// One step of backward Euler from a model's initial state.
struct Step<'a> {
    model: &'a Model,
    drive: Drive,
    inertia: Vec<Row>,
    measured: Vec<f64>,
    evaluation: EvaluationSpace,
    gradient: Buffer<Row>,
    p: Buffer<Row>,
}

impl<'a> Step<'a> {
    fn new(model: &'a Model) -> Self {
        let mut drive = Drive::default();
        model.drive(0.0, &mut drive);
        let moved = model.initial_positions().iter().zip(model.initial_velocities());
        let mut p = Buffer::from(model.initial_positions());
        p[model.hard_vertices()].copy_from_slice(&drive.hard);
        Step {
            model,
            drive,
            inertia: moved.map(|(x, v)| x.plus_scaled(H, *v)).collect(),
            measured: vec![1.0; model.free_count()],
            evaluation: EvaluationSpace::new(model),
            gradient: Buffer::zeroed(model.free_count()),
            p,
        }
    }

    fn solve(
        &mut self,
        solve: impl FnOnce(&Objective, &mut [Row], &mut [Row], &mut EvaluationSpace) -> SolverInfo,
    ) -> SolverInfo {
        let objective = Objective {
            model: self.model,
            drive: &self.drive,
            start: self.model.initial_positions(),
            rate: 1.0 / H,
            kappa: 1.0 / (H * H),
            inertia: &self.inertia,
            forces: Forces::All,
            end: None,
            rubbing: &[],
            measured: &self.measured,
        };
        solve(&objective, &mut self.p, &mut self.gradient, &mut self.evaluation)
    }

    fn newton(mut self) -> (Vec<Row>, f64) {
        let mut space = NewtonSpace::new(self.model).expect("a matrix");
        let params = NewtonParams { iterations: 200, tolerance: 1e-12 };
        let team = Team::new(1);
        let info = self.solve(|objective, p, gradient, evaluation| {
            newton::minimise(objective, &params, p, gradient, &mut space, evaluation, &team)
        });
        // On slack cloth its line search ends at 2e-8, where the objective's rounding begins.
        assert!(info.residual < 1e-7, "{info:?}");
        (self.p.to_vec(), info.residual)
    }

    fn xpbd(mut self, iterations: u32, threads: usize) -> (Vec<Row>, SolverInfo) {
        let mut space = XpbdSpace::new(self.model).expect("constraints");
        let (params, team) = (XpbdParams { iterations }, Team::new(threads));
        let info = self.solve(|objective, p, gradient, evaluation| {
            xpbd::minimise(objective, &params, p, gradient, &mut space, evaluation, &team)
        });
        (self.p.to_vec(), info)
    }
}

fn distance(a: &[Row], b: &[Row]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.xyz().distance(b.xyz())).fold(0.0, f64::max)
}

/// A bar of soft rubber, bent and on its way.
fn bar(material: ElasticModel) -> Body {
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), [8, 2, 2]).expect("a box");
    let mut body = Body::solid("bar", mesh, Material::elastic(material, 1e5, 0.3, 1000.0));
    let bent = |x: &DVec3| *x + DVec3::Y * (-0.15 * (x.x + 0.5) * (x.x + 0.5));
    body.positions = Some(body.mesh.positions.iter().map(bent).collect());
    body.velocities = Some(body.mesh.positions.iter().map(|x| DVec3::new(0.0, 0.5, x.x)).collect());
    body
}

fn pinned(material: ElasticModel) -> Model {
    ModelBuilder::new().body(bar(material)).pin(0, |x| x.x < -0.49).build().expect("a model")
}

fn held_softly(material: ElasticModel) -> Model {
    let body = bar(material);
    let at_end = |v: &u32| body.mesh.positions[*v as usize].x < -0.49;
    let end: Vec<u32> = (0..body.mesh.positions.len() as u32).filter(at_end).collect();
    let followed = vec![80];
    let builder = ModelBuilder::new().hold(0, end, Hold::Spring(1e5), None);
    builder.follow(0, followed, vec![300.0]).body(body).build().expect("a model")
}

/// A cloth, crumpled a little, held at two corners.
fn cloth(cells: u32, hold: Hold, wind: bool) -> Model {
    let (mesh, springs) = shapes::cloth([1.0, 1.0], [cells as usize; 2]).expect("a cloth");
    let ends = springs.iter().map(|s| s.vertices).collect();
    let mut body = Body::springs("cloth", mesh, ends, 200.0, 0.3);
    let crumpled = |x: &DVec3| {
        *x * DVec3::new(0.97, 1.0, 1.04) + DVec3::Y * (0.03 * (9.0 * x.x).sin() * (7.0 * x.z).cos())
    };
    body.positions = Some(body.mesh.positions.iter().map(crumpled).collect());
    let builder = ModelBuilder::new().body(body).hold(0, vec![0, cells], hold, None);
    let velocity = DVec3::new(3.0, 6.0, 1.0);
    let breeze = Breeze { velocity, drag: 1.2, gust: 0.0, seed: 0, times: vec![], scale: vec![] };
    if wind { builder.wind(breeze) } else { builder }.build().expect("a model")
}

/// The answer after many iterations is Newton's, and more iterations come closer.
fn converges(name: &str, model: &Model, iterations: u32) {
    let (exact, left) = Step::new(model).newton();
    let moved = distance(&exact, model.initial_positions());
    assert!(moved > 0.01, "{name}: it moved by {moved} m only");
    let (mut last_residual, mut last_error) = (1.0, moved);
    for share in [40, 4, 1] {
        let (found, info) = Step::new(model).xpbd(iterations / share, 1);
        let error = distance(&found, &exact);
        assert!(
            info.residual < 0.5 * last_residual && error < 0.5 * last_error,
            "{name}: {info:?}"
        );
        (last_residual, last_error) = (info.residual, error);
    }
    assert!(last_residual < 1e-9, "{name}: residual {last_residual:e}");
    // Newton's own error is of the order of its residual, in metres of these scenes.
    assert!(last_error < 1e-10 + left, "{name}: {last_error:e} m from Newton, at {left:e}");
}

#[test]
fn every_material_reaches_newtons_minimiser() {
    for &material in ElasticModel::ALL {
        converges(&format!("{material:?}, pinned"), &pinned(material), 400);
        converges(&format!("{material:?}, held softly"), &held_softly(material), 800);
    }
}

#[test]
fn springs_and_wind_reach_newtons_minimiser() {
    converges("pinned cloth", &cloth(12, Hold::Hard, false), 8000);
    converges("softly held cloth", &cloth(12, Hold::Spring(1e4), false), 8000);
    converges("cloth in the wind", &cloth(12, Hold::Hard, true), 4000);
}

#[test]
fn twenty_iterations_come_close() {
    for &material in ElasticModel::ALL {
        let model = pinned(material);
        let (exact, _) = Step::new(&model).newton();
        let error = distance(&Step::new(&model).xpbd(20, 1).0, &exact);
        let moved = distance(&exact, model.initial_positions());
        assert!(error < 0.02 * moved, "{material:?}: {error:e} m of {moved:e} m");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // Large enough that a colour is shared out to several threads.
    let size = DVec3::new(1.0, 0.25, 0.25);
    let mesh = shapes::solid_box(size, [32, 8, 8]).expect("a box");
    let bar = Body::solid("bar", mesh, Material::neo_hookean(1e5, 0.3, 1000.0));
    let models = [
        ModelBuilder::new().body(bar).pin(0, |x| x.x < -0.49).build().expect("a model"),
        cloth(40, Hold::Hard, true),
    ];
    for (m, model) in models.iter().enumerate() {
        let bits = |threads: usize| {
            let (p, _) = Step::new(model).xpbd(10, threads);
            p.iter().flat_map(|row| row.0).map(f64::to_bits).collect::<Vec<_>>()
        };
        let one = bits(1);
        for threads in [2, 3] {
            assert!(bits(threads) == one, "model {m}, {threads} threads");
        }
    }
}

#[test]
fn a_body_at_rest_stays_there() {
    let mesh = shapes::solid_box(DVec3::ONE, [2, 2, 2]).expect("a box");
    for &material in ElasticModel::ALL {
        let body = Body::solid("cube", mesh.clone(), Material::elastic(material, 1e6, 0.4, 1000.0));
        let model = ModelBuilder::new().body(body).gravity(DVec3::ZERO).build().expect("a model");
        let (found, _) = Step::new(&model).xpbd(50, 1);
        let drift = distance(&found, model.initial_positions());
        assert!(drift < 1e-14, "{material:?}: {drift:e} m");
    }
}

#[test]
fn stiff_bodies_fall_from_rest() {
    // In so many tets some strains are nothing but rounding, and some energies zero.
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), [40, 10, 10]).expect("a box");
    for material in [ElasticModel::NeoHookean, ElasticModel::Corotated] {
        let body = Body::solid("bar", mesh.clone(), Material::elastic(material, 1e6, 0.3, 1000.0));
        let model = ModelBuilder::new().body(body).pin(0, |x| x.x < -0.49).build();
        let model = model.expect("a model");
        let (found, _) = Step::new(&model).xpbd(20, 1);
        // Nothing can move further than it would fall.
        let fallen = distance(&found, model.initial_positions());
        assert!(fallen > 0.0 && fallen < 1.5 * 9.81 * H * H, "{material:?}: {fallen} m");
        assert!(found.iter().all(|row| row.xyz().is_finite()), "{material:?}");
    }
}

#[test]
fn collapsed_bodies_open_again() {
    for material in [ElasticModel::Corotated, ElasticModel::NeoHookean, ElasticModel::Tissue] {
        for squash in [0.0, 0.1, -0.5] {
            let mut body = bar(material);
            let flat = |x: &DVec3| DVec3::new(x.x, squash * x.y, x.z);
            body.positions = Some(body.mesh.positions.iter().map(flat).collect());
            body.velocities = None;
            let model = ModelBuilder::new().body(body).gravity(DVec3::ZERO).build();
            let model = model.expect("a model");
            let mut before = Step::new(&model);
            let value = |step: &mut Step| {
                let team = Team::new(1);
                let mut found = 0.0;
                step.solve(|objective, p, _, evaluation| {
                    found = objective.value(p, evaluation, &team);
                    SolverInfo::default()
                });
                found
            };
            let at_start = value(&mut before);
            let (found, info) = Step::new(&model).xpbd(100, 1);
            assert!(info.residual.is_finite(), "{material:?} × {squash}: {info:?}");
            before.p.copy_from_slice(&found);
            let at_end = value(&mut before);
            assert!(at_end < at_start, "{material:?} × {squash}: {at_start} to {at_end} J");
        }
    }
}

#[test]
fn springs_without_length_do_no_harm() {
    let (mesh, springs) = shapes::cloth([1.0, 1.0], [4, 4]).expect("a cloth");
    let ends = springs.iter().map(|s| s.vertices).collect();
    let mut body = Body::springs("cloth", mesh, ends, 200.0, 0.3);
    body.positions = Some(vec![DVec3::ONE; 25]);
    let model = ModelBuilder::new().body(body).build().expect("a model");
    let (found, info) = Step::new(&model).xpbd(20, 1);
    assert!(found.iter().all(|row| row.xyz().is_finite()), "{info:?}");
}

#[test]
fn nothing_moves_without_inertia() {
    let model = pinned(ElasticModel::Corotated);
    let mut space = XpbdSpace::new(&model).expect("constraints");
    let (params, team) = (XpbdParams { iterations: 5 }, Team::new(1));
    let mut step = Step::new(&model);
    let info = step.solve(|objective, p, gradient, evaluation| {
        let still = Objective { kappa: 0.0, rate: 0.0, ..*objective };
        xpbd::minimise(&still, &params, p, gradient, &mut space, evaluation, &team)
    });
    assert!(info.stalled && info.iterations == 0);
    assert_eq!(distance(&step.p, model.initial_positions()), 0.0);
}

/// A bar that flies into an obstacle: part of it is inside already, at both laws of contact.
fn bumping(response: Response, friction: f64, restitution: f64) -> Model {
    let mut body = bar(ElasticModel::Corotated);
    let down = DVec3::new(0.7, -2.0, 0.3);
    body.velocities = Some(vec![down; body.mesh.positions.len()]);
    let stiffness = if response == Response::Cubic { 1e5 } else { 3e3 };
    let plane = Shape::plane(DVec3::Y * -0.15, DVec3::new(0.2, 1.0, 0.0));
    let ball = Shape::sphere(DVec3::new(0.1, -0.3, 0.1), 0.3);
    let with =
        |shape| Collider { response, friction, restitution, ..Collider::new(shape, stiffness) };
    let builder = ModelBuilder::new().body(body).collider(with(plane)).collider(with(ball));
    builder.build().expect("a model")
}

#[test]
fn contact_has_the_minimiser_of_newton() {
    for response in [Response::Spring, Response::Cubic] {
        for (friction, restitution) in [(0.0, 1.0), (0.4, 1.0), (0.4, 0.5)] {
            let model = bumping(response, friction, restitution);
            let (wanted, _) = Step::new(&model).newton();
            let (found, info) = Step::new(&model).xpbd(4000, 1);
            let off = distance(&wanted, &found);
            assert!(
                off < 1e-8,
                "{response:?}, μ = {friction}, e = {restitution}: {off:e} m, {info:?}"
            );
            let apart = distance(&wanted, &Step::new(&model).inertia);
            assert!(apart > 1e-2, "contact matters: {apart:e} m");
        }
    }
}

#[test]
fn contact_has_the_same_bits_for_any_number_of_threads() {
    let model = bumping(Response::Spring, 0.3, 0.8);
    let one = Step::new(&model).xpbd(20, 1).0;
    assert!([2, 3, 4].iter().all(|&threads| Step::new(&model).xpbd(20, threads).0 == one));
}

/// Dropped by XPBD, a cube comes back up, and is not where it would be without a floor.
#[test]
fn a_cube_bounces() {
    let mesh = shapes::solid_box(DVec3::splat(0.3), [3, 3, 3]).expect("a box");
    let mut body = Body::solid("cube", mesh, Material::neo_hookean(1e5, 0.3, 1000.0));
    body.mesh.positions.iter_mut().for_each(|x| *x += DVec3::Y * 0.5);
    let solver = Solver::Xpbd { iterations: 30 };
    let integrator = Method { solver, ..Method::default() };
    let floor = Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 2e4);
    let builder = ModelBuilder::new().body(body).collider(floor).method(integrator);
    let model = builder.build().expect("a model");
    let mut workspace = Workspace::new(&model, 1).expect("a workspace");
    let mut state = State::initial(&model);
    let mut input = FrameInput { h: 1.0 / 240.0, ..FrameInput::default() };
    let mut heights = Vec::new();
    for n in 0..240 {
        model.drive(f64::from(n) * input.h, &mut input.start);
        model.drive(f64::from(n + 1) * input.h, &mut input.end);
        let report = step(&model, &input, &mut state, &mut workspace);
        assert!(report.contacts.deepest < 0.05, "{} m deep", report.contacts.deepest);
        heights.push(state.positions.iter().map(|x| x.xyz().y).sum::<f64>() / 64.0);
    }
    let lowest = (0..240).fold(0, |low, n| if heights[n] < heights[low] { n } else { low });
    let back = heights[lowest..].iter().fold(0.0, |most: f64, y| most.max(*y));
    assert!(heights[lowest] > 0.05 && heights[lowest] < 0.16, "down to {} m", heights[lowest]);
    assert!(back > heights[lowest] + 0.1, "back to {back} m from {} m", heights[lowest]);
}
