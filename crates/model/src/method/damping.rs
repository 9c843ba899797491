//! Damping, applied to the velocities after each step.

use serde::Serialize;

use crate::words::words;

words! {
    /// What takes energy away, on purpose. Rates in 1/s where not said otherwise.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub enum Damping: "damping" {
        // `ModelBuilder::ether` has other rates for parts.
        /// Velocities decay towards rest.
        "ether", "Ether", ["dinev2020"] => Ether(f64 = 0.0),
        // Thesis Eq. 3.52, sign corrected.
        /// Velocities decay towards the body's own rigid motion.
        "rigid-preserving", "Rigid", ["dinev2020"] => RigidPreserving(f64 = 0.0),
        /// Forces −(αM + βK)v.
        "rayleigh", "Rayleigh", ["sifakis2012"] => Rayleigh {
            /// α [1/s].
            mass: f64 = 0.0,
            /// β \[s\].
            stiffness: f64 = 0.0,
        },
    }
}
