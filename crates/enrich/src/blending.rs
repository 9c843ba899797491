//! Blending between the simulation and the input (section 7 of \[li2017enriching\]).
//!
//! The implicit blending force of section 7.1 acts in [`crate::simulation`].

pub mod biharmonic;
mod frame_weights;
mod kinematic;

pub use frame_weights::FrameWeights;
pub use kinematic::KinematicBlend;

/// How weights between 0 (physics) and 1 (input) act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// As a force during the simulation (section 7.1).
    Implicit,
    /// On the shapes, after the simulation (section 7.2).
    Kinematic,
    /// As a force, with the mean position of each region constrained to the input's (Fig. 15).
    Tracks,
}

/// Stiffness W of a weight w from 0 to 1 [N/m]: η w^ζ.
///
/// \[li2017enriching\] prints the exponent 1/ζ with ζ > 1, by which a weight of 0.01 already gives
/// a third of η. The exponent ζ spreads the weights over the relevant range of stiffness.
pub fn stiffness(weight: f64, eta: f64, zeta: f64) -> f64 {
    eta * weight.powf(zeta)
}

/// Weight of a stiffness, the inverse of [`stiffness`], at most 1.
pub fn weight(stiffness: f64, eta: f64, zeta: f64) -> f64 {
    (stiffness / eta).powf(1.0 / zeta).min(1.0)
}
