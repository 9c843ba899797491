//! The whole mouth and its corners, where zygomaticus, risorius and their opponents pull.

use glam::DVec3;

use super::displacement_field::{Patch, Site, push, slide};
use super::lids::{LidMotion, move_lids};
use crate::anatomy::Anatomy;

/// What moves along with the left corner of the mouth.
const CORNER: Patch = Patch { at: [0.0265, -0.0722], x: [0.034, 0.026], y: [0.030, 0.030] };
/// The fold from the wing of the nose to the corner of the mouth, in three overlapping hills.
const FOLD: [Patch; 3] = [
    Patch::round([0.0215, -0.0490], 0.0075, 0.0100),
    Patch::round([0.0270, -0.0580], 0.0075, 0.0105),
    Patch::round([0.0325, -0.0680], 0.0070, 0.0110),
];

fn corner(site: &Site, pull: DVec3, anatomy: &Anatomy) -> DVec3 {
    slide(site.p, pull * CORNER.height(site.p) * site.soft, anatomy)
}

/// Depth of the fold beside the mouth (m).
pub fn fold(p: DVec3) -> f64 {
    FOLD.iter().map(|patch| patch.height(p)).sum()
}

/// Zygomaticus major: the left corner goes out and up, the cheek rises and swells.
pub fn smile(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const CHEEK: Patch = Patch { at: [0.041, -0.040], x: [0.024, 0.024], y: [0.026, 0.026] };
    const APPLE: Patch = Patch::round([0.039, -0.034], 0.022, 0.018);
    const LIPS: Patch = Patch { at: [0.012, -0.0735], x: [0.020, 0.020], y: [0.016, 0.013] };
    let p = site.p;
    let at_corner = DVec3::new(0.0086, 0.0074, 0.0) * CORNER.height(p);
    let at_cheek = DVec3::new(0.0012, 0.0042, 0.0) * CHEEK.height(p);
    // Lips are drawn thin over the teeth.
    let thinner = DVec3::new(0.0, -0.14 * site.above(), 0.0) * LIPS.height(p) * site.outer();
    let swelling = 0.0026 * APPLE.height(p) - 0.0011 * fold(p);
    let lid = move_lids(site, LidMotion { lower: 0.14, ..LidMotion::default() });
    slide(p, (at_corner + at_cheek) * site.soft, anatomy)
        + site.soft * (thinner + push(p, swelling * site.outer(), anatomy))
        + lid
}

/// Depressor anguli oris: the left corner goes down.
pub fn frown(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const BELOW: Patch = Patch::round([0.0280, -0.0850], 0.011, 0.010);
    let bulge = 0.0010 * BELOW.height(site.p) * site.outer();
    corner(site, DVec3::new(0.0016, -0.0072, 0.0), anatomy)
        + push(site.p, bulge * site.soft, anatomy)
}

/// Buccinator: the left corner goes out and in.
pub fn dimple(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const PIT: Patch = Patch::round([0.0335, -0.0715], 0.0085, 0.0095);
    let pit = -0.0020 * PIT.height(site.p) * site.outer();
    corner(site, DVec3::new(0.0054, 0.0006, -0.0004), anatomy)
        + push(site.p, pit * site.soft, anatomy)
}

/// Risorius and platysma: the left corner goes out and down, the neck tightens.
pub fn stretch(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const JAW: Patch = Patch { at: [0.034, -0.094], x: [0.022, 0.022], y: [0.040, 0.022] };
    let jaw = DVec3::new(0.0012, -0.0030, 0.0) * JAW.height(site.p) * site.soft;
    corner(site, DVec3::new(0.0078, -0.0036, 0.0), anatomy) + slide(site.p, jaw, anatomy)
}

/// The whole mouth goes to the left.
pub fn left(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const MOUTH: Patch = Patch { at: [0.002, -0.0735], x: [0.044, 0.040], y: [0.034, 0.028] };
    let p = site.p;
    let pull = DVec3::new(0.0095, 0.0008, 0.0) * MOUTH.height(p) * site.soft;
    let crease = -0.0008 * fold(p) * site.outer() * site.soft;
    slide(p, pull, anatomy) + push(p, crease, anatomy)
}

/// Lips together and forward, as for a kiss.
pub fn pucker(site: &Site, _anatomy: &Anatomy) -> DVec3 {
    const MOUTH: Patch = Patch { at: [0.0, -0.0730], x: [0.054, 0.054], y: [0.034, 0.032] };
    const LIPS: Patch = Patch { at: [0.0, -0.0730], x: [0.030, 0.030], y: [0.022, 0.020] };
    let (p, height, lips) = (site.p, MOUTH.height(site.p), LIPS.height(site.p));
    let narrow = -0.46 * p.x * height;
    let fuller = 0.22 * site.above() * lips * site.outer();
    site.soft * DVec3::new(narrow, fuller, 0.0072 * lips + 0.0010 * height)
}

/// Lips forward and apart, as for "oo".
pub fn funnel(site: &Site, _anatomy: &Anatomy) -> DVec3 {
    const MOUTH: Patch = Patch { at: [0.0, -0.0730], x: [0.046, 0.046], y: [0.034, 0.032] };
    const LIPS: Patch = Patch { at: [0.0, -0.0730], x: [0.031, 0.031], y: [0.023, 0.021] };
    let (p, height, lips) = (site.p, MOUTH.height(site.p), LIPS.height(site.p));
    let narrow = -0.30 * p.x * height;
    let apart = (0.0044 * site.upper - 0.0052 * (1.0 - site.upper)) * lips;
    site.soft * DVec3::new(narrow, apart, 0.0062 * lips + 0.0008 * height)
}
