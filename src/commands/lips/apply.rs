//! `pliant lips apply`: a whole performance, corrected.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use glam::DVec3;
use pliant::io::AnimationWriter;
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::lips::measures::Smoothness;
use pliant::lips::{LipModel, Suggester};
use pliant::math::team::Team;
use serde_json::{Value, json};

use super::heat::{FrameErrors, map_path};
use super::region::check_capture;
use super::train::open;
use crate::animation::Source;
use crate::arguments::{FrameRange, Options, Reading, animation_output};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// Correct the lips in all frames of a captured animation
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant lips apply mouth.lips --capture capture.pc2 --out corrected.pc2\n  \
    pliant lips apply mouth.lips --capture capture.glb --out corrected.usda --range 20..80\n  \
    pliant lips apply mouth.lips --capture capture.pc2 --out c.pc2 --truth truth.pc2 --maps \"maps/*.ply\"")]
pub struct Arguments {
    /// Lip model that `pliant lips train` wrote
    #[arg(value_name = "FILE.lips")]
    model: PathBuf,
    /// Captured animation
    #[arg(long = "capture", visible_alias = "frames", value_name = "CAPTURE")]
    frames: String,
    /// Corrected animation to write; its ending sets the format
    #[arg(long, short, value_name = "FILE", value_parser = animation_output)]
    out: PathBuf,
    /// Frames A to B, counted from 0, both included; A or B may be left out
    #[arg(long, value_name = "A..B")]
    range: Option<FrameRange>,
    /// True animation, to measure errors against
    #[arg(long, value_name = "ANIM")]
    truth: Option<String>,
    /// Write one mesh per frame, coloured by its error, or without --truth by its displacement
    #[arg(long, value_name = "\"DIR/*.ply\"")]
    maps: Option<PathBuf>,
    /// Error at which the maps are darkest, in millimetres
    #[arg(long, value_name = "MM", default_value_t = 1.0, value_parser = positive)]
    map_scale: f64,
    #[command(flatten)]
    reading: Reading,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("expected a positive number".to_owned()),
    }
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    interrupt::listen()?;
    let clock = Instant::now();
    let model = open(&arguments.model)?;
    let train_seconds = clock.elapsed().as_secs_f64();
    let mut capture = Source::open(&arguments.frames, arguments.reading.options())?;
    capture.remark(options);
    check_capture(&capture, &arguments.frames, &model)?;
    let mut truth = match &arguments.truth {
        None => None,
        Some(written) => {
            let truth = Source::open(written, arguments.reading.options())?;
            check_capture(&truth, written, &model)?;
            Some(truth)
        }
    };
    let frames = capture.part(arguments.range.unwrap_or(FrameRange::ALL))?;
    let (first, count) = (*frames.start(), frames.end() - frames.start() + 1);
    let [report_path, table_path] = [".report.json", ".frames.csv"].map(|ending| {
        let mut name = arguments.out.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    });
    let mut outputs = AnimationWriter::outputs(&arguments.out, count);
    outputs.extend([report_path.clone(), table_path.clone()]);
    for output in &outputs {
        refuse_overwriting(output, capture.files())?;
        refuse_overwriting(output, truth.as_ref().map_or(&[], |source| source.files()))?;
        refuse_overwriting(output, &[&arguments.model])?;
    }
    if let Some(folder) = arguments.maps.as_deref().and_then(Path::parent) {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Failure::about(folder, format!("cannot create: {error}")))?;
    }
    let mut writer =
        AnimationWriter::create(&arguments.out, capture.loaded().clone(), capture.fps(), count)?;
    let mut tally = Tally::new(&model, options.threads());
    let progress = Progress::start(options, "frames", count as u64);
    let mut stopped = None;
    for done in 0..count {
        if done > 0 && interrupt::asked() {
            stopped = Some(done);
            break;
        }
        let frame = first + done;
        let captured = capture.frame(frame)?;
        let truth = truth.as_mut().map(|source| source.frame(frame)).transpose()?;
        let corrected = tally.correct(frame, &captured);
        let errors = FrameErrors::of(
            capture.rest(),
            &tally.inner,
            &captured,
            &corrected,
            truth.as_deref(),
        );
        tally.note(frame, &errors);
        if let Some(pattern) = &arguments.maps {
            let path = map_path(pattern, frame);
            let scale = 1e-3 * arguments.map_scale;
            errors.write(&path, capture.loaded(), &tally.inner, &corrected, scale)?;
        }
        writer.write_frame(&corrected)?;
        progress.at(done as u64 + 1);
    }
    drop(progress);
    if !options.quiet {
        writer.notes().iter().for_each(|note| report::remark(&format!("note: {note}")));
    }
    writer.finish()?;
    let summary = tally.as_json(train_seconds);
    write_whole(&report_path, format!("{summary:#}\n").as_bytes())?;
    write_whole(&table_path, tally.table.as_bytes())?;
    if let Some(done) = stopped {
        return Err(Failure::interrupted(format!(
            "stopped by Ctrl-C: {} holds the first {done} of {count} frames",
            arguments.out.display()
        )));
    }
    if !options.quiet {
        report::say(&tally.closing_line(&arguments.out));
    }
    Ok(())
}

/// What is counted over frames.
struct Tally<'a> {
    model: &'a LipModel,
    team: Team,
    work: pliant::lips::Workspace,
    inner: Vec<u32>,
    suggester: Suggester,
    smoothness: [Smoothness; 2],
    frames: usize,
    skipped: usize,
    seconds: f64,
    moved: f64,
    outside_changed: usize,
    /// Sums of means, and maxima, before and after; frames with a truth.
    errors: [(f64, f64); 2],
    judged: usize,
    table: String,
    last: pliant::lips::FrameReport,
}

impl<'a> Tally<'a> {
    fn new(model: &'a LipModel, threads: usize) -> Tally<'a> {
        let team = Team::new(threads);
        let inner = model.region().free_vertices();
        Tally {
            work: model.workspace(team.size()),
            suggester: Suggester::default(),
            smoothness: [Smoothness::new(inner.clone()), Smoothness::new(inner.clone())],
            frames: 0,
            skipped: 0,
            seconds: 0.0,
            moved: 0.0,
            outside_changed: 0,
            errors: [(0.0, 0.0); 2],
            judged: 0,
            table: "frame,deformation,unknown,moved,error_before,error,surface_error\n".to_owned(),
            last: pliant::lips::FrameReport::default(),
            model,
            team,
            inner,
        }
    }

    fn correct(&mut self, frame: usize, captured: &[DVec3]) -> Vec<DVec3> {
        let mut corrected = captured.to_vec();
        let clock = Instant::now();
        let done = self.model.correct(&mut corrected, &mut self.work, &self.team);
        self.seconds += clock.elapsed().as_secs_f64();
        self.frames += 1;
        self.skipped += usize::from(!done.is_finite);
        self.moved = self.moved.max(done.moved);
        self.suggester.watch(frame, &done);
        self.last = done;
        let bits = |x: &DVec3| x.to_array().map(f64::to_bits);
        let changed = captured.iter().zip(&corrected).zip(0u32..);
        self.outside_changed += changed
            .filter(|((a, b), v)| bits(a) != bits(b) && self.inner.binary_search(v).is_err())
            .count();
        let [before, after] = &mut self.smoothness;
        before.watch(captured);
        after.watch(&corrected);
        corrected
    }

    fn note(&mut self, frame: usize, errors: &FrameErrors) {
        let report = &self.last;
        let off = errors.errors();
        if let Some(off) = off {
            self.judged += 1;
            for (sum, errors) in self.errors.iter_mut().zip(off) {
                *sum = (sum.0 + errors.mean, sum.1.max(errors.max));
            }
        }
        let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:e}"));
        let surface = errors.surface.as_deref().map(|list| pliant::lips::measures::Errors::of(list).mean);
        let [before, after] = [0, 1].map(|k| number(off.map(|off| off[k].mean)));
        self.table += &format!(
            "{frame},{:e},{:e},{:e},{before},{after},{}\n",
            report.deformation,
            report.unknown,
            report.moved,
            number(surface),
        );
    }

    fn mean_errors(&self) -> Option<[f64; 2]> {
        (self.judged > 0).then(|| self.errors.map(|(sum, _)| sum / self.judged as f64))
    }

    fn as_json(&self, train_seconds: f64) -> Value {
        let next = self.suggester.suggestion();
        let [captured, corrected] = self.smoothness.each_ref().map(Smoothness::value);
        let known: Vec<usize> = self.model.samples().iter().map(|sample| sample.frame).collect();
        let error = self.mean_errors().map(|[before, after]| {
            json!({
                "captured": { "mean": before, "max": self.errors[0].1 },
                "corrected": { "mean": after, "max": self.errors[1].1 },
                "times_better": before / after,
            })
        });
        json!({
            "frames": self.frames,
            "ms_per_frame": 1e3 * self.seconds / self.frames.max(1) as f64,
            "train_seconds": train_seconds,
            "corrected_frames": known,
            "rank": self.model.rank(),
            "suggest_next": next.map(|s| json!({ "frame": s.frame, "score": s.score })),
            "outside_changed": self.outside_changed,
            "not_finite": self.skipped,
            "moved_most": self.moved,
            "smoothness": { "captured": captured, "corrected": corrected },
            "error": error,
        })
    }

    fn closing_line(&self, out: &Path) -> String {
        let milliseconds = 1e3 * self.seconds / self.frames.max(1) as f64;
        let mut line = format!(
            "wrote {}: {} frames, {milliseconds:.2} ms each, lips moved up to {:.1} mm",
            out.display(),
            self.frames,
            1e3 * self.moved
        );
        if let Some([before, after]) = self.mean_errors() {
            line += &format!(", off by {:.3} mm instead of {:.3}", 1e3 * after, 1e3 * before);
        }
        if self.skipped > 0 {
            line += &format!(", {} left alone that are not finite", self.skipped);
        }
        if let Some(next) = self.suggester.suggestion().filter(|next| next.score > 0.01) {
            line += &format!(
                "; next worth correcting: frame {} ({:.0} % new)",
                next.frame,
                100.0 * next.score
            );
        }
        line
    }
}
