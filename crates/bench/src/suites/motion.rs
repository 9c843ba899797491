//! Motion: does a bar go on swinging, or twisting, as it does with tiny steps?
//!
//! A thousand steps of 1/30 s. A bar swings under gravity from a soft hinge, or twists, clamped
//! softly at one end. The reference is converged implicit midpoint at a hundredth of the step.
//! Every method's amplitude over the last fifth of the run is compared with the reference's, and so
//! is the share of kinetic energy in motion too fast for the step ([`LowPass::fast_share`]).

mod bar;
mod figure;

use std::sync::Arc;
use std::time::Instant;

use pliant_model::method::{
    Correction, Damping, Fepr, FeprMetric, FeprMomenta, FeprSolution, Method, Scheme, Solver,
};
use pliant_model::{Drive, Model};
use pliant_sim::{State, Workspace, damping};
use serde_json::json;

use crate::clock::milliseconds;
use crate::error::BenchError;
use crate::numbers::mean;
use crate::shared::Shared;
use crate::stepper::{H, Stepper, projective};
use crate::suite::{Entry, Stop, Suite, Values, check};
use crate::table::{Column, Row};
use bar::{BARS, Bar};

const STEPS: usize = 1000;
/// Steps of the reference per step.
const FINER: usize = 100;
/// Steps per amplitude.
const WINDOW: usize = 50;
/// Steps at the end whose amplitudes are compared.
const LATE: usize = 200;
/// Steps per sample of the fast share.
const SAMPLE: usize = 10;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "motion",
    about: "how a bar goes on swinging and twisting, beside a reference with tiny steps",
    columns: &[
        Column::fixed("amplitude_deg", "amplitude [°]", 1),
        Column::fixed("reference_deg", "reference [°]", 1),
        Column::percent("of_reference", "of reference"),
        Column::percent("fast_share", "fast"),
        Column::percent("reference_fast_share", "reference"),
        Column::scientific("energy_drift", "energy drift"),
        Column::fixed("fallbacks", "fallbacks", 0),
        Column::fixed("ms_per_step", "ms", 2),
    ],
    entries,
    conclude,
    figure: Some(figure::draw),
    ..Suite::SIDE_BY_SIDE
};

/// A method.
#[derive(Clone, Copy)]
struct NamedMethod {
    name: &'static str,
    scheme: Scheme,
    correction: Option<Fepr>,
}

const fn fepr(metric: FeprMetric, filter: f64) -> Option<Fepr> {
    Some(Fepr { metric, momenta: FeprMomenta::Held, filter, solution: FeprSolution::Fast })
}

const METHODS: [NamedMethod; 11] = {
    use FeprMetric::{Diagonal, Mass, Smooth};
    use Scheme::{BackwardEuler, Bdf2, ImplicitMidpoint};
    const fn method(name: &'static str, scheme: Scheme, correction: Option<Fepr>) -> NamedMethod {
        NamedMethod { name, scheme, correction }
    }
    [
        method("vivid", ImplicitMidpoint, fepr(Smooth, 0.1)),
        method("midpoint+fepr/diagonal/filter", ImplicitMidpoint, fepr(Diagonal, 0.1)),
        method("midpoint+fepr/mass/filter", ImplicitMidpoint, fepr(Mass, 0.1)),
        method("midpoint+fepr/smooth", ImplicitMidpoint, fepr(Smooth, 0.0)),
        method("midpoint+fepr/diagonal", ImplicitMidpoint, fepr(Diagonal, 0.0)),
        method("midpoint+fepr/mass", ImplicitMidpoint, fepr(Mass, 0.0)),
        method("midpoint", ImplicitMidpoint, None),
        method("bdf2+fepr/smooth", Bdf2, fepr(Smooth, 0.0)),
        method("backward-euler+fepr/smooth", BackwardEuler, fepr(Smooth, 0.0)),
        method("backward-euler+fepr/mass", BackwardEuler, fepr(Mass, 0.0)),
        method("backward-euler", BackwardEuler, None),
    ]
};

const CONVERGED: Solver = Solver::Projective { iterations: 100, history: 5, tolerance: 1e-10 };

/// The record of a run.
#[derive(Default)]
struct Record {
    /// Largest angle in each window of steps [°].
    amplitudes: Vec<f64>,
    /// Mean fast share in each window of steps.
    fast_shares: Vec<f64>,
    energy_drift: f64,
    fallbacks: u32,
    ms_per_step: f64,
}

impl Record {
    fn late(values: &[f64]) -> &[f64] {
        &values[values.len().saturating_sub(LATE / WINDOW)..]
    }

    fn amplitude(&self) -> f64 {
        Self::late(&self.amplitudes).iter().copied().fold(0.0, f64::max)
    }

    fn fast_share(&self) -> f64 {
        mean(Self::late(&self.fast_shares))
    }
}

fn entries(_threads: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    for bar in &BARS {
        let reference = Arc::new(Shared::new());
        for method in METHODS {
            let reference = Arc::clone(&reference);
            entries.push(Entry::new(format!("{}/{}", bar.name, method.name), move |stop| {
                measure(bar, method, &reference, stop)
            }));
        }
    }
    entries
}

fn measure(
    bar: &Bar,
    method: NamedMethod,
    reference: &Shared<Record>,
    stop: Stop,
) -> Result<Values, BenchError> {
    let integrator = |scheme, solver, correction: Option<Fepr>| Method {
        scheme,
        solver,
        correction: correction.map(Correction::Fepr),
        ..Method::default()
    };
    let exact = integrator(Scheme::ImplicitMidpoint, CONVERGED, None);
    let reference = reference.get(|| run(bar, exact, FINER, stop));
    let own = run(bar, integrator(method.scheme, projective(20), method.correction), 1, stop)?;
    let reference = reference?;
    let times = (0..own.amplitudes.len()).map(|k| (k + 1) as f64 * WINDOW as f64 * H);
    Ok(vec![
        ("amplitude_deg", json!(own.amplitude())),
        ("reference_deg", json!(reference.amplitude())),
        ("of_reference", json!(own.amplitude() / reference.amplitude())),
        ("fast_share", json!(own.fast_share())),
        ("reference_fast_share", json!(reference.fast_share())),
        ("energy_drift", json!(own.energy_drift)),
        ("fallbacks", json!(own.fallbacks)),
        ("ms_per_step", json!(own.ms_per_step)),
        ("times", json!(times.collect::<Vec<f64>>())),
        ("amplitudes_deg", json!(own.amplitudes)),
        ("reference_amplitudes_deg", json!(reference.amplitudes)),
        ("fast_shares", json!(own.fast_shares)),
    ])
}

/// Runs a bar with `finer` steps per step.
fn run(bar: &Bar, integrator: Method, finer: usize, stop: Stop) -> Result<Record, BenchError> {
    let model = bar.model(integrator)?;
    let mut stepper = Stepper::new(&model, H / finer as f64, 1)?;
    let mut low_pass = LowPass::new(bar)?;
    let first = stepper.energy();
    let mut record = Record::default();
    let (mut kinetic, mut off, mut largest, mut shares) = (0.0f64, 0.0f64, 0.0f64, 0.0);
    for n in 1..=STEPS {
        for _ in 0..finer {
            let clock = Instant::now();
            let report = stepper.step();
            record.ms_per_step += milliseconds(clock) / (STEPS * finer) as f64;
            record.fallbacks += u32::from(report.gave_way());
            kinetic = kinetic.max(report.energy.kinetic);
            off = off.max((report.energy.total() - first).abs());
            largest = largest.max((bar.angle)(&model, &stepper.state).to_degrees().abs());
            check(stop)?;
        }
        if n % SAMPLE == 0 {
            let share = low_pass.fast_share(&stepper.state, stepper.drive())?;
            shares += share * SAMPLE as f64 / WINDOW as f64;
        }
        if n % WINDOW == 0 {
            record.amplitudes.push(std::mem::take(&mut largest));
            record.fast_shares.push(std::mem::take(&mut shares));
        }
    }
    record.energy_drift = off / first.abs().max(kinetic);
    Ok(record)
}

/// Removes motion that a step cannot resolve from velocities: (M + h²K) u = M v.
struct LowPass {
    model: Model,
    workspace: Workspace,
}

impl LowPass {
    /// Rayleigh damping of one step is this filter, with a stiffness rate of h.
    fn new(bar: &Bar) -> Result<LowPass, BenchError> {
        let damping = Some(Damping::Rayleigh { mass: 0.0, stiffness: H });
        let model = bar.model(Method { damping, ..Method::default() })?;
        let workspace = Workspace::new(&model, 1)?;
        Ok(LowPass { model, workspace })
    }

    /// ‖v − u‖²_M / ‖v‖²_M: of a mode with frequency ω, (hω)⁴/(1 + (hω)²)².
    fn fast_share(&mut self, state: &State, drive: &Drive) -> Result<f64, BenchError> {
        let LowPass { model, workspace } = self;
        let mut slow = state.clone();
        damping::apply(model, H, [drive; 2], &mut slow, workspace)?;
        let (mut fast, mut all) = (0.0, 0.0);
        for (v, &m) in model.masses().iter().enumerate() {
            let velocity = state.velocities[v].xyz();
            fast += m * (velocity - slow.velocities[v].xyz()).length_squared();
            all += m * velocity.length_squared();
        }
        Ok(if all > 0.0 { fast / all } else { 0.0 })
    }
}

/// `55 rows; vivid has of the reference's amplitude: swing/1e5 97 %, …`
fn conclude(rows: &[Row]) -> String {
    let share = |row: &Row| {
        let bar = row.name.strip_suffix("/vivid")?;
        Some(format!("{bar} {:.0} %", 100.0 * row.number("of_reference")?))
    };
    let shares: Vec<String> = rows.iter().filter_map(share).collect();
    format!("{} rows; vivid has of the reference's amplitude: {}", rows.len(), shares.join(", "))
}
