//! Sums over the frames of a correction, its table, and its report.

use glam::DVec3;
use pliant_lips::measures::{Errors, Smoothness};
use pliant_lips::{FrameReport, LipModel, Suggester, Suggestion};
use serde_json::{Value, json};

use super::error_map::FrameErrors;

/// Sums over the frames of a correction.
pub struct Tally {
    /// Vertices that a correction may move.
    pub inner: Vec<u32>,
    /// A row per frame.
    pub table: String,
    /// The reports of all frames, in order.
    pub reports: Vec<FrameReport>,
    /// Duration of the corrections \[s\].
    pub seconds: f64,
    /// Before and after.
    smoothness: [Smoothness; 2],
    suggester: Suggester,
    outside_changed: usize,
    /// Sums of means, and maxima, before and after; frames with a truth.
    errors: [(f64, f64); 2],
    judged: usize,
}

impl Tally {
    pub fn new(model: &LipModel) -> Tally {
        let inner = model.region().free_vertices();
        let header = "frame,deformation,unknown,moved,error_before,error,surface_error\n";
        Tally {
            smoothness: [Smoothness::new(inner.clone()), Smoothness::new(inner.clone())],
            inner,
            table: header.to_owned(),
            reports: Vec::new(),
            seconds: 0.0,
            suggester: Suggester::default(),
            outside_changed: 0,
            errors: [(0.0, 0.0); 2],
            judged: 0,
        }
    }

    /// Takes a frame into account.
    pub fn add(
        &mut self,
        frame: usize,
        [captured, corrected]: [&[DVec3]; 2],
        report: FrameReport,
        errors: &FrameErrors,
    ) {
        self.reports.push(report);
        self.suggester.watch(frame, &report);
        let bits = |x: &DVec3| x.to_array().map(f64::to_bits);
        let changed = captured.iter().zip(corrected).zip(0u32..);
        self.outside_changed += changed
            .filter(|((a, b), v)| bits(a) != bits(b) && self.inner.binary_search(v).is_err())
            .count();
        let [before, after] = &mut self.smoothness;
        before.watch(captured);
        after.watch(corrected);
        let off = errors.errors();
        if let Some(off) = off {
            self.judged += 1;
            for (sum, errors) in self.errors.iter_mut().zip(off) {
                *sum = (sum.0 + errors.mean, sum.1.max(errors.max));
            }
        }
        let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:e}"));
        let surface = errors.surface.as_deref().map(|list| Errors::of(list).mean);
        let [before, after] = [0, 1].map(|k| number(off.map(|off| off[k].mean)));
        self.table += &format!(
            "{frame},{:e},{:e},{:e},{before},{after},{}\n",
            report.deformation,
            report.unknown,
            report.moved,
            number(surface),
        );
    }

    /// How far the lips moved at most \[m\].
    pub fn moved(&self) -> f64 {
        self.reports.iter().map(|report| report.moved).fold(0.0, f64::max)
    }

    /// Frames that are not finite and were left alone.
    pub fn skipped(&self) -> usize {
        self.reports.iter().filter(|report| !report.is_finite).count()
    }

    pub fn ms_per_frame(&self) -> f64 {
        1e3 * self.seconds / self.reports.len().max(1) as f64
    }

    pub fn suggestion(&self) -> Option<Suggestion> {
        self.suggester.suggestion()
    }

    /// Mean distances from the truth before and after \[m\], where it is known.
    pub fn mean_errors(&self) -> Option<[f64; 2]> {
        (self.judged > 0).then(|| self.errors.map(|(sum, _)| sum / self.judged as f64))
    }

    /// `FILE.report.json`.
    pub fn as_json(&self, model: &LipModel, train_seconds: f64) -> Value {
        let next = self.suggestion();
        let [captured, corrected] = self.smoothness.each_ref().map(Smoothness::value);
        let known: Vec<usize> = model.samples().iter().map(|sample| sample.frame).collect();
        let error = self.mean_errors().map(|[before, after]| {
            json!({
                "captured": { "mean": before, "max": self.errors[0].1 },
                "corrected": { "mean": after, "max": self.errors[1].1 },
                "times_better": before / after,
            })
        });
        json!({
            "frames": self.reports.len(),
            "ms_per_frame": self.ms_per_frame(),
            "train_seconds": train_seconds,
            "corrected_frames": known,
            "rank": model.rank(),
            "suggest_next": next.map(|s| json!({ "frame": s.frame, "score": s.score })),
            "outside_changed": self.outside_changed,
            "not_finite": self.skipped(),
            "moved_most": self.moved(),
            "smoothness": { "captured": captured, "corrected": corrected },
            "error": error,
        })
    }
}
