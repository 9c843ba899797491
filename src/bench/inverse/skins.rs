//! Skins that are asked for: shapes of the head, whole expressions, and one with a bump that no muscle makes.

use glam::DVec3;
use pliant::face::FaceModel;
use pliant::face::expression::PRESETS;

/// A skin by weights of shapes.
pub struct Target {
    pub name: &'static str,
    pub shapes: &'static [(&'static str, f64)],
}

/// What is fitted by itself.
pub const SINGLES: [Target; 5] = [
    Target { name: "smile", shapes: &[("mouthSmileLeft", 1.0), ("mouthSmileRight", 1.0)] },
    Target {
        name: "brows",
        shapes: &[("browInnerUp", 1.0), ("browOuterUpLeft", 1.0), ("browOuterUpRight", 1.0)],
    },
    Target { name: "sneer", shapes: &[("noseSneerLeft", 1.0), ("noseSneerRight", 1.0)] },
    Target { name: "pucker", shapes: &[("mouthPucker", 1.0)] },
    Target { name: "jaw", shapes: &[("jawOpen", 1.0)] },
];

/// The head's presets that geometry is learned from, and those that are then fitted with it. A sleeping face hardly moves, and no muscle puffs
/// cheeks up.
pub const LEARNED: [&str; 5] = ["smile", "surprise", "disgust", "sadness", "kiss"];
pub const UNSEEN: [&str; 5] = ["laugh", "anger", "fear", "ooh", "wink"];

/// The three muscles that expressions are about.
pub const ABOUT: [(&str, [&str; 3]); 3] = [
    ("smile", ["zygomaticus_major", "zygomaticus_minor", "levator_anguli_oris"]),
    ("brows", ["frontalis_medial", "frontalis_lateral", "procerus"]),
    ("sneer", ["levator_labii_sup_alaeque_nasi", "nasalis_transverse", "levator_labii_superioris"]),
];

/// A bump: its vertex is the one nearest to here \[m\]; how wide and how high it is \[m\].
pub struct Bump {
    pub near: DVec3,
    pub radius: f64,
    pub height: f64,
}

/// On the left cheek.
pub const BUMP: Bump = Bump { near: DVec3::new(0.05, -0.045, 0.06), radius: 0.009, height: 0.003 };

/// The skin \[m\] of a part of an expression.
pub fn skin(face: &FaceModel, target: &Target, part: f64) -> Vec<DVec3> {
    summed(face, target.shapes.iter().map(|(name, weight)| (*name, part * weight)))
}

/// The skin \[m\] of a preset.
pub fn preset(face: &FaceModel, name: &str) -> Vec<DVec3> {
    let shapes = PRESETS.iter().find(|preset| preset.name == name);
    let shapes = shapes.map(|preset| preset.shapes()).unwrap_or_default();
    summed(face, shapes.iter().map(|(name, weight)| (&name[..], *weight)))
}

fn summed<'a>(face: &FaceModel, shapes: impl Iterator<Item = (&'a str, f64)>) -> Vec<DVec3> {
    let mut skin = face.skin.mesh.positions.clone();
    for (name, weight) in shapes {
        let Some(shape) = face.shapes.iter().find(|shape| shape.name == name) else { continue };
        for (point, by) in skin.iter_mut().zip(&shape.displacement) {
            *point += *by * weight;
        }
    }
    skin
}

/// The same with a bump on it.
pub fn bumped(face: &FaceModel, target: &Target, bump: &Bump) -> Vec<DVec3> {
    let rest = &face.skin.mesh.positions;
    let mut skin = skin(face, target, 1.0);
    let away = |p: &DVec3| p.distance_squared(bump.near);
    let Some(top) = rest.iter().min_by(|a, b| away(a).total_cmp(&away(b))) else { return skin };
    // Away from the middle of the head, which is good enough for a cheek.
    let way = DVec3::new(top.x, 0.0, top.z).normalize_or_zero();
    for (point, at) in skin.iter_mut().zip(rest) {
        let far = at.distance(*top) / bump.radius;
        if far < 1.0 {
            *point += way * bump.height * (1.0 - far * far).powi(2);
        }
    }
    skin
}

/// How much of a bump was made: of two targets, without and with it, what came of these.
pub fn made_of_bump(targets: [&[DVec3]; 2], made: [&[DVec3]; 2]) -> f64 {
    let (mut along, mut whole) = (0.0, 0.0);
    for v in 0..targets[0].len() {
        let asked = targets[1][v] - targets[0][v];
        along += asked.dot(made[1][v] - made[0][v]);
        whole += asked.length_squared();
    }
    along / f64::max(whole, 1e-30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_bump_is_half_of_it() {
        let [flat, bump] = [DVec3::ZERO, DVec3::Z];
        let targets = [&[flat, flat][..], &[flat, bump][..]];
        let made = made_of_bump(targets, [&[DVec3::X; 2], &[DVec3::X, DVec3::X + 0.5 * DVec3::Z]]);
        assert!((made - 0.5).abs() < 1e-12, "{made}");
    }
}
