//! Inverse physics: the time to find muscle activations for a target skin, and the error of the
//! fit.
//!
//! At the size of Dinev 2020, chapter 4 (7,046 vertices, 25,227 tets), which took 998 ms for a
//! matrix per tet and 157 ms with a known geometry. Ichim et al. 2017 took 3 minutes. Targets are
//! shapes of the built-in head.

mod targets;
mod truth;

use std::sync::Arc;

use glam::DVec3;
use pliant_face::FaceModel;
use pliant_face::inverse::activation::ActivationStatistics;
use pliant_face::inverse::muscle_geometry::{GeometryLearningOptions, learn_geometry};
use pliant_face::inverse::muscle_geometry::{GeometryMatrix, REACH};
use pliant_face::inverse::solve::{ActivationModel, FaceFit, FaceFitOptions, Fitted, ReducedFit};
use pliant_face::inverse::targets::Residual;
use serde_json::json;

use self::targets::{
    BUMPS, Bump, LEARNED, SINGLES, Target, UNSEEN, bumped, preset, recovered, skin,
};
use crate::bodies::build_head;
use crate::error::BenchError;
use crate::numbers::mean;
use crate::shared::Shared;
use crate::suite::{Entry, Stop, Suite, Values, check};
use crate::table::{Column, Row, numbers};

/// Length of edges in the cheek \[m\]: about as many tets as the thesis has.
const EDGE: f64 = 0.0057;
/// Part of the smile from which `tensor/warm-smile` starts.
const WARM: f64 = 0.8;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "inverse",
    about: "inverse physics: time to find muscles, and what is left of the skin they are to make",
    columns: &[
        Column::fixed("tets", "tets", 0),
        Column::fixed("setup_seconds", "setup [s]", 1),
        Column::fixed("seconds", "time [s]", 3),
        Column::fixed("moved_mm", "moved [mm]", 2),
        Column::fixed("mean_mm", "left [mm]", 3),
        Column::fixed("percent", "[%]", 1),
        Column::fixed("untaught_mm", "untaught [mm]", 3),
        Column::fixed("share_percent", "in its muscles [%]", 1),
        Column::fixed("aligned_percent", "along fibres [%]", 1),
        Column::fixed("bump_percent", "of the bump [%]", 1),
        Column::fixed("precision", "precision", 2),
        Column::fixed("recall", "recall", 2),
        Column::fixed("jaw_degrees", "jaw [°]", 2),
        Column::fixed("jaw_mm", "jaw [mm]", 2),
        Column::REASON,
    ],
    entries,
    conclude,
    ..Suite::ONE_AT_A_TIME
};

fn entries(threads: usize) -> Vec<Entry> {
    use ActivationModel::{Fibre, Muscle, Tensor};
    let subject = Arc::new(Subject::new(threads));
    let mut rows = Rows { subject, entries: Vec::new() };
    for target in &SINGLES {
        rows.add(format!("tensor/{}", target.name), |s, _| s.fit_target(target, Tensor, true));
    }
    rows.add("tensor/warm-smile".to_owned(), |s, _| s.fit_warm());
    for target in &SINGLES {
        rows.add(format!("fibre/{}", target.name), |s, _| s.fit_target(target, Fibre, true));
    }
    for target in SINGLES.iter().filter(|target| target.muscles().is_some()) {
        rows.add(format!("plain/{}", target.name), |s, _| s.fit_target(target, Tensor, false));
    }
    rows.add("lesson".to_owned(), |s, stop| Ok(s.learned(stop)?.1.clone()));
    for name in UNSEEN {
        rows.add(format!("unseen/{name}"), |s, stop| s.fit_unseen(name, stop));
    }
    for bump in &BUMPS {
        rows.add(format!("artefact/tensor/{}", bump.name), |s, _| s.fit_bump_by_tensors(bump));
    }
    for bump in &BUMPS {
        let name = format!("artefact/geometry/{}", bump.name);
        rows.add(name, |s, stop| s.fit_bump_by_geometry(bump, stop));
    }
    for (model, name) in [(Tensor, "tensor"), (Muscle, "muscle")] {
        rows.add(format!("truth/{name}"), move |s, stop| {
            truth::measure(s.faces()?.of(model), model, s.threads, stop)
        });
    }
    rows.entries
}

/// Rows about one subject.
struct Rows {
    subject: Arc<Subject>,
    entries: Vec<Entry>,
}

impl Rows {
    fn add(
        &mut self,
        name: String,
        work: impl Fn(&Subject, Stop) -> Result<Values, BenchError> + Send + Sync + 'static,
    ) {
        let subject = Arc::clone(&self.subject);
        self.entries.push(Entry::new(name, move |stop| {
            subject.faces()?;
            check(stop)?;
            work(&subject, stop)
        }));
    }
}

/// The head, without and with assignable tissue.
struct Faces {
    plain: FaceModel,
    /// The same with all passive tets assigned to muscles.
    assigned: FaceModel,
}

impl Faces {
    /// The face whose activations a model fits.
    fn of(&self, model: ActivationModel) -> &FaceModel {
        if model == ActivationModel::Tensor { &self.assigned } else { &self.plain }
    }
}

/// The head, and the geometry learned from some of its expressions.
struct Subject {
    threads: usize,
    faces: Shared<Faces>,
    learned: Shared<(FaceModel, Values)>,
}

impl Subject {
    fn new(threads: usize) -> Subject {
        Subject { threads, faces: Shared::new(), learned: Shared::new() }
    }

    fn faces(&self) -> Result<&Faces, BenchError> {
        self.faces.get(|| {
            let plain = build_head(EDGE, self.threads)?;
            let assigned = plain.with_assignable_tissue(f64::INFINITY);
            Ok(Faces { plain, assigned })
        })
    }

    fn options(&self, model: ActivationModel) -> FaceFitOptions {
        FaceFitOptions { model, threads: self.threads, ..FaceFitOptions::default() }
    }

    fn fit_target(
        &self,
        target: &Target,
        model: ActivationModel,
        anatomical: bool,
    ) -> Result<Values, BenchError> {
        let face = self.faces()?.of(model);
        let wanted = skin(face, target, 1.0);
        let options = FaceFitOptions { anatomical, ..self.options(model) };
        let fitted = FaceFit::new(face, options)?.fit(&wanted, None)?;
        let mut values = fit_values(face, &wanted, &fitted);
        if let Some(names) = target.muscles() {
            let activity = ActivationStatistics::of(face, &fitted.activations);
            let own = face.muscles.iter().zip(&activity.muscles);
            let own = own.filter(|(m, _)| names.iter().any(|name| m.name.starts_with(name)));
            values.push(("share_percent", json!(100.0 * own.map(|(_, part)| part).sum::<f64>())));
            values.push(("aligned_percent", json!(100.0 * activity.aligned)));
        }
        Ok(values)
    }

    fn fit_warm(&self) -> Result<Values, BenchError> {
        let face = &self.faces()?.assigned;
        let mut fit = FaceFit::new(face, self.options(ActivationModel::Tensor))?;
        let near = fit.fit(&skin(face, &SINGLES[0], WARM), None)?;
        let wanted = skin(face, &SINGLES[0], 1.0);
        let fitted = fit.fit(&wanted, Some(&near))?;
        Ok(fit_values(face, &wanted, &fitted))
    }

    /// The face with a geometry learned from the presets [`LEARNED`], and the row about learning
    /// it.
    fn learned(&self, stop: Stop) -> Result<&(FaceModel, Values), BenchError> {
        self.learned.get(|| {
            let face = self.faces()?.plain.with_assignable_tissue(REACH);
            let skins = LEARNED.map(|name| preset(&face, name));
            let fit = self.options(ActivationModel::Geometry);
            let learned = learn_geometry(
                &face,
                &skins,
                &GeometryLearningOptions { fit, ..GeometryLearningOptions::default() },
                stop,
            )?;
            check(stop)?;
            let mean_error = |fits: &[Fitted]| {
                let pairs = fits.iter().zip(&skins);
                mean(&pairs.map(|(fit, skin)| error_mm(&face, skin, fit)).collect::<Vec<_>>())
            };
            let values = vec![
                ("tets", json!(face.solid.tets.len())),
                ("seconds", json!(learned.seconds)),
                ("mean_mm", json!(mean_error(&learned.after))),
                ("untaught_mm", json!(mean_error(&learned.before))),
            ];
            Ok((FaceModel { geometry: learned.geometry, ..face }, values))
        })
    }

    fn fit_unseen(&self, name: &str, stop: Stop) -> Result<Values, BenchError> {
        let (face, _) = self.learned(stop)?;
        let wanted = preset(face, name);
        let options = self.options(ActivationModel::Geometry);
        let mut reduced = ReducedFit::new(face, options.clone())?;
        let fitted = reduced.fit(&wanted)?;
        let mut values = fit_values(face, &wanted, &fitted);
        values.push(("setup_seconds", json!(reduced.seconds)));
        let untaught = FaceModel { geometry: GeometryMatrix::default(), ..face.clone() };
        let before = ReducedFit::new(&untaught, options)?.fit(&wanted)?;
        values.push(("untaught_mm", json!(error_mm(face, &wanted, &before))));
        Ok(values)
    }

    fn fit_bump_by_tensors(&self, bump: &Bump) -> Result<Values, BenchError> {
        let face = &self.faces()?.assigned;
        let mut fit = FaceFit::new(face, self.options(ActivationModel::Tensor))?;
        fit_bump(face, bump, |skin| Ok(fit.fit(skin, None)?))
    }

    fn fit_bump_by_geometry(&self, bump: &Bump, stop: Stop) -> Result<Values, BenchError> {
        let (face, _) = self.learned(stop)?;
        let mut fit = ReducedFit::new(face, self.options(ActivationModel::Geometry))?;
        fit_bump(face, bump, |skin| Ok(fit.fit(skin)?))
    }
}

fn fit_values(face: &FaceModel, target: &[DVec3], fitted: &Fitted) -> Values {
    let Residual { moved, mean, .. } =
        Residual::of(&face.skin.mesh.positions, target, &fitted.skin);
    vec![
        ("tets", json!(face.solid.tets.len())),
        ("seconds", json!(fitted.seconds)),
        ("moved_mm", json!(moved)),
        ("mean_mm", json!(mean)),
        ("percent", json!(100.0 * mean / moved)),
    ]
}

/// Mean distance of a fit from its target \[mm\].
fn error_mm(face: &FaceModel, target: &[DVec3], fitted: &Fitted) -> f64 {
    Residual::of(&face.skin.mesh.positions, target, &fitted.skin).mean
}

/// Fits a smile without and with a bump, and measures how much of the bump the fit reproduces.
fn fit_bump(
    face: &FaceModel,
    bump: &Bump,
    mut fit: impl FnMut(&[DVec3]) -> Result<Fitted, BenchError>,
) -> Result<Values, BenchError> {
    let (plain, wanted) = (skin(face, &SINGLES[0], 1.0), bumped(face, &SINGLES[0], bump));
    let [without, with] = [fit(&plain)?, fit(&wanted)?];
    let mut values = fit_values(face, &wanted, &with);
    let part = recovered([&plain, &wanted], [&without.skin, &with.skin]);
    values.push(("bump_percent", json!(100.0 * part)));
    Ok(values)
}

fn conclude(rows: &[Row]) -> String {
    let means = |group: &str| {
        let [seconds, left] = ["seconds", "mean_mm"].map(|key| mean(&numbers(rows, group, key)));
        if seconds.is_nan() || left.is_nan() {
            return "not measured".to_owned();
        }
        format!("{seconds:.2} s, {left:.2} mm left")
    };
    format!("a matrix per tet: {}; geometry known: {}", means("tensor/"), means("unseen/"))
}
