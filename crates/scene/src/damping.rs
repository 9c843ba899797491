//! What takes energy away, on purpose.

use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

/// What takes energy away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Damping {
    /// Nothing.
    None,
    /// Towards the body's rigid motion, at this rate [1/s].
    RigidPreserving(f64),
    /// Towards rest, at this rate [1/s].
    Ether(f64),
    /// mass·M + stiffness·K, in 1/s and s.
    Rayleigh { mass: f64, stiffness: f64 },
}

const RATE: Limits = Limits::from(0.0, "1/s");

impl Damping {
    pub(crate) fn read(value: Value<'_>) -> Result<Damping, SceneError> {
        let kinds = &["rigid-preserving", "ether", "rayleigh"];
        let (kind, value) = value.table(kinds)?.one_of("damping", kinds)?;
        Ok(match kind {
            "rigid-preserving" => Damping::RigidPreserving(value.number(RATE)?),
            "ether" => Damping::Ether(value.number(RATE)?),
            _ => {
                let table = value.table(&["mass", "stiffness"])?;
                Damping::Rayleigh {
                    mass: table.or("mass", 0.0, |v| v.number(RATE))?,
                    stiffness: table.or("stiffness", 0.0, |v| v.number(Limits::from(0.0, "s")))?,
                }
            }
        })
    }
}
