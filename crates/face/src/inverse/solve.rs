//! The minimisation of Eq. 4 of \[ichim2017phace\]: Gauss–Newton steps, priors, and whole fits.

mod conjugate_gradients;
mod face_fit;
mod gauss_newton;
mod muscle_contraction;
mod priors;
mod reduced_fit;

pub(crate) use self::conjugate_gradients::{conjugate_gradients, dot, dot_rows};
pub(crate) use self::face_fit::FaceParametrisation;
pub use self::face_fit::{ActivationModel, FaceFit, FaceFitOptions, Fitted};
pub(crate) use self::gauss_newton::LOST_EQUILIBRIUM;
pub use self::gauss_newton::{FitProblem, Gradient, QuadraticPrior, SolveLimits, SolveReport};
pub use self::muscle_contraction::optimal_contraction;
pub use self::reduced_fit::ReducedFit;
