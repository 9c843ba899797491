//! Tables and report of a performance, filled frame by frame.

use std::fmt::Write;
use std::time::Duration;

use crate::scene::{COLUMNS, MetricsRow};
use pliant_face::{AnimatedFrame, FaceModel, Penetration};
use pliant_sim::Energy;
use serde_json::{Value, json};

/// Sums over frames, and a line per frame.
#[derive(Default)]
pub struct Record {
    pub done: usize,
    seconds: f64,
    fallbacks: u32,
    /// How deep lips were in teeth and each other as they are shown, the same of the flesh under
    /// them, and how deep skin was in things (m).
    deepest: [f64; 3],
    /// Vertices of lips that were, in the worst frame.
    inside: u32,
    area: f64,
    bulge: f64,
    /// Sum of squared skin speeds \[m²/s²\].
    speeds: f64,
    exploded: bool,
    pub strains: String,
    pub metrics: String,
}

impl Record {
    /// How many numbers it is made of.
    const NUMBERS: usize = 11;

    /// The record of a face before the first frame.
    pub fn new(face: &FaceModel) -> Record {
        let mut strains = String::from("frame");
        face.muscles.iter().for_each(|muscle| strains.extend([",", &muscle.name]));
        strains.push('\n');
        let metrics = format!("{},rms_skin_speed,contact_area_cm2\n", COLUMNS.join(","));
        Record { strains, metrics, ..Record::default() }
    }

    /// Adds a frame that took so long, with lips in what they should not be in.
    pub fn add(&mut self, frame: &AnimatedFrame, lips: Penetration, fps: f64, took: Duration) {
        let report = &frame.report;
        self.seconds += took.as_secs_f64();
        self.fallbacks += report.fallbacks;
        let depths = [lips.deepest, report.max_penetration, report.max_depth_in_things];
        self.deepest.iter_mut().zip(depths).for_each(|(most, depth)| *most = most.max(depth));
        self.inside = self.inside.max(lips.inside);
        self.area = self.area.max(report.contact_area);
        self.bulge = self.bulge.max(report.bulge);
        self.speeds += report.rms_skin_speed * report.rms_skin_speed;
        self.exploded |= frame.skin.iter().any(|p| !p.is_finite());
        let _ = write!(self.strains, "{}", self.done);
        frame.strains.iter().for_each(|s| _ = write!(self.strains, ",{s:.5}"));
        self.strains.push('\n');
        let row = MetricsRow {
            step: self.done as u64 + 1,
            time: self.done as f64 / fps,
            energy: Energy { kinetic: report.kinetic, potential: report.energy - report.kinetic },
            target: report.account,
            added: report.added,
            dissipated: report.dissipated,
            momentum: report.momentum,
            iterations: report.iterations,
            residual: report.residual,
            correction_iterations: report.corrections,
            fallback: report.fallbacks > 0,
            given_way: [f64::NAN; 2],
            contacts: report.contacts,
            max_penetration: report.max_penetration.max(report.max_depth_in_things),
            step_ms: 1e3 * took.as_secs_f64(),
            correction_ms: 1e3 * report.correction_seconds,
        };
        let (speed, area) = (report.rms_skin_speed, 1e4 * report.contact_area);
        let _ = writeln!(self.metrics, "{},{speed:e},{area:.4}", row.to_line().trim_end());
        self.done += 1;
    }

    pub fn ms_per_frame(&self) -> f64 {
        1e3 * self.seconds / self.done.max(1) as f64
    }

    /// `FILE.report.json`.
    pub fn summary(&self) -> Value {
        json!({
            "frames": self.done,
            "ms_per_frame": self.ms_per_frame(),
            "max_lip_penetration_mm": 1e3 * self.deepest[0],
            "max_flesh_penetration_mm": 1e3 * self.deepest[1],
            "max_object_penetration_mm": 1e3 * self.deepest[2],
            "most_lip_vertices_inside": self.inside,
            "contact_area_cm2": 1e4 * self.area,
            "bulge_mm": 1e3 * self.bulge,
            "rms_skin_speed": (self.speeds / self.done.max(1) as f64).sqrt(),
            "fallbacks": self.fallbacks,
            "exploded": self.exploded,
        })
    }

    /// All of it, for a snapshot.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers: [f64; Record::NUMBERS] = [
            self.done as f64,
            self.seconds,
            f64::from(self.fallbacks),
            self.deepest[0],
            self.deepest[1],
            self.area,
            self.speeds,
            f64::from(u8::from(self.exploded)),
            self.bulge,
            self.deepest[2],
            f64::from(self.inside),
        ];
        let mut bytes: Vec<u8> = numbers.into_iter().flat_map(f64::to_le_bytes).collect();
        for text in [&self.strains, &self.metrics] {
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes
    }

    /// The same back, and what follows it; `None` if it is not there.
    pub fn of_bytes(bytes: &[u8]) -> Option<(Record, &[u8])> {
        let (numbers, mut rest) = bytes.split_at_checked(8 * Record::NUMBERS)?;
        let mut texts = [String::new(), String::new()];
        for text in &mut texts {
            let (length, after) = rest.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (own, after) = after.split_at_checked(length)?;
            *text = String::from_utf8(own.to_vec()).ok()?;
            rest = after;
        }
        let at = |k: usize| f64::from_le_bytes(std::array::from_fn(|b| numbers[8 * k + b]));
        let [strains, metrics] = texts;
        let record = Record {
            done: at(0) as usize,
            seconds: at(1),
            fallbacks: at(2) as u32,
            deepest: [at(3), at(4), at(9)],
            inside: at(10) as u32,
            area: at(5),
            speeds: at(6),
            exploded: at(7) != 0.0,
            bulge: at(8),
            strains,
            metrics,
        };
        Some((record, rest))
    }
}
