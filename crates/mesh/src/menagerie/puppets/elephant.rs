//! An elephant that walks on the spot: ears, trunk, tail and belly are what should swing.

use glam::DVec3;

use super::super::puppet::{Act, Bone, Pose};
use super::super::sculpture::Sculpture;
use super::super::solid::{ball, cone, ellipsoid, slab, turned};
use super::{X, Y, Z, bone, wave};

const HIDE: [f32; 3] = [0.56, 0.57, 0.62];
const PALE: [f32; 3] = [0.68, 0.66, 0.68];
const PINK: [f32; 3] = [0.80, 0.62, 0.62];
const IVORY: [f32; 3] = [0.96, 0.93, 0.84];
const DARK: [f32; 3] = [0.10, 0.08, 0.10];

pub const ELEPHANT: Act = Act { name: "elephant", sculpt, bones: &BONES, seconds: PERIOD, pose };

/// One cycle of four steps \[s\].
const PERIOD: f64 = 1.6;

const BONES: [Bone; 16] = [
    bone("body", "", [[0.0, 1.75, -0.9], [0.0, 1.75, 0.5]], 0.75),
    bone("head", "body", [[0.0, 2.0, 0.85], [0.0, 2.1, 1.45]], 0.5),
    bone("trunk", "head", [[0.0, 1.75, 1.75], [0.0, 1.15, 2.05]], 0.2),
    bone("tip", "trunk", [[0.0, 1.15, 2.05], [0.0, 0.55, 2.15]], 0.15),
    bone("ear-left", "head", [[0.5, 2.15, 1.0], [1.2, 2.0, 0.8]], 0.22),
    bone("ear-right", "head", [[-0.5, 2.15, 1.0], [-1.2, 2.0, 0.8]], 0.22),
    bone("tail", "body", [[0.0, 1.75, -1.35], [0.0, 0.95, -1.65]], 0.1),
    bone("fore-left", "body", [[0.45, 1.35, 0.6], [0.45, 0.75, 0.6]], 0.3),
    bone("fore-left-foot", "fore-left", [[0.45, 0.75, 0.6], [0.45, 0.1, 0.6]], 0.27),
    bone("fore-right", "body", [[-0.45, 1.35, 0.6], [-0.45, 0.75, 0.6]], 0.3),
    bone("fore-right-foot", "fore-right", [[-0.45, 0.75, 0.6], [-0.45, 0.1, 0.6]], 0.27),
    bone("hind-left", "body", [[0.45, 1.35, -0.8], [0.45, 0.75, -0.8]], 0.3),
    bone("hind-left-foot", "hind-left", [[0.45, 0.75, -0.8], [0.45, 0.1, -0.8]], 0.27),
    bone("hind-right", "body", [[-0.45, 1.35, -0.8], [-0.45, 0.75, -0.8]], 0.3),
    bone("hind-right-foot", "hind-right", [[-0.45, 0.75, -0.8], [-0.45, 0.1, -0.8]], 0.27),
    bone("belly", "body", [[0.0, 1.2, -0.6], [0.0, 1.2, 0.4]], 0.4),
];

fn sculpt(s: &mut Sculpture) {
    s.add(HIDE, 0.0, ellipsoid([0.0, 1.70, -0.20], [0.82, 0.78, 1.20]));
    s.add(PALE, 0.40, ellipsoid([0.0, 1.32, -0.15], [0.66, 0.58, 0.85]));
    for z in [0.6, -0.8] {
        s.add(HIDE, 0.25, cone([0.45, 1.2, z], 0.34, [0.45, 0.26, z], 0.27).both());
        for x in [0.27, 0.45, 0.63] {
            s.add(
                IVORY,
                0.05,
                ball([x, 0.12, z + if x == 0.45 { 0.26 } else { 0.19 }], 0.09).both(),
            );
        }
    }
    s.stand_at(0.04);
    s.add(HIDE, 0.40, ellipsoid([0.0, 2.12, 1.15], [0.56, 0.60, 0.55]));
    let trunk = [
        DVec3::new(0.0, 1.95, 1.55),
        DVec3::new(0.0, 1.60, 1.86),
        DVec3::new(0.0, 1.15, 2.04),
        DVec3::new(0.0, 0.72, 2.10),
        DVec3::new(0.0, 0.48, 2.28),
    ];
    s.limb(HIDE, 0.25, &trunk, [0.29, 0.125]);
    s.add(IVORY, 0.05, cone([0.30, 1.72, 1.55], 0.10, [0.38, 1.42, 2.02], 0.055).both());
    s.add(HIDE, 0.12, turned([0.80, 2.05, 0.88], [0.52, 0.66, 0.115], [0.0, 25.0, -12.0]).both());
    s.spot(PINK, turned([0.80, 2.05, 0.99], [0.40, 0.52, 0.10], [0.0, 25.0, -12.0]).both());
    s.add(IVORY, 0.02, ball([0.33, 2.34, 1.52], 0.13).both());
    s.spot(DARK, ball([0.35, 2.36, 1.64], 0.085).both());
    s.spot(IVORY, ball([0.39, 2.41, 1.68], 0.035).both());
    s.add(HIDE, 0.10, cone([0.0, 1.80, -1.30], 0.11, [0.0, 1.00, -1.66], 0.075));
    s.add(DARK, 0.06, ball([0.0, 0.92, -1.68], 0.12));
    s.region("feet", slab([0.0, 0.0, 0.0], [2.0, 0.16, 3.0], 0.0));
    s.region("ears", ellipsoid([1.02, 2.05, 0.85], [0.44, 0.80, 0.40]).both());
    s.region("trunk", ellipsoid([0.0, 0.95, 2.20], [0.50, 0.85, 0.55]));
    s.region("tail", ball([0.0, 1.20, -1.75], 0.45));
    s.region("belly", ellipsoid([0.0, 1.10, -0.10], [0.75, 0.45, 0.42]));
}

fn pose(time: f64, pose: &mut Pose) {
    let turns = time / PERIOD;
    // Hind foot, fore foot, other side: the walk of heavy animals.
    for (leg, foot, start) in [
        ("hind-left", "hind-left-foot", 0.0),
        ("fore-left", "fore-left-foot", 0.25),
        ("hind-right", "hind-right-foot", 0.5),
        ("fore-right", "fore-right-foot", 0.75),
    ] {
        pose.turn(leg, X, -22.0 * wave(turns + start));
        pose.turn(foot, X, 16.0 * (1.0 + wave(turns + start + 0.25)));
    }
    pose.turn("body", Z, 3.0 * wave(turns + 0.1)).turn("body", X, 2.0 * wave(2.0 * turns));
    pose.turn("head", X, 5.0 * wave(2.0 * turns + 0.3)).turn("head", Y, 4.0 * wave(turns));
    pose.shift = DVec3::new(0.03 * wave(turns), 0.06 * wave(2.0 * turns + 0.15), 0.0);
}
