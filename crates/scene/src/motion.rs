//! Key-framed rigid motion of attachments and colliders.

use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

/// Rigid motion, linear between keys and held outside them. All lists have the same length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Motion {
    /// Times of the keys \[s\], strictly ascending, at least one.
    pub times: Vec<f64>,
    /// Translations at the keys \[m\]; zeros if not written.
    pub translate: Vec<[f64; 3]>,
    /// Rotations at the keys \[degrees\] about the world's x, then y, then z; zeros if not written.
    pub rotate: Vec<[f64; 3]>,
    /// Point about which to rotate \[m\].
    pub about: [f64; 3],
}

impl Motion {
    pub(crate) fn read(value: Value<'_>) -> Result<Motion, SceneError> {
        let table = value.table(&["times", "translate", "rotate", "about"])?;
        let times = times(&table.require("times", "the times of the keys in seconds")?)?;
        let keys = |name: &'static str, unit: &'static str| {
            let Some(list) = table.get(name) else { return Ok(vec![[0.0; 3]; times.len()]) };
            let items = list.items("a list of [x, y, z]")?;
            if items.len() != times.len() {
                return Err(list.refuse(format!(
                    "has {} keys, but `times` has {}: expected as many",
                    items.len(),
                    times.len()
                )));
            }
            items.iter().map(|item| item.numbers(Limits::any(unit))).collect()
        };
        let translate = keys("translate", "m")?;
        let rotate = keys("rotate", "degrees")?;
        let about = table.or("about", [0.0; 3], |v| v.numbers(Limits::any("m")))?;
        Ok(Motion { times, translate, rotate, about })
    }
}

/// Key times: at least one, strictly ascending.
pub(crate) fn times(value: &Value<'_>) -> Result<Vec<f64>, SceneError> {
    let times = value.list(Limits::any("s"))?;
    if times.is_empty() {
        return Err(value.refuse("has no keys, expected at least one time"));
    }
    if let Some(pair) = times.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(
            value.refuse(format!("must ascend, but {} does not follow {}", pair[1], pair[0]))
        );
    }
    Ok(times)
}
