//! The row of a case: what its two runs conserved, and whether that passes.

use glam::DVec3;
use pliant_sim::{Momentum, StepReport};
use serde_json::{Value, json};

use super::case::Case;
use super::run::{Record, run};
use crate::error::BenchError;
use crate::suite::{Stop, Values};
use crate::table::Column;

/// Largest distance of the energy from its target, relative to max(|initial|, max kinetic).
const ENERGY_DRIFT: f64 = 1e-6;
/// Largest drift of momenta, relative to √(2 · mass · max kinetic) (· size).
const MOMENTUM_DRIFT: f64 = 1e-8;
/// Largest share of steps in which the correction or the guard gives way.
const FALLBACKS: f64 = 1e-3;
/// A run whose energy grows by more than this factor has exploded.
const EXPLODED: f64 = 10.0;

/// Columns of the table.
pub const COLUMNS: [Column; 14] = [
    Column::scientific("energy_drift", "energy"),
    Column::scientific("linear_momentum_drift", "linear"),
    Column::scientific("angular_momentum_drift", "angular"),
    Column::percent("fallbacks", "fallbacks"),
    Column::fixed("pulled_back", "pulled back", 0),
    Column::fixed("max_kinetic", "kinetic [J]", 1),
    Column::fixed("late_kinetic", "late [J]", 1),
    Column::fixed("correction_iterations", "iterations", 1),
    Column::fixed("ms_per_step", "ms", 2),
    Column::scientific("uncorrected_energy_ratio", "uncorrected"),
    Column::scientific("uncorrected_energy_peak", "peak"),
    Column::fixed("uncorrected_exploded_at", "exploded at", 0),
    Column::words("verdict", "verdict"),
    Column::REASON,
];

/// Runs a case with and without correction.
///
/// # Errors
/// Only [`BenchError::Stopped`]: a case that cannot be run is a row, too.
pub fn measure(case: &Case, stop: Stop) -> Result<Values, BenchError> {
    let runs = run(case, true, stop).and_then(|corrected| Ok([corrected, run(case, false, stop)?]));
    match runs {
        Ok([corrected, uncorrected]) => Ok(values(case, &corrected, &uncorrected)),
        Err(error) if error.is_stop() => Err(error),
        Err(error) => Ok(not_run(case, &error.to_string())),
    }
}

/// The keys of any row, without numbers.
fn not_run(case: &Case, reason: &str) -> Values {
    let mut values = values(case, &Record::default(), &Record::default());
    for (key, value) in &mut values {
        *value = match *key {
            "verdict" => json!("not run"),
            "reason" => json!(reason),
            _ => Value::Null,
        };
    }
    values
}

fn values(case: &Case, corrected: &Record, uncorrected: &Record) -> Values {
    let kept = Conservation::of(corrected, case.steps);
    let count = corrected.steps.len().max(1) as f64;
    let mean = |of: fn(&StepReport) -> f64| {
        json!(corrected.steps.iter().map(|(report, _)| of(report)).sum::<f64>() / count)
    };
    let exploded_at = explosion(uncorrected);
    let ratios = uncorrected
        .steps
        .iter()
        .map(|(report, _)| report.energy.total() / uncorrected.initial.abs());
    let mut remarks = kept.reasons();
    let verdict = if remarks.is_empty() { "pass" } else { "fail" };
    if case.explodes && exploded_at.is_none() {
        remarks.push("did not explode uncorrected".to_owned());
    }
    vec![
        ("vertices", json!(corrected.vertices)),
        ("elements", json!(corrected.elements)),
        ("steps", json!(corrected.steps.len())),
        ("initial_energy", json!(corrected.initial)),
        ("energy_drift", json!(kept.energy)),
        ("linear_momentum_drift", json!(kept.linear)),
        ("angular_momentum_drift", json!(kept.angular)),
        ("fallbacks", json!(kept.fallbacks)),
        ("pulled_back", json!(kept.pulled_back)),
        ("correction_failures", json!(kept.correction_failures)),
        ("cut_steps", json!(kept.cut_steps)),
        ("rollbacks", json!(kept.rollbacks)),
        ("first_failure", json!(kept.first_failure)),
        ("max_kinetic", json!(kept.max_kinetic)),
        ("late_kinetic", json!(kept.late_kinetic)),
        ("correction_iterations", mean(|r| f64::from(r.correction_iterations))),
        ("solver_iterations", mean(|r| f64::from(r.iterations))),
        ("solver_residual", mean(|r| r.residual)),
        ("ms_per_step", mean(|r| 1e3 * r.timings.total.as_secs_f64())),
        ("correction_ms_per_step", mean(|r| 1e3 * r.timings.correction.as_secs_f64())),
        ("uncorrected_energy_ratio", json!(ratios.clone().next_back())),
        ("uncorrected_energy_peak", json!(largest(ratios))),
        ("uncorrected_exploded", json!(exploded_at.is_some())),
        ("uncorrected_exploded_at", json!(exploded_at)),
        ("verdict", json!(verdict)),
        ("reason", if remarks.is_empty() { Value::Null } else { json!(remarks.join("; ")) }),
    ]
}

/// The first step, from 1, that was rolled back or left more than [`EXPLODED`] times the energy.
fn explosion(record: &Record) -> Option<usize> {
    let most = EXPLODED * record.initial.abs();
    let is_fine =
        |(report, _): &(StepReport, f64)| report.energy.total() <= most && !report.rolled_back;
    record.steps.iter().position(|step| !is_fine(step)).map(|step| step + 1)
}

/// Conserved quantities of a corrected run.
struct Conservation {
    energy: f64,
    linear: Option<f64>,
    angular: Option<f64>,
    fallbacks: f64,
    pulled_back: usize,
    correction_failures: usize,
    cut_steps: usize,
    rollbacks: usize,
    /// The first step, from 1, that gave way or missed the target of its energy.
    first_failure: Option<usize>,
    max_kinetic: f64,
    /// Mean over the last tenth of the steps; zero when nothing moves any more.
    late_kinetic: f64,
    /// Steps that were not made because the run ended early.
    missing: usize,
}

impl Conservation {
    fn of(record: &Record, asked: u32) -> Conservation {
        let reports = || record.steps.iter().map(|(report, _)| report);
        let max_kinetic = largest(reports().map(|r| r.energy.kinetic)).max(record.initial_kinetic);
        let scale = record.initial.abs().max(max_kinetic);
        let error =
            |(report, target): &(StepReport, f64)| (report.energy.total() - target).abs() / scale;
        let push = (2.0 * record.mass * max_kinetic).sqrt();
        let first = record.momentum;
        let drift = |kept: [bool; 3], of: fn(&Momentum) -> DVec3, unit: f64| {
            let change = |r: &StepReport| {
                let change = (of(&r.momentum) - of(&first)).to_array();
                let squares = (0..3).map(|k| if kept[k] { change[k].powi(2) } else { 0.0 });
                squares.sum::<f64>().sqrt() / unit
            };
            kept.contains(&true).then(|| largest(reports().map(change)))
        };
        let [linear, angular] = record.conserved;
        let is_near = |step: &(StepReport, f64)| error(step) <= ENERGY_DRIFT;
        let failed = |step: &(StepReport, f64)| step.0.gave_way() || !is_near(step);
        let gave_way = reports().filter(|r| r.gave_way()).count();
        let late = &record.steps[record.steps.len() * 9 / 10..];
        let missing = asked as usize - record.steps.len();
        Conservation {
            energy: largest(record.steps.iter().map(error)),
            linear: drift(linear, |momentum| momentum.linear, push),
            angular: drift(angular, |momentum| momentum.angular, push * record.size),
            fallbacks: (gave_way + missing) as f64 / f64::from(asked),
            pulled_back: reports().filter(|r| r.pulled_back).count(),
            correction_failures: reports().filter(|r| r.correction_failed).count(),
            cut_steps: reports().filter(|r| r.substeps > 1).count(),
            rollbacks: reports().filter(|r| r.rolled_back).count(),
            first_failure: record.steps.iter().position(failed).map(|step| step + 1),
            max_kinetic,
            late_kinetic: late.iter().map(|(r, _)| r.energy.kinetic).sum::<f64>()
                / late.len().max(1) as f64,
            missing,
        }
    }

    /// Why the run fails; empty if it passes.
    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let mut check = |value: f64, most: f64, what: &str| {
            let is_fine = value <= most;
            if !is_fine {
                reasons.push(format!("{what} {value:.1e} > {most:.0e}"));
            }
        };
        check(self.energy, ENERGY_DRIFT, "energy");
        check(self.linear.unwrap_or(0.0), MOMENTUM_DRIFT, "linear momentum");
        check(self.angular.unwrap_or(0.0), MOMENTUM_DRIFT, "angular momentum");
        if self.fallbacks > FALLBACKS {
            reasons.push(format!(
                "{} corrections failed, {} steps cut, {} rolled back",
                self.correction_failures, self.cut_steps, self.rollbacks
            ));
        }
        if self.missing > 0 {
            reasons.push(format!("given up {} steps early", self.missing));
        }
        if let (false, Some(step)) = (reasons.is_empty(), self.first_failure) {
            reasons.push(format!("first at step {step}"));
        }
        reasons
    }
}

/// The largest number, NaN if one is.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most: f64, value| if most.is_nan() || value <= most { most } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Row;
    use pliant_model::ModelBuilder;
    use pliant_model::method::{Scheme, Solver};
    use pliant_sim::Energy;

    /// Three steps of a free body of 2 kg and 1 m, with 1 J and 1 kg m/s throughout.
    fn steady() -> Record {
        let energy = Energy { kinetic: 0.25, potential: 0.75 };
        let momentum = Momentum { linear: DVec3::X, angular: DVec3::Z };
        let report = StepReport { energy, momentum, substeps: 1, ..StepReport::default() };
        Record {
            vertices: 8,
            elements: 5,
            mass: 2.0,
            size: 1.0,
            conserved: [[true; 3]; 2],
            initial: 1.0,
            initial_kinetic: 0.25,
            momentum,
            steps: vec![(report, 1.0); 3],
        }
    }

    fn reasons(change: impl Fn(&mut Record)) -> String {
        let mut record = steady();
        change(&mut record);
        Conservation::of(&record, 3).reasons().join("; ")
    }

    #[test]
    fn a_drift_fails_and_is_named() {
        assert_eq!(reasons(|_| {}), "");
        let gained = reasons(|r| r.steps[1].0.energy.potential += 2e-6);
        assert_eq!(gained, "energy 2.0e-6 > 1e-6; first at step 2");
        let pushed = reasons(|r| r.steps[2].0.momentum.linear.y = 2e-8);
        assert_eq!(pushed, "linear momentum 2.0e-8 > 1e-8");
        let turned = reasons(|r| r.steps[2].0.momentum.angular.x = 2e-8);
        assert_eq!(turned, "angular momentum 2.0e-8 > 1e-8");
        let failed = reasons(|r| r.steps[0].0.correction_failed = true);
        assert_eq!(failed, "1 corrections failed, 0 steps cut, 0 rolled back; first at step 1");
        let lost = reasons(|r| r.steps.truncate(2));
        assert!(lost.ends_with("given up 1 steps early"), "{lost}");
    }

    #[test]
    fn a_nan_fails() {
        let reasons = reasons(|r| r.steps[0].0.energy.potential = f64::NAN);
        assert_eq!(reasons, "energy NaN > 1e-6; first at step 1");
        assert!(largest([1.0, f64::NAN, 2.0].into_iter()).is_nan());
    }

    #[test]
    fn momenta_under_external_forces_are_not_judged() {
        let reasons = reasons(|r| {
            r.conserved = [[true, false, true], [false; 3]];
            r.steps[2].0.momentum.linear.y = 9.0;
            r.steps[2].0.momentum.angular.x = 9.0;
        });
        assert_eq!(reasons, "");
    }

    #[test]
    fn a_case_that_cannot_be_run_says_why() {
        let case = Case {
            name: "nothing".to_owned(),
            scheme: Scheme::BackwardEuler,
            solver: Solver::Xpbd { iterations: 1 },
            steps: 1,
            explodes: false,
            scene: Box::new(|| Ok(ModelBuilder::new())),
        };
        let row = Row::new(case.name.clone(), measure(&case, &|| false).unwrap());
        assert_eq!((row.get("verdict"), row.get("steps")), (&json!("not run"), &Value::Null));
        let reason = row.get("reason").as_str().unwrap();
        assert!(reason.contains("0 vertices cannot be simulated"), "{reason}");
    }

    #[test]
    fn every_column_has_a_value() {
        let case = &super::super::matrix::cases()[0];
        let values = values(case, &steady(), &steady());
        let has = |column: &Column| values.iter().any(|(key, _)| *key == column.key);
        assert!(COLUMNS.iter().all(has));
    }

    #[test]
    fn explosions_are_dated() {
        let mut record = steady();
        assert_eq!(explosion(&record), None);
        record.steps[2].0.rolled_back = true;
        assert_eq!(explosion(&record), Some(3));
        record.steps[1].0.energy.potential = 10.0;
        assert_eq!(explosion(&record), Some(2));
        record.steps[0].0.energy.potential = f64::NAN;
        assert_eq!(explosion(&record), Some(1));
    }
}
