//! An octopus: a dome, two eyes, eight arms with suckers.

use std::f64::consts::TAU;

use glam::DVec3;

use super::sculpture::Sculpture;
use super::solid::{ball, ellipsoid, slab, turned};

const SKIN: [f32; 3] = [0.78, 0.30, 0.22];
const PALE: [f32; 3] = [0.95, 0.70, 0.56];
const SPOT: [f32; 3] = [0.62, 0.20, 0.18];
const WHITE: [f32; 3] = [0.98, 0.96, 0.90];
const DARK: [f32; 3] = [0.10, 0.06, 0.06];

/// Pieces of an arm, and suckers along it.
const JOINTS: usize = 14;
const SUCKERS: usize = 9;

pub fn octopus(s: &mut Sculpture) {
    s.add(SKIN, 0.0, turned([0.0, 1.75, -0.12], [0.66, 0.80, 0.70], [-12.0, 0.0, 0.0]));
    s.add(SKIN, 0.35, ellipsoid([0.0, 0.98, 0.05], [0.50, 0.46, 0.48]));
    for arm in 0..8 {
        // Two arms to every quarter, none straight ahead.
        arm_along(s, (f64::from(arm) + 0.5) * TAU / 8.0, arm);
    }
    s.add(SKIN, 0.12, ball([0.30, 1.28, 0.42], 0.22).both());
    s.add(WHITE, 0.02, ball([0.33, 1.32, 0.50], 0.19).both());
    s.spot(DARK, ellipsoid([0.35, 1.33, 0.68], [0.12, 0.075, 0.09]).both());
    s.spot(WHITE, ball([0.39, 1.38, 0.68], 0.035).both());
    s.carve(SPOT, 0.04, ellipsoid([0.0, 0.98, 0.56], [0.16, 0.045, 0.12]));
    for (x, y, z, r) in
        [(0.22, 2.30, 0.28, 0.13), (-0.18, 2.05, 0.55, 0.10), (0.42, 1.95, 0.35, 0.09)]
    {
        s.spot(SPOT, ball([x, y, z], r));
    }
    s.spot(SPOT, ball([-0.45, 2.2, 0.1], 0.14));
    s.region("crown", slab([0.0, 2.62, 0.0], [2.0, 0.25, 2.0], 0.0));
}

/// An arm that leaves at an angle about the vertical, sinks, and curls its tip up.
fn arm_along(s: &mut Sculpture, angle: f64, number: i32) {
    let out = DVec3::new(angle.sin(), 0.0, angle.cos());
    // Every other arm is longer, and curls the other way.
    let (reach, sway) = if number % 2 == 0 { (1.55, 0.35) } else { (1.35, -0.30) };
    let across = DVec3::Y.cross(out);
    let at = |u: f64| {
        let height = 0.78 - 1.25 * u + 0.62 * u * u + 0.45 * u.powi(4);
        let wave = sway * u * u * (1.6 * u).sin();
        out * (0.20 + reach * u * (1.0 - 0.18 * u)) + across * wave + DVec3::Y * height
    };
    let radius = |u: f64| 0.225 - 0.165 * u;
    let points: Vec<DVec3> = (0..=JOINTS).map(|k| at(k as f64 / JOINTS as f64)).collect();
    s.limb(SKIN, 0.16, &points, [radius(0.0), radius(1.0)]);
    for sucker in 0..SUCKERS {
        let u = 0.22 + 0.74 * sucker as f64 / SUCKERS as f64;
        let along = (at(u + 0.01) - at(u - 0.01)).normalize();
        let down = (-DVec3::Y - along * -along.y).normalize();
        for side in [-1.0, 1.0] {
            let aslant = (down + 0.55 * side * along.cross(down)).normalize();
            let place = at(u) + aslant * (0.86 * radius(u));
            s.add(PALE, 0.02, ball(place.to_array(), 0.30 * radius(u)));
        }
    }
}
