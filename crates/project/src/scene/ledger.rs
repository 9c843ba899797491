//! Sums over the steps of a run: `summary.json`.

use std::path::Path;

use pliant_io::IoError;
use pliant_io::atomic::{part_path, write_whole};
use pliant_model::{Conserved, DVec3, Model};
use pliant_scene::SceneFile;
use pliant_sim::{State, StepReport};
use serde::{Deserialize, Serialize};

use super::metrics::Row;

/// The contents of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The scene's name.
    pub name: String,
    /// The scene's hash.
    pub hash: String,
    /// Vertices of all bodies.
    pub vertices: usize,
    /// Tets and springs of all bodies.
    pub elements: usize,
    /// Steps done.
    pub steps: u64,
    /// Duration of a step.
    pub ms_per_step: Milliseconds,
    /// Mean duration of a step's correction \[ms\].
    pub correction_ms_per_step: f64,
    /// max |total − target| ÷ max(|initial total|, max kinetic).
    pub energy_drift: f64,
    /// Largest change of a momentum component on which nothing external acts, relative to
    /// momentum's own scale; null if there is none.
    pub momentum_drift: Option<f64>,
    /// Steps in which the guard had to give way.
    pub fallbacks: u64,
    /// True if the guard rolled back a step.
    pub exploded: bool,
    /// The version of pliant.
    pub version: String,
}

/// Durations \[ms\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Milliseconds {
    /// Their mean.
    pub mean: f64,
    /// The shortest.
    pub min: f64,
    /// 95 of 100 are not longer.
    pub p95: f64,
}

impl Summary {
    /// The summary in a file, if it is one.
    pub fn read(path: &Path) -> Option<Summary> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> Result<(), IoError> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|e| IoError::content(path, e.to_string()))?;
        text.push('\n');
        write_whole(path, text.as_bytes())
    }
}

/// Takes in the rows of a run.
pub struct Ledger {
    summary: Summary,
    rows: Vec<Row>,
    conserved: Conserved,
    mass: f64,
    extent: f64,
}

impl Ledger {
    /// An empty ledger.
    pub fn new(scene: &SceneFile, model: &Model) -> Self {
        Ledger {
            summary: Summary {
                name: scene.name.clone(),
                hash: scene.hash(),
                vertices: model.vertex_count(),
                elements: model.element_count(),
                steps: 0,
                ms_per_step: Milliseconds::default(),
                correction_ms_per_step: 0.0,
                energy_drift: 0.0,
                momentum_drift: None,
                fallbacks: 0,
                exploded: false,
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            rows: Vec::new(),
            conserved: model.conserved(),
            mass: model.masses().iter().sum(),
            extent: model.extent(),
        }
    }

    /// True if the guard rolled back a step so far.
    pub fn exploded(&self) -> bool {
        self.summary.exploded
    }

    /// Takes in the rows that a resumed run has already written, up to and with that of a step,
    /// and returns their length in the file in bytes; whatever follows them is to be written
    /// anew. `exploded` is what the rows do not tell.
    pub fn reread(
        &mut self,
        metrics: &Path,
        last_step: u64,
        exploded: bool,
    ) -> Result<u64, IoError> {
        self.summary.exploded = exploded;
        let part = part_path(metrics);
        let found = if part.exists() { part.as_path() } else { metrics };
        let bytes = std::fs::read(found).map_err(IoError::system(found, "read"))?;
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let mut length = lines.next().map_or(0, <[u8]>::len);
        for step in 0..=last_step {
            let line = lines.next().unwrap_or_default();
            let row = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
            let row = row.and_then(Row::parse).filter(|row| row.step == step);
            self.rows.push(row.ok_or_else(|| {
                let problem = format!("line {}: expected the row of step {step}", step + 2);
                IoError::content(found, problem)
            })?);
            length += line.len();
        }
        Ok(length as u64)
    }

    /// The row of a step, taken in.
    pub fn row(&mut self, state: &State, time: f64, report: &StepReport) -> Row {
        let initial = self.rows.first().map_or(report.energy.total(), |first| first.energy.total());
        let row = Row {
            step: state.steps,
            time,
            energy: report.energy,
            target: initial + state.added() - state.dissipated(),
            added: state.added(),
            dissipated: state.dissipated(),
            momentum: report.momentum,
            given_way: if report.blend.is_nan() {
                report.given_way
            } else {
                [report.blend, f64::NAN]
            },
            iterations: report.iterations,
            residual: report.residual,
            fallback: report.gave_way(),
            correction_iterations: report.correction_iterations,
            contacts: report.contacts.count,
            max_penetration: report.contacts.deepest,
            step_ms: report.timings.total.as_secs_f64() * 1e3,
            correction_ms: report.timings.correction.as_secs_f64() * 1e3,
        };
        self.summary.exploded |= report.rolled_back;
        self.rows.push(row);
        row
    }

    /// The sum of it all.
    pub fn summary(&self) -> Summary {
        let steps = self.rows.get(1..).unwrap_or(&[]);
        let mut times: Vec<f64> = steps.iter().map(|r| r.step_ms).collect();
        times.sort_by(f64::total_cmp);
        let count = times.len().max(1) as f64;
        let initial = self.rows.first().map_or(0.0, |r| r.energy.total());
        let kinetic = self.rows.iter().map(|r| r.energy.kinetic).fold(0.0, f64::max);
        let off = self.rows.iter().map(|r| (r.energy.total() - r.target).abs()).fold(0.0, f64::max);
        let scale = initial.abs().max(kinetic);
        Summary {
            steps: steps.len() as u64,
            ms_per_step: Milliseconds {
                mean: times.iter().sum::<f64>() / count,
                min: times.first().copied().unwrap_or(0.0),
                p95: times
                    .get((times.len() * 95).div_ceil(100).saturating_sub(1))
                    .copied()
                    .unwrap_or(0.0),
            },
            correction_ms_per_step: steps.iter().map(|r| r.correction_ms).sum::<f64>() / count,
            energy_drift: if scale > 0.0 { off / scale } else { 0.0 },
            momentum_drift: self.momentum_drift(kinetic),
            fallbacks: steps.iter().filter(|r| r.fallback).count() as u64,
            ..self.summary.clone()
        }
    }

    fn momentum_drift(&self, kinetic: f64) -> Option<f64> {
        let first = self.rows.first()?;
        // √(2 m E): the momentum of a body that moves as one with this energy.
        let scale = (2.0 * self.mass * kinetic).sqrt();
        let largest = |free: [bool; 3], get: fn(&Row) -> DVec3| {
            let drift = |r: &Row| (get(r) - get(first)).abs().to_array();
            let kept = |d: [f64; 3]| (0..3).filter(|&c| free[c]).map(|c| d[c]).fold(0.0, f64::max);
            self.rows.iter().map(|r| kept(drift(r))).fold(0.0, f64::max)
        };
        let Conserved { linear, angular, .. } = self.conserved;
        if !linear.iter().chain(&angular).any(|c| *c) {
            return None;
        }
        if scale == 0.0 {
            return Some(0.0);
        }
        let linear = largest(linear, |r| r.momentum.linear) / scale;
        let angular = largest(angular, |r| r.momentum.angular) / (scale * self.extent);
        Some(linear.max(angular))
    }
}
