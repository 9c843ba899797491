//! What is run: a body, what acts on it, and how it is stepped.

use pliant::model::method::{Correction, Fepr, Method, Scheme, Solver};
use pliant::model::{Model, ModelBuilder, ModelError};

/// Step length \[s\].
pub const H: f64 = 1.0 / 30.0;

/// A run to be made, with and without correction.
pub struct Case {
    /// The row's name.
    pub name: String,
    /// The time rule.
    pub scheme: Scheme,
    /// The minimiser.
    pub solver: Solver,
    /// Steps of [`H`].
    pub steps: u32,
    /// Whether it is there because it explodes without correction.
    pub explodes: bool,
    /// Bodies and what acts on them.
    pub scene: Box<dyn Fn() -> Result<ModelBuilder, ModelError> + Send + Sync>,
}

impl Case {
    /// The model to be stepped.
    pub fn model(&self, is_corrected: bool) -> Result<Model, ModelError> {
        let fepr = Correction::Fepr(Fepr::default());
        let correction = is_corrected.then_some(fepr);
        let (scheme, solver) = (self.scheme, self.solver);
        let integrator = Method { scheme, solver, correction, damping: None };
        (self.scene)()?.method(integrator).build()
    }
}
