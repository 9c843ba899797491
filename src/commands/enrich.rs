//! `pliant enrich`: physics for a finished animation.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use pliant::demos::Look;
use pliant::enrich::hidden::Hidden;
use pliant::enrich::bound::usual_resolution;
use pliant::enrich::{Enrichment, Measures, Project};
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::io::{AnimationOptions, AnimationWriter, Attribute, Loaded, write_mesh};
use pliant::view::Picture;

use crate::animation::Source;
use crate::arguments::{
    FrameRange, Options, Reading, animation_output, ending, output, seconds,
};
use crate::comparison::{self, Outcome, Own};
use crate::enrichment::{self, Tally};
use crate::failure::Failure;
use crate::figure;
use crate::interrupt;
use crate::progress::Progress;
use crate::report;
use crate::sequence::Sequence;
use crate::stage::save_png;
use crate::strip;
use crate::unfinished::Unfinished;
use crate::written::Written;

const CHECKPOINT: Duration = Duration::from_secs(2);

/// Add physics to a finished animation: weight, swing and contact
#[derive(Args)]
#[command(after_help = "Examples:\n  pliant enrich walk.glb --out walk_soft.glb\n  \
    pliant enrich puppet:elephant --out elephant.glb --picture elephant.png\n  \
    pliant enrich rest.obj+run.pc2 --out run_soft.usda --young 2e4\n  \
    pliant enrich walk.toml --out look.pc2 --preview")]
pub struct Arguments {
    /// Animation (a file, a quoted glob of frames, or rest.obj+cache.pc2) or enrich project
    #[arg(value_name = "ANIM|PROJECT.toml")]
    input: String,
    /// Animation to write; its ending sets the format
    #[arg(long, short, value_name = "FILE", value_parser = animation_output)]
    out: PathBuf,
    /// Cells along the longest side [default: 40, or fewer for compact bodies]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=1000))]
    resolution: Option<u32>,
    /// Half the resolution, for a first look
    #[arg(long)]
    preview: bool,
    /// Young's modulus in pascals; softer bodies move more [default: 2e4 per metre of size]
    #[arg(long, value_name = "PA", value_parser = positive)]
    young: Option<f64>,
    /// Weight of strain in the fit [default: chosen for the input, see the report]
    #[arg(long, value_name = "GAMMA", value_parser = positive)]
    gamma: Option<f64>,
    /// Treat the animation as a loop: the last frame leads into the first
    #[arg(long = "loop")]
    is_loop: bool,
    /// Continue where the same command was stopped or killed
    #[arg(long)]
    resume: bool,
    /// Seconds between checkpoints, from which --resume continues after a kill; 0: every frame
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    checkpoint: Duration,
    /// Write a picture of some frames: the input above the result
    #[arg(long, value_name = "FILE.png", value_parser = output(&["png"]))]
    picture: Option<PathBuf>,
    /// Frames A to B, counted from 0, both included; A or B may be left out
    #[arg(long, visible_alias = "range", value_name = "A..B")]
    frames: Option<FrameRange>,
    #[command(flatten)]
    reading: Reading,
    /// How the picture is taken.
    #[arg(skip)]
    look: Look,
}

impl Arguments {
    /// A project as it is, with a picture.
    pub fn of_project(project: &Path, out: &Path, picture: &Path, look: Look) -> Arguments {
        Arguments {
            input: project.display().to_string(),
            out: out.to_owned(),
            resolution: None,
            preview: false,
            young: None,
            gamma: None,
            is_loop: false,
            resume: false,
            checkpoint: CHECKPOINT,
            picture: Some(picture.to_owned()),
            frames: look.frames.as_deref().and_then(|frames| frames.parse().ok()),
            reading: Reading::default(),
            look,
        }
    }
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    enrich(arguments, options).map(drop)
}

/// Enriches an animation; returns the files of what it is compared with.
pub fn enrich(arguments: Arguments, options: &Options) -> Result<Vec<PathBuf>, Failure> {
    interrupt::listen()?;
    let started = Instant::now();
    let (mut project, folder, written) = project(&arguments)?;
    let reading = AnimationOptions {
        fps: arguments.reading.fps.or(project.fps),
        clip: arguments.reading.clip.clone().or_else(|| project.clip.clone()),
        unit: arguments.reading.unit,
    };
    let source = Source::open(&project.input, reading)?;
    source.remark(options);
    let mut input = Sequence::of(source, arguments.frames.unwrap_or(FrameRange::ALL))?;
    if arguments.preview {
        let cells = project.resolution.unwrap_or_else(|| usual_resolution(input.source.rest()));
        project.resolution = Some(cells.div_ceil(2).max(4));
    }
    let count = input.len();
    let mut files = Outputs::new(&arguments, count);
    let compared = project.compare.iter().map(|m| comparison::beside(&arguments.out, m.name()));
    files.all.extend(compared.flat_map(|path| AnimationWriter::outputs(&path, count)));
    files.refuse_inputs(&input.source, &arguments)?;
    let mut prepared = enrichment::prepare(&project, &folder, &mut input, options)?;
    let enrichment = &mut prepared.enrichment;
    let key = enrichment::key(&project, &input, enrichment);
    let points = input.source.rest().positions.len();
    let of_soft: usize = prepared.soft.iter().map(|(_, soft)| soft.mesh.positions.len()).sum();
    let (mut done_frames, place) = {
        let (resume, every) = (arguments.resume, arguments.checkpoint);
        Unfinished::open(&arguments.out, points + of_soft, key, resume, every)?
    };
    let mut measures = Measures::new(input.source.rest());
    let mut hidden = Hidden::of(input.source.rest(), &enrichment.tracked());
    let places = strip::places(count, input.source.fps(), &arguments.look);
    let (mut tally, mut done) = (Tally::default(), 0);
    if let Some(place) = place {
        let last = input.frame(place.done.saturating_sub(1))?;
        tally = Tally::resume(&place.known, key, enrichment, &last)?;
        done = place.done;
        for k in 0..done {
            let output = &done_frames.frame(k)?[..points];
            let frame = input.frame(k)?;
            measures.add(&frame, output, enrichment.is_exact());
            if let Some(hidden) = &mut hidden {
                hidden.add(&frame, output, places.contains(&k));
            }
        }
    } else if project.is_loop {
        let warning = enrichment::settle(enrichment, &mut input, &mut tally)?;
        prepared.warnings.extend(warning);
    }
    let progress = Progress::start(options, "frames", count as u64);
    let mut stopped = false;
    let mut ahead = input.frame(done)?;
    while done < count && !stopped {
        let frame = ahead;
        ahead = input.frame((done + 1).min(count - 1))?;
        let mut output = frame.clone();
        let next = (done + 1 < count).then_some(&ahead[..]);
        tally.add(&enrichment.frame(&mut output, next));
        measures.add(&frame, &output, enrichment.is_exact());
        if let Some(hidden) = &mut hidden {
            hidden.add(&frame, &output, places.contains(&done));
        }
        output.extend(enrichment.soft_surfaces().into_iter().flatten());
        done += 1;
        done_frames.add(&output, done, || tally.known(enrichment, key))?;
        progress.at(done as u64);
        stopped = done < count && interrupt::asked();
    }
    drop(progress);
    if stopped {
        done_frames.save(done, &tally.known(enrichment, key))?;
    }
    let mut parts = vec![(arguments.out.clone(), input.source.loaded())];
    parts.extend(prepared.soft.iter().map(|(n, soft)| (object_path(&arguments.out, *n), soft)));
    let mut notes = Vec::new();
    let mut first = 0;
    for (path, mesh) in parts {
        let vertices = first..first + mesh.mesh.positions.len();
        first = vertices.end;
        let mut writer = AnimationWriter::create(&path, mesh.clone(), input.source.fps(), done)?;
        for k in 0..done {
            writer.write_frame(&done_frames.frame(k)?[vertices.clone()])?;
        }
        notes.extend(writer.notes().iter().map(|note| format!("note: {note}")));
        writer.finish()?;
    }
    notes.iter().filter(|_| !options.quiet).for_each(|note| report::remark(note));
    if stopped {
        return Err(Failure::interrupted(format!(
            "stopped by Ctrl-C: {} holds the first {done} of {count} frames; the same command with \
             --resume goes on from there",
            arguments.out.display()
        )));
    }
    let own = Own {
        project: &project,
        folder: &folder,
        enrichment,
        out: &arguments.out,
        places: &places,
    };
    let mut others = Vec::new();
    for &method in &project.compare {
        others.push(comparison::run(method, &own, &mut input, options)?);
    }
    if let Some(path) = &arguments.picture {
        let look = &arguments.look;
        let shown = (&others[..], &prepared.soft[..]);
        let picture = before_after(&mut input, &mut done_frames, look, &places, shown, options)?;
        save_png(&picture, path)?;
        if !others.is_empty() {
            let own = [("enriched", &measures)].into_iter();
            let all = own.chain(others.iter().map(|o| (&o.label[..], &o.measures)));
            let lines = all.collect::<Vec<_>>();
            let figure = comparison::figure(input.source.fps(), &lines);
            figure::save(&figure, &path.with_extension("plot.png"))?;
        }
    }
    done_frames.remove();
    let seconds = started.elapsed().as_secs_f64();
    if tally.fallbacks > 0 {
        prepared.warnings.push(format!("{} frames needed smaller steps", tally.fallbacks));
    }
    if tally.cuts > 0 {
        let cuts = tally.cuts;
        prepared.warnings.push(format!("{cuts} frames are poses far from the one before: each settles by itself"));
    }
    prepared.warnings.extend(input.warning());
    let mut summary = tally.as_json(enrichment, &measures, &prepared.warnings, seconds);
    summary["hidden"] = comparison::hidden_json(hidden.as_ref());
    let compared = project.compare.iter().zip(&others).map(|(method, o)| o.as_json(*method));
    summary["compare"] = compared.collect();
    write_whole(&files.report, format!("{summary:#}\n").as_bytes())?;
    write_whole(&files.project, written.completed(&project, &input, enrichment).as_bytes())?;
    write_weights(&files.weights, input.source.loaded(), enrichment)?;
    if !options.quiet {
        prepared.warnings.iter().for_each(|w| report::remark(&format!("warning: {w}")));
        let compared = project.compare.iter().zip(&others);
        compared.for_each(|(method, other)| report::say(&other.line(*method, hidden.as_ref())));
        report::say(&closing_line(&arguments.out, enrichment, &measures, &tally, seconds));
    }
    Ok(others.into_iter().map(|other| other.path).collect())
}

/// The files that are written.
struct Outputs {
    all: Vec<PathBuf>,
    weights: PathBuf,
    report: PathBuf,
    project: PathBuf,
}

impl Outputs {
    fn new(arguments: &Arguments, frames: usize) -> Outputs {
        let beside = |ending: &str| {
            let mut name = arguments.out.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let [weights, report, project] =
            [".weights.ply", ".report.json", ".project.toml"].map(beside);
        let mut all = AnimationWriter::outputs(&arguments.out, frames);
        all.extend([weights.clone(), report.clone(), project.clone()]);
        all.extend(arguments.picture.clone());
        all.extend(Unfinished::files(&arguments.out));
        Outputs { all, weights, report, project }
    }

    fn refuse_inputs(&self, source: &Source, arguments: &Arguments) -> Result<(), Failure> {
        for output in &self.all {
            refuse_overwriting(output, source.files())?;
            refuse_overwriting(output, &[Path::new(&arguments.input)])?;
        }
        Ok(())
    }
}

/// Where the motion of a soft object goes: `soft.object1.glb` for `soft.glb`.
fn object_path(out: &Path, number: usize) -> PathBuf {
    let name = out.file_stem().unwrap_or_default().to_string_lossy();
    let ending = out.extension().unwrap_or_default().to_string_lossy();
    out.with_file_name(format!("{name}.object{number}.{ending}"))
}

/// Some frames of the input above those of the result, and of what it is compared with.
fn before_after(
    input: &mut Sequence,
    frames: &mut Unfinished,
    look: &Look,
    places: &[usize],
    (others, soft): (&[Outcome], &[(usize, Loaded)]),
    options: &Options,
) -> Result<Picture, Failure> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for &k in places {
        before.push(input.frame(k)?);
        after.push(frames.frame(k)?);
    }
    let (mut met, mut first) = (Vec::new(), 0);
    for (_, object) in soft {
        met.extend(object.mesh.triangles.iter().map(|t| t.map(|v| v + first)));
        first += object.mesh.positions.len() as u32;
    }
    let mut rows = vec![("input", &before[..]), ("enriched", &after[..])];
    rows.extend(others.iter().map(|other| (&other.label[..], &other.poses[..])));
    strip::draw(&input.source, look, places, &rows, &met, options)
}

/// The project that is meant, and the folder that its paths are relative to.
fn project(arguments: &Arguments) -> Result<(Project, PathBuf, Written), Failure> {
    let path = Path::new(&arguments.input);
    let mut written = Written::default();
    let (mut project, folder) = if ending(path) == "toml" {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::about(path, error))?;
        let mut project = Project::parse(&text).map_err(|error| Failure::about(path, error))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        project.input = enrichment::relative_input(&project.input, &folder);
        written = Written::of(&text, &folder);
        (project, folder)
    } else {
        (Project::of(&arguments.input), PathBuf::new())
    };
    project.resolution = arguments.resolution.or(project.resolution);
    project.young = arguments.young.or(project.young);
    project.gamma = arguments.gamma.or(project.gamma);
    project.is_loop |= arguments.is_loop;
    Ok((project, folder, written))
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
