//! Physics for finished triangle animations, after \[li2017enriching\] (references.bib).
//!
//! ```text
//! project → input → embedding → fitting → skeleton → blending → simulation → detail → report
//! ```
//!
//! | module | section | content |
//! |---|---|---|
//! | [`project`] | 3 | the project file, and its selections resolved on an animation |
//! | [`input`] | – | frames with missing or non-finite vertices |
//! | [`embedding`] | 4.1, 8.1 | the surface Γ inside tetrahedra Ω: the interpolations C and C′ |
//! | [`fitting`] | 4.2, Eq. 1–3 | the tets' motion ū that reproduces an input q̄ |
//! | [`skeleton`] | – | vertices that follow the input when the project names none |
//! | [`blending`] | 7.2, 7.3, Eq. 12–15 | weights between physics and input; kinematic blending |
//! | [`simulation`] | 5, 7.1, 8.4, Eq. 4–9, 11 | the constrained simulation and its contact objects |
//! | [`detail`] | 6, Eq. 10 | surface detail finer than the tets |
//! | [`pipeline`] | 3, Fig. 5 | all of it, frame by frame; looping animations |
//! | [`comparison`] | 9, Fig. 15, 17 | TRACKS and surface ARAP |
//! | [`report`] | 9 | measures of the result |
//!
//! Symbols: Γ is the surface, Γ′ its tracked part, Γ″ the part that follows exactly. Ω are the
//! tets, Ω″ those that follow exactly. q̄ and ū are the input on Γ and Ω, q and u the result.
//! Positions replace the paper's displacements.

pub mod blending;
pub mod comparison;
pub mod detail;
pub mod embedding;
mod error;
pub mod fitting;
pub mod input;
mod numerics;
pub mod pipeline;
pub mod project;
pub mod report;
pub mod simulation;
pub mod skeleton;

pub use blending::Blend;
pub use embedding::EmbeddedSurface;
pub use error::EnrichError;
pub use fitting::{FitOptions, FitReport, Fitting, gamma};
pub use pipeline::{EnrichOptions, Enrichment, FrameReport};
pub use project::Project;
pub use report::Measures;
pub use simulation::{ContactObject, Simulation, SimulationOptions};
