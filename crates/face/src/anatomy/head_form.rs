//! The head without its features: cranium, face, neck and the flesh on them.

use glam::DVec3;

use super::distance_fields::{
    Ellipsoid, InterpolatedTable, SampledCurve, bump, smooth_max, smooth_min, superellipse,
};

/// Horizontal sections of the face between brow and chin: y, half width, front z (m), exponent.
/// Outline and profile of the face are set here.
const SECTIONS: [[f64; 4]; 12] = [
    [0.075, 0.0600, 0.0100, 2.20],
    [0.045, 0.0640, 0.0200, 2.35],
    [0.022, 0.0645, 0.0225, 2.40],
    [0.012, 0.0648, 0.0215, 2.35],
    [0.000, 0.0655, 0.0190, 2.20],
    [-0.020, 0.0650, 0.0190, 2.05],
    [-0.045, 0.0600, 0.0240, 1.92],
    [-0.060, 0.0560, 0.0265, 1.90],
    [-0.073, 0.0512, 0.0265, 1.90],
    [-0.088, 0.0465, 0.0235, 1.92],
    [-0.103, 0.0412, 0.0225, 2.00],
    [-0.125, 0.0370, 0.0190, 2.05],
];
/// Where the sections are centred, and how far they reach behind that (m).
const SECTION_Z: f64 = -0.055;
const SECTION_BACK: f64 = 0.045;

/// Braincase, frontal bone and occiput.
const CRANIUM: [Ellipsoid; 3] = [
    Ellipsoid::new([0.0, 0.030, -0.080], [0.0740, 0.0800, 0.0930]),
    Ellipsoid::new([0.0, 0.040, -0.045], [0.0620, 0.0620, 0.0685]),
    Ellipsoid::new([0.0, -0.002, -0.112], [0.0600, 0.0560, 0.0560]),
];
const CRANIUM_SEAM: f64 = 0.030;
const FACE_SEAM: f64 = 0.022;

/// Lower border of the jaw seen from the side: z, y (m).
const JAW_LINE: [(f64, f64); 8] = [
    (0.030, -0.1160),
    (0.018, -0.1155),
    (0.000, -0.1110),
    (-0.025, -0.0998),
    (-0.050, -0.0870),
    (-0.062, -0.0780),
    (-0.075, -0.0560),
    (-0.090, -0.0250),
];
const JAW_SEAM: f64 = 0.016;

/// Height of the cut through the neck (m).
pub const NECK_CUT: f64 = -0.190;
const NECK_TOP: [f64; 3] = [0.0, -0.040, -0.088];
const NECK_BOTTOM: [f64; 3] = [0.0, -0.215, -0.108];
/// Half widths along x and z, at top and bottom (m).
const NECK_X: [f64; 2] = [0.0435, 0.0530];
const NECK_Z: [f64; 2] = [0.0490, 0.0530];
const NECK_SEAM: f64 = 0.026;
const SUBMENTAL: Ellipsoid = Ellipsoid::new([0.0, -0.098, -0.030], [0.034, 0.021, 0.044]);
const SUBMENTAL_SEAM: f64 = 0.022;
const STERNOMASTOID: [[f64; 4]; 3] = [
    [0.049, -0.045, -0.098, 0.010],
    [0.039, -0.110, -0.083, 0.010],
    [0.022, -0.200, -0.056, 0.009],
];

/// Flesh added where the amplitude is positive: centre, σ, amplitude (m).
struct Pad([f64; 3], [f64; 3], f64);

const PADS: [Pad; 17] = [
    // glabella
    Pad([0.0, 0.014, 0.023], [0.012, 0.008, 0.02], 0.0008),
    // brow, and its tail
    Pad([0.027, 0.0165, 0.018], [0.016, 0.0065, 0.02], 0.0026),
    Pad([0.045, 0.015, 0.004], [0.009, 0.008, 0.012], 0.0022),
    // hollow of the orbit, its medial part, the inner canthus
    Pad([0.031, 0.001, 0.014], [0.0165, 0.0105, 0.018], -0.0050),
    Pad([0.0165, 0.003, 0.015], [0.0055, 0.008, 0.012], -0.0030),
    Pad([0.0160, -0.0015, 0.0125], [0.0048, 0.0055, 0.008], -0.0022),
    // temple
    Pad([0.064, 0.024, -0.022], [0.014, 0.022, 0.022], -0.0030),
    // cheekbone, apple and hollow of the cheek
    Pad([0.052, -0.022, 0.000], [0.020, 0.017, 0.026], 0.0034),
    Pad([0.036, -0.033, 0.016], [0.013, 0.012, 0.016], 0.0032),
    Pad([0.050, -0.066, -0.006], [0.020, 0.019, 0.028], -0.0032),
    // muzzle, pillow at the corner of the mouth
    Pad([0.0, -0.0665, 0.026], [0.023, 0.017, 0.021], 0.0034),
    Pad([0.032, -0.079, 0.014], [0.007, 0.009, 0.012], 0.0014),
    // chin
    Pad([0.0, -0.1045, 0.024], [0.013, 0.0085, 0.014], 0.0034),
    Pad([0.015, -0.109, 0.017], [0.009, 0.008, 0.012], 0.0012),
    // angle of the jaw, masseter
    Pad([0.050, -0.080, -0.050], [0.012, 0.014, 0.016], 0.0024),
    Pad([0.056, -0.058, -0.040], [0.012, 0.022, 0.016], 0.0022),
    // larynx
    Pad([0.0, -0.152, -0.050], [0.012, 0.016, 0.02], 0.0030),
];

/// Head and neck, smooth.
#[derive(Clone, Debug)]
pub struct HeadForm {
    half_width: InterpolatedTable,
    front: InterpolatedTable,
    exponent: InterpolatedTable,
    jaw_line: InterpolatedTable,
    sternomastoid: SampledCurve,
}

impl HeadForm {
    pub fn new() -> Self {
        let column = |k: usize| InterpolatedTable::new(SECTIONS.iter().map(|row| (row[0], row[k])));
        HeadForm {
            half_width: column(1),
            front: column(2),
            exponent: column(3),
            jaw_line: InterpolatedTable::new(JAW_LINE),
            sternomastoid: SampledCurve::new(&STERNOMASTOID, 10),
        }
    }

    /// The braincase under its skin.
    pub fn cranium(&self, p: DVec3) -> f64 {
        let [a, b, c] = CRANIUM.map(|part| part.distance(p));
        smooth_min(smooth_min(a, b, CRANIUM_SEAM), c, CRANIUM_SEAM)
    }

    /// The face from brow to jaw, without features.
    pub fn face(&self, p: DVec3) -> f64 {
        let z = p.z - SECTION_Z;
        let width = self.half_width.at(p.y);
        let d = if z > 0.0 {
            superellipse(p.x, z, width, self.front.at(p.y) - SECTION_Z, self.exponent.at(p.y))
        } else {
            superellipse(p.x, z, width, SECTION_BACK, 2.0)
        };
        let d = smooth_max(d, 0.90 * (self.jaw_line.at(p.z) - p.y), JAW_SEAM);
        smooth_max(d, p.y - 0.060, 0.03)
    }

    /// Cranium and face: what skin slides over.
    pub fn foundation(&self, p: DVec3) -> f64 {
        smooth_min(self.cranium(p), self.face(p), FACE_SEAM)
    }

    /// All of it, x ≥ 0.
    pub fn distance(&self, p: DVec3) -> f64 {
        let neck = smooth_min(neck(p), self.sternomastoid.tube(p, 0.03), 0.020);
        let mut d = smooth_min(self.foundation(p), neck.max(NECK_CUT - p.y), NECK_SEAM);
        d = smooth_min(d, SUBMENTAL.distance(p), SUBMENTAL_SEAM);
        PADS.iter().fold(d, |d, Pad(center, sigma, height)| d - height * bump(p, *center, *sigma))
    }
}

fn neck(p: DVec3) -> f64 {
    let t = ((NECK_TOP[1] - p.y) / (NECK_TOP[1] - NECK_BOTTOM[1])).clamp(-0.3, 1.2);
    let z = NECK_TOP[2] + t * (NECK_BOTTOM[2] - NECK_TOP[2]);
    let wider = t.clamp(0.0, 1.0).powi(2);
    let radius = |r: [f64; 2]| r[0] + wider * (r[1] - r[0]);
    let d = superellipse(p.x, p.z - z, radius(NECK_X), radius(NECK_Z), 2.0);
    let d = smooth_max(d, p.y - NECK_TOP[1], 0.02);
    smooth_max(d, NECK_CUT - p.y, 0.006)
}
