//! Enrichments: physics for a finished animation.

mod comparison;
mod completed;
mod prepare;
mod run;
mod tally;

use std::path::{Path, PathBuf};

use pliant_enrich::Project as EnrichProject;
use pliant_io::AnimationOptions;

pub use prepare::{
    ContactObjects, FilledSurface, LoopClosure, Prepared, contact_objects, prepare, resolve,
    selectable_rest, separated_pose, settle,
};

use crate::demo::Look;
use crate::driver::{self, Outcome, Project, Settings, Watch};
use crate::error::ProjectError;
use crate::path::ending;
use crate::source::FrameRange;
use completed::Written;
use prepare::relative_input;
use run::EnrichmentRun;

/// An animation to be enriched into an output.
pub struct EnrichmentProject {
    /// The values that a project file may set.
    pub values: EnrichProject,
    /// The animation to write; its ending is the format.
    pub output: PathBuf,
    /// The frames to enrich.
    pub frames: FrameRange,
    /// How the input is read.
    pub reading: AnimationOptions,
    /// Half the resolution, for a first look.
    pub preview: bool,
    /// A picture of some frames: the input above the result.
    pub picture: Option<PathBuf>,
    /// How the picture is taken.
    pub look: Look,
    /// The project file or the animation, as it was named.
    input: PathBuf,
    /// Names of files in the project start from here.
    folder: PathBuf,
    written: Written,
}

/// The result of an enrichment.
#[derive(Clone, Debug, PartialEq)]
pub struct EnrichmentReport {
    /// The content of `FILE.report.json`.
    pub json: serde_json::Value,
    /// Things that are probably wrong.
    pub warnings: Vec<String>,
    /// Frames enriched.
    pub frames: usize,
    /// Tets simulated.
    pub tets: usize,
    /// Largest motion added, relative to the size of the body.
    pub most_motion: f64,
    /// Milliseconds per frame of the fit and of the simulation.
    pub ms_per_frame: [f64; 2],
    /// Duration of it all \[s\].
    pub seconds: f64,
    /// The animations by other methods, and a sentence about each.
    pub comparisons: Vec<(PathBuf, String)>,
}

impl EnrichmentProject {
    /// Opens a project file (`.toml`) or an animation; the result will go to `output`.
    ///
    /// # Errors
    /// When the project file cannot be read or makes no sense.
    pub fn open(input: &str, output: impl AsRef<Path>) -> Result<Self, ProjectError> {
        let path = Path::new(input);
        let mut project = EnrichmentProject {
            values: EnrichProject::of(input),
            output: output.as_ref().to_owned(),
            frames: FrameRange::ALL,
            reading: AnimationOptions::default(),
            preview: false,
            picture: None,
            look: Look::default(),
            input: path.to_owned(),
            folder: PathBuf::new(),
            written: Written::default(),
        };
        if ending(path) == "toml" {
            let text = pliant_io::read_text(path)?;
            let values = EnrichProject::parse(&text);
            project.values = values.map_err(|error| ProjectError::about(path, error))?;
            project.folder = path.parent().unwrap_or(Path::new("")).to_owned();
            project.values.input = relative_input(&project.values.input, &project.folder);
            project.written = Written::of(&text, &project.folder);
        }
        Ok(project)
    }
}

impl Project for EnrichmentProject {
    type Report = EnrichmentReport;

    fn drive(
        &self,
        settings: &Settings,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<EnrichmentReport>, ProjectError> {
        driver::drive(EnrichmentRun::new(self, settings.threads, watch)?, settings, watch)
    }
}
