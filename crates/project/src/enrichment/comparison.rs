//! The other methods of a project's `[compare]`, over the same frames.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_enrich::comparison::{Method, SurfaceArap, gamma_of_distance};
use pliant_enrich::report::CompletionError;
use pliant_enrich::{Enrichment, FitOptions, Measures, Project, gamma};
use pliant_io::AnimationWriter;
use pliant_view::plot::{Figure, Panel, Series};
use serde_json::{Value, json};

use super::prepare::{Prepared, close_loop, prepare};
use crate::driver::Watch;
use crate::error::ProjectError;
use crate::folder::within;
use crate::path::with_infix;
use crate::source::Sequence;

/// Quite different poses that a fit is made as close as another's at.
const POSES: usize = 4;

/// The result of one method.
pub struct Comparison {
    /// In words, for a picture.
    pub label: String,
    /// The animation that was written.
    pub path: PathBuf,
    /// The frames that are shown.
    pub poses: Vec<Vec<DVec3>>,
    pub measures: Measures,
    /// Errors of the completed vertices, if some vertices are not tracked.
    pub hidden: Option<CompletionError>,
}

impl Comparison {
    /// In a line; `own` is what the paper's method made of what is hidden.
    pub fn line(&self, method: Method, own: Option<&CompletionError>) -> String {
        let name = method.name();
        let moved = 100.0 * self.measures.motion_added();
        let spikes = self.measures.spikes;
        match (&self.hidden, own) {
            (Some(hidden), Some(own)) => format!(
                "{name}: what is hidden is {:.3e} off on average and crosses itself {} times; \
                 enriched {:.3e} and {}",
                hidden.mean(),
                hidden.crossings,
                own.mean(),
                own.crossings
            ),
            _ => format!("{name}: {moved:.2} % of its size away on average, {spikes} spikes"),
        }
    }

    /// In numbers.
    pub fn as_json(&self, method: Method) -> Value {
        json!({
            "method": method.name(),
            "motion_added": self.measures.motion_added(),
            "motion_most": self.measures.most_motion,
            "spikes": self.measures.spikes,
            "hidden": hidden_json(self.hidden.as_ref()),
        })
    }
}

/// How far what is not tracked is from the input, which may have it all the same.
pub fn hidden_json(hidden: Option<&CompletionError>) -> Value {
    hidden.map_or(Value::Null, |hidden| {
        json!({
            "vertices": hidden.count(),
            "error_mean": hidden.mean(),
            "error_max": hidden.max,
            "crossings": hidden.crossings,
        })
    })
}

/// The enrichment that other methods are compared with.
pub struct Own<'a> {
    pub project: &'a Project,
    pub folder: &'a Path,
    pub enrichment: &'a Enrichment,
    pub out: &'a Path,
    /// The frames that are shown.
    pub places: &'a [usize],
}

/// Takes all frames through another method, into a file beside the output.
pub fn run(
    method: Method,
    own: &Own<'_>,
    input: &mut Sequence,
    (threads, watch): (usize, &mut Watch<'_>),
) -> Result<Comparison, ProjectError> {
    let mut way = match method {
        Method::Arap => {
            let rest = input.source.rest().clone();
            let tracked = own.enrichment.tracked();
            Way::Surface(Box::new(SurfaceArap::new(&rest, &tracked, threads)?))
        }
        _ => {
            let mut project = own.project.clone();
            method.change(&mut project);
            project.gamma = Some(own.enrichment.gamma());
            if method == Method::Corotated {
                project.gamma = Some(equal_gamma(own, &project, input, threads)?);
            }
            let mut prepared = prepare(&project, &within(own.folder), input, threads)?;
            if project.is_loop {
                close_loop(&mut prepared.enrichment, input)?;
            }
            Way::Enriched(Box::new(prepared))
        }
    };
    let path = with_infix(own.out, method.name());
    let count = input.frames();
    let loaded = input.source.loaded().clone();
    let mut measures = Measures::new(&loaded.mesh);
    let mut hidden = CompletionError::new(&loaded.mesh, &own.enrichment.tracked());
    let mut poses = Vec::new();
    let mut writer = AnimationWriter::create(&path, loaded, input.source.fps(), count)?;
    for k in 0..count {
        let frame = input.frame(k)?;
        let next = input.frame((k + 1).min(count - 1))?;
        let mut output = frame.clone();
        way.frame(&mut output, (k + 1 < count).then_some(&next[..]));
        measures.add(&frame, &output, own.enrichment.is_exact());
        let is_shown = own.places.contains(&k);
        if let Some(hidden) = &mut hidden {
            hidden.add(&frame, &output, is_shown);
        }
        writer.write_frame(&output)?;
        if is_shown {
            poses.push(output);
        }
        if watch.progress(method.name(), k + 1, count) && k + 1 < count {
            return Err(ProjectError::Stopped(format!(
                "{} is complete, but the methods that it is compared with are not",
                own.out.display()
            )));
        }
    }
    writer.finish()?;
    Ok(Comparison { label: method.label().to_owned(), path, poses, measures, hidden })
}

/// How frames are made.
enum Way {
    Enriched(Box<Prepared>),
    Surface(Box<SurfaceArap>),
}

impl Way {
    fn frame(&mut self, frame: &mut [DVec3], next: Option<&[DVec3]>) {
        match self {
            Way::Enriched(prepared) => drop(prepared.enrichment.frame(frame, next)),
            Way::Surface(surface) => surface.complete(frame),
        }
    }
}

/// γ with which another energy is as far from the input as the own.
fn equal_gamma(
    own: &Own<'_>,
    project: &Project,
    input: &mut Sequence,
    threads: usize,
) -> Result<f64, ProjectError> {
    let count = input.frames();
    let mut frames = Vec::new();
    for k in 0..count {
        frames.push(input.frame(k)?);
    }
    let chosen = gamma::diverse_poses(&frames, POSES);
    let frames: Vec<Vec<DVec3>> = chosen.into_iter().map(|k| frames[k].clone()).collect();
    let (bound, tracked) = (own.enrichment.embedded(), own.enrichment.tracked());
    let usual = FitOptions { gamma: own.enrichment.gamma(), ..FitOptions::default() };
    let mut fitting = pliant_enrich::Fitting::new(bound, &tracked, &usual, threads)?;
    let mut solid = bound.solid.positions.clone();
    let sum: f64 = frames.iter().map(|frame| fitting.fit(frame, &mut solid).rms).sum();
    let distance = sum / frames.len().max(1) as f64;
    let other = FitOptions { model: project.fit_model, ..usual };
    Ok(gamma_of_distance(bound, &tracked, &frames, &other, distance, threads)?)
}

/// Distances from the input over time, a line per method (Fig. 15).
pub fn figure(fps: f64, outcomes: &[(&str, &Measures)]) -> Figure {
    let series = |(label, measures): &(&str, &Measures)| {
        let per_frame = measures.per_frame();
        let times = (0..per_frame.len()).map(|k| k as f64 / fps).collect();
        Series::new((*label).to_owned(), times, per_frame.to_vec())
    };
    Figure {
        title: String::new(),
        panels: vec![Panel {
            title: "Motion added".to_owned(),
            x_label: "time [s]".to_owned(),
            y_label: "rms distance from the input, of its size".to_owned(),
            series: outcomes.iter().map(series).collect(),
            ..Panel::default()
        }],
        columns: 1,
    }
}
