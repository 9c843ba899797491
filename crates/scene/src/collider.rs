//! Obstacles that are not simulated.

use std::collections::BTreeMap;

use glam::DVec2;
use pliant_mesh::{Mesh, shapes};
use pliant_model::collider::{ColliderShape, Number, Quantity, Response, Shape, Writing};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::error::SceneError;
use crate::limits::Limits;
use crate::motion::Motion;
use crate::select::corners;
use crate::table::Table;
use crate::value::Value;

/// One `[[collider]]` of a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Collider {
    /// Its geometry.
    pub shape: ShapeSource,
    /// The law of the contact force.
    pub response: Response,
    /// Stiffness of the contact: N/m per vertex (spring) or N/m² (cubic).
    pub stiffness: f64,
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// Share of the normal velocity that is returned: 1 = elastic.
    pub restitution: f64,
    /// How it moves; at rest if not written.
    pub motion: Option<Motion>,
}

/// Where the geometry of a collider comes from; lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeSource {
    /// A shape of the vocabulary, with its numbers as written: directions need not have length 1.
    Numbers {
        /// Which.
        shape: ColliderShape,
        /// In the order of its parameters.
        numbers: Vec<Number>,
    },
    /// A closed surface from a file, named as written.
    Mesh(String),
    /// The closed surface that a profile of distances from the y axis and heights sweeps.
    Revolved {
        /// From the axis to the axis.
        profile: Vec<[f64; 2]>,
    },
}

impl ShapeSource {
    /// Its word in the vocabulary.
    pub fn word(&self) -> ColliderShape {
        match self {
            ShapeSource::Numbers { shape, .. } => *shape,
            ShapeSource::Mesh(_) => ColliderShape::Mesh,
            ShapeSource::Revolved { .. } => ColliderShape::Revolved,
        }
    }

    /// The shape, where numbers give it.
    pub fn shape(&self) -> Option<Shape> {
        match self {
            ShapeSource::Numbers { shape, numbers } => shape.with(numbers),
            ShapeSource::Mesh(_) | ShapeSource::Revolved { .. } => None,
        }
    }
}

/// `{ "Sphere": { "center": …, "radius": … } }`.
impl Serialize for ShapeSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut outer = serializer.serialize_map(Some(1))?;
        match self {
            ShapeSource::Numbers { shape, numbers } => {
                outer.serialize_entry(shape, &Named { shape: *shape, numbers })?;
            }
            ShapeSource::Mesh(path) => outer.serialize_entry(&self.word(), path)?,
            ShapeSource::Revolved { profile } => {
                outer.serialize_entry(&self.word(), &BTreeMap::from([("profile", profile)]))?;
            }
        }
        outer.end()
    }
}

/// Numbers with their keys.
struct Named<'a> {
    shape: ColliderShape,
    numbers: &'a [Number],
}

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let keys = match self.shape.writing() {
            Writing::Numbers { keys, .. } => keys,
            Writing::File | Writing::Profile => &[],
        };
        serializer.collect_map(keys.iter().zip(self.numbers))
    }
}

impl Collider {
    pub(crate) fn read(value: Value<'_>) -> Result<Collider, SceneError> {
        let table = value.table(&[
            "shape",
            "response",
            "stiffness",
            "friction",
            "restitution",
            "motion",
        ])?;
        let share = Limits::from(0.0, "").up_to(1.0);
        let shape = table.require("shape", "a table such as { sphere = { … } }")?;
        Ok(Collider {
            shape: ShapeSource::read(shape)?,
            response: table.or("response", Response::Spring, |v| v.word())?,
            stiffness: table.or("stiffness", 1e5, |v| v.number(Limits::above(0.0, "")))?,
            friction: table.or("friction", 0.0, |v| v.number(Limits::from(0.0, "")))?,
            restitution: table.or("restitution", 1.0, |v| v.number(share))?,
            motion: table.optional("motion", Motion::read)?,
        })
    }
}

/// Corners of a turned profile around its axis.
const SEGMENTS: usize = 64;

/// The surface that a profile sweeps about the y axis.
pub fn revolved(profile: &[[f64; 2]]) -> Mesh {
    let profile: Vec<DVec2> = profile.iter().map(|p| DVec2::from_array(*p)).collect();
    shapes::revolved(&profile, SEGMENTS)
}

impl ShapeSource {
    fn read(value: Value<'_>) -> Result<ShapeSource, SceneError> {
        let (shape, value): (ColliderShape, _) = value.one_word()?;
        Ok(match shape.writing() {
            Writing::File => ShapeSource::Mesh(value.words()?.to_owned()),
            Writing::Profile => ShapeSource::Revolved { profile: profile(&value)? },
            Writing::Numbers { keys, quantities } => {
                ShapeSource::Numbers { shape, numbers: numbers(&value, keys, quantities)? }
            }
        })
    }
}

/// The numbers of a shape, in the order of its keys.
fn numbers(
    value: &Value<'_>,
    keys: &'static [&'static str],
    quantities: &[Quantity],
) -> Result<Vec<Number>, SceneError> {
    if quantities.iter().all(|quantity| *quantity == Quantity::Corner) {
        let (min, max) = corners(value)?;
        return Ok(vec![Number::Vector(min), Number::Vector(max)]);
    }
    let table = value.table(keys)?;
    let read = |(&key, quantity): (&&'static str, &Quantity)| {
        Ok(match quantity {
            Quantity::Point | Quantity::Corner => Number::Vector(point(&table, key)?),
            Quantity::Direction => Number::Vector(direction(&table, key)?),
            Quantity::Length => Number::Length(length(&table, key)?),
        })
    };
    keys.iter().zip(quantities).map(read).collect()
}

/// At least three points, from the axis to the axis.
fn profile(value: &Value<'_>) -> Result<Vec<[f64; 2]>, SceneError> {
    let table = value.table(&["profile"])?;
    let value = table.require("profile", "a list of [distance from the axis, height] in metres")?;
    let mut points: Vec<[f64; 2]> = Vec::new();
    for item in value.items("a list of points")? {
        let point: [f64; 2] = item.numbers(Limits::any("m"))?;
        if point[0] < 0.0 {
            return Err(item.refuse("is at a negative distance from the axis"));
        }
        points.push(point);
    }
    let is_closed = |point: Option<&[f64; 2]>| point.is_some_and(|p| p[0] == 0.0);
    if points.len() < 3 || !is_closed(points.first()) || !is_closed(points.last()) {
        return Err(value.refuse("goes round nothing, expected it to begin and end on the axis"));
    }
    Ok(points)
}

fn point(table: &Table<'_>, key: &'static str) -> Result<[f64; 3], SceneError> {
    table.require(key, "[x, y, z] in metres")?.numbers(Limits::any("m"))
}

fn length(table: &Table<'_>, key: &'static str) -> Result<f64, SceneError> {
    table.require(key, "a length in metres")?.number(Limits::above(0.0, "m"))
}

fn direction(table: &Table<'_>, key: &'static str) -> Result<[f64; 3], SceneError> {
    let value = table.require(key, "a direction [x, y, z]")?;
    let direction = value.numbers::<3>(Limits::any(""))?;
    // Shorter than this, normalising loses the direction to rounding.
    if direction.iter().all(|component| component.abs() < 1e-12) {
        return Err(value.refuse("has no length, expected a direction"));
    }
    Ok(direction)
}
