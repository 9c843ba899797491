//! Target skins: shapes of the head, complete expressions, and a smile with a bump that no muscle
//! makes.

use glam::DVec3;
use pliant_face::FaceModel;
use pliant_face::expression::PRESETS;
use pliant_mesh::Mesh;

/// A skin by weights of shapes.
pub struct Target {
    pub name: &'static str,
    pub shapes: &'static [(&'static str, f64)],
}

/// Targets that are fitted by themselves.
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

/// Presets from which geometry is learned. A sleeping face hardly moves, and no muscle puffs
/// cheeks.
pub const LEARNED: [&str; 5] = ["smile", "surprise", "disgust", "sadness", "kiss"];
/// Presets that are fitted with the learned geometry.
pub const UNSEEN: [&str; 5] = ["laugh", "anger", "fear", "ooh", "wink"];

/// The three muscles of an expression.
const EXPRESSION_MUSCLES: [(&str, [&str; 3]); 3] = [
    ("smile", ["zygomaticus_major", "zygomaticus_minor", "levator_anguli_oris"]),
    ("brows", ["frontalis_medial", "frontalis_lateral", "procerus"]),
    ("sneer", ["levator_labii_sup_alaeque_nasi", "nasalis_transverse", "levator_labii_superioris"]),
];

impl Target {
    /// The three muscles of the expression, where the suite knows them.
    pub fn muscles(&self) -> Option<&'static [&'static str; 3]> {
        EXPRESSION_MUSCLES.iter().find(|(name, _)| *name == self.name).map(|(_, names)| names)
    }
}

/// A bump on the skin.
pub struct Bump {
    pub name: &'static str,
    /// The top is the vertex nearest to this point \[m\].
    pub near: DVec3,
}

/// Radius and height of a bump \[m\].
const RADIUS: f64 = 0.009;
const HEIGHT: f64 = 0.003;

/// Bumps on the left of the face.
pub const BUMPS: [Bump; 5] = [
    Bump { name: "cheek", near: DVec3::new(0.043, -0.044, -0.002) },
    Bump { name: "jowl", near: DVec3::new(0.040, -0.075, -0.012) },
    Bump { name: "forehead", near: DVec3::new(0.031, 0.045, 0.022) },
    Bump { name: "chin", near: DVec3::new(0.010, -0.105, 0.025) },
    Bump { name: "nose", near: DVec3::new(0.016, -0.044, 0.035) },
];

/// The skin \[m\] of a target, scaled by `part`.
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

/// The skin \[m\] of a target with a bump.
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

/// Top of a bump, and the normal of the skin there.
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

/// Part of a bump that a fit reproduces, from the skins without and with the bump.
pub fn recovered(targets: [&[DVec3]; 2], fitted: [&[DVec3]; 2]) -> f64 {
    let (mut along, mut whole) = (0.0, 0.0);
    for v in 0..targets[0].len() {
        let asked = targets[1][v] - targets[0][v];
        along += asked.dot(fitted[1][v] - fitted[0][v]);
        whole += asked.length_squared();
    }
    along / f64::max(whole, 1e-30)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_face::Template;
    use pliant_math::team::Team;

    #[test]
    fn bumps_are_on_the_skin_and_go_out_of_it() {
        let head = Template::built_in(0.006, &Team::new(1)).expect("a head");
        for bump in &BUMPS {
            let (top, way) = top(&head.skin.mesh, bump).expect("a vertex");
            assert!(top.distance(bump.near) < 0.006, "{}: {top}", bump.name);
            // Bumps on the left face left, and all of them forward.
            assert!(way.x > -0.1 && way.z > 0.0, "{}: {way}", bump.name);
        }
    }

    #[test]
    fn half_a_bump_is_recovered_by_half() {
        let [flat, bump] = [DVec3::ZERO, DVec3::Z];
        let targets = [&[flat, flat][..], &[flat, bump][..]];
        let part = recovered(targets, [&[DVec3::X; 2], &[DVec3::X, DVec3::X + 0.5 * DVec3::Z]]);
        assert!((part - 0.5).abs() < 1e-12, "{part}");
    }
}
