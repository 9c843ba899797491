//! Shapes that mean something only over another: lips that close, and a tongue that comes out, over a jaw that is open.
//!
//! Alone, `mouthClose` pushes lips through each other, and no flesh does that. Such a shape is fitted together with the one that it is over; what
//! is kept of it, and played, is what it adds to that: differences of activations and of the jaw.

use glam::DVec3;
use pliant_model::potentials::activation::RELAXED;

use super::fit::Fitted;
use crate::model::FaceModel;
use crate::registration::names::{Meaning, meaning};
use crate::template::Shape;

/// Shapes of ARKit, and what they are over.
const OVER: [(&str, &str); 2] = [("mouthClose", "jawOpen"), ("tongueOut", "jawOpen")];

impl FaceModel {
    /// The shape of the face that a shape of some name is over, if it is one of those.
    ///
    /// ```
    /// # use pliant_face::{BuildOptions, Template, build};
    /// # use pliant_math::team::Team;
    /// # let team = Team::new(1);
    /// # let head = Template::built_in(0.006, &team)?;
    /// # let (face, _) = build(&head, "built in".as_ref(), &BuildOptions { size: 0.009 }, &team)?;
    /// assert_eq!(face.shape_under("mouthClose").map(|shape| &shape.name[..]), Some("jawOpen"));
    /// assert!(face.shape_under("mouthPucker").is_none());
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    pub fn shape_under(&self, name: &str) -> Option<&Shape> {
        let Some(Meaning::Whole(known)) = meaning(name) else { return None };
        let (_, under) = OVER.iter().find(|(over, _)| *over == known)?;
        self.shapes.iter().find(|shape| meaning(&shape.name) == Some(Meaning::Whole(under)))
    }
}

impl Fitted {
    /// What this, which was fitted to two shapes together, adds to what was fitted to the one that is under it; `rest` is the skin's own (m).
    pub fn over(mut self, under: &Fitted, rest: &[DVec3]) -> Fitted {
        for (own, other) in self.activations.iter_mut().zip(&under.activations) {
            (0..6).for_each(|k| own[k] += RELAXED[k] - other[k]);
        }
        self.jaw.open -= under.jaw.open;
        self.jaw.turn -= under.jaw.turn;
        self.jaw.shift -= under.jaw.shift;
        for ((own, other), rest) in self.skin.iter_mut().zip(&under.skin).zip(rest) {
            *own += *rest - *other;
        }
        for (own, other) in self.contractions.iter_mut().zip(&under.contractions) {
            *own -= other;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anatomy::hinge::JawPose;

    #[test]
    fn what_a_shape_adds_and_what_is_under_it_are_both_together() {
        let fitted = |by: f64| Fitted {
            activations: vec![RELAXED.map(|x| x + by)],
            jaw: JawPose { open: 100.0 * by, turn: by, shift: DVec3::X * by },
            skin: vec![DVec3::Y + DVec3::Z * by],
            contractions: vec![by],
            ..Fitted::default()
        };
        let (both, under) = (fitted(0.75), fitted(0.25));
        let over = both.over(&under, &[DVec3::Y]);
        assert_eq!(over.activations, fitted(0.5).activations);
        assert_eq!((over.jaw, over.skin), (fitted(0.5).jaw, fitted(0.5).skin));
        assert_eq!(over.contractions, [0.5]);
    }
}
