//! All sculpted shapes by name.

use glam::DVec3;
use pliant_math::team::{SharedSlice, Team};

use super::action_units::UNITS;
use super::displacement_field::Site;
use super::lids::{LidMotion, move_lids};
use super::{brows, cheeks, jaw, lips, mouth};
use crate::anatomy::Anatomy;
use crate::anatomy::hinge::JawPose;

/// The 52 names of ARKit, in its order.
pub const ARKIT: [&str; 52] = [
    "eyeBlinkLeft",
    "eyeLookDownLeft",
    "eyeLookInLeft",
    "eyeLookOutLeft",
    "eyeLookUpLeft",
    "eyeSquintLeft",
    "eyeWideLeft",
    "eyeBlinkRight",
    "eyeLookDownRight",
    "eyeLookInRight",
    "eyeLookOutRight",
    "eyeLookUpRight",
    "eyeSquintRight",
    "eyeWideRight",
    "jawForward",
    "jawRight",
    "jawLeft",
    "jawOpen",
    "mouthClose",
    "mouthFunnel",
    "mouthPucker",
    "mouthRight",
    "mouthLeft",
    "mouthSmileLeft",
    "mouthSmileRight",
    "mouthFrownLeft",
    "mouthFrownRight",
    "mouthDimpleLeft",
    "mouthDimpleRight",
    "mouthStretchLeft",
    "mouthStretchRight",
    "mouthRollLower",
    "mouthRollUpper",
    "mouthShrugLower",
    "mouthShrugUpper",
    "mouthPressLeft",
    "mouthPressRight",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthUpperUpLeft",
    "mouthUpperUpRight",
    "browDownLeft",
    "browDownRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekPuff",
    "cheekSquintLeft",
    "cheekSquintRight",
    "noseSneerLeft",
    "noseSneerRight",
    "tongueOut",
];

/// Evaluates shapes at points of the skin.
///
/// ```
/// use pliant_face::anatomy::Anatomy;
/// use pliant_face::expression::{Sculptor, Site};
/// use pliant_mesh::DVec3;
/// let anatomy = Anatomy::new();
/// let corner = Site::new(DVec3::new(0.026, -0.072, 0.018), &anatomy);
/// let smile = Sculptor::new(&anatomy).displacement("mouthSmileLeft", &corner).unwrap();
/// assert!(smile.x > 0.004 && smile.y > 0.004);
/// ```
#[derive(Clone, Copy)]
pub struct Sculptor<'a> {
    anatomy: &'a Anatomy,
}

impl<'a> Sculptor<'a> {
    pub fn new(anatomy: &'a Anatomy) -> Self {
        Sculptor { anatomy }
    }

    /// All names: those of ARKit, then the action units.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ARKIT.into_iter().chain(UNITS.iter().map(|unit| unit.name))
    }

    /// How a shape moves a point (m); `None` for a name that no shape has.
    pub fn displacement(&self, name: &str, site: &Site) -> Option<DVec3> {
        if let Some(unit) = UNITS.iter().find(|unit| unit.name == name) {
            return Some(unit.displacement(self, site));
        }
        if !ARKIT.contains(&name) {
            return None;
        }
        Some(match (name.strip_suffix("Left"), name.strip_suffix("Right")) {
            (Some("jaw" | "mouth"), _) => self.whole(name, site),
            (_, Some("jaw" | "mouth")) => {
                mirror(self.whole(&name.replace("Right", "Left"), &site.mirrored()))
            }
            (Some(stem), _) => self.left(stem, site),
            (_, Some(stem)) => mirror(self.left(stem, &site.mirrored())),
            _ => self.whole(name, site),
        })
    }

    /// A shape at many points; the same bits for any number of threads.
    pub fn shape(&self, name: &str, sites: &[Site], team: &Team) -> Option<Vec<DVec3>> {
        const BLOCK: usize = 256;
        self.displacement(name, sites.first()?)?;
        let mut moved = vec![DVec3::ZERO; sites.len()];
        let shared = SharedSlice::new(&mut moved);
        team.each(sites.len().div_ceil(BLOCK), &|item, _thread| {
            let (start, end) = (item * BLOCK, ((item + 1) * BLOCK).min(sites.len()));
            // SAFETY: every item has its own block.
            let own = unsafe { shared.range(start, end) };
            for (to, site) in own.iter_mut().zip(&sites[start..end]) {
                *to = self.displacement(name, site).unwrap_or_default();
            }
        });
        Some(moved)
    }

    /// Both sides of something that is sculpted on the left.
    pub(super) fn both(&self, left: impl Fn(&Site) -> DVec3, site: &Site) -> DVec3 {
        left(site) + mirror(left(&site.mirrored()))
    }

    /// A shape of the left side, by its name without the side.
    pub(super) fn left(&self, stem: &str, site: &Site) -> DVec3 {
        let a = self.anatomy;
        let lids =
            |upper: f64, lower: f64, aside: f64| move_lids(site, LidMotion { upper, lower, aside });
        match stem {
            "eyeBlink" => lids(1.0, 1.0, 0.0),
            "eyeLookDown" => lids(0.42, -0.30, 0.0),
            "eyeLookUp" => lids(-0.24, 0.10, 0.0),
            "eyeLookIn" => lids(0.0, 0.0, -0.0007),
            "eyeLookOut" => lids(0.0, 0.0, 0.0007),
            "eyeSquint" => lids(0.16, 0.95, 0.0) + 0.35 * cheeks::squint(site, a),
            "eyeWide" => lids(-0.30, -0.20, 0.0),
            "mouthSmile" => mouth::smile(site, a),
            "mouthFrown" => mouth::frown(site, a),
            "mouthDimple" => mouth::dimple(site, a),
            "mouthStretch" => mouth::stretch(site, a),
            "mouthPress" => lips::press(site, a),
            "mouthTighten" => lips::tighten(site, a),
            "mouthLowerDown" => lips::lower_down(site, a),
            "mouthUpperUp" => lips::upper_up(site, a),
            "browDown" => brows::down(site, a),
            "browInnerUp" => brows::inner_up(site, a),
            "browOuterUp" => brows::outer_up(site, a),
            "cheekSquint" => cheeks::squint(site, a),
            "noseSneer" => cheeks::sneer(site, a),
            _ => DVec3::ZERO,
        }
    }

    /// A shape that is not of one side.
    pub(super) fn whole(&self, name: &str, site: &Site) -> DVec3 {
        let a = self.anatomy;
        match name {
            "jawOpen" => jaw::follow(site, &jaw::OPEN),
            "jawForward" => jaw::follow(site, &jaw::FORWARD),
            "jawLeft" => jaw::follow(site, &jaw::LEFT),
            "mouthClose" => jaw::close_mouth(site),
            "mouthFunnel" => mouth::funnel(site, a),
            "mouthPucker" => mouth::pucker(site, a),
            "mouthLeft" => mouth::left(site, a),
            "mouthRollLower" => lips::roll_lower(site, a),
            "mouthRollUpper" => lips::roll_upper(site, a),
            "mouthShrugLower" => lips::shrug_lower(site, a),
            "mouthShrugUpper" => lips::shrug_upper(site, a),
            "browInnerUp" => self.both(|site| brows::inner_up(site, a), site),
            "cheekPuff" => cheeks::puff(site, a),
            "tongueOut" => jaw::tongue_out(site),
            _ => DVec3::ZERO,
        }
    }

    /// What a pose of the jaw does to the skin.
    pub fn jaw(&self, site: &Site, pose: &JawPose) -> DVec3 {
        jaw::follow(site, pose)
    }
}

fn mirror(v: DVec3) -> DVec3 {
    DVec3 { x: -v.x, ..v }
}
