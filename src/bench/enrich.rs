//! Enriching: how long a frame takes to fit and to simulate, on stand-ins of the sizes in Table 1 of Li, Xu
//! and Barbič 2016, who had twelve cores.
//!
//! The puppets walk, fly, stamp and wither with the same parts free as in the demos; the head talks, its
//! mouth's inside hidden, and is only fitted, as theirs was. Bodies touch themselves and the ground.

use std::path::Path;

use pliant::demos;
use pliant::enrich::{FrameReport, Project};
use pliant::io::AnimationOptions;
use pliant::math::team::Team;
use pliant::mesh::{Mesh, Resolution, TetOptions, tetrahedralise};
use serde_json::{Value, json};

use super::{Column, Entry, Row, Stop, Style, Suite, Values};
use crate::animation::Source;
use crate::arguments::{FrameRange, Options};
use crate::enrichment;
use crate::failure::Failure;
use crate::sequence::Sequence;

/// Frames that are timed, after the first.
const FRAMES: usize = 40;
/// Tries to come near a number of vertices or tets.
const TRIES: usize = 5;
/// Of the number: near enough.
const NEAR: f64 = 0.03;

/// A column of the paper's table: sizes, and times per frame \[ms\].
struct Body {
    name: &'static str,
    vertices: usize,
    tets: usize,
    fit: f64,
    sim: Option<f64>,
}

const BODIES: [Body; 5] = [
    Body { name: "elephant", vertices: 8400, tets: 14_942, fit: 540.0, sim: Some(8370.0) },
    Body { name: "dragon", vertices: 25_002, tets: 5387, fit: 110.0, sim: Some(680.0) },
    Body { name: "head", vertices: 25_600, tets: 18_391, fit: 1350.0, sim: None },
    Body { name: "sumo", vertices: 15_482, tets: 7767, fit: 240.0, sim: Some(300.0) },
    Body { name: "plant", vertices: 961, tets: 413, fit: 24.0, sim: Some(5.8) },
];

/// The suite.
pub const SUITE: Suite = Suite {
    name: "enrich",
    about: "enriching animations: fitting and simulating a frame, beside the paper's times",
    columns: &[
        Column { key: "vertices", heading: "vertices", style: Style::Fixed(0) },
        Column { key: "tets", heading: "tets", style: Style::Fixed(0) },
        Column { key: "paper_vertices", heading: "", style: Style::Hidden },
        Column { key: "paper_tets", heading: "paper", style: Style::Fixed(0) },
        Column { key: "free_tets", heading: "free", style: Style::Fixed(0) },
        Column { key: "fit_ms_per_frame", heading: "fit [ms]", style: Style::Fixed(2) },
        Column { key: "fit_ms", heading: "", style: Style::Hidden },
        Column { key: "fit_iterations", heading: "iterations", style: Style::Fixed(1) },
        Column { key: "paper_fit_ms", heading: "paper", style: Style::Fixed(1) },
        Column { key: "fit_times_faster", heading: "× paper", style: Style::Fixed(1) },
        Column { key: "sim_ms_per_frame", heading: "contact [ms]", style: Style::Fixed(2) },
        Column { key: "sim_ms", heading: "", style: Style::Hidden },
        Column { key: "paper_sim_ms", heading: "paper", style: Style::Fixed(1) },
        Column { key: "sim_times_faster", heading: "× paper", style: Style::Fixed(1) },
        Column { key: "plain_sim_ms_per_frame", heading: "without [ms]", style: Style::Fixed(2) },
        Column { key: "plain_sim_ms", heading: "", style: Style::Hidden },
        Column { key: "reason", heading: "", style: Style::Words },
    ],
    entries,
    conclude,
    figure: None,
    one_at_a_time: true,
    last_row: None,
};

fn entries(threads: usize) -> Vec<Entry> {
    let entry = |body: &'static Body| {
        Entry::new(body.name.to_owned(), move |stop: Stop<'_>| measure(body, threads, stop))
    };
    BODIES.iter().map(entry).collect()
}

fn measure(body: &Body, threads: usize, stop: Stop) -> Result<Option<Values>, Failure> {
    let mut project = project(body.name)?;
    let (written, rest) = skin(body.name, body.vertices)?;
    project.input = written;
    project.resolution = Some(resolution(&rest, body.tets, threads)?);
    project.is_loop = false;
    let simulates = body.sim.is_some();
    let plain = Clip::run(&project, simulates, threads, stop)?;
    let Some(plain) = plain else { return Ok(None) };
    let mut values = vec![
        ("vertices", json!(rest.positions.len())),
        ("tets", json!(plain.tets)),
        ("paper_vertices", json!(body.vertices)),
        ("paper_tets", json!(body.tets)),
        ("free_tets", if simulates { json!(plain.free_tets) } else { Value::Null }),
    ];
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    let fit = mean(&plain.fit);
    values.extend([
        ("fit_ms_per_frame", json!(fit)),
        ("fit_ms", spread(&plain.fit)),
        ("fit_iterations", json!(mean(&plain.iterations))),
        ("paper_fit_ms", json!(body.fit)),
        ("fit_times_faster", json!(body.fit / fit)),
    ]);
    if let Some(paper) = body.sim {
        project.gamma = Some(plain.gamma);
        project.touches_itself = true;
        project.ground = rest.bounds().map(|b| b.min.y);
        let Some(touching) = Clip::run(&project, true, threads, stop)? else { return Ok(None) };
        let sim = mean(&touching.sim);
        values.extend([
            ("sim_ms_per_frame", json!(sim)),
            ("sim_ms", spread(&touching.sim)),
            ("paper_sim_ms", json!(paper)),
            ("sim_times_faster", json!(paper / sim)),
            ("plain_sim_ms_per_frame", json!(mean(&plain.sim))),
            ("plain_sim_ms", spread(&plain.sim)),
        ]);
    }
    Ok(Some(values))
}

/// The demo's project: which parts are free, and of what they are made.
fn project(name: &str) -> Result<Project, Failure> {
    let demo = if name == "head" { "talking-head" } else { name };
    let fail = |error: String| Failure::new(format!("demo {demo}: {error}"));
    let found = demos::project(demo).ok_or_else(|| fail("there is none".to_owned()))?;
    let text = found.map_err(|error| Failure::new(error.to_string()))?.text;
    Project::parse(text).map_err(|error| fail(error.to_string()))
}

/// A puppet with about so many vertices: what to write for it, and its mesh.
fn skin(name: &str, vertices: usize) -> Result<(String, Mesh), Failure> {
    let mut cells = 64.0;
    let mut best: Option<(f64, String, Mesh)> = None;
    for _ in 0..TRIES {
        let written = format!("puppet:{name}:{cells:.0}");
        let rest = Source::open(&written, AnimationOptions::default())?.rest().clone();
        let ratio = vertices as f64 / rest.positions.len() as f64;
        if best.as_ref().is_none_or(|(off, ..)| ratio.ln().abs() < *off) {
            best = Some((ratio.ln().abs(), written, rest));
        }
        let next = (cells * ratio.sqrt()).round().clamp(8.0, 250.0);
        if ratio.ln().abs() < NEAR || next == cells {
            break;
        }
        cells = next;
    }
    best.map(|(_, written, rest)| (written, rest))
        .ok_or_else(|| Failure::new(format!("there is no skin for {name}")))
}

/// Cells along the longest side that fill a surface with about so many tets.
fn resolution(surface: &Mesh, tets: usize, threads: usize) -> Result<u32, Failure> {
    // Cells grow inwards, so that tets grow more slowly in number than cells.
    const GROWTH: f64 = 2.4;
    let team = Team::new(threads);
    let (mut cells, mut best) = (24.0f64, (f64::INFINITY, 24));
    for _ in 0..TRIES {
        let options =
            TetOptions { resolution: Resolution::Cells(cells as u32), ..TetOptions::default() };
        let filled = tetrahedralise(surface, &options, &team)
            .map_err(|error| Failure::new(error.to_string()))?;
        let ratio = tets as f64 / filled.solid.tets.len() as f64;
        if ratio.ln().abs() < best.0 {
            best = (ratio.ln().abs(), cells as u32);
        }
        let next = (cells * ratio.powf(1.0 / GROWTH)).round().clamp(4.0, 200.0);
        if ratio.ln().abs() < NEAR || next == cells {
            break;
        }
        cells = next;
    }
    Ok(best.1)
}

/// Some frames of a project, timed.
struct Clip {
    tets: usize,
    free_tets: usize,
    gamma: f64,
    /// Milliseconds of every frame.
    fit: Vec<f64>,
    sim: Vec<f64>,
    iterations: Vec<f64>,
}

impl Clip {
    fn run(
        project: &Project,
        simulates: bool,
        threads: usize,
        stop: Stop,
    ) -> Result<Option<Clip>, Failure> {
        let source = Source::open(&project.input, AnimationOptions::default())?;
        let mut input = Sequence::of(source, FrameRange::ALL)?;
        let options = Options::quiet(threads);
        let prepared = enrichment::prepare(project, Path::new(""), &mut input, &options)?;
        let mut enrichment = prepared.enrichment;
        let solid = &enrichment.embedded().solid;
        let mut is_exact = vec![false; solid.positions.len()];
        enrichment.following().exact.iter().for_each(|&v| is_exact[v as usize] = true);
        let is_free = |tet: &&[u32; 4]| tet.iter().any(|&v| !is_exact[v as usize]);
        let mut clip = Clip {
            tets: solid.tets.len(),
            free_tets: solid.tets.iter().filter(is_free).count(),
            gamma: enrichment.gamma(),
            fit: Vec::new(),
            sim: Vec::new(),
            iterations: Vec::new(),
        };
        // Where a performance is only fitted, frames that differ are taken from all of it.
        let stride = if simulates { 1 } else { (input.len() / (FRAMES + 1)).max(1) };
        for k in 0..=FRAMES.min((input.len() - 1) / stride) {
            if stop() {
                return Ok(None);
            }
            let mut frame = input.frame(k * stride)?;
            let next = input.frame((k + 1) * stride)?;
            let report = enrichment.frame(&mut frame, Some(&next));
            if k > 0 {
                clip.add(&report);
            }
        }
        Ok(Some(clip))
    }

    fn add(&mut self, frame: &FrameReport) {
        self.fit.push(1e3 * frame.fit_seconds);
        self.sim.push(1e3 * frame.step_seconds);
        self.iterations.push(f64::from(frame.fit.iterations));
    }
}

/// `{min, median, max}` of some times.
fn spread(times: &[f64]) -> Value {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some((min, max)) = sorted.first().zip(sorted.last()) else { return Value::Null };
    json!({ "min": min, "median": sorted[sorted.len() / 2], "max": max })
}

fn conclude(rows: &[Row]) -> String {
    let least = |key: &str| {
        let times = rows.iter().filter_map(|row| row.get(key).as_f64());
        times.fold(f64::INFINITY, f64::min)
    };
    let said = |key: &str| match least(key) {
        least if least.is_finite() => format!("at least {least:.1} times"),
        _ => "not".to_owned(),
    };
    format!(
        "fitted {} as fast as the paper, simulated with contact {}",
        said("fit_times_faster"),
        said("sim_times_faster")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_have_about_the_papers_sizes() {
        let body = &BODIES[4];
        let (written, rest) = skin("sumo", 4000).unwrap();
        assert!(written.starts_with("puppet:sumo:"));
        assert!((3500..4500).contains(&rest.positions.len()), "{}", rest.positions.len());
        let cells = resolution(&rest, 4000, 2).unwrap();
        assert!((8..40).contains(&cells), "{cells}");
        assert_eq!((body.vertices, body.tets), (961, 413));
    }
}
