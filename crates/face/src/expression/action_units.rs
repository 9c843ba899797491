//! Action units of the Facial Action Coding System \[ekman1978\], each on both sides.

use glam::DVec3;

use super::displacement_field::Site;
use super::shapes::Sculptor;
use crate::anatomy::hinge::JawPose;

/// An action unit: shapes and how much of each, and the jaw.
#[derive(Clone, Copy, Debug)]
pub struct ActionUnit {
    /// `AU12_lipCornerPuller`.
    pub name: &'static str,
    /// Shapes of ARKit; those without a side that have one are taken on both.
    pub parts: &'static [(&'static str, f64)],
    /// Opening of the jaw (degrees).
    pub jaw: f64,
}

const fn unit(name: &'static str, parts: &'static [(&'static str, f64)], jaw: f64) -> ActionUnit {
    ActionUnit { name, parts, jaw }
}

/// All of them that move the skin of the face.
pub const UNITS: [ActionUnit; 27] = [
    unit("AU01_innerBrowRaiser", &[("browInnerUp", 1.0)], 0.0),
    unit("AU02_outerBrowRaiser", &[("browOuterUp", 1.0)], 0.0),
    unit("AU04_browLowerer", &[("browDown", 1.0)], 0.0),
    unit("AU05_upperLidRaiser", &[("eyeWide", 1.0)], 0.0),
    unit("AU06_cheekRaiser", &[("cheekSquint", 1.0), ("eyeSquint", 0.25)], 0.0),
    unit("AU07_lidTightener", &[("eyeSquint", 0.8)], 0.0),
    unit("AU09_noseWrinkler", &[("noseSneer", 1.0), ("browDown", 0.3)], 0.0),
    unit("AU10_upperLipRaiser", &[("mouthUpperUp", 0.9), ("noseSneer", 0.25)], 0.0),
    unit(
        "AU11_nasolabialDeepener",
        &[("mouthUpperUp", 0.25), ("cheekSquint", 0.3), ("noseSneer", 0.3)],
        0.0,
    ),
    unit("AU12_lipCornerPuller", &[("mouthSmile", 1.0)], 0.0),
    unit(
        "AU13_sharpLipPuller",
        &[("mouthSmile", 0.7), ("mouthDimple", -0.5), ("cheekPuff", 0.12)],
        0.0,
    ),
    unit("AU14_dimpler", &[("mouthDimple", 1.0), ("mouthPress", 0.3)], 0.0),
    unit("AU15_lipCornerDepressor", &[("mouthFrown", 1.0)], 0.0),
    unit("AU16_lowerLipDepressor", &[("mouthLowerDown", 0.9)], 0.0),
    unit("AU17_chinRaiser", &[("mouthShrugLower", 1.0)], 0.0),
    unit("AU18_lipPucker", &[("mouthPucker", 0.9)], 0.0),
    unit("AU20_lipStretcher", &[("mouthStretch", 1.0)], 0.0),
    unit("AU22_lipFunneler", &[("mouthFunnel", 1.0)], 0.0),
    unit("AU23_lipTightener", &[("mouthTighten", 1.0)], 0.0),
    unit("AU24_lipPressor", &[("mouthPress", 1.0), ("mouthTighten", 0.3)], 0.0),
    unit("AU25_lipsPart", &[("mouthUpperUp", 0.16), ("mouthLowerDown", 0.30)], 0.0),
    unit("AU26_jawDrop", &[], 12.0),
    unit("AU27_mouthStretch", &[("mouthFunnel", 0.12)], 30.0),
    unit("AU28_lipSuck", &[("mouthRollLower", 1.0), ("mouthRollUpper", 1.0)], 0.0),
    unit("AU34_cheekPuff", &[("cheekPuff", 1.0)], 0.0),
    unit("AU43_eyesClosed", &[("eyeBlink", 1.0)], 0.0),
    unit("AU45_squeeze", &[("eyeBlink", 1.0), ("cheekSquint", 0.6), ("browDown", 0.35)], 0.0),
];

impl ActionUnit {
    pub(super) fn displacement(&self, sculptor: &Sculptor, site: &Site) -> DVec3 {
        let part = |&(name, weight): &(&str, f64)| {
            let whole = sculptor.whole(name, site);
            let sides = || sculptor.both(|site| sculptor.left(name, site), site);
            weight * if is_whole(name) { whole } else { sides() }
        };
        let jaw = JawPose { open: self.jaw, ..JawPose::default() };
        self.parts.iter().map(part).sum::<DVec3>() + sculptor.jaw(site, &jaw)
    }
}

/// Whether a shape has no sides.
fn is_whole(name: &str) -> bool {
    super::shapes::ARKIT.contains(&name)
}
