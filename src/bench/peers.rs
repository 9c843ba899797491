//! The scenes that other engines were measured on: a bar that falls, held at one end, and a square
//! of cloth held at two corners.
//!
//! The bar is 1 m × 0.25 m × 0.25 m, five tets per cell, E = 1e6 Pa, ν = 0.3, 1000 kg/m³, stepped
//! by backward Euler with h = 1/30 s; ten iterations of the projective solver, or as many as it needs
//! to a thousandth, beside plain local/global. What others take is in docs/benchmarks.md; Rapier, which is a crate, is measured by the package in `peers/`.

use glam::DVec3;
use pliant::mesh::{MeshError, shapes};
use pliant::model::method::{Method, Scheme, Solver};
use pliant::model::{Body, ElasticModel, Hold, Model, ModelBuilder, ModelError};
use pliant::sim::State;
use serde_json::{Value, json};

use super::clock::Timed;
use super::stand_in::cloth;
use super::{Column, Entry, Row, Stop, Style, Suite, Values};

const H: f64 = 1.0 / 30.0;
/// Steps until the tip is looked at.
const FALL: usize = 10;
/// Steps whose time is taken.
const STEPS: usize = 40;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "peers",
    about: "the scenes that other engines were measured on",
    columns: &[
        Column { key: "vertices", heading: "vertices", style: Style::Fixed(0) },
        Column { key: "elements", heading: "elements", style: Style::Fixed(0) },
        Column { key: "ms_per_step.min", heading: "min [ms]", style: Style::Fixed(2) },
        Column { key: "ms_per_step.median", heading: "median", style: Style::Fixed(2) },
        Column { key: "iterations", heading: "iterations", style: Style::Fixed(0) },
        Column { key: "residual", heading: "residual", style: Style::Scientific },
        Column { key: "tip_y", heading: "tip [m]", style: Style::Fixed(5) },
        Column { key: "tip_y_converged", heading: "converged", style: Style::Fixed(5) },
        Column { key: "reason", heading: "", style: Style::Words },
    ],
    entries,
    conclude,
    figure: None,
    one_at_a_time: true,
    last_row: None,
};

/// A scene, and how it is solved.
struct Scene {
    name: &'static str,
    solver: Solver,
    build: fn(Solver) -> Result<Model, ModelError>,
}

const PROJECTIVE: Solver = Solver::Projective { iterations: 10, history: 5, tolerance: 0.0 };
const CONVERGED: Solver = Solver::Projective { iterations: 2000, history: 5, tolerance: 1e-6 };

/// To a relative gradient of 1e-3, with so many of the last steps remembered; none: local/global.
const fn to_a_thousandth(history: u32) -> Solver {
    Solver::Projective { iterations: 2000, history, tolerance: 1e-3 }
}

const SCENES: [Scene; 8] = [
    Scene { name: "bar-2k", solver: PROJECTIVE, build: |solver| bar([16, 5, 5], solver) },
    Scene { name: "bar-20k", solver: PROJECTIVE, build: middle },
    Scene { name: "bar-100k", solver: PROJECTIVE, build: |solver| bar([68, 17, 17], solver) },
    Scene { name: "bar-20k-1e-3", solver: to_a_thousandth(5), build: middle },
    Scene { name: "bar-20k-1e-3-local-global", solver: to_a_thousandth(0), build: middle },
    Scene { name: "bar-20k-xpbd", solver: Solver::Xpbd { iterations: 20 }, build: neo_hookean },
    Scene { name: "cloth-xpbd", solver: Solver::Xpbd { iterations: 40 }, build: hanging },
    Scene {
        name: "cloth-pd",
        solver: Solver::Projective { iterations: 20, history: 5, tolerance: 0.0 },
        build: hanging,
    },
];

/// The bar of the suites [m], held at an end.
pub fn bar(cells: [usize; 3], solver: Solver) -> Result<Model, ModelError> {
    bar_of(ElasticModel::Corotated, cells, solver)
}

fn middle(solver: Solver) -> Result<Model, ModelError> {
    bar([40, 10, 10], solver)
}

fn neo_hookean(solver: Solver) -> Result<Model, ModelError> {
    bar_of(ElasticModel::NeoHookean, [40, 10, 10], solver)
}

fn bar_of(matter: ElasticModel, cells: [usize; 3], solver: Solver) -> Result<Model, ModelError> {
    let mesh = shapes::solid_box(DVec3::new(1.0, 0.25, 0.25), cells)?;
    let body = Body::solid("bar", mesh, pliant::model::Material::elastic(matter, 1e6, 0.3, 1000.0));
    let integrator = Method { scheme: Scheme::BackwardEuler, solver, ..Method::default() };
    ModelBuilder::new().body(body).pin(0, |x| x.x < -0.5 + 1e-9).method(integrator).build()
}

/// 3,721 vertices, [2 m]², 0.4 kg, springs of 1e4 N/m.
fn hanging(solver: Solver) -> Result<Model, ModelError> {
    let (mesh, ends) = cloth(3721).map_err(|error: MeshError| ModelError::from(error))?;
    let corner = (mesh.positions.len() as f64).sqrt().round() as u32 - 1;
    let body = Body::springs("cloth", mesh, ends, 1e4, 0.4);
    let integrator = Method { scheme: Scheme::BackwardEuler, solver, ..Method::default() };
    let builder = ModelBuilder::new().body(body).hold(0, vec![0, corner], Hold::Hard, None);
    builder.method(integrator).build()
}

fn entries(threads: usize) -> Vec<Entry> {
    let entry = |scene: &'static Scene| {
        Entry::new(scene.name.to_owned(), move |stop: Stop<'_>| measure(scene, threads, stop))
    };
    SCENES.iter().map(entry).collect()
}

/// A row's values; `None` when asked to stop.
fn measure(scene: &Scene, threads: usize, stop: Stop) -> Result<Option<Values>, String> {
    let model = (scene.build)(scene.solver).map_err(|error| error.to_string())?;
    let mut timed = Timed::new(&model, H, threads)?;
    if !timed.run(FALL, 1, stop) {
        return Ok(None);
    }
    let (tip, residual) = (tip(&model, &timed.state), timed.reports.last().map(|r| r.residual));
    let exact = (scene.build)(CONVERGED).map_err(|error| error.to_string())?;
    let mut converged = Timed::new(&exact, H, threads)?;
    if !converged.run(FALL, 1, stop) || !timed.run(STEPS, 1, stop) {
        return Ok(None);
    }
    let worst = converged.reports.iter().map(|report| report.residual).fold(0.0, f64::max);
    Ok(Some(vec![
        ("vertices", json!(model.vertex_count())),
        ("elements", json!(model.element_count())),
        ("ms_per_step", timed.per_frame()),
        ("iterations", json!(timed.mean(1, |report| f64::from(report.iterations)))),
        ("residual", json!(residual)),
        ("tip_y", json!(tip)),
        ("tip_y_converged", json!(self::tip(&exact, &converged.state))),
        ("converged_residual", json!(worst)),
        ("threads", json!(threads)),
        ("reason", Value::Null),
    ]))
}

/// Mean height of the end that is not held \[m\]: of the vertices with the largest x at rest.
fn tip(model: &Model, state: &State) -> f64 {
    let far = model.rest().iter().map(|x| x.xyz().x).fold(f64::NEG_INFINITY, f64::max);
    let at_end = model.rest().iter().zip(&*state.positions);
    let heights = at_end.filter(|(rest, _)| rest.xyz().x > far - 1e-9).map(|(_, x)| x.xyz().y);
    let (sum, count) = heights.fold((0.0, 0), |(sum, count), y| (sum + y, count + 1));
    sum / f64::from(count)
}

fn conclude(rows: &[Row]) -> String {
    let off = |row: &Row| {
        let (tip, exact) = (row.get("tip_y").as_f64()?, row.get("tip_y_converged").as_f64()?);
        Some(format!("{} {:.2} %", row.name, 100.0 * (tip - exact).abs() / exact.abs()))
    };
    let list: Vec<String> = rows.iter().filter_map(off).collect();
    format!("tips off the converged fall by: {}", list.join(", "))
}
