//! A potted plant that withers: stem and leaves sink, and stay down.

use glam::DVec3;

use super::super::puppet::{Act, Bone, Pose};
use super::super::sculpture::Sculpture;
use super::super::solid::{ball, cone, ellipsoid, slab, turned};
use super::{X, Z, bone, ease, wave};

const LEAF: [f32; 3] = [0.33, 0.62, 0.28];
const YOUNG: [f32; 3] = [0.55, 0.74, 0.33];
const POT: [f32; 3] = [0.76, 0.42, 0.28];
const EARTH: [f32; 3] = [0.28, 0.20, 0.15];
const PETAL: [f32; 3] = [0.90, 0.36, 0.50];
const HEART: [f32; 3] = [0.96, 0.80, 0.30];

pub const PLANT: Act = Act { name: "plant", sculpt, bones: &BONES, seconds: SECONDS, pose };

/// How long it takes \[s\].
const SECONDS: f64 = 5.0;

const BONES: [Bone; 9] = [
    bone("pot", "", [[0.0, 0.1, 0.0], [0.0, 0.8, 0.0]], 0.6),
    bone("stem", "pot", [[0.0, 0.95, 0.0], [0.0, 1.7, 0.0]], 0.15),
    bone("middle", "stem", [[0.0, 1.7, 0.0], [0.0, 2.4, 0.0]], 0.15),
    bone("top", "middle", [[0.0, 2.4, 0.0], [0.0, 3.0, 0.0]], 0.15),
    bone("flower", "top", [[0.0, 3.0, 0.0], [0.0, 3.3, 0.15]], 0.4),
    bone("leaf-a", "stem", [[0.1, 1.5, 0.0], [1.0, 1.9, 0.1]], 0.2),
    bone("leaf-b", "middle", [[-0.1, 1.9, 0.0], [-1.0, 2.3, 0.1]], 0.2),
    bone("leaf-c", "middle", [[0.05, 2.2, 0.05], [0.75, 2.65, 0.35]], 0.2),
    bone("leaf-d", "stem", [[-0.05, 1.35, 0.05], [-0.6, 1.65, 0.6]], 0.2),
];

fn sculpt(s: &mut Sculpture) {
    s.add(POT, 0.0, cone([0.0, 0.30, 0.0], 0.42, [0.0, 0.66, 0.0], 0.50));
    s.add(POT, 0.04, ellipsoid([0.0, 0.86, 0.0], [0.60, 0.15, 0.60]));
    s.carve(EARTH, 0.04, ellipsoid([0.0, 1.05, 0.0], [0.46, 0.14, 0.46]));
    s.stand_at(0.03);
    let stem =
        [0.85, 1.3, 1.8, 2.3, 2.75, 3.05].map(|y: f64| DVec3::new(0.06 * (4.0 * y).sin(), y, 0.0));
    s.limb(LEAF, 0.06, &stem, [0.13, 0.09]);
    for (root, tip, roll) in [
        ([0.05, 1.50, 0.0], [1.08, 1.98, 0.10], 25.0),
        ([-0.05, 1.92, 0.0], [-1.05, 2.38, 0.10], -25.0),
        ([0.04, 2.22, 0.04], [0.80, 2.72, 0.36], 33.0),
        ([-0.04, 1.36, 0.04], [-0.66, 1.72, 0.66], -30.0),
    ] {
        let (root, tip) = (DVec3::from(root), DVec3::from(tip));
        let blade = root.lerp(tip, 0.62).to_array();
        s.add(LEAF, 0.05, cone(root.to_array(), 0.075, blade, 0.075));
        let reach = 0.5 * root.distance(tip);
        let turn = -(tip.z - root.z).atan2((tip.x - root.x).abs()).to_degrees() * f64::signum(roll);
        s.add(YOUNG, 0.06, turned(blade, [reach, 0.085, 0.30], [0.0, turn, roll]));
    }
    for k in 0..6 {
        let (sine, cosine) = (std::f64::consts::TAU * f64::from(k) / 6.0).sin_cos();
        s.add(PETAL, 0.08, ball([0.27 * cosine, 3.20 + 0.27 * sine, 0.14], 0.19));
    }
    s.add(HEART, 0.05, ball([0.0, 3.20, 0.24], 0.19));
    s.region("pot", slab([0.0, 0.3, 0.0], [2.0, 0.62, 2.0], 0.0));
    s.region("leaves", slab([0.0, 2.60, 0.0], [2.0, 1.20, 2.0], 0.0));
}

fn pose(time: f64, pose: &mut Pose) {
    let gone = ease(0.3, SECONDS - 0.7, time);
    // A last breeze before it sinks.
    let breeze = 3.0 * wave(0.9 * time) * (1.0 - gone);
    pose.turn("stem", Z, breeze - 12.0 * gone).turn("stem", X, 8.0 * gone);
    pose.turn("middle", Z, breeze - 30.0 * gone).turn("middle", X, 14.0 * gone);
    pose.turn("top", Z, breeze - 48.0 * gone);
    pose.turn("flower", Z, -35.0 * gone).turn("flower", X, 20.0 * gone);
    let droop = |start: f64| 62.0 * ease(start, start + 2.6, time);
    pose.turn("leaf-a", Z, -droop(0.4)).turn("leaf-b", Z, droop(0.9));
    pose.turn("leaf-c", Z, -droop(1.3)).turn("leaf-d", Z, droop(0.6));
}
