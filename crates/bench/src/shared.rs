//! Results that several rows need.

use std::sync::{Arc, OnceLock};

use crate::error::BenchError;

/// A result that the first row which needs it computes, while the others wait.
pub struct Shared<T>(OnceLock<Result<T, Arc<BenchError>>>);

impl<T> Shared<T> {
    /// A result that no row has needed yet.
    pub const fn new() -> Shared<T> {
        Shared(OnceLock::new())
    }

    /// The result; `make` computes it at the first call.
    ///
    /// # Errors
    /// The error of the first call, at every call.
    pub fn get(&self, make: impl FnOnce() -> Result<T, BenchError>) -> Result<&T, BenchError> {
        let result = self.0.get_or_init(|| make().map_err(Arc::new));
        result.as_ref().map_err(|error| BenchError::Shared(Arc::clone(error)))
    }
}
