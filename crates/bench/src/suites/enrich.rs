//! Enriching: time per frame to fit and to simulate, on stand-ins of the sizes in Table 1 of Li, Xu
//! and Barbič 2016, who had twelve cores.
//!
//! The puppets walk, fly, stamp and wither with the same free parts as in the demos. The head
//! talks, the inside of its mouth hidden, and is only fitted, as in the paper. Bodies touch
//! themselves and the ground.

use std::path::Path;

use pliant_enrich::{FrameReport, Project};
use pliant_io::AnimationOptions;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, Resolution, TetOptions, tetrahedralise};
use pliant_project::enrichment::{Prepared, prepare};
use pliant_project::folder::within;
use pliant_project::source::{FrameRange, Sequence, Source};
use pliant_project::{ProjectError, demo};
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::numbers::{mean, smallest, summary};
use crate::suite::{Entry, Stop, Suite, Values, check};
use crate::table::{Column, Row, numbers};

/// Frames that are timed, after the first.
const FRAMES: usize = 40;

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
        Column::fixed("vertices", "vertices", 0),
        Column::fixed("tets", "tets", 0),
        Column::fixed("paper_tets", "paper", 0),
        Column::fixed("free_tets", "free", 0),
        Column::fixed("fit_ms_per_frame", "fit [ms]", 2),
        Column::fixed("fit_iterations", "iterations", 1),
        Column::fixed("paper_fit_ms", "paper", 1),
        Column::fixed("fit_times_faster", "× paper", 1),
        Column::fixed("sim_ms_per_frame", "contact [ms]", 2),
        Column::fixed("paper_sim_ms", "paper", 1),
        Column::fixed("sim_times_faster", "× paper", 1),
        Column::fixed("plain_sim_ms_per_frame", "without [ms]", 2),
        Column::REASON,
    ],
    entries,
    conclude,
    ..Suite::ONE_AT_A_TIME
};

fn entries(threads: usize) -> Vec<Entry> {
    let entry =
        |body: &'static Body| Entry::new(body.name, move |stop| measure(body, threads, stop));
    BODIES.iter().map(entry).collect()
}

fn measure(body: &Body, threads: usize, stop: Stop) -> Result<Values, BenchError> {
    let mut project = demo_project(body.name)?;
    let (written, rest) = skin(body.name, body.vertices)?;
    project.input = written;
    project.resolution = Some(resolution(&rest, body.tets, threads)?);
    project.is_loop = false;
    let simulates = body.sim.is_some();
    let plain = Clip::run(&project, simulates, threads, stop)?;
    let spread = |times: &[f64]| summary(times, &["min", "median", "max"]);
    let fit = mean(&plain.fit);
    let mut values = vec![
        ("vertices", json!(rest.positions.len())),
        ("tets", json!(plain.tets)),
        ("paper_vertices", json!(body.vertices)),
        ("paper_tets", json!(body.tets)),
        ("free_tets", if simulates { json!(plain.free_tets) } else { Value::Null }),
        ("fit_ms_per_frame", json!(fit)),
        ("fit_ms", spread(&plain.fit)),
        ("fit_iterations", json!(mean(&plain.iterations))),
        ("paper_fit_ms", json!(body.fit)),
        ("fit_times_faster", json!(body.fit / fit)),
    ];
    if let Some(paper) = body.sim {
        project.gamma = Some(plain.gamma);
        project.touches_itself = true;
        project.ground = rest.bounds().map(|b| b.min.y);
        let contact = Clip::run(&project, true, threads, stop)?;
        let sim = mean(&contact.sim);
        values.extend([
            ("sim_ms_per_frame", json!(sim)),
            ("sim_ms", spread(&contact.sim)),
            ("paper_sim_ms", json!(paper)),
            ("sim_times_faster", json!(paper / sim)),
            ("plain_sim_ms_per_frame", json!(mean(&plain.sim))),
            ("plain_sim_ms", spread(&plain.sim)),
        ]);
    }
    Ok(values)
}

/// The demo's project: its free parts and their material.
fn demo_project(name: &'static str) -> Result<Project, BenchError> {
    let demo = if name == "head" { "talking-head" } else { name };
    let found = demo::project(demo).ok_or(BenchError::NoDemo(demo))?;
    Ok(Project::parse(found.map_err(ProjectError::from)?.text)?)
}

/// A puppet of about `vertices` vertices: its name for [`Source::open`], and its mesh.
fn skin(name: &str, vertices: usize) -> Result<(String, Mesh), BenchError> {
    closest(vertices, 64.0, [8.0, 250.0], 2.0, |cells| {
        let written = format!("puppet:{name}:{cells:.0}");
        let rest = Source::open(&written, AnimationOptions::default())?.rest().clone();
        Ok((rest.positions.len(), (written, rest)))
    })
}

/// Cells along the longest side that fill a surface with about `tets` tets.
fn resolution(surface: &Mesh, tets: usize, threads: usize) -> Result<u32, BenchError> {
    // Inner cells are larger, so that the number of tets grows more slowly than that of cells.
    const GROWTH: f64 = 2.4;
    let team = Team::new(threads);
    closest(tets, 24.0, [4.0, 200.0], GROWTH, |cells| {
        let resolution = Resolution::Cells(cells as u32);
        let options = TetOptions { resolution, ..TetOptions::default() };
        let filled = tetrahedralise(surface, &options, &team)?;
        Ok((filled.solid.tets.len(), cells as u32))
    })
}

/// The result whose number of elements is closest to `wanted`, after a few tries. `make` gets a
/// resolution and returns the number, which grows with about the power `growth` of the resolution.
fn closest<T>(
    wanted: usize,
    start: f64,
    [least, most]: [f64; 2],
    growth: f64,
    mut make: impl FnMut(f64) -> Result<(usize, T), BenchError>,
) -> Result<T, BenchError> {
    const TRIES: usize = 5;
    const NEAR: f64 = 0.03;
    let mut cells = start;
    let (mut count, mut best) = make(cells)?;
    let off = |count: usize| (wanted as f64 / count as f64).ln().abs();
    let mut least_off = off(count);
    for _ in 1..TRIES {
        let ratio = wanted as f64 / count as f64;
        let next = (cells * ratio.powf(1.0 / growth)).round().clamp(least, most);
        if off(count) < NEAR || next == cells {
            break;
        }
        cells = next;
        let (found, result) = make(cells)?;
        count = found;
        if off(count) < least_off {
            (least_off, best) = (off(count), result);
        }
    }
    Ok(best)
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
    ) -> Result<Clip, BenchError> {
        let source = Source::open(&project.input, AnimationOptions::default())?;
        let mut input = Sequence::of(source, FrameRange::ALL)?;
        let Prepared { mut enrichment, .. } =
            prepare(project, &within(Path::new("")), &mut input, threads)?;
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
        // A performance that is only fitted gives frames from all of it.
        let stride = if simulates { 1 } else { (input.frames() / (FRAMES + 1)).max(1) };
        for k in 0..=FRAMES.min((input.frames() - 1) / stride) {
            check(stop)?;
            let mut frame = input.frame(k * stride)?;
            let next = input.frame((k + 1) * stride)?;
            let report = enrichment.frame(&mut frame, Some(&next));
            if k > 0 {
                clip.add(&report);
            }
        }
        Ok(clip)
    }

    fn add(&mut self, frame: &FrameReport) {
        self.fit.push(1e3 * frame.fit_seconds);
        self.sim.push(1e3 * frame.step_seconds);
        self.iterations.push(f64::from(frame.fit.iterations));
    }
}

fn conclude(rows: &[Row]) -> String {
    let least = |key: &str| match smallest(&numbers(rows, "", key)) {
        least if least.is_finite() => format!("at least {least:.1} times"),
        _ => "not".to_owned(),
    };
    format!(
        "fitted {} as fast as the paper, simulated with contact {}",
        least("fit_times_faster"),
        least("sim_times_faster")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_have_about_the_papers_sizes() {
        let (written, rest) = skin("sumo", 4000).unwrap();
        assert!(written.starts_with("puppet:sumo:"));
        assert!((3500..4500).contains(&rest.positions.len()), "{}", rest.positions.len());
        let cells = resolution(&rest, 4000, 2).unwrap();
        assert!((8..40).contains(&cells), "{cells}");
    }
}
