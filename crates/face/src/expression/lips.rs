//! Single lips: raised, lowered, rolled in, pressed and pushed up.
//!
//! Where both lips meet, what moves one against the other is zero, or takes the other along: no
//! shape makes them cross.

use glam::DVec3;

use super::displacement_field::{Patch, Site, hill, push};
use super::mouth::fold;
use crate::anatomy::Anatomy;

/// Levator labii superioris: the upper lip's left half goes up and shows the teeth.
pub fn upper_up(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const LIP: Patch = Patch { at: [0.011, -0.0690], x: [0.022, 0.020], y: [0.018, 0.026] };
    let p = site.p;
    let pull = DVec3::new(0.0006, 0.0062, 0.0006) * LIP.height(p) * site.upper;
    let crease = -0.0007 * fold(p) * site.outer();
    site.soft * (pull + push(p, crease, anatomy))
}

/// Depressor labii inferioris: the lower lip's left half goes down.
pub fn lower_down(site: &Site, _anatomy: &Anatomy) -> DVec3 {
    const LIP: Patch = Patch { at: [0.011, -0.0770], x: [0.022, 0.020], y: [0.024, 0.018] };
    let pull = DVec3::new(0.0008, -0.0064, 0.0002) * LIP.height(site.p) * (1.0 - site.upper);
    site.soft * pull
}

/// The upper lip is pushed up from below, and takes the edge of the lower one along.
pub fn shrug_upper(site: &Site, _anatomy: &Anatomy) -> DVec3 {
    const LIP: Patch = Patch { at: [0.0, -0.0690], x: [0.032, 0.032], y: [0.018, 0.018] };
    site.soft * DVec3::new(0.0, 0.0034, 0.0014) * LIP.height(site.p)
}

/// Mentalis: chin and lower lip go up, and the upper lip with them.
pub fn shrug_lower(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const CHIN: Patch = Patch { at: [0.0, -0.0850], x: [0.030, 0.030], y: [0.030, 0.026] };
    const POUT: Patch = Patch::round([0.0, -0.0800], 0.024, 0.013);
    const BOSS: Patch = Patch::round([0.0, -0.1010], 0.018, 0.012);
    let p = site.p;
    let pout = 0.0026 * POUT.height(p) * (1.0 - site.upper);
    let relief = -0.0008 * BOSS.height(p) * site.outer();
    site.soft
        * (DVec3::new(0.0, 0.0056, 0.0) * CHIN.height(p)
            + DVec3::new(0.0, 0.0, pout)
            + push(p, relief, anatomy))
}

/// How much of a roll a point takes: all at the border of the red, none at the parting line.
fn rolled(site: &Site) -> DVec3 {
    let v = site.across_lip();
    let beside = hill(site.p.x.abs() / 0.034);
    let up = hill((v - 1.0).abs() / 1.15);
    let back = hill((v - 0.45).abs() / 1.45);
    beside * site.outer() * site.soft * DVec3::new(0.0, up, back)
}

/// The lower lip is turned inward, over the teeth.
pub fn roll_lower(site: &Site, _anatomy: &Anatomy) -> DVec3 {
    let roll = rolled(site) * (1.0 - site.upper);
    DVec3::new(0.0, 0.0042 * roll.y, -0.0040 * roll.z)
}

/// The upper lip is turned inward.
pub fn roll_upper(site: &Site, _anatomy: &Anatomy) -> DVec3 {
    let roll = rolled(site) * site.upper;
    DVec3::new(0.0, -0.0034 * roll.y, -0.0034 * roll.z)
}

/// The left halves of both lips are pressed together.
pub fn press(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const LIPS: Patch = Patch { at: [0.014, -0.0735], x: [0.022, 0.018], y: [0.017, 0.015] };
    const PAD: Patch = Patch::round([0.0270, -0.0790], 0.010, 0.010);
    let p = site.p;
    let height = LIPS.height(p) * site.outer() * site.soft;
    let pad = 0.0010 * PAD.height(p) * site.outer() * site.soft;
    height * DVec3::new(0.0006, -0.30 * site.above(), -0.0014) + push(p, pad, anatomy)
}

/// The left halves of both lips are tightened: thinner, and drawn in at the corner.
pub fn tighten(site: &Site, _anatomy: &Anatomy) -> DVec3 {
    const LIPS: Patch = Patch { at: [0.012, -0.0735], x: [0.022, 0.022], y: [0.018, 0.016] };
    let height = LIPS.height(site.p) * site.soft;
    height * DVec3::new(-0.0016, -0.26 * site.above() * site.outer(), -0.0006)
}
