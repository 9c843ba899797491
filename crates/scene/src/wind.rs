//! Wind over the surface of every body.

use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::motion::times;
use crate::value::Value;

/// Wind: a force ½ · drag · area · ((w − v)·n) · |(w − v)·n| · n on each surface triangle, with
/// w the velocity scaled by a smooth random gust.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wind {
    /// Mean velocity of the air [m/s].
    pub velocity: [f64; 3],
    /// Density of the air times the drag coefficient [kg/m³].
    pub drag: f64,
    /// Relative strength of gusts: 0 = steady.
    pub gust: f64,
    /// Seed of the gusts.
    pub seed: u64,
    /// Times \[s\] of the keys of `scale`, strictly ascending; empty if the wind does not change.
    pub times: Vec<f64>,
    /// Factors on the velocity at `times`, as many.
    pub scale: Vec<f64>,
}

impl Wind {
    pub(crate) fn read(value: Value<'_>) -> Result<Wind, SceneError> {
        let table = value.table(&["velocity", "drag", "gust", "seed", "times", "scale"])?;
        let velocity = table.require("velocity", "[x, y, z] in m/s")?;
        let (times, scale) = match (table.get("times"), table.get("scale")) {
            (None, None) => (Vec::new(), Vec::new()),
            (Some(keys), Some(scale)) => {
                let keys = times(&keys)?;
                let factors = scale.list(Limits::any(""))?;
                if factors.len() != keys.len() {
                    return Err(scale.refuse(format!(
                        "has {} keys, but `times` has {}: expected as many",
                        factors.len(),
                        keys.len()
                    )));
                }
                (keys, factors)
            }
            (Some(alone), None) => return Err(alone.refuse("needs `scale` beside it")),
            (None, Some(alone)) => return Err(alone.refuse("needs `times` beside it")),
        };
        Ok(Wind {
            velocity: velocity.numbers(Limits::any("m/s"))?,
            drag: table.or("drag", 1.2, |v| v.number(Limits::from(0.0, "kg/m³")))?,
            gust: table.or("gust", 0.0, |v| v.number(Limits::from(0.0, "")))?,
            seed: table.or("seed", 1, |v| v.seed())?,
            times,
            scale,
        })
    }
}
