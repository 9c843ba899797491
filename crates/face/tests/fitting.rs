//! Fits of muscles to skins, and their playback.

use glam::DVec3;
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::inverse::muscle_geometry::{GeometryLearningOptions, learn_geometry};
use pliant_face::inverse::muscle_geometry::{GeometryMatrix, REACH};
use pliant_face::inverse::solve::ReducedFit;
use pliant_face::inverse::solve::{ActivationModel, FaceFit, FaceFitOptions, Fitted};
use pliant_face::performance::PerformanceFrame;
use pliant_face::{Animator, FaceModel, FaceSimulation, FaceSimulationOptions, FittedShape};

use crate::coarse::face;

fn exact() -> FaceSimulationOptions {
    FaceSimulationOptions { contact: false, ..FaceSimulationOptions::default() }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

/// The skin of a shape of a face (m), and the vertices that it moves.
fn target(face: &FaceModel, name: &str) -> (Vec<DVec3>, Vec<usize>) {
    let shape = face.shapes.iter().find(|shape| shape.name == name).expect("a shape");
    let rest = &face.skin.mesh.positions;
    let skin: Vec<DVec3> = rest.iter().zip(&shape.displacement).map(|(p, d)| *p + *d).collect();
    let moved = (0..rest.len()).filter(|&v| skin[v].distance(rest[v]) > 5e-4).collect();
    (skin, moved)
}

#[test]
fn raised_brows_are_made_by_the_forehead_and_played_as_fitted() {
    let face = face();
    let rest = &face.skin.mesh.positions;
    let (target, moved) = target(face, "browInnerUp");
    let options = FaceFitOptions { contact: false, ..FaceFitOptions::default() };
    let fitted = FaceFit::new(face, options).expect("a fit").fit(&target, None).expect("muscles");
    let by = mean(moved.iter().map(|&v| target[v].distance(rest[v])));
    let left = mean(moved.iter().map(|&v| target[v].distance(fitted.skin[v])));
    assert!(left < 0.35 * by, "{:.2} of {:.2} mm are left", 1e3 * left, 1e3 * by);
    let effort = |named: &str| {
        let own = face.muscles.iter().zip(&fitted.contractions);
        mean(own.filter(|(m, _)| m.name.starts_with(named)).map(|(_, c)| *c))
    };
    assert!(effort("frontalis") > 0.02, "{}", effort("frontalis"));
    assert!(effort("mentalis").abs() < 0.02, "{}", effort("mentalis"));

    // The rig goes through a file, and plays what was found.
    let own = FittedShape {
        name: "browInnerUp".to_owned(),
        jaw: fitted.jaw,
        activations: fitted.activations.clone(),
    };
    let rigged = FaceModel { rig: vec![own], ..face.clone() };
    let rigged = FaceModel::decode(&rigged.encode()).expect("a face");
    let names = ["browInnerUp".to_owned()];
    let mut animator = Animator::new(&rigged, &names, &exact()).expect("an animator");
    let frame = PerformanceFrame { weights: vec![1.0], ..PerformanceFrame::default() };
    let played = animator.frame(&frame).skin;
    let off = mean(moved.iter().map(|&v| played[v].distance(fitted.skin[v])));
    assert!(off < 0.02 * by, "played {:.3} mm from what was fitted", 1e3 * off);
}

#[test]
fn flesh_that_is_lent_is_what_it_was_until_it_is_told_to_contract() {
    let face = face();
    let lent = face.with_assignable_tissue(REACH);
    let [before, after] = [face, &lent].map(|face| face.active_tets().len());
    assert!(after > before + before / 2, "{after} of {before} tets");
    let contractions: Vec<f64> = (0..face.muscles.len()).map(|m| 0.05 * (m % 5) as f64).collect();
    let jaw = JawPose { open: 6.0, ..JawPose::default() };
    let skins = [face, &lent].map(|face| {
        let mut simulation = FaceSimulation::new(face, &exact()).expect("a simulation");
        simulation.pose(&contractions, &jaw);
        simulation.skin()
    });
    let off = skins[0].iter().zip(&skins[1]).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(off < 1e-6, "{off:e} m apart");
    let read = FaceModel::decode(&lent.encode()).expect("a face");
    assert_eq!(read.shares, lent.shares);

    // What tets learn to take of muscles they do not have of fat.
    let passive = face.passive_fractions();
    assert_eq!(passive, lent.passive_fractions());
    let mut taught = lent.clone();
    taught.geometry = GeometryMatrix::from_anatomy(&lent);
    let row = lent.shares.chunk_by(|a, b| a.tet == b.tet).position(|own| own[0].is_assignable());
    let row = row.expect("a tet that is lent");
    let first = taught.geometry.starts[row] as usize;
    taught.geometry.entries[first].weight = 0.25;
    taught.geometry.entries[first + 1].weight = 0.75;
    let tet = lent.active_tets()[row].start;
    let tet = lent.shares[tet].tet as usize;
    assert!((taught.passive_fractions()[tet] - 0.25).abs() < 1e-12 && passive[tet] == 1.0);
}

#[test]
fn lids_shut_where_flesh_is_lent_to_their_muscles() {
    let face = &face().with_assignable_tissue(f64::INFINITY);
    let rest = &face.skin.mesh.positions;
    let (target, moved) = target(face, "eyeBlinkLeft");
    let options = FaceFitOptions { contact: false, ..FaceFitOptions::default() };
    let fitted = FaceFit::new(face, options).expect("a fit").fit(&target, None).expect("muscles");
    let by = mean(moved.iter().map(|&v| target[v].distance(rest[v])));
    let left = mean(moved.iter().map(|&v| target[v].distance(fitted.skin[v])));
    assert!(left < 0.25 * by, "{:.2} of {:.2} mm are left", 1e3 * left, 1e3 * by);
}

#[test]
fn a_jaw_that_is_pushed_forward_is_told_by_the_skin_over_it() {
    let face = face();
    let options = FaceFitOptions {
        weights: Vec::new(),
        steps: 0,
        contact: false,
        ..FaceFitOptions::default()
    };
    let mut fit = FaceFit::new(face, options).expect("a fit");
    let forward = DVec3::new(0.0, -0.001, 0.0055);
    for (name, shift) in [("jawForward", forward), ("mouthSmileLeft", DVec3::ZERO)] {
        let jaw = fit.fit(&target(face, name).0, None).expect("a jaw").jaw;
        let off = 1e3 * jaw.shift.distance(shift);
        assert!(jaw.open < 1.0 && off < 1.0, "{name}: {jaw:?}");
    }
    let jaw = fit.fit(&target(face, "jawOpen").0, None).expect("a jaw").jaw;
    assert!((jaw.open - 24.0).abs() < 1.0, "{jaw:?}");
}

#[test]
fn muscles_that_were_learned_make_more_than_those_they_began_as() {
    let face = &face().with_assignable_tissue(REACH);
    let (skins, moved): (Vec<_>, Vec<_>) =
        ["browInnerUp", "mouthSmileLeft"].map(|name| target(face, name)).into_iter().unzip();
    let fit = FaceFitOptions { contact: false, ..FaceFitOptions::default() };
    // Two of the default's three priors, with three of its four steps.
    let (weights, default) = (vec![0.1, 0.03], GeometryLearningOptions::default());
    let options = GeometryLearningOptions { fit: fit.clone(), weights, steps: 3, ..default };
    let learned = learn_geometry(face, &skins, &options, &|| false).expect("a lesson");
    let left = |fitted: &Fitted, k: usize| {
        mean(moved[k].iter().map(|&v| skins[k][v].distance(fitted.skin[v])))
    };
    for k in 0..skins.len() {
        let (before, after) = (left(&learned.before[k], k), left(&learned.after[k], k));
        assert!(after < 0.8 * before, "{k}: {:.3} of {:.3} mm", 1e3 * after, 1e3 * before);
    }
    for tet in 0..learned.geometry.tets() {
        let row = learned.geometry.row(tet);
        assert!(row.iter().all(|entry| entry.weight >= 0.0));
        assert!((row.iter().map(|entry| entry.weight).sum::<f64>() - 1.0).abs() < 1e-9);
    }

    // What was learned goes through a file, and serves to fit what was not learned from: half of a
    // smile.
    let taught = FaceModel { geometry: learned.geometry.clone(), ..face.clone() };
    let taught = FaceModel::decode(&taught.encode()).expect("a face");
    assert_eq!(taught.geometry, learned.geometry);
    let half: Vec<DVec3> =
        face.skin.mesh.positions.iter().zip(&skins[1]).map(|(p, q)| p.midpoint(*q)).collect();
    let by = |face: &FaceModel| {
        let options = FaceFitOptions { model: ActivationModel::Geometry, ..fit.clone() };
        let fitted = FaceFit::new(face, options).expect("a fit").fit(&half, None).expect("muscles");
        mean(moved[1].iter().map(|&v| half[v].distance(fitted.skin[v])))
    };
    let (untaught, taught) = (by(face), by(&taught));
    assert!(taught < 0.8 * untaught, "{:.3} of {:.3} mm", 1e3 * taught, 1e3 * untaught);
}

#[test]
fn half_a_fitted_shape_is_half_of_its_activations() {
    let face = face();
    let squeezed = [0.9, 0.02, 0.0, 1.05, 0.0, 1.05];
    let count = face.active_tets().len();
    let own = FittedShape {
        name: "squeeze".to_owned(),
        jaw: JawPose::default(),
        activations: vec![squeezed; count],
    };
    let rigged = FaceModel { rig: vec![own], ..face.clone() };
    let mut played = FaceSimulation::new(&rigged, &exact()).expect("a simulation");
    played.act(&[], &[0.5], &JawPose::default());
    let mut told = FaceSimulation::new(face, &exact()).expect("a simulation");
    let relaxed = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    let between: [f64; 6] = std::array::from_fn(|k| 0.5 * (relaxed[k] + squeezed[k]));
    told.activate(&vec![between; count], &JawPose::default());
    let off = played.skin().iter().zip(told.skin()).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
    assert!(off < 1e-6, "{off:e} m apart");
}

#[test]
fn what_a_shape_adds_to_another_is_met_better_where_it_counts_for_more() {
    let face = face();
    let rest = &face.skin.mesh.positions;
    let (under, _) = target(face, "browInnerUp");
    let (own, moved) = target(face, "mouthDimpleLeft");
    let both: Vec<DVec3> =
        under.iter().zip(&own).zip(rest).map(|((a, b), rest)| *a + *b - *rest).collect();
    let options = FaceFitOptions { contact: false, ..FaceFitOptions::default() };
    let mut fit = FaceFit::new(face, options).expect("a fit");
    let [plain, over] = [fit.fit(&both, None), fit.fit_with_prerequisite(&both, &under)]
        .map(|fitted| fitted.expect("muscles"));
    let left = |own: &Fitted| mean(moved.iter().map(|&v| both[v].distance(own.skin[v])));
    let [plain, over] = [left(&plain), left(&over)];
    assert!(over < 0.95 * plain, "{:.3}, not less than {:.3} mm", 1e3 * over, 1e3 * plain);
    assert!(fit.fit_with_prerequisite(&both, &under[1..]).is_err());
}

#[test]
fn a_skin_of_another_head_is_refused() {
    let mut fit = FaceFit::new(face(), FaceFitOptions::default()).expect("a fit");
    let refused = fit.fit(&[DVec3::ZERO; 3], None).map(|_| ());
    assert!(refused.is_err_and(|error| error.to_string().contains("vertices")));
}

#[test]
fn muscles_of_known_geometry_are_found_fast_as_well() {
    let face = face();
    let (skin, moved) = target(face, "mouthSmileLeft");
    let options = FaceFitOptions {
        model: ActivationModel::Geometry,
        contact: false,
        ..FaceFitOptions::default()
    };
    let slow =
        FaceFit::new(face, options.clone()).expect("a fit").fit(&skin, None).expect("muscles");
    let mut reduced = ReducedFit::new(face, options).expect("a fit");
    let fast = reduced.fit(&skin).expect("muscles");
    let left = |fitted: &Fitted| mean(moved.iter().map(|&v| skin[v].distance(fitted.skin[v])));
    let (slow, fast_left) = (left(&slow), left(&fast));
    assert!(fast_left < 1.1 * slow, "{:.3} instead of {:.3} mm", 1e3 * fast_left, 1e3 * slow);
    // What was found is where its muscles have it, and the same again.
    let mut simulation = FaceSimulation::new(face, &exact()).expect("a simulation");
    simulation.place(&fast.flesh);
    simulation.activate(&fast.activations, &fast.jaw);
    let off = mean(moved.iter().map(|&v| simulation.skin()[v].distance(fast.skin[v])));
    assert!(off < 5e-5, "{:.3} mm from equilibrium", 1e3 * off);
    assert_eq!(reduced.fit(&skin).expect("muscles").skin, fast.skin);
}

#[test]
fn muscles_that_made_a_skin_are_told_from_others() {
    let face = face();
    let truth = |name: &str| match name {
        "mentalis_l" | "mentalis_r" => 0.2,
        "frontalis_medial_l" => 0.15,
        _ => 0.0,
    };
    let contractions: Vec<f64> = face.muscles.iter().map(|muscle| truth(&muscle.name)).collect();
    let jaw = JawPose { open: 4.0, ..JawPose::default() };
    let mut simulation = FaceSimulation::new(face, &exact()).expect("a simulation");
    simulation.pose(&contractions, &jaw);
    let options = FaceFitOptions {
        model: ActivationModel::Muscle,
        contact: false,
        ..FaceFitOptions::default()
    };
    let mut fit = FaceFit::new(face, options).expect("a fit");
    let fitted = fit.fit(&simulation.skin(), None).expect("muscles");
    for (muscle, found) in face.muscles.iter().zip(&fitted.contractions) {
        // Tets of this size have several muscles in each.
        let wanted = truth(&muscle.name);
        assert!((found - wanted).abs() < 0.08, "{}: {found:.3} for {wanted}", muscle.name);
        assert!(*found >= 0.0, "{} lengthens by itself: {found:.3}", muscle.name);
    }
    assert!((fitted.jaw.open - jaw.open).abs() < 0.3, "{:?}", fitted.jaw);
}
