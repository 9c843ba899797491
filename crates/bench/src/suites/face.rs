//! The face: time per frame of speech with contact, exact and interactive; the distance between the
//! two; and how deep lips are in teeth and in each other.
//!
//! The performance is the built-in one. Ichim et al. 2017 took 22 s for a frame of 8,098 vertices
//! and 35,626 tets.

use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use pliant_face::{
    Animator, FaceModel, FaceSimulationOptions, FaceSolver, LipGauge, Penetration, Performance,
};
use serde_json::json;

use crate::bodies::build_head;
use crate::clock::milliseconds;
use crate::error::BenchError;
use crate::numbers::{mean, summary};
use crate::shared::Shared;
use crate::suite::{Entry, Stop, Suite, Values, check};
use crate::table::{Column, Row};

/// The paper's time per frame \[ms\].
const PAPER_FRAME: f64 = 22_000.0;
/// Displacement from which vertices are compared \[m\].
const MOVES: f64 = 0.0005;
/// Part of its displacement within which a vertex is near enough.
const NEAR_ENOUGH: f64 = 0.1;
/// The first frame of a stretch in which lips part, close and round.
const FIRST: usize = 14;

/// A size of the face.
struct Size {
    name: &'static str,
    /// Length of edges in the cheek \[m\].
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
        Column::fixed("vertices", "vertices", 0),
        Column::fixed("tets", "tets", 0),
        Column::fixed("frames", "frames", 0),
        Column::fixed("setup_seconds", "setup [s]", 1),
        Column::fixed("ms_per_frame.mean", "ms/frame", 1),
        Column::fixed("ms_per_frame.max", "most", 1),
        Column::fixed("times_faster", "× paper", 0),
        Column::fixed("iterations", "iterations", 1),
        Column::scientific("residual", "residual"),
        Column::fixed("penetration_mm", "deepest [mm]", 3),
        Column::fixed("inside", "inside", 0),
        Column::fixed("deviation_percent", "off [%]", 2),
        Column::fixed("within_10_percent", "within 10% [%]", 2),
        Column::REASON,
    ],
    entries,
    conclude,
    ..Suite::ONE_AT_A_TIME
};

/// A method of solving the face.
#[derive(Clone, Copy, PartialEq)]
enum Method {
    Exact,
    Interactive,
    ExactNoContact,
}

/// A face of a size, and its exact frames.
struct Subject {
    size: &'static Size,
    face: Shared<FaceModel>,
    exact: Shared<Clip>,
}

fn entries(threads: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    for size in &SIZES {
        let subject = Arc::new(Subject { size, face: Shared::new(), exact: Shared::new() });
        let mut add = |method: Method, name: &str| {
            let subject = Arc::clone(&subject);
            entries.push(Entry::new(format!("{}/{name}", size.name), move |stop| {
                measure(&subject, method, threads, stop)
            }));
        };
        add(Method::Exact, "exact");
        add(Method::Interactive, "interactive");
        if size.name == "paper" {
            add(Method::ExactNoContact, "exact-no-contact");
        }
    }
    entries
}

fn measure(
    subject: &Subject,
    method: Method,
    threads: usize,
    stop: Stop,
) -> Result<Values, BenchError> {
    let Subject { size, face, exact } = subject;
    let face = face.get(|| build_head(size.edge, threads))?;
    let play = |method| play(face, size.frames, method, threads, stop);
    if method == Method::ExactNoContact {
        return Ok(play(method)?.values(face));
    }
    let exact = exact.get(|| play(Method::Exact))?;
    if method == Method::Exact {
        return Ok(exact.values(face));
    }
    let clip = play(method)?;
    let mut values = clip.values(face);
    values.extend(deviation(&face.skin.mesh.positions, &exact.skins, &clip.skins));
    Ok(values)
}

/// Some frames of the performance.
#[derive(Default)]
struct Clip {
    setup: f64,
    milliseconds: Vec<f64>,
    iterations: f64,
    residual: f64,
    fallbacks: u32,
    worst: Penetration,
    skins: Vec<Vec<DVec3>>,
}

impl Clip {
    fn values(&self, face: &FaceModel) -> Values {
        vec![
            ("vertices", json!(face.solid.positions.len())),
            ("tets", json!(face.solid.tets.len())),
            ("frames", json!(self.milliseconds.len())),
            ("setup_seconds", json!(self.setup)),
            ("ms_per_frame", summary(&self.milliseconds, &["mean", "min", "max"])),
            ("times_faster", json!(PAPER_FRAME / mean(&self.milliseconds))),
            ("iterations", json!(self.iterations)),
            ("residual", json!(self.residual)),
            ("fallbacks", json!(self.fallbacks)),
            ("penetration_mm", json!(1e3 * self.worst.deepest)),
            ("inside", json!(self.worst.inside)),
        ]
    }
}

fn play(
    face: &FaceModel,
    frames: usize,
    method: Method,
    threads: usize,
    stop: Stop,
) -> Result<Clip, BenchError> {
    let solver = match method {
        Method::Interactive => FaceSolver::INTERACTIVE,
        Method::Exact | Method::ExactNoContact => FaceSolver::EXACT,
    };
    let contact = method != Method::ExactNoContact;
    let options =
        FaceSimulationOptions { solver, contact, threads, ..FaceSimulationOptions::default() };
    let mut speech = Performance::speech(30.0);
    speech.frames.iter_mut().for_each(|frame| frame.head = [0.0; 3]);
    let gauge = LipGauge::new(face)?;
    let clock = Instant::now();
    let mut animator = Animator::of(face, &speech, &options)?;
    // The frame before the first one prepares what later frames reuse.
    animator.frame(&speech.frames[FIRST - 1]);
    let mut clip = Clip { setup: clock.elapsed().as_secs_f64(), ..Clip::default() };
    for frame in &speech.frames[FIRST..FIRST + frames] {
        check(stop)?;
        let clock = Instant::now();
        let done = animator.frame(frame);
        clip.milliseconds.push(milliseconds(clock));
        clip.iterations += f64::from(done.report.iterations) / frames as f64;
        clip.residual = clip.residual.max(done.report.residual);
        clip.fallbacks += done.report.fallbacks;
        let flesh = animator.simulation().positions();
        let found = gauge.skin(&done.skin, &flesh, &done.jaw);
        clip.worst.inside = clip.worst.inside.max(found.inside);
        clip.worst.deepest = clip.worst.deepest.max(found.deepest);
        clip.skins.push(done.skin);
    }
    Ok(clip)
}

/// Distance of frames from the exact ones, relative to displacements, where these exceed [`MOVES`].
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
        let row = rows.iter().find(|row| row.name == name);
        let ms = row.and_then(|row| row.number("ms_per_frame.mean"));
        ms.map_or("not measured".to_owned(), |ms| format!("{ms:.0} ms"))
    };
    format!(
        "a frame with contact at the paper's size: exact {}, interactive {}",
        mean("paper/exact"),
        mean("paper/interactive")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_displacements_are_left_out_of_the_deviation() {
        let rest = vec![DVec3::ZERO; 3];
        let exact = vec![vec![DVec3::X * 0.01, DVec3::X * 0.02, DVec3::X * 0.0001]];
        let other = vec![vec![DVec3::X * 0.0105, DVec3::X * 0.015, DVec3::ZERO]];
        let found = deviation(&rest, &exact, &other);
        let number = |k: usize| found[k].1.as_f64().unwrap();
        assert!((number(0) - 100.0 * 0.0055 / 0.03).abs() < 1e-9, "{:?}", found[0]);
        assert_eq!(number(1), 50.0);
    }
}
