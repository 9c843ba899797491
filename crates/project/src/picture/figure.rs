//! The figure of one or several runs: energy, momentum, solver and timing over time.

use std::path::Path;

use crate::demo::{Curve, Quantity};
use pliant_io::atomic::write_whole;
use pliant_view::plot::{Figure, Panel, Series, Style};

use super::metrics_table::MetricsTable;
use super::stage::save_png;
use crate::error::ProjectError;
use crate::path::ending;

/// A run to be drawn, under a name for the legend.
pub struct Curves {
    pub name: String,
    pub metrics: MetricsTable,
}

/// The columns that figures show.
pub const COLUMNS: [&str; 17] = [
    "time",
    "kinetic",
    "potential",
    "total",
    "target",
    "px",
    "py",
    "pz",
    "lx",
    "ly",
    "lz",
    "solver_iterations",
    "residual",
    "step_ms",
    "s",
    "correction_iterations",
    "fallback",
];

/// Panels for all runs; each run has its colour in every panel.
pub fn of_runs(title: &str, runs: &[Curves]) -> Figure {
    let mut panels = match runs {
        [run] => vec![energies(run)],
        _ => vec![
            totals(runs),
            one(runs, "Kinetic energy", "kinetic energy [J]", "kinetic"),
            one(runs, "Potential energy", "potential energy [J]", "potential"),
        ],
    };
    panels.push(momentum(runs, "Linear momentum", "|p| [kg m/s]", LINEAR));
    panels.push(momentum(runs, "Angular momentum", "|L| [kg m²/s]", ANGULAR));
    panels.push(one(runs, "Solver", "iterations per step", "solver_iterations"));
    let residual = one(runs, "Residual", "residual", "residual");
    panels.push(Panel { log_y: true, ..residual });
    panels.push(speed(runs));
    // Two full rows: one run has six panels, several have eight.
    let columns = panels.len() / 2;
    Figure { title: title.to_owned(), panels, columns }
}

/// A panel for each of the curves that a demo asks for.
pub fn of_curves(title: &str, runs: &[Curves], curves: &[Curve]) -> Figure {
    let panels = curves.iter().map(|curve| curve_panel(runs, curve)).collect();
    Figure { title: title.to_owned(), columns: curves.len().min(3), panels }
}

/// Errors over the length of the step, a line per method.
pub fn errors(methods: Vec<(String, Vec<f64>, Vec<f64>)>) -> Panel {
    let mut panel = Panel {
        title: "Error at the end".to_owned(),
        x_label: "length of a step [s]".to_owned(),
        y_label: "‖x − x*‖ [m]".to_owned(),
        log_x: true,
        log_y: true,
        ..Panel::default()
    };
    for (place, (name, h, error)) in methods.into_iter().enumerate() {
        let style = Style { colour: Some(place), dashed: false };
        panel.series.push(Series { style, ..Series::new(name, h, error) });
    }
    panel
}

/// Writes a figure as `.svg` or `.png`, by the ending of the name.
pub fn save(figure: &Figure, path: &Path) -> Result<(), ProjectError> {
    let named = |error: pliant_view::Error| ProjectError::about(path, error);
    match ending(path).as_str() {
        "svg" => Ok(write_whole(path, figure.svg().map_err(named)?.as_bytes())?),
        _ => save_png(&figure.picture(2.0).map_err(named)?, path),
    }
}

fn curve_panel(runs: &[Curves], curve: &Curve) -> Panel {
    let mut panel = match curve.of {
        Quantity::Total => totals(runs),
        Quantity::Kinetic => one(runs, "Kinetic energy", "kinetic energy [J]", "kinetic"),
        Quantity::Potential => one(runs, "Potential energy", "potential energy [J]", "potential"),
        Quantity::LinearMomentum => momentum(runs, "Linear momentum", "|p| [kg m/s]", LINEAR),
        Quantity::AngularMomentum => momentum(runs, "Angular momentum", "|L| [kg m²/s]", ANGULAR),
        Quantity::Blend => one(runs, "Share of backward (−: forward) Euler", "α", "s"),
        Quantity::CorrectionIterations => {
            one(runs, "Correction", "iterations per step", "correction_iterations")
        }
        Quantity::Fallback => one(runs, "Steps that gave way", "fallback", "fallback"),
        Quantity::Speed => speed(runs),
        Quantity::SkinSpeed => one(runs, "Skin", "rms speed [m/s]", "rms_skin_speed"),
    };
    if let Some([low, high]) = curve.within {
        for value in panel.series.iter_mut().flat_map(|series| &mut series.y) {
            if !(low..=high).contains(value) {
                *value = f64::NAN;
            }
        }
    }
    panel.log_y = curve.log;
    panel
}

/// All energies of one run.
fn energies(run: &Curves) -> Panel {
    let series = ["kinetic", "potential", "total", "target"].map(|column| Series {
        style: Style { colour: None, dashed: column == "target" },
        ..Series::new(column, run.metrics.values("time"), run.metrics.values(column))
    });
    Panel { series: series.into(), ..frame("Energy", "energy [J]") }
}

/// Total energies of several runs, their targets broken.
fn totals(runs: &[Curves]) -> Panel {
    let mut panel = one(runs, "Total energy (broken line: target)", "total energy [J]", "total");
    for (place, run) in runs.iter().enumerate() {
        panel.series.push(Series {
            style: Style { colour: Some(place), dashed: true },
            ..Series::new("", run.metrics.values("time"), run.metrics.values("target"))
        });
    }
    panel
}

const LINEAR: [&str; 3] = ["px", "py", "pz"];
const ANGULAR: [&str; 3] = ["lx", "ly", "lz"];

fn momentum(runs: &[Curves], title: &str, label: &str, axes: [&str; 3]) -> Panel {
    panel(title, label, runs, |run| norm(&run.metrics, axes))
}

fn speed(runs: &[Curves]) -> Panel {
    panel("Speed", "time per step [s]", runs, |run| {
        run.metrics.values("step_ms").iter().map(|ms| ms / 1e3).collect()
    })
}

fn one(runs: &[Curves], title: &str, label: &str, column: &str) -> Panel {
    panel(title, label, runs, |run| run.metrics.values(column))
}

fn panel(title: &str, label: &str, runs: &[Curves], values: impl Fn(&Curves) -> Vec<f64>) -> Panel {
    let line = |(place, run): (usize, &Curves)| Series {
        // A single run needs no legend.
        name: if runs.len() > 1 { run.name.clone() } else { String::new() },
        x: run.metrics.values("time"),
        y: values(run),
        style: Style { colour: Some(place), dashed: false },
    };
    Panel { series: runs.iter().enumerate().map(line).collect(), ..frame(title, label) }
}

fn frame(title: &str, label: &str) -> Panel {
    Panel {
        title: title.to_owned(),
        x_label: "time [s]".to_owned(),
        y_label: label.to_owned(),
        ..Panel::default()
    }
}

/// Length of a vector whose components are columns.
fn norm(metrics: &MetricsTable, axes: [&str; 3]) -> Vec<f64> {
    let [x, y, z] = axes.map(|axis| metrics.values(axis));
    x.iter().zip(&y).zip(&z).map(|((x, y), z)| (x * x + y * y + z * z).sqrt()).collect()
}
