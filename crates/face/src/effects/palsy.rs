//! The section `[[palsy]]`: muscles that do not contract.

use pliant_scene::SceneError;
use pliant_scene::reading::{Limits, Value};

use super::KeyedTrack;
use super::flesh::names;

/// Of the face, not of who looks at it: left is where x is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceSide {
    Left,
    Right,
}

/// One `[[palsy]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Palsy {
    /// Both sides if `None`.
    pub side: Option<FaceSide>,
    /// Muscles, with or without `_l` and `_r`; all if `None`.
    pub muscles: Option<Vec<String>>,
    /// 0 for muscles that obey, 1 for muscles that do nothing.
    pub strength: KeyedTrack<f64>,
}

impl Palsy {
    pub(super) fn read(value: &Value<'_>) -> Result<Palsy, SceneError> {
        let table = value.table(&["side", "muscles", "strength"])?;
        let sides = [("left", FaceSide::Left), ("right", FaceSide::Right)];
        let share = Limits::from(0.0, "").up_to(1.0);
        let palsy = Palsy {
            side: table.optional("side", |v| v.named("side", &sides))?,
            muscles: table.optional("muscles", |v| names(&v))?,
            strength: table
                .or("strength", KeyedTrack::constant(1.0), |v| KeyedTrack::number(&v, share))?,
        };
        if palsy.side.is_none() && palsy.muscles.is_none() {
            return Err(value.refuse("says neither `side` nor `muscles`, expected one or both"));
        }
        Ok(palsy)
    }
}
