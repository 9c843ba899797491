//! A saguaro: ribs, two raised arms, a flower.

use glam::DVec3;

use super::sculpture::Sculpture;
use super::solid::{ball, cone, ellipsoid, ribbed, slab, turned};

const GREEN: [f32; 3] = [0.28, 0.52, 0.26];
const FLOWER: [f32; 3] = [0.93, 0.36, 0.55];
const HEART: [f32; 3] = [0.98, 0.80, 0.30];
const DARK: [f32; 3] = [0.08, 0.12, 0.08];
const WHITE: [f32; 3] = [0.97, 0.97, 0.93];

pub fn cactus(s: &mut Sculpture) {
    let [foot, top] = [DVec3::ZERO, DVec3::new(0.0, 2.35, 0.0)];
    s.add(GREEN, 0.0, ribbed(foot, top, [0.42, 0.36], 12, 0.07));
    arm(s, 1.0, [0.95, 1.85], 0.21);
    arm(s, -1.0, [1.30, 2.30], 0.18);
    flower(s, [0.05, 2.74, 0.03], 0.20);
    flower(s, [0.93, 2.08, 0.0], 0.11);
    s.add(WHITE, 0.02, ellipsoid([0.15, 1.85, 0.32], [0.115, 0.14, 0.09]).both());
    s.spot(DARK, ellipsoid([0.14, 1.85, 0.42], [0.065, 0.08, 0.06]).both());
    s.spot(WHITE, ball([0.165, 1.885, 0.43], 0.028).both());
    s.carve(DARK, 0.03, turned([0.0, 1.56, 0.38], [0.13, 0.035, 0.10], [0.0; 3]));
    s.carve(DARK, 0.03, ball([0.13, 1.59, 0.38], 0.04).both());
    s.stand_at(0.00);
    s.region("base", slab([0.0, 0.0, 0.0], [2.0, 0.10, 2.0], 0.0));
}

/// An arm that goes out at the first height and up to the second, on one side.
fn arm(s: &mut Sculpture, side: f64, [out, up]: [f64; 2], radius: f64) {
    let elbow = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        DVec3::new(side * (0.55 + 0.38 * sin), out + 0.38 * (1.0 - cos), 0.0)
    };
    let root = DVec3::new(side * 0.20, out, 0.0);
    let bend = [root, elbow(0.0), elbow(30.0), elbow(60.0), elbow(90.0)];
    s.limb(GREEN, 0.10, &bend, [0.92 * radius; 2]);
    let tip = DVec3::new(side * 0.93, up, 0.0);
    s.add(GREEN, 0.05, ribbed(bend[4], tip, [radius, 0.92 * radius], 9, 0.045));
}

fn flower(s: &mut Sculpture, [x, y, z]: [f64; 3], size: f64) {
    for petal in 0..5 {
        let (sin, cos) = (f64::from(petal) * 72f64.to_radians()).sin_cos();
        let end = [x + 0.95 * size * cos, y + 0.35 * size, z + 0.95 * size * sin];
        s.add(FLOWER, 0.2 * size, cone([x, y - 0.2 * size, z], 0.3 * size, end, 0.38 * size));
    }
    s.add(HEART, 0.1 * size, ball([x, y + 0.30 * size, z], 0.45 * size));
}
