//! The skin as one function of space: head form, creases, nose, lips, lids and ears, with openings
//! for mouth and eyes.
//!
//! Metres; y up, the face towards +z, x to the left of whose face it is, the origin midway between
//! the eyeballs; negative inside the flesh; the same for x and −x.

use glam::DVec3;

use super::distance_fields::{SampledCurve, smooth_max, smooth_min};
use super::ear::Ear;
use super::eye::LidField;
use super::head_form::{HeadForm, NECK_CUT};
use super::mouth::{SLIT_SEAM, lip_relief, slit};
use super::mouth_cavity::MouthCavity;
use super::nose::Nose;

/// Creases and ridges: rows (x, y, z, amplitude) and σ (m).
const CREASES: [(&[[f64; 4]], f64); 5] = [
    // mentolabial
    (
        &[
            [0.0, -0.0905, 0.0245, -0.0022],
            [0.010, -0.0900, 0.022, -0.0018],
            [0.020, -0.0885, 0.016, 0.0],
        ],
        0.0055,
    ),
    // nasolabial
    (
        &[
            [0.0185, -0.0440, 0.0240, -0.0014],
            [0.024, -0.0540, 0.0220, -0.0014],
            [0.0290, -0.0650, 0.0180, -0.0009],
            [0.0320, -0.0740, 0.0140, 0.0],
        ],
        0.0042,
    ),
    // tear trough
    (
        &[
            [0.0165, -0.0060, 0.014, -0.0010],
            [0.023, -0.0125, 0.0150, -0.0013],
            [0.033, -0.0160, 0.0140, -0.0005],
            [0.041, -0.0150, 0.010, 0.0],
        ],
        0.0040,
    ),
    // philtrum, and the columns beside it
    (
        &[
            [0.0, -0.0525, 0.030, -0.0010],
            [0.0, -0.0585, 0.031, -0.0017],
            [0.0, -0.0640, 0.032, -0.0013],
        ],
        0.0026,
    ),
    (
        &[
            [0.0036, -0.0530, 0.030, 0.0005],
            [0.0050, -0.0590, 0.031, 0.0011],
            [0.0062, -0.0645, 0.032, 0.0008],
        ],
        0.0022,
    ),
];

/// The skin of the built-in head.
#[derive(Clone, Debug)]
pub struct SkinField {
    pub bust: HeadForm,
    pub nose: Nose,
    pub lids: LidField,
    pub cavity: MouthCavity,
    pub ear: Ear,
    creases: Vec<(SampledCurve, f64)>,
}

impl SkinField {
    pub fn new() -> Self {
        SkinField {
            bust: HeadForm::new(),
            nose: Nose::new(),
            lids: LidField::new(),
            cavity: MouthCavity::new(),
            ear: Ear::new(),
            creases: CREASES
                .iter()
                .map(|(rows, sigma)| (SampledCurve::new(rows, 14), *sigma))
                .collect(),
        }
    }

    /// Distance from the skin without its openings: mouth shut, lids closed.
    pub fn envelope(&self, p: DVec3) -> f64 {
        let p = DVec3 { x: p.x.abs(), ..p };
        let mut d = self.bust.distance(p);
        if is_within(p, [0.0, -0.13, -0.01], [0.065, 0.04, 0.07]) {
            d -= self.lids.fold(p);
            d = self.nose.put_on(d, p);
            d -= self.creases.iter().map(|(curve, sigma)| curve.ridge(p, *sigma)).sum::<f64>();
            d -= lip_relief(p);
            d = self.nose.carve_nostrils(d, p);
            d = self.lids.put_on(d, p);
        }
        d = smooth_min(d, self.ear.distance(p), 0.005);
        smooth_max(d, NECK_CUT - p.y, 0.012)
    }

    /// Distance from the skin.
    pub fn distance(&self, p: DVec3) -> f64 {
        let p = DVec3 { x: p.x.abs(), ..p };
        let mut d = self.envelope(p);
        if is_within(p, [0.0, -0.13, -0.06], [0.065, 0.03, 0.08]) {
            d = self.lids.open(d, p);
            d = smooth_max(d, -slit(p), SLIT_SEAM);
            d = smooth_max(d, -self.cavity.distance(p), 0.002);
        }
        d
    }
}

fn is_within(p: DVec3, min: [f64; 3], max: [f64; 3]) -> bool {
    p.cmpge(DVec3::from_array(min)).all() && p.cmple(DVec3::from_array(max)).all()
}
