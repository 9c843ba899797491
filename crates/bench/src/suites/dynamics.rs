//! The tables of the papers, line by line: Table 1 of FEPR (Dinev et al. 2018), Tables 3.1 and 3.2
//! of the thesis (Dinev 2020), on stand-ins of about the same size.

mod line;
mod tables;

use pliant_model::method::Solver;
use pliant_sim::StepReport;
use serde_json::{Value, json};

use crate::clock::Timed;
use crate::error::BenchError;
use crate::suite::{Entry, Stop, Suite, Values};
use crate::table::{Column, Row};
use line::Line;

/// Frames per row, fewer where a frame takes long.
const MOST_FRAMES: usize = 31;
const LEAST_FRAMES: usize = 4;
/// Element visits of a row, within the bounds on the number of frames.
const BUDGET: usize = 200_000_000;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "dynamics",
    about: "the time of every line in the papers' tables, on stand-ins of the same size",
    columns: &[
        Column::fixed("vertices", "vertices", 0),
        Column::fixed("elements", "elements", 0),
        Column::words("material", "material"),
        Column::words("scheme", "scheme"),
        Column::words("solver", "solver"),
        Column::fixed("iterations", "iterations", 1),
        Column::fixed("substeps", "substeps", 0),
        Column::words("stable", "stable"),
        Column::fixed("ms_per_step.min", "min [ms]", 2),
        Column::fixed("ms_per_step.median", "median", 2),
        Column::fixed("correction_ms", "correction", 2),
        Column::fixed("correction_iterations", "iterations", 1),
        Column::fixed("assembly_ms", "assembly", 1),
        Column::fixed("factor_ms", "factor", 1),
        Column::fixed("solve_ms", "solve", 2),
        Column::fixed("paper_ms", "paper", 1),
        Column::REASON,
    ],
    entries,
    conclude,
    ..Suite::ONE_AT_A_TIME
};

fn entries(threads: usize) -> Vec<Entry> {
    let entry =
        |line: Line| Entry::new(line.name.clone(), move |stop| measure(&line, threads, stop));
    tables::lines().into_iter().map(entry).collect()
}

fn measure(line: &Line, threads: usize, stop: Stop) -> Result<Values, BenchError> {
    let model = line.model()?;
    let substeps = line.substeps;
    let visits = model.element_count() * line.visits() * substeps;
    let frames = (BUDGET / visits.max(1)).clamp(LEAST_FRAMES, MOST_FRAMES);
    let mut timed = Timed::new(&model, line.h / substeps as f64, threads)?;
    timed.run(frames, substeps, stop)?;
    let is_corrected = line.correction.is_some();
    let mean = |of: fn(&StepReport) -> f64| timed.mean(substeps, of);
    let correction_ms = is_corrected.then(|| timed.median(substeps, |t| t.correction));
    let corrections = is_corrected.then(|| mean(|r| f64::from(r.correction_iterations)));
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
    Ok(vec![
        ("vertices", json!(model.vertex_count())),
        ("elements", json!(model.element_count())),
        ("material", json!(line.material.name())),
        ("scheme", json!(line.scheme_name())),
        ("solver", json!(line.solver_name())),
        ("iterations", json!(mean(|report| f64::from(report.iterations)))),
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
    ])
}

/// True if no step was cut or rolled back, and the energy never grew by more than `scale`.
fn is_stable(timed: &Timed, scale: f64) -> bool {
    let kept = |report: &StepReport| {
        let grown = report.energy.total() - timed.initial;
        report.substeps <= 1 && !report.rolled_back && grown <= scale
    };
    timed.reports.iter().all(kept)
}

/// `48 rows, 40 faster than in the paper, 5.3 times at the median`
fn conclude(rows: &[Row]) -> String {
    let speedup = |row: &Row| Some(row.number("paper_ms")? / row.number("ms_per_step.median")?);
    let mut speedups: Vec<f64> = rows.iter().filter_map(speedup).collect();
    speedups.sort_by(f64::total_cmp);
    match speedups.get(speedups.len() / 2) {
        Some(median) => {
            let faster = speedups.iter().filter(|s| **s > 1.0).count();
            format!(
                "{} rows, {faster} faster than on the paper's machine, {median:.1} times at the \
                    median",
                rows.len()
            )
        }
        None => format!("{} rows", rows.len()),
    }
}
