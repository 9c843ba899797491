//! Times of a model's steps.

use std::time::{Duration, Instant};

use pliant_model::Model;
use pliant_sim::{StepReport, Timings};
use serde_json::Value;

use crate::error::BenchError;
use crate::numbers::{smallest, summary};
use crate::stepper::Stepper;
use crate::suite::{Stop, check};

/// A model, and the reports and times of its steps.
pub struct Timed<'a> {
    /// The model in motion.
    pub stepper: Stepper<'a>,
    /// A report per step.
    pub reports: Vec<StepReport>,
    /// Total energy at the beginning \[J\].
    pub initial: f64,
    /// Milliseconds of every frame.
    frames: Vec<f64>,
    /// Milliseconds before the first step: analysis and factorisation.
    preparation: f64,
}

impl<'a> Timed<'a> {
    /// Prepares a model for steps of `h` seconds. Its boundary conditions must be constant.
    pub fn new(model: &'a Model, h: f64, threads: usize) -> Result<Timed<'a>, BenchError> {
        let clock = Instant::now();
        let mut stepper = Stepper::new(model, h, threads)?;
        let preparation = milliseconds(clock);
        let initial = stepper.energy();
        Ok(Timed { stepper, reports: Vec::new(), initial, frames: Vec::new(), preparation })
    }

    /// Makes frames of `substeps` steps each.
    pub fn run(&mut self, frames: usize, substeps: usize, stop: Stop) -> Result<(), BenchError> {
        for _ in 0..frames {
            let clock = Instant::now();
            for _ in 0..substeps {
                check(stop)?;
                self.reports.push(self.stepper.step());
            }
            self.frames.push(milliseconds(clock));
        }
        Ok(())
    }

    /// Milliseconds per frame without the first, which factors: `{mean, min, median}`.
    pub fn per_frame(&self) -> Value {
        summary(self.frames.get(1..).unwrap_or_default(), &["mean", "min", "median"])
    }

    /// Milliseconds that are spent once: before the first frame, and in it beyond the shortest one.
    pub fn once(&self) -> f64 {
        let first = self.frames.first().map_or(0.0, |first| first - smallest(&self.frames));
        self.preparation + first
    }

    /// Mean of a quantity over all frames but the first, summed over the `substeps` of a frame.
    pub fn mean(&self, substeps: usize, of: impl Fn(&StepReport) -> f64) -> f64 {
        let later = self.reports.get(substeps..).unwrap_or_default();
        later.iter().map(of).sum::<f64>() * substeps as f64 / later.len().max(1) as f64
    }

    /// Milliseconds of a phase in the median frame, summed over the `substeps` of a frame.
    pub fn median(&self, substeps: usize, of: impl Fn(&Timings) -> Duration) -> f64 {
        let later = self.reports.get(substeps..).unwrap_or_default();
        let frame = |reports: &[StepReport]| reports.iter().map(|r| of(&r.timings)).sum();
        let mut frames: Vec<Duration> = later.chunks_exact(substeps).map(frame).collect();
        frames.sort_unstable();
        frames.get(frames.len() / 2).map_or(f64::NAN, |time| 1e3 * time.as_secs_f64())
    }
}

/// Milliseconds since a moment.
pub fn milliseconds(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;
    use pliant_model::{Body, DVec3, ModelBuilder};

    #[test]
    fn frames_are_counted_and_summed() {
        let mesh = shapes::solid_box(DVec3::ONE, [1, 1, 1]).unwrap();
        let cube = Body::solid("cube", mesh, pliant_model::Material::corotated(1e5, 0.3, 1000.0));
        let model = ModelBuilder::new().body(cube).build().unwrap();
        let mut timed = Timed::new(&model, 0.01, 1).unwrap();
        assert_eq!(timed.per_frame(), Value::Null);
        assert!(timed.run(3, 2, &|| false).is_ok());
        assert_eq!(timed.reports.len(), 6);
        assert_eq!(timed.mean(2, |_| 1.0), 2.0);
        assert_eq!(timed.median(2, |_| Duration::from_millis(3)), 6.0);
        let times = timed.per_frame();
        assert!(times["min"].as_f64() <= times["median"].as_f64());
        assert!(timed.run(1, 1, &|| true).is_err_and(|error| error.is_stop()));
    }
}
