//! What is found to follow, on a creature of four boxes: a body, a tail, and two legs that stand.

use glam::DVec3;
use pliant_enrich::{EmbeddedSurface, skeleton};
use pliant_math::team::Team;
use pliant_mesh::{Mesh, shapes};

use crate::bodies::cells;

fn part(size: [f64; 3], center: [f64; 3]) -> Mesh {
    let mut part = shapes::solid_box(DVec3::from_array(size), [4, 4, 4]).unwrap();
    part.positions.iter_mut().for_each(|x| *x += DVec3::from_array(center));
    part
}

/// Boxes that run into each other, as parts of creatures do.
fn creature() -> Mesh {
    let parts = [
        part([1.2, 0.6, 0.6], [0.0, 0.0, 0.0]),
        part([0.8, 0.12, 0.12], [0.95, 0.15, 0.0]),
        part([0.14, 0.6, 0.14], [-0.4, -0.55, 0.0]),
        part([0.14, 0.6, 0.14], [0.4, -0.55, 0.0]),
    ];
    let mut all = Mesh::default();
    for part in parts {
        let first = all.positions.len() as u32;
        all.positions.extend(&part.positions);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

fn embedded() -> EmbeddedSurface {
    EmbeddedSurface::new(creature(), None, &cells(36), &Team::new(1)).unwrap()
}

/// Feet stay, everything above bobs.
fn bobbing(rest: &Mesh) -> Vec<Vec<DVec3>> {
    let bob = |k: i32| {
        let up = 0.1 * (f64::from(k)).sin();
        let share = |y: f64| ((y + 0.85) / 0.5).clamp(0.0, 1.0);
        rest.positions.iter().map(|&x| x + DVec3::Y * up * share(x.y)).collect()
    };
    (0..8).map(bob).collect()
}

#[test]
fn feet_and_the_deep_body_follow_and_the_tail_is_soft() {
    let embedded = embedded();
    let found = skeleton::find(&embedded, &bobbing(&embedded.surface), &Team::new(1)).unwrap();
    let solid = &embedded.solid.positions;
    assert!(!found.supports.is_empty());
    for &v in &found.supports {
        assert!(embedded.surface.positions[v as usize].y < -0.8, "a foot is low");
    }
    let is_exact = |v: usize| found.exact.binary_search(&(v as u32)).is_ok();
    let (mut tip, mut root, mut deep, mut flesh) = (0.0, 0.0, 0, 0);
    for (v, x) in solid.iter().enumerate() {
        if x.x > 1.25 {
            assert!(!is_exact(v), "the tail's tip is free");
            tip = found.frequencies[v];
        } else if x.x > 0.75 && x.x < 0.8 && x.y > 0.1 && x.y < 0.2 {
            root = found.frequencies[v];
        }
        let inside = (x.abs() - DVec3::new(0.6, 0.3, 0.3)).max_element();
        deep += usize::from(inside < -0.15 && is_exact(v));
        flesh += usize::from(inside.abs() < 0.02 && x.x < 0.5 && x.y > 0.2 && !is_exact(v));
    }
    assert!(deep > 0, "the middle of the body follows");
    assert!(flesh > 20, "its skin does not");
    assert!(tip > 0.0 && root > tip + 1.0, "from {root} Hz at the root to {tip} Hz at the tip");
}

#[test]
fn without_a_ground_nothing_supports() {
    let embedded = embedded();
    let drifting: Vec<Vec<DVec3>> = (0..8)
        .map(|k| embedded.surface.positions.iter().map(|&x| x + DVec3::Y * f64::from(k)).collect())
        .collect();
    let found = skeleton::find(&embedded, &drifting, &Team::new(1)).unwrap();
    assert!(found.supports.is_empty());
    assert!(!found.exact.is_empty());
}
