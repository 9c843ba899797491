//! The face built from the built-in head.

use std::path::Path;

use glam::{DMat3, DVec3};
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::{
    BoneHold, BoundaryPart, BuildOptions, FaceModel, FaceSimulation, FaceSimulationOptions,
    FaceSolver, Template, build,
};
use pliant_math::team::Team;
use pliant_mesh::{Locator, SurfaceTree, quality};

use crate::coarse::{face, head};

fn interactive(iterations: u32) -> FaceSimulationOptions {
    FaceSimulationOptions {
        solver: FaceSolver::Interactive { iterations },
        ..FaceSimulationOptions::default()
    }
}

/// The skin's vertex nearest to a point.
fn nearest(face: &FaceModel, vertices: &[u32], point: DVec3) -> usize {
    let from = |v: &&u32| face.skin.mesh.positions[**v as usize].distance(point);
    *vertices.iter().min_by(|a, b| from(a).total_cmp(&from(b))).expect("vertices") as usize
}

#[test]
fn flesh_lies_on_skin_and_bones_and_no_tet_is_turned_over() {
    let (head, face) = (head(), face());
    assert_eq!(quality::inverted(&face.solid), 0);
    let mut angles: Vec<f64> = (0..face.solid.tets.len())
        .map(|t| quality::dihedral_range(face.solid.corners(t).expect("a tet")).0)
        .collect();
    angles.sort_by(f64::total_cmp);
    assert!(angles[0] > 1.0 && angles[angles.len() / 100] > 10.0, "{:?}", &angles[..9]);
    let surfaces = [&head.skin, &head.skull, &head.mandible].map(|s| SurfaceTree::new(&s.mesh));
    let mut counts = [0; 3];
    for (p, part) in face.solid.positions.iter().zip(&face.parts) {
        let Some(part) = part else { continue };
        let number = match part {
            BoundaryPart::Skin => 0,
            BoundaryPart::Skull => 1,
            BoundaryPart::Mandible => 2,
        };
        let away = surfaces[number].closest(*p).expect("a surface").distance;
        assert!(away < 1e-6, "{p} is {away} m off {part:?}");
        counts[number] += 1;
    }
    assert!(counts.iter().all(|count| *count > 80), "{counts:?}");
}

#[test]
fn no_tet_joins_the_lips() {
    let face = face();
    let tree = SurfaceTree::new(&face.skin.mesh);
    let joins = |t: &&[u32; 3]| {
        [0, 1].iter().all(|&k: &usize| t.iter().any(|v| face.lips[k].binary_search(v).is_ok()))
    };
    let reach = |t: &[u32; 3]| {
        t.iter()
            .map(|&v| face.skin.mesh.positions[v as usize].x.abs())
            .fold(f64::INFINITY, f64::min)
    };
    let slit =
        face.skin.mesh.triangles.iter().filter(joins).map(reach).fold(f64::INFINITY, f64::min);
    assert!((0.019..0.024).contains(&slit), "the slit ends {slit} m from the middle");
    let lip = |v: u32| {
        let found = tree.closest(face.solid.positions[v as usize])?;
        let own = face.skin.mesh.triangles[found.triangle as usize];
        let on = |k: usize| own.iter().all(|s| face.lips[k].binary_search(s).is_ok());
        let on_skin = face.parts[v as usize] == Some(BoundaryPart::Skin) && found.distance < 1e-6;
        // The slit ends 23 mm from the middle: triangles of the skin join the lips from there on.
        let inside = found.point.x.abs() < slit;
        [0, 1].into_iter().find(|&k| on_skin && inside && on(k))
    };
    let sides: Vec<Option<usize>> = (0..face.solid.positions.len() as u32).map(lip).collect();
    let mut tets = [0, 0];
    for (t, tet) in face.solid.tets.iter().enumerate() {
        let own = tet.map(|v| sides[v as usize]);
        let [upper, lower] = [0, 1].map(|k| own.contains(&Some(k)));
        assert!(!(upper && lower), "tet {t} at {:?}", face.solid.corners(t));
        tets[0] += usize::from(upper);
        tets[1] += usize::from(lower);
    }
    assert!(tets.iter().all(|count| *count > 200), "{tets:?}");
}

#[test]
fn there_is_flesh_wherever_skin_is_over_bone() {
    let (head, face) = (head(), face());
    let locator = Locator::new(&face.solid);
    let bone = SurfaceTree::new(&head.skull.mesh);
    let region = |name: &str| {
        let found = head.regions.iter().find(|region| region.name == name);
        found.map(|region| region.vertices.clone()).unwrap_or_default()
    };
    let mut all = [region("forehead"), region("brow_l"), region("cheek_r")].concat();
    all.retain(|v| face.binding.tets[*v as usize].is_some());
    let holds = |v: &&u32| {
        let p = face.skin.mesh.positions[**v as usize];
        bone.closest(p).is_some_and(|found| locator.find(p.midpoint(found.point)).is_some())
    };
    let filled = all.iter().filter(holds).count();
    assert!(all.len() > 300 && filled * 1000 > 995 * all.len(), "{filled} of {}", all.len());
}

#[test]
fn muscles_are_found_in_the_tets() {
    let face = face();
    let active = face.active_fractions();
    let some = active.iter().filter(|a| **a > 0.0).count() as f64 / active.len() as f64;
    assert!((0.15..0.5).contains(&some), "{some}");
    assert!(active.iter().all(|a| (0.0..=1.0).contains(a)));
    for name in
        ["zygomaticus_major_l", "frontalis_medial_r", "orbicularis_oris_upper", "mentalis_l"]
    {
        let number = face.muscles.iter().position(|m| m.name == name).expect(name);
        let volume: f64 = face
            .shares
            .iter()
            .filter(|s| s.muscle as usize == number)
            .map(|s| {
                let [a, b, c, d] = face.solid.corners(s.tet as usize).expect("a tet");
                s.fraction * (b - a).dot((c - a).cross(d - a)) / 6.0
            })
            .sum();
        let own = head().muscles.iter().find(|m| m.name == name).expect(name).solid.volume();
        assert!((volume / own - 1.0).abs() < 0.15, "{name}: {volume} of {own} m³");
        assert!(face.muscles[number].curve.len() > 18, "{name}");
    }
    assert!(face.shares.iter().all(|s| (s.fibre.length() - 1.0).abs() < 1e-9));
}

#[test]
fn at_rest_the_skin_is_the_skin_and_nothing_is_strained() {
    let face = face();
    let skin = face.skin_at(&face.solid.positions);
    let off = |(a, b): (&DVec3, &DVec3)| a.distance(*b);
    let worst = skin.iter().zip(&face.skin.mesh.positions).map(off).fold(0.0, f64::max);
    assert!(worst < 1e-9, "{worst}");
    assert!(face.strains(&face.solid.positions).iter().all(|s| s.abs() < 1e-9));
    let least = face.binding.weights.iter().zip(&face.binding.tets).filter(|b| b.1.is_some());
    let least = least.flat_map(|b| b.0).copied().fold(0.0, f64::min);
    assert!(least > -3.0, "{least}");
}

#[test]
fn a_jaw_that_opens_by_twenty_degrees_opens_the_mouth() {
    let face = face();
    let mut simulation = FaceSimulation::new(face, &interactive(60)).expect("a simulation");
    let open = JawPose { open: 20.0, ..JawPose::default() };
    let report = simulation.pose(&[], &open);
    assert_eq!(report.fallbacks, 0);
    let skin = simulation.skin();
    assert!(skin.iter().all(|p| p.is_finite()));
    let [upper, lower] = [0, 1].map(|k| {
        let line = DVec3::new(0.0, -0.0735, 0.032);
        skin[nearest(face, &face.lips[k], line)]
    });
    assert!(upper.y - lower.y > 0.018, "the mouth opens by {} m", upper.y - lower.y);
    let nose =
        nearest(face, &(0..skin.len() as u32).collect::<Vec<_>>(), DVec3::new(0.0, -0.0385, 0.05));
    assert!(skin[nose].distance(face.skin.mesh.positions[nose]) < 0.002);
}

#[test]
fn a_smile_draws_the_corners_up_and_out_and_shortens_its_muscles() {
    let face = face();
    let mut simulation = FaceSimulation::new(face, &interactive(60)).expect("a simulation");
    let mut contractions = vec![0.0; face.muscles.len()];
    let number = |name: &str| face.muscles.iter().position(|m| m.name == name).expect(name);
    for name in ["zygomaticus_major_l", "zygomaticus_major_r", "risorius_l", "risorius_r"] {
        contractions[number(name)] = 0.5;
    }
    simulation.pose(&contractions, &JawPose::default());
    let (skin, strains) = (simulation.skin(), face.strains(&simulation.positions()));
    for side in [1.0, -1.0] {
        let corner = nearest(face, &face.lips[0], DVec3::new(side * 0.026, -0.0725, 0.02));
        let moved = skin[corner] - face.skin.mesh.positions[corner];
        assert!(moved.y > 0.0008 && side * moved.x > 0.0008, "{moved}");
    }
    assert!(strains[number("zygomaticus_major_l")] < -0.03);
    assert!(strains[number("frontalis_medial_l")].abs() < 0.01);
    // Back at rest, and at nonsense.
    simulation.pose(&[], &JawPose::default());
    let rest = simulation.positions();
    assert!(rest.iter().zip(&face.solid.positions).all(|(a, b)| a.distance(*b) < 1e-12));
    let wild = JawPose { open: f64::NAN, turn: 1e9, shift: DVec3::splat(f64::INFINITY) };
    simulation.pose(&vec![f64::NAN; 1000], &wild);
    assert!(simulation.positions().iter().all(|p| p.is_finite()));
}

#[test]
fn raised_brows_slide_over_the_forehead_and_stretch_it_where_it_is_pinned() {
    let face = face();
    let mut contractions = vec![0.0; face.muscles.len()];
    for (muscle, by) in face.muscles.iter().zip(&mut contractions) {
        *by = if muscle.name.starts_with("frontalis") { 0.3 } else { 0.0 };
    }
    let [slides, pinned] = [true, false].map(|sliding| {
        let options = FaceSimulationOptions { sliding, contact: false, ..interactive(80) };
        let mut simulation = FaceSimulation::new(face, &options).expect("a simulation");
        simulation.pose(&contractions, &JawPose::default());
        face.slip(&simulation.positions())
    });
    assert!(slides.deep > 5e-4 && pinned.deep < 1e-12, "{slides:?} {pinned:?}");
    assert!(slides.skin > 2.5 * pinned.skin, "{slides:?} {pinned:?}");
    // For the same way of the skin, what is between it and the bone is sheared the less.
    let per_way = |slip: pliant_face::Slip| slip.shear / slip.skin;
    assert!(per_way(slides) < 0.4 * per_way(pinned), "{slides:?} {pinned:?}");
}

#[test]
fn a_turned_face_gives_the_turned_answer() {
    let face = face();
    let turn = DMat3::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let mut turned = face.clone();
    let apply = |points: &mut Vec<DVec3>| points.iter_mut().for_each(|p| *p = turn * *p);
    apply(&mut turned.solid.positions);
    turned.shares.iter_mut().for_each(|s| s.fibre = turn * s.fibre);
    for hold in &mut turned.holds {
        if let BoneHold::Sliding(normal) = hold {
            *normal = turn * *normal;
        }
    }
    let hinge = &mut turned.hinge;
    for v in [&mut hinge.point, &mut hinge.axis, &mut hinge.vertical, &mut hinge.slide] {
        *v = turn * *v;
    }
    let options = FaceSimulationOptions {
        solver: FaceSolver::Exact { tolerance: 1e-9 },
        contact: false,
        ..FaceSimulationOptions::default()
    };
    let mut contractions = vec![0.0; face.muscles.len()];
    contractions.iter_mut().step_by(3).for_each(|c| *c = 0.2);
    let answer = |face: &FaceModel| {
        let mut simulation = FaceSimulation::new(face, &options).expect("a simulation");
        let report = simulation.pose(&contractions, &JawPose { open: 4.0, ..JawPose::default() });
        assert!(report.residual < 1e-6, "{report:?}");
        simulation.positions()
    };
    let (straight, other) = (answer(face), answer(&turned));
    let off = |(a, b): (&DVec3, &DVec3)| (turn * *a).distance(*b);
    let worst = straight.iter().zip(&other).map(off).fold(0.0, f64::max);
    assert!(worst < 1e-6, "off by {worst} m");
    let moved = straight.iter().zip(&face.solid.positions).map(|(a, b)| a.distance(*b));
    assert!(moved.fold(0.0, f64::max) > 0.004);
}

#[test]
fn a_face_survives_its_file_and_no_damage_makes_it_panic() {
    let bytes = face().encode();
    let back = FaceModel::decode(&bytes).expect("its own bytes");
    assert!(back.encode() == bytes);
    for cut in [0, 5, 8, 20, 1000, bytes.len() / 2, bytes.len() - 1] {
        assert!(FaceModel::decode(&bytes[..cut]).is_err());
    }
    let mut damaged = bytes;
    damaged[5000] ^= 1;
    let error = FaceModel::decode(&damaged).expect_err("damage").to_string();
    assert!(error.contains("checksum"), "{error}");
}

#[test]
fn a_muscle_outside_the_skin_and_a_hole_in_a_bone_are_refused() {
    let mut wrong = head().clone();
    wrong.muscles[3].solid.positions.iter_mut().for_each(|p| p.z += 0.1);
    let options = BuildOptions::default();
    let refused = |template: &Template| {
        let built = build(template, Path::new("my head"), &options, &Team::new(1));
        built.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let outside = refused(&wrong);
    assert!(outside.contains("my head") && outside.contains(&wrong.muscles[3].name), "{outside}");
    let mut holed = head().clone();
    holed.mandible.mesh.triangles.truncate(500);
    assert!(refused(&holed).contains("the mandible has a hole"));
}
