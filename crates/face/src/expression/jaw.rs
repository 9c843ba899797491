//! The jaw carries the skin along, split where the lips part.

use glam::DVec3;

use super::displacement_field::{Patch, Site};
use crate::anatomy::distance_fields::smoothstep;
use crate::anatomy::hinge::{HINGE, JawPose};
use crate::anatomy::mouth_cavity::{LOWER_ARCH, TONGUE, arch_distance};

/// The jaw of the shape `jawOpen`.
pub const OPEN: JawPose = JawPose { open: 24.0, turn: 0.0, shift: DVec3::ZERO };
/// Of `jawForward`, and of `jawLeft`.
pub const FORWARD: JawPose =
    JawPose { open: 0.0, turn: 0.0, shift: DVec3::new(0.0, -0.001, 0.0055) };
pub const LEFT: JawPose = JawPose { open: 0.0, turn: 3.0, shift: DVec3::new(0.0028, 0.0, 0.0) };

/// What a pose of the jaw does to the skin.
pub fn follow(site: &Site, pose: &JawPose) -> DVec3 {
    taken(site, pose, site.jaw)
}

/// What a part of a pose does to it.
fn taken(site: &Site, pose: &JawPose, part: f64) -> DVec3 {
    let mut by = HINGE.moved(site.p, &pose.scaled(part)) - site.p;
    by.z -= site.rooted * by.z.min(0.0);
    by
}

/// The same with lips that stay together: they share the motion.
fn follow_shut(site: &Site, pose: &JawPose) -> DVec3 {
    const LIPS: Patch = Patch { at: [0.0, -0.0735], x: [0.048, 0.048], y: [0.022, 0.026] };
    // At the line between the lips both have the same part of it, the more the further back.
    let together = 0.36;
    let near = smoothstep(0.0, 0.40, LIPS.height(site.p)) * site.soft;
    let shared = together - 0.30 * (site.above() / 0.011).clamp(-1.0, 1.0);
    let jaw = site.jaw + near * (shared - site.jaw);
    taken(site, pose, jaw.clamp(0.0, 1.0))
}

/// Closes lips over an open jaw: meant to be added to `jawOpen`, and of no meaning alone.
pub fn close_mouth(site: &Site) -> DVec3 {
    follow_shut(site, &OPEN) - follow(site, &OPEN)
}

/// The tongue comes forward, between teeth that `jawOpen` has parted, and over gums that stay.
pub fn tongue_out(site: &Site) -> DVec3 {
    let p = site.p;
    let gums = arch_distance(p.x, p.z, LOWER_ARCH);
    let on_it = smoothstep(0.0035, 0.0010, TONGUE.distance(p))
        * smoothstep(0.004, 0.006, site.depth)
        * smoothstep(-0.0080, -0.0200, gums);
    let tip = smoothstep(-0.024, 0.010, p.z);
    on_it * tip * DVec3::new(-0.12 * p.x, 0.0010, 0.0260)
}
