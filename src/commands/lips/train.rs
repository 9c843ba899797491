//! `pliant lips train`: a model from a few corrected frames.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pliant::io::atomic::{refuse_overwriting, write_whole};
use pliant::io::{Animation, Loaded};
use pliant::lips::{LipModel, RegressionOptions, model_file, topology};
use pliant::math::team::Team;

use super::region::{Neutral, check_capture, mesh};
use crate::animation::Source;
use crate::arguments::{Options, Reading, output};
use crate::failure::Failure;
use crate::next_step::{self, Output};
use crate::report;

/// Train a lip model from a few corrected frames
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    pliant lips train --rest rest.obj --capture capture.pc2 --corrected \"fix/*.obj\" \
    --inner inner.txt --mouth mouth.txt --out mouth.lips\n  \
    pliant lips train --model mouth.lips --capture capture.pc2 --corrected fix/0137.obj --out mouth.lips")]
pub struct Arguments {
    #[command(flatten)]
    neutral: Neutral,
    /// Lip model to add corrected frames to; its regions are kept
    #[arg(long, value_name = "FILE.lips", conflicts_with_all = ["rest", "inner", "mouth", "lips", "rigid", "ridge", "truncation"])]
    model: Option<PathBuf>,
    /// Captured animation
    #[arg(long = "capture", visible_alias = "frames", value_name = "CAPTURE")]
    frames: String,
    /// Meshes of corrected frames; the last number in a file name is the frame, from 0
    #[arg(long, value_name = "FILES", required = true, num_args = 1..)]
    corrected: Vec<String>,
    /// Regularisation: 0 reproduces the corrected frames, 0.001 averages contradictions
    #[arg(long, value_name = "LAMBDA", default_value_t = 0.0)]
    ridge: f64,
    /// Relative singular value below which directions of the corrected frames are ignored
    #[arg(long, value_name = "PART", default_value_t = 1e-6)]
    truncation: f64,
    /// Learn from the corrected frames alone, without the capture, as in the paper
    #[arg(long, conflicts_with = "model")]
    plain: bool,
    /// Lip model to write
    #[arg(long, short, value_name = "FILE.lips", value_parser = output(&["lips"]))]
    out: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
    let mut capture = Source::open(&arguments.frames, arguments.reading.options())?;
    capture.remark(options);
    let (mut model, rest) = start(&arguments, &capture, options)?;
    check_capture(&capture, &arguments.frames, &model)?;
    let files = corrected_files(&arguments.corrected)?;
    let inputs: Vec<&Path> = files.iter().map(|(_, file)| file.as_path()).collect();
    refuse_overwriting(&arguments.out, capture.files())?;
    refuse_overwriting(&arguments.out, &inputs)?;
    let mut samples = Vec::new();
    for (frame, file) in &files {
        let corrected = mesh(&file.to_string_lossy(), &arguments.reading)?.0;
        let about = |error| Failure::about(file, error);
        let captured = capture.frame(*frame).map_err(|failure| Failure::about(file, failure))?;
        let positions = &corrected.mesh.positions;
        let sample = model.sample(*frame, &captured, positions).map_err(about)?;
        topology::compare(rest.faces(), corrected.faces()).map_err(about)?;
        remark_outside(&model, file, &captured, positions, options);
        samples.push(sample);
    }
    if arguments.model.is_none() && !arguments.plain {
        follow(&mut model, &mut capture, options)?;
    }
    let clock = Instant::now();
    model.extend(samples).map_err(|error| Failure::about(&arguments.out, error))?;
    let seconds = clock.elapsed().as_secs_f64();
    write_whole(&arguments.out, &model_file::encode(&model))?;
    if !options.quiet {
        report::say(&format!(
            "wrote {}: {} corrected frames that show {} ways to move, {} triangles of the mouth and {} of \
             the inner lip, trained in {seconds:.3} s",
            arguments.out.display(),
            model.samples().len(),
            model.rank(),
            model.region().mouth.len(),
            model.region().inner.len(),
        ));
    }
    next_step::suggest(Output::LipModel(&arguments.out), options);
    Ok(())
}

/// Frames of a capture, evenly spaced, that a model learns from how lips follow the mouth.
const SEEN: usize = 240;

fn follow(model: &mut LipModel, capture: &mut Source, options: &Options) -> Result<(), Failure> {
    let stride = capture.frames().div_ceil(SEEN);
    let mut seen = Vec::new();
    for frame in (0..capture.frames()).step_by(stride) {
        seen.push((frame, capture.frame(frame)?));
    }
    let team = Team::new(options.threads());
    model.follow(&seen, &team).map_err(|error| Failure::new(error.to_string()))
}

/// The model to add to, and the mesh that corrected frames are of.
fn start(
    arguments: &Arguments,
    capture: &Source,
    options: &Options,
) -> Result<(LipModel, Loaded), Failure> {
    if let Some(path) = &arguments.model {
        return Ok((open(path)?, capture.loaded().clone()));
    }
    let Some(rest) = &arguments.neutral.rest else {
        return Err(Failure::usage("expected --rest, the neutral mesh, or --model to add to"));
    };
    let (rest, source) = mesh(rest, &arguments.reading)?;
    refuse_overwriting(&arguments.out, source.files())?;
    let regression =
        RegressionOptions { ridge: arguments.ridge, truncation: arguments.truncation };
    regression.check().map_err(|error| Failure::usage(error.to_string()))?;
    Ok((arguments.neutral.model(&rest, regression, options)?, rest))
}

/// Reads a model.
pub fn open(path: &Path) -> Result<LipModel, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
    model_file::decode(&bytes).map_err(|error| Failure::about(path, error))
}

/// Files with the frames that they are of, in the order of frames.
fn corrected_files(written: &[String]) -> Result<Vec<(usize, PathBuf)>, Failure> {
    let mut files = Vec::new();
    for pattern in written {
        match Path::new(pattern).exists() || !pattern.contains(['*', '?', '[']) {
            true => files.push(PathBuf::from(pattern)),
            false => files.extend_from_slice(Animation::open(pattern)?.files()),
        }
    }
    let mut numbered = Vec::new();
    for file in files {
        let frame = frame_of(&file).ok_or_else(|| {
            let problem = "expected the number of its frame in its name, as in frame_0137.obj";
            Failure::about(&file, problem)
        })?;
        numbered.push((frame, file));
    }
    numbered.sort();
    for pair in numbered.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1 {
            let problem = format!("is of frame {} as {} is", pair[0].0, pair[0].1.display());
            return Err(Failure::about(&pair[1].1, problem));
        }
    }
    numbered.dedup();
    Ok(numbered)
}

/// The last number in a file's name.
fn frame_of(file: &Path) -> Option<usize> {
    let stem = file.file_stem()?.to_str()?;
    let end = stem.rfind(|c: char| c.is_ascii_digit())? + 1;
    let before = stem[..end].char_indices().rev().find(|(_, c)| !c.is_ascii_digit());
    let start = before.map_or(0, |(at, c)| at + c.len_utf8());
    stem[start..end].parse().ok()
}

/// Says when a corrected frame differs from the capture where it will not be read.
fn remark_outside(
    model: &LipModel,
    file: &Path,
    captured: &[glam::DVec3],
    corrected: &[glam::DVec3],
    options: &Options,
) {
    let free = model.region().free_vertices();
    let size = model.region().rest.iter().map(|x| x.distance(model.region().rest[0]));
    let slight = 1e-6 * size.fold(0.0, f64::max);
    let moved = captured.iter().zip(corrected).zip(0u32..).filter(|((a, b), v)| {
        a.distance(**b) > slight && free.binary_search(v).is_err()
    });
    let (count, most) =
        moved.fold((0, 0.0f64), |(n, most), ((a, b), _)| (n + 1, most.max(a.distance(*b))));
    if count > 0 && !options.quiet {
        report::remark(&format!(
            "note: {}: {count} vertices outside of the inner lip differ from the capture, by up to \
             {:.2} mm; they are not read",
            file.display(),
            1e3 * most
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_the_last_numbers_in_names() {
        let of = |name: &str| frame_of(Path::new(name));
        assert_eq!(of("fix/0012.obj"), Some(12));
        assert_eq!(of("take2_frame137_v.obj"), Some(137));
        assert_eq!(of("fix7/lips.obj"), None);
        assert_eq!(of("é9.obj"), Some(9));
        assert_eq!(of("99999999999999999999999.obj"), None);
    }
}
