//! Scenes that other engines were measured on: a bar that falls, held at one end, and a square of
//! cloth held at two corners.
//!
//! The bar is 1 m × 0.25 m × 0.25 m, five tets per cell, E = 1e6 Pa, ν = 0.3, 1000 kg/m³, stepped
//! by backward Euler with h = 1/30 s. The solver makes ten projective iterations, or as many as a
//! residual of 1e-3 takes; plain local/global is beside it. Times of other engines are in
//! docs/benchmarks.md; the package in `peers/` measures Rapier.

use glam::DVec3;
use pliant_mesh::shapes;
use pliant_model::method::{Method, Scheme, Solver};
use pliant_model::{Body, ElasticModel, Hold, Model, ModelBuilder, ModelError};
use pliant_sim::State;
use serde_json::{Value, json};

use crate::bodies::{Cloth, DENSITY, POISSON};
use crate::clock::Timed;
use crate::error::BenchError;
use crate::stepper::{H, projective};
use crate::suite::{Entry, Stop, Suite, Values};
use crate::table::{Column, Row};

/// Steps until the height of the tip is taken.
const FALL: usize = 10;
/// Steps after them.
const STEPS: usize = 40;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "peers",
    about: "the scenes that other engines were measured on",
    columns: &[
        Column::fixed("vertices", "vertices", 0),
        Column::fixed("elements", "elements", 0),
        Column::fixed("ms_per_step.min", "min [ms]", 2),
        Column::fixed("ms_per_step.median", "median", 2),
        Column::fixed("iterations", "iterations", 0),
        Column::scientific("residual", "residual"),
        Column::fixed("tip_y", "tip [m]", 5),
        Column::fixed("tip_y_converged", "converged", 5),
        Column::REASON,
    ],
    entries,
    conclude,
    ..Suite::ONE_AT_A_TIME
};

/// A scene and its solver.
struct Scene {
    name: &'static str,
    solver: Solver,
    build: fn(Solver) -> Result<Model, ModelError>,
}

const CONVERGED: Solver = Solver::Projective { iterations: 2000, history: 5, tolerance: 1e-6 };

/// The projective solver to a residual of 1e-3; without history it is local/global.
const fn to_a_thousandth(history: u32) -> Solver {
    Solver::Projective { iterations: 2000, history, tolerance: 1e-3 }
}

const SCENES: [Scene; 8] = [
    Scene { name: "bar-2k", solver: projective(10), build: |solver| bar([16, 5, 5], solver) },
    Scene { name: "bar-20k", solver: projective(10), build: middle },
    Scene { name: "bar-100k", solver: projective(10), build: |solver| bar([68, 17, 17], solver) },
    Scene { name: "bar-20k-1e-3", solver: to_a_thousandth(5), build: middle },
    Scene { name: "bar-20k-1e-3-local-global", solver: to_a_thousandth(0), build: middle },
    Scene { name: "bar-20k-xpbd", solver: Solver::Xpbd { iterations: 20 }, build: neo_hookean },
    Scene { name: "cloth-xpbd", solver: Solver::Xpbd { iterations: 40 }, build: hanging },
    Scene { name: "cloth-pd", solver: projective(20), build: hanging },
];

/// The bar of 1 m, held at an end.
pub fn bar(cells: [usize; 3], solver: Solver) -> Result<Model, ModelError> {
    bar_of(ElasticModel::Corotated, cells, solver)
}

fn middle(solver: Solver) -> Result<Model, ModelError> {
    bar([40, 10, 10], solver)
}

fn neo_hookean(solver: Solver) -> Result<Model, ModelError> {
    bar_of(ElasticModel::NeoHookean, [40, 10, 10], solver)
}

fn bar_of(material: ElasticModel, cells: [usize; 3], solver: Solver) -> Result<Model, ModelError> {
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), cells)?;
    let body =
        Body::solid("bar", mesh, pliant_model::Material::elastic(material, 1e6, POISSON, DENSITY));
    let builder = ModelBuilder::new().body(body).pin(0, |x| x.x < -0.5 + 1e-9);
    builder.method(backward_euler(solver)).build()
}

/// A cloth of 3,721 vertices, [2 m]², 0.4 kg, springs of 1e4 N/m.
fn hanging(solver: Solver) -> Result<Model, ModelError> {
    let Cloth { mesh, springs, side } = Cloth::new(3721)?;
    let body = Body::springs("cloth", mesh, springs, 1e4, 0.4);
    let builder = ModelBuilder::new().body(body).hold(0, vec![0, side - 1], Hold::Hard, None);
    builder.method(backward_euler(solver)).build()
}

fn backward_euler(solver: Solver) -> Method {
    Method { scheme: Scheme::BackwardEuler, solver, ..Method::default() }
}

fn entries(threads: usize) -> Vec<Entry> {
    let entry =
        |scene: &'static Scene| Entry::new(scene.name, move |stop| measure(scene, threads, stop));
    SCENES.iter().map(entry).collect()
}

fn measure(scene: &Scene, threads: usize, stop: Stop) -> Result<Values, BenchError> {
    let model = (scene.build)(scene.solver)?;
    let mut timed = Timed::new(&model, H, threads)?;
    timed.run(FALL, 1, stop)?;
    let tip = tip_height(&model, &timed.stepper.state);
    let residual = timed.reports.last().map(|report| report.residual);
    let exact = (scene.build)(CONVERGED)?;
    let mut converged = Timed::new(&exact, H, threads)?;
    converged.run(FALL, 1, stop)?;
    timed.run(STEPS, 1, stop)?;
    let worst = converged.reports.iter().map(|report| report.residual).fold(0.0, f64::max);
    Ok(vec![
        ("vertices", json!(model.vertex_count())),
        ("elements", json!(model.element_count())),
        ("ms_per_step", timed.per_frame()),
        ("iterations", json!(timed.mean(1, |report| f64::from(report.iterations)))),
        ("residual", json!(residual)),
        ("tip_y", json!(tip)),
        ("tip_y_converged", json!(tip_height(&exact, &converged.stepper.state))),
        ("converged_residual", json!(worst)),
        ("threads", json!(threads)),
        ("reason", Value::Null),
    ])
}

/// Mean height of the vertices with the largest x at rest \[m\].
fn tip_height(model: &Model, state: &State) -> f64 {
    let far = model.rest().iter().map(|x| x.xyz().x).fold(f64::NEG_INFINITY, f64::max);
    let at_end = model.rest().iter().zip(&*state.positions);
    let heights = at_end.filter(|(rest, _)| rest.xyz().x > far - 1e-9).map(|(_, x)| x.xyz().y);
    let (sum, count) = heights.fold((0.0, 0), |(sum, count), y| (sum + y, count + 1));
    sum / f64::from(count)
}

fn conclude(rows: &[Row]) -> String {
    let off = |row: &Row| {
        let (tip, exact) = (row.number("tip_y")?, row.number("tip_y_converged")?);
        Some(format!("{} {:.2} %", row.name, 100.0 * (tip - exact).abs() / exact.abs()))
    };
    let list: Vec<String> = rows.iter().filter_map(off).collect();
    format!("tips off the converged fall by: {}", list.join(", "))
}
