//! Expressions as displacements of the skin: the 52 shapes of ARKit, and action units of FACS.
//!
//! They are *sculpted*: smooth fields along the directions in which muscles pull, evaluated at the
//! rest position of a vertex. Muscles are not simulated for them, as they are what muscles will be
//! fitted to.

mod action_units;
mod brows;
mod cheeks;
mod displacement_field;
mod jaw;
mod lids;
mod lips;
mod mouth;
mod muscle_recipes;
pub mod presets;
mod shapes;

pub use action_units::UNITS;
pub use displacement_field::Site;
pub use lids::keep_off_eye;
pub use muscle_recipes::{Recipe, recipe};
pub use presets::{PRESETS, Preset};
pub use shapes::{ARKIT, Sculptor};
