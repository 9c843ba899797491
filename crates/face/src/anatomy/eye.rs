//! Eyes: the ball with its cornea, the lids, the opening between them, and its corners.

use glam::DVec3;

use super::distance_fields::{Ellipsoid, SampledCurve, ball, smooth_max, smooth_min};

/// Centre of the left eyeball, its radius, the room between it and the lids, and how thick these
/// are (m).
pub const CENTER: [f64; 3] = [0.0315, 0.0, 0.0];
pub const RADIUS: f64 = 0.0120;
pub const GAP: f64 = 0.0004;
const LID: f64 = 0.0019;
const LID_SEAM: f64 = 0.0075;
/// The cornea stands out by this much, within a circle (m).
const CORNEA_HEIGHT: f64 = 0.0007;
pub const CORNEA_RADIUS: f64 = 0.0060;
/// The opening: middle and half width (m), heights of the corners and of the lids' arcs.
const MIDDLE: f64 = 0.0318;
pub const HALF_WIDTH: f64 = 0.0151;
const INNER_Y: f64 = -0.0018;
const OUTER_Y: f64 = 0.0014;
const UPPER_ARC: f64 = 0.0054;
const LOWER_ARC: f64 = 0.0053;
const EDGE_SEAM: f64 = 0.0010;
/// Flesh that closes the corners beside the eyeball: caruncle, lateral canthus.
const CANTHI: [Ellipsoid; 2] = [
    Ellipsoid::new([0.0183, -0.0018, 0.0040], [0.0058, 0.0062, 0.0060]),
    Ellipsoid::new([0.0458, 0.0008, -0.0020], [0.0056, 0.0062, 0.0058]),
];
/// x, y, z, amplitude (m).
const CREASE: [[f64; 4]; 5] = [
    [0.0195, 0.0042, 0.0095, -0.0004],
    [0.026, 0.0080, 0.0135, -0.0011],
    [0.034, 0.0088, 0.0135, -0.0012],
    [0.043, 0.0064, 0.0100, -0.0008],
    [0.0490, 0.0020, 0.0045, 0.0],
];
const FOLD: [[f64; 4]; 5] = [
    [0.020, 0.0080, 0.0115, 0.0004],
    [0.026, 0.0112, 0.0140, 0.0020],
    [0.034, 0.0122, 0.0145, 0.0030],
    [0.043, 0.0098, 0.0110, 0.0034],
    [0.0500, 0.0040, 0.0040, 0.0010],
];

/// Heights of the upper and the lower lid's edge at x ≥ 0 (m).
pub fn lid_edges(x: f64) -> [f64; 2] {
    let t = ((x - MIDDLE) / HALF_WIDTH).clamp(-1.0, 1.0);
    let axis = 0.5 * (INNER_Y + OUTER_Y) + 0.5 * t * (OUTER_Y - INNER_Y);
    let e = 1.0 - t * t;
    [
        axis + UPPER_ARC * e.powf(0.72) * (1.0 - 0.16 * t),
        axis - LOWER_ARC * e.powf(0.85) * (1.0 + 0.14 * t),
    ]
}

/// The opening between the lids, extruded along z.
pub fn opening(p: DVec3) -> f64 {
    let [upper, lower] = lid_edges(p.x);
    let d = 0.85 * (p.y - upper).max(lower - p.y);
    d.max((p.x - MIDDLE).abs() - HALF_WIDTH).max(CENTER[2] + 0.0005 - p.z)
}

/// How far the eye reaches from its centre towards `direction` (m): the ball, and the cornea of an
/// eye that looks ahead.
pub fn reach(direction: DVec3) -> f64 {
    let d = direction.normalize_or(DVec3::Z);
    let off_axis = RADIUS * d.x.hypot(d.y);
    let cornea = if d.z > 0.0 { (1.0 - (off_axis / CORNEA_RADIUS).powi(2)).max(0.0) } else { 0.0 };
    RADIUS + CORNEA_HEIGHT * cornea
}

/// Lids and their folds.
#[derive(Clone, Debug)]
pub(super) struct LidField {
    crease: SampledCurve,
    fold: SampledCurve,
}

impl LidField {
    pub fn new() -> Self {
        LidField { crease: SampledCurve::new(&CREASE, 14), fold: SampledCurve::new(&FOLD, 14) }
    }

    /// The fold of skin above the upper lid (m).
    pub fn fold(&self, p: DVec3) -> f64 {
        self.fold.ridge(p, 0.0034)
    }

    /// The face with closed lids over the ball.
    pub fn put_on(&self, d: f64, p: DVec3) -> f64 {
        smooth_min(d, ball(p, CENTER, RADIUS + GAP + LID), LID_SEAM) - self.crease.ridge(p, 0.0013)
    }

    /// The face with the lids opened and room for the ball.
    pub fn open(&self, d: f64, p: DVec3) -> f64 {
        let opening =
            CANTHI.iter().fold(opening(p), |d, flesh| smooth_max(d, -flesh.distance(p), 0.0008));
        smooth_max(d, -opening, EDGE_SEAM).max(-ball(p, CENTER, RADIUS + GAP))
    }
}
