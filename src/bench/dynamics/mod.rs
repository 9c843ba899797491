//! The papers' tables, line by line: Table 1 of FEPR (Dinev et al. 2018), Tables 3.1 and 3.2 of
//! the thesis (Dinev 2020), on stand-ins of about the same size.

mod line;
mod tables;

use pliant::model::method::Solver;
use pliant::sim::StepReport;
use serde_json::{Value, json};

use super::clock::Timed;
use super::{Column, Entry, Row, Stop, Style, Suite, Values};
use line::Line;

/// Frames per row, fewer where one is long.
const MOST_FRAMES: usize = 31;
const LEAST_FRAMES: usize = 4;
/// Element visits that a row may take, beyond the least.
const BUDGET: usize = 200_000_000;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "dynamics",
    about: "the time of every line in the papers' tables, on stand-ins of the same size",
    columns: &[
        Column { key: "vertices", heading: "vertices", style: Style::Fixed(0) },
        Column { key: "elements", heading: "elements", style: Style::Fixed(0) },
        Column { key: "material", heading: "material", style: Style::Words },
        Column { key: "scheme", heading: "scheme", style: Style::Words },
        Column { key: "solver", heading: "solver", style: Style::Words },
        Column { key: "iterations", heading: "iterations", style: Style::Fixed(1) },
        Column { key: "substeps", heading: "substeps", style: Style::Fixed(0) },
        Column { key: "stable", heading: "stable", style: Style::Words },
        Column { key: "ms_per_step.min", heading: "min [ms]", style: Style::Fixed(2) },
        Column { key: "ms_per_step.median", heading: "median", style: Style::Fixed(2) },
        Column { key: "correction_ms", heading: "correction", style: Style::Fixed(2) },
        Column { key: "correction_iterations", heading: "iterations", style: Style::Fixed(1) },
        Column { key: "assembly_ms", heading: "assembly", style: Style::Fixed(1) },
        Column { key: "factor_ms", heading: "factor", style: Style::Fixed(1) },
        Column { key: "solve_ms", heading: "solve", style: Style::Fixed(2) },
        Column { key: "paper_ms", heading: "paper", style: Style::Fixed(1) },
        Column { key: "reason", heading: "", style: Style::Words },
    ],
    entries,
    conclude,
    figure: None,
    one_at_a_time: true,
    last_row: None,
};

fn entries(threads: usize) -> Vec<Entry> {
    let entry = |line: Line| {
        Entry::new(line.name.clone(), move |stop: Stop<'_>| measure(&line, threads, stop))
    };
    tables::lines().into_iter().map(entry).collect()
}

/// A row's values; `None` when asked to stop.
fn measure(line: &Line, threads: usize, stop: Stop) -> Result<Option<Values>, String> {
    let model = line.model().map_err(|error| error.to_string())?;
    let substeps = line.substeps;
    let visits = model.element_count() * line.visits() * substeps;
    let frames = (BUDGET / visits.max(1)).clamp(LEAST_FRAMES, MOST_FRAMES);
    let mut timed = Timed::new(&model, line.h / substeps as f64, threads)?;
    if !timed.run(frames, substeps, stop) {
        return Ok(None);
    }
    let is_corrected = line.correction.is_some();
    let mean = |of: &dyn Fn(&StepReport) -> f64| timed.mean(substeps, of);
    let correction_ms = is_corrected.then(|| timed.median(substeps, |t| t.correction));
    let corrections = is_corrected.then(|| mean(&|r| f64::from(r.correction_iterations)));
    // Newton's method factors in every iteration, the projective solver once.
    let (assembly_ms, factor_ms) = match line.solver {
        Solver::Newton { .. } | Solver::Linearised { .. } => {
            let assembly = timed.median(substeps, |t| t.assemble);
            (Some(assembly), timed.median(substeps, |t| t.factor))
        }
        Solver::Projective { .. } | Solver::Modified { .. } | Solver::Xpbd { .. } => {
            (None, timed.once())
        }
    };
    Ok(Some(vec![
        ("vertices", json!(model.vertex_count())),
        ("elements", json!(model.element_count())),
        ("material", json!(line.material())),
        ("scheme", json!(line.scheme_name())),
        ("solver", json!(line.solver_name())),
        ("iterations", json!(mean(&|report| f64::from(report.iterations)))),
        ("substeps", json!(substeps)),
        ("stable", json!(is_stable(&timed, line.scale(&model)))),
        ("ms_per_step", timed.per_frame()),
        ("correction_ms", json!(correction_ms)),
        ("correction_iterations", json!(corrections)),
        ("assembly_ms", json!(assembly_ms)),
        ("factor_ms", json!(factor_ms)),
        ("solve_ms", json!(timed.median(substeps, |t| t.solve))),
        ("paper_ms", json!(line.paper_ms)),
        ("paper_correction_ms", json!(line.paper_correction_ms)),
        ("frames", json!(frames)),
        ("reason", Value::Null),
    ]))
}

/// No step had to be cut or taken back, and the energy never grew by more than there was to move
/// with.
fn is_stable(timed: &Timed, scale: f64) -> bool {
    let kept = |report: &StepReport| {
        let grown = report.energy.total() - timed.initial;
        report.substeps <= 1 && !report.rolled_back && grown <= scale
    };
    timed.reports.iter().all(kept)
}

/// `48 rows, 40 faster than in the paper, 5.3 times at the median`
fn conclude(rows: &[Row]) -> String {
    let mut speedups: Vec<f64> = rows
        .iter()
        .filter_map(|row| {
            Some(row.get("paper_ms").as_f64()? / row.get("ms_per_step.median").as_f64()?)
        })
        .collect();
    speedups.sort_by(f64::total_cmp);
    match speedups.get(speedups.len() / 2) {
        Some(median) => {
            let faster = speedups.iter().filter(|s| **s > 1.0).count();
            format!(
                "{} rows, {faster} faster than on the paper's machine, {median:.1} times at the median",
                rows.len()
            )
        }
        None => format!("{} rows", rows.len()),
    }
}
