//! A fit under way: target after target, and the files that come of it.

use std::cell::RefCell;

use pliant_face::inverse::muscle_geometry::{
    GeometryLearningOptions, GeometryMatrix, learn_geometry,
};
use pliant_face::inverse::solve::{ActivationModel, FaceFit, FaceFitOptions, Fitted, ReducedFit};
use pliant_face::inverse::targets::{Residual, fit_relative};
use pliant_face::{FaceError, FaceModel, FittedShape};
use pliant_io::atomic::write_whole;
use pliant_io::{Loaded, write_mesh};
use pliant_mesh::{DVec3, Mesh};
use serde_json::{Value, json};

use super::targets::Target;
use super::{FitProject, FitReport, sheet};
use crate::driver::{Place, Watch, Work};
use crate::error::ProjectError;

/// Fits a skin \[m\], relative to the skin of a prerequisite shape if there is one.
type Fitter<'a> = Box<dyn FnMut(&[DVec3], Option<&[DVec3]>) -> Result<Fitted, FaceError> + 'a>;

/// How targets are fitted.
pub enum Method<'a> {
    /// One after the other.
    Each(Fitter<'a>),
    /// All at once, to learn the geometry of muscles.
    Learn(FaceFitOptions),
}

impl<'a> Method<'a> {
    pub fn new(
        face: &'a FaceModel,
        options: FaceFitOptions,
        learn: bool,
    ) -> Result<Self, FaceError> {
        if learn {
            return Ok(Method::Learn(options));
        }
        if options.model == ActivationModel::Geometry {
            let mut reduced = ReducedFit::new(face, options)?;
            return Ok(Method::Each(Box::new(move |skin, _| reduced.fit(skin))));
        }
        let mut fit = FaceFit::new(face, options)?;
        Ok(Method::Each(Box::new(move |skin, under| match under {
            Some(under) => fit.fit_with_prerequisite(skin, under),
            None => fit.fit(skin, None),
        })))
    }
}

/// A fit under way.
pub struct FitRun<'a> {
    request: &'a FitProject,
    face: &'a FaceModel,
    targets: Vec<Target>,
    method: Method<'a>,
    key: u64,
    threads: usize,
    /// Fits of prerequisite shapes, by name.
    prerequisites: Vec<(String, Fitted)>,
    /// The targets that are fitted: rows of the report, and what the model plays.
    rows: Vec<Value>,
    rig: Vec<FittedShape>,
    seconds: f64,
    geometry: Option<GeometryMatrix>,
}

impl<'a> FitRun<'a> {
    pub fn new(
        request: &'a FitProject,
        face: &'a FaceModel,
        targets: Vec<Target>,
        method: Method<'a>,
        (key, threads): (u64, usize),
    ) -> Self {
        FitRun {
            request,
            face,
            targets,
            method,
            key,
            threads,
            prerequisites: Vec::new(),
            rows: Vec::new(),
            rig: Vec::new(),
            seconds: 0.0,
            geometry: None,
        }
    }

    /// Keeps a fit, and writes its skin and picture.
    fn keep(&mut self, index: usize, fitted: &Fitted, row: Value) -> Result<(), ProjectError> {
        let target = &self.targets[index];
        let path = |ending| self.request.output.join(format!("{}.{ending}", target.name));
        write_mesh(&path("obj"), &skin_at(self.face, &fitted.skin))?;
        if self.request.pictures {
            let named = (&target.name[..], &target.skin[..]);
            sheet::write(&path("png"), self.face, named, fitted, self.threads)?;
        }
        let (name, activations) = (target.name.clone(), fitted.activations.clone());
        self.rows.push(row);
        self.rig.push(FittedShape { name, jaw: fitted.jaw, activations });
        Ok(())
    }

    /// The model with the fitted shapes in its rig.
    fn model(&self) -> FaceModel {
        let mut face = self.face.clone();
        if let Some(geometry) = &self.geometry {
            face.geometry = geometry.clone();
        }
        for shape in &self.rig {
            match face.rig.iter_mut().find(|own| own.name == shape.name) {
                Some(own) => *own = shape.clone(),
                None => face.rig.push(shape.clone()),
            }
        }
        face
    }

    fn learn(&mut self, fit: FaceFitOptions, watch: &mut Watch<'_>) -> Result<(), ProjectError> {
        let options = GeometryLearningOptions { fit, ..GeometryLearningOptions::default() };
        let skins: Vec<Vec<DVec3>> = self.targets.iter().map(|t| t.skin.clone()).collect();
        let total = self.targets.len();
        let watch = RefCell::new(watch);
        let is_stopped = || watch.borrow_mut().progress(Self::UNIT, 0, total);
        let learned = learn_geometry(self.face, &skins, &options, &is_stopped)?;
        for (index, (fitted, before)) in learned.after.iter().zip(&learned.before).enumerate() {
            let mut row = row(self.face, &self.targets[index], fitted);
            row["mean_mm_at_first"] =
                self::row(self.face, &self.targets[index], before)["mean_mm"].take();
            self.keep(index, fitted, row)?;
        }
        (self.seconds, self.geometry) = (learned.seconds, Some(learned.geometry));
        Ok(())
    }

    fn summary(&self) -> Value {
        json!({ "targets": self.rows, "seconds": self.seconds })
    }

    /// Writes the model and the report.
    fn write(&self) -> Result<Value, ProjectError> {
        write_whole(&self.request.output.join("model.face"), &self.model().encode())?;
        let summary = self.summary();
        let path = self.request.output.join("report.json");
        write_whole(&path, format!("{summary:#}\n").as_bytes())?;
        Ok(summary)
    }
}

/// Fits a target, and its prerequisite shape first where that is not known.
fn fit_target(
    fit: &mut Fitter<'_>,
    face: &FaceModel,
    target: &Target,
    prerequisites: &mut Vec<(String, Fitted)>,
) -> Result<Fitted, FaceError> {
    let Some((name, skin)) = &target.prerequisite else { return fit(&target.skin, None) };
    let known = prerequisites.iter().position(|(own, _)| own == name);
    let known = match known {
        Some(known) => known,
        None => {
            prerequisites.push((name.clone(), fit(skin, None)?));
            prerequisites.len() - 1
        }
    };
    let base = &prerequisites[known].1;
    let rest = &face.skin.mesh.positions;
    fit_relative(rest, &target.skin, (skin, base), |both, under| fit(both, Some(under)))
}

impl Work for FitRun<'_> {
    type Report = FitReport;
    const UNIT: &'static str = "targets";

    fn place(&self) -> Place {
        let output = self.request.output.clone();
        Place { snapshot: output.join("snapshot.bin"), output, key: self.key }
    }

    fn total(&self) -> usize {
        self.targets.len()
    }

    fn done(&self) -> usize {
        self.rig.len()
    }

    fn begin(&mut self, watch: &mut Watch<'_>) -> Result<(), ProjectError> {
        match &self.method {
            Method::Learn(options) => self.learn(options.clone(), watch),
            Method::Each(_) => Ok(()),
        }
    }

    fn restore(&mut self, done: usize, state: &[u8]) -> Result<(), ProjectError> {
        let incomplete = || ProjectError::Snapshot {
            path: self.place().snapshot,
            problem: "is not a complete snapshot".to_owned(),
        };
        let (length, rest) = state.split_first_chunk::<8>().ok_or_else(incomplete)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| incomplete())?;
        let (summary, model) = rest.split_at_checked(length).ok_or_else(incomplete)?;
        let summary: Value = serde_json::from_slice(summary).map_err(|_| incomplete())?;
        let face = FaceModel::decode(model)?;
        let rows = summary["targets"].as_array().ok_or_else(incomplete)?;
        if rows.len() != done || face.rig.len() != done || done > self.total() {
            return Err(incomplete());
        }
        (self.rows, self.rig) = (rows.clone(), face.rig);
        self.seconds = summary["seconds"].as_f64().unwrap_or(0.0);
        Ok(())
    }

    fn step(&mut self) -> Result<(), ProjectError> {
        let index = self.rig.len();
        let target = &self.targets[index];
        let Method::Each(fit) = &mut self.method else { return Ok(()) };
        let fitted = fit_target(fit, self.face, target, &mut self.prerequisites)?;
        let is_prerequisite = |other: &Target| {
            other.prerequisite.as_ref().is_some_and(|(name, _)| *name == target.name)
        };
        if self.targets.iter().any(is_prerequisite) {
            self.prerequisites.push((target.name.clone(), fitted.clone()));
        }
        self.seconds += fitted.seconds;
        let row = row(self.face, target, &fitted);
        self.keep(index, &fitted, row)
    }

    fn snapshot(&mut self) -> Result<Vec<u8>, ProjectError> {
        let summary = self.summary().to_string().into_bytes();
        let face = FaceModel { rig: self.rig.clone(), ..self.face.clone() };
        let mut bytes = (summary.len() as u64).to_le_bytes().to_vec();
        bytes.extend(summary);
        bytes.extend(face.encode());
        Ok(bytes)
    }

    fn suspend(self) -> Result<(), ProjectError> {
        self.write().map(drop)
    }

    fn finish(self, _watch: &mut Watch<'_>) -> Result<FitReport, ProjectError> {
        let json = self.write()?;
        Ok(FitReport { json, targets: self.rig.len(), seconds: self.seconds })
    }
}

fn skin_at(face: &FaceModel, positions: &[DVec3]) -> Loaded {
    let skin = &face.skin;
    Loaded {
        mesh: Mesh { positions: positions.to_vec(), ..skin.mesh.clone() },
        polygons: skin.polygons.clone(),
        attributes: skin.attributes.clone(),
        notes: Vec::new(),
    }
}

/// A target's row in the report.
fn row(face: &FaceModel, target: &Target, fitted: &Fitted) -> Value {
    let found = Residual::of(&face.skin.mesh.positions, &target.skin, &fitted.skin);
    let contractions = face.muscles.iter().zip(&fitted.contractions);
    let muscles: serde_json::Map<String, Value> =
        contractions.map(|(muscle, by)| (muscle.name.clone(), json!(by))).collect();
    let (jaw, shift) = (&fitted.jaw, 1e3 * fitted.jaw.shift);
    json!({
        "name": target.name,
        "over": target.prerequisite.as_ref().map(|(name, _)| name),
        "moved_mm": found.moved,
        "mean_mm": found.mean,
        "max_mm": found.max,
        "iterations": fitted.steps,
        "seconds": fitted.seconds,
        "jaw": [jaw.open, jaw.turn, shift.x, shift.y, shift.z],
        "muscles": muscles,
    })
}
