//! Muscle recipes: contractions and jaw pose that make a shape.
//!
//! They are close enough to be recognised until contractions are fitted to the shapes.

use super::jaw;
use crate::anatomy::hinge::JawPose;

/// Contractions by name, as parts of the rest length, and the jaw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recipe {
    pub muscles: Vec<(String, f64)>,
    pub jaw: JawPose,
}

/// Muscles, and by how much of their length they shorten.
type Contractions = &'static [(&'static str, f64)];

/// Shapes of one side, by their name without it: muscles of that side.
const SIDED: [(&str, Contractions); 18] = [
    ("eyeBlink", &[("orbicularis_oculi_upper", 0.30), ("orbicularis_oculi_lower", 0.12)]),
    ("eyeLookDown", &[("orbicularis_oculi_upper", 0.12)]),
    ("eyeLookIn", &[]),
    ("eyeLookOut", &[]),
    ("eyeLookUp", &[("levator_palpebrae", 0.15)]),
    ("eyeSquint", &[("orbicularis_oculi_lower", 0.25), ("orbicularis_oculi_upper", 0.06)]),
    ("eyeWide", &[("levator_palpebrae", 0.25)]),
    (
        "mouthSmile",
        &[
            ("zygomaticus_major", 0.30),
            ("zygomaticus_minor", 0.15),
            ("risorius", 0.10),
            ("levator_anguli_oris", 0.10),
        ],
    ),
    ("mouthFrown", &[("depressor_anguli_oris", 0.32), ("platysma", 0.04)]),
    ("mouthDimple", &[("buccinator", 0.22), ("risorius", 0.12)]),
    ("mouthStretch", &[("risorius", 0.28), ("platysma", 0.10), ("buccinator", 0.10)]),
    (
        "mouthPress",
        &[
            ("incisivus_labii_superioris", 0.12),
            ("incisivus_labii_inferioris", 0.12),
            ("buccinator", 0.06),
        ],
    ),
    ("mouthLowerDown", &[("depressor_labii_inferioris", 0.32)]),
    (
        "mouthUpperUp",
        &[("levator_labii_superioris", 0.28), ("levator_labii_sup_alaeque_nasi", 0.16)],
    ),
    ("browDown", &[("corrugator", 0.28), ("depressor_supercilii", 0.22)]),
    ("browOuterUp", &[("frontalis_lateral", 0.20)]),
    ("cheekSquint", &[("orbicularis_oculi_lower", 0.20), ("zygomaticus_minor", 0.10)]),
    ("noseSneer", &[("levator_labii_sup_alaeque_nasi", 0.28), ("nasalis_transverse", 0.20)]),
];

/// Shapes without sides: muscles of both.
const WHOLE: [(&str, Contractions, JawPose); 14] = [
    ("jawForward", &[("lateral_pterygoid", 0.15)], jaw::FORWARD),
    ("jawOpen", &[("digastric_anterior", 0.25), ("lateral_pterygoid", 0.15)], jaw::OPEN),
    (
        "mouthClose",
        &[("orbicularis_oris_upper", 0.15), ("orbicularis_oris_lower", 0.20), ("mentalis", 0.10)],
        SHUT,
    ),
    (
        "mouthFunnel",
        &[
            ("orbicularis_oris_upper", 0.22),
            ("orbicularis_oris_lower", 0.22),
            ("depressor_labii_inferioris", 0.08),
        ],
        SHUT,
    ),
    (
        "mouthPucker",
        &[
            ("orbicularis_oris_upper", 0.34),
            ("orbicularis_oris_lower", 0.34),
            ("incisivus_labii_superioris", 0.20),
            ("incisivus_labii_inferioris", 0.20),
        ],
        SHUT,
    ),
    ("mouthRollLower", &[("orbicularis_oris_lower", 0.24), ("mentalis", 0.08)], SHUT),
    ("mouthRollUpper", &[("orbicularis_oris_upper", 0.24), ("depressor_septi", 0.10)], SHUT),
    ("mouthShrugLower", &[("mentalis", 0.32)], SHUT),
    ("mouthShrugUpper", &[("mentalis", 0.18), ("levator_labii_superioris", 0.06)], SHUT),
    ("browInnerUp", &[("frontalis_medial", 0.20)], SHUT),
    ("cheekPuff", &[("orbicularis_oris_upper", 0.12), ("orbicularis_oris_lower", 0.12)], SHUT),
    ("tongueOut", &[], SHUT),
    ("jaw", &[("lateral_pterygoid", 0.12)], jaw::LEFT),
    ("mouth", &[("buccinator", 0.18), ("zygomaticus_major", 0.10), ("risorius", 0.14)], SHUT),
];

const SHUT: JawPose = JawPose { open: 0.0, turn: 0.0, shift: glam::DVec3::ZERO };

/// Muscles that have no sides.
const UNPAIRED: [&str; 3] = ["procerus", "orbicularis_oris_upper", "orbicularis_oris_lower"];

/// The recipe of a shape of ARKit; `None` for other names.
///
/// ```
/// let smile = pliant_face::expression::recipe("mouthSmileLeft").unwrap();
/// assert_eq!(smile.muscles[0], ("zygomaticus_major_l".to_owned(), 0.30));
/// ```
pub fn recipe(shape: &str) -> Option<Recipe> {
    if !super::ARKIT.contains(&shape) {
        return None;
    }
    let (stem, side) = match (shape.strip_suffix("Left"), shape.strip_suffix("Right")) {
        (Some(stem), _) => (stem, Some("l")),
        (_, Some(stem)) => (stem, Some("r")),
        _ => (shape, None),
    };
    let sided = |name: &str, side: &str| {
        if UNPAIRED.contains(&name) { name.to_owned() } else { format!("{name}_{side}") }
    };
    if let Some((_, muscles)) = SIDED.iter().find(|row| row.0 == stem && side.is_some()) {
        let side = side.unwrap_or("l");
        let muscles = muscles.iter().map(|&(name, by)| (sided(name, side), by)).collect();
        return Some(Recipe { muscles, jaw: SHUT });
    }
    let (_, muscles, jaw) = WHOLE.iter().find(|row| row.0 == stem)?;
    // The pterygoid of the other side pushes the jaw over; the mouth is pulled by its own.
    let sides: &[&str] = match (stem, side) {
        ("jaw", Some("l")) | ("mouth", Some("r")) => &["r"],
        ("jaw", Some(_)) | ("mouth", Some(_)) => &["l"],
        _ => &["l", "r"],
    };
    let mut all: Vec<(String, f64)> = Vec::new();
    for &(name, by) in *muscles {
        let own = if UNPAIRED.contains(&name) { &sides[..1] } else { sides };
        all.extend(own.iter().map(|side| (sided(name, side), by)));
    }
    let turn = if side == Some("r") { -1.0 } else { 1.0 };
    let shift = jaw.shift * glam::DVec3::new(turn, 1.0, 1.0);
    Some(Recipe { muscles: all, jaw: JawPose { open: jaw.open, turn: turn * jaw.turn, shift } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::ARKIT;

    #[test]
    fn every_shape_has_a_recipe_and_sides_are_mirrored() {
        for name in ARKIT {
            assert!(recipe(name).is_some(), "{name} has none");
        }
        let right = recipe("jawRight").unwrap();
        assert!(right.jaw.turn < 0.0 && right.muscles[0].0 == "lateral_pterygoid_l");
        assert!(recipe("eyebrow").is_none());
    }
}
