//! Shapes that mean something only over another: lips that close, and a tongue that comes out, over a jaw that is open.
//!
//! Alone, `mouthClose` pushes lips through each other, and no flesh does that. Such a shape is fitted together with the one that it is over; what
//! is kept of it, and played, is what it adds to that: differences of activations and of the jaw.

use glam::DVec3;
use pliant_model::potentials::activation::RELAXED;

use super::fit::Fitted;
use super::residual::Residual;
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

/// What is left of a shape on the mean (mm) where it is tried in another way, too.
const MUCH: f64 = 1.0;

/// Fits what a shape adds to another one that is under it, which was `asked` for as a skin (m) and made by `base`; `rest` and `target` are the skins (m) at
/// rest and of the shape alone. Both are fitted together by `fit`, whose second skin is the one that is under, as that was asked for. Lips may buckle there
/// that do not where the other was made; where much is left, it is therefore tried over that, too, and the better of the two is kept.
///
/// # Errors
/// Those of `fit`.
pub fn added<E>(
    rest: &[DVec3],
    target: &[DVec3],
    (asked, base): (&[DVec3], &Fitted),
    mut fit: impl FnMut(&[DVec3], &[DVec3]) -> Result<Fitted, E>,
) -> Result<Fitted, E> {
    let mut try_over = |under: &[DVec3]| {
        let both = target.iter().zip(under).zip(rest).map(|((p, q), rest)| *p + *q - *rest);
        let fitted = fit(&both.collect::<Vec<DVec3>>(), under)?.over(base, rest);
        Ok((Residual::of(rest, target, &fitted.skin).mean, fitted))
    };
    let (left, first) = try_over(asked)?;
    if left <= MUCH {
        return Ok(first);
    }
    let (left_then, second) = try_over(&base.skin)?;
    let seconds = first.seconds + second.seconds;
    let better = if left_then < left { second } else { first };
    Ok(Fitted { seconds, ..better })
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
    fn a_shape_is_tried_over_what_was_made_where_much_is_left() {
        let skin = |by: f64| vec![DVec3::X * by];
        let base = Fitted { skin: skin(0.011), seconds: 7.0, ..Fitted::default() };
        let fits = |lost: [f64; 2]| {
            let mut tries = Vec::new();
            // The shape moves by 5 mm, over another that moves by 10 mm when asked for, and by 11 when made.
            let found = added(&skin(0.0), &skin(0.005), (&skin(0.01), &base), |both, under| {
                let lost = lost[tries.len()];
                tries.push((both[0].x, under[0].x));
                Ok::<_, ()>(Fitted { skin: skin(0.016 - lost), seconds: 1.0, ..Fitted::default() })
            });
            let Fitted { skin, seconds, .. } = found.expect("a fit");
            (tries.len(), 1e3 * skin[0].x, seconds)
        };
        let close = |(tries, x, seconds): (usize, f64, f64), wanted: (usize, f64, f64)| {
            assert!(tries == wanted.0 && (x - wanted.1).abs() < 1e-9, "{tries}, {x}");
            assert_eq!(seconds, wanted.2);
        };
        close(fits([0.0005, 0.0]), (1, 4.5, 1.0));
        close(fits([0.002, 0.001]), (2, 4.0, 2.0));
        close(fits([0.002, 0.003]), (2, 3.0, 2.0));
    }

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
