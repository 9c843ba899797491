//! Methods by name.

use serde::Serialize;

use super::Method;
use crate::words::words;

words! {
    /// A named combination of scheme, solver and correction.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum Preset: "integrator preset" {
        /// Implicit midpoint, projective, a light filter and FEPR: vivid motion that lasts.
        "vivid", "Vivid", ["dinev2018fepr"] => Vivid,
        /// Backward Euler, projective, no correction: robust, and damps.
        "robust", "Robust", ["liu2017"] => Robust,
    }
}

impl Preset {
    /// The method that it stands for.
    pub const fn method(self) -> Method {
        match self {
            Preset::Vivid => Method::VIVID,
            Preset::Robust => Method::ROBUST,
        }
    }
}
