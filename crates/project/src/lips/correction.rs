//! The correction of a whole performance, frame after frame.

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::DVec3;
use pliant_io::atomic::{create_folder, refuse_overwriting, write_whole};
use pliant_io::{AnimationOptions, AnimationWriter};
use pliant_lips::{FrameReport, LipModel, Suggestion, Workspace};
use pliant_math::team::Team;
use pliant_sim::snapshot::checksum;
use serde_json::Value;

use super::error_map::{FrameErrors, map_path};
use super::neutral::check_capture;
use super::tally::Tally;
use super::training::open_model;
use crate::driver::{self, Outcome, Place, Project, Settings, Watch, Work};
use crate::error::ProjectError;
use crate::frame_store::FrameStore;
use crate::path::beside;
use crate::saved::write_animation;
use crate::source::{FrameRange, Source};

/// A captured performance to be corrected by a lip model.
#[derive(Clone, Debug)]
pub struct CorrectionProject {
    /// The lip model, a `.lips` file.
    pub model: PathBuf,
    /// The captured animation.
    pub capture: String,
    /// How the capture is read.
    pub reading: AnimationOptions,
    /// The animation to write; its ending is the format.
    pub output: PathBuf,
    /// The frames to correct.
    pub frames: FrameRange,
    /// The true animation, to measure errors against.
    pub truth: Option<String>,
    /// A pattern of files: a mesh per frame, coloured by its error.
    pub maps: Option<PathBuf>,
    /// The error at which maps are darkest \[m\].
    pub map_scale: f64,
}

/// The result of a correction.
#[derive(Clone, Debug, PartialEq)]
pub struct CorrectionReport {
    /// The content of `FILE.report.json`.
    pub json: Value,
    /// Frames corrected.
    pub frames: usize,
    /// Mean duration of a frame \[ms\].
    pub ms_per_frame: f64,
    /// How far the lips moved at most \[m\].
    pub moved: f64,
    /// Frames that are not finite and were left alone.
    pub skipped: usize,
    /// Mean distances from the truth before and after \[m\], where it is known.
    pub mean_errors: Option<[f64; 2]>,
    /// The frame to correct next.
    pub suggestion: Option<Suggestion>,
}

impl CorrectionProject {
    /// Corrects `capture` by the lip model into `output`.
    pub fn new(model: impl AsRef<Path>, capture: &str, output: impl AsRef<Path>) -> Self {
        CorrectionProject {
            model: model.as_ref().to_owned(),
            capture: capture.to_owned(),
            reading: AnimationOptions::default(),
            output: output.as_ref().to_owned(),
            frames: FrameRange::ALL,
            truth: None,
            maps: None,
            map_scale: 1e-3,
        }
    }

    fn open_truth(&self, model: &LipModel) -> Result<Option<Source>, ProjectError> {
        let Some(written) = &self.truth else { return Ok(None) };
        let truth = Source::open(written, self.reading.clone())?;
        check_capture(&truth, model)?;
        Ok(Some(truth))
    }

    /// Refuses outputs that are inputs, or whose format cannot hold the frames, and makes the
    /// folder of error maps.
    fn check_outputs(&self, sources: &[&Source], frames: usize) -> Result<(), ProjectError> {
        AnimationWriter::check(&self.output, frames)?;
        let mut outputs = AnimationWriter::outputs(&self.output, frames);
        outputs.extend(TABLES.map(|ending| beside(&self.output, ending)));
        outputs.extend([FrameStore::path(&self.output), FrameStore::snapshot_path(&self.output)]);
        for output in &outputs {
            for source in sources {
                refuse_overwriting(output, source.files())?;
            }
            refuse_overwriting(output, &[&self.model])?;
        }
        if let Some(folder) = self.maps.as_deref().and_then(Path::parent) {
            create_folder(folder)?;
        }
        Ok(())
    }

    /// Tells snapshots apart: the model, the names of the animations, and the frames.
    fn key(&self, points: usize, count: usize) -> Result<u64, ProjectError> {
        let (reading, truth, frames) = (&self.reading, &self.truth, &self.frames);
        let request = format!("{} {reading:?} {truth:?} {frames:?} {points} {count}", self.capture);
        let mut bytes = request.into_bytes();
        bytes.extend(checksum(&pliant_io::read_bytes(&self.model)?).to_le_bytes());
        Ok(checksum(&bytes))
    }
}

impl Project for CorrectionProject {
    type Report = CorrectionReport;

    fn drive(
        &self,
        settings: &Settings,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<CorrectionReport>, ProjectError> {
        let clock = Instant::now();
        let model = open_model(&self.model)?;
        let train_seconds = clock.elapsed().as_secs_f64();
        let capture = Source::open(&self.capture, self.reading.clone())?;
        capture.report(watch);
        check_capture(&capture, &model)?;
        let truth = self.open_truth(&model)?;
        let frames = capture.part(self.frames)?;
        let (first, total) = (*frames.start(), frames.end() - frames.start() + 1);
        let sources: Vec<&Source> = [&capture].into_iter().chain(&truth).collect();
        self.check_outputs(&sources, total)?;
        let team = Team::new(settings.threads);
        let run = CorrectionRun {
            request: self,
            key: self.key(capture.rest().positions.len(), capture.frames())?,
            store: None,
            tally: Tally::new(&model),
            workspace: model.workspace(team.size()),
            model: &model,
            capture,
            truth,
            first,
            total,
            train_seconds,
            team,
        };
        driver::drive(run, settings, watch)
    }
}

/// Endings of the files beside the animation: the report, and a table of frames.
const TABLES: [&str; 2] = [".report.json", ".frames.csv"];

/// A correction under way.
struct CorrectionRun<'a> {
    request: &'a CorrectionProject,
    model: &'a LipModel,
    key: u64,
    /// `None` until the outputs are begun or resumed.
    store: Option<FrameStore>,
    tally: Tally,
    workspace: Workspace,
    capture: Source,
    truth: Option<Source>,
    /// The first frame to correct, and how many.
    first: usize,
    total: usize,
    train_seconds: f64,
    team: Team,
}

impl CorrectionRun<'_> {
    fn store(&mut self) -> Result<&mut FrameStore, ProjectError> {
        FrameStore::begun(&mut self.store)
    }

    fn points(&self) -> usize {
        self.capture.rest().positions.len()
    }

    /// Takes a corrected frame into account; the errors are those of the map.
    fn measure(
        &mut self,
        frame: usize,
        captured: &[DVec3],
        corrected: &[DVec3],
        report: FrameReport,
    ) -> Result<FrameErrors, ProjectError> {
        let truth = self.truth.as_mut().map(|source| source.frame(frame)).transpose()?;
        let (rest, inner) = (self.capture.rest(), &self.tally.inner);
        let errors = FrameErrors::of(rest, inner, captured, corrected, truth.as_deref());
        self.tally.add(frame, [captured, corrected], report, &errors);
        Ok(errors)
    }

    /// Writes the frames that are done, the table and the report.
    fn write(&mut self) -> Result<(Value, Vec<String>), ProjectError> {
        let (done, fps) = (self.tally.reports.len(), self.capture.fps());
        let out = &self.request.output;
        let loaded = self.capture.loaded().clone();
        let notes = write_animation(out, loaded, fps, done, |k| self.store()?.frame(k))?;
        let summary = self.tally.as_json(self.model, self.train_seconds);
        let [report, table] = TABLES.map(|ending| beside(out, ending));
        write_whole(&report, format!("{summary:#}\n").as_bytes())?;
        write_whole(&table, self.tally.table.as_bytes())?;
        Ok((summary, notes))
    }
}

impl Work for CorrectionRun<'_> {
    type Report = CorrectionReport;
    const UNIT: &'static str = "frames";

    fn place(&self) -> Place {
        let output = self.request.output.clone();
        Place { snapshot: FrameStore::snapshot_path(&output), output, key: self.key }
    }

    fn total(&self) -> usize {
        self.total
    }

    fn done(&self) -> usize {
        self.tally.reports.len()
    }

    fn begin(&mut self, _watch: &mut Watch<'_>) -> Result<(), ProjectError> {
        self.store = Some(FrameStore::create(&self.request.output, self.points())?);
        Ok(())
    }

    fn restore(&mut self, done: usize, state: &[u8]) -> Result<(), ProjectError> {
        let numbers: Vec<f64> = state
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(std::array::from_fn(|k| b[k])))
            .collect();
        let (Some((seconds, reports)), true) = (numbers.split_first(), done <= self.total) else {
            return Err(self.refusal());
        };
        if reports.len() != 4 * done {
            return Err(self.refusal());
        }
        self.store = Some(FrameStore::resume(&self.request.output, self.points(), done)?);
        self.tally.seconds = *seconds;
        for (k, report) in reports.chunks_exact(4).enumerate() {
            let frame = self.first + k;
            let (captured, corrected) = (self.capture.frame(frame)?, self.store()?.frame(k)?);
            let report = FrameReport {
                deformation: report[0],
                unknown: report[1],
                moved: report[2],
                is_finite: report[3] != 0.0,
            };
            self.measure(frame, &captured, &corrected, report)?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), ProjectError> {
        let frame = self.first + self.done();
        let captured = self.capture.frame(frame)?;
        let mut corrected = captured.clone();
        let clock = Instant::now();
        let report = self.model.correct(&mut corrected, &mut self.workspace, &self.team);
        self.tally.seconds += clock.elapsed().as_secs_f64();
        let errors = self.measure(frame, &captured, &corrected, report)?;
        if let Some(pattern) = &self.request.maps {
            let (path, scale) = (map_path(pattern, frame), self.request.map_scale);
            errors.write(&path, self.capture.loaded(), &self.tally.inner, &corrected, scale)?;
        }
        self.store()?.add(&corrected)
    }

    fn snapshot(&mut self) -> Result<Vec<u8>, ProjectError> {
        self.store()?.sync()?;
        let mut numbers = vec![self.tally.seconds];
        for report in &self.tally.reports {
            let is_finite = f64::from(u8::from(report.is_finite));
            numbers.extend([report.deformation, report.unknown, report.moved, is_finite]);
        }
        Ok(numbers.into_iter().flat_map(f64::to_le_bytes).collect())
    }

    fn suspend(mut self) -> Result<(), ProjectError> {
        self.write().map(drop)
    }

    fn finish(mut self, watch: &mut Watch<'_>) -> Result<CorrectionReport, ProjectError> {
        let (json, notes) = self.write()?;
        notes.iter().for_each(|note| watch.note(note));
        if let Some(store) = self.store {
            store.remove();
        }
        let tally = self.tally;
        Ok(CorrectionReport {
            json,
            frames: tally.reports.len(),
            ms_per_frame: tally.ms_per_frame(),
            moved: tally.moved(),
            skipped: tally.skipped(),
            mean_errors: tally.mean_errors(),
            suggestion: tally.suggestion(),
        })
    }
}

impl CorrectionRun<'_> {
    fn refusal(&self) -> ProjectError {
        let (path, problem) = (self.place().snapshot, "is not a complete snapshot".to_owned());
        ProjectError::Snapshot { path, problem }
    }
}
