//! Brows and forehead: frontalis raises them, corrugator and procerus draw them down and together.

use glam::DVec3;

use super::displacement_field::{Patch, Site, push, slide};
use crate::anatomy::Anatomy;
use crate::anatomy::distance_fields::smoothstep;

/// Distance of the wrinkles of the forehead (m).
const WRINKLES: f64 = 0.0105;

/// The left inner brow goes up.
pub fn inner_up(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const BROW: Patch = Patch { at: [0.010, 0.0195], x: [0.020, 0.030], y: [0.0145, 0.048] };
    let height = BROW.height(site.p);
    let pull = DVec3::new(0.0007, 0.0075, 0.0) * height * site.outer();
    slide(site.p, pull, anatomy) + wrinkles(site, height, anatomy)
}

/// The left outer brow goes up.
pub fn outer_up(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const BROW: Patch = Patch { at: [0.037, 0.0205], x: [0.026, 0.024], y: [0.0145, 0.046] };
    let height = BROW.height(site.p);
    let pull = DVec3::new(0.0, 0.0080, 0.0) * height * site.outer();
    slide(site.p, pull, anatomy) + 0.7 * wrinkles(site, height, anatomy)
}

/// The left brow goes down and towards the other.
pub fn down(site: &Site, anatomy: &Anatomy) -> DVec3 {
    const BROW: Patch = Patch { at: [0.019, 0.0175], x: [0.024, 0.036], y: [0.0120, 0.030] };
    const KNOT: Patch = Patch::round([0.010, 0.0135], 0.009, 0.010);
    const FURROW: Patch = Patch { at: [0.0045, 0.0150], x: [0.0045, 0.0040], y: [0.012, 0.014] };
    let p = site.p;
    let pull = DVec3::new(-0.0028, -0.0048, 0.0) * BROW.height(p) * site.outer();
    let relief = 0.0012 * KNOT.height(p) - 0.0008 * FURROW.height(p);
    slide(p, pull, anatomy) + push(p, relief * site.outer(), anatomy)
}

/// Folds across the forehead where it is shortened.
fn wrinkles(site: &Site, height: f64, anatomy: &Anatomy) -> DVec3 {
    let p = site.p;
    let where_loose = smoothstep(0.024, 0.034, p.y) * smoothstep(0.066, 0.052, p.y);
    let wave = (std::f64::consts::TAU * p.y / WRINKLES).sin();
    push(p, 0.00035 * height * site.outer() * where_loose * wave, anatomy)
}
