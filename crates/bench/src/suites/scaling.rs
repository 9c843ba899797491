//! The bar of [`super::peers`] from a thousand tets to a million: time per step, factorisation and
//! peak memory, and the exponents e of (number of tets)ᵉ that fit them best.

use std::fs;

use serde_json::{Value, json};

use super::peers::bar;
use crate::clock::Timed;
use crate::error::BenchError;
use crate::stepper::{H, projective};
use crate::suite::{Entry, Stop, Suite, Values};
use crate::table::{Column, Row};

/// Cells across the bar, a quarter of those along it.
const CELLS: [usize; 8] = [4, 6, 8, 10, 14, 17, 27, 37];
/// Tets times steps of a row, within the bounds on the number of steps.
const BUDGET: usize = 2_000_000;
const STEPS: [usize; 2] = [5, 60];

/// The suite.
pub const SUITE: Suite = Suite {
    name: "scaling",
    about: "a bar of a thousand to a million tets: time per step, factorisation, memory",
    columns: &[
        Column::fixed("vertices", "vertices", 0),
        Column::fixed("elements", "elements", 0),
        Column::fixed("ms_per_step.min", "min [ms]", 2),
        Column::fixed("ms_per_step.median", "median", 2),
        Column::fixed("ns_per_tet", "ns/tet", 0),
        Column::fixed("factor_ms", "factor [ms]", 0),
        Column::fixed("peak_memory_mb", "memory [MB]", 0),
        Column::fixed("step_exponent", "step", 3),
        Column::fixed("factor_exponent", "factor", 3),
        Column::fixed("memory_exponent", "memory", 3),
        Column::REASON,
    ],
    entries,
    conclude,
    last_row: Some(fit),
    ..Suite::ONE_AT_A_TIME
};

fn entries(threads: usize) -> Vec<Entry> {
    let entry = |cells: usize| {
        let name = format!("bar-{}k", (20 * cells * cells * cells) / 1000);
        Entry::new(name, move |stop| measure(cells, threads, stop))
    };
    CELLS.into_iter().map(entry).collect()
}

fn measure(cells: usize, threads: usize, stop: Stop) -> Result<Values, BenchError> {
    reset_peak_memory();
    let model = bar([4 * cells, cells, cells], projective(10))?;
    let mut timed = Timed::new(&model, H, threads)?;
    let steps = (BUDGET / model.element_count()).clamp(STEPS[0], STEPS[1]);
    timed.run(steps, 1, stop)?;
    let times = timed.per_frame();
    let per_tet = times["min"].as_f64().map(|ms| 1e6 * ms / model.element_count() as f64);
    Ok(vec![
        ("vertices", json!(model.vertex_count())),
        ("elements", json!(model.element_count())),
        ("ms_per_step", times),
        ("ns_per_tet", json!(per_tet)),
        ("factor_ms", json!(timed.once())),
        ("peak_memory_mb", json!(peak_memory())),
        ("iterations", json!(timed.mean(1, |report| f64::from(report.iterations)))),
        ("residual", json!(timed.reports.last().map(|report| report.residual))),
        ("threads", json!(threads)),
        ("reason", Value::Null),
    ])
}

/// The row of exponents.
fn fit(rows: &[Row]) -> Row {
    let exponent = |key: &str| {
        let point = |row: &Row| Some((row.number("elements")?.ln(), row.number(key)?.ln()));
        json!(slope(&rows.iter().filter_map(point).collect::<Vec<_>>()))
    };
    let values = vec![
        ("step_exponent", exponent("ms_per_step.min")),
        ("factor_exponent", exponent("factor_ms")),
        ("memory_exponent", exponent("peak_memory_mb")),
    ];
    Row::new("exponents".to_owned(), values)
}

/// Slope of the least-squares line through at least two points.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    let along: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (points.len() > 1 && spread > 0.0).then(|| along / spread)
}

/// Peak memory of this process since [`reset_peak_memory`] \[MB\], on Linux.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

/// Begins a new peak, on Linux.
fn reset_peak_memory() {
    // If the system refuses, the peak is that of all rows so far, and the largest row comes last.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn conclude(rows: &[Row]) -> String {
    match rows.last().and_then(|row| row.number("step_exponent")) {
        Some(exponent) => format!("a step takes (tets)^{exponent:.2}"),
        None => format!("{} rows", rows.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_powers() {
        let row = |n: f64| {
            let values = vec![
                ("elements", json!(n)),
                ("ms_per_step", json!({ "min": 3.0 * n.powf(1.1) })),
                ("factor_ms", json!(n * n)),
            ];
            Row::new(n.to_string(), values)
        };
        let fitted = fit(&[row(10.0), row(100.0), row(5000.0)]);
        assert!((fitted.number("step_exponent").unwrap() - 1.1).abs() < 1e-12);
        assert!((fitted.number("factor_exponent").unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(*fitted.get("memory_exponent"), Value::Null);
        assert_eq!(slope(&[(1.0, 1.0)]), None);
    }
}
