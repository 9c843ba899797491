//! A case: a body, the forces on it, and a method.

use pliant_model::method::{Correction, Fepr, Method, Scheme, Solver};
use pliant_model::{Model, ModelBuilder, ModelError};

/// A run to be made, with and without correction.
pub struct Case {
    /// Name of the row.
    pub name: String,
    /// The time rule.
    pub scheme: Scheme,
    /// The minimiser.
    pub solver: Solver,
    /// Number of steps.
    pub steps: u32,
    /// True for a case that exploded without correction in the paper.
    pub explodes: bool,
    /// Builds the bodies and the forces on them.
    pub scene: Box<dyn Fn() -> Result<ModelBuilder, ModelError> + Send + Sync>,
}

impl Case {
    /// The model, with or without correction.
    pub fn model(&self, is_corrected: bool) -> Result<Model, ModelError> {
        let fepr = Correction::Fepr(Fepr::default());
        let correction = is_corrected.then_some(fepr);
        let (scheme, solver) = (self.scheme, self.solver);
        let integrator = Method { scheme, solver, correction, damping: None };
        (self.scene)()?.method(integrator).build()
    }
}
