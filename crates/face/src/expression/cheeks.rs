//! Cheeks and nose: raised, puffed and wrinkled.

use glam::DVec3;

use super::displacement_field::{Patch, Site, push, slide};
use super::lids::{LidMotion, move_lids};
use crate::anatomy::Anatomy;

/// Orbicularis oculi raises the left cheek towards the eye.
pub fn squint(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const CHEEK: Patch = Patch { at: [0.038, -0.025], x: [0.024, 0.026], y: [0.028, 0.018] };
    const APPLE: Patch = Patch::round([0.037, -0.021], 0.019, 0.014);
    let p = site.p;
    let pull = DVec3::new(0.0004, 0.0046, 0.0) * CHEEK.height(p) * site.soft * site.outer();
    let lid = move_lids(site, LidMotion { lower: 0.30, ..LidMotion::default() });
    slide(p, pull, anatomy) + lid + push(p, 0.0016 * APPLE.height(p) * site.outer(), anatomy)
}

/// Air in both cheeks.
pub fn puff(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const CHEEK: Patch = Patch { at: [0.042, -0.060], x: [0.036, 0.040], y: [0.040, 0.036] };
    const LIPS: Patch = Patch::round([0.0, -0.0735], 0.030, 0.024);
    let p = site.p;
    let side = DVec3 { x: p.x.abs(), ..p };
    let air = 0.0085 * CHEEK.height(side) + 0.0026 * LIPS.height(p);
    let thinner = -0.16 * site.above() * LIPS.height(p) * site.outer();
    site.soft * (push(p, air, anatomy) + DVec3::new(0.0, thinner, 0.0))
}

/// The left side of the nose wrinkles and takes wing and lip up.
pub fn sneer(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const WING: Patch = Patch { at: [0.0125, -0.0430], x: [0.013, 0.014], y: [0.014, 0.022] };
    const LIP: Patch = Patch { at: [0.0120, -0.0640], x: [0.018, 0.018], y: [0.014, 0.022] };
    const BUNCH: Patch = Patch::round([0.0095, -0.0200], 0.0085, 0.012);
    const BROW: Patch = Patch { at: [0.010, 0.0150], x: [0.016, 0.020], y: [0.012, 0.018] };
    let p = site.p;
    let wing = DVec3::new(0.0010, 0.0040, 0.0002) * WING.height(p);
    let lip = DVec3::new(0.0005, 0.0034, 0.0004) * LIP.height(p) * site.upper;
    let brow = DVec3::new(-0.0010, -0.0018, 0.0) * BROW.height(p) * site.outer();
    // Folds that run from the bridge outward and down.
    let wave = (std::f64::consts::TAU * (p.y + 0.5 * p.x.abs()) / 0.0062).sin();
    let bunch = (0.0011 + 0.0004 * wave) * BUNCH.height(p);
    let crease = -0.0010 * FOLD.height(p);
    site.soft * (wing + lip)
        + slide(p, brow, anatomy)
        + push(p, (bunch + crease) * site.outer(), anatomy)
}

/// The upper end of the fold between nose and cheek.
const FOLD: Patch = Patch::round([0.0200, -0.0480], 0.0060, 0.0130);
