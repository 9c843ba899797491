//! A body: its mesh, its material, where it is, how it starts and what holds it.

use pliant_model::Material;
use serde::Serialize;

use crate::error::SceneError;
use crate::limits::Limits;
use crate::material::read_material;
use crate::mesh::MeshSource;
use crate::motion::Motion;
use crate::select::Select;
use crate::value::Value;

/// One `[[body]]` of a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Body {
    /// As written, or `body N` counted from 0.
    pub name: String,
    /// Where its mesh comes from.
    pub mesh: MeshSource,
    /// What it is made of.
    pub material: Material,
    /// Where its rest shape is put.
    pub place: Place,
    /// The state at time 0.
    pub initial: Initial,
    /// What holds it.
    pub attach: Vec<Attach>,
    /// What slows parts of it down.
    pub ether: Vec<Ether>,
}

/// Scales, then rotates, then translates the rest shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Place {
    /// Factor on every length.
    pub scale: f64,
    /// Degrees about the world's x, then y, then z.
    pub rotate: [f64; 3],
    /// Displacement \[m\].
    pub translate: [f64; 3],
}

/// The initial state, relative to the placed rest shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Initial {
    /// Factors along the axes, after placing.
    pub stretch: [f64; 3],
    /// What the stretch leaves where it is \[m\]; the rest centroid if not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<[f64; 3]>,
    /// Velocity [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity [rad/s] about the stretched centre of mass.
    pub angular_velocity: [f64; 3],
    /// Amplitude of random displacements \[m\], uniform.
    pub jitter: f64,
    /// Seed of the jitter.
    pub seed: u64,
}

/// One `[[body.attach]]`: vertices held at, or moved from, their placed, unstretched positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attach {
    /// Which vertices, in placed, unstretched positions.
    pub select: Select,
    /// How firmly.
    pub stiffness: Stiffness,
    /// How the place moves; at rest if not written.
    pub motion: Option<Motion>,
}

/// One `[[body.ether]]`: vertices whose velocities decay at a rate of their own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ether {
    /// Which vertices, in placed, unstretched positions.
    pub select: Select,
    /// The rate [1/s].
    pub rate: f64,
}

/// How firmly an attachment holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Stiffness {
    /// By a zero-length spring on each vertex [N/m].
    Spring(f64),
    /// Exactly.
    Hard,
}

impl Default for Place {
    fn default() -> Self {
        Place { scale: 1.0, rotate: [0.0; 3], translate: [0.0; 3] }
    }
}

impl Default for Initial {
    fn default() -> Self {
        Initial {
            stretch: [1.0; 3],
            about: None,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            jitter: 0.0,
            seed: 1,
        }
    }
}

impl Body {
    pub(crate) fn read(value: Value<'_>, index: usize) -> Result<Body, SceneError> {
        let table =
            value.table(&["name", "mesh", "material", "place", "initial", "attach", "ether"])?;
        let name = table.optional("name", |v| v.words().map(str::to_owned))?;
        let mesh = MeshSource::read(table.require("mesh", "a table such as { file = \"…\" }")?)?;
        let material_value = table.require("material", "a table such as { preset = \"jelly\" }")?;
        let material = read_material(&material_value)?;
        let flat = match mesh {
            MeshSource::Cloth { .. } => Some("cloth"),
            MeshSource::Net { .. } => Some("net"),
            _ => None,
        };
        if let (Some(flat), Material::Elastic { model, .. }) = (flat, &material) {
            return Err(material_value.refuse(format!(
                "a {flat} has no volume for the model `{}`, expected `model = \"springs\"`",
                model.name()
            )));
        }
        Ok(Body {
            name: name.unwrap_or_else(|| format!("body {index}")),
            mesh,
            material,
            place: table.or("place", Place::default(), Place::read)?,
            initial: table.or("initial", Initial::default(), Initial::read)?,
            attach: table.each("attach", Attach::read)?,
            ether: table.each("ether", Ether::read)?,
        })
    }
}

impl Place {
    fn read(value: Value<'_>) -> Result<Place, SceneError> {
        let table = value.table(&["scale", "rotate", "translate"])?;
        let default = Place::default();
        let scale = Limits::from(1e-6, "").up_to(1e6);
        Ok(Place {
            scale: table.or("scale", default.scale, |v| v.number(scale))?,
            rotate: table.or("rotate", default.rotate, |v| v.numbers(Limits::any("degrees")))?,
            translate: table.or("translate", default.translate, |v| v.numbers(Limits::any("m")))?,
        })
    }
}

impl Initial {
    fn read(value: Value<'_>) -> Result<Initial, SceneError> {
        let table =
            value.table(&["stretch", "about", "velocity", "angular_velocity", "jitter", "seed"])?;
        let default = Initial::default();
        let speed = |v: Value<'_>| v.numbers(Limits::any("m/s"));
        let spin = |v: Value<'_>| v.numbers(Limits::any("rad/s"));
        Ok(Initial {
            stretch: table.or("stretch", default.stretch, |v| v.numbers(Limits::any("")))?,
            about: table.optional("about", |v| v.numbers(Limits::any("m")))?,
            velocity: table.or("velocity", default.velocity, speed)?,
            angular_velocity: table.or("angular_velocity", default.angular_velocity, spin)?,
            jitter: table.or("jitter", default.jitter, |v| v.number(Limits::from(0.0, "m")))?,
            seed: table.or("seed", default.seed, |v| v.seed())?,
        })
    }
}

impl Ether {
    fn read(value: Value<'_>) -> Result<Ether, SceneError> {
        let table = value.table(&["select", "rate"])?;
        let select = Select::read(table.require("select", "a selection such as \"all\"")?)?;
        let rate = table.require("rate", "a number in 1/s")?.number(Limits::from(0.0, "1/s"))?;
        Ok(Ether { select, rate })
    }
}

impl Attach {
    fn read(value: Value<'_>) -> Result<Attach, SceneError> {
        let table = value.table(&["select", "stiffness", "motion"])?;
        let select = Select::read(table.require("select", "a selection such as \"all\"")?)?;
        let stiffness = table.require("stiffness", "a number in N/m or \"hard\"")?;
        let stiffness = if stiffness.is_words() {
            stiffness.named("stiffness", &[("hard", Stiffness::Hard)])?
        } else {
            Stiffness::Spring(stiffness.number(Limits::above(0.0, "N/m"))?)
        };
        Ok(Attach { select, stiffness, motion: table.optional("motion", Motion::read)? })
    }
}
