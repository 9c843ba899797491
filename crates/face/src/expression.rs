//! Expressions as displacements of the skin: the 52 names of ARKit, and action units of FACS.
//!
//! They are *sculpted*: smooth fields along the directions in which muscles pull, evaluated at the
//! rest position of a vertex. Muscles are not simulated for them, as they are what muscles will be
//! fitted to.

mod brows;
mod cheeks;
mod field;
mod jaw;
mod lids;
mod lips;
mod mouth;
pub mod presets;
mod recipes;
mod shapes;
mod units;

pub use field::Site;
pub use lids::keep_off_eye;
pub use presets::{PRESETS, Preset};
pub use recipes::{Recipe, recipe};
pub use shapes::{ARKIT, Sculptor};
pub use units::UNITS;
