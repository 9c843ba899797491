//! Sculpted shapes: smooth, mirrored, lids off the eyes, lips that do not cross.

use std::sync::LazyLock;

use pliant_face::anatomy::mouth::{GAP, SLIT_HALF_WIDTH, parting_line};
use pliant_face::anatomy::{Anatomy, eye};
use pliant_face::expression::{ARKIT, Sculptor, Site};
use pliant_mesh::DVec3;

use crate::coarse::head;

static ANATOMY: LazyLock<Anatomy> = LazyLock::new(Anatomy::new);

#[test]
fn there_are_52_shapes_of_arkit_and_the_action_units() {
    let names: Vec<&str> = head().shapes.iter().map(|shape| shape.name.as_str()).collect();
    assert_eq!(names[..52], ARKIT);
    assert_eq!(names.iter().filter(|name| name.starts_with("AU")).count(), 27);
    for shape in &head().shapes {
        let most = shape.displacement.iter().map(|d| d.length()).fold(0.0, f64::max);
        assert!(shape.displacement.iter().all(|d| d.is_finite()), "{}", shape.name);
        assert!((0.0004..0.07).contains(&most), "{} moves by {most} m", shape.name);
    }
}

#[test]
fn right_is_left_in_a_mirror() {
    let sculptor = Sculptor::new(&ANATOMY);
    for name in ARKIT.iter().filter(|name| name.ends_with("Left")) {
        let other = name.replace("Left", "Right");
        for p in head().skin.mesh.positions.iter().step_by(97) {
            let here = Site::new(*p, &ANATOMY);
            let left = sculptor.displacement(name, &here).expect("a shape");
            let right = sculptor.displacement(&other, &here.mirrored()).expect("a shape");
            assert_eq!(left, DVec3 { x: -right.x, ..right }, "{name} at {p}");
        }
    }
}

#[test]
fn no_shape_tears_or_turns_the_skin_over() {
    let skin = &head().skin.mesh;
    let normal = |p: &[DVec3], [a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|v| p[v as usize]);
        (b - a).cross(c - a)
    };
    for name in ARKIT {
        let posed = head().pose(&[(name, 1.0)]);
        let outside =
            |t: &[u32; 3]| t.iter().all(|&v| ANATOMY.envelope(skin.positions[v as usize]) > -0.002);
        let mut turned = 0;
        let (mut area, mut all) = (0.0, 0.0);
        for t in skin.triangles.iter().filter(|t| outside(t)) {
            let (was, is) = (normal(&skin.positions, *t), normal(&posed, *t));
            all += was.length();
            if was.dot(is) < 0.0 {
                turned += 1;
                area += was.length();
            }
        }
        assert!(
            area < 2e-4 * all,
            "{name} turns {turned} triangles over, {} of the skin",
            area / all
        );
    }
}

#[test]
fn lids_never_enter_the_eyeball() {
    let center = DVec3::from_array(eye::CENTER);
    for name in [
        "eyeBlinkLeft",
        "eyeSquintLeft",
        "eyeWideLeft",
        "eyeLookDownLeft",
        "eyeLookUpLeft",
        "mouthSmileLeft",
        "cheekSquintLeft",
        "browDownLeft",
        "AU45_squeeze",
    ] {
        for weight in [0.25, 0.5, 0.75, 1.0] {
            let posed = head().pose(&[(name, weight)]);
            for (p, rest) in posed.iter().zip(&head().skin.mesh.positions) {
                let from = *p - center;
                let clearance = from.length() - eye::reach(from);
                let before = (*rest - center).length() - eye::reach(*rest - center);
                assert!(
                    clearance > before.min(0.0001) - 1e-5,
                    "{name} at {weight}: {clearance} m at {p}, was {before}"
                );
            }
        }
    }
}

#[test]
fn a_blink_closes_the_eye() {
    let posed = head().pose(&[("eyeBlinkLeft", 1.0)]);
    let ids =
        |name: &str| &head().regions.iter().find(|r| r.name == name).expect("a region").vertices;
    // Edges of the lids near the middle of the eye, seen from the front.
    let near = |v: &&u32| {
        let p = head().skin.mesh.positions[**v as usize];
        (p.x - eye::CENTER[0]).abs() < 0.006 && p.z > 0.006
    };
    let lowest = ids("upper_lid_l")
        .iter()
        .filter(near)
        .map(|&v| posed[v as usize].y)
        .fold(f64::INFINITY, f64::min);
    let highest = ids("lower_lid_l")
        .iter()
        .filter(near)
        .map(|&v| posed[v as usize].y)
        .fold(f64::NEG_INFINITY, f64::max);
    assert!(lowest - highest < 0.0006, "a slit of {} m stays open", lowest - highest);
    let right = |v: &u32| head().skin.mesh.positions[*v as usize].x < -0.02;
    let all: Vec<u32> = (0..posed.len() as u32).collect();
    assert!(
        all.iter()
            .filter(|v| right(v))
            .all(|&v| posed[v as usize] == head().skin.mesh.positions[v as usize])
    );
}

/// How far apart the lips are under weights of shapes, at points of the parting line (m).
fn gaps(weights: &[(&str, f64)]) -> Vec<f64> {
    let sculptor = Sculptor::new(&ANATOMY);
    let moved = |p: DVec3| {
        let site = Site::new(p, &ANATOMY);
        let by = |(name, weight): &(&str, f64)| {
            *weight * sculptor.displacement(name, &site).expect("a shape")
        };
        p + weights.iter().map(by).sum::<DVec3>()
    };
    let mut gaps = Vec::new();
    for i in -20..=20 {
        let x = 0.049 * SLIT_HALF_WIDTH * f64::from(i);
        let front = ANATOMY.hit(DVec3::new(x, parting_line(x), 0.08), DVec3::NEG_Z).z;
        for k in 1..6 {
            let z = front - 0.0012 * f64::from(k);
            let half = DVec3::new(0.0, 0.5 * GAP, 0.0);
            let middle = DVec3::new(x, parting_line(x), z);
            gaps.push(moved(middle + half).y - moved(middle - half).y);
        }
    }
    gaps
}

#[test]
fn lips_do_not_cross() {
    // Closing lips over an open jaw is a shape of its own, of no meaning without it.
    let names = Sculptor::names().filter(|name| *name != "mouthClose");
    for name in names {
        let least = gaps(&[(name, 1.0)]).into_iter().fold(f64::INFINITY, f64::min);
        assert!(least > 0.0, "{name} makes the lips cross by {} mm", -1e3 * least);
    }
    for weight in [0.3, 1.0] {
        let closed = gaps(&[("jawOpen", weight), ("mouthClose", weight)]);
        let (least, most) =
            closed.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &g| (a.min(g), b.max(g)));
        assert!(
            least > 0.0 && most < 0.002,
            "closed over an open jaw they are {least} to {most} m apart"
        );
    }
    let open = gaps(&[("jawOpen", 1.0)]);
    assert!(open[open.len() / 2] > 0.020);
}

#[test]
fn shapes_do_what_their_names_say() {
    let sculptor = Sculptor::new(&ANATOMY);
    let at = |name: &str, p: [f64; 3]| {
        let on_skin = ANATOMY.hit(DVec3 { z: 0.08, ..DVec3::from_array(p) }, DVec3::NEG_Z);
        let site = Site::new(on_skin, &ANATOMY);
        sculptor.displacement(name, &site).expect("a shape")
    };
    let corner = [0.0255, -0.0722, 0.0170];
    let smile = at("mouthSmileLeft", corner);
    assert!(smile.x > 0.004 && smile.y > 0.004, "{smile}");
    assert!(at("mouthFrownLeft", corner).y < -0.005);
    assert!(at("mouthPucker", corner).x < -0.004);
    assert!(at("mouthSmileLeft", [-0.0255, -0.0722, 0.0170]).length() < 5e-4);
    assert!(at("browInnerUp", [0.010, 0.019, 0.024]).y > 0.005);
    assert!(at("browDownLeft", [0.019, 0.018, 0.023]).y < -0.003);
    assert!(at("noseSneerLeft", [0.0130, -0.0430, 0.0290]).y > 0.002);
    assert!(at("cheekPuff", [0.0430, -0.0600, 0.0120]).x > 0.004);
    assert!(at("jawOpen", [0.0, -0.105, 0.026]).y < -0.03);
    assert!(at("jawLeft", [0.0, -0.105, 0.026]).x > 0.004);
    assert!(sculptor.displacement("mouthSmiley", &Site::new(DVec3::ZERO, &ANATOMY)).is_none());
}

#[test]
fn what_corrects_an_open_jaw_does_nothing_to_a_shut_one() {
    let head = head();
    assert_eq!(head.pose(&[("mouthClose", 1.0)]), head.pose(&[]));
    let [open, both, more] = [
        vec![("jawOpen", 0.6)],
        vec![("jawOpen", 0.6), ("mouthClose", 0.6)],
        vec![("mouthClose", 1.0), ("jawOpen", 0.6)],
    ]
    .map(|weights| head.pose(&weights));
    assert_ne!(open, both);
    assert!(both.iter().zip(&more).all(|(a, b)| a.distance(*b) < 1e-12));
}
