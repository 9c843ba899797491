//! The nose: bridge, sides, tip with its domes, wings, columella and nostrils.

use glam::DVec3;

use super::distance_fields::{Ellipsoid, SampledCurve, ball, smooth_max, smooth_min};

/// Rows are x, y, z, radius (m).
const BRIDGE: [[f64; 4]; 5] = [
    [0.0, 0.0080, 0.0140, 0.0055],
    [0.0, -0.0020, 0.0148, 0.0046],
    [0.0, -0.0130, 0.0212, 0.0050],
    [0.0, -0.0250, 0.0288, 0.0060],
    [0.0, -0.0350, 0.0338, 0.0076],
];
const SIDE: [[f64; 4]; 3] = [
    [0.0010, -0.0080, 0.0125, 0.0030],
    [0.0036, -0.0200, 0.0180, 0.0042],
    [0.0058, -0.0335, 0.0268, 0.0048],
];
const TIP: ([f64; 3], f64) = ([0.0, -0.0374, 0.0368], 0.0066);
const DOME: ([f64; 3], f64) = ([0.0032, -0.0384, 0.0374], 0.0049);
const PASSAGE: [[f64; 4]; 3] = [
    [0.0064, -0.0490, 0.0308, 0.0020],
    [0.0060, -0.0445, 0.0285, 0.0022],
    [0.0050, -0.0400, 0.0240, 0.0018],
];
const RIM: ([f64; 3], f64) = ([0.0074, -0.0422, 0.0328], 0.0040);
const COLUMELLA: [[f64; 4]; 3] = [
    [0.0, -0.0430, 0.0378, 0.0030],
    [0.0, -0.0470, 0.0325, 0.0031],
    [0.0, -0.0508, 0.0260, 0.0040],
];

/// Its parts, put onto the face one after the other.
#[derive(Clone, Debug)]
pub struct Nose {
    bridge: SampledCurve,
    side: SampledCurve,
    columella: SampledCurve,
    wing: Ellipsoid,
    nostril: Ellipsoid,
    /// Where it goes on, up and back.
    passage: SampledCurve,
}

impl Nose {
    pub fn new() -> Self {
        Nose {
            bridge: SampledCurve::new(&BRIDGE, 14),
            side: SampledCurve::new(&SIDE, 8),
            columella: SampledCurve::new(&COLUMELLA, 8),
            wing: Ellipsoid::turned(
                [0.0104, -0.0428, 0.0262],
                [0.0046, 0.0062, 0.0112],
                [16.0, 26.0, 8.0],
            ),
            passage: SampledCurve::new(&PASSAGE, 7),
            nostril: Ellipsoid::turned(
                [0.0064, -0.0500, 0.0306],
                [0.0027, 0.0046, 0.0054],
                [-16.0, 22.0, -20.0],
            ),
        }
    }

    /// The face with the nose on it; small seams keep it chiselled.
    pub fn put_on(&self, d: f64, p: DVec3) -> f64 {
        let d = smooth_min(d, self.bridge.tube(p, 0.03), 0.010);
        let d = smooth_min(d, self.side.tube(p, 0.02), 0.007);
        let tip = smooth_min(ball(p, TIP.0, TIP.1), ball(p, DOME.0, DOME.1), 0.004);
        let d = smooth_min(d, tip, 0.008);
        let d = smooth_min(d, ball(p, RIM.0, RIM.1), 0.005);
        let d = smooth_min(d, self.columella.tube(p, 0.02), 0.005);
        smooth_min(d, self.wing.distance(p), 0.0072)
    }

    /// The face with nostrils carved into it.
    pub fn carve_nostrils(&self, d: f64, p: DVec3) -> f64 {
        let opening = smooth_min(self.nostril.distance(p), self.passage.tube(p, 0.01), 0.002);
        smooth_max(d, -opening, 0.0020)
    }

    /// How far a point is above the rim of its nostril, inside of it (m).
    pub fn nostril_depth(&self, p: DVec3) -> f64 {
        let inside = self.nostril.distance(p).min(self.passage.tube(p, 0.01)) < 0.0009;
        if inside { p.y + 0.0505 } else { 0.0 }
    }
}
