//! Which scheme, solver and correction go together.
//!
//! | choice | goes with |
//! |---|---|
//! | solver `xpbd`, `linearised` | scheme `backward-euler` |
//! | scheme `discrete-gradient` | solver `newton` |
//! | correction `blend` | schemes `implicit-midpoint`, `symplectic-euler`; any solver but `xpbd` |
//! | correction `lagrange` | schemes whose step is a minimisation |
//! | scheme `quasi-static` | no correction |
//! | FEPR's metric `smooth` | FEPR's solution `fast` |

use thiserror::Error;

use super::{Correction, FeprMetric, FeprSolution, Method, Problem, Solver};
use crate::words::Word;

/// Two choices of a method that do not go together.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum MethodError {
    /// The solver is a form of backward Euler.
    #[error(
        "{solver} is a form of backward Euler and cannot solve `{scheme}`, expected the scheme \
         `backward-euler` or another solver"
    )]
    NotBackwardEuler {
        /// The solver's title.
        solver: &'static str,
        /// The scheme's name.
        scheme: &'static str,
    },
    /// The scheme's step is a root, and the solver only minimises.
    #[error("`{scheme}` is no minimisation, expected the solver `newton`")]
    NotNewton {
        /// The scheme's name.
        scheme: &'static str,
    },
    /// Blending with this scheme cannot raise the energy.
    #[error(
        "blending with `{scheme}` cannot raise the energy, expected `implicit-midpoint` or \
         `symplectic-euler`"
    )]
    NotBlended {
        /// The scheme's name.
        scheme: &'static str,
    },
    /// The correction constrains a minimisation.
    #[error(
        "`lagrange` constrains a minimisation, and `{scheme}` is none, expected an implicit scheme"
    )]
    NotConstrained {
        /// The scheme's name.
        scheme: &'static str,
    },
    /// A scheme without inertia has no motion to correct.
    #[error("`{scheme}` has no motion whose energy could be kept, expected the correction `none`")]
    NoMotion {
        /// The scheme's name.
        scheme: &'static str,
    },
    /// The smooth metric leads to directions, but is no distance that could be smallest.
    #[error("the smooth metric is only in the fast solution, expected `mass` or `diagonal`")]
    NoDistance,
}

impl MethodError {
    /// True if the solver is the choice to be changed, false if the correction is.
    pub fn blames_solver(&self) -> bool {
        matches!(self, MethodError::NotBackwardEuler { .. } | MethodError::NotNewton { .. })
    }
}

/// Refuses a method whose choices do not go together.
///
/// # Errors
/// Names the choices, and what was expected.
///
/// ```
/// use pliant_model::method::{Method, Solver, check};
/// let xpbd = Solver::Xpbd { iterations: 40 };
/// assert!(check(&Method { solver: xpbd, ..Method::ROBUST }).is_ok());
/// let error = check(&Method { solver: xpbd, ..Method::VIVID }).unwrap_err();
/// assert!(error.to_string().starts_with("XPBD is a form of backward Euler"));
/// ```
pub fn check(method: &Method) -> Result<(), MethodError> {
    let Method { scheme, solver, correction, .. } = *method;
    let (problem, scheme_name) = (scheme.problem(), scheme.name());
    match solver {
        Solver::Xpbd { .. } | Solver::Linearised { .. } if !scheme.is_backward_euler() => {
            let solver = solver.title();
            return Err(MethodError::NotBackwardEuler { solver, scheme: scheme_name });
        }
        Solver::Newton { .. } => {}
        _ if problem == Problem::Root => {
            return Err(MethodError::NotNewton { scheme: scheme_name });
        }
        _ => {}
    }
    match correction {
        None => Ok(()),
        Some(_) if problem == Problem::Equilibrium => {
            Err(MethodError::NoMotion { scheme: scheme_name })
        }
        Some(Correction::Blend { .. }) if !scheme.can_be_blended() => {
            Err(MethodError::NotBlended { scheme: scheme_name })
        }
        Some(Correction::Lagrange) if problem != Problem::Minimum => {
            Err(MethodError::NotConstrained { scheme: scheme_name })
        }
        Some(Correction::Fepr(fepr))
            if fepr.metric == FeprMetric::Smooth && fepr.solution != FeprSolution::Fast =>
        {
            Err(MethodError::NoDistance)
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Fepr, Preset, Scheme};

    /// Every scheme with every solver and every correction.
    fn all() -> impl Iterator<Item = Method> {
        let corrections = || std::iter::once(None).chain(Correction::ALL.iter().map(|&c| Some(c)));
        Scheme::ALL.iter().flat_map(move |&scheme| {
            Solver::ALL.iter().flat_map(move |&solver| {
                corrections().map(move |correction| Method {
                    scheme,
                    solver,
                    correction,
                    damping: None,
                })
            })
        })
    }

    #[test]
    fn every_preset_can_step() {
        for preset in Preset::ALL {
            assert_eq!(check(&preset.method()), Ok(()), "{}", preset.name());
        }
    }

    #[test]
    fn newton_solves_every_scheme_and_xpbd_one() {
        let fine = |solver: &str| {
            let own = all().filter(|m| m.correction.is_none() && m.solver.name() == solver);
            own.filter(|m| check(m).is_ok()).count()
        };
        assert_eq!(fine("newton"), Scheme::ALL.len());
        assert_eq!(fine("xpbd"), 1);
        assert_eq!(fine("linearised"), 1);
        assert_eq!(fine("projective"), Scheme::ALL.len() - 1);
    }

    #[test]
    fn a_refusal_names_what_was_expected() {
        for method in all() {
            if let Err(error) = check(&method) {
                assert!(error.to_string().contains("expected"), "{error}");
            }
        }
        let exact = Fepr { solution: FeprSolution::Exact, ..Fepr::DEFAULT };
        let method = Method { correction: Some(Correction::Fepr(exact)), ..Method::VIVID };
        assert_eq!(check(&method), Err(MethodError::NoDistance));
    }
}
