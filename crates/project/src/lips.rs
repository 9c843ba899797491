//! Lip correction: training from a few corrected frames, and whole performances corrected.

mod correction;
mod error_map;
mod neutral;
mod suggest;
mod tally;
mod training;

pub use correction::{CorrectionProject, CorrectionReport};
pub use neutral::{Neutral, NeutralRegion, check_capture, read_mesh_in, selection};
pub use suggest::suggest;
pub use training::{
    Training, TrainingReport, TrainingStart, observe, open_model, write_corrected_frame,
    write_model,
};
