//! Lengths of a face that props are sized by.

use glam::DVec3;

use crate::model::FaceModel;

/// Between the eyes of the built-in head (m): sizes are in its proportion.
const USUAL_EYES: f64 = 0.063;

/// Where eyes, nose and temples are, in the frame of the skull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FaceMeasures {
    /// Midway between the eyes (m).
    pub eyes: DVec3,
    /// How large the head is, beside the built-in one.
    pub scale: f64,
    /// The tip of the nose (m).
    pub nose: DVec3,
    /// Half of the head's breadth beside the eyes (m).
    pub temple: f64,
}

impl FaceMeasures {
    /// Of a face that looks along z; `None` without two eyes.
    pub fn of(face: &FaceModel) -> Option<FaceMeasures> {
        let [left, right] = [face.eyes.first()?.center, face.eyes.get(1)?.center];
        let (eyes, apart) = (0.5 * (left + right), left.distance(right));
        let scale = apart / USUAL_EYES;
        if !(0.1..10.0).contains(&scale) {
            return None;
        }
        let skin = || face.skin.mesh.positions.iter();
        let is_middle = |p: &&DVec3| {
            let below = eyes.y - p.y;
            (p.x - eyes.x).abs() < 0.2 * apart && (0.1 * apart..1.3 * apart).contains(&below)
        };
        let nose = skin().filter(is_middle).max_by(|a, b| a.z.total_cmp(&b.z))?;
        let beside =
            |p: &&DVec3| (p.y - eyes.y).abs() < 0.15 * apart && (p.z - eyes.z).abs() < 0.6 * apart;
        let temple = skin().filter(beside).map(|p| (p.x - eyes.x).abs()).fold(apart, f64::max);
        Some(FaceMeasures { eyes, scale, nose: *nose, temple })
    }
}
