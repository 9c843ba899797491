//! The built-in head: closed, symmetric, with bones and muscles in place.

use std::sync::LazyLock;

use pliant_face::anatomy::Anatomy;
use pliant_face::anatomy::mouth::parting_line;
use pliant_face::template_folder::check;
use pliant_face::{FaceError, Template};
use pliant_math::team::Team;
use pliant_mesh::diagnosis::{FindingKind, findings};
use pliant_mesh::{DVec3, Mesh, SignedDistance};

use crate::coarse::{SIZE, head};

static ANATOMY: LazyLock<Anatomy> = LazyLock::new(Anatomy::new);

fn kinds(mesh: &Mesh) -> Vec<FindingKind> {
    let surface = Mesh::surface(mesh.positions.clone(), mesh.triangles.clone());
    findings(&surface).into_iter().map(|f| f.kind).collect()
}

#[test]
fn every_surface_is_closed_and_faces_outward() {
    let head = head();
    assert_eq!(kinds(&head.skin.mesh), [], "the skin");
    let mut parts: Vec<(&str, &Mesh)> = vec![
        ("skull", &head.skull.mesh),
        ("mandible", &head.mandible.mesh),
        ("upper proxy", &head.teeth_proxies[0]),
        ("lower proxy", &head.teeth_proxies[1]),
    ];
    parts.extend(head.eyes.iter().map(|eye| ("eye", &eye.surface.mesh)));
    parts.extend(head.muscles.iter().map(|m| (m.name.as_str(), &m.solid)));
    for (name, mesh) in parts {
        let mut found = kinds(mesh);
        // Tets have vertices inside, too.
        found.retain(|kind| *kind != FindingKind::UnusedVertex);
        // Teeth stand in the bone, and thin muscles may fold: they pass through, but are closed.
        let wrong = found.iter().filter(|kind| **kind != FindingKind::SelfIntersection);
        assert_eq!(wrong.count(), 0, "{name}: {found:?}");
        let surface = Mesh::surface(mesh.positions.clone(), mesh.triangles.clone());
        assert!(surface.volume() > 0.0, "{name} is turned inside out");
    }
    let litres = 1e3 * head.skin.mesh.volume();
    assert!((4.3..4.9).contains(&litres), "the head has {litres} l");
}

#[test]
fn the_skin_is_exactly_symmetric_and_on_its_zero_set() {
    let skin = &head().skin.mesh;
    let key = |p: &DVec3| (p.x.to_bits(), p.y.to_bits(), p.z.to_bits());
    let mut places: Vec<_> = skin.positions.iter().map(key).collect();
    places.sort_unstable();
    for p in &skin.positions {
        let twin = DVec3 { x: if p.x == 0.0 { p.x } else { -p.x }, ..*p };
        assert!(places.binary_search(&key(&twin)).is_ok(), "{p} has no twin");
    }
    let off = skin.positions.iter().map(|&p| ANATOMY.skin(p).abs()).fold(0.0, f64::max);
    assert!(off < 2e-5, "a vertex is {off} m off the skin");
}

#[test]
fn bones_are_two_millimetres_inside_the_skin() {
    let team = Team::new(2);
    let remarks = check(head(), "head".as_ref(), &team).expect("a sound head");
    assert_eq!(remarks, Vec::<String>::new());
    let skin = SignedDistance::new(&head().skin.mesh);
    for bone in [&head().skull, &head().mandible] {
        let bare = &bone.mesh.groups[0];
        let points: Vec<DVec3> =
            bare.vertices.iter().map(|&v| bone.mesh.positions[v as usize]).collect();
        let least = skin.at_all(&points, &team).into_iter().fold(f64::INFINITY, f64::min);
        assert!(least > 0.002, "bone is {least} m under the skin");
    }
}

#[test]
fn muscles_lie_between_skin_and_bone_with_fibres_from_origin_to_insertion() {
    let head = head();
    assert_eq!(head.muscles.len(), 67);
    for muscle in &head.muscles {
        for p in &muscle.solid.positions {
            assert!(ANATOMY.skin(*p) < 0.0, "{} is outside the skin at {p}", muscle.name);
            assert!(ANATOMY.bone(*p) > -1e-4, "{} is in the bone at {p}", muscle.name);
        }
        let volume = muscle.solid.volume();
        assert!((1e-9..4e-5).contains(&volume), "{} has {volume} m³", muscle.name);
        let (along, direction) = (&muscle.fibres.along, &muscle.fibres.direction);
        assert!(along.iter().all(|u| (0.0..=1.0).contains(u)), "{}", muscle.name);
        let turned = (0..muscle.solid.tets.len())
            .filter_map(|t| muscle.solid.corners(t))
            .filter(|[a, b, c, d]| (*b - *a).dot((*c - *a).cross(*d - *a)) <= 0.0)
            .count();
        assert!(turned == 0, "{}: {turned} tets are turned over", muscle.name);
        assert!(direction.iter().all(|d| (d.length() - 1.0).abs() < 1e-9), "{}", muscle.name);
        // In the middle, fibres run along the course.
        let middle = muscle.curve.len() / 2;
        let course = (muscle.curve[middle + 2] - muscle.curve[middle - 2]).normalize();
        let fibre = direction[middle * (direction.len() / muscle.curve.len())];
        assert!(fibre.dot(course) > 0.7, "{}: {fibre} along {course}", muscle.name);
    }
}

#[test]
fn lips_are_apart_though_they_nearly_touch() {
    let head = head();
    let ids =
        |name: &str| &head.regions.iter().find(|r| r.name == name).expect("a region").vertices;
    let is = |name: &str, v: u32| ids(name).binary_search(&v).is_ok();
    for &t in &head.skin.mesh.triangles {
        let middle = t.iter().map(|&v| head.skin.mesh.positions[v as usize]).sum::<DVec3>() / 3.0;
        let upper = t.iter().any(|&v| is("upper_lip", v) || is("upper_lip_inner", v));
        let lower = t.iter().any(|&v| is("lower_lip", v) || is("lower_lip_inner", v));
        assert!(
            !(upper && lower) || middle.x.abs() > 0.0215,
            "a string across the slit at {middle}"
        );
    }
    // With the jaw open, one looks into the mouth: nothing is there between lips and palate.
    let open = head.pose(&[("jawOpen", 1.0)]);
    let surface = SignedDistance::new(&Mesh::surface(open, head.skin.mesh.triangles.clone()));
    for k in 0..20 {
        let p = DVec3::new(0.0, -0.084, 0.045 - 0.0015 * f64::from(k));
        assert!(surface.at(p) < 0.0, "flesh at {p}");
    }
}

#[test]
fn landmarks_are_on_the_skin_and_regions_cover_it() {
    for landmark in &head().landmarks {
        let off = ANATOMY.envelope(landmark.position).abs();
        assert!(off < 1e-4, "{} is {off} m off", landmark.name);
    }
    let mut seen = vec![0; head().skin.mesh.positions.len()];
    for region in head().regions.iter().filter(|r| r.name != "lips" && r.name != "mouth") {
        assert!(!region.vertices.is_empty(), "{} is empty", region.name);
        region.vertices.iter().for_each(|&v| seen[v as usize] += 1);
    }
    assert!(seen.iter().all(|count| *count == 1));
    let stomion = head().landmarks.iter().find(|l| l.name == "stomion").expect("a landmark");
    assert!((stomion.position.y - parting_line(0.0)).abs() < 1e-9);
}

#[test]
fn the_same_head_for_any_number_of_threads() {
    // The shared head is of two threads.
    let (one, two) = (Template::built_in(SIZE, &Team::new(1)).expect("a head"), head());
    assert_eq!(one.skin, two.skin);
    assert_eq!(one.shapes, two.shapes);
    assert_eq!(one.muscles[5].solid, two.muscles[5].solid);
}

#[test]
fn heads_that_cannot_be_are_refused_in_a_sentence() {
    let team = Team::new(2);
    let mut holed = head().clone();
    holed.skull.mesh.triangles.remove(500);
    let error = check(&holed, "head".as_ref(), &team).expect_err("a hole");
    assert!(
        matches!(&error, FaceError::Hole { part, edges: 3, .. } if part == "the skull"),
        "{error}"
    );

    let mut pulled = head().clone();
    pulled.muscles[3].solid.positions.iter_mut().for_each(|p| p.z += 0.03);
    let error = check(&pulled, "head".as_ref(), &team).expect_err("a muscle outside");
    assert!(error.to_string().contains(&head().muscles[3].name), "{error}");
    assert!(matches!(error, FaceError::OutsideSkin { by_mm, .. } if by_mm > 5.0));

    let mut unknown = head().clone();
    unknown.muscles.remove(0);
    let error = check(&unknown, "head".as_ref(), &team).expect_err("a muscle missing");
    assert!(error.to_string().contains("names the muscle"), "{error}");
}
