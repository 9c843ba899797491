//! A performance under way: frame after frame, and the files that come of it.

use std::path::Path;
use std::time::Instant;

use pliant_face::{Animator, Ensemble, LipGauge, Performance};
use pliant_io::Loaded;
use pliant_io::atomic::write_whole;
use serde_json::{Value, json};

use super::PerformanceReport;
use super::record::Record;
use crate::driver::{Place, Watch, Work};
use crate::error::ProjectError;
use crate::frame_store::FrameStore;
use crate::path::beside;
use crate::saved::write_animation;

/// Endings of the files beside the animation: the report, contractions and metrics per frame.
pub const TABLES: [&str; 3] = [".report.json", ".strains.csv", ".metrics.csv"];

/// A performance under way.
pub struct PerformanceRun<'a> {
    pub output: &'a Path,
    pub key: u64,
    /// `None` until the outputs are begun or resumed.
    pub store: Option<FrameStore>,
    pub record: Record,
    pub gauge: LipGauge<'a>,
    pub performance: &'a Performance,
    pub animator: Animator<'a>,
    pub ensemble: Ensemble<'a>,
}

impl PerformanceRun<'_> {
    fn store(&mut self) -> Result<&mut FrameStore, ProjectError> {
        FrameStore::begun(&mut self.store)
    }

    fn points(&self) -> usize {
        self.ensemble.rest.mesh.positions.len()
    }

    /// Writes the frames that are done, and all tables.
    fn write(&mut self) -> Result<Value, ProjectError> {
        let rest = Loaded {
            mesh: self.ensemble.rest.mesh.clone(),
            polygons: self.ensemble.rest.polygons.clone(),
            attributes: self.ensemble.rest.attributes.clone(),
            notes: Vec::new(),
        };
        let (fps, done) = (self.performance.fps, self.record.done);
        write_animation(self.output, rest, fps, done, |k| self.store()?.frame(k))?;
        let mut summary = self.record.summary();
        if let [asked, gained] = self.animator.simulation().growth().map(|volume| 1e6 * volume)
            && asked != 0.0
        {
            summary["growth_asked_cm3"] = json!(asked);
            summary["growth_cm3"] = json!(gained);
        }
        let [report, strains, metrics] = TABLES.map(|ending| beside(self.output, ending));
        write_whole(&report, format!("{summary:#}\n").as_bytes())?;
        write_whole(&strains, self.record.strains.as_bytes())?;
        write_whole(&metrics, self.record.metrics.as_bytes())?;
        Ok(summary)
    }
}

impl Work for PerformanceRun<'_> {
    type Report = PerformanceReport;
    const UNIT: &'static str = "frames";

    fn place(&self) -> Place {
        let (output, snapshot) = (self.output.to_owned(), FrameStore::snapshot_path(self.output));
        Place { output, snapshot, key: self.key }
    }

    fn total(&self) -> usize {
        self.performance.frames.len()
    }

    fn done(&self) -> usize {
        self.record.done
    }

    fn begin(&mut self, _watch: &mut Watch<'_>) -> Result<(), ProjectError> {
        self.store = Some(FrameStore::create(self.output, self.points())?);
        Ok(())
    }

    fn restore(&mut self, done: usize, state: &[u8]) -> Result<(), ProjectError> {
        let (record, state) = Record::of_bytes(state)
            .filter(|(record, _)| record.done == done && done <= self.total())
            .ok_or_else(|| ProjectError::Snapshot {
                path: FrameStore::snapshot_path(self.output),
                problem: "is not a complete snapshot".to_owned(),
            })?;
        self.animator.resume(state, self.key)?;
        self.record = record;
        self.store = Some(FrameStore::resume(self.output, self.points(), done)?);
        Ok(())
    }

    fn step(&mut self) -> Result<(), ProjectError> {
        let clock = Instant::now();
        let animated = self.animator.frame(&self.performance.frames[self.record.done]);
        let took = clock.elapsed();
        let lips = self.gauge.shown(&animated, &self.animator.simulation().positions());
        self.record.add(&animated, lips, self.performance.fps, took);
        let shown = self.ensemble.at(&animated);
        self.store()?.add(&shown)
    }

    fn snapshot(&mut self) -> Result<Vec<u8>, ProjectError> {
        self.store()?.sync()?;
        let mut bytes = self.record.to_bytes();
        bytes.extend(self.animator.snapshot(self.key));
        Ok(bytes)
    }

    fn suspend(mut self) -> Result<(), ProjectError> {
        self.write().map(drop)
    }

    fn finish(mut self, _watch: &mut Watch<'_>) -> Result<PerformanceReport, ProjectError> {
        let json = self.write()?;
        let (frames, ms_per_frame) = (self.record.done, self.record.ms_per_frame());
        if let Some(store) = self.store {
            store.remove();
        }
        Ok(PerformanceReport { json, frames, ms_per_frame })
    }
}
