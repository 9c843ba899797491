//! The puppets, a file each: sculpture, bones and motion.

mod bird;
mod dragon;
mod elephant;
mod plant;
mod sumo;

use glam::DVec3;

use super::puppet::{Act, Bone};

pub(super) const ACTS: [Act; 5] =
    [bird::BIRD, dragon::DRAGON, elephant::ELEPHANT, plant::PLANT, sumo::SUMO];

const X: DVec3 = DVec3::X;
const Y: DVec3 = DVec3::Y;
const Z: DVec3 = DVec3::Z;

const fn bone(name: &'static str, parent: &'static str, ends: [[f64; 3]; 2], radius: f64) -> Bone {
    Bone { name, parent, ends, radius }
}

/// sin 2π(t − start).
fn wave(turns: f64) -> f64 {
    (std::f64::consts::TAU * turns).sin()
}

/// From 0 to 1 between two times, with no speed at either.
fn ease(from: f64, to: f64, time: f64) -> f64 {
    let share = ((time - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}
