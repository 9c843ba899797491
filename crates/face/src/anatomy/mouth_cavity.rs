//! The cavity of the mouth: vestibule, gums, palate, floor and tongue.

use glam::DVec3;

use super::distance_fields::{Ellipsoid, SampledCurve, smooth_max};
use super::mouth::LINE;

/// The labial face of the crowns is z = z₀ − a x² − b x⁴ (m).
const ARCH: [f64; 2] = [22.1, 23240.0];
/// z₀ of upper and lower teeth (m).
pub const UPPER_ARCH: f64 = 0.0205;
pub const LOWER_ARCH: f64 = 0.0180;
/// The middle of the gums behind that face (m).
pub const RIDGE: f64 = 0.0044;
const GUM_HALF: f64 = 0.0060;
const TOP: f64 = -0.0545;
const BOTTOM: f64 = -0.0925;
const SIDE: f64 = 0.0335;
const BACK: f64 = -0.036;
/// Width of the room between lips and teeth, and how it closes above and below (m, m/m).
const VESTIBULE: f64 = 0.0017;
const LEAN: f64 = 0.50;
const SEAM: f64 = 0.006;
const UPPER_GUM: f64 = -0.0650;
const LOWER_GUM: f64 = -0.0825;
const PALATE: f64 = -0.0560;
const FLOOR: f64 = -0.0850;
/// Flesh that the cavity leaves on the mandible (m).
const GUM_FLESH: f64 = 0.0036;
/// Centre lines of the mandible that border the mouth: x, y, z, radius (m).
pub const JAW_BODY: [[f64; 4]; 5] = [
    [0.0, -0.1035, 0.0085, 0.0080],
    [0.013, -0.1030, 0.0050, 0.0074],
    [0.0265, -0.0950, -0.0150, 0.0062],
    [0.0340, -0.0845, -0.0380, 0.0056],
    [0.0370, -0.0755, -0.0500, 0.0050],
];
pub const CORONOID: [[f64; 4]; 3] = [
    [0.0325, -0.0760, -0.0340, 0.0046],
    [0.0385, -0.0500, -0.0420, 0.0036],
    [0.0430, -0.0270, -0.0440, 0.0026],
];
/// The tongue, part of the skin's surface.
pub const TONGUE: Ellipsoid = Ellipsoid::new([0.0, -0.0860, -0.012], [0.019, 0.0085, 0.024]);

/// z of the arch at x, and its slope −dz/dx there.
pub fn arch(x: f64, z0: f64) -> (f64, f64) {
    let [a, b] = ARCH;
    (z0 - a * x * x - b * x.powi(4), 2.0 * a * x + 4.0 * b * x.powi(3))
}

/// Horizontal distance from the arch, negative on the side of the tongue.
pub fn arch_distance(x: f64, z: f64, z0: f64) -> f64 {
    let (front, slope) = arch(x.abs().min(0.036), z0);
    (z - front) / (1.0 + slope * slope).sqrt()
}

/// The cavity of the mouth.
#[derive(Clone, Debug)]
pub(super) struct MouthCavity {
    jaw_body: SampledCurve,
    coronoid: SampledCurve,
}

impl MouthCavity {
    pub fn new() -> Self {
        MouthCavity {
            jaw_body: SampledCurve::new(&JAW_BODY, 12),
            coronoid: SampledCurve::new(&CORONOID, 12),
        }
    }

    /// Distance from the room inside the mouth, x ≥ 0.
    pub fn distance(&self, p: DVec3) -> f64 {
        let DVec3 { x, y, z } = p;
        let upper = arch_distance(x, z, UPPER_ARCH);
        let lower = arch_distance(x, z, LOWER_ARCH);
        // The outer wall follows the teeth and closes in on them above and below the lips.
        let mut d = upper - (VESTIBULE - LEAN * ((y - LINE).abs() - 0.004).max(0.0));
        d = smooth_max(d, x - SIDE, 0.003);
        d = smooth_max(d, y - TOP, SEAM);
        d = smooth_max(d, BOTTOM - y, SEAM);
        d = smooth_max(d, BACK - z, SEAM);
        for (from_arch, above_edge) in [(upper, y - UPPER_GUM), (lower, LOWER_GUM - y)] {
            let gum = smooth_max((from_arch + RIDGE).abs() - GUM_HALF, -above_edge, 0.004);
            d = smooth_max(d, -gum, 0.003);
        }
        let vault = PALATE - 0.006 * (x / 0.02).powi(2);
        d = smooth_max(d, -smooth_max(upper + RIDGE, vault - y, 0.004), 0.004);
        d = smooth_max(d, -smooth_max(lower + RIDGE, y - FLOOR, 0.004), 0.004);
        for bone in [&self.jaw_body, &self.coronoid] {
            d = smooth_max(d, GUM_FLESH - bone.tube(p, 0.02), 0.003);
        }
        smooth_max(d, -TONGUE.distance(p), 0.003)
    }
}
