//! The face: how long a frame of speech takes with contact, exact and interactive, how far the two are
//! apart, and how deep lips are in teeth and in each other.
//!
//! The performance is the built-in one. Ichim et al. 2017 took 22 s for a frame of 8,098 vertices and
//! 35,626 tets.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use glam::DVec3;
use pliant::face::{
    Animator, BuildOptions, FaceError, FaceModel, FaceSimulationOptions, FaceSolver, LipGauge,
    Penetration, Performance, Template, build,
};
use pliant::math::team::Team;
use serde_json::json;

use super::{Column, Entry, Row, Stop, Style, Suite, Values};

/// What the paper took \[ms\].
const PAPER_FRAME: f64 = 22_000.0;
/// Vertices that move by more than this are compared \[m\].
const MOVES: f64 = 0.0005;
/// The first frame, of a stretch in which lips part, meet, and round.
const FIRST: usize = 14;
/// And are near enough within this part of their displacement.
const NEAR_ENOUGH: f64 = 0.1;

/// A face: its name, the length of its tets' edges in the cheek \[m\], and frames.
struct Size {
    name: &'static str,
    edge: f64,
    frames: usize,
}

const SIZES: [Size; 2] = [
    Size { name: "paper", edge: 0.0050, frames: 30 },
    Size { name: "100k", edge: 0.0034, frames: 10 },
];

/// The suite.
pub const SUITE: Suite = Suite {
    name: "face",
    about: "the face: time per frame of speech with contact, exact and interactive, and how far apart",
    columns: &[
        Column { key: "vertices", heading: "vertices", style: Style::Fixed(0) },
        Column { key: "tets", heading: "tets", style: Style::Fixed(0) },
        Column { key: "frames", heading: "frames", style: Style::Fixed(0) },
        Column { key: "setup_seconds", heading: "setup [s]", style: Style::Fixed(1) },
        Column { key: "ms_per_frame.mean", heading: "ms/frame", style: Style::Fixed(1) },
        Column { key: "ms_per_frame.max", heading: "most", style: Style::Fixed(1) },
        Column { key: "ms_per_frame", heading: "", style: Style::Hidden },
        Column { key: "times_faster", heading: "× paper", style: Style::Fixed(0) },
        Column { key: "iterations", heading: "iterations", style: Style::Fixed(1) },
        Column { key: "residual", heading: "residual", style: Style::Scientific },
        Column { key: "penetration_mm", heading: "deepest [mm]", style: Style::Fixed(3) },
        Column { key: "inside", heading: "inside", style: Style::Fixed(0) },
        Column { key: "deviation_percent", heading: "off [%]", style: Style::Fixed(2) },
        Column { key: "within_10_percent", heading: "within 10% [%]", style: Style::Fixed(2) },
        Column { key: "fallbacks", heading: "", style: Style::Hidden },
        Column { key: "reason", heading: "", style: Style::Words },
    ],
    entries,
    conclude,
    figure: None,
    one_at_a_time: true,
    last_row: None,
};

/// How a row's face is solved.
#[derive(Clone, Copy, PartialEq)]
enum Method {
    Exact,
    Interactive,
    /// Exact, and through everything.
    NoContact,
}

fn entries(threads: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (s, size) in SIZES.iter().enumerate() {
        for (method, name) in [
            (Method::Exact, "exact"),
            (Method::Interactive, "interactive"),
            (Method::NoContact, "exact-no-contact"),
        ] {
            if method == Method::NoContact && s > 0 {
                continue;
            }
            let work = move |stop: Stop<'_>| measure(s, method, threads, stop);
            entries.push(Entry::new(format!("{}/{name}", size.name), work));
        }
    }
    entries
}

/// What was made of a stretch of frames.
#[derive(Clone)]
struct Clip {
    setup: f64,
    milliseconds: Vec<f64>,
    iterations: f64,
    residual: f64,
    fallbacks: u32,
    worst: Penetration,
    skins: Vec<Vec<DVec3>>,
}

/// A model, and its exact frames, once they are made.
type Made = (FaceModel, Option<Clip>);

/// Of every size.
static MADE: Mutex<[Option<Made>; 2]> = Mutex::new([None, None]);

fn measure(
    s: usize,
    method: Method,
    threads: usize,
    stop: Stop,
) -> Result<Option<Values>, FaceError> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if made[s].is_none() {
        made[s] = Some((model(&SIZES[s], threads)?, None));
    }
    let Some((face, exact)) = &mut made[s] else { return Ok(None) };
    if exact.is_none() && method != Method::NoContact {
        *exact = play(face, &SIZES[s], Method::Exact, threads, stop)?;
    }
    let clip = match (method, &*exact) {
        (Method::Exact, Some(exact)) => Some(exact.clone()),
        (Method::Exact, None) => None,
        _ => play(face, &SIZES[s], method, threads, stop)?,
    };
    let Some(clip) = clip else { return Ok(None) };
    let count = clip.milliseconds.len() as f64;
    let mean = clip.milliseconds.iter().sum::<f64>() / count;
    let end = |pick: fn(f64, f64) -> f64| clip.milliseconds.iter().copied().reduce(pick);
    let mut values = vec![
        ("vertices", json!(face.solid.positions.len())),
        ("tets", json!(face.solid.tets.len())),
        ("frames", json!(clip.milliseconds.len())),
        ("setup_seconds", json!(clip.setup)),
        ("ms_per_frame", json!({"mean": mean, "min": end(f64::min), "max": end(f64::max)})),
        ("times_faster", json!(PAPER_FRAME / mean)),
        ("iterations", json!(clip.iterations)),
        ("residual", json!(clip.residual)),
        ("fallbacks", json!(clip.fallbacks)),
        ("penetration_mm", json!(1e3 * clip.worst.deepest)),
        ("inside", json!(clip.worst.inside)),
    ];
    if let (Method::Interactive, Some(exact)) = (method, exact) {
        values.extend(deviation(&face.skin.mesh.positions, &exact.skins, &clip.skins));
    }
    Ok(Some(values))
}

fn model(size: &Size, threads: usize) -> Result<FaceModel, FaceError> {
    let team = Team::new(threads);
    let edge = pliant::face::anatomy::edge_lengths::DEFAULT_SIZE;
    let head = Template::built_in(edge, &team)?;
    let options = BuildOptions { size: size.edge };
    build(&head, "built in".as_ref(), &options, &team).map(|(face, _)| face)
}

fn play(
    face: &FaceModel,
    size: &Size,
    method: Method,
    threads: usize,
    stop: Stop,
) -> Result<Option<Clip>, FaceError> {
    let solver = match method {
        Method::Interactive => FaceSolver::INTERACTIVE,
        Method::Exact | Method::NoContact => FaceSolver::EXACT,
    };
    let contact = method != Method::NoContact;
    let options =
        FaceSimulationOptions { solver, contact, threads, ..FaceSimulationOptions::default() };
    let mut speech = Performance::speech(30.0);
    speech.frames.iter_mut().for_each(|frame| frame.head = [0.0; 3]);
    let gauge = LipGauge::new(face)?;
    let clock = Instant::now();
    let mut animator = Animator::of(face, &speech, &options)?;
    // The frame before the first is for what is done once.
    animator.frame(&speech.frames[FIRST - 1]);
    let mut clip = Clip {
        setup: clock.elapsed().as_secs_f64(),
        milliseconds: Vec::new(),
        iterations: 0.0,
        residual: 0.0,
        fallbacks: 0,
        worst: Penetration::default(),
        skins: Vec::new(),
    };
    for frame in &speech.frames[FIRST..FIRST + size.frames] {
        if stop() {
            return Ok(None);
        }
        let clock = Instant::now();
        let done = animator.frame(frame);
        clip.milliseconds.push(1e3 * clock.elapsed().as_secs_f64());
        clip.iterations += f64::from(done.report.iterations) / size.frames as f64;
        clip.residual = clip.residual.max(done.report.residual);
        clip.fallbacks += done.report.fallbacks;
        let flesh = animator.simulation().positions();
        let found = gauge.skin(&done.skin, &flesh, &done.jaw);
        clip.worst.inside = clip.worst.inside.max(found.inside);
        clip.worst.deepest = clip.worst.deepest.max(found.deepest);
        clip.skins.push(done.skin);
    }
    Ok(Some(clip))
}

/// How far frames are from the exact ones, of displacements, where these are noticed.
fn deviation(rest: &[DVec3], exact: &[Vec<DVec3>], other: &[Vec<DVec3>]) -> Values {
    let (mut sum, mut moved, mut count, mut near) = (0.0, 0.0, 0u32, 0u32);
    for (exact, other) in exact.iter().zip(other) {
        for ((x, e), rest) in other.iter().zip(exact).zip(rest) {
            let (own, off) = (e.distance(*rest), x.distance(*e));
            if own > MOVES {
                (sum, moved, count) = (sum + off, moved + own, count + 1);
                near += u32::from(off <= NEAR_ENOUGH * own);
            }
        }
    }
    vec![
        ("deviation_percent", json!(100.0 * sum / moved)),
        ("within_10_percent", json!(100.0 * f64::from(near) / f64::from(count))),
    ]
}

fn conclude(rows: &[Row]) -> String {
    let mean = |name: &str| {
        let row = rows.iter().find(|row| row.name == name)?;
        row.get("ms_per_frame.mean").as_f64()
    };
    let said = |name: &str| match mean(name) {
        Some(ms) => format!("{ms:.0} ms"),
        None => "not measured".to_owned(),
    };
    format!(
        "a frame with contact at the paper's size: exact {}, interactive {}",
        said("paper/exact"),
        said("paper/interactive")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_of_displacements_that_are_noticed() {
        let rest = vec![DVec3::ZERO; 3];
        let exact = vec![vec![DVec3::X * 0.01, DVec3::X * 0.02, DVec3::X * 0.0001]];
        let other = vec![vec![DVec3::X * 0.0105, DVec3::X * 0.015, DVec3::ZERO]];
        let found = deviation(&rest, &exact, &other);
        let number = |k: usize| found[k].1.as_f64().unwrap();
        assert!((number(0) - 100.0 * 0.0055 / 0.03).abs() < 1e-9, "{:?}", found[0]);
        assert_eq!(number(1), 50.0);
        assert!(found.iter().all(|(_, value)| value.is_number()));
    }
}
