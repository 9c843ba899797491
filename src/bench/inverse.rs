//! Inverse physics: how long muscles take to find, and how far the skin they make is from the one that was asked for.
//!
//! At the size of Dinev 2020, chapter 4 (7,046 vertices, 25,227 tets), which took 998 ms for a matrix per tet and 157 ms where
//! geometry is known. Ichim et al. 2017 took 3 minutes. Targets are shapes of the built-in head.

mod skins;
mod truth;

use std::sync::{Mutex, PoisonError};

use glam::DVec3;
use pliant::face::inverse::activation::ActivationStatistics;
use pliant::face::inverse::muscle_geometry::{GeometryLearningOptions, learn_geometry};
use pliant::face::inverse::muscle_geometry::{GeometryMatrix, REACH};
use pliant::face::inverse::solve::ReducedFit;
use pliant::face::inverse::solve::{ActivationModel, FaceFit, FaceFitOptions, Fitted};
use pliant::face::inverse::target::Residual;
use pliant::face::{BuildOptions, FaceError, FaceModel, Template, build};
use pliant::math::team::Team;
use serde_json::json;

use self::skins::{
    ABOUT, BUMPS, Bump, LEARNED, SINGLES, Target, UNSEEN, bumped, made_of_bump, preset, skin,
};
use super::{Column, Entry, Row, Stop, Style, Suite, Values};

/// Length of tets' edges in the cheek \[m\]: about as many tets as the thesis has.
const EDGE: f64 = 0.0057;
/// What is known of an expression before the one that is fitted next, in a performance.
const NEIGHBOUR: f64 = 0.8;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "inverse",
    about: "inverse physics: time to find muscles, and what is left of the skin they are to make",
    columns: &[
        Column { key: "tets", heading: "tets", style: Style::Fixed(0) },
        Column { key: "setup_seconds", heading: "setup [s]", style: Style::Fixed(1) },
        Column { key: "seconds", heading: "time [s]", style: Style::Fixed(3) },
        Column { key: "moved_mm", heading: "moved [mm]", style: Style::Fixed(2) },
        Column { key: "mean_mm", heading: "left [mm]", style: Style::Fixed(3) },
        Column { key: "percent", heading: "[%]", style: Style::Fixed(1) },
        Column { key: "untaught_mm", heading: "untaught [mm]", style: Style::Fixed(3) },
        Column { key: "share_percent", heading: "in its muscles [%]", style: Style::Fixed(1) },
        Column { key: "aligned_percent", heading: "along fibres [%]", style: Style::Fixed(1) },
        Column { key: "bump_percent", heading: "of the bump [%]", style: Style::Fixed(1) },
        Column { key: "precision", heading: "precision", style: Style::Fixed(2) },
        Column { key: "recall", heading: "recall", style: Style::Fixed(2) },
        Column { key: "jaw_degrees", heading: "jaw [°]", style: Style::Fixed(2) },
        Column { key: "jaw_mm", heading: "jaw [mm]", style: Style::Fixed(2) },
        Column { key: "reason", heading: "", style: Style::Words },
    ],
    entries,
    conclude,
    figure: None,
    one_at_a_time: true,
    last_row: None,
};

fn entries(threads: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |name: String, work: Work| {
        entries.push(Entry::new(name, move |stop: Stop<'_>| {
            let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
            if made.is_none() {
                let face = model(EDGE, threads)?;
                let lent = face.with_assignable_tissue(f64::INFINITY);
                *made = Some(Subject { face, lent, taught: None });
            }
            let Some(subject) = &mut *made else { return Ok(None) };
            if stop() {
                return Ok(None);
            }
            work(subject, threads, stop)
        }));
    };
    for target in &SINGLES {
        add(
            format!("tensor/{}", target.name),
            Box::new(|s, n, _| fitted(s, n, target, ActivationModel::Tensor, true)),
        );
    }
    add("tensor/warm-smile".to_owned(), Box::new(|s, n, _| warm(s, n)));
    for target in &SINGLES {
        add(
            format!("fibre/{}", target.name),
            Box::new(|s, n, _| fitted(s, n, target, ActivationModel::Fibre, true)),
        );
    }
    for target in SINGLES.iter().filter(|target| ABOUT.iter().any(|(name, _)| *name == target.name))
    {
        add(
            format!("plain/{}", target.name),
            Box::new(|s, n, _| fitted(s, n, target, ActivationModel::Tensor, false)),
        );
    }
    add("lesson".to_owned(), Box::new(lesson));
    for name in UNSEEN {
        add(format!("unseen/{name}"), Box::new(move |s, n, stop| unseen(s, n, name, stop)));
    }
    for bump in &BUMPS {
        let name = format!("artefact/tensor/{}", bump.name);
        add(name, Box::new(|s, n, _| artefact_by_tensors(s, n, bump)));
    }
    for bump in &BUMPS {
        let name = format!("artefact/geometry/{}", bump.name);
        add(name, Box::new(|s, n, stop| artefact_by_geometry(s, n, bump, stop)));
    }
    for (model, name) in [(ActivationModel::Tensor, "tensor"), (ActivationModel::Muscle, "muscle")]
    {
        add(
            format!("truth/{name}"),
            Box::new(move |s, n, stop| {
                let face = if model == ActivationModel::Tensor { &s.lent } else { &s.face };
                truth::measure(face, model, n, stop)
            }),
        );
    }
    entries
}

/// What a row does with the face.
type Work =
    Box<dyn Fn(&mut Subject, usize, Stop<'_>) -> Result<Option<Values>, FaceError> + Send + Sync>;

/// A face, the same with all flesh lent to its muscles, and what it has learned, once it has.
struct Subject {
    face: FaceModel,
    lent: FaceModel,
    taught: Option<(FaceModel, Values)>,
}

static MADE: Mutex<Option<Subject>> = Mutex::new(None);

/// The built-in head with tets of a size \[m\]; its skin is the same whatever the size.
fn model(edge: f64, threads: usize) -> Result<FaceModel, FaceError> {
    let team = Team::new(threads);
    let skin = pliant::face::anatomy::edge_lengths::DEFAULT_SIZE;
    let head = Template::built_in(skin, &team)?;
    build(&head, "built in".as_ref(), &BuildOptions { size: edge }, &team).map(|(face, _)| face)
}

fn options(model: ActivationModel, threads: usize) -> FaceFitOptions {
    FaceFitOptions { model, threads, ..FaceFitOptions::default() }
}

fn told(face: &FaceModel, target: &[DVec3], fitted: &Fitted) -> Values {
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

fn fitted(
    subject: &Subject,
    threads: usize,
    target: &Target,
    model: ActivationModel,
    anatomical: bool,
) -> Result<Option<Values>, FaceError> {
    let face = match model {
        ActivationModel::Tensor => &subject.lent,
        _ => &subject.face,
    };
    let asked = FaceFitOptions { anatomical, ..options(model, threads) };
    let wanted = skin(face, target, 1.0);
    let fitted = FaceFit::new(face, asked)?.fit(&wanted, None)?;
    let mut values = told(face, &wanted, &fitted);
    if let Some((_, about)) = ABOUT.iter().find(|(name, _)| *name == target.name) {
        let activity = ActivationStatistics::of(face, &fitted.activations);
        let own = face.muscles.iter().zip(&activity.muscles);
        let own = own.filter(|(m, _)| about.iter().any(|name| m.name.starts_with(name)));
        values.push(("share_percent", json!(100.0 * own.map(|(_, part)| part).sum::<f64>())));
        values.push(("aligned_percent", json!(100.0 * activity.aligned)));
    }
    Ok(Some(values))
}

fn warm(subject: &Subject, threads: usize) -> Result<Option<Values>, FaceError> {
    let face = &subject.lent;
    let mut fit = FaceFit::new(face, options(ActivationModel::Tensor, threads))?;
    let near = fit.fit(&skin(face, &SINGLES[0], NEIGHBOUR), None)?;
    let wanted = skin(face, &SINGLES[0], 1.0);
    let fitted = fit.fit(&wanted, Some(&near))?;
    Ok(Some(told(face, &wanted, &fitted)))
}

/// The face that has learned from five; what that was like, or nothing when asked to stop.
fn taught<'a>(
    subject: &'a mut Subject,
    threads: usize,
    stop: Stop,
) -> Result<Option<&'a (FaceModel, Values)>, FaceError> {
    let Subject { face, taught, .. } = subject;
    if taught.is_none() {
        let face = &face.with_assignable_tissue(REACH);
        let skins: Vec<Vec<DVec3>> = LEARNED.iter().map(|name| preset(face, name)).collect();
        let fit = options(ActivationModel::Geometry, threads);
        let lesson = GeometryLearningOptions { fit, ..GeometryLearningOptions::default() };
        let learned = learn_geometry(face, &skins, &lesson, stop)?;
        if stop() {
            return Ok(None);
        }
        let rest = &face.skin.mesh.positions;
        let mean = |fits: &[Fitted]| {
            let of = |(fitted, target): (&Fitted, &Vec<DVec3>)| {
                Residual::of(rest, target, &fitted.skin).mean
            };
            fits.iter().zip(&skins).map(of).sum::<f64>() / skins.len() as f64
        };
        let values = vec![
            ("tets", json!(face.solid.tets.len())),
            ("seconds", json!(learned.seconds)),
            ("mean_mm", json!(mean(&learned.after))),
            ("untaught_mm", json!(mean(&learned.before))),
        ];
        *taught = Some((FaceModel { geometry: learned.geometry, ..face.clone() }, values));
    }
    Ok(taught.as_ref())
}

fn lesson(subject: &mut Subject, threads: usize, stop: Stop) -> Result<Option<Values>, FaceError> {
    Ok(taught(subject, threads, stop)?.map(|(_, values)| values.clone()))
}

fn unseen(
    subject: &mut Subject,
    threads: usize,
    name: &str,
    stop: Stop,
) -> Result<Option<Values>, FaceError> {
    let Some((face, _)) = taught(subject, threads, stop)? else { return Ok(None) };
    let wanted = preset(face, name);
    let asked = options(ActivationModel::Geometry, threads);
    let mut reduced = ReducedFit::new(face, asked.clone())?;
    let fitted = reduced.fit(&wanted)?;
    let mut values = told(face, &wanted, &fitted);
    values.push(("setup_seconds", json!(reduced.seconds)));
    let untaught = FaceModel { geometry: GeometryMatrix::default(), ..face.clone() };
    let before = ReducedFit::new(&untaught, asked)?.fit(&wanted)?;
    let mean = Residual::of(&face.skin.mesh.positions, &wanted, &before.skin).mean;
    values.push(("untaught_mm", json!(mean)));
    Ok(Some(values))
}

fn artefact_by_tensors(
    subject: &Subject,
    threads: usize,
    bump: &Bump,
) -> Result<Option<Values>, FaceError> {
    let mut fit = FaceFit::new(&subject.lent, options(ActivationModel::Tensor, threads))?;
    artefact(&subject.lent, bump, |skin| fit.fit(skin, None)).map(Some)
}

fn artefact_by_geometry(
    subject: &mut Subject,
    threads: usize,
    bump: &Bump,
    stop: Stop,
) -> Result<Option<Values>, FaceError> {
    let Some((face, _)) = taught(subject, threads, stop)? else { return Ok(None) };
    let mut fit = ReducedFit::new(face, options(ActivationModel::Geometry, threads))?;
    artefact(face, bump, |skin| fit.fit(skin)).map(Some)
}

/// A smile without and with a bump on it, and how much of that was made.
fn artefact(
    face: &FaceModel,
    bump: &Bump,
    mut fit: impl FnMut(&[DVec3]) -> Result<Fitted, FaceError>,
) -> Result<Values, FaceError> {
    let (plain, wanted) = (skin(face, &SINGLES[0], 1.0), bumped(face, &SINGLES[0], bump));
    let [without, with] = [fit(&plain)?, fit(&wanted)?];
    let mut values = told(face, &wanted, &with);
    let made = made_of_bump([&plain, &wanted], [&without.skin, &with.skin]);
    values.push(("bump_percent", json!(100.0 * made)));
    Ok(values)
}

fn conclude(rows: &[Row]) -> String {
    let mean = |group: &str, key: &str| {
        let own = rows.iter().filter(|row| row.name.starts_with(group));
        let own: Vec<f64> = own.filter_map(|row| row.get(key).as_f64()).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    };
    let said = |group: &str| match (mean(group, "seconds"), mean(group, "mean_mm")) {
        (Some(seconds), Some(left)) => format!("{seconds:.2} s, {left:.2} mm left"),
        _ => "not measured".to_owned(),
    };
    format!("a matrix per tet: {}; geometry known: {}", said("tensor/"), said("unseen/"))
}
