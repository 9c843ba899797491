//! Lips: how fast a performance is corrected, and how well, by corrected frames and by region.
//!
//! The performance is the built-in one, its truth known. Dinev 2020, Section 2.3.1.2, trained 11 frames
//! in 5.47 s and corrected one in 5.15 s, on 19,315 triangles of the mouth.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use glam::DVec3;
use pliant::lips::measures::distances;
use pliant::lips::performance::{FRAMES, Performance};
use pliant::lips::{Head, LipModel, LipsError, Region, RegressionOptions, Suggester};
use pliant::math::team::Team;
use pliant::view::plot::{Figure, Panel, Series};
use serde_json::json;

use super::{Column, Entry, Row, Stop, Style, Suite, Values};

/// What the paper took \[s\].
const PAPER_TRAINING: f64 = 5.47;
const PAPER_FRAME: f64 = 5.15;
/// Corrected frames of the rows about speed and regions, and the most of those about errors.
const CORRECTED: usize = 11;
const MOST: usize = 14;
/// Frames that are timed; the shortest counts, the mean is given beside it.
const TIMED: usize = 40;
/// Where the trusted part of the built-in mouth ends, from cheek (0) to cavity (1), and others to try.
const REGIONS: [f64; 5] = [0.30, 0.38, 0.46, 0.54, 0.62];

/// The suite.
pub const SUITE: Suite = Suite {
    name: "lips",
    about: "lip correction: time per frame, errors by corrected frames and by region",
    columns: &[
        Column { key: "mouth_triangles", heading: "mouth", style: Style::Fixed(0) },
        Column { key: "inner_triangles", heading: "inner", style: Style::Fixed(0) },
        Column { key: "corrected", heading: "frames", style: Style::Fixed(0) },
        Column { key: "train_seconds", heading: "train [s]", style: Style::Fixed(3) },
        Column { key: "add_seconds", heading: "one more [s]", style: Style::Fixed(3) },
        Column { key: "ms_per_frame.min", heading: "ms/frame", style: Style::Fixed(2) },
        Column { key: "ms_per_frame", heading: "", style: Style::Hidden },
        Column { key: "times_faster", heading: "× paper", style: Style::Fixed(0) },
        Column { key: "train_times_faster", heading: "", style: Style::Hidden },
        Column { key: "error_mm", heading: "error [mm]", style: Style::Fixed(4) },
        Column { key: "captured_mm", heading: "captured", style: Style::Fixed(4) },
        Column { key: "times_better", heading: "× better", style: Style::Fixed(1) },
        Column { key: "good_error_mm", heading: "good frames", style: Style::Fixed(4) },
        Column { key: "good_captured_mm", heading: "captured", style: Style::Fixed(4) },
        Column { key: "reason", heading: "", style: Style::Words },
    ],
    entries,
    conclude,
    figure: Some(draw),
    one_at_a_time: true,
    last_row: None,
};

fn entries(threads: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |name: String, work: Box<dyn Fn() -> Result<Values, LipsError> + Send + Sync>| {
        let work = move |stop: Stop<'_>| if stop() { Ok(None) } else { work().map(Some) };
        entries.push(Entry::new(name, work));
    };
    for around in [110, 220, 440] {
        let name = format!("speed/{around}x{}", around * 5 / 11);
        add(name, Box::new(move || speed(around, threads)));
    }
    for plain in [false, true] {
        for frames in 1..=MOST {
            let method = if plain { "paper" } else { "capture" };
            add(format!("error/{method}/{frames:02}"), Box::new(move || error(frames, plain)));
        }
    }
    for depth in REGIONS {
        add(format!("region/{depth:.2}"), Box::new(move || region(depth)));
    }
    entries
}

/// Frames that were suggested one after the other, at a resolution at which all fit into memory.
struct Show {
    performance: Performance,
    truth: Vec<Vec<DVec3>>,
    captured: Vec<Vec<DVec3>>,
    corrected: Vec<usize>,
}

fn show() -> Result<&'static Show, LipsError> {
    static SHOW: OnceLock<Result<Show, LipsError>> = OnceLock::new();
    let made = SHOW.get_or_init(|| {
        let performance = Performance::new(64, 25)?;
        let truth = (0..FRAMES).map(|frame| performance.truth(frame)).collect();
        let captured: Vec<Vec<DVec3>> =
            (0..FRAMES).map(|frame| performance.captured(frame)).collect();
        let mut model = empty(performance.region()?)?;
        let (mut corrected, team) = (Vec::new(), Team::new(1));
        for _ in 0..MOST {
            let (mut suggester, mut work) = (Suggester::default(), model.workspace(1));
            for (frame, positions) in captured.iter().enumerate() {
                suggester.watch(frame, &model.look(positions, &mut work, &team));
            }
            let Some(next) = suggester.suggestion() else { break };
            model.add(next.frame, &captured[next.frame], &captured[next.frame])?;
            corrected.push(next.frame);
        }
        Ok(Show { performance, truth, captured, corrected })
    });
    made.as_ref().map_err(Clone::clone)
}

fn empty(region: Region) -> Result<LipModel, LipsError> {
    LipModel::new(region, Head::default(), RegressionOptions::default())
}

/// Time at a resolution, on all threads.
fn speed(around: usize, threads: usize) -> Result<Values, LipsError> {
    let show = Performance::new(around, around * 5 / 11)?;
    let team = Team::new(threads);
    let mut model = empty(show.region()?)?;
    let capture: Vec<_> = (0..FRAMES).step_by(6).map(|f| (f, show.captured(f))).collect();
    model.follow(&capture, &team)?;
    let mut samples = Vec::new();
    for frame in (0..=CORRECTED).map(|k| 5 + k * FRAMES / (CORRECTED + 1)) {
        samples.push(model.sample(frame, &show.captured(frame), &show.truth(frame))?);
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
        times.push(1e3 * clock.elapsed().as_secs_f64());
    }
    let clock = Instant::now();
    model.extend(last.into_iter().collect())?;
    let adding = clock.elapsed().as_secs_f64();
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    Ok(vec![
        ("mouth_triangles", json!(model.region().mouth.len())),
        ("inner_triangles", json!(model.region().inner.len())),
        ("corrected", json!(CORRECTED)),
        ("train_seconds", json!(training)),
        ("add_seconds", json!(adding)),
        ("ms_per_frame", json!({ "min": least, "mean": mean })),
        ("times_faster", json!(1e3 * PAPER_FRAME / mean)),
        ("train_times_faster", json!(PAPER_TRAINING / training)),
    ])
}

/// Errors with so many corrected frames, as the paper has it or with what the capture tells.
fn error(frames: usize, plain: bool) -> Result<Values, LipsError> {
    let show = show()?;
    judged(show, show.performance.region()?, frames, plain)
}

/// Errors when the inner lip begins at another depth; always judged on the same vertices.
fn region(depth: f64) -> Result<Values, LipsError> {
    let show = show()?;
    let rest = show.performance.rest();
    let region =
        Region::new(rest, &show.performance.deeper_than(depth), &show.performance.around())?;
    judged(show, region, CORRECTED, false)
}

fn judged(show: &Show, region: Region, frames: usize, plain: bool) -> Result<Values, LipsError> {
    let (mut model, team) = (empty(region)?, Team::new(1));
    if !plain {
        let seen = show.captured.iter().cloned().enumerate().step_by(2);
        model.follow(&seen.collect::<Vec<_>>(), &team)?;
    }
    for &frame in show.corrected.iter().take(frames) {
        model.add(frame, &show.captured[frame], &show.truth[frame])?;
    }
    let (mut work, inner) = (model.workspace(1), show.performance.inner());
    // Bad frames and good ones; before and after.
    let (mut sums, mut counts) = ([[0.0; 2]; 2], [0usize; 2]);
    for frame in 0..FRAMES {
        let mut corrected = show.captured[frame].clone();
        model.correct(&mut corrected, &mut work, &team);
        let kind = usize::from(show.performance.is_good(frame));
        counts[kind] += 1;
        for (sum, found) in sums[kind].iter_mut().zip([&show.captured[frame], &corrected]) {
            let off = distances(found, &show.truth[frame], &inner);
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

fn conclude(rows: &[Row]) -> String {
    let of = |part: &str, key: &str| {
        let own = rows.iter().filter(|row| row.name.starts_with(part));
        own.filter_map(|row| row.get(key).as_f64()).fold(f64::NAN, f64::max)
    };
    let slowest = rows.iter().filter_map(|row| row.get("times_faster").as_f64());
    format!(
        "at least {:.0} times as fast per frame as the paper; lips up to {:.0} times better",
        slowest.fold(f64::INFINITY, f64::min),
        of("error/", "times_better"),
    )
}

/// Errors over corrected frames, as Fig. 2.9.
fn draw(rows: &[Row]) -> Figure {
    let series = |method: &str, name: &str| {
        let part = format!("error/{method}/");
        let own: Vec<&Row> = rows.iter().filter(|row| row.name.starts_with(&part)).collect();
        let column =
            |key: &str| own.iter().map(|row| row.get(key).as_f64().unwrap_or(f64::NAN)).collect();
        Series::new(name, column("corrected"), column("error_mm"))
    };
    let captured = rows.iter().find_map(|row| row.get("captured_mm").as_f64()).unwrap_or(f64::NAN);
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
