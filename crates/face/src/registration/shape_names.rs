//! Other names of shapes: `mouthSmile_L` is ARKit's `mouthSmileLeft`, `cheekPuff_L` is half of its
//! `cheekPuff`.

use crate::anatomy::hinge::JawPose;
use crate::expression::{ARKIT, Recipe, recipe};

/// Ends of names that tell a side, and the side.
const SIDES: [(&str, &str); 8] = [
    ("_l", "Left"),
    ("_r", "Right"),
    (".l", "Left"),
    (".r", "Right"),
    ("_left", "Left"),
    ("_right", "Right"),
    ("left", "Left"),
    ("right", "Right"),
];

/// What a shape is to ARKit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// That shape.
    Whole(&'static str),
    /// One side of that shape: `l` or `r`.
    Half(&'static str, &'static str),
}

/// What a name means; `None` for one that ARKit has nothing like.
pub fn meaning(name: &str) -> Option<Meaning> {
    let lower = name.to_lowercase();
    let known = |name: &str| ARKIT.into_iter().find(|shape| shape.eq_ignore_ascii_case(name));
    if let Some(shape) = known(&lower) {
        return Some(Meaning::Whole(shape));
    }
    let (end, side) = SIDES.into_iter().find(|(end, _)| lower.ends_with(end))?;
    let stem = &lower[..lower.len() - end.len()];
    let whole = known(&format!("{stem}{side}")).map(Meaning::Whole);
    whole.or_else(|| Some(Meaning::Half(known(stem)?, if side == "Left" { "l" } else { "r" })))
}

/// The muscles and the jaw of a shape by any name.
pub fn recipe_of(name: &str) -> Option<Recipe> {
    match meaning(name)? {
        Meaning::Whole(shape) => recipe(shape),
        Meaning::Half(shape, side) => {
            let Recipe { muscles, jaw } = recipe(shape)?;
            let other = if side == "l" { "_r" } else { "_l" };
            let half = |(name, by): (String, f64)| {
                let paired = name.ends_with("_l") || name.ends_with("_r");
                let by = if paired { by } else { 0.5 * by };
                (!name.ends_with(other)).then_some((name, by))
            };
            let muscles = muscles.into_iter().filter_map(half).collect();
            Some(Recipe { muscles, jaw: JawPose { turn: jaw.turn, ..jaw.scaled(0.5) } })
        }
    }
}

/// Weights of ARKit's shapes as weights of shapes by other names.
pub fn renamed(weights: &[(String, f64)], shapes: &[String]) -> Vec<(String, f64)> {
    let mut all = Vec::new();
    for (name, weight) in weights {
        let is = |shape: &&String| match meaning(shape) {
            Some(Meaning::Whole(known) | Meaning::Half(known, _)) => known == name,
            None => *shape == name,
        };
        all.extend(shapes.iter().filter(is).map(|shape| (shape.clone(), *weight)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_rigs_are_understood() {
        assert_eq!(meaning("mouthSmile_L"), Some(Meaning::Whole("mouthSmileLeft")));
        assert_eq!(meaning("MouthSmileRight"), Some(Meaning::Whole("mouthSmileRight")));
        assert_eq!(meaning("browInnerUp_R"), Some(Meaning::Half("browInnerUp", "r")));
        assert_eq!(meaning("jawLeft"), Some(Meaning::Whole("jawLeft")));
        assert_eq!((meaning("PupilDilate_L"), meaning("")), (None, None));
        let puff = recipe_of("cheekPuff_L").unwrap();
        assert!(!puff.muscles.is_empty() && puff.muscles.iter().all(|(_, by)| *by < 0.1));
        let brow = recipe_of("browInnerUp_L").unwrap();
        assert_eq!(brow.muscles, [("frontalis_medial_l".to_owned(), 0.20)]);
        let shapes = ["cheekPuff_L", "cheekPuff_R", "jawOpen"].map(str::to_owned);
        let weights = [("cheekPuff".to_owned(), 0.7), ("tongueOut".to_owned(), 1.0)];
        let named = renamed(&weights, &shapes);
        assert_eq!(named, [("cheekPuff_L".to_owned(), 0.7), ("cheekPuff_R".to_owned(), 0.7)]);
    }
}
