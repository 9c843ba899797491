//! A wrestler who stamps his feet, one and then the other.

use glam::DVec3;

use super::super::puppet::{Act, Bone, Pose};
use super::super::sculpture::Sculpture;
use super::super::solid::{ball, cone, ellipsoid, slab, turned};
use super::{X, Z, bone, ease};

const SKIN: [f32; 3] = [0.90, 0.70, 0.56];
const BELT: [f32; 3] = [0.16, 0.24, 0.46];
const HAIR: [f32; 3] = [0.10, 0.08, 0.08];
const ROSE: [f32; 3] = [0.86, 0.55, 0.48];
const WHITE: [f32; 3] = [0.97, 0.96, 0.94];

pub const SUMO: Act = Act { name: "sumo", sculpt, bones: &BONES, seconds: PERIOD, pose };

/// Both stamps \[s\].
const PERIOD: f64 = 3.0;

const BONES: [Bone; 12] = [
    bone("hips", "", [[-0.1, 1.35, 0.0], [0.1, 1.35, 0.0]], 0.42),
    bone("chest", "hips", [[0.0, 1.45, -0.05], [0.0, 2.3, -0.05]], 0.6),
    bone("head", "chest", [[0.0, 2.62, 0.0], [0.0, 3.05, 0.0]], 0.4),
    bone("thigh-left", "hips", [[0.4, 1.1, 0.0], [0.78, 0.68, 0.05]], 0.38),
    bone("shin-left", "thigh-left", [[0.78, 0.68, 0.05], [0.85, 0.1, 0.05]], 0.28),
    bone("thigh-right", "hips", [[-0.4, 1.1, 0.0], [-0.78, 0.68, 0.05]], 0.38),
    bone("shin-right", "thigh-right", [[-0.78, 0.68, 0.05], [-0.85, 0.1, 0.05]], 0.28),
    bone("arm-left", "chest", [[0.75, 2.2, 0.0], [1.05, 1.6, 0.15]], 0.25),
    bone("hand-left", "arm-left", [[1.05, 1.6, 0.15], [0.95, 1.15, 0.45]], 0.2),
    bone("arm-right", "chest", [[-0.75, 2.2, 0.0], [-1.05, 1.6, 0.15]], 0.25),
    bone("hand-right", "arm-right", [[-1.05, 1.6, 0.15], [-0.95, 1.15, 0.45]], 0.2),
    bone("belly", "hips", [[0.0, 1.55, 0.25], [0.0, 1.75, 0.35]], 0.5),
];

fn sculpt(s: &mut Sculpture) {
    s.add(SKIN, 0.0, ellipsoid([0.0, 1.62, 0.12], [0.86, 0.74, 0.82]));
    s.add(SKIN, 0.35, ellipsoid([0.0, 2.20, -0.05], [0.80, 0.48, 0.52]));
    s.add(SKIN, 0.18, ellipsoid([0.32, 2.12, 0.36], [0.36, 0.27, 0.24]).both());
    s.spot(ROSE, ball([0.36, 2.08, 0.60], 0.07).both());
    s.spot(ROSE, ball([0.0, 1.62, 0.95], 0.06));
    s.add(BELT, 0.04, ellipsoid([0.0, 1.12, 0.02], [0.80, 0.20, 0.72]));
    s.add(BELT, 0.04, slab([0.0, 0.98, 0.55], [0.17, 0.24, 0.12], 0.08));
    s.add(SKIN, 0.22, cone([0.42, 1.02, 0.0], 0.46, [0.80, 0.62, 0.05], 0.34).both());
    s.add(SKIN, 0.12, cone([0.80, 0.62, 0.05], 0.33, [0.86, 0.22, 0.05], 0.22).both());
    s.add(SKIN, 0.10, ellipsoid([0.88, 0.12, 0.20], [0.22, 0.12, 0.36]).both());
    s.stand_at(0.03);
    s.add(SKIN, 0.20, cone([0.76, 2.25, -0.02], 0.28, [1.06, 1.62, 0.15], 0.21).both());
    s.add(SKIN, 0.08, cone([1.06, 1.62, 0.15], 0.20, [0.98, 1.22, 0.42], 0.14).both());
    s.add(SKIN, 0.06, ball([0.95, 1.12, 0.50], 0.18).both());
    s.add(SKIN, 0.14, ellipsoid([0.0, 2.86, 0.05], [0.42, 0.42, 0.42]));
    s.add(SKIN, 0.10, ellipsoid([0.24, 2.72, 0.22], [0.22, 0.20, 0.20]).both());
    s.add(HAIR, 0.05, ellipsoid([0.0, 3.08, -0.05], [0.40, 0.26, 0.40]));
    s.add(HAIR, 0.05, ellipsoid([0.0, 3.36, -0.02], [0.14, 0.12, 0.24]));
    s.add(SKIN, 0.05, ball([0.44, 2.84, 0.02], 0.11).both());
    s.add(SKIN, 0.06, ball([0.0, 2.80, 0.47], 0.09));
    s.spot(HAIR, turned([0.17, 2.94, 0.44], [0.09, 0.025, 0.10], [0.0, 0.0, -12.0]).both());
    s.spot(HAIR, ball([0.16, 2.86, 0.45], 0.045).both());
    s.spot(WHITE, ball([0.18, 2.88, 0.49], 0.016).both());
    s.spot(ROSE, ellipsoid([0.0, 2.62, 0.45], [0.11, 0.028, 0.10]));
    s.region("feet", slab([0.0, 0.0, 0.0], [2.0, 0.14, 2.0], 0.0));
    s.region("belly", ellipsoid([0.0, 1.60, 0.65], [0.75, 0.55, 0.45]));
    s.region("chest", ellipsoid([0.34, 2.10, 0.50], [0.36, 0.28, 0.22]).both());
    s.region("cheeks", ball([0.28, 2.70, 0.30], 0.20).both());
}

fn pose(time: f64, pose: &mut Pose) {
    let phase = (time / PERIOD).rem_euclid(1.0) * 2.0;
    let (side, t) = if phase < 1.0 { (1.0, phase) } else { (-1.0, phase - 1.0) };
    let [thigh, shin, other] = if side > 0.0 {
        ["thigh-left", "shin-left", "thigh-right"]
    } else {
        ["thigh-right", "shin-right", "thigh-left"]
    };
    // Up slowly, down fast, and a squat that takes up the blow.
    let lift = ease(0.05, 0.45, t) - ease(0.55, 0.68, t);
    let squat = ease(0.64, 0.74, t) - ease(0.78, 0.98, t);
    pose.turn("hips", Z, -side * 14.0 * lift);
    pose.turn("chest", Z, -side * 6.0 * lift).turn("chest", X, 12.0 * squat);
    pose.turn(thigh, Z, side * 72.0 * lift);
    pose.turn(shin, Z, -side * 20.0 * lift);
    pose.turn(other, Z, side * 14.0 * lift);
    for (leg, foot, out) in [("thigh-left", "shin-left", 1.0), ("thigh-right", "shin-right", -1.0)]
    {
        pose.turn(leg, Z, out * 16.0 * squat);
        pose.turn(foot, Z, -out * 16.0 * squat);
    }
    pose.turn("arm-left", X, -10.0 * squat).turn("arm-right", X, -10.0 * squat);
    pose.shift = DVec3::new(-side * 0.30 * lift, 0.03 * lift - 0.10 * squat, 0.0);
}
