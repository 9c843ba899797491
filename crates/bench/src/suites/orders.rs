//! Orders of accuracy with and without FEPR, as Figure 5 of the FEPR paper.
//!
//! A stretched, free cube runs to 1.65 s with ever smaller steps. The global error is its distance
//! then from a run with far smaller steps. The local error is that of single steps from states
//! along the finer run, on average. Distances are root mean squares over the mass.

use std::sync::Arc;

use glam::DVec3;
use pliant_math::Row as Point;
use pliant_model::method::{Correction, Fepr, Method, Scheme, Solver};
use pliant_model::{ElasticModel, Model, ModelBuilder, ModelError};
use pliant_sim::State;
use pliant_view::plot::{Figure, Panel, Series};
use serde_json::json;

use crate::bodies::{Block, Material, start};
use crate::error::BenchError;
use crate::shared::Shared;
use crate::stepper::Stepper;
use crate::suite::{Entry, Stop, Suite, Values, check};
use crate::table::{Column, Row};

/// Length of a run \[s\].
const END: f64 = 1.65;
/// Steps of the coarsest run: 33 ms each. Every finer run has twice as many.
const COARSEST: usize = 50;
const HALVINGS: usize = 6;
/// Steps of the reference per step of the finest run.
const FINER: usize = 16;
/// States from which local errors are taken.
const STARTS: usize = 25;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "orders",
    about: "errors over step lengths, with and without FEPR",
    columns: &[
        Column::scientific("h", "h [s]"),
        Column::scientific("global_error", "global [m]"),
        Column::scientific("local_error", "local [m]"),
    ],
    entries,
    conclude,
    figure: Some(draw),
    ..Suite::SIDE_BY_SIDE
};

/// A method: its name, its scheme, and whether FEPR corrects it.
type NamedScheme = (&'static str, Scheme, bool);

const METHODS: [NamedScheme; 4] = [
    ("midpoint", Scheme::ImplicitMidpoint, false),
    ("midpoint+fepr", Scheme::ImplicitMidpoint, true),
    ("bdf2", Scheme::Bdf2, false),
    ("bdf2+fepr", Scheme::Bdf2, true),
];

/// States of the reference: at starts of local steps, and after every step length from each.
struct Reference {
    end: Vec<Point>,
    starts: Vec<State>,
    /// Positions after h = END / (COARSEST · 2ᵏ) from each start.
    after: Vec<Vec<Vec<Point>>>,
}

fn entries(_threads: usize) -> Vec<Entry> {
    let reference = Arc::new(Shared::new());
    let mut entries = Vec::new();
    for method in METHODS {
        for halving in 0..HALVINGS {
            let reference = Arc::clone(&reference);
            let name = format!("{}/{}", method.0, COARSEST << halving);
            entries.push(Entry::new(name, move |stop| {
                let reference = reference.get(|| run_reference(stop))?;
                errors(method, halving, reference, stop)
            }));
        }
    }
    entries
}

/// A cube so soft that the coarsest step resolves its slowest vibrations.
fn cube(scheme: Scheme, is_projected: bool) -> Result<Model, ModelError> {
    let material = Material::Solid(ElasticModel::Corotated);
    let block = Block { size: DVec3::ONE, cells: [2, 2, 2], material, young: 1e4 };
    let mut body = block.body(|x| x)?;
    let spin = DVec3::new(0.0, 0.0, 1.0);
    start(&mut body, |x| x * DVec3::new(1.2, 1.0, 1.0), |x| spin.cross(x));
    let integrator = Method {
        scheme,
        solver: Solver::Newton { iterations: 200, tolerance: 1e-13 },
        correction: is_projected.then_some(Correction::Fepr(Fepr::default())),
        ..Method::default()
    };
    ModelBuilder::new().body(body).gravity(DVec3::ZERO).method(integrator).build()
}

fn advance(stepper: &mut Stepper, steps: usize, stop: Stop) -> Result<(), BenchError> {
    for _ in 0..steps {
        stepper.step();
        check(stop)?;
    }
    Ok(())
}

fn run_reference(stop: Stop) -> Result<Reference, BenchError> {
    let model = cube(Scheme::ImplicitMidpoint, false)?;
    let finest = (COARSEST << (HALVINGS - 1)) * FINER;
    let mut stepper = Stepper::new(&model, END / finest as f64, 1)?;
    let mut reference = Reference { end: Vec::new(), starts: Vec::new(), after: Vec::new() };
    for _ in 0..STARTS {
        reference.starts.push(stepper.state.clone());
        // The shortest step length ends first.
        let (mut done, mut after) = (0, Vec::new());
        for halving in (0..HALVINGS).rev() {
            let steps = finest / (COARSEST << halving);
            advance(&mut stepper, steps - done, stop)?;
            done = steps;
            after.insert(0, stepper.state.positions.to_vec());
        }
        reference.after.push(after);
        advance(&mut stepper, finest / STARTS - done, stop)?;
    }
    reference.end = stepper.state.positions.to_vec();
    Ok(reference)
}

/// The step length \[s\], and the global and local errors \[m\].
fn errors(
    (_, scheme, is_projected): NamedScheme,
    halving: usize,
    reference: &Reference,
    stop: Stop,
) -> Result<Values, BenchError> {
    let model = cube(scheme, is_projected)?;
    let steps = COARSEST << halving;
    let h = END / steps as f64;
    let mut stepper = Stepper::new(&model, h, 1)?;
    advance(&mut stepper, steps, stop)?;
    let global = distance(&model, &stepper.state.positions, &reference.end);
    let mut local = 0.0;
    for (from, after) in reference.starts.iter().zip(&reference.after) {
        let mut state = State::initial(&model);
        state.positions.copy_from_slice(&from.positions);
        state.velocities.copy_from_slice(&from.velocities);
        stepper.state = state;
        advance(&mut stepper, 1, stop)?;
        local += distance(&model, &stepper.state.positions, &after[halving]) / STARTS as f64;
    }
    Ok(vec![
        ("h", json!(h)),
        ("global_error", json!(global)),
        // The first step of BDF2 is one of implicit midpoint.
        ("local_error", json!((scheme != Scheme::Bdf2).then_some(local))),
    ])
}

/// Root mean square distance over the mass \[m\].
fn distance(model: &Model, a: &[Point], b: &[Point]) -> f64 {
    let squares = a.iter().zip(b).zip(model.masses());
    let sum: f64 = squares.map(|((a, b), m)| m * (a.xyz() - b.xyz()).length_squared()).sum();
    (sum / model.masses().iter().sum::<f64>()).sqrt()
}

/// Errors of a method, from the coarsest step to the finest: (h, error).
fn errors_of(rows: &[Row], method: &str, key: &str) -> Vec<(f64, f64)> {
    let own = rows.iter().filter(|row| row.name.split('/').next() == Some(method));
    own.filter_map(|row| Some((row.number("h")?, row.number(key)?))).collect()
}

/// `order over the last halving: midpoint 2.00, midpoint+fepr 2.00, …`
fn conclude(rows: &[Row]) -> String {
    let order = |(method, ..): NamedScheme| {
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
        // A line of this slope, for comparison.
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
