//! Steps of a model against the clock.

use std::time::{Duration, Instant};

use pliant::model::{FrameInput, Model};
use pliant::sim::{State, StepReport, Timings, Workspace, measure, step};
use serde_json::{Value, json};

use super::Stop;

/// A model that is stepped, and what its steps took.
pub struct Timed<'a> {
    model: &'a Model,
    workspace: Workspace,
    input: FrameInput,
    /// Where it has come to.
    pub state: State,
    /// Every step's report; of several in one frame, the sums of what is counted and timed.
    pub reports: Vec<StepReport>,
    /// Milliseconds of every frame.
    frames: Vec<f64>,
    /// Milliseconds before the first step could begin: analysis and factorisation.
    setup: f64,
    /// Total energy at the beginning \[J\].
    pub initial: f64,
}

impl<'a> Timed<'a> {
    /// Prepares a model for steps of `h` seconds on so many threads. Nothing may be driven.
    ///
    /// # Errors
    /// A sentence, when the model cannot be solved this way.
    pub fn new(model: &'a Model, h: f64, threads: usize) -> Result<Timed<'a>, String> {
        let clock = Instant::now();
        let mut workspace = Workspace::new(model, threads).map_err(|error| error.to_string())?;
        let setup = milliseconds(clock);
        let mut input = FrameInput { h, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        let state = State::initial(model);
        let initial = measure::kinetic(model.masses(), &state.velocities)
            + workspace.potential_energy(model, &input.start, &state);
        let (reports, frames) = (Vec::new(), Vec::new());
        Ok(Timed { model, workspace, input, state, reports, frames, setup, initial })
    }

    /// Makes frames of some steps each; `false` when asked to stop.
    pub fn run(&mut self, frames: usize, substeps: usize, stop: Stop) -> bool {
        for _ in 0..frames {
            let clock = Instant::now();
            for _ in 0..substeps {
                if stop() {
                    return false;
                }
                let Timed { model, workspace, input, state, reports, .. } = self;
                reports.push(step(model, input, state, workspace));
            }
            self.frames.push(milliseconds(clock));
        }
        true
    }

    /// Milliseconds per frame, without the first, which factors: `{mean, min, median}`.
    pub fn per_frame(&self) -> Value {
        let mut later = self.frames.get(1..).unwrap_or_default().to_vec();
        later.sort_by(f64::total_cmp);
        let Some(&least) = later.first() else { return Value::Null };
        let mean = later.iter().sum::<f64>() / later.len() as f64;
        json!({ "mean": mean, "min": least, "median": later[later.len() / 2] })
    }

    /// Milliseconds that are spent once: before the first step, and in it beyond what one takes.
    pub fn once(&self) -> f64 {
        let least = self.frames.iter().copied().fold(f64::INFINITY, f64::min);
        self.setup + self.frames.first().map_or(0.0, |first| first - least)
    }

    /// The mean of something over all steps of a frame, summed over its `substeps`.
    pub fn mean(&self, substeps: usize, of: impl Fn(&StepReport) -> f64) -> f64 {
        let later = self.reports.get(substeps..).unwrap_or_default();
        later.iter().map(of).sum::<f64>() * substeps as f64 / later.len().max(1) as f64
    }

    /// Milliseconds of something in the median frame, summed over its `substeps`.
    pub fn median(&self, substeps: usize, of: impl Fn(&Timings) -> Duration) -> f64 {
        let later = self.reports.get(substeps..).unwrap_or_default();
        let frame = |reports: &[StepReport]| reports.iter().map(|r| of(&r.timings)).sum();
        let mut frames: Vec<Duration> = later.chunks_exact(substeps).map(frame).collect();
        frames.sort_unstable();
        frames.get(frames.len() / 2).map_or(f64::NAN, |time| 1e3 * time.as_secs_f64())
    }
}

fn milliseconds(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::shapes;
    use pliant::model::{Body, DVec3, ModelBuilder};

    #[test]
    fn frames_are_counted_and_summed() {
        let mesh = shapes::solid_box(DVec3::ONE, [1, 1, 1]).unwrap();
        let cube = Body::solid("cube", mesh, pliant::model::Material::corotated(1e5, 0.3, 1000.0));
        let model = ModelBuilder::new().body(cube).build().unwrap();
        let mut timed = Timed::new(&model, 0.01, 1).unwrap();
        assert_eq!(timed.per_frame(), Value::Null);
        assert!(timed.run(3, 2, &|| false));
        assert_eq!(timed.reports.len(), 6);
        assert_eq!(timed.mean(2, |_| 1.0), 2.0);
        assert_eq!(timed.median(2, |_| Duration::from_millis(3)), 6.0);
        let times = timed.per_frame();
        assert!(times["min"].as_f64() <= times["median"].as_f64());
        assert!(!timed.run(1, 1, &|| true));
    }
}
