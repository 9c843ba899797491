//! The muscle geometry S: which muscles act in which tets, and how it is learned from skins.

mod factorisation;
mod joint_fit;
mod learning;
mod matrix;
mod simplex;
mod volume_penalty;

pub use self::factorisation::FactorisationOptions;
pub(crate) use self::factorisation::factorise_activations;
pub use self::joint_fit::{ExpressionFit, JointFit};
pub use self::learning::{GeometryLearningOptions, LearnedGeometry, learn_geometry};
pub use self::matrix::{GeometryEntry, GeometryMatrix, REACH, StretchedGeometry};
pub(crate) use self::volume_penalty::{add_volume_gradient, volume_penalty};
