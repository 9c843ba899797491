//! Sums over the frames of an enrichment, and its report.

use glam::DVec3;
use pliant_enrich::pipeline::Settled;
use pliant_enrich::{Enrichment, FrameReport, Measures};
use serde_json::{Value, json};

use crate::error::ProjectError;

/// Sums over frames.
#[derive(Default)]
pub struct Tally {
    pub frames: usize,
    pub fit_seconds: f64,
    pub step_seconds: f64,
    pub fallbacks: usize,
    fit_rms: f64,
    fit_max: f64,
    inverted: usize,
    untangled: usize,
    penetration: f64,
    /// Rounds and gap of a loop.
    pub closed: Settled,
    steps: u64,
    pub cuts: usize,
    flattened: usize,
}

impl Tally {
    /// Adds a frame.
    pub fn add(&mut self, frame: &FrameReport) {
        self.frames += 1;
        self.fit_seconds += frame.fit_seconds;
        self.step_seconds += frame.step_seconds;
        self.fit_rms += frame.fit.rms;
        self.fit_max = self.fit_max.max(frame.fit.max);
        self.inverted = self.inverted.max(frame.fit.inverted);
        self.untangled = self.untangled.max(frame.fit.untangled);
        self.penetration = self.penetration.max(frame.step.contacts.deepest);
        self.fallbacks += usize::from(frame.step.gave_way());
        self.steps += u64::from(frame.steps);
        self.cuts += usize::from(frame.is_cut);
        self.flattened += usize::from(frame.fit.is_flattened);
    }

    /// All that is known after the frames so far: this, and the state of the enrichment.
    pub fn known(&self, enrichment: &Enrichment, key: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.numbers().into_iter().flat_map(f64::to_le_bytes).collect();
        bytes.extend(enrichment.snapshot(key));
        bytes
    }

    /// Takes an enrichment there; `last` is the input of the last frame done.
    pub fn resume(
        known: &[u8],
        key: u64,
        enrichment: &mut Enrichment,
        last: &[DVec3],
    ) -> Result<Tally, ProjectError> {
        let (numbers, snapshot) = known.split_at_checked(8 * Tally::NUMBERS).unwrap_or_default();
        enrichment.resume(snapshot, key, last)?;
        let number = |b: &[u8]| f64::from_le_bytes(std::array::from_fn(|k| b[k]));
        Ok(Tally::of_numbers(&numbers.chunks_exact(8).map(number).collect::<Vec<f64>>()))
    }

    /// How many numbers it is made of.
    const NUMBERS: usize = 14;

    fn numbers(&self) -> [f64; Tally::NUMBERS] {
        [
            self.frames as f64,
            self.fit_seconds,
            self.step_seconds,
            self.fallbacks as f64,
            self.fit_rms,
            self.fit_max,
            self.inverted as f64,
            self.untangled as f64,
            self.penetration,
            f64::from(self.closed.rounds),
            self.closed.gap,
            self.steps as f64,
            self.cuts as f64,
            self.flattened as f64,
        ]
    }

    /// The same back; what is missing is zero.
    fn of_numbers(numbers: &[f64]) -> Tally {
        let at = |k: usize| numbers.get(k).copied().unwrap_or(0.0);
        Tally {
            frames: at(0) as usize,
            fit_seconds: at(1),
            step_seconds: at(2),
            fallbacks: at(3) as usize,
            fit_rms: at(4),
            fit_max: at(5),
            inverted: at(6) as usize,
            untangled: at(7) as usize,
            penetration: at(8),
            closed: Settled { rounds: at(9) as u32, gap: at(10) },
            steps: at(11) as u64,
            cuts: at(12) as usize,
            flattened: at(13) as usize,
        }
    }

    /// The report of the whole.
    pub fn as_json(
        &self,
        enrichment: &Enrichment,
        measures: &Measures,
        warnings: &[String],
        seconds: f64,
    ) -> Value {
        let frames = self.frames.max(1) as f64;
        let looped = (self.closed.rounds > 0)
            .then(|| json!({ "rounds": self.closed.rounds, "gap": self.closed.gap }));
        json!({
            "frames": self.frames,
            "steps": self.steps,
            "vertices": enrichment.is_exact().len(),
            "tets": enrichment.embedded().solid.tets.len(),
            "exact": enrichment.is_exact().iter().filter(|e| **e).count(),
            "gamma": enrichment.gamma(),
            "follow_error": measures.follow_error,
            "fit_error_mean": self.fit_rms / frames,
            "fit_error_max": self.fit_max,
            "inverted": self.inverted,
            "untangled": self.untangled,
            "flattened": self.flattened,
            "motion_added": measures.motion_added(),
            "motion_most": measures.most_motion,
            "spikes": measures.spikes,
            "max_penetration": self.penetration,
            "loop": looped,
            "seconds": seconds,
            "fit_ms_per_frame": 1e3 * self.fit_seconds / frames,
            "sim_ms_per_frame": 1e3 * self.step_seconds / frames,
            "warnings": warnings,
        })
    }
}
