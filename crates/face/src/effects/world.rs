//! The sections `[wind]` and `[[object]]`: surroundings of the face.

use glam::DVec3;
use pliant_scene::SceneError;
use pliant_scene::reading::{Limits, Value};

use super::KeyedTrack;
use super::motion::path;

/// `[wind]`: pressure ½ · drag · (w·n)² on skin that it blows against, with w relative to the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct WindEffect {
    /// Mean velocity of the air (m/s).
    pub velocity: KeyedTrack<DVec3>,
    /// Density of the air times the drag coefficient (kg/m³).
    pub drag: f64,
    /// How much gusts add to the mean velocity, and take from it, relative to it.
    pub gust: KeyedTrack<f64>,
    /// How long a gust lasts (s); some tenths of a second, mixed, if `None`.
    pub period: Option<f64>,
    /// How large it is (m); as cheeks are if `None`.
    pub size: Option<f64>,
    /// Of the gusts.
    pub seed: u64,
}

/// What an object's path is told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectFrame {
    /// It goes with the head, as what is worn does.
    #[default]
    Head,
    World,
}

/// What an object is.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectShape {
    /// As for virtual reality, in front of the eyes.
    Headset,
    Fist,
    /// Of this radius (m).
    Sphere(f64),
    /// A closed surface in a file (m).
    Mesh(String),
}

/// One `[[object]]`: rigid, and moved along its path whatever it meets.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectObject {
    /// What it is called in what is written.
    pub name: Option<String>,
    pub shape: ObjectShape,
    pub frame: ObjectFrame,
    /// How far it is from where it is made (m).
    pub place: KeyedTrack<DVec3>,
    /// Rotation (degrees about x, then y, then z).
    pub turn: KeyedTrack<DVec3>,
    /// Of contact (N/m per vertex); by the flesh if `None`.
    pub stiffness: Option<f64>,
    /// Coulomb's coefficient.
    pub friction: f64,
}

impl WindEffect {
    pub(super) fn read(value: &Value<'_>) -> Result<WindEffect, SceneError> {
        let table = value.table(&["velocity", "drag", "gust", "period", "size", "seed"])?;
        let velocity = table.require("velocity", "[x, y, z] in m/s")?;
        let gust = Limits::from(0.0, "").up_to(10.0);
        Ok(WindEffect {
            velocity: KeyedTrack::vector(&velocity, Limits::from(-300.0, "m/s").up_to(300.0))?,
            drag: table.or("drag", 1.2, |v| v.number(Limits::from(0.0, "kg/m³").up_to(1e4)))?,
            gust: table.or("gust", KeyedTrack::constant(0.0), |v| KeyedTrack::number(&v, gust))?,
            period: table.optional("period", |v| v.number(Limits::from(0.01, "s").up_to(1e3)))?,
            size: table.optional("size", |v| v.number(Limits::from(1e-3, "m").up_to(100.0)))?,
            seed: table.or("seed", 1, |v| v.seed())?,
        })
    }
}

impl EffectObject {
    pub(super) fn read(value: &Value<'_>) -> Result<EffectObject, SceneError> {
        let table = value.table(&[
            "name",
            "shape",
            "mesh",
            "radius",
            "frame",
            "place",
            "turn",
            "stiffness",
            "friction",
        ])?;
        let radius = table.optional("radius", |v| v.number(Limits::from(1e-3, "m").up_to(10.0)))?;
        let shape = match table.one_of("shape", &["shape", "mesh"])? {
            ("mesh", file) => ObjectShape::Mesh(file.words()?.to_owned()),
            (_, shape) => {
                let shapes = [("headset", 0), ("fist", 1), ("sphere", 2)];
                match shape.named("shape", &shapes)? {
                    0 => ObjectShape::Headset,
                    1 => ObjectShape::Fist,
                    _ => ObjectShape::Sphere(radius.unwrap_or(0.03)),
                }
            }
        };
        if let (Some(written), false) =
            (table.get("radius"), matches!(shape, ObjectShape::Sphere(_)))
        {
            return Err(written.refuse("is that of a sphere, expected `shape = \"sphere\"`"));
        }
        let (place, turn) = path(&table)?;
        let frames = [("head", ObjectFrame::Head), ("world", ObjectFrame::World)];
        Ok(EffectObject {
            name: table.optional("name", |v| v.words().map(str::to_owned))?,
            shape,
            frame: table.or("frame", ObjectFrame::Head, |v| v.named("frame", &frames))?,
            place,
            turn,
            stiffness: table.optional("stiffness", |v| v.number(Limits::above(0.0, "N/m")))?,
            friction: table.or("friction", 0.3, |v| v.number(Limits::from(0.0, "").up_to(10.0)))?,
        })
    }
}
