//! What a fit has to reach: skin samples with targets, the residual, and prerequisite shapes.

mod observation;
mod prerequisite;
mod residual;

pub use self::observation::{Observation, SkinSample};
pub use self::prerequisite::fit_relative;
pub use self::residual::Residual;
