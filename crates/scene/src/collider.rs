//! Obstacles that are not simulated.

use glam::DVec2;
use pliant_mesh::{Mesh, shapes};
use pliant_model::Response;
use serde::Serialize;

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
    pub shape: ColliderShape,
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

/// Geometry of a collider; lengths in metres. Directions need not have length 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum ColliderShape {
    /// The half space behind a plane.
    Plane { point: [f64; 3], normal: [f64; 3] },
    /// A ball.
    Sphere { center: [f64; 3], radius: f64 },
    /// An axis-aligned box.
    Box { min: [f64; 3], max: [f64; 3] },
    /// All points within `radius` of the segment from `a` to `b`.
    Capsule { a: [f64; 3], b: [f64; 3], radius: f64 },
    /// All points within `tube` of the circle of `radius` about `axis`.
    Torus { center: [f64; 3], axis: [f64; 3], radius: f64, tube: f64 },
    /// A closed surface from a file, named as written.
    Mesh(String),
    /// The closed surface that a profile of distances from the y axis and heights sweeps, as a mesh.
    Revolved { profile: Vec<[f64; 2]> },
}

const SHAPES: &[&str] = &["plane", "sphere", "box", "capsule", "torus", "mesh", "revolved"];

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
        let responses = [("spring", Response::Spring), ("cubic", Response::Cubic)];
        let share = Limits::from(0.0, "").up_to(1.0);
        let shape = table.require("shape", "a table such as { sphere = { … } }")?;
        Ok(Collider {
            shape: ColliderShape::read(shape)?,
            response: table
                .or("response", Response::Spring, |v| v.named("contact response", &responses))?,
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

impl ColliderShape {
    fn read(value: Value<'_>) -> Result<ColliderShape, SceneError> {
        let (kind, value) = value.table(SHAPES)?.one_of("collider shape", SHAPES)?;
        Ok(match kind {
            "plane" => {
                let table = value.table(&["point", "normal"])?;
                ColliderShape::Plane {
                    point: point(&table, "point")?,
                    normal: direction(&table, "normal")?,
                }
            }
            "sphere" => {
                let table = value.table(&["center", "radius"])?;
                ColliderShape::Sphere {
                    center: point(&table, "center")?,
                    radius: length(&table, "radius")?,
                }
            }
            "box" => {
                let (min, max) = corners(&value)?;
                ColliderShape::Box { min, max }
            }
            "capsule" => {
                let table = value.table(&["a", "b", "radius"])?;
                ColliderShape::Capsule {
                    a: point(&table, "a")?,
                    b: point(&table, "b")?,
                    radius: length(&table, "radius")?,
                }
            }
            "torus" => {
                let table = value.table(&["center", "axis", "radius", "tube"])?;
                ColliderShape::Torus {
                    center: point(&table, "center")?,
                    axis: direction(&table, "axis")?,
                    radius: length(&table, "radius")?,
                    tube: length(&table, "tube")?,
                }
            }
            "mesh" => ColliderShape::Mesh(value.words()?.to_owned()),
            _ => ColliderShape::Revolved { profile: profile(&value)? },
        })
    }
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
