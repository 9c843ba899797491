//! Selections of vertices: the same wherever a scene chooses some.

use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::value::Value;

/// A set of vertices, as described; the mesh that it refers to decides which they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Select {
    /// Every vertex.
    All,
    /// Inside an axis-aligned box, faces included \[m\].
    Box { min: [f64; 3], max: [f64; 3] },
    /// Inside a sphere, its surface included \[m\].
    Sphere { center: [f64; 3], radius: f64 },
    /// By number, from 0.
    Vertices(Vec<u32>),
    /// By number, listed in a text file.
    File(String),
    /// A named group of the mesh.
    Group(String),
    /// In at least one of these.
    Any(Vec<Select>),
    /// In every one of these.
    AllOf(Vec<Select>),
    /// Not in this.
    Not(Box<Select>),
}

const KINDS: &[&str] =
    &["all", "box", "sphere", "vertices", "file", "group", "any", "all_of", "not"];

impl Select {
    // The depth of the recursion is bounded: the TOML parser refuses deeply nested tables.
    /// As written in a file.
    pub fn read(value: Value<'_>) -> Result<Select, SceneError> {
        if value.is_words() {
            return value.named("selection", &[("all", ())]).map(|()| Select::All);
        }
        let table = value.table(KINDS)?;
        let (kind, value) = table.one_of("selection", KINDS)?;
        let each = |value: Value<'_>| -> Result<Vec<Select>, SceneError> {
            value.items("a list of selections")?.into_iter().map(Select::read).collect()
        };
        Ok(match kind {
            "all" if value.truth()? => Select::All,
            "all" => return Err(value.refuse("must be `true`; leave it out to select less")),
            "box" => {
                let (min, max) = corners(&value)?;
                Select::Box { min, max }
            }
            "sphere" => {
                let sphere = value.table(&["center", "radius"])?;
                let center = sphere.require("center", "[x, y, z] in metres")?;
                let radius = sphere.require("radius", "a length in metres")?;
                Select::Sphere {
                    center: center.numbers(Limits::any("m"))?,
                    radius: radius.number(Limits::above(0.0, "m"))?,
                }
            }
            "vertices" => {
                let ids = value.items("a list of vertex numbers")?;
                let ids = ids.iter().map(|id| id.small_count(0, u32::MAX - 1));
                Select::Vertices(ids.collect::<Result<_, _>>()?)
            }
            "file" => Select::File(value.words()?.to_owned()),
            "group" => Select::Group(value.words()?.to_owned()),
            "any" => Select::Any(each(value)?),
            "all_of" => Select::AllOf(each(value)?),
            _ => Select::Not(Box::new(Select::read(value)?)),
        })
    }
}

/// The corners of `{ min, max }`, min ≤ max in every direction.
pub(crate) fn corners(value: &Value<'_>) -> Result<([f64; 3], [f64; 3]), SceneError> {
    let table = value.table(&["min", "max"])?;
    let low = table.require("min", "[x, y, z] in metres")?.numbers::<3>(Limits::any("m"))?;
    let upper = table.require("max", "[x, y, z] in metres")?;
    let high = upper.numbers::<3>(Limits::any("m"))?;
    match (0..3).find(|&axis| low[axis] > high[axis]) {
        None => Ok((low, high)),
        Some(axis) => Err(upper.refuse(format!(
            "{} lies below `min` = {} along {}, expected `min` ≤ `max`",
            high[axis],
            low[axis],
            ["x", "y", "z"][axis]
        ))),
    }
}
