//! A round bird that flaps its wings and hops.

use glam::DVec3;

use super::super::puppet::{Act, Bone, Pose};
use super::super::sculpture::Sculpture;
use super::super::solid::{ball, cone, ellipsoid, slab, turned};
use super::{X, Z, bone, wave};

const BLUE: [f32; 3] = [0.20, 0.48, 0.78];
const DEEP: [f32; 3] = [0.13, 0.30, 0.60];
const BREAST: [f32; 3] = [0.95, 0.60, 0.32];
const BEAK: [f32; 3] = [0.96, 0.76, 0.22];
const WHITE: [f32; 3] = [0.97, 0.97, 0.95];
const DARK: [f32; 3] = [0.08, 0.08, 0.10];

pub const BIRD: Act = Act { name: "bird", sculpt, bones: &BONES, seconds: PERIOD, pose };

/// One beat of the wings \[s\].
const PERIOD: f64 = 0.8;

const BONES: [Bone; 8] = [
    bone("body", "", [[0.0, 0.9, -0.4], [0.0, 1.0, 0.3]], 0.7),
    bone("head", "body", [[0.0, 1.55, 0.25], [0.0, 1.95, 0.45]], 0.45),
    bone("wing-left", "body", [[0.68, 1.25, 0.0], [1.35, 1.25, -0.05]], 0.3),
    bone("tip-left", "wing-left", [[1.35, 1.25, -0.05], [2.0, 1.2, -0.15]], 0.28),
    bone("wing-right", "body", [[-0.68, 1.25, 0.0], [-1.35, 1.25, -0.05]], 0.3),
    bone("tip-right", "wing-right", [[-1.35, 1.25, -0.05], [-2.0, 1.2, -0.15]], 0.28),
    bone("tail", "body", [[0.0, 0.85, -0.75], [0.0, 1.05, -1.45]], 0.25),
    bone("feet", "body", [[-0.25, 0.25, 0.1], [0.25, 0.25, 0.1]], 0.2),
];

fn sculpt(s: &mut Sculpture) {
    s.add(BLUE, 0.0, ellipsoid([0.0, 0.95, -0.05], [0.76, 0.74, 0.84]));
    s.add(BREAST, 0.25, ellipsoid([0.0, 0.82, 0.22], [0.62, 0.60, 0.64]));
    s.add(BLUE, 0.30, ellipsoid([0.0, 1.75, 0.32], [0.50, 0.46, 0.48]));
    s.add(BEAK, 0.06, cone([0.0, 1.70, 0.75], 0.16, [0.0, 1.62, 1.10], 0.06));
    s.add(WHITE, 0.03, ball([0.24, 1.86, 0.62], 0.16).both());
    s.spot(DARK, ball([0.26, 1.87, 0.75], 0.10).both());
    s.spot(WHITE, ball([0.31, 1.93, 0.79], 0.04).both());
    // A crest of three feathers.
    for (z, y, lean) in [(0.35, 2.36, 0.20), (0.22, 2.42, 0.0), (0.10, 2.34, -0.22)] {
        s.add(DEEP, 0.10, cone([0.0, 2.10, z], 0.11, [0.0, y, z + lean - 0.15], 0.07));
    }
    s.add(BLUE, 0.18, turned([1.15, 1.25, -0.02], [0.68, 0.115, 0.42], [0.0, 0.0, 0.0]).both());
    for (x, z, reach) in [(1.75, 0.12, 0.34), (1.85, -0.12, 0.38), (1.70, -0.36, 0.34)] {
        s.add(DEEP, 0.12, turned([x, 1.23, z], [reach, 0.095, 0.15], [0.0, 14.0, 0.0]).both());
    }
    for x in [-0.22, 0.0, 0.22] {
        s.add(DEEP, 0.10, cone([0.5 * x, 0.85, -0.70], 0.16, [x, 1.08, -1.42], 0.12));
    }
    s.add(BEAK, 0.08, cone([0.25, 0.35, 0.05], 0.10, [0.26, 0.14, 0.10], 0.09).both());
    s.add(BEAK, 0.06, ellipsoid([0.27, 0.10, 0.24], [0.17, 0.09, 0.24]).both());
    s.stand_at(0.03);
    s.region("feet", slab([0.0, 0.0, 0.0], [2.0, 0.14, 2.0], 0.0));
    s.region("wings", ellipsoid([1.60, 1.25, -0.10], [0.65, 0.40, 0.60]).both());
    s.region("tail", ball([0.0, 1.00, -1.25], 0.50));
    s.region("crest", ball([0.0, 2.42, 0.15], 0.30));
    s.region("belly", ball([0.0, 0.65, 0.55], 0.50));
}

fn pose(time: f64, pose: &mut Pose) {
    let turns = time / PERIOD;
    for (wing, tip, side) in [("wing-left", "tip-left", 1.0), ("wing-right", "tip-right", -1.0)] {
        pose.turn(wing, Z, side * (8.0 + 38.0 * wave(turns)));
        pose.turn(tip, Z, side * 26.0 * wave(turns - 0.14));
    }
    pose.turn("body", X, 4.0 * wave(turns + 0.5));
    pose.turn("head", X, 5.0 * wave(turns + 0.2));
    // It rises while the wings beat down.
    pose.shift = DVec3::new(0.0, 0.16 * (1.0 + wave(turns + 0.5)), 0.0);
}
