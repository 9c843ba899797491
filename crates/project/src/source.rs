//! Animations as users name them: opened, read frame by frame, and converted.

mod blocks;
mod frame_range;
mod generated;
mod sequence;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::atomic::refuse_overwriting;
use pliant_io::{Animation, AnimationOptions, AnimationWriter, Loaded, guess_unit, unit_named};
use pliant_mesh::Mesh;
use pliant_mesh::menagerie::Colour;

pub use frame_range::{FrameRange, FrameRangeError};
pub use generated::PUPPET;
pub use sequence::Sequence;

use crate::driver::{Outcome, Watch};
use crate::error::ProjectError;
use crate::path::ending;
use generated::Generated;

/// Frames per second where nothing says how many.
pub const DEFAULT_FPS: f64 = 30.0;

/// An animation with the name it was asked for by: a file, a glob of frames, `rest.obj+cache.pc2`,
/// a cache, the directory of a run, or a built-in one such as `puppet:elephant`.
pub struct Source {
    written: String,
    files: Vec<PathBuf>,
    motion: Motion,
    /// The mesh, where more is known of it than the file says.
    known: Option<Loaded>,
}

enum Motion {
    Read(Animation),
    Generated(Generated),
}

impl Source {
    /// Opens it; frames are read one at a time, later.
    pub fn open(written: &str, options: AnimationOptions) -> Result<Source, ProjectError> {
        if let Some(generated) = Generated::find(written, &options) {
            let motion = Motion::Generated(generated?);
            return Ok(Source {
                written: written.to_owned(),
                files: Vec::new(),
                motion,
                known: None,
            });
        }
        let path = Path::new(written);
        let (files, animation) = if path.is_dir() {
            let (rest, cache) = (path.join("rest.obj"), path.join("animation.pc2"));
            let pair = format!("{}+{}", rest.display(), cache.display());
            let animation = Animation::open_with(&pair, options)?;
            (vec![rest, cache], animation)
        } else {
            let animation = Animation::open_with(written, options)?;
            let parts = written.split('+').map(PathBuf::from);
            let beside = match ending(path).as_str() {
                // The mesh of a cache is one of these.
                "pc2" | "mdd" if !written.contains('+') => {
                    vec![path.with_extension("obj"), path.with_file_name("rest.obj")]
                }
                "gltf" => vec![path.with_extension("bin")],
                _ => Vec::new(),
            };
            let mut files: Vec<PathBuf> = parts.chain([path.to_owned()]).chain(beside).collect();
            files.extend_from_slice(animation.files());
            files.retain(|file| file.exists());
            (files, animation)
        };
        if animation.frame_count() == 0 {
            return Err(ProjectError::about(path, "expected at least one frame, found none"));
        }
        let motion = Motion::Read(animation);
        Ok(Source { written: written.to_owned(), files, motion, known: None })
    }

    /// The same, of a mesh of which more is known than its file could hold.
    pub fn with_mesh(self, known: Loaded) -> Source {
        Source { known: Some(known), ..self }
    }

    /// A short name, for labels.
    pub fn name(&self) -> String {
        let path = Path::new(&self.written);
        path.file_name().map_or(self.written.clone(), |name| name.to_string_lossy().into())
    }

    /// The name of the animation, as a path.
    pub fn path(&self) -> &Path {
        Path::new(&self.written)
    }

    /// The files that must not be overwritten.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The files of the frames, where each has its own.
    pub fn frame_files(&self) -> &[PathBuf] {
        match &self.motion {
            Motion::Read(animation) => animation.files(),
            Motion::Generated(_) => &[],
        }
    }

    /// The mesh at rest.
    pub fn rest(&self) -> &Mesh {
        &self.file().mesh
    }

    /// The mesh at rest with its polygons and attributes.
    pub fn loaded(&self) -> &Loaded {
        self.known.as_ref().unwrap_or_else(|| self.file())
    }

    /// Notes of the reader.
    pub fn notes(&self) -> &[String] {
        &self.file().notes
    }

    /// Frames per second, if a file or the user says so.
    pub fn stated_fps(&self) -> Option<f64> {
        match &self.motion {
            Motion::Read(animation) => animation.fps(),
            Motion::Generated(generated) => Some(generated.fps()),
        }
    }

    /// Frames per second.
    pub fn fps(&self) -> f64 {
        self.stated_fps().unwrap_or(DEFAULT_FPS)
    }

    /// Names of the animations in the file.
    pub fn clips(&self) -> &[String] {
        match &self.motion {
            Motion::Read(animation) => animation.clips(),
            Motion::Generated(_) => &[],
        }
    }

    /// Number of frames, at least one.
    pub fn frames(&self) -> usize {
        match &self.motion {
            Motion::Read(animation) => animation.frame_count(),
            Motion::Generated(generated) => generated.frames(),
        }
    }

    /// The part of the frames that is asked for.
    pub fn part(&self, asked: FrameRange) -> Result<RangeInclusive<usize>, ProjectError> {
        let count = self.frames();
        asked.within(count).ok_or_else(|| {
            let problem = format!("has {count} frames, counted from 0, none of those asked for");
            ProjectError::about(Path::new(&self.written), problem)
        })
    }

    /// Positions of a frame, from 0 \[m\].
    pub fn frame(&mut self, index: usize) -> Result<Vec<DVec3>, ProjectError> {
        if index >= self.frames() {
            let problem = format!("has {} frames, but frame {index} is asked for", self.frames());
            return Err(ProjectError::about(Path::new(&self.written), problem));
        }
        let mut positions = vec![DVec3::ZERO; self.rest().positions.len()];
        match &mut self.motion {
            Motion::Read(animation) => animation.read_frame(index, &mut positions)?,
            Motion::Generated(generated) => positions = generated.frame(index),
        }
        Ok(positions)
    }

    /// The vertices' colours, sRGB from 0 to 1, where they are painted.
    pub fn colours(&self) -> Option<Vec<Colour>> {
        let painted = self.loaded().attributes.iter().find(|attribute| attribute.is_color())?;
        let of = |vertex: usize| {
            std::array::from_fn(|k| painted.of(vertex).get(k).map_or(1.0, |c| *c as f32))
        };
        Some((0..self.rest().positions.len()).map(of).collect())
    }

    /// The content of the file.
    fn file(&self) -> &Loaded {
        match &self.motion {
            Motion::Read(animation) => animation.loaded(),
            Motion::Generated(generated) => generated.loaded(),
        }
    }

    /// Units in which the file is probably written, if metres it can hardly be; the first is the
    /// best guess.
    pub fn unit_guess(&self) -> Vec<&'static str> {
        self.rest().bounds().map_or(Vec::new(), |b| guess_unit(b.size().max_element()))
    }

    /// Metres per unit of the file: the best guess, or 1.
    pub fn working_unit(&self) -> f64 {
        self.unit_guess().first().and_then(|name| unit_named(name)).unwrap_or(1.0)
    }

    /// A sentence about a size that cannot be metres.
    pub fn unit_warning(&self) -> Option<String> {
        let length = self.rest().bounds()?.size().max_element();
        let guesses: Vec<String> = self
            .unit_guess()
            .into_iter()
            .map(|name| format!("{name} ({:.3} m)", length * unit_named(name).unwrap_or(1.0)))
            .collect();
        (!guesses.is_empty()).then(|| {
            format!(
                "{} is {length:.1} m long: its unit is perhaps {}; --unit says which",
                self.name(),
                guesses.join(" or ")
            )
        })
    }

    /// Tells the readers' notes and a doubtful size.
    pub fn report(&self, watch: &mut Watch<'_>) {
        self.notes().iter().for_each(|note| watch.note(note));
        self.unit_warning().iter().for_each(|warning| watch.warn(warning));
    }
}

/// Writes frames of an animation to `out`, one at a time, in the format of its ending. The report
/// is the number of files written.
///
/// # Errors
/// When a frame cannot be read or written, or an output is one of the inputs.
pub fn convert(
    source: &mut Source,
    frames: FrameRange,
    fps: f64,
    out: &Path,
    watch: &mut Watch<'_>,
) -> Result<Outcome<usize>, ProjectError> {
    let frames = source.part(frames)?;
    let total = frames.end() - frames.start() + 1;
    let outputs = AnimationWriter::outputs(out, total);
    for output in &outputs {
        refuse_overwriting(output, source.files())?;
    }
    let mut writer = AnimationWriter::create(out, source.loaded().clone(), fps, total)?;
    let mut done = 0;
    for frame in frames {
        writer.write_frame(&source.frame(frame)?)?;
        done += 1;
        if watch.progress("frames", done, total) {
            break;
        }
    }
    writer.notes().iter().for_each(|note| watch.note(note));
    writer.finish()?;
    Ok(match done < total {
        true => Outcome::Stopped { unit: "frames", done, total },
        false => Outcome::Finished(outputs.len()),
    })
}
