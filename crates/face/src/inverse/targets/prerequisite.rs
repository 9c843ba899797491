//! Corrective shapes, defined relative to a prerequisite shape: `mouthClose` and `tongueOut`
//! relative to `jawOpen`.
//!
//! Alone, `mouthClose` pushes the lips through each other. Such a shape is therefore fitted
//! together with its prerequisite. The rig keeps the differences in activations and jaw pose.

use glam::DVec3;
use pliant_model::potentials::activation::RELAXED;

use super::Residual;
use crate::inverse::solve::Fitted;
use crate::model::FaceModel;
use crate::registration::shape_names::{Meaning, meaning};
use crate::template::Blendshape;

/// ARKit shapes and their prerequisites.
const PREREQUISITES: [(&str, &str); 2] = [("mouthClose", "jawOpen"), ("tongueOut", "jawOpen")];

impl FaceModel {
    /// The prerequisite shape of a shape, if it has one.
    ///
    /// ```
    /// # use pliant_face::{BuildOptions, Template, build};
    /// # use pliant_math::team::Team;
    /// # let team = Team::new(1);
    /// # let head = Template::built_in(0.006, &team)?;
    /// # let (face, _) = build(&head, "built in".as_ref(), &BuildOptions { size: 0.009 }, &team)?;
    /// let prerequisite = face.prerequisite_shape("mouthClose").expect("a shape");
    /// assert_eq!(prerequisite.name, "jawOpen");
    /// assert!(face.prerequisite_shape("mouthPucker").is_none());
    /// # Ok::<(), pliant_face::FaceError>(())
    /// ```
    pub fn prerequisite_shape(&self, name: &str) -> Option<&Blendshape> {
        let Some(Meaning::Whole(known)) = meaning(name) else { return None };
        let (_, prerequisite) = PREREQUISITES.iter().find(|(shape, _)| *shape == known)?;
        self.shapes.iter().find(|shape| meaning(&shape.name) == Some(Meaning::Whole(prerequisite)))
    }
}

/// Mean residual (mm) above which a second fit relative to the fitted prerequisite is tried.
const RETRY_ABOVE: f64 = 1.0;

/// Fits a shape relative to its prerequisite.
///
/// `rest` and `target` are the skins (m) at rest and of the shape alone; `asked` is the skin of the
/// prerequisite, and `base` its fit. `fit` gets the skin of both together and that of the
/// prerequisite. Where the residual stays large, lips may have buckled on `asked`; a second fit
/// relative to the skin of `base` is then tried, and the better one kept.
///
/// # Errors
/// The errors of `fit`.
pub fn fit_relative<E>(
    rest: &[DVec3],
    target: &[DVec3],
    (asked, base): (&[DVec3], &Fitted),
    mut fit: impl FnMut(&[DVec3], &[DVec3]) -> Result<Fitted, E>,
) -> Result<Fitted, E> {
    let mut try_relative_to = |prerequisite: &[DVec3]| {
        let both = target.iter().zip(prerequisite).zip(rest).map(|((p, q), rest)| *p + *q - *rest);
        let fitted = fit(&both.collect::<Vec<DVec3>>(), prerequisite)?.relative_to(base, rest);
        Ok((Residual::of(rest, target, &fitted.skin).mean, fitted))
    };
    let (first_residual, first) = try_relative_to(asked)?;
    if first_residual <= RETRY_ABOVE {
        return Ok(first);
    }
    let (second_residual, second) = try_relative_to(&base.skin)?;
    let seconds = first.seconds + second.seconds;
    let better = if second_residual < first_residual { second } else { first };
    Ok(Fitted { seconds, ..better })
}

impl Fitted {
    /// The difference between this fit, of both shapes together, and the fit of the prerequisite;
    /// `rest` is the skin at rest (m).
    pub fn relative_to(mut self, prerequisite: &Fitted, rest: &[DVec3]) -> Fitted {
        for (own, other) in self.activations.iter_mut().zip(&prerequisite.activations) {
            (0..6).for_each(|k| own[k] += RELAXED[k] - other[k]);
        }
        self.jaw.open -= prerequisite.jaw.open;
        self.jaw.turn -= prerequisite.jaw.turn;
        self.jaw.shift -= prerequisite.jaw.shift;
        for ((own, other), rest) in self.skin.iter_mut().zip(&prerequisite.skin).zip(rest) {
            *own += *rest - *other;
        }
        for (own, other) in self.contractions.iter_mut().zip(&prerequisite.contractions) {
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
    fn a_shape_with_a_large_residual_is_fitted_relative_to_the_fitted_base() {
        let skin = |by: f64| vec![DVec3::X * by];
        let base = Fitted { skin: skin(0.011), seconds: 7.0, ..Fitted::default() };
        let fits = |lost: [f64; 2]| {
            let mut tries = Vec::new();
            // The shape moves by 5 mm; its prerequisite by 10 mm as a target, and by 11 mm as
            // fitted.
            let found =
                fit_relative(&skin(0.0), &skin(0.005), (&skin(0.01), &base), |both, under| {
                    let lost = lost[tries.len()];
                    tries.push((both[0].x, under[0].x));
                    Ok::<_, ()>(Fitted {
                        skin: skin(0.016 - lost),
                        seconds: 1.0,
                        ..Fitted::default()
                    })
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
    fn a_shape_and_its_prerequisite_add_up_to_both() {
        let fitted = |by: f64| Fitted {
            activations: vec![RELAXED.map(|x| x + by)],
            jaw: JawPose { open: 100.0 * by, turn: by, shift: DVec3::X * by },
            skin: vec![DVec3::Y + DVec3::Z * by],
            contractions: vec![by],
            ..Fitted::default()
        };
        let (both, under) = (fitted(0.75), fitted(0.25));
        let difference = both.relative_to(&under, &[DVec3::Y]);
        assert_eq!(difference.activations, fitted(0.5).activations);
        assert_eq!((difference.jaw, difference.skin), (fitted(0.5).jaw, fitted(0.5).skin));
        assert_eq!(difference.contractions, [0.5]);
    }
}
