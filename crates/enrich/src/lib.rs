//! Physics for finished animations: "Enriching triangle mesh animations with physically based
//! simulation" (Li, Xu, Barbič 2016), its sections a file each.
//!
//! | file | section | equations |
//! |---|---|---|
//! | [`bound`] | 4.1, 8.1: a surface Γ in tetrahedra Ω, and the matrices C, C′ | |
//! | [`apart`] | 8.1: which pose to fill | |
//! | [`samples`], [`guess`], [`fit`], [`gamma`] | 4.2: the tets' motion ū that carries an input q̄ | 1–3 |
//! | [`simulation`] | 5, 7.1: the constrained simulation, the implicit blending force | 4–9, 11 |
//! | [`pace`] | 5: how many steps a frame takes | |
//! | [`objects`] | 8.4, Fig. 18: what the body meets | |
//! | [`detail`], [`creases`], [`spectrum`] | 6: what is finer than the tets | 10 |
//! | [`warp`] | 7.2: kinematic blending | |
//! | [`weights`] | 7.3: weights from a few painted values | 12–15 |
//! | [`weighed`] | 7: what these weights are in a frame | |
//! | [`preparation`], [`pipeline`] | 3: what a project asks for; all of it, frame by frame | Fig. 5 |
//! | [`surface_arap`], [`tracks`], [`comparison`] | 9: what it is compared with | Fig. 15, 17 |
//! | [`hidden`] | 9: how well what is not tracked was completed | Fig. 17 |
//! | [`cycle`], [`gaps`] | – : loops; frames that are not whole | |
//! | [`torn`] | – : what the input tears | |
//! | [`core`], [`balls`] | – : what should follow the input when nobody said so | |
//!
//! Symbols: Γ the surface, Γ′ its tracked part, Γ″ the part that follows exactly; Ω the tets, Ω″ those
//! that follow exactly; q̄ and ū the input on Γ and Ω, q and u the result. Positions are used
//! throughout in place of the paper's displacements.

pub mod apart;
pub mod balls;
pub mod bound;
pub mod comparison;
mod condensed;
pub mod core;
pub mod creases;
pub mod cycle;
pub mod detail;
mod error;
pub mod fit;
pub mod gamma;
pub mod gaps;
pub mod guess;
pub mod hidden;
pub mod measures;
pub mod met;
pub mod objects;
pub mod pace;
pub mod pipeline;
mod poisson;
pub mod preparation;
pub mod project;
pub mod samples;
pub mod simulation;
pub mod spectrum;
mod sums;
pub mod surface_arap;
pub mod torn;
pub mod tracks;
pub mod warp;
pub mod weighed;
pub mod weights;

pub use bound::Bound;
pub use error::EnrichError;
pub use fit::{FitOptions, FitReport, Fitting};
pub use measures::Measures;
pub use objects::Object;
pub use pipeline::{Blend, EnrichOptions, Enrichment, FrameReport};
pub use project::Project;
pub use simulation::{Simulation, SimulationOptions};
