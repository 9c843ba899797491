//! A fist on a forearm, sized to the head, with its knuckles at the tip of the nose.

use glam::DVec3;
use pliant_mesh::Surface;

use super::face_measures::FaceMeasures;
use super::{coloured, limb, meshed, rounded_box};
use crate::anatomy::distance_fields::{smooth_max, smooth_min, smoothstep};
use crate::error::FaceError;

/// Between the knuckles and the nose (m).
const AWAY: f64 = 0.0005;
/// From the fist's own origin to its foremost knuckle (m).
const REACH: f64 = 0.0045;
const SKIN: [f64; 3] = [0.80, 0.58, 0.46];
const CREASE: [f64; 3] = [0.60, 0.38, 0.30];
const SLEEVE: [f64; 3] = [0.16, 0.22, 0.36];
/// Where the sleeve begins (m).
const CUFF: f64 = 0.098;

/// Made for a face.
pub(super) fn made(measures: &FaceMeasures) -> Result<Surface, FaceError> {
    let low = DVec3::new(-0.060, -0.055, -0.012);
    let high = DVec3::new(0.060, 0.050, 0.185);
    let mut mesh = meshed(&fist, [low, high], 0.0022, 0.0032)?;
    let crease = |p: DVec3| smoothstep(0.0, 0.0035, fingers_apart(p));
    let surface = coloured(mesh.clone(), |p| {
        if p.z > CUFF {
            return SLEEVE;
        }
        let part = crease(p);
        std::array::from_fn(|k| CREASE[k] + part * (SKIN[k] - CREASE[k]))
    });
    let tip = measures.nose + DVec3::Z * ((REACH * measures.scale) + AWAY);
    mesh.positions.iter_mut().for_each(|p| *p = tip + measures.scale * *p);
    Ok(Surface { mesh, ..surface })
}

/// x of the four fingers, and how far behind the first two their knuckles are (m).
const FINGERS: [(f64, f64); 4] = [(-0.030, 0.002), (-0.010, 0.0), (0.010, 0.0015), (0.029, 0.006)];

/// Of finger k: from its knuckle over both joints, with radii (m).
fn finger(p: DVec3, k: usize) -> f64 {
    let (x, behind) = FINGERS[k];
    let small = if k == 3 { 0.86 } else { 1.0 };
    let knuckle = DVec3::new(x, 0.024, 0.010 + behind);
    let joint = DVec3::new(1.02 * x, -0.016 * small, 0.0065 + behind);
    let tip = DVec3::new(x, -0.017 * small, 0.034 + behind);
    let first = limb(p, knuckle, joint, [0.0115 * small, 0.0105 * small]);
    smooth_min(first, limb(p, joint, tip, [0.0105 * small, 0.0085 * small]), 0.003)
}

/// How far apart the two nearest fingers are from a point: little in creases (m).
fn fingers_apart(p: DVec3) -> f64 {
    let mut all: [f64; 4] = std::array::from_fn(|k| finger(p, k));
    all.sort_by(f64::total_cmp);
    all[1] - all[0]
}

/// Signed distance of a fist that faces −z (m).
fn fist(p: DVec3) -> f64 {
    let mut fingers = f64::INFINITY;
    for k in 0..4 {
        fingers = smooth_min(fingers, finger(p, k), 0.0022);
    }
    let back =
        rounded_box(p, DVec3::new(-0.001, 0.006, 0.046), DVec3::new(0.041, 0.027, 0.032), 0.016);
    let knuckles = FINGERS
        .iter()
        .map(|&(x, behind)| p.distance(DVec3::new(x, 0.025, 0.013 + behind)) - 0.0118);
    let hand = knuckles.fold(back, |all, knuckle| smooth_min(all, knuckle, 0.005));
    let hand = smooth_min(hand, fingers, 0.0035);
    let base = DVec3::new(-0.036, -0.006, 0.050);
    let bend = DVec3::new(-0.033, -0.019, 0.020);
    let tip = DVec3::new(-0.004, -0.026, 0.006);
    let thumb = smooth_min(
        limb(p, base, bend, [0.0150, 0.0120]),
        limb(p, bend, tip, [0.0120, 0.0095]),
        0.003,
    );
    let hand = smooth_min(hand, thumb, 0.0028);
    // The wrist is broader than it is high, the sleeve round.
    let flat = DVec3::new(p.x * 0.82, p.y * 1.12, p.z);
    let wrist =
        limb(flat, DVec3::new(0.0, 0.003, 0.070), DVec3::new(0.0, 0.0, 0.12), [0.027, 0.027]);
    let arm = smooth_min(hand, wrist, 0.012);
    let sleeve =
        limb(p, DVec3::new(0.0, 0.0, CUFF + 0.006), DVec3::new(0.0, 0.0, 0.25), [0.037, 0.042]);
    let sleeve = smooth_max(sleeve, CUFF - p.z, 0.004);
    smooth_min(arm, sleeve, 0.0015).max(p.z - 0.178)
}
