//! What the two runs of a case come to: a row, and whether it is good.

use pliant::sim::StepReport;
use serde_json::{Value, json};

use super::case::Case;
use super::run::{Record, run};
use crate::bench::{Column, Row, Stop, Style};

/// Most that energy may leave its account, relative to max(|initial|, max kinetic).
const ENERGY_DRIFT: f64 = 1e-6;
/// Most that momenta may drift, relative to √(2 · mass · max kinetic) (· size).
const MOMENTUM_DRIFT: f64 = 1e-8;
/// Largest share of steps in which correction or guard may give way.
const FALLBACKS: f64 = 1e-3;
/// More energy than this many times the initial is an explosion.
const EXPLODED: f64 = 10.0;

const fn column(key: &'static str, heading: &'static str, style: Style) -> Column {
    Column { key, heading, style }
}

/// The columns of a row.
pub const COLUMNS: [Column; 26] = [
    column("vertices", "", Style::Hidden),
    column("elements", "", Style::Hidden),
    column("steps", "", Style::Hidden),
    column("initial_energy", "", Style::Hidden),
    column("energy_drift", "energy", Style::Scientific),
    column("linear_momentum_drift", "linear", Style::Scientific),
    column("angular_momentum_drift", "angular", Style::Scientific),
    column("fallbacks", "fallbacks", Style::Percent),
    column("pulled_back", "pulled back", Style::Fixed(0)),
    column("correction_failures", "", Style::Hidden),
    column("cut_steps", "", Style::Hidden),
    column("rollbacks", "", Style::Hidden),
    column("first_failure", "", Style::Hidden),
    column("max_kinetic", "kinetic [J]", Style::Fixed(1)),
    column("late_kinetic", "late [J]", Style::Fixed(1)),
    column("correction_iterations", "iterations", Style::Fixed(1)),
    column("solver_iterations", "", Style::Hidden),
    column("solver_residual", "", Style::Hidden),
    column("ms_per_step", "ms", Style::Fixed(2)),
    column("correction_ms_per_step", "", Style::Hidden),
    column("uncorrected_energy_ratio", "uncorrected", Style::Scientific),
    column("uncorrected_energy_peak", "peak", Style::Scientific),
    column("uncorrected_exploded", "", Style::Hidden),
    column("uncorrected_exploded_at", "exploded at", Style::Fixed(0)),
    column("verdict", "verdict", Style::Words),
    column("reason", "", Style::Words),
];

/// Runs a case with and without correction; `None` when asked to stop.
pub fn measure(case: &Case, stop: Stop) -> Option<Row> {
    let corrected = match run(case, true, stop) {
        Ok(record) => record?,
        Err(reason) => return Some(not_run(case, &reason)),
    };
    let uncorrected = match run(case, false, stop) {
        Ok(record) => record?,
        Err(reason) => return Some(not_run(case, &reason)),
    };
    Some(row(case, &corrected, &uncorrected))
}

fn not_run(case: &Case, reason: &str) -> Row {
    let value = |column: &Column| match column.key {
        "verdict" => (column.key, json!("not run")),
        "reason" => (column.key, json!(reason)),
        key => (key, Value::Null),
    };
    Row::new(case.name.clone(), COLUMNS.iter().map(value).collect())
}

fn row(case: &Case, corrected: &Record, uncorrected: &Record) -> Row {
    let seen = Conservation::of(corrected, case.steps);
    let count = corrected.steps.len().max(1) as f64;
    let mean = |values: &dyn Fn(&StepReport) -> f64| {
        corrected.steps.iter().map(|(report, _)| values(report)).sum::<f64>() / count
    };
    let exploded_at = explosion(uncorrected);
    let ratios = uncorrected
        .steps
        .iter()
        .map(|(report, _)| report.energy.total() / uncorrected.initial.abs());
    let mut remarks = seen.reasons();
    let verdict = if remarks.is_empty() { "pass" } else { "fail" };
    if case.explodes && exploded_at.is_none() {
        remarks.push("did not explode uncorrected".to_owned());
    }
    let values = vec![
        ("vertices", json!(corrected.vertices)),
        ("elements", json!(corrected.elements)),
        ("steps", json!(corrected.steps.len())),
        ("initial_energy", json!(corrected.initial)),
        ("energy_drift", json!(seen.energy)),
        ("linear_momentum_drift", json!(seen.linear)),
        ("angular_momentum_drift", json!(seen.angular)),
        ("fallbacks", json!(seen.fallbacks)),
        ("pulled_back", json!(seen.pulled_back)),
        ("correction_failures", json!(seen.correction_failures)),
        ("cut_steps", json!(seen.cut_steps)),
        ("rollbacks", json!(seen.rollbacks)),
        ("first_failure", json!(seen.first_failure)),
        ("max_kinetic", json!(seen.max_kinetic)),
        ("late_kinetic", json!(seen.late_kinetic)),
        ("correction_iterations", json!(mean(&|r| f64::from(r.correction_iterations)))),
        ("solver_iterations", json!(mean(&|r| f64::from(r.iterations)))),
        ("solver_residual", json!(mean(&|r| r.residual))),
        ("ms_per_step", json!(mean(&|r| 1e3 * r.timings.total.as_secs_f64()))),
        ("correction_ms_per_step", json!(mean(&|r| 1e3 * r.timings.correction.as_secs_f64()))),
        ("uncorrected_energy_ratio", json!(ratios.clone().next_back())),
        ("uncorrected_energy_peak", json!(largest(ratios))),
        ("uncorrected_exploded", json!(exploded_at.is_some())),
        ("uncorrected_exploded_at", json!(exploded_at)),
        ("verdict", json!(verdict)),
        ("reason", if remarks.is_empty() { Value::Null } else { json!(remarks.join("; ")) }),
    ];
    Row::new(case.name.clone(), values)
}

/// The first step, from 1, after which a run has more than [`EXPLODED`] times its energy, or that
/// had to be rolled back.
fn explosion(record: &Record) -> Option<usize> {
    let most = EXPLODED * record.initial.abs();
    let is_fine =
        |(report, _): &(StepReport, f64)| report.energy.total() <= most && !report.rolled_back;
    record.steps.iter().position(|step| !is_fine(step)).map(|step| step + 1)
}

/// How well a corrected run kept what it should.
struct Conservation {
    energy: f64,
    linear: Option<f64>,
    angular: Option<f64>,
    fallbacks: f64,
    pulled_back: usize,
    correction_failures: usize,
    cut_steps: usize,
    rollbacks: usize,
    /// The first step, from 1, that gave way or left its account.
    first_failure: Option<usize>,
    max_kinetic: f64,
    /// Mean over the last tenth of the steps: whether it still moves.
    late_kinetic: f64,
    /// Steps that were not made because the run was lost.
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
        let distance = |now: [f64; 3], then: [f64; 3], kept: [bool; 3]| {
            let change = |k: usize| if kept[k] { now[k] - then[k] } else { 0.0 };
            (0..3).map(|k| change(k).powi(2)).sum::<f64>().sqrt()
        };
        let [linear_kept, angular_kept] = record.conserved;
        let first = record.momentum;
        let linear =
            largest(reports().map(|r| {
                distance(r.momentum.linear.into(), first.linear.into(), linear_kept) / push
            }));
        let angular = largest(reports().map(|r| {
            let now = r.momentum.angular.into();
            distance(now, first.angular.into(), angular_kept) / (push * record.size)
        }));
        let failed = |step: &(StepReport, f64)| {
            let is_near = error(step) <= ENERGY_DRIFT;
            step.0.gave_way() || !is_near
        };
        let gave_way = reports().filter(|r| r.gave_way()).count();
        let late = &record.steps[record.steps.len() * 9 / 10..];
        let missing = asked as usize - record.steps.len();
        Conservation {
            energy: largest(record.steps.iter().map(error)),
            linear: linear_kept.contains(&true).then_some(linear),
            angular: angular_kept.contains(&true).then_some(angular),
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

    /// Why it is not good enough; empty when it is.
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

/// The largest of some numbers; NaN if one is.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most: f64, value| if most.is_nan() || value <= most { most } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use pliant::model::ModelBuilder;
    use pliant::model::method::{Scheme, Solver};
    use pliant::sim::{Energy, Momentum};

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
    fn what_is_kept_passes_and_what_is_not_is_named() {
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
    fn no_number_is_no_pass() {
        let reasons = reasons(|r| r.steps[0].0.energy.potential = f64::NAN);
        assert_eq!(reasons, "energy NaN > 1e-6; first at step 1");
        assert!(largest([1.0, f64::NAN, 2.0].into_iter()).is_nan());
    }

    #[test]
    fn momenta_that_something_acts_on_are_not_judged() {
        let reasons = reasons(|r| {
            r.conserved = [[true, false, true], [false; 3]];
            r.steps[2].0.momentum.linear.y = 9.0;
            r.steps[2].0.momentum.angular.x = 9.0;
        });
        assert_eq!(reasons, "");
    }

    /// What cannot be built is a row, too.
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
        let row = measure(&case, &|| false).unwrap();
        assert_eq!((row.get("verdict"), row.get("steps")), (&json!("not run"), &Value::Null));
        let reason = row.get("reason").as_str().unwrap();
        assert!(reason.contains("0 vertices cannot be simulated"), "{reason}");
    }

    #[test]
    fn every_column_has_a_value() {
        let case = &super::super::matrix::cases()[0];
        let row = row(case, &steady(), &steady());
        let values = serde_json::to_value(&row).unwrap();
        let keys = values.as_object().unwrap();
        assert_eq!(keys.len(), COLUMNS.len() + 1);
        assert!(COLUMNS.iter().all(|column| keys.contains_key(column.key)));
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
