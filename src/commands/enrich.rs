//! `pliant enrich`: physics for a finished animation.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pliant::enrich::{EnrichOptions, Enrichment, Measures, SimulationOptions};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::io::{AnimationWriter, Attribute, Loaded, unit_named, write_mesh};
use pliant::mesh::{Resolution, TetOptions};
use serde_json::{Value, json};

use crate::animation::Source;
use crate::arguments::{FrameRange, Options, Reading};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// Give an animation weight and jiggle
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant enrich walk.glb --out walk_soft.glb\n  \
    pliant enrich rest.obj+run.pc2 --out run_soft.usda --young 2e4\n  \
    pliant enrich walk.glb --out look.pc2 --preview")]
pub struct Arguments {
    /// An animation: a file, a quoted glob of frames, or rest.obj+cache.pc2
    #[arg(value_name = "ANIM")]
    input: String,
    /// The animation to write; its ending is the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Cells along the longest side [default: 40]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=1000))]
    resolution: Option<u32>,
    /// Half the resolution, for a first look
    #[arg(long)]
    preview: bool,
    /// Young's modulus in pascals: the softer, the more it moves [default: 3e4 per metre of size]
    #[arg(long, value_name = "PA", value_parser = positive)]
    young: Option<f64>,
    /// Weight of strain in the fit [default: found]
    #[arg(long, value_parser = positive)]
    gamma: Option<f64>,
    /// Frames A to B, both included; either may be left out
    #[arg(long, value_name = "A..B")]
    frames: Option<FrameRange>,
    #[command(flatten)]
    reading: Reading,
}

/// Poses that the choice of γ and of what follows is made from.
const SAMPLES: usize = 24;
/// Frames of a clip that ends where it starts, whose last cycle is played before it.
const DEFAULT_RESOLUTION: u32 = 40;

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    interrupt::listen()?;
    let started = Instant::now();
    let mut source = Source::open(&arguments.input, arguments.reading.options())?;
    source.remark(options);
    let about = |error: pliant::enrich::EnrichError| {
        Failure::about(Path::new(&arguments.input), error)
    };
    let frames = source.part(arguments.frames.unwrap_or(FrameRange::ALL))?;
    let (first, count) = (*frames.start(), frames.end() - frames.start() + 1);
    let beside = |ending: &str| {
        let mut name = arguments.out.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let (weights_path, report_path) = (beside(".weights.ply"), beside(".report.json"));
    let mut outputs = AnimationWriter::outputs(&arguments.out, count);
    outputs.extend([weights_path.clone(), report_path.clone()]);
    for output in &outputs {
        refuse_overwriting(output, source.files())?;
    }
    let (unit, mut warnings) = normal_unit(&source);
    let mut poses = Vec::new();
    let samples = SAMPLES.min(count);
    for k in 0..samples {
        let pose = source.frame(first + k * (count - 1) / (samples - 1).max(1))?;
        if pose.iter().all(|x| x.is_finite()) {
            poses.push(pose);
        }
    }
    let resolution = arguments.resolution.unwrap_or(DEFAULT_RESOLUTION);
    let resolution = if arguments.preview { resolution.div_ceil(2) } else { resolution };
    let filling = TetOptions { resolution: Resolution::Cells(resolution), ..TetOptions::default() };
    let wanted = EnrichOptions {
        filling,
        gamma: arguments.gamma,
        unit,
        fps: source.fps(),
        ..EnrichOptions::default()
    };
    let rest = source.rest().clone();
    let flesh = |bound: &pliant::enrich::Bound| {
        let mut flesh = SimulationOptions::flesh(bound);
        if let Some(young) = arguments.young {
            flesh.young.fill(young);
        }
        flesh
    };
    let mut enrichment =
        Enrichment::new(&rest, None, &poses, wanted, flesh, options.threads()).map_err(about)?;
    if enrichment.neutral_pose().is_some() {
        warnings.push("parts of the rest mesh nearly touch: the shape of another frame is taken as neutral".to_owned());
    }
    let mut writer =
        AnimationWriter::create(&arguments.out, source.loaded().clone(), source.fps(), count)?;
    let mut measures = Measures::new(&rest);
    let mut tally = Tally::default();
    let progress = Progress::start(options, "frames", count as u64);
    let mut stopped = None;
    let mut ahead = source.frame(first)?;
    for done in 0..count {
        if done > 0 && interrupt::asked() {
            stopped = Some(done);
            break;
        }
        let input = ahead;
        ahead = if done + 1 < count { source.frame(first + done + 1)? } else { input.clone() };
        let mut output = input.clone();
        let next = (done + 1 < count).then_some(&ahead[..]);
        tally.add(&enrichment.frame(&mut output, next));
        measures.add(&input, &output, enrichment.is_exact());
        writer.write_frame(&output)?;
        progress.at(done as u64 + 1);
    }
    drop(progress);
    let seconds = started.elapsed().as_secs_f64();
    if tally.fallbacks > 0 {
        warnings.push(format!("{} frames needed smaller steps", tally.fallbacks));
    }
    let summary = as_json(&enrichment, &measures, &tally, &warnings, seconds);
    write_whole(&report_path, format!("{summary:#}\n").as_bytes())?;
    write_weights(&weights_path, source.loaded(), &enrichment)?;
    if !options.quiet {
        warnings.iter().for_each(|warning| report::remark(&format!("warning: {warning}")));
        writer.notes().iter().for_each(|note| report::remark(&format!("note: {note}")));
    }
    writer.finish()?;
    match stopped {
        None => {
            if !options.quiet {
                report::say(&closing_line(&arguments.out, &enrichment, &measures, &tally, seconds));
            }
            Ok(())
        }
        Some(done) => Err(Failure::interrupted(format!(
            "stopped by Ctrl-C: {} holds the first {done} of {count} frames",
            arguments.out.display()
        ))),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("expected a positive number".to_owned()),
    }
}

/// Metres per unit of the input: what its size suggests where metres it cannot be.
fn normal_unit(source: &Source) -> (f64, Vec<String>) {
    let guess = source.unit_guess();
    let Some(name) = guess.first() else { return (1.0, Vec::new()) };
    let unit = unit_named(name).unwrap_or(1.0);
    let warning = format!("simulated as if the file were in {name}; --unit says otherwise");
    (unit, vec![warning])
}

/// Sums over frames.
#[derive(Default)]
struct Tally {
    frames: usize,
    fit_seconds: f64,
    step_seconds: f64,
    fit_rms: f64,
    fit_max: f64,
    inverted: usize,
    penetration: f64,
    fallbacks: usize,
}

impl Tally {
    fn add(&mut self, frame: &pliant::enrich::FrameReport) {
        self.frames += 1;
        self.fit_seconds += frame.fit_seconds;
        self.step_seconds += frame.step_seconds;
        self.fit_rms += frame.fit.rms;
        self.fit_max = self.fit_max.max(frame.fit.max);
        self.inverted = self.inverted.max(frame.fit.inverted);
        self.penetration = self.penetration.max(frame.step.contacts.deepest);
        self.fallbacks += usize::from(frame.step.substeps > 1 || frame.step.rolled_back);
    }
}

fn as_json(
    enrichment: &Enrichment,
    measures: &Measures,
    tally: &Tally,
    warnings: &[String],
    seconds: f64,
) -> Value {
    let frames = tally.frames.max(1) as f64;
    let exact = enrichment.is_exact().iter().filter(|e| **e).count();
    json!({
        "frames": tally.frames,
        "vertices": enrichment.is_exact().len(),
        "tets": enrichment.bound().solid.tets.len(),
        "exact": exact,
        "gamma": enrichment.gamma(),
        "follow_error": measures.follow_error,
        "fit_error_mean": tally.fit_rms / frames,
        "fit_error_max": tally.fit_max,
        "inverted": tally.inverted,
        "motion_added": measures.motion_added(),
        "motion_most": measures.most_motion,
        "spikes": measures.spikes,
        "max_penetration": tally.penetration,
        "seconds": seconds,
        "fit_ms_per_frame": 1e3 * tally.fit_seconds / frames,
        "sim_ms_per_frame": 1e3 * tally.step_seconds / frames,
        "warnings": warnings,
    })
}

/// The weight map that can be edited: 1 follows the input, 0 is physics.
fn write_weights(path: &Path, loaded: &Loaded, enrichment: &Enrichment) -> Result<(), Failure> {
    let weights = enrichment.surface_weights();
    let exact = enrichment.is_exact().iter().map(|e| f64::from(u8::from(*e))).collect();
    let attribute = |name: &str, values: Vec<f64>| Attribute {
        name: name.to_owned(),
        components: 1,
        values,
    };
    let map = Loaded {
        attributes: vec![attribute("weight", weights), attribute("exact", exact)],
        ..loaded.clone()
    };
    write_mesh(path, &map)?;
    Ok(())
}

fn closing_line(
    out: &Path,
    enrichment: &Enrichment,
    measures: &Measures,
    tally: &Tally,
    seconds: f64,
) -> String {
    let frames = tally.frames.max(1) as f64;
    format!(
        "wrote {}: {} frames, {} tets, moved up to {:.1} % of its size, {:.0} + {:.0} ms per frame, \
         {seconds:.1} s in all",
        out.display(),
        tally.frames,
        enrichment.bound().solid.tets.len(),
        100.0 * measures.most_motion,
        1e3 * tally.fit_seconds / frames,
        1e3 * tally.step_seconds / frames,
    )
}

