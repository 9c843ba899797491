//! Reads `damping`: what takes energy away, on purpose.

use pliant_model::method::Damping;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

const RATE: Limits = Limits::from(0.0, "1/s");

/// A table of one name with its parameters.
pub(crate) fn read(value: Value<'_>) -> Result<Damping, SceneError> {
    let (mut damping, options): (Damping, Value<'_>) = value.one_word()?;
    match &mut damping {
        Damping::RigidPreserving(rate) | Damping::Ether(rate) => *rate = options.number(RATE)?,
        Damping::Rayleigh { mass, stiffness } => {
            let table = options.table(&["mass", "stiffness"])?;
            *mass = table.or("mass", *mass, |v| v.number(RATE))?;
            *stiffness = table.or("stiffness", *stiffness, |v| v.number(Limits::from(0.0, "s")))?;
        }
    }
    Ok(damping)
}
