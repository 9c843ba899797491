//! Face fits: the muscles and the jaw pose that make given skins.

mod lines;
mod run;
mod sheet;
mod targets;

use std::path::{Path, PathBuf};

use pliant_face::FaceModel;
use pliant_face::inverse::blend::REACH;
use pliant_face::inverse::fit::{ActivationModel, FitOptions};
use pliant_io::IoError;
use pliant_io::atomic::refuse_overwriting;
use pliant_sim::snapshot::checksum;

use crate::driver::{self, Outcome, Project, Settings, Watch};
use crate::error::ProjectError;
use crate::performance::open_face;
use run::{FitRun, Method};
use targets::Target;

/// Targets to be fitted by a face model.
#[derive(Clone, Debug)]
pub struct FitProject {
    /// The face model, a `.face` file.
    pub model: PathBuf,
    /// Meshes of skins with the vertices of the model's own, in its order, each named after its
    /// shape; every shape of the model where there are none.
    pub targets: Vec<PathBuf>,
    /// The folder to write: `model.face`, `NAME.obj` and `NAME.png` per target, `report.json`.
    pub output: PathBuf,
    /// The unknowns of the fit.
    pub activation: ActivationModel,
    /// Learn from all targets together how far muscles reach, and keep that in the model.
    pub learn_muscles: bool,
    /// Lips collide with teeth and each other.
    pub contact: bool,
    /// Draw a picture per target.
    pub pictures: bool,
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitReport {
    /// The content of `report.json`.
    pub json: serde_json::Value,
    /// Targets fitted.
    pub targets: usize,
    /// Duration of the fits \[s\].
    pub seconds: f64,
}

impl FitProject {
    /// Fits `targets`, or every shape of the model where there are none, with a matrix per tet.
    pub fn new(model: impl AsRef<Path>, targets: &[PathBuf], output: impl AsRef<Path>) -> Self {
        FitProject {
            model: model.as_ref().to_owned(),
            targets: targets.to_vec(),
            output: output.as_ref().to_owned(),
            activation: ActivationModel::Tensor,
            learn_muscles: false,
            contact: true,
            pictures: true,
        }
    }

    fn check_outputs(&self, targets: &[Target]) -> Result<(), ProjectError> {
        let mut inputs: Vec<&Path> = vec![&self.model];
        inputs.extend(self.targets.iter().map(PathBuf::as_path));
        let skins = targets.iter().map(|target| self.output.join(format!("{}.obj", target.name)));
        for output in skins.chain([self.output.join("model.face")]) {
            refuse_overwriting(&output, &inputs)?;
        }
        Ok(())
    }

    /// The model with the tissue that the fit may activate.
    fn with_assignable_tissue(&self, face: FaceModel) -> FaceModel {
        if self.learn_muscles {
            // Tissue near muscles may turn out to be theirs.
            face.lending(REACH)
        } else if self.activation == ActivationModel::Tensor && face.geometry.tets() == 0 {
            // A matrix per tet may activate all tissue, until learning says which is muscle.
            face.lending(f64::INFINITY)
        } else {
            face
        }
    }

    /// Tells snapshots apart: every file that is read, and how targets are fitted.
    fn key(&self) -> Result<u64, ProjectError> {
        let kind = (self.activation, self.learn_muscles, self.contact);
        let mut bytes = format!("{kind:?}").into_bytes();
        for path in [&self.model].into_iter().chain(&self.targets) {
            bytes.extend(checksum(&pliant_io::read_bytes(path)?).to_le_bytes());
        }
        Ok(checksum(&bytes))
    }
}

impl Project for FitProject {
    type Report = FitReport;

    fn drive(
        &self,
        settings: &Settings,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome<FitReport>, ProjectError> {
        let face = open_face(&self.model)?;
        let targets = targets::read(self, &face)?;
        self.check_outputs(&targets)?;
        let output = &self.output;
        std::fs::create_dir_all(output).map_err(IoError::system(output, "create"))?;
        let face = self.with_assignable_tissue(face);
        let options = FitOptions {
            model: self.activation,
            contact: self.contact,
            threads: settings.threads,
            ..FitOptions::default()
        };
        let method = Method::new(&face, options, self.learn_muscles)?;
        let run = FitRun::new(self, &face, targets, method, (self.key()?, settings.threads));
        driver::drive(run, settings, watch)
    }
}
