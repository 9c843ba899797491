//! Motion, not only energy: does a bar go on swinging, and twisting, as it does with tiny steps?
//!
//! A thousand steps of 1/30 s. A bar swings under gravity from a soft hinge, or twists, clamped
//! softly at one end. Every method's amplitude over the last fifth of the run is compared with that
//! of a reference: converged implicit midpoint at a hundredth of the step. Beside it, the share of
//! kinetic energy that is in motion too fast for the step to resolve ([`fast_share`]).

mod bar;
mod figure;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use pliant::model::method::{
    Correction, Damping, Fepr, FeprMetric, FeprMomenta, FeprSolution, Method, Scheme, Solver,
};
use pliant::model::{Drive, FrameInput, Model, ModelError};
use pliant::sim::{State, Workspace, damping, measure, step};
use serde_json::{Value, json};

use super::{Column, Entry, Row, Stop, Style, Suite};
use bar::{BARS, Bar};

/// Step length \[s\].
const H: f64 = 1.0 / 30.0;
const STEPS: usize = 1000;
/// The reference's steps per step.
const FINER: usize = 100;
/// Amplitudes are taken over so many steps.
const WINDOW: usize = 50;
/// And compared over so many at the end.
const LATE: usize = 200;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "motion",
    about: "how a bar goes on swinging and twisting, beside a reference with tiny steps",
    columns: &[
        Column { key: "amplitude_deg", heading: "amplitude [°]", style: Style::Fixed(1) },
        Column { key: "reference_deg", heading: "reference [°]", style: Style::Fixed(1) },
        Column { key: "of_reference", heading: "of reference", style: Style::Percent },
        Column { key: "fast_share", heading: "fast", style: Style::Percent },
        Column { key: "reference_fast_share", heading: "reference", style: Style::Percent },
        Column { key: "energy_drift", heading: "energy drift", style: Style::Scientific },
        Column { key: "fallbacks", heading: "fallbacks", style: Style::Fixed(0) },
        Column { key: "ms_per_step", heading: "ms", style: Style::Fixed(2) },
        Column { key: "times", heading: "", style: Style::Hidden },
        Column { key: "amplitudes_deg", heading: "", style: Style::Hidden },
        Column { key: "fast_shares", heading: "", style: Style::Hidden },
    ],
    entries,
    conclude,
    figure: Some(figure::draw),
    one_at_a_time: false,
    last_row: None,
};

/// A way to step.
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

const SOLVER: Solver = Solver::Projective { iterations: 20, history: 5, tolerance: 0.0 };
const CONVERGED: Solver = Solver::Projective { iterations: 100, history: 5, tolerance: 1e-10 };

/// What a run did.
#[derive(Clone)]
struct Record {
    /// Largest angle in each window of steps [°], and the mean fast share in it.
    amplitudes: Vec<f64>,
    fast_shares: Vec<f64>,
    energy_drift: f64,
    fallbacks: u32,
    ms_per_step: f64,
}

impl Record {
    fn late(values: &[f64], of: impl Fn(&[f64]) -> f64) -> f64 {
        of(&values[values.len().saturating_sub(LATE / WINDOW)..])
    }

    fn amplitude(&self) -> f64 {
        Self::late(&self.amplitudes, |v| v.iter().copied().fold(0.0, f64::max))
    }

    fn fast_share(&self) -> f64 {
        Self::late(&self.fast_shares, |v| v.iter().sum::<f64>() / v.len().max(1) as f64)
    }
}

type Shared = Arc<OnceLock<Result<Option<Record>, String>>>;

fn entries(_threads: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    for bar in &BARS {
        // Whichever row is measured first makes the reference; the others wait for it.
        let reference: Shared = Shared::default();
        for method in METHODS {
            let name = format!("{}/{}", bar.name, method.name);
            let (row, reference) = (name.clone(), Arc::clone(&reference));
            let measure =
                Box::new(move |stop: Stop| measure_row(&row, bar, method, &reference, stop));
            entries.push(Entry { name, measure });
        }
    }
    entries
}

fn measure_row(
    name: &str,
    bar: &Bar,
    method: NamedMethod,
    reference: &Shared,
    stop: Stop,
) -> Option<Row> {
    let NamedMethod { scheme, correction, .. } = method;
    let integrator = |scheme, solver, correction: Option<Fepr>| Method {
        scheme,
        solver,
        correction: correction.map(Correction::Fepr),
        ..Method::default()
    };
    let found = reference.get_or_init(|| {
        run(bar, integrator(Scheme::ImplicitMidpoint, CONVERGED, None), FINER, stop)
    });
    let seen = run(bar, integrator(scheme, SOLVER, correction), 1, stop);
    let (seen, found) = match (seen, found) {
        (Ok(seen), Ok(found)) => (seen?, found.as_ref()?),
        (Err(reason), _) => {
            return Some(Row::new(name.to_owned(), vec![("reason", json!(reason))]));
        }
        (_, Err(reason)) => {
            return Some(Row::new(name.to_owned(), vec![("reason", json!(reason))]));
        }
    };
    let times = (0..seen.amplitudes.len()).map(|k| (k + 1) as f64 * WINDOW as f64 * H);
    let values: Vec<(&str, Value)> = vec![
        ("amplitude_deg", json!(seen.amplitude())),
        ("reference_deg", json!(found.amplitude())),
        ("of_reference", json!(seen.amplitude() / found.amplitude())),
        ("fast_share", json!(seen.fast_share())),
        ("reference_fast_share", json!(found.fast_share())),
        ("energy_drift", json!(seen.energy_drift)),
        ("fallbacks", json!(seen.fallbacks)),
        ("ms_per_step", json!(seen.ms_per_step)),
        ("times", json!(times.collect::<Vec<f64>>())),
        ("amplitudes_deg", json!(seen.amplitudes)),
        ("reference_amplitudes_deg", json!(found.amplitudes)),
        ("fast_shares", json!(seen.fast_shares)),
    ];
    Some(Row::new(name.to_owned(), values))
}

/// Runs a bar with `finer` steps per step; `None` when asked to stop.
fn run(bar: &Bar, integrator: Method, finer: usize, stop: Stop) -> Result<Option<Record>, String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let model = bar.model(integrator).map_err(|e: ModelError| failed(&e))?;
    let mut workspace = Workspace::new(&model, 1).map_err(|e| failed(&e))?;
    let mut low_pass = LowPass::new(bar)?;
    let mut input = FrameInput { h: H / finer as f64, ..FrameInput::default() };
    model.drive(0.0, &mut input.start);
    model.drive(0.0, &mut input.end);
    let mut state = State::initial(&model);
    let first = measure::kinetic(model.masses(), &state.velocities)
        + workspace.potential_energy(&model, &input.start, &state);
    let mut record = Record {
        amplitudes: Vec::new(),
        fast_shares: Vec::new(),
        energy_drift: 0.0,
        fallbacks: 0,
        ms_per_step: 0.0,
    };
    let (mut moving, mut off, mut largest, mut shares) = (0.0f64, 0.0f64, 0.0f64, 0.0);
    for n in 1..=STEPS {
        for _ in 0..finer {
            let clock = Instant::now();
            let report = step(&model, &input, &mut state, &mut workspace);
            record.ms_per_step += clock.elapsed().as_secs_f64() * 1e3 / (STEPS * finer) as f64;
            record.fallbacks += u32::from(report.gave_way());
            moving = moving.max(report.energy.kinetic);
            off = off.max((report.energy.total() - first).abs());
            largest = largest.max((bar.angle)(&model, &state).to_degrees().abs());
            if stop() {
                return Ok(None);
            }
        }
        if n % SAMPLE == 0 {
            shares += low_pass.fast_share(&state, &input.end)? * SAMPLE as f64 / WINDOW as f64;
        }
        if n % WINDOW == 0 {
            record.amplitudes.push(std::mem::take(&mut largest));
            record.fast_shares.push(std::mem::take(&mut shares));
        }
    }
    record.energy_drift = off / first.abs().max(moving);
    Ok(Some(record))
}

/// The fast share is measured every so many steps.
const SAMPLE: usize = 10;

/// Takes motion that a step cannot resolve out of velocities: (M + h²K) u = M v.
struct LowPass {
    model: Model,
    workspace: Workspace,
}

impl LowPass {
    /// Rayleigh damping of one step is this very filter, with a stiffness rate of h.
    fn new(bar: &Bar) -> Result<LowPass, String> {
        let damping = Some(Damping::Rayleigh { mass: 0.0, stiffness: H });
        let integrator = Method { damping, ..Method::default() };
        let model = bar.model(integrator).map_err(|error| error.to_string())?;
        let workspace = Workspace::new(&model, 1).map_err(|error| error.to_string())?;
        Ok(LowPass { model, workspace })
    }

    /// ‖v − u‖²_M / ‖v‖²_M: of a mode with frequency ω, (hω)⁴/(1 + (hω)²)².
    fn fast_share(&mut self, state: &State, drive: &Drive) -> Result<f64, String> {
        let LowPass { model, workspace } = self;
        let mut slow = state.clone();
        damping::apply(model, H, [drive; 2], &mut slow, workspace)
            .map_err(|error| error.to_string())?;
        let (mut fast, mut all) = (0.0, 0.0);
        for (v, &m) in model.masses().iter().enumerate() {
            let whole = state.velocities[v].xyz();
            fast += m * (whole - slow.velocities[v].xyz()).length_squared();
            all += m * whole.length_squared();
        }
        Ok(if all > 0.0 { fast / all } else { 0.0 })
    }
}

/// `of the reference's amplitude: vivid 97 % to 102 %`
fn conclude(rows: &[Row]) -> String {
    let vivid = rows.iter().filter(|row| row.name.ends_with("/vivid"));
    let shares: Vec<String> = vivid
        .filter_map(|row| {
            let bar = row.name.trim_end_matches("/vivid");
            Some(format!("{bar} {:.0} %", 100.0 * row.get("of_reference").as_f64()?))
        })
        .collect();
    format!("{} rows; vivid has of the reference's amplitude: {}", rows.len(), shares.join(", "))
}
