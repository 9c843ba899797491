//! What a face meets: `[wind]` and `[[object]]`.

use glam::DVec3;
use pliant_scene::SceneError;
use pliant_scene::reading::{Limits, Value};

use super::Track;
use super::motion::path;

/// `[wind]`: pressure ½ · drag · (w·n)² on skin that it blows against, with w relative to the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity of the air (m/s).
    pub velocity: Track<DVec3>,
    /// Density of the air times the drag coefficient (kg/m³).
    pub drag: f64,
    /// How much gusts add to the mean velocity, and take from it, relative to it.
    pub gust: Track<f64>,
    /// How long a gust lasts (s); some tenths of a second, mixed, if `None`.
    pub period: Option<f64>,
    /// How large it is (m); as cheeks are if `None`.
    pub size: Option<f64>,
    /// Of the gusts.
    pub seed: u64,
}

/// What an object's path is told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
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
pub struct Object {
    /// What it is called in what is written.
    pub name: Option<String>,
    pub shape: ObjectShape,
    pub frame: Frame,
    /// How far it is from where it is made (m).
    pub place: Track<DVec3>,
    /// Rotation (degrees about x, then y, then z).
    pub turn: Track<DVec3>,
    /// Of contact (N/m per vertex); by the flesh if `None`.
    pub stiffness: Option<f64>,
    /// Coulomb's coefficient.
    pub friction: f64,
}

impl Wind {
    pub(super) fn read(value: &Value<'_>) -> Result<Wind, SceneError> {
        let table = value.table(&["velocity", "drag", "gust", "period", "size", "seed"])?;
        let velocity = table.require("velocity", "[x, y, z] in m/s")?;
        let gust = Limits::from(0.0, "").up_to(10.0);
        Ok(Wind {
            velocity: Track::vector(&velocity, Limits::from(-300.0, "m/s").up_to(300.0))?,
            drag: table.or("drag", 1.2, |v| v.number(Limits::from(0.0, "kg/m³").up_to(1e4)))?,
            gust: table.or("gust", Track::constant(0.0), |v| Track::number(&v, gust))?,
            period: table.optional("period", |v| v.number(Limits::from(0.01, "s").up_to(1e3)))?,
            size: table.optional("size", |v| v.number(Limits::from(1e-3, "m").up_to(100.0)))?,
            seed: table.or("seed", 1, |v| v.seed())?,
        })
    }
}

impl Object {
    pub(super) fn read(value: &Value<'_>) -> Result<Object, SceneError> {
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
        let frames = [("head", Frame::Head), ("world", Frame::World)];
        Ok(Object {
            name: table.optional("name", |v| v.words().map(str::to_owned))?,
            shape,
            frame: table.or("frame", Frame::Head, |v| v.named("frame", &frames))?,
            place,
            turn,
            stiffness: table.optional("stiffness", |v| v.number(Limits::above(0.0, "N/m")))?,
            friction: table.or("friction", 0.3, |v| v.number(Limits::from(0.0, "").up_to(10.0)))?,
        })
    }
}
