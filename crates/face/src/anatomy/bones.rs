//! Skull and mandible as functions of space (m, negative inside, symmetric in x).
//!
//! The skull is the bust drawn in by the thickness of the flesh, cut by orbits, temporal fossae
//! and nasal aperture, with rims and arches put on. Both bones are finally drawn back so that
//! [`LEAST_FLESH`] stays over them, gums included.

use glam::DVec3;

use super::distance_fields::{Ellipsoid, InterpolatedTable, SampledCurve, smooth_max, smooth_min};
use super::mouth_cavity::{CORONOID, JAW_BODY, LOWER_ARCH, RIDGE, UPPER_ARCH, arch_distance};
use super::skin::SkinField;

/// Bone stays this deep under the skin (m).
const LEAST_FLESH: f64 = 0.0030;
/// Thickness of the scalp (m).
const SCALP: f64 = 0.0050;
/// Thickness of the flesh of the face: y, m.
const FACE_FLESH: [(f64, f64); 5] =
    [(0.060, 0.0030), (0.012, 0.0038), (-0.012, 0.0105), (-0.030, 0.0105), (-0.050, 0.0185)];
/// Underside of the skull: z, lowest y (m).
const BASE: [(f64, f64); 7] = [
    (0.030, -0.0580),
    (-0.020, -0.0560),
    (-0.034, -0.0400),
    (-0.055, -0.0300),
    (-0.100, -0.0300),
    (-0.125, -0.0330),
    (-0.180, -0.0300),
];
/// Tubes put onto the skull: rows (x, y, z, radius), seam (m).
const BROW_RIDGE: [[f64; 4]; 4] = [
    [0.006, 0.0120, 0.0115, 0.0052],
    [0.018, 0.0150, 0.0112, 0.0050],
    [0.031, 0.0175, 0.0080, 0.0048],
    [0.044, 0.0130, -0.0010, 0.0046],
];
const LATERAL_RIM: [[f64; 4]; 3] = [
    [0.0455, 0.0130, -0.0020, 0.0045],
    [0.0490, 0.0000, -0.0085, 0.0040],
    [0.0445, -0.0140, -0.0080, 0.0044],
];
const INFERIOR_RIM: [[f64; 4]; 3] = [
    [0.0165, -0.0120, 0.0060, 0.0030],
    [0.029, -0.0180, 0.0045, 0.0036],
    [0.040, -0.0175, -0.0045, 0.0050],
];
const FRONTAL_PROCESS: [[f64; 4]; 4] = [
    [0.0085, 0.0040, 0.0085, 0.0036],
    [0.0125, -0.0120, 0.0095, 0.0032],
    [0.0165, -0.0280, 0.0095, 0.0040],
    [0.0165, -0.0440, 0.0095, 0.0048],
];
const NASAL_BONES: [[f64; 4]; 3] =
    [[0.0, 0.0060, 0.0105, 0.0056], [0.0, -0.0050, 0.0125, 0.0044], [0.0, -0.0150, 0.0168, 0.0036]];
const ZYGOMATIC_ARCH: [[f64; 4]; 5] = [
    [0.0440, -0.0200, -0.0100, 0.0056],
    [0.0545, -0.0180, -0.0280, 0.0038],
    [0.0590, -0.0150, -0.0480, 0.0036],
    [0.0570, -0.0115, -0.0680, 0.0044],
    [0.0540, -0.0080, -0.0820, 0.0060],
];
const ZYGOMA: Ellipsoid = Ellipsoid::new([0.0410, -0.0205, -0.0085], [0.0090, 0.0085, 0.0090]);
const MAXILLA: Ellipsoid = Ellipsoid::new([0.0, -0.0430, -0.0090], [0.0265, 0.0190, 0.0240]);
const MASTOID: Ellipsoid = Ellipsoid::new([0.0510, -0.0330, -0.0980], [0.0085, 0.0150, 0.0100]);
const NASAL_APERTURE: Ellipsoid = Ellipsoid::new([0.0, -0.0320, 0.0120], [0.0110, 0.0150, 0.0160]);
const RAMUS_BACK: [[f64; 4]; 4] = [
    [0.0370, -0.0755, -0.0500, 0.0048],
    [0.0405, -0.0520, -0.0595, 0.0042],
    [0.0450, -0.0290, -0.0690, 0.0038],
    [0.0470, -0.0170, -0.0745, 0.0038],
];
const RAMUS_MIDDLE: [[f64; 4]; 3] = [
    [0.0365, -0.0720, -0.0440, 0.0042],
    [0.0400, -0.0520, -0.0500, 0.0036],
    [0.0420, -0.0360, -0.0550, 0.0030],
];
/// Centre of the left condyle (m): the jaw turns about the line through both.
pub const CONDYLE: [f64; 3] = [0.0475, -0.0145, -0.0755];
const CONDYLE_BALL: Ellipsoid = Ellipsoid::new(CONDYLE, [0.0090, 0.0042, 0.0048]);
const CHIN: Ellipsoid = Ellipsoid::new([0.0, -0.1045, 0.0095], [0.0145, 0.0078, 0.0085]);

/// Bone that holds teeth: half thickness, lowest and highest y, how much the lowest rises towards
/// the back (m).
struct Alveolus {
    half: f64,
    bottom: f64,
    top: f64,
    rise: f64,
    arch: f64,
}

const UPPER_ALVEOLUS: Alveolus =
    Alveolus { half: 0.0037, bottom: -0.0620, top: -0.0440, rise: 0.0, arch: UPPER_ARCH };
const LOWER_ALVEOLUS: Alveolus =
    Alveolus { half: 0.0036, bottom: -0.0980, top: -0.0850, rise: 0.019, arch: LOWER_ARCH };

impl Alveolus {
    fn distance(&self, p: DVec3) -> f64 {
        let d = (arch_distance(p.x, p.z, self.arch) + RIDGE).abs() - self.half;
        let bottom = self.bottom + self.rise * (p.x / 0.031).abs().powi(3);
        let d = smooth_max(d, bottom - p.y, 0.003);
        smooth_max(d, p.y - self.top, 0.003).max(p.x - 0.0300)
    }
}

/// Both bones.
#[derive(Clone, Debug)]
pub struct Bones {
    flesh: InterpolatedTable,
    base: InterpolatedTable,
    /// Temporal fossa, cheek, infratemporal fossa, with their seams.
    hollows: [(Ellipsoid, f64); 3],
    orbit: Ellipsoid,
    tubes: [(SampledCurve, f64); 5],
    arch: SampledCurve,
    nasal: SampledCurve,
    mandible: [(SampledCurve, f64); 4],
}

impl Bones {
    pub fn new() -> Self {
        let tube = |rows: &[[f64; 4]], seam: f64| (SampledCurve::new(rows, 14), seam);
        let hollow = |c, r, degrees, seam| (Ellipsoid::turned(c, r, degrees), seam);
        Bones {
            flesh: InterpolatedTable::new(FACE_FLESH),
            base: InterpolatedTable::new(BASE),
            hollows: [
                hollow(
                    [0.0640, 0.0060, -0.0310],
                    [0.0145, 0.0310, 0.0290],
                    [0.0, -8.0, 8.0],
                    0.012,
                ),
                hollow([0.0530, -0.0480, -0.0150], [0.0240, 0.0235, 0.0420], [0.0; 3], 0.008),
                hollow([0.0490, -0.0240, -0.0440], [0.0130, 0.0190, 0.0200], [0.0; 3], 0.008),
            ],
            orbit: Ellipsoid::turned(
                [0.0318, -0.0005, -0.0020],
                [0.0185, 0.0165, 0.0270],
                [0.0, 20.0, 0.0],
            ),
            tubes: [
                tube(&BROW_RIDGE, 0.008),
                tube(&LATERAL_RIM, 0.006),
                tube(&INFERIOR_RIM, 0.007),
                tube(&FRONTAL_PROCESS, 0.006),
                tube(&NASAL_BONES, 0.005),
            ],
            arch: SampledCurve::new(&ZYGOMATIC_ARCH, 14),
            nasal: SampledCurve::new(&NASAL_BONES, 8),
            mandible: [
                (&JAW_BODY[..], 0.010),
                (&RAMUS_BACK, 0.012),
                (&RAMUS_MIDDLE, 0.012),
                (&CORONOID, 0.012),
            ]
            .map(|(rows, seam)| (SampledCurve::new(rows, 12), seam)),
        }
    }

    /// The skull without teeth.
    pub fn skull(&self, p: DVec3, skin: &SkinField) -> f64 {
        let p = DVec3 { x: p.x.abs(), ..p };
        let face = (skin.bust.face(p) + self.flesh.at(p.y)).max(-0.045 - p.z);
        let mut d = smooth_min(skin.bust.cranium(p) + SCALP, face, 0.014);
        d = smooth_max(d, self.base.at(p.z) - p.y, 0.010);
        for (hollow, seam) in &self.hollows {
            d = smooth_max(d, -hollow.distance(p), *seam);
        }
        for (tube, seam) in &self.tubes {
            d = smooth_min(d, tube.tube(p, 0.02), *seam);
        }
        d = smooth_min(d, ZYGOMA.distance(p), 0.008);
        d = smooth_min(d, self.arch.tube(p, 0.02), 0.006);
        d = smooth_min(d, MAXILLA.distance(p), 0.010);
        d = smooth_min(d, MASTOID.distance(p), 0.008);
        d = smooth_min(d, UPPER_ALVEOLUS.distance(p), 0.011);
        d = smooth_max(d, -self.orbit.distance(p), 0.004);
        d = smooth_max(d, -NASAL_APERTURE.distance(p), 0.004);
        d = smooth_min(d, self.nasal.tube(p, 0.02), 0.003);
        under_skin(d, p, skin)
    }

    /// The mandible without teeth.
    pub fn mandible(&self, p: DVec3, skin: &SkinField) -> f64 {
        let p = DVec3 { x: p.x.abs(), ..p };
        let mut d = f64::INFINITY;
        for (tube, seam) in &self.mandible {
            let own = tube.tube(p, 0.03);
            d = if d == f64::INFINITY { own } else { smooth_min(d, own, *seam) };
        }
        d = smooth_min(d, CONDYLE_BALL.distance(p), 0.006);
        d = smooth_min(d, CHIN.distance(p), 0.008);
        d = smooth_min(d, LOWER_ALVEOLUS.distance(p), 0.006);
        under_skin(d, p, skin)
    }

    /// The nearer of both.
    pub fn distance(&self, p: DVec3, skin: &SkinField) -> f64 {
        self.skull(p, skin).min(self.mandible(p, skin))
    }
}

/// Draws a bone back to where enough flesh is over it.
fn under_skin(d: f64, p: DVec3, skin: &SkinField) -> f64 {
    if d < 0.010 { smooth_max(d, skin.distance(p) + LEAST_FLESH, 0.003) } else { d }
}
