//! An enrichment under way: frame after frame, and the files that come of it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::DVec3;
use pliant_enrich::embedding::default_resolution;
use pliant_enrich::report::CompletionError;
use pliant_enrich::{Enrichment, Measures, Project};
use pliant_io::atomic::{refuse_overwriting, write_whole};
use pliant_io::{AnimationOptions, AnimationWriter, Attribute, Loaded, write_mesh};
use pliant_view::Picture;

use super::comparison::{self, Comparison, Own};
use super::prepare::{Prepared, close_loop, key, prepare};
use super::tally::Tally;
use super::{EnrichmentProject, EnrichmentReport};
use crate::driver::{Place, Watch, Work};
use crate::error::ProjectError;
use crate::folder::within;
use crate::frame_store::FrameStore;
use crate::path::{beside, with_infix};
use crate::picture::{figure, save_png, strip};
use crate::saved::write_animation;
use crate::source::{Sequence, Source};

/// An enrichment under way.
pub struct EnrichmentRun<'a> {
    request: &'a EnrichmentProject,
    /// The project's values, with everything that the request changes.
    values: Project,
    input: Sequence,
    prepared: Prepared,
    key: u64,
    /// `None` until the outputs are begun or resumed.
    store: Option<FrameStore>,
    measures: Measures,
    hidden: Option<CompletionError>,
    /// Frames that pictures show.
    places: Vec<usize>,
    tally: Tally,
    done: usize,
    /// The next frame of the input.
    ahead: Vec<DVec3>,
    threads: usize,
    started: Instant,
}

impl<'a> EnrichmentRun<'a> {
    /// Reads the input and fills its surface with tets.
    pub fn new(
        request: &'a EnrichmentProject,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Self, ProjectError> {
        let started = Instant::now();
        let mut values = request.values.clone();
        let reading = AnimationOptions {
            fps: request.reading.fps.or(values.fps),
            clip: request.reading.clip.clone().or_else(|| values.clip.clone()),
            unit: request.reading.unit,
        };
        let source = Source::open(&values.input, reading)?;
        source.report(watch);
        let mut input = Sequence::of(source, request.frames)?;
        if request.preview {
            let usual = || default_resolution(input.source.rest());
            let cells = values.resolution.unwrap_or_else(usual);
            values.resolution = Some(cells.div_ceil(2).max(4));
        }
        AnimationWriter::check(&request.output, input.frames())?;
        let outputs = Outputs::new(&request.output);
        outputs.refuse_inputs(request, &values, &input)?;
        let prepared = prepare(&values, &within(&request.folder), &mut input, threads)?;
        Ok(EnrichmentRun {
            request,
            key: key(&values, &input, &prepared.enrichment),
            values,
            store: None,
            measures: Measures::new(input.source.rest()),
            hidden: CompletionError::new(input.source.rest(), &prepared.enrichment.tracked()),
            places: strip::places(input.frames(), input.source.fps(), &request.look),
            tally: Tally::default(),
            done: 0,
            ahead: Vec::new(),
            input,
            prepared,
            threads,
            started,
        })
    }

    /// Vertices of the input, and of it with all soft objects.
    fn points(&self) -> (usize, usize) {
        let own = self.input.source.rest().positions.len();
        let soft = self.prepared.soft.iter().map(|(_, soft)| soft.mesh.positions.len());
        (own, own + soft.sum::<usize>())
    }

    /// Takes an output frame into account.
    fn measure(&mut self, index: usize, frame: &[DVec3], output: &[DVec3]) {
        self.measures.add(frame, output, self.prepared.enrichment.is_exact());
        if let Some(hidden) = &mut self.hidden {
            hidden.add(frame, output, self.places.contains(&index));
        }
    }

    fn store(&mut self) -> Result<&mut FrameStore, ProjectError> {
        FrameStore::begun(&mut self.store)
    }

    /// Writes the frames that are done into the output, and those of soft objects beside it.
    /// Returns the writers' notes.
    fn write(&mut self) -> Result<Vec<String>, ProjectError> {
        let (done, fps) = (self.done, self.input.source.fps());
        let out = &self.request.output;
        let mut parts = vec![(out.clone(), self.input.source.loaded().clone())];
        let soft = self.prepared.soft.iter();
        parts.extend(soft.map(|(n, soft)| (with_infix(out, &format!("object{n}")), soft.clone())));
        let (mut notes, mut first) = (Vec::new(), 0);
        for (path, mesh) in parts {
            let vertices = first..first + mesh.mesh.positions.len();
            first = vertices.end;
            notes.extend(write_animation(&path, mesh, fps, done, |k| {
                Ok(self.store()?.frame(k)?[vertices.clone()].to_vec())
            })?);
        }
        Ok(notes)
    }

    /// Takes all frames through the other methods of the project's `[compare]`.
    fn compare(&mut self, watch: &mut Watch<'_>) -> Result<Vec<Comparison>, ProjectError> {
        let own = Own {
            project: &self.values,
            folder: &self.request.folder,
            enrichment: &self.prepared.enrichment,
            out: &self.request.output,
            places: &self.places,
        };
        let (input, threads) = (&mut self.input, self.threads);
        let methods = self.values.compare.iter();
        methods.map(|&method| comparison::run(method, &own, input, (threads, watch))).collect()
    }

    /// Draws the picture that is asked for, and the plot of a comparison.
    fn draw(&mut self, path: &Path, others: &[Comparison]) -> Result<(), ProjectError> {
        save_png(&self.before_after(others)?, path)?;
        if !others.is_empty() {
            let own = [("enriched", &self.measures)].into_iter();
            let all = own.chain(others.iter().map(|o| (&o.label[..], &o.measures)));
            let lines = all.collect::<Vec<_>>();
            let figure = comparison::figure(self.input.source.fps(), &lines);
            figure::save(&figure, &path.with_extension("plot.png"))?;
        }
        Ok(())
    }

    /// Some frames of the input above those of the result, and of the other methods.
    fn before_after(&mut self, others: &[Comparison]) -> Result<Picture, ProjectError> {
        let places = self.places.clone();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for &k in &places {
            before.push(self.input.frame(k)?);
            after.push(self.store()?.frame(k)?);
        }
        let (mut met, mut first) = (Vec::new(), 0);
        for (_, object) in &self.prepared.soft {
            met.extend(object.mesh.triangles.iter().map(|t| t.map(|v| v + first)));
            first += object.mesh.positions.len() as u32;
        }
        let mut rows = vec![("input", &before[..]), ("enriched", &after[..])];
        rows.extend(others.iter().map(|other| (&other.label[..], &other.poses[..])));
        strip::draw(&self.input.source, &self.request.look, &places, &rows, &met, self.threads)
    }

    /// The warnings of the whole run.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.prepared.warnings.clone();
        if self.tally.fallbacks > 0 {
            warnings.push(format!("{} frames needed smaller steps", self.tally.fallbacks));
        }
        if self.tally.cuts > 0 {
            let cuts = self.tally.cuts;
            warnings.push(format!(
                "{cuts} frames are poses far from the one before: each settles by itself"
            ));
        }
        warnings.extend(self.input.warning());
        warnings
    }
}

impl Work for EnrichmentRun<'_> {
    type Report = EnrichmentReport;
    const UNIT: &'static str = "frames";

    fn place(&self) -> Place {
        let output = self.request.output.clone();
        Place { snapshot: FrameStore::snapshot_path(&output), output, key: self.key }
    }

    fn total(&self) -> usize {
        self.input.frames()
    }

    fn done(&self) -> usize {
        self.done
    }

    fn begin(&mut self, _watch: &mut Watch<'_>) -> Result<(), ProjectError> {
        self.store = Some(FrameStore::create(&self.request.output, self.points().1)?);
        if self.values.is_loop {
            let closure = close_loop(&mut self.prepared.enrichment, &mut self.input)?;
            self.tally.closed = closure.settled;
            self.prepared.warnings.extend(closure.warning.map(str::to_owned));
        }
        self.ahead = self.input.frame(0)?;
        Ok(())
    }

    fn restore(&mut self, done: usize, state: &[u8]) -> Result<(), ProjectError> {
        let (own, all) = self.points();
        let last = self.input.frame(done.saturating_sub(1))?;
        self.tally = Tally::resume(state, self.key, &mut self.prepared.enrichment, &last)?;
        self.store = Some(FrameStore::resume(&self.request.output, all, done)?);
        for k in 0..done {
            let output = self.store()?.frame(k)?;
            let frame = self.input.frame(k)?;
            self.measure(k, &frame, &output[..own]);
        }
        self.done = done;
        self.ahead = self.input.frame(done)?;
        Ok(())
    }

    fn step(&mut self) -> Result<(), ProjectError> {
        let (index, count) = (self.done, self.total());
        let ahead = self.input.frame((index + 1).min(count - 1))?;
        let frame = std::mem::replace(&mut self.ahead, ahead);
        let mut output = frame.clone();
        let next = (index + 1 < count).then_some(&self.ahead[..]);
        self.tally.add(&self.prepared.enrichment.frame(&mut output, next));
        self.measure(index, &frame, &output);
        output.extend(self.prepared.enrichment.soft_surfaces().into_iter().flatten());
        self.store()?.add(&output)?;
        self.done += 1;
        Ok(())
    }

    fn snapshot(&mut self) -> Result<Vec<u8>, ProjectError> {
        self.store()?.sync()?;
        Ok(self.tally.known(&self.prepared.enrichment, self.key))
    }

    fn suspend(mut self) -> Result<(), ProjectError> {
        self.write().map(drop)
    }

    fn finish(mut self, watch: &mut Watch<'_>) -> Result<EnrichmentReport, ProjectError> {
        self.write()?.iter().for_each(|note| watch.note(note));
        let others = self.compare(watch)?;
        if let Some(path) = &self.request.picture {
            self.draw(path, &others)?;
        }
        let seconds = self.started.elapsed().as_secs_f64();
        let warnings = self.warnings();
        let (tally, enrichment) = (&self.tally, &self.prepared.enrichment);
        let mut json = tally.as_json(enrichment, &self.measures, &warnings, seconds);
        json["hidden"] = comparison::hidden_json(self.hidden.as_ref());
        let compared = || self.values.compare.iter().zip(&others);
        json["compare"] = compared().map(|(method, other)| other.as_json(*method)).collect();
        let outputs = Outputs::new(&self.request.output);
        write_whole(&outputs.report, format!("{json:#}\n").as_bytes())?;
        let folder = outputs.project.parent().unwrap_or(Path::new(""));
        let written = &self.request.written;
        let completed = written.completed(folder, &self.values, &self.input, enrichment);
        write_whole(&outputs.project, completed.as_bytes())?;
        write_weights(&outputs.weights, self.input.source.loaded(), enrichment)?;
        let line = |method, other: &Comparison| other.line(method, self.hidden.as_ref());
        let comparisons =
            compared().map(|(method, other)| (other.path.clone(), line(*method, other))).collect();
        let frames = tally.frames.max(1) as f64;
        let report = EnrichmentReport {
            json,
            warnings,
            frames: tally.frames,
            tets: enrichment.embedded().solid.tets.len(),
            most_motion: self.measures.most_motion,
            ms_per_frame: [tally.fit_seconds, tally.step_seconds].map(|s| 1e3 * s / frames),
            seconds,
            comparisons,
        };
        if let Some(store) = self.store {
            store.remove();
        }
        Ok(report)
    }
}

/// The files beside an enriched animation.
struct Outputs {
    weights: PathBuf,
    report: PathBuf,
    project: PathBuf,
}

impl Outputs {
    fn new(out: &Path) -> Outputs {
        let [weights, report, project] =
            [".weights.ply", ".report.json", ".project.toml"].map(|ending| beside(out, ending));
        Outputs { weights, report, project }
    }

    fn refuse_inputs(
        self,
        request: &EnrichmentProject,
        values: &Project,
        input: &Sequence,
    ) -> Result<(), ProjectError> {
        let (out, count) = (&request.output, input.frames());
        let mut all = AnimationWriter::outputs(out, count);
        all.extend([self.weights, self.report, self.project]);
        all.extend(request.picture.clone());
        all.extend([FrameStore::path(out), FrameStore::snapshot_path(out)]);
        let compared = values.compare.iter().map(|method| with_infix(out, method.name()));
        all.extend(compared.flat_map(|path| AnimationWriter::outputs(&path, count)));
        for output in &all {
            refuse_overwriting(output, input.source.files())?;
            refuse_overwriting(output, &[&request.input])?;
        }
        Ok(())
    }
}

/// The weight map that can be edited: 1 follows the input, 0 is physics.
fn write_weights(
    path: &Path,
    loaded: &Loaded,
    enrichment: &Enrichment,
) -> Result<(), ProjectError> {
    let weights = enrichment.surface_weights();
    let exact = enrichment.is_exact().iter().map(|e| f64::from(u8::from(*e))).collect();
    let attribute =
        |name: &str, values: Vec<f64>| Attribute { name: name.to_owned(), components: 1, values };
    let map = Loaded {
        attributes: vec![attribute("weight", weights), attribute("exact", exact)],
        ..loaded.clone()
    };
    write_mesh(path, &map)?;
    Ok(())
}
