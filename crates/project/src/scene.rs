//! Scenes: from a scene file to a run folder.
//!
//! A run folder holds `metrics.csv`, `animation.pc2`, `rest.obj`, `summary.json`, and `scene.toml`,
//! a copy of the scene. While the run goes on, the first two end in `.part`, and `snapshot.bin` is
//! the state to resume from.

mod files;
mod ledger;
mod metrics;
mod run;
mod scene_copy;
mod surfaces;

use std::path::{Path, PathBuf};

use pliant_io::atomic::refuse_overwriting;
use pliant_io::{AnimationOptions, AnimationWriter};
use pliant_model::Model;
use pliant_scene::SceneFile;

pub use files::SceneFiles;
pub use ledger::{Milliseconds, Summary};
pub use metrics::{COLUMNS, Row as MetricsRow};
pub use scene_copy::SCENE_COPY;
pub(crate) use scene_copy::{resolve_files, write_copy};
pub use surfaces::Surfaces;

use crate::driver::{self, Outcome, Project, Settings, Watch};
use crate::error::ProjectError;
use crate::source::{FrameRange, Source, convert};
use run::{Run, RunFiles};
use scene_copy::SceneCopy;

/// A scene to be simulated into a run folder.
pub struct SceneProject {
    /// The scene as it was written.
    pub scene: SceneFile,
    /// The model that was built from it.
    pub model: Model,
    /// The run folder.
    pub output: PathBuf,
    /// A second file for the animation, besides `animation.pc2`.
    pub animation: Option<PathBuf>,
    /// Replace a finished run of another scene.
    pub overwrite: bool,
    /// Files that were read, which must not be overwritten.
    inputs: Vec<PathBuf>,
    notes: Vec<String>,
    /// The scene file, to be copied into the run folder.
    copy: Option<SceneCopy>,
}

impl SceneProject {
    /// Reads a scene file and builds its model; the run will go into the folder `output`.
    ///
    /// # Errors
    /// When the scene or a file that it names cannot be read or makes no sense.
    pub fn open(path: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<Self, ProjectError> {
        let path = path.as_ref();
        let text = pliant_io::read_text(path)?;
        let scene = SceneFile::parse(&text).map_err(|error| ProjectError::about(path, error))?;
        let mut files = SceneFiles::within(path.parent().unwrap_or(Path::new("")));
        let model = scene.build(&mut files).map_err(|error| ProjectError::about(path, error))?;
        let (mut inputs, notes) = files.into_parts();
        inputs.push(path.to_owned());
        let output = output.as_ref().to_owned();
        let (animation, overwrite) = (None, false);
        let copy = Some(SceneCopy::of(path, &text, output.as_ref())?);
        Ok(SceneProject { scene, model, output, animation, overwrite, inputs, notes, copy })
    }

    /// A scene whose model is built already. Its run replaces any other.
    pub fn of(scene: SceneFile, model: Model, output: &Path) -> Self {
        let output = output.to_owned();
        let (inputs, notes) = (Vec::new(), Vec::new());
        let (animation, overwrite) = (None, true);
        SceneProject { scene, model, output, animation, overwrite, inputs, notes, copy: None }
    }

    /// Every file that the run writes.
    pub fn outputs(&self) -> Vec<PathBuf> {
        let mut all = RunFiles::new(&self.output).all();
        let frames = self.scene.frames as usize + 1;
        all.extend(self.animation.iter().flat_map(|path| AnimationWriter::outputs(path, frames)));
        all
    }

    /// Writes the animation of the finished run in a second format.
    fn write_animation(
        &self,
        path: &Path,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<usize>, ProjectError> {
        let run = self.output.to_string_lossy();
        let source = Source::open(&run, AnimationOptions::default())?;
        let mut source = source.with_mesh(Surfaces::of(&self.model).rest().clone());
        convert(&mut source, FrameRange::ALL, self.scene.fps, path, watch)
    }
}

impl Project for SceneProject {
    type Report = Summary;

    fn drive(
        &self,
        settings: &Settings,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<Summary>, ProjectError> {
        if let Some(path) = &self.animation {
            AnimationWriter::check(path, self.scene.frames as usize + 1)?;
        }
        for output in self.outputs() {
            refuse_overwriting(&output, &self.inputs)?;
        }
        self.notes.iter().for_each(|note| watch.note(note));
        let outcome = driver::drive(Run::new(self, settings.threads)?, settings, watch)?;
        if let (Some(path), Outcome::Finished(_) | Outcome::AlreadyFinished(_)) =
            (&self.animation, &outcome)
        {
            // The run is finished: to resume it writes this file again.
            if let Outcome::Stopped { unit, done, total } = self.write_animation(path, watch)? {
                return Ok(Outcome::Stopped { unit, done, total });
            }
        }
        Ok(outcome)
    }
}
