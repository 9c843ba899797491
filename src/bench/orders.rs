//! Orders of accuracy with and without FEPR, as Figure 5 of the FEPR paper.
//!
//! A stretched cube, free, is run to 1.65 s with ever smaller steps. The global error is its distance
//! at that time from a run with far smaller steps; the local error that of single steps from states
//! along this run, on average; a single step of BDF2 is one of midpoint, and not shown. Distances are root mean squares over the mass.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use pliant::math::Row as Point;
use pliant::model::method::{Correction, Fepr, Method, Scheme, Solver};
use pliant::model::{ElasticModel, FrameInput, Model, ModelBuilder};
use pliant::sim::{State, Workspace, step};
use pliant::view::plot::{Figure, Panel, Series};
use serde_json::json;

use super::block::{Block, Material, start};
use super::{Column, Entry, Row, Stop, Style, Suite};

/// How long a run is \[s\].
const END: f64 = 1.65;
/// Steps of the coarsest run: 33 ms each. Every finer one has twice as many.
const COARSEST: usize = 50;
const HALVINGS: usize = 6;
/// Steps of the run that stands for the truth, per step of the finest.
const FINER: usize = 16;
/// Local errors are taken from so many states.
const STARTS: usize = 25;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "orders",
    about: "errors over step lengths, with and without FEPR",
    columns: &[
        Column { key: "h", heading: "h [s]", style: Style::Scientific },
        Column { key: "global_error", heading: "global [m]", style: Style::Scientific },
        Column { key: "local_error", heading: "local [m]", style: Style::Scientific },
    ],
    entries,
    conclude,
    figure: Some(draw),
    one_at_a_time: false,
    last_row: None,
};

const METHODS: [(&str, Scheme, bool); 4] = [
    ("midpoint", Scheme::ImplicitMidpoint, false),
    ("midpoint+fepr", Scheme::ImplicitMidpoint, true),
    ("bdf2", Scheme::Bdf2, false),
    ("bdf2+fepr", Scheme::Bdf2, true),
];

/// States of the finest run: at starts of local steps, and after every step length from each.
struct Truth {
    end: Vec<Point>,
    starts: Vec<State>,
    /// Positions after h = END / (COARSEST · 2ᵏ) from each start.
    after: Vec<Vec<Vec<Point>>>,
}

type Shared = Arc<OnceLock<Result<Option<Truth>, String>>>;

fn entries(_threads: usize) -> Vec<Entry> {
    let truth = Shared::default();
    let mut entries = Vec::new();
    for (name, scheme, is_projected) in METHODS {
        for halving in 0..HALVINGS {
            let name = format!("{name}/{}", COARSEST << halving);
            let (row, truth) = (name.clone(), Arc::clone(&truth));
            let measure = Box::new(move |stop: Stop| {
                let found = truth.get_or_init(|| find_truth(stop));
                let errors = match found {
                    Ok(found) => errors(scheme, is_projected, halving, found.as_ref()?, stop),
                    Err(reason) => Err(reason.clone()),
                };
                let values = match errors {
                    Ok(errors) => {
                        let [h, global, local] = errors?;
                        vec![
                            ("h", json!(h)),
                            ("global_error", json!(global)),
                            // No number where a single step is another method's.
                            ("local_error", json!((scheme != Scheme::Bdf2).then_some(local))),
                        ]
                    }
                    Err(reason) => vec![("reason", json!(reason))],
                };
                Some(Row::new(row.clone(), values))
            });
            entries.push(Entry { name, measure });
        }
    }
    entries
}

/// Soft enough that the coarsest step resolves its slowest vibrations.
fn cube(scheme: Scheme, is_projected: bool) -> Result<Model, String> {
    let material = Material::Solid(ElasticModel::Corotated);
    let block = Block { size: DVec3::ONE, cells: [2, 2, 2], material, young: 1e4 };
    let mut body = block.body(|x| x).map_err(|error| error.to_string())?;
    let spin = DVec3::new(0.0, 0.0, 1.0);
    start(&mut body, |x| x * DVec3::new(1.2, 1.0, 1.0), |x| spin.cross(x));
    let integrator = Method {
        scheme,
        solver: Solver::Newton { iterations: 200, tolerance: 1e-13 },
        correction: is_projected.then_some(Correction::Fepr(Fepr::default())),
        ..Method::default()
    };
    let builder = ModelBuilder::new().body(body).gravity(DVec3::ZERO).method(integrator);
    builder.build().map_err(|error| error.to_string())
}

/// Steps a state on; false when asked to stop.
fn advance(
    model: &Model,
    h: f64,
    steps: usize,
    state: &mut State,
    workspace: &mut Workspace,
    stop: Stop,
) -> bool {
    let mut input = FrameInput { h, ..FrameInput::default() };
    model.drive(0.0, &mut input.start);
    model.drive(0.0, &mut input.end);
    for _ in 0..steps {
        step(model, &input, state, workspace);
        if stop() {
            return false;
        }
    }
    true
}

fn find_truth(stop: Stop) -> Result<Option<Truth>, String> {
    let model = cube(Scheme::ImplicitMidpoint, false)?;
    let mut workspace = Workspace::new(&model, 1).map_err(|error| error.to_string())?;
    let finest = (COARSEST << (HALVINGS - 1)) * FINER;
    let h = END / finest as f64;
    let mut state = State::initial(&model);
    let mut truth = Truth { end: Vec::new(), starts: Vec::new(), after: Vec::new() };
    let segment = finest / STARTS;
    for _ in 0..STARTS {
        truth.starts.push(state.clone());
        // After the shortest step length first, then after twice as long, and so on.
        let (mut done, mut after) = (0, Vec::new());
        for halving in (0..HALVINGS).rev() {
            let steps = finest / (COARSEST << halving);
            if !advance(&model, h, steps - done, &mut state, &mut workspace, stop) {
                return Ok(None);
            }
            done = steps;
            after.insert(0, state.positions.to_vec());
        }
        truth.after.push(after);
        if !advance(&model, h, segment - done, &mut state, &mut workspace, stop) {
            return Ok(None);
        }
    }
    truth.end = state.positions.to_vec();
    Ok(Some(truth))
}

/// h \[s\], and the global and local errors \[m\].
fn errors(
    scheme: Scheme,
    is_projected: bool,
    halving: usize,
    truth: &Truth,
    stop: Stop,
) -> Result<Option<[f64; 3]>, String> {
    let model = cube(scheme, is_projected)?;
    let mut workspace = Workspace::new(&model, 1).map_err(|error| error.to_string())?;
    let steps = COARSEST << halving;
    let h = END / steps as f64;
    let mut state = State::initial(&model);
    if !advance(&model, h, steps, &mut state, &mut workspace, stop) {
        return Ok(None);
    }
    let global = apart(&model, &state.positions, &truth.end);
    let mut local = 0.0;
    for (from, after) in truth.starts.iter().zip(&truth.after) {
        let mut state = State::initial(&model);
        state.positions.copy_from_slice(&from.positions);
        state.velocities.copy_from_slice(&from.velocities);
        if !advance(&model, h, 1, &mut state, &mut workspace, stop) {
            return Ok(None);
        }
        local += apart(&model, &state.positions, &after[halving]) / STARTS as f64;
    }
    Ok(Some([h, global, local]))
}

/// Root mean square distance over the mass \[m\].
fn apart(model: &Model, a: &[Point], b: &[Point]) -> f64 {
    let squares = a.iter().zip(b).zip(model.masses());
    let sum: f64 = squares.map(|((a, b), m)| m * (a.xyz() - b.xyz()).length_squared()).sum();
    (sum / model.masses().iter().sum::<f64>()).sqrt()
}

/// Errors of a method, from the coarsest step to the finest: (h, error).
fn errors_of(rows: &[Row], method: &str, key: &str) -> Vec<(f64, f64)> {
    let own = rows.iter().filter(|row| row.name.split('/').next() == Some(method));
    own.filter_map(|row| Some((row.get("h").as_f64()?, row.get(key).as_f64()?))).collect()
}

/// `order over the last halving: midpoint 2.00, midpoint+fepr 2.00, …`
fn conclude(rows: &[Row]) -> String {
    let order = |(method, ..): (&str, Scheme, bool)| {
        let errors = errors_of(rows, method, "global_error");
        let [.., (h0, e0), (h1, e1)] = errors[..] else { return format!("{method} –") };
        format!("{method} {:.2}", (e0 / e1).ln() / (h0 / h1).ln())
    };
    format!("global order over the last halving: {}", METHODS.map(order).join(", "))
}

fn draw(rows: &[Row]) -> Figure {
    let panel = |title: &str, key: &str, order: i32| {
        let series = METHODS.iter().map(|(method, ..)| {
            let (h, error) = errors_of(rows, method, key).into_iter().unzip();
            Series::new(*method, h, error)
        });
        let mut series: Vec<Series> = series.collect();
        // What an error of this order would do, for comparison.
        let guide = errors_of(rows, METHODS[0].0, key);
        if let Some(&(h0, e0)) = guide.last() {
            let (h, error) =
                guide.iter().map(|(h, _)| (*h, 0.5 * e0 * (h / h0).powi(order))).unzip();
            series.push(Series::new(format!("slope {order}"), h, error));
        }
        Panel {
            title: title.into(),
            x_label: "length of a step [s]".into(),
            y_label: "error in m".into(),
            log_x: true,
            log_y: true,
            series,
        }
    };
    let panels =
        vec![panel("Global error", "global_error", 2), panel("Local error", "local_error", 3)];
    Figure { title: "Errors over the step length".into(), panels, columns: 2 }
}
