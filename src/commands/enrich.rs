//! `pliant enrich`: physics for a finished animation.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pliant::enrich::{Enrichment, Measures, Project};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::io::{AnimationOptions, AnimationWriter, Attribute, Loaded, write_mesh};

use crate::animation::Source;
use crate::arguments::{FrameRange, Options, Reading, ending};
use crate::enrichment::{self, Tally};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;

/// Give an animation weight and jiggle
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant enrich walk.glb --out walk_soft.glb\n  \
    pliant enrich rest.obj+run.pc2 --out run_soft.usda --young 2e4\n  \
    pliant enrich walk.toml --out look.pc2 --preview")]
pub struct Arguments {
    /// An animation: a file, a quoted glob of frames, or rest.obj+cache.pc2; or a project, in TOML
    #[arg(value_name = "ANIM|PROJECT.toml")]
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

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    interrupt::listen()?;
    let started = Instant::now();
    let (project, folder) = project(&arguments)?;
    let reading = AnimationOptions {
        fps: arguments.reading.fps.or(project.fps),
        clip: arguments.reading.clip.clone().or_else(|| project.clip.clone()),
        unit: arguments.reading.unit,
    };
    let mut source = Source::open(&project.input, reading)?;
    source.remark(options);
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
        refuse_overwriting(output, &[Path::new(&arguments.input)])?;
    }
    let mut prepared = enrichment::prepare(&project, &folder, &mut source, frames, options)?;
    let enrichment = &mut prepared.enrichment;
    let mut writer =
        AnimationWriter::create(&arguments.out, source.loaded().clone(), source.fps(), count)?;
    let mut measures = Measures::new(source.rest());
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
        prepared.warnings.push(format!("{} frames needed smaller steps", tally.fallbacks));
    }
    let summary = tally.as_json(enrichment, &measures, &prepared.warnings, seconds);
    write_whole(&report_path, format!("{summary:#}\n").as_bytes())?;
    write_weights(&weights_path, source.loaded(), enrichment)?;
    if !options.quiet {
        prepared.warnings.iter().for_each(|w| report::remark(&format!("warning: {w}")));
        writer.notes().iter().for_each(|note| report::remark(&format!("note: {note}")));
    }
    writer.finish()?;
    match stopped {
        None => {
            if !options.quiet {
                report::say(&closing_line(&arguments.out, enrichment, &measures, &tally, seconds));
            }
            Ok(())
        }
        Some(done) => Err(Failure::interrupted(format!(
            "stopped by Ctrl-C: {} holds the first {done} of {count} frames",
            arguments.out.display()
        ))),
    }
}

/// The project that is meant, and the folder that its paths are relative to.
fn project(arguments: &Arguments) -> Result<(Project, PathBuf), Failure> {
    let path = Path::new(&arguments.input);
    let (mut project, folder) = if ending(path) == "toml" {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::about(path, error))?;
        let mut project = Project::parse(&text).map_err(|error| Failure::about(path, error))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        project.input = enrichment::relative_input(&project.input, &folder);
        (project, folder)
    } else {
        (Project::of(&arguments.input), PathBuf::new())
    };
    project.resolution = arguments.resolution.unwrap_or(project.resolution);
    if arguments.preview {
        project.resolution = project.resolution.div_ceil(2).max(4);
    }
    project.young = arguments.young.or(project.young);
    project.gamma = arguments.gamma.or(project.gamma);
    Ok((project, folder))
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("expected a positive number".to_owned()),
    }
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
