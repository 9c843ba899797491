//! Settings of which a page changes some.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StudioError;

/// Settings with some keys changed; of those that are `maps`, only the names that are given.
///
/// # Errors
/// A sentence about the key.
pub(crate) fn changed<S: Serialize + DeserializeOwned>(
    settings: &S,
    change: &Value,
    maps: &[&str],
) -> Result<S, StudioError> {
    let refused =
        |error: serde_json::Error| StudioError::refused(format!("Cannot set that: {error}."));
    let mut whole = serde_json::to_value(settings).map_err(refused)?;
    let (Some(own), Some(change)) = (whole.as_object_mut(), change.as_object()) else {
        return Err(StudioError::refused("Expected what to change, as an object."));
    };
    for (key, value) in change {
        let is_map = maps.contains(&key.as_str());
        match (own.get_mut(key).and_then(|own| own.as_object_mut()), value.as_object()) {
            (Some(map), Some(named)) if is_map => named.iter().for_each(|(name, value)| {
                map.insert(name.clone(), value.clone());
            }),
            _ => {
                own.insert(key.clone(), value.clone());
            }
        }
    }
    serde_json::from_value(whole).map_err(refused)
}
