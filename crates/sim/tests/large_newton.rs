//! Newton's method on a body whose matrix is too large to be factored in every iteration.

use pliant_math::team::Team;
use pliant_math::{Buffer, Row};
use pliant_mesh::shapes;
use pliant_model::{Body, DVec3, Drive, ElasticModel, Material, Model, ModelBuilder};
use pliant_sim::objective::{EvaluationSpace, Forces, Objective};
use pliant_sim::solver::SolverInfo;
use pliant_sim::solver::newton::{self, NewtonParams, NewtonSpace};

const H: f64 = 1.0 / 30.0;

/// A bar held at an end, bent, and on its way.
fn bar(cells: [usize; 3], material: ElasticModel) -> Model {
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), cells).expect("a box");
    let mut body = Body::solid("bar", mesh, Material::elastic(material, 1e6, 0.3, 1000.0));
    let bent = |x: &DVec3| *x + DVec3::Y * (-0.15 * (x.x + 0.5) * (x.x + 0.5));
    body.positions = Some(body.mesh.positions.iter().map(bent).collect());
    body.velocities = Some(body.mesh.positions.iter().map(|x| DVec3::new(0.0, 0.5, x.x)).collect());
    ModelBuilder::new().body(body).pin(0, |x| x.x < -0.499).build().expect("a model")
}

/// One step of backward Euler, with conjugate gradients where `is_prepared`.
fn solve(model: &Model, is_prepared: bool, threads: usize) -> (Vec<Row>, SolverInfo) {
    let team = Team::new(threads);
    let mut space = NewtonSpace::new(model).expect("a matrix");
    let kappa = 1.0 / (H * H);
    if is_prepared {
        space.prepare(model, kappa, &team);
    }
    let mut drive = Drive::default();
    model.drive(0.0, &mut drive);
    let moved = model.initial_positions().iter().zip(model.initial_velocities());
    let inertia: Vec<Row> = moved.map(|(x, v)| x.plus_scaled(H, *v)).collect();
    let measured = vec![1.0; model.free_count()];
    let objective = Objective {
        model,
        drive: &drive,
        start: model.initial_positions(),
        rate: 1.0 / H,
        kappa,
        inertia: &inertia,
        forces: Forces::All,
        end: None,
        rubbing: &[],
        measured: &measured,
    };
    let mut p = Buffer::from(model.initial_positions());
    let mut gradient = Buffer::zeroed(model.free_count());
    let mut evaluation = EvaluationSpace::new(model);
    let params = NewtonParams { iterations: 50, tolerance: 1e-10 };
    let info = newton::minimise(
        &objective,
        &params,
        &mut p,
        &mut gradient,
        &mut space,
        &mut evaluation,
        &team,
    );
    (p.to_vec(), info)
}

#[test]
fn iterations_find_what_a_factorisation_finds() {
    for material in [ElasticModel::Corotated, ElasticModel::NeoHookean] {
        let model = bar([40, 10, 10], material);
        assert!(NewtonSpace::new(&model).expect("a matrix").is_iterative(), "{material:?}");
        let (found, info) = solve(&model, true, 2);
        let (wanted, exact) = solve(&model, false, 2);
        assert!(info.residual < 1e-9 && exact.residual < 1e-9, "{info:?}, {exact:?}");
        let apart = found.iter().zip(&wanted).map(|(a, b)| a.xyz().distance(b.xyz()));
        let apart = apart.fold(0.0, f64::max);
        assert!(apart < 1e-9, "{material:?}: {apart:e} m");
        // Inexact directions cost few iterations.
        assert!(info.iterations <= exact.iterations + 3, "{info:?}, {exact:?}");
    }
}

#[test]
fn iterations_have_the_same_bits_for_any_number_of_threads() {
    let model = bar([40, 10, 10], ElasticModel::Corotated);
    let one = solve(&model, true, 1).0;
    assert!(solve(&model, true, 3).0 == one);
}

#[test]
fn small_bodies_are_factored() {
    let model = bar([16, 5, 5], ElasticModel::Corotated);
    assert!(!NewtonSpace::new(&model).expect("a matrix").is_iterative());
}
