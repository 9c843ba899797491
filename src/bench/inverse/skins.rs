//! Skins that are asked for: shapes of the head, whole expressions, and some with a bump that no muscle makes.

use glam::DVec3;
use pliant::face::FaceModel;
use pliant::face::expression::PRESETS;
use pliant::mesh::Mesh;

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

/// A bump: its top is the vertex nearest to here \[m\].
pub struct Bump {
    pub name: &'static str,
    pub near: DVec3,
}

/// How wide and how high bumps are \[m\].
const RADIUS: f64 = 0.009;
const HEIGHT: f64 = 0.003;

/// One at a time, on the left of the face.
pub const BUMPS: [Bump; 5] = [
    Bump { name: "cheek", near: DVec3::new(0.043, -0.044, -0.002) },
    Bump { name: "jowl", near: DVec3::new(0.040, -0.075, -0.012) },
    Bump { name: "forehead", near: DVec3::new(0.031, 0.045, 0.022) },
    Bump { name: "chin", near: DVec3::new(0.010, -0.105, 0.025) },
    Bump { name: "nose", near: DVec3::new(0.016, -0.044, 0.035) },
];

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
    let mut skin = skin(face, target, 1.0);
    let Some((top, way)) = top(&face.skin.mesh, bump) else { return skin };
    for (point, at) in skin.iter_mut().zip(&face.skin.mesh.positions) {
        let far = at.distance(top) / RADIUS;
        if far < 1.0 {
            *point += way * HEIGHT * (1.0 - far * far).powi(2);
        }
    }
    skin
}

/// Where a bump is highest, and the way out of the skin there.
fn top(skin: &Mesh, bump: &Bump) -> Option<(DVec3, DVec3)> {
    let away = |v: &usize| skin.positions[*v].distance_squared(bump.near);
    let top = (0..skin.positions.len()).min_by(|a, b| away(a).total_cmp(&away(b)))?;
    let mut way = DVec3::ZERO;
    for t in skin.triangles.iter().filter(|t| t.contains(&(top as u32))) {
        let [a, b, c] = t.map(|v| skin.positions[v as usize]);
        way += (b - a).cross(c - a);
    }
    Some((skin.positions[top], way.normalize_or_zero()))
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
    use pliant::face::Template;
    use pliant::math::team::Team;

    #[test]
    fn bumps_are_on_the_skin_and_go_out_of_it() {
        let head = Template::built_in(0.006, &Team::new(1)).expect("a head");
        for bump in &BUMPS {
            let (top, way) = top(&head.skin.mesh, bump).expect("a vertex");
            assert!(top.distance(bump.near) < 0.006, "{}: {top}", bump.name);
            // What is left of the middle goes to the left, and all of it to the front.
            assert!(way.x > -0.1 && way.z > 0.0, "{}: {way}", bump.name);
        }
    }

    #[test]
    fn half_a_bump_is_half_of_it() {
        let [flat, bump] = [DVec3::ZERO, DVec3::Z];
        let targets = [&[flat, flat][..], &[flat, bump][..]];
        let made = made_of_bump(targets, [&[DVec3::X; 2], &[DVec3::X, DVec3::X + 0.5 * DVec3::Z]]);
        assert!((made - 0.5).abs() < 1e-12, "{made}");
    }
}
