//! Registration to a foreign head: the built-in skin, bent and with other names.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use glam::DVec3;
use pliant_face::anatomy::hinge::JawPose;
use pliant_face::anatomy::landmarks::Landmark;
use pliant_face::template_folder::{check, read_template, write_template};
use pliant_face::{
    Blendshape, BuildOptions, FaceSimulation, FaceSimulationOptions, FaceSolver, OwnHead, Template,
    build, read_own_head, register,
};
use pliant_math::team::Team;
use pliant_mesh::Surface;

use crate::coarse::small_head as head;

/// Wider, with a longer chin, a broader forehead, elsewhere.
fn bent(p: DVec3) -> DVec3 {
    let q = DVec3::new(1.08 * p.x, p.y, 0.97 * p.z);
    let chin = (-(p.y + 0.12) / 0.05).exp().min(2.0);
    let wide = 1.0 + 0.5 * (p.y * 9.0).sin() * 0.1;
    DVec3::new(q.x * wide, q.y - 0.004 * chin, q.z + 0.15 * p.x * p.x) + DVec3::new(0.0, 0.4, 0.1)
}

/// Somebody else's head: an eyeball is a piece of it, shapes have sides as `_L`.
fn somebody() -> OwnHead {
    let head = head();
    let mut surface = Surface::from(head.skin.mesh.clone());
    let first = surface.mesh.positions.len() as u32;
    surface.mesh.positions.extend(&head.eyes[0].surface.mesh.positions);
    let eye = head.eyes[0].surface.mesh.triangles.iter().map(|t| t.map(|v| v + first));
    surface.mesh.triangles.extend(eye);
    let rest = surface.mesh.positions.clone();
    surface.mesh.positions.iter_mut().for_each(|p| *p = bent(*p));
    let shape = |name: &str, own: &str| {
        let mut displacement = head.shape(name).expect(name).displacement.clone();
        displacement.resize(rest.len(), DVec3::ZERO);
        let moved = rest.iter().zip(&displacement).map(|(p, d)| bent(*p + *d) - bent(*p));
        Blendshape { name: own.to_owned(), displacement: moved.collect() }
    };
    let marker = |l: &Landmark| Landmark { name: l.name.clone(), position: bent(l.position) };
    OwnHead {
        name: "somebody".to_owned(),
        shapes: vec![
            shape("jawOpen", "jawOpen"),
            shape("mouthSmileLeft", "mouthSmile_L"),
            shape("cheekPuff", "blush"),
        ],
        markers: head.landmarks.iter().map(marker).collect(),
        surface,
    }
}

fn somebodys() -> &'static (Template, Vec<String>) {
    static OTHER: OnceLock<(Template, Vec<String>)> = OnceLock::new();
    OTHER.get_or_init(|| {
        register(head(), &somebody(), Path::new("somebody"), &Team::new(2)).expect("a template")
    })
}

#[test]
fn parts_go_where_the_skin_goes() {
    let (head, (other, remarks)) = (head(), somebodys());
    assert_eq!(other.skin.mesh.triangles, head.skin.mesh.triangles, "the eyeball is no skin");
    assert_eq!(remarks[..], ["no muscles are known for blush".to_owned()]);
    check(other, Path::new("somebody"), &Team::new(2)).expect("bones and muscles are inside");
    let near = |a: DVec3, b: DVec3, by: f64, what: &str| {
        assert!(a.distance(bent(b)) < by, "{what} is off by {} m", a.distance(bent(b)));
    };
    // The left eye is a piece of the head; the right one is the template's.
    near(other.eyes[0].center, head.eyes[0].center, 0.0010, "the left eye");
    near(other.eyes[1].center, head.eyes[1].center, 0.0015, "the right eye");
    near(other.hinge.point, head.hinge.point, 0.004, "the hinge");
    let mean = |other: &[DVec3], own: &[DVec3]| {
        let off = other.iter().zip(own).map(|(a, b)| a.distance(bent(*b)));
        off.sum::<f64>() / own.len() as f64
    };
    for (a, b) in other.muscles.iter().zip(&head.muscles) {
        let off = mean(&a.solid.positions, &b.solid.positions);
        assert!(off < 0.0045, "{} is off by {off} m", a.name);
        let turned = a.fibres.direction.iter().zip(&b.fibres.direction);
        assert!(
            turned.map(|(a, b)| a.dot(*b)).sum::<f64>() > 0.8 * a.fibres.direction.len() as f64
        );
    }
    for (a, b) in [(&other.skull, &head.skull), (&other.mandible, &head.mandible)] {
        let off = mean(&a.mesh.positions, &b.mesh.positions);
        assert!(off < 0.005, "a bone is off by {off} m");
    }
}

#[test]
fn regions_and_colours_are_found_again() {
    let (head, (other, _)) = (head(), somebodys());
    for (a, b) in other.regions.iter().zip(&head.regions) {
        let same = a.vertices.iter().filter(|v| b.vertices.binary_search(v).is_ok()).count();
        assert!(same * 100 > 80 * b.vertices.len(), "{}: {same} of {}", b.name, b.vertices.len());
    }
    for lip in ["upper_lip", "lower_lip"] {
        let [a, b] = [other, head].map(|t| t.regions.iter().find(|r| r.name == lip).expect(lip));
        let wrong = a.vertices.iter().filter(|v| b.vertices.binary_search(v).is_err()).count();
        assert!(wrong * 10 < b.vertices.len(), "{lip}: {wrong} of {}", b.vertices.len());
    }
    let [a, b] = [other, head].map(|t| &t.skin.attributes[0].values);
    let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / a.len() as f64;
    assert!(off < 0.02, "{off}");
}

#[test]
fn somebodys_mouth_opens_and_their_names_are_known() {
    let (other, _) = somebodys();
    let options = BuildOptions { size: 0.0085 };
    let (face, _) =
        build(other, Path::new("somebody"), &options, &Team::new(2)).expect("a face is built");
    let names: Vec<&str> = face.recipes.iter().map(|r| r.0.as_str()).collect();
    assert!(names.contains(&"mouthSmile_L") && names.contains(&"mouthSmileLeft"));
    assert!(!names.contains(&"blush"));
    let options = FaceSimulationOptions {
        solver: FaceSolver::Interactive { iterations: 40 },
        ..FaceSimulationOptions::default()
    };
    let mut simulation = FaceSimulation::new(&face, &options).expect("a simulation");
    simulation.pose(&[], &JawPose { open: 20.0, ..JawPose::default() });
    let skin = simulation.skin();
    let line = bent(DVec3::new(0.0, -0.0735, 0.032));
    let [upper, lower] = [0, 1].map(|k: usize| {
        let from = |v: &&u32| face.skin.mesh.positions[**v as usize].distance(line);
        let nearest = face.lips[k].iter().min_by(|a, b| from(a).total_cmp(&from(b)));
        skin[*nearest.expect("a lip") as usize]
    });
    assert!(upper.y - lower.y > 0.016, "the mouth opens by {} m", upper.y - lower.y);
}

#[test]
fn a_scan_without_shapes_gets_those_of_the_template() {
    let own = OwnHead { shapes: Vec::new(), ..somebody() };
    let (other, remarks) =
        register(head(), &own, Path::new("scan"), &Team::new(2)).expect("a template");
    assert_eq!((other.shapes.len(), remarks.len()), (head().shapes.len(), 0));
    let [a, b] =
        [&other, head()].map(|t| &t.shape("mouthSmileLeft").expect("a smile").displacement);
    let most = b.iter().map(|d| d.length()).fold(0.0, f64::max);
    let off = a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(off < 0.6 * most && most > 0.005, "{off} of {most} m");
}

#[test]
fn heads_that_cannot_be_are_refused_in_a_sentence() {
    let refused = |own: &OwnHead| {
        let registered = register(head(), own, Path::new("me.obj"), &Team::new(1));
        registered.map_or_else(|error| error.to_string(), |_| String::new())
    };
    let own = somebody();
    let few = OwnHead { markers: own.markers[..4].to_vec(), ..own.clone() };
    assert_eq!(refused(&few), "me.obj: the head has 4 markers, expected 6 or more");
    let mut misspelt = own.clone();
    misspelt.markers[4].name = "pronasal".to_owned();
    let sentence = refused(&misspelt);
    assert!(sentence.ends_with("no landmark; did you mean pronasale?"), "{sentence}");
    let mut large = own.clone();
    large.markers.iter_mut().for_each(|m| m.position *= 100.0);
    assert!(refused(&large).contains("times as large as a head: is its unit right?"));
    let mut lying = own.clone();
    lying
        .markers
        .iter_mut()
        .for_each(|m| m.position = DVec3::new(m.position.x, -m.position.z, m.position.y));
    assert!(refused(&lying).contains("is turned by 90°"), "{}", refused(&lying));
    let mut point = own.clone();
    point.markers.iter_mut().for_each(|m| m.position = DVec3::X);
    assert!(refused(&point).starts_with("me.obj: the head "), "{}", refused(&point));
    let nobody = OwnHead { surface: Surface::default(), ..own };
    assert_eq!(refused(&nobody), "me.obj: the skin has no triangles");
}

#[test]
fn files_of_a_head_are_read_and_what_is_wrong_with_them_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write_template(head(), root).expect("a template");
    let skin = root.join("skin.obj");
    let markers = root.join("markers.json");
    fs::write(&markers, r#"{"pronasale": 12, "menton": [0.0, -10.0, 3.0]}"#).expect("written");
    let glb = root.join("blendshapes.glb");
    let own = read_own_head(&skin, std::slice::from_ref(&glb), &markers, 0.01).expect("a head");
    assert_eq!(own.shapes.len(), head().shapes.len());
    let nose = own.markers.iter().find(|m| m.name == "pronasale").expect("a marker");
    assert!(nose.position.distance(0.01 * head().skin.mesh.positions[12]) < 1e-9);
    fs::create_dir(root.join("shapes")).expect("a folder");
    let shapes = [root.join("shapes")];
    let empty = read_own_head(&skin, &shapes, &markers, 1.0);
    assert!(empty.expect_err("nothing").to_string().contains("the shapes: there is none"));
    let itself = read_own_head(&skin, std::slice::from_ref(&skin), &markers, 1.0);
    assert!(itself.expect_err("at rest").to_string().contains("the shapes: there is none"));
    let twice = read_own_head(&skin, &[glb.clone(), glb], &markers, 0.01);
    assert!(twice.expect_err("one too many").to_string().ends_with("is there twice"));
    let alone = root.join("eye_right.obj");
    let sentence = read_own_head(&skin, &[alone], &markers, 1.0).expect_err("an eye").to_string();
    assert!(sentence.contains("the shape eye_right has"), "{sentence}");
    fs::copy(root.join("eye_left.obj"), root.join("shapes/jawOpen.obj")).expect("copied");
    let other = read_own_head(&skin, &shapes, &markers, 1.0);
    let sentence = other.expect_err("another mesh").to_string();
    assert!(sentence.contains("the shape jawOpen has"), "{sentence}");
    for (text, expected) in [
        ("{", "markers.json, line 1: EOF"),
        (r#"{"menton": "chin"}"#, "menton is \"chin\", expected a vertex or three coordinates"),
        (r#"{"menton": 99999999}"#, "menton is vertex 99999999, but the mesh has"),
        ("[1]", "line 1"),
    ] {
        fs::write(&markers, text).expect("written");
        let sentence = read_own_head(&skin, &[], &markers, 1.0).expect_err(text).to_string();
        assert!(sentence.contains(expected), "{sentence}");
    }
    read_template(root).expect("as it was");
}
