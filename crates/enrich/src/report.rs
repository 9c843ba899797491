//! Measures of an enriched animation.

mod completion_error;
mod measures;
mod spectrum;

pub use completion_error::CompletionError;
pub use measures::Measures;
pub use spectrum::{amplitudes, wave};
