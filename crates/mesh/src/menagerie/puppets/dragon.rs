//! A dragon that beats its wings; the tips of its horns nearly touch.

use glam::DVec3;

use super::super::puppet::{Act, Bone, Pose};
use super::super::sculpture::Sculpture;
use super::super::solid::{ball, cone, ellipsoid, slab, turned};
use super::{X, Y, Z, bone, wave};

const SCALES: [f32; 3] = [0.30, 0.58, 0.36];
const BACK: [f32; 3] = [0.18, 0.40, 0.28];
const BELLY: [f32; 3] = [0.90, 0.82, 0.55];
const WING: [f32; 3] = [0.82, 0.45, 0.28];
const HORN: [f32; 3] = [0.93, 0.88, 0.76];
const DARK: [f32; 3] = [0.08, 0.08, 0.08];
const WHITE: [f32; 3] = [0.97, 0.96, 0.92];

pub const DRAGON: Act = Act { name: "dragon", sculpt, bones: &BONES, seconds: PERIOD, pose };

/// One beat of the wings \[s\].
const PERIOD: f64 = 1.2;

const BONES: [Bone; 13] = [
    bone("body", "", [[0.0, 1.1, -0.5], [0.0, 1.3, 0.3]], 0.55),
    bone("neck", "body", [[0.0, 1.6, 0.5], [0.0, 2.2, 0.75]], 0.3),
    bone("head", "neck", [[0.0, 2.35, 0.8], [0.0, 2.4, 1.35]], 0.35),
    bone("jaw", "head", [[0.0, 2.2, 0.95], [0.0, 2.1, 1.5]], 0.15),
    bone("wing-left", "body", [[0.4, 1.75, -0.1], [1.1, 2.1, -0.2]], 0.2),
    bone("tip-left", "wing-left", [[1.1, 2.1, -0.2], [1.9, 2.2, -0.3]], 0.25),
    bone("wing-right", "body", [[-0.4, 1.75, -0.1], [-1.1, 2.1, -0.2]], 0.2),
    bone("tip-right", "wing-right", [[-1.1, 2.1, -0.2], [-1.9, 2.2, -0.3]], 0.25),
    bone("tail", "body", [[0.0, 0.8, -0.9], [0.0, 0.55, -1.5]], 0.28),
    bone("tail-end", "tail", [[0.0, 0.55, -1.5], [0.0, 0.75, -2.2]], 0.2),
    bone("leg-left", "body", [[0.45, 0.8, 0.0], [0.5, 0.15, 0.15]], 0.3),
    bone("leg-right", "body", [[-0.45, 0.8, 0.0], [-0.5, 0.15, 0.15]], 0.3),
    bone("belly", "body", [[0.0, 0.9, 0.15], [0.0, 1.1, 0.35]], 0.4),
];

fn sculpt(s: &mut Sculpture) {
    s.add(SCALES, 0.0, turned([0.0, 1.15, -0.15], [0.66, 0.72, 0.82], [-20.0, 0.0, 0.0]));
    s.add(BELLY, 0.25, ellipsoid([0.0, 1.02, 0.18], [0.54, 0.60, 0.56]));
    let neck =
        [DVec3::new(0.0, 1.50, 0.35), DVec3::new(0.0, 1.85, 0.62), DVec3::new(0.0, 2.25, 0.74)];
    s.limb(SCALES, 0.30, &neck, [0.40, 0.29]);
    s.add(SCALES, 0.20, ellipsoid([0.0, 2.45, 0.88], [0.42, 0.38, 0.42]));
    s.add(SCALES, 0.16, ellipsoid([0.0, 2.36, 1.32], [0.29, 0.20, 0.36]));
    s.add(BELLY, 0.08, ellipsoid([0.0, 2.10, 1.20], [0.25, 0.12, 0.42]));
    s.carve(DARK, 0.04, ellipsoid([0.0, 2.20, 1.42], [0.34, 0.045, 0.34]));
    s.add(SCALES, 0.06, ball([0.13, 2.50, 1.58], 0.09).both());
    s.spot(DARK, ball([0.14, 2.55, 1.66], 0.045).both());
    s.add(WHITE, 0.03, ball([0.25, 2.66, 1.12], 0.14).both());
    s.spot(DARK, ball([0.27, 2.67, 1.23], 0.085).both());
    s.spot(WHITE, ball([0.31, 2.72, 1.26], 0.035).both());
    // Horns that bend towards each other, 0.05 apart at their tips.
    let horn = [
        DVec3::new(0.28, 2.72, 0.68),
        DVec3::new(0.44, 3.00, 0.52),
        DVec3::new(0.38, 3.26, 0.44),
        DVec3::new(0.115, 3.40, 0.44),
    ];
    for side in [1.0, -1.0] {
        let points = horn.map(|p| DVec3 { x: side * p.x, ..p });
        s.limb(HORN, 0.05, &points, [0.13, 0.09]);
    }
    for side in [1.0, -1.0] {
        let arm = [
            DVec3::new(0.40 * side, 1.72, -0.12),
            DVec3::new(1.05 * side, 2.20, -0.22),
            DVec3::new(1.95 * side, 2.32, -0.30),
        ];
        s.limb(SCALES, 0.12, &arm, [0.15, 0.09]);
    }
    s.add(WING, 0.08, turned([0.98, 1.82, -0.24], [0.62, 0.36, 0.085], [0.0, 6.0, 18.0]).both());
    s.add(WING, 0.08, turned([1.52, 2.02, -0.30], [0.46, 0.33, 0.085], [0.0, 6.0, 4.0]).both());
    s.add(SCALES, 0.20, cone([0.44, 0.85, -0.05], 0.36, [0.50, 0.30, 0.05], 0.24).both());
    s.add(SCALES, 0.10, ellipsoid([0.52, 0.14, 0.24], [0.24, 0.14, 0.38]).both());
    s.add(SCALES, 0.10, cone([0.52, 1.35, 0.40], 0.17, [0.46, 1.10, 0.72], 0.11).both());
    let tail = [
        DVec3::new(0.0, 0.85, -0.70),
        DVec3::new(0.0, 0.55, -1.20),
        DVec3::new(0.0, 0.50, -1.70),
        DVec3::new(0.0, 0.74, -2.15),
    ];
    s.limb(SCALES, 0.30, &tail, [0.42, 0.12]);
    s.add(WING, 0.05, turned([0.0, 0.90, -2.32], [0.10, 0.24, 0.20], [-30.0, 0.0, 0.0]));
    for (y, z) in
        [(2.86, 0.62), (2.28, 0.32), (1.92, -0.20), (1.62, -0.62), (1.10, -1.02), (0.86, -1.5)]
    {
        s.add(BACK, 0.06, turned([0.0, y, z], [0.10, 0.20, 0.16], [-35.0, 0.0, 0.0]));
    }
    s.stand_at(0.03);
    s.region("feet", slab([0.0, 0.0, 0.0], [2.0, 0.16, 3.0], 0.0));
    s.region("wings", ellipsoid([1.35, 2.00, -0.25], [0.75, 0.60, 0.30]).both());
    s.region("tail", ellipsoid([0.0, 0.75, -1.80], [0.50, 0.50, 0.65]));
    s.region("belly", ball([0.0, 0.95, 0.45], 0.50));
    s.region("horns", ellipsoid([0.30, 3.15, 0.50], [0.35, 0.40, 0.35]).both());
}

fn pose(time: f64, pose: &mut Pose) {
    let turns = time / PERIOD;
    for (wing, tip, side) in [("wing-left", "tip-left", 1.0), ("wing-right", "tip-right", -1.0)] {
        pose.turn(wing, Z, side * 30.0 * wave(turns));
        pose.turn(tip, Z, side * 24.0 * wave(turns - 0.15));
    }
    pose.turn("neck", X, 8.0 * wave(turns + 0.4));
    pose.turn("head", X, -10.0 * wave(turns + 0.35)).turn("head", Y, 10.0 * wave(turns));
    pose.turn("jaw", X, 6.0 * (1.0 + wave(turns + 0.6)));
    pose.turn("tail", Y, 14.0 * wave(turns)).turn("tail-end", Y, 18.0 * wave(turns - 0.12));
    pose.shift = DVec3::new(0.0, 0.10 * (1.0 + wave(turns + 0.5)), 0.0);
    let tuck = 8.0 * (1.0 + wave(turns + 0.5));
    pose.turn("leg-left", X, tuck).turn("leg-right", X, tuck);
}
