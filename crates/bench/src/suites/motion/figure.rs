//! The figure of the suite: amplitude over time, a panel per bar.

use pliant_view::plot::{Figure, Panel, Series};
use serde_json::Value;

use crate::table::Row;

/// Methods that are drawn, and their names in the legend.
const SHOWN: [(&str, &str); 4] = [
    ("vivid", "vivid"),
    ("midpoint+fepr/smooth", "midpoint + FEPR, no filter"),
    ("backward-euler+fepr/smooth", "backward Euler + FEPR"),
    ("backward-euler", "backward Euler"),
];

/// Draws the rows.
pub fn draw(rows: &[Row]) -> Figure {
    let mut bars: Vec<&str> = rows.iter().map(|row| bar_of(row).0).collect();
    bars.dedup();
    let panels = bars.into_iter().map(|bar| panel(bar, rows)).collect();
    Figure {
        title: "Amplitude of motion over a thousand steps of 1/30 s".into(),
        panels,
        columns: 2,
    }
}

/// Bar and method of a row: `swing/1e5` and `vivid` for `swing/1e5/vivid`.
fn bar_of(row: &Row) -> (&str, &str) {
    let cut = row.name.match_indices('/').nth(1).map_or(row.name.len(), |(at, _)| at);
    (&row.name[..cut], row.name[cut..].trim_start_matches('/'))
}

fn panel(bar: &str, rows: &[Row]) -> Panel {
    let own: Vec<&Row> = rows.iter().filter(|row| bar_of(row).0 == bar).collect();
    let mut series = Vec::new();
    if let Some(row) = own.first() {
        let reference = numbers(row.get("reference_amplitudes_deg"));
        series.push(Series::new("reference, h/100", numbers(row.get("times")), reference));
    }
    for (method, name) in SHOWN {
        if let Some(row) = own.iter().find(|row| bar_of(row).1 == method) {
            let amplitudes = numbers(row.get("amplitudes_deg"));
            series.push(Series::new(name, numbers(row.get("times")), amplitudes));
        }
    }
    let (motion, young) = bar.split_once('/').unwrap_or((bar, ""));
    Panel {
        title: format!("{motion}, E = {young} Pa"),
        x_label: "time [s]".into(),
        y_label: "amplitude [°]".into(),
        series,
        ..Panel::default()
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}
