//! A value over time: linear between keys, constant before the first and after the last.

use std::ops::{Add, Mul};

use glam::DVec3;
use pliant_scene::SceneError;
use pliant_scene::reading::{Limits, Value};

/// Keys by time (s). At least one, strictly ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedTrack<T> {
    keys: Vec<(f64, T)>,
}

impl<T: Copy + PartialEq + Add<Output = T> + Mul<f64, Output = T>> KeyedTrack<T> {
    /// The same at all times.
    pub fn constant(value: T) -> KeyedTrack<T> {
        KeyedTrack { keys: vec![(0.0, value)] }
    }

    /// Through keys of seconds and values; `None` without a key, or where times do not ascend or
    /// are no numbers.
    ///
    /// ```
    /// use pliant_face::effects::KeyedTrack;
    /// let track = KeyedTrack::through(vec![(1.0, 0.0), (3.0, 0.5)]).unwrap();
    /// assert_eq!([0.0, 2.0, 9.0].map(|t| track.at(t)), [0.0, 0.25, 0.5]);
    /// assert_eq!(KeyedTrack::through(vec![(1.0, 0.0), (1.0, 0.5)]), None);
    /// ```
    pub fn through(keys: Vec<(f64, T)>) -> Option<KeyedTrack<T>> {
        let ascends = keys.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_track = !keys.is_empty() && keys.iter().all(|key| key.0.is_finite()) && ascends;
        is_track.then_some(KeyedTrack { keys })
    }

    /// The value at a time (s).
    pub fn at(&self, time: f64) -> T {
        let after = self.keys.partition_point(|key| key.0 <= time);
        match (after.checked_sub(1).map(|k| self.keys[k]), self.keys.get(after)) {
            (Some((from, a)), Some((to, b))) if a != *b => {
                let part = (time - from) / (to - from);
                a * (1.0 - part) + *b * part
            }
            (Some((_, value)), _) => value,
            // Before the first key, or at a time that is none.
            (None, _) => self.keys[0].1,
        }
    }

    /// Its keys, by time (s).
    pub fn keys(&self) -> &[(f64, T)] {
        &self.keys
    }

    /// Whether it never changes.
    pub fn is_constant(&self) -> bool {
        self.keys.iter().all(|key| key.1 == self.keys[0].1)
    }
}

impl KeyedTrack<f64> {
    /// A number, or keys `[seconds, number]`.
    pub(super) fn number(value: &Value<'_>, limits: Limits) -> Result<KeyedTrack<f64>, SceneError> {
        match value.items("keys") {
            Err(_) => Ok(KeyedTrack::constant(value.number(limits)?)),
            Ok(items) => keyed(value, &items, "[seconds, value]", 2, |key| key[1].number(limits)),
        }
    }

    /// The least and the greatest value.
    pub fn range(&self) -> [f64; 2] {
        let values = self.keys.iter().map(|key| key.1);
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
    }
}

impl KeyedTrack<DVec3> {
    /// Three numbers, or keys `[seconds, x, y, z]`.
    pub(super) fn vector(
        value: &Value<'_>,
        limits: Limits,
    ) -> Result<KeyedTrack<DVec3>, SceneError> {
        let items = value.items("[x, y, z], or keys [seconds, x, y, z]")?;
        if items.first().is_none_or(|first| first.items("a key").is_err()) {
            return Ok(KeyedTrack::constant(DVec3::from_array(value.numbers(limits)?)));
        }
        keyed(value, &items, "[seconds, x, y, z]", 4, |key| {
            Ok(DVec3::new(key[1].number(limits)?, key[2].number(limits)?, key[3].number(limits)?))
        })
    }
}

fn keyed<T: Copy>(
    value: &Value<'_>,
    items: &[Value<'_>],
    form: &str,
    count: usize,
    read: impl Fn(&[Value<'_>]) -> Result<T, SceneError>,
) -> Result<KeyedTrack<T>, SceneError> {
    if items.is_empty() {
        return Err(value.refuse(format!("has no keys, expected at least one {form}")));
    }
    let mut keys: Vec<(f64, T)> = Vec::with_capacity(items.len());
    for item in items {
        let key = item.items(&format!("a key {form}"))?;
        if key.len() != count {
            let found = key.len();
            return Err(item.refuse(format!("{found} numbers, expected a key {form}")));
        }
        let time = key[0].number(Limits::any("s"))?;
        if let Some((before, _)) = keys.last().filter(|key| key.0 >= time) {
            return Err(key[0].refuse(format!("must ascend, but {time} does not follow {before}")));
        }
        keys.push((time, read(&key)?));
    }
    Ok(KeyedTrack { keys })
}
