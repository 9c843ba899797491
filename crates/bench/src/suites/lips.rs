//! Lips: how fast a performance is corrected, and how well, by corrected frames and by region.
//!
//! The performance is the built-in one, whose true lips are known. Dinev 2020, Section 2.3.1.2,
//! trained 11 frames in 5.47 s and corrected one in 5.15 s, on 19,315 triangles of the mouth.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use pliant_lips::measures::distances;
use pliant_lips::performance::{FRAMES, Performance};
use pliant_lips::{Head, LipModel, LipsError, Region, RegressionOptions, Suggester};
use pliant_math::team::Team;
use pliant_view::plot::{Figure, Panel, Series};
use serde_json::json;

use crate::clock::milliseconds;
use crate::numbers::{mean, smallest, summary};
use crate::shared::Shared;
use crate::suite::{Entry, Suite, Values, check};
use crate::table::{Column, Row, numbers};

/// The paper's times \[s\].
const PAPER_TRAINING: f64 = 5.47;
const PAPER_FRAME: f64 = 5.15;
/// Corrected frames of the rows about speed and regions.
const CORRECTED: usize = 11;
/// Most corrected frames of the rows about errors.
const MOST: usize = 14;
/// Number of frames that are timed.
const TIMED: usize = 40;
/// Ends of the trusted part of the built-in mouth, from cheek (0) to cavity (1).
const REGIONS: [f64; 5] = [0.30, 0.38, 0.46, 0.54, 0.62];

/// The suite.
pub const SUITE: Suite = Suite {
    name: "lips",
    about: "lip correction: time per frame, errors by corrected frames and by region",
    columns: &[
        Column::fixed("mouth_triangles", "mouth", 0),
        Column::fixed("inner_triangles", "inner", 0),
        Column::fixed("corrected", "frames", 0),
        Column::fixed("train_seconds", "train [s]", 3),
        Column::fixed("add_seconds", "one more [s]", 3),
        Column::fixed("ms_per_frame.min", "ms/frame", 2),
        Column::fixed("times_faster", "× paper", 0),
        Column::fixed("error_mm", "error [mm]", 4),
        Column::fixed("captured_mm", "captured", 4),
        Column::fixed("times_better", "× better", 1),
        Column::fixed("good_error_mm", "good frames", 4),
        Column::fixed("good_captured_mm", "captured", 4),
        Column::REASON,
    ],
    entries,
    conclude,
    figure: Some(draw),
    ..Suite::ONE_AT_A_TIME
};

fn entries(threads: usize) -> Vec<Entry> {
    let capture: Arc<Shared<Capture>> = Arc::new(Shared::new());
    let mut entries = Vec::new();
    for around in [110, 220, 440] {
        entries.push(Entry::new(format!("speed/{around}x{}", around * 5 / 11), move |stop| {
            check(stop)?;
            Ok(speed(around, threads)?)
        }));
    }
    let mut add = |name: String, depth: Option<f64>, frames: usize, is_plain: bool| {
        let capture = Arc::clone(&capture);
        entries.push(Entry::new(name, move |stop| {
            check(stop)?;
            let capture = capture.get(|| Ok(Capture::new()?))?;
            Ok(capture.errors(capture.region(depth)?, frames, is_plain)?)
        }));
    };
    for (is_plain, method) in [(false, "capture"), (true, "paper")] {
        for frames in 1..=MOST {
            add(format!("error/{method}/{frames:02}"), None, frames, is_plain);
        }
    }
    for depth in REGIONS {
        add(format!("region/{depth:.2}"), Some(depth), CORRECTED, false);
    }
    entries
}

fn empty(region: Region) -> Result<LipModel, LipsError> {
    LipModel::new(region, Head::default(), RegressionOptions::default())
}

/// Times at a resolution, on all threads.
fn speed(around: usize, threads: usize) -> Result<Values, LipsError> {
    let performance = Performance::new(around, around * 5 / 11)?;
    let team = Team::new(threads);
    let mut model = empty(performance.region()?)?;
    let capture: Vec<_> = (0..FRAMES).step_by(6).map(|f| (f, performance.captured(f))).collect();
    model.follow(&capture, &team)?;
    let mut samples = Vec::new();
    for frame in (0..=CORRECTED).map(|k| 5 + k * FRAMES / (CORRECTED + 1)) {
        let (captured, truth) = (performance.captured(frame), performance.truth(frame));
        samples.push(model.sample(frame, &captured, &truth)?);
    }
    let last = samples.pop();
    let clock = Instant::now();
    model.extend(samples)?;
    let training = clock.elapsed().as_secs_f64();
    let mut work = model.workspace(team.size());
    let mut times = Vec::new();
    for (_, captured) in capture.iter().cycle().take(TIMED) {
        let mut positions = captured.clone();
        let clock = Instant::now();
        black_box(model.correct(&mut positions, &mut work, &team));
        times.push(milliseconds(clock));
    }
    let clock = Instant::now();
    model.extend(last.into_iter().collect())?;
    let adding = clock.elapsed().as_secs_f64();
    Ok(vec![
        ("mouth_triangles", json!(model.region().mouth.len())),
        ("inner_triangles", json!(model.region().inner.len())),
        ("corrected", json!(CORRECTED)),
        ("train_seconds", json!(training)),
        ("add_seconds", json!(adding)),
        ("ms_per_frame", summary(&times, &["min", "mean"])),
        ("times_faster", json!(1e3 * PAPER_FRAME / mean(&times))),
        ("train_times_faster", json!(PAPER_TRAINING / training)),
    ])
}

/// A performance of which all frames fit into memory.
struct Capture {
    performance: Performance,
    truth: Vec<Vec<DVec3>>,
    captured: Vec<Vec<DVec3>>,
    /// Frames to correct, in the order of the suggestions.
    suggested: Vec<usize>,
}

impl Capture {
    fn new() -> Result<Capture, LipsError> {
        let performance = Performance::new(64, 25)?;
        let truth = (0..FRAMES).map(|frame| performance.truth(frame)).collect();
        let captured: Vec<_> = (0..FRAMES).map(|frame| performance.captured(frame)).collect();
        let mut model = empty(performance.region()?)?;
        let (mut suggested, team) = (Vec::new(), Team::new(1));
        for _ in 0..MOST {
            let (mut suggester, mut work) = (Suggester::default(), model.workspace(1));
            for (frame, positions) in captured.iter().enumerate() {
                suggester.watch(frame, &model.look(positions, &mut work, &team));
            }
            let Some(next) = suggester.suggestion() else { break };
            model.add(next.frame, &captured[next.frame], &captured[next.frame])?;
            suggested.push(next.frame);
        }
        Ok(Capture { performance, truth, captured, suggested })
    }

    /// The region whose inner lip begins at a depth, or where the performance has it.
    fn region(&self, depth: Option<f64>) -> Result<Region, LipsError> {
        let performance = &self.performance;
        let Some(depth) = depth else { return performance.region() };
        let inner = performance.deeper_than(depth);
        Region::new(performance.rest(), &inner, &performance.around())
    }

    /// Errors after some corrected frames: of the paper's method (`is_plain`), or of ours, which
    /// learns from the capture too. All regions are judged on the same vertices.
    fn errors(&self, region: Region, frames: usize, is_plain: bool) -> Result<Values, LipsError> {
        let (mut model, team) = (empty(region)?, Team::new(1));
        if !is_plain {
            let seen = self.captured.iter().cloned().enumerate().step_by(2);
            model.follow(&seen.collect::<Vec<_>>(), &team)?;
        }
        for &frame in self.suggested.iter().take(frames) {
            model.add(frame, &self.captured[frame], &self.truth[frame])?;
        }
        let (mut work, inner) = (model.workspace(1), self.performance.inner());
        // Damaged frames and good ones; before and after the correction.
        let (mut sums, mut counts) = ([[0.0; 2]; 2], [0usize; 2]);
        for frame in 0..FRAMES {
            let mut corrected = self.captured[frame].clone();
            model.correct(&mut corrected, &mut work, &team);
            let kind = usize::from(self.performance.is_good(frame));
            counts[kind] += 1;
            for (sum, found) in sums[kind].iter_mut().zip([&self.captured[frame], &corrected]) {
                let off = distances(found, &self.truth[frame], &inner);
                *sum += 1e3 * off.iter().sum::<f64>() / off.len() as f64;
            }
        }
        let [bad, good] = [0, 1].map(|kind| sums[kind].map(|sum| sum / counts[kind].max(1) as f64));
        Ok(vec![
            ("mouth_triangles", json!(model.region().mouth.len())),
            ("inner_triangles", json!(model.region().inner.len())),
            ("corrected", json!(model.samples().len())),
            ("error_mm", json!(bad[1])),
            ("captured_mm", json!(bad[0])),
            ("times_better", json!(bad[0] / bad[1])),
            ("good_error_mm", json!(good[1])),
            ("good_captured_mm", json!(good[0])),
        ])
    }
}

fn conclude(rows: &[Row]) -> String {
    let better = numbers(rows, "error/", "times_better").into_iter().fold(f64::NAN, f64::max);
    format!(
        "at least {:.0} times as fast per frame as the paper; lips up to {better:.0} times better",
        smallest(&numbers(rows, "", "times_faster")),
    )
}

/// Errors over corrected frames, as Fig. 2.9 of Dinev 2020.
fn draw(rows: &[Row]) -> Figure {
    let series = |method: &str, name: &str| {
        let column = |key: &str| numbers(rows, &format!("error/{method}/"), key);
        Series::new(name, column("corrected"), column("error_mm"))
    };
    let captured = numbers(rows, "", "captured_mm").first().copied().unwrap_or(f64::NAN);
    let ends = vec![1.0, MOST as f64];
    let mut line = Series::new("as captured", ends, vec![captured; 2]);
    line.style.dashed = true;
    Figure {
        title: String::new(),
        panels: vec![Panel {
            title: "Error of the inner lips in damaged frames".into(),
            x_label: "corrected frames".into(),
            y_label: "mean distance from the truth in mm".into(),
            log_y: true,
            series: vec![
                series("capture", "with the capture"),
                series("paper", "corrected frames alone"),
                line,
            ],
            ..Panel::default()
        }],
        columns: 1,
    }
}
