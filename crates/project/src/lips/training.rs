//! Training: a lip model from a few corrected frames.

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::DVec3;
use pliant_io::atomic::{refuse_overwriting, write_whole};
use pliant_io::{Animation, AnimationOptions, Loaded, write_mesh};
use pliant_lips::{LipModel, RegressionOptions, model_file, topology};
use pliant_math::team::Team;
use pliant_mesh::Mesh;

use super::neutral::{Neutral, check_capture, read_mesh_in};
use crate::driver::Watch;
use crate::error::ProjectError;
use crate::source::Source;

/// Frames of a capture, evenly spaced, that show a model how lips follow the mouth.
const OBSERVED_FRAMES: usize = 240;

/// The input of a training and its output.
#[derive(Clone, Debug)]
pub struct Training {
    /// The mouth, or the model to which corrected frames are added.
    pub from: TrainingStart,
    /// The captured animation.
    pub capture: String,
    /// How the capture is read.
    pub reading: AnimationOptions,
    /// Corrected frames: files or patterns; the last number in a name is its frame, from 0.
    pub corrected: Vec<String>,
    /// The model to write.
    pub output: PathBuf,
}

/// Start of a training.
#[derive(Clone, Debug)]
pub enum TrainingStart {
    /// A mouth without corrected frames.
    Neutral {
        /// Its mesh and regions.
        neutral: Neutral,
        /// Ridge and truncation of the regression.
        regression: RegressionOptions,
        /// Learn from the corrected frames alone, as the paper does, and nothing from the capture.
        plain: bool,
    },
    /// A trained model, whose regions are kept.
    Model(PathBuf),
}

/// The result of training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingReport {
    /// Corrected frames in the model.
    pub samples: usize,
    /// Independent deformations that they show.
    pub rank: usize,
    /// Triangles of the mouth and of the inner lip.
    pub triangles: [usize; 2],
    /// Duration of the regression \[s\].
    pub seconds: f64,
}

impl Training {
    /// Trains the model and writes it.
    ///
    /// # Errors
    /// When a file cannot be read, or a corrected frame is of another mesh.
    pub fn run(
        &self,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<TrainingReport, ProjectError> {
        let mut capture = Source::open(&self.capture, self.reading.clone())?;
        capture.report(watch);
        let (mut model, rest) = self.start(&capture, watch)?;
        check_capture(&capture, &model)?;
        let files = corrected_files(&self.corrected)?;
        let inputs: Vec<&Path> = files.iter().map(|(_, file)| file.as_path()).collect();
        refuse_overwriting(&self.output, capture.files())?;
        refuse_overwriting(&self.output, &inputs)?;
        let mut samples = Vec::new();
        for (frame, file) in &files {
            let corrected = read_mesh_in(self.reading.unit, &file.to_string_lossy())?.0;
            let captured =
                capture.frame(*frame).map_err(|error| ProjectError::about(file, error))?;
            let positions = &corrected.mesh.positions;
            let about = |error| ProjectError::about(file, error);
            let sample = model.sample(*frame, &captured, positions).map_err(about)?;
            topology::compare(rest.faces(), corrected.faces()).map_err(about)?;
            if let Some(note) = outside_note(&model, file, &captured, positions) {
                watch.note(&note);
            }
            samples.push(sample);
        }
        if matches!(self.from, TrainingStart::Neutral { plain: false, .. }) {
            let count = capture.frames();
            observe(&mut model, count, |frame| capture.frame(frame), &Team::new(threads))?;
        }
        let clock = Instant::now();
        model.extend(samples).map_err(|error| ProjectError::about(&self.output, error))?;
        let seconds = clock.elapsed().as_secs_f64();
        write_model(&self.output, &model)?;
        Ok(TrainingReport {
            samples: model.samples().len(),
            rank: model.rank(),
            triangles: [model.region().mouth.len(), model.region().inner.len()],
            seconds,
        })
    }

    /// The model to add to, and the mesh of corrected frames.
    fn start(
        &self,
        capture: &Source,
        watch: &mut Watch<'_>,
    ) -> Result<(LipModel, Loaded), ProjectError> {
        match &self.from {
            TrainingStart::Model(path) => Ok((open_model(path)?, capture.loaded().clone())),
            TrainingStart::Neutral { neutral, regression, .. } => {
                let (rest, source) = read_mesh_in(self.reading.unit, &neutral.rest)?;
                refuse_overwriting(&self.output, source.files())?;
                regression.check().map_err(|e| ProjectError::Request(e.to_string()))?;
                Ok((neutral.model(&rest, *regression, watch)?, rest))
            }
        }
    }
}

/// Shows a model how lips follow the mouth in a capture of `count` frames.
///
/// # Errors
/// When a frame cannot be read or is of another mesh.
pub fn observe(
    model: &mut LipModel,
    count: usize,
    mut read: impl FnMut(usize) -> Result<Vec<DVec3>, ProjectError>,
    team: &Team,
) -> Result<(), ProjectError> {
    let mut seen = Vec::new();
    for frame in (0..count).step_by(count.div_ceil(OBSERVED_FRAMES).max(1)) {
        seen.push((frame, read(frame)?));
    }
    Ok(model.follow(&seen, team)?)
}

/// Writes a model, complete or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write_model(path: &Path, model: &LipModel) -> Result<(), ProjectError> {
    Ok(write_whole(path, &model_file::encode(model))?)
}

/// Writes a corrected frame as `FOLDER/0012.obj`, from which [`Training`] reads its number.
///
/// # Errors
/// When the file cannot be written.
pub fn write_corrected_frame(
    folder: &Path,
    rest: &Loaded,
    frame: usize,
    positions: Vec<DVec3>,
) -> Result<(), ProjectError> {
    let mesh = Mesh { positions, ..rest.mesh.clone() };
    let corrected = Loaded { mesh, ..rest.clone() };
    write_mesh(&folder.join(format!("{frame:04}.obj")), &corrected)?;
    Ok(())
}

/// Reads a model that was trained.
///
/// # Errors
/// When the file cannot be read or is no lip model.
pub fn open_model(path: &Path) -> Result<LipModel, ProjectError> {
    let bytes = pliant_io::read_bytes(path)?;
    model_file::decode(&bytes).map_err(|error| ProjectError::about(path, error))
}

/// Files with their frames, in the order of frames.
fn corrected_files(written: &[String]) -> Result<Vec<(usize, PathBuf)>, ProjectError> {
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
            ProjectError::about(&file, problem)
        })?;
        numbered.push((frame, file));
    }
    numbered.sort();
    for pair in numbered.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1 {
            let problem = format!("is of frame {} as {} is", pair[0].0, pair[0].1.display());
            return Err(ProjectError::about(&pair[1].1, problem));
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

/// A sentence when a corrected frame differs from the capture where it is not read.
fn outside_note(
    model: &LipModel,
    file: &Path,
    captured: &[DVec3],
    corrected: &[DVec3],
) -> Option<String> {
    let free = model.region().free_vertices();
    let size = model.region().rest.iter().map(|x| x.distance(model.region().rest[0]));
    let slight = 1e-6 * size.fold(0.0, f64::max);
    let moved = captured
        .iter()
        .zip(corrected)
        .zip(0u32..)
        .filter(|((a, b), v)| a.distance(**b) > slight && free.binary_search(v).is_err());
    let (count, most) =
        moved.fold((0, 0.0f64), |(n, most), ((a, b), _)| (n + 1, most.max(a.distance(*b))));
    (count > 0).then(|| {
        format!(
            "{}: {count} vertices outside of the inner lip differ from the capture, by up to \
             {:.2} mm; they are not read",
            file.display(),
            1e3 * most
        )
    })
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
