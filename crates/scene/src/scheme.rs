//! The rule of a time step.

use serde::Serialize;

/// Time rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub enum Scheme {
    BackwardEuler,
    Bdf2,
    ImplicitMidpoint,
    Trapezoidal,
    ForwardEuler,
    SymplecticEuler,
    DiscreteGradient,
    QuasiStatic,
}

pub(crate) const SCHEMES: [(&str, Scheme); 8] = [
    ("backward-euler", Scheme::BackwardEuler),
    ("bdf2", Scheme::Bdf2),
    ("implicit-midpoint", Scheme::ImplicitMidpoint),
    ("trapezoidal", Scheme::Trapezoidal),
    ("forward-euler", Scheme::ForwardEuler),
    ("symplectic-euler", Scheme::SymplecticEuler),
    ("discrete-gradient", Scheme::DiscreteGradient),
    ("quasi-static", Scheme::QuasiStatic),
];

impl Scheme {
    /// As written in scene files.
    pub fn name(self) -> &'static str {
        SCHEMES.iter().find(|(_, scheme)| *scheme == self).map_or("", |(name, _)| name)
    }
}
