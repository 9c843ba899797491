//! A headset for virtual reality: body, strap, and a cushion that follows the face and presses
//! evenly into it.

use glam::DVec3;
use pliant_mesh::{Mesh, SignedDistance, Surface, SurfaceTree};

use super::face_measures::FaceMeasures;
use super::sampled_field::SampledField;
use super::{coloured, limb, meshed, rounded_box};
use crate::anatomy::distance_fields::{smooth_max, smooth_min, smoothstep};
use crate::error::FaceError;
use crate::model::FaceModel;

/// How deep the cushion is in the face at rest (m), and in which part of what is between skin and
/// bone at most: foam gives way where flesh cannot.
const PRESS: f64 = 0.003;
const COMPRESSED: f64 = 0.3;
/// Farther away than this nobody asks for the skin (m).
const FAR: f64 = 0.016;
/// Between a strap and the skin under it (m).
const AIR: f64 = 0.0012;

const CUSHION: [f64; 3] = [0.10, 0.10, 0.11];
const BODY: [f64; 3] = [0.86, 0.86, 0.88];
const FRONT: [f64; 3] = [0.13, 0.14, 0.17];
const STRAP: [f64; 3] = [0.22, 0.23, 0.26];

/// Made for a face: all that is seen, and what touches it.
pub(super) fn made(
    face: &FaceModel,
    measures: &FaceMeasures,
) -> Result<(Surface, Mesh), FaceError> {
    let headset = Headset::new(face, measures);
    let Headset { center, half, front, eyes, scale, .. } = headset;
    let (low, high) = reach(face, center, half, front, scale);
    let seen = meshed(&|p| headset.all(p), [low, high], 0.0022 * scale, 0.0034 * scale)?;
    let low = low.max(DVec3::new(f64::MIN, f64::MIN, eyes.z - 0.045 * scale));
    let touching = meshed(&|p| headset.shell(p), [low, high], 0.0022 * scale, 0.0034 * scale)?;
    let colour = |p: DVec3| {
        if p.z > front - 0.010 * scale {
            let visor = smoothstep(front + 0.026 * scale, front + 0.034 * scale, p.z);
            std::array::from_fn(|k| BODY[k] + visor * (FRONT[k] - BODY[k]))
        } else if headset.outline(p, 0.002 * scale) < 0.0 && p.z > eyes.z - 0.032 * scale {
            CUSHION
        } else {
            STRAP
        }
    };
    Ok((coloured(seen, colour), touching))
}

/// The headset as a function of space.
struct Headset {
    /// How far outside of the skin, and away from the bone (m).
    skin: SampledField,
    bone: SampledField,
    eyes: DVec3,
    nose: DVec3,
    scale: f64,
    /// Middle and half size of the cushion's outline (m), which lies in x and y.
    center: DVec3,
    half: DVec3,
    /// z where the body begins (m).
    front: f64,
}

impl Headset {
    fn new(face: &FaceModel, measures: &FaceMeasures) -> Headset {
        let FaceMeasures { eyes, scale, nose, temple } = *measures;
        // Beside the eyes the face falls back: the cushion ends before the temples.
        let half = DVec3::new((0.86 * temple).min(0.066 * scale), 0.044 * scale, 0.0);
        let mut headset = Headset {
            skin: SampledField::default(),
            bone: SampledField::default(),
            eyes,
            nose,
            scale,
            center: eyes + DVec3::new(0.0, 0.007, 0.0) * scale,
            half,
            front: nose.z.max(eyes.z + 0.030 * scale) + 0.012 * scale,
        };
        let bounds = reach(face, headset.center, half, headset.front, scale);
        let (skin, bone) =
            (SignedDistance::new(&face.skin.mesh), SurfaceTree::new(&face.skull.mesh));
        let margin = (FAR + 0.006) * scale;
        let (near, nearer) = (
            |p: DVec3| headset.rough(p) < margin || headset.strip(p) < margin,
            |p: DVec3| headset.rough(p) < margin,
        );
        let outside = SampledField::new(bounds, 0.003 * scale, near, |p| -skin.at(p));
        let away = |p: DVec3| bone.closest(p).map_or(f64::INFINITY, |c| c.distance);
        let away = SampledField::new(bounds, 0.003 * scale, nearer, away);
        (headset.skin, headset.bone) = (outside, away);
        headset
    }

    /// In x and y: how far outside of the cushion's outline, grown by some (m).
    fn outline(&self, p: DVec3, grown: f64) -> f64 {
        let flat = DVec3::new(p.x - self.center.x, p.y - self.center.y, 0.0);
        let size = self.half + DVec3::new(grown, grown, 1.0);
        rounded_box(flat, DVec3::ZERO, size, 0.026 * self.scale + grown.min(0.0))
    }

    /// Room for the nose.
    fn nose_gap(&self, p: DVec3) -> f64 {
        let Headset { eyes, nose, scale, .. } = *self;
        let bridge = DVec3::new(eyes.x, eyes.y - 0.004 * scale, nose.z - 0.008 * scale);
        let tip = DVec3::new(eyes.x, nose.y - 0.012 * scale, nose.z + 0.004 * scale);
        limb(p, bridge, tip, [0.011 * scale, 0.024 * scale])
    }

    /// A wall around the eyes.
    fn wall(&self, p: DVec3) -> f64 {
        let wall = self.outline(p, 0.0).max(-self.outline(p, -0.013 * self.scale));
        wall.max(p.z - self.front).max(self.eyes.z - 0.030 * self.scale - p.z)
    }

    fn body(&self, p: DVec3) -> f64 {
        let Headset { scale, center, half, front, .. } = *self;
        let middle = DVec3::new(center.x, center.y, front + 0.014 * scale);
        let size = DVec3::new(half.x + 0.007 * scale, half.y + 0.003 * scale, 0.026 * scale);
        rounded_box(p, middle, size, 0.018 * scale)
    }

    /// Body and wall, whatever is there.
    fn rough(&self, p: DVec3) -> f64 {
        smooth_min(self.wall(p), self.body(p), 0.004 * self.scale)
    }

    /// The height that the strap is at.
    fn strip(&self, p: DVec3) -> f64 {
        let rise = 0.10 * (self.front - p.z).max(0.0);
        ((p.y - self.center.y - rise).abs() - 0.011 * self.scale).max(p.z - self.front)
    }

    /// Body and cushion: the wall ends a little in the skin.
    fn shell(&self, p: DVec3) -> f64 {
        let (rough, scale) = (self.rough(p), self.scale);
        if rough > FAR * scale {
            return rough;
        }
        let away = self.skin.at(p);
        let flesh = (self.bone.at(p) - away).max(0.0);
        let press = PRESS.min(COMPRESSED * flesh);
        let cushion = smooth_max(self.wall(p), -(away + press), 0.002 * scale);
        let body = self.body(p).max(0.004 * scale - away);
        let shell = smooth_min(cushion, body, 0.004 * scale);
        smooth_max(shell, -self.nose_gap(p), 0.004 * scale)
    }

    /// With a band around the head.
    fn all(&self, p: DVec3) -> f64 {
        let (shell, strip, scale) = (self.shell(p), self.strip(p), self.scale);
        if strip > FAR * scale {
            return shell.min(strip);
        }
        let away = self.skin.at(p);
        let inside = self.outline(p, -0.010 * scale).max(self.eyes.z - 0.02 * scale - p.z);
        let band = (away - AIR - 0.0045 * scale).max(AIR - away).max(strip).max(-inside);
        smooth_min(shell, band, 0.003 * scale)
    }
}

/// A box around all of it.
fn reach(face: &FaceModel, center: DVec3, half: DVec3, front: f64, scale: f64) -> (DVec3, DVec3) {
    let around = |p: &&DVec3| (p.y - center.y).abs() < 0.05 * scale;
    let skin = || face.skin.mesh.positions.iter().filter(around);
    let back = skin().map(|p| p.z).fold(center.z, f64::min);
    let wide = skin().map(|p| (p.x - center.x).abs()).fold(half.x, f64::max);
    let margin = 0.016 * scale;
    let low = DVec3::new(center.x - wide - margin, center.y - half.y - margin, back - margin);
    let high =
        DVec3::new(center.x + wide + margin, center.y + half.y + margin, front + 3.5 * margin);
    (low, high)
}
