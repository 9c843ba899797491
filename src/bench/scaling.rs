//! From a thousand tets to a million: the bar of [`super::peers`], finer and finer.
//!
//! Time per step, factorisation and peak memory, and the exponents e of (number of tets)ᵉ that
//! fit them best.

use std::fs;

use pliant::model::method::Solver;
use serde_json::{Value, json};

use super::clock::Timed;
use super::{Column, Entry, Row, Stop, Style, Suite, Values, peers};

const H: f64 = 1.0 / 30.0;
const SOLVER: Solver = Solver::Projective { iterations: 10, history: 5, tolerance: 0.0 };
/// Cells across the bar, a quarter of those along it.
const CELLS: [usize; 8] = [4, 6, 8, 10, 14, 17, 27, 37];
/// Tets that all steps of a row may add up to, beyond the least number of steps.
const BUDGET: usize = 2_000_000;
const STEPS: [usize; 2] = [5, 60];

/// The suite.
pub const SUITE: Suite = Suite {
    name: "scaling",
    about: "a bar of a thousand to a million tets: time per step, factorisation, memory",
    columns: &[
        Column { key: "vertices", heading: "vertices", style: Style::Fixed(0) },
        Column { key: "elements", heading: "elements", style: Style::Fixed(0) },
        Column { key: "ms_per_step.min", heading: "min [ms]", style: Style::Fixed(2) },
        Column { key: "ms_per_step.median", heading: "median", style: Style::Fixed(2) },
        Column { key: "ns_per_tet", heading: "ns/tet", style: Style::Fixed(0) },
        Column { key: "factor_ms", heading: "factor [ms]", style: Style::Fixed(0) },
        Column { key: "peak_memory_mb", heading: "memory [MB]", style: Style::Fixed(0) },
        Column { key: "step_exponent", heading: "step", style: Style::Fixed(3) },
        Column { key: "factor_exponent", heading: "factor", style: Style::Fixed(3) },
        Column { key: "memory_exponent", heading: "memory", style: Style::Fixed(3) },
        Column { key: "reason", heading: "", style: Style::Words },
    ],
    entries,
    conclude,
    figure: None,
    one_at_a_time: true,
    last_row: Some(fit),
};

fn entries(threads: usize) -> Vec<Entry> {
    let entry = |cells: usize| {
        let name = format!("bar-{}k", (20 * cells * cells * cells) / 1000);
        Entry::new(name, move |stop: Stop<'_>| measure(cells, threads, stop))
    };
    CELLS.into_iter().map(entry).collect()
}

/// A row's values; `None` when asked to stop.
fn measure(cells: usize, threads: usize, stop: Stop) -> Result<Option<Values>, String> {
    forget_peak();
    let model = peers::bar([4 * cells, cells, cells], SOLVER).map_err(|error| error.to_string())?;
    let mut timed = Timed::new(&model, H, threads)?;
    let steps = (BUDGET / model.element_count()).clamp(STEPS[0], STEPS[1]);
    if !timed.run(steps, 1, stop) {
        return Ok(None);
    }
    let times = timed.per_frame();
    let per_tet = times["min"].as_f64().map(|ms| 1e6 * ms / model.element_count() as f64);
    Ok(Some(vec![
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
    ]))
}

/// The row of exponents.
fn fit(rows: &[Row]) -> Row {
    let of = |key: &str| {
        let point =
            |row: &Row| Some((row.get("elements").as_f64()?.ln(), row.get(key).as_f64()?.ln()));
        slope(&rows.iter().filter_map(point).collect::<Vec<_>>())
    };
    let values = vec![
        ("step_exponent", json!(of("ms_per_step.min"))),
        ("factor_exponent", json!(of("factor_ms"))),
        ("memory_exponent", json!(of("peak_memory_mb"))),
    ];
    Row::new("exponents".to_owned(), values)
}

/// Of the straight line closest to points, where there are two of them at least.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    let along: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (points.len() > 1 && spread > 0.0).then(|| along / spread)
}

/// Most memory that this process has had at once since [`forget_peak`] \[MB\], where the system
/// tells.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

/// Begins a new peak, on Linux; elsewhere there is none to begin.
fn forget_peak() {
    // Refused, the peak is that of all rows so far, and the largest comes last.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn conclude(rows: &[Row]) -> String {
    match rows.last().and_then(|row| row.get("step_exponent").as_f64()) {
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
        assert!((fitted.get("step_exponent").as_f64().unwrap() - 1.1).abs() < 1e-12);
        assert!((fitted.get("factor_exponent").as_f64().unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(*fitted.get("memory_exponent"), Value::Null);
        assert_eq!(slope(&[(1.0, 1.0)]), None);
    }
}
