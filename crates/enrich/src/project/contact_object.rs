//! Contact objects of a project file.

use pliant_scene::reading::{Limits, Value};
use pliant_scene::{Place, SceneError};

/// An object that the body collides with, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectSpec {
    /// Surface.
    pub mesh: ObjectMesh,
    /// Initial placement of the surface.
    pub place: Place,
    /// File with its vertices in every frame; it does not move if `None`.
    pub cache: Option<String>,
    /// Material of a soft object; rigid if `None`.
    pub soft: Option<SoftMaterial>,
}

/// Source of an object's surface.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectMesh {
    /// A file.
    File(String),
    /// A creature of the menagerie, 1 m long on y = 0.
    Shape {
        /// Its name.
        shape: String,
        /// Cells along its longest side.
        resolution: u32,
    },
}

/// Material and initial velocity of a soft object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftMaterial {
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Initial velocity [m/s].
    pub velocity: [f64; 3],
}

impl ObjectSpec {
    /// Reads an object of a project.
    pub(crate) fn read(value: &Value<'_>) -> Result<ObjectSpec, SceneError> {
        let table = value.table(&["mesh", "place", "cache", "soft"])?;
        let mesh = ObjectMesh::read(&table.require("mesh", "the surface of the object")?)?;
        let place = table.or("place", Place::default(), |v| placed(&v))?;
        if let (Some(value), Some(_)) = (table.get("cache"), table.get("place")) {
            return Err(value.refuse("says where the object is, but `place` is written as well"));
        }
        if let (Some(value), ObjectMesh::Shape { .. }) = (table.get("cache"), &mesh) {
            return Err(value.refuse("moves the vertices of a file, not a shape's"));
        }
        let cache = table.optional("cache", |v| v.words().map(str::to_owned))?;
        let soft = table.optional("soft", |v| SoftMaterial::read(&v))?;
        if let (Some(value), Some(_)) = (table.get("cache"), &soft) {
            return Err(value.refuse("moves what is rigid; a soft object goes where it is thrown"));
        }
        Ok(ObjectSpec { mesh, place, cache, soft })
    }
}

impl ObjectMesh {
    fn read(value: &Value<'_>) -> Result<ObjectMesh, SceneError> {
        if value.is_words() {
            return Ok(ObjectMesh::File(value.words()?.to_owned()));
        }
        let table = value.table(&["shape", "resolution"])?;
        let shape = table.require("shape", "the name of a creature")?.words()?.to_owned();
        let resolution = table.or("resolution", 24, |v| v.small_count(4, 200))?;
        Ok(ObjectMesh::Shape { shape, resolution })
    }
}

fn placed(value: &Value<'_>) -> Result<Place, SceneError> {
    let table = value.table(&["scale", "rotate", "translate"])?;
    let usual = Place::default();
    Ok(Place {
        scale: table.or("scale", usual.scale, |v| v.number(Limits::from(1e-6, "").up_to(1e6)))?,
        rotate: table.or("rotate", usual.rotate, |v| v.numbers(Limits::any("degrees")))?,
        translate: table.or("translate", usual.translate, |v| v.numbers(Limits::any("m")))?,
    })
}

impl SoftMaterial {
    fn read(value: &Value<'_>) -> Result<SoftMaterial, SceneError> {
        let table = value.table(&["young", "poisson", "density", "velocity"])?;
        let velocity = table.or("velocity", vec![0.0; 3], |v| v.list(Limits::any("m/s")))?;
        let &[x, y, z] = &velocity[..] else {
            return Err(value.refuse("has a `velocity` that is not three numbers"));
        };
        Ok(SoftMaterial {
            young: table.or("young", 1e4, |v| v.number(Limits::above(0.0, "Pa")))?,
            poisson: table.or("poisson", 0.4, |v| v.number(Limits::above(-1.0, "").below(0.5)))?,
            density: table
                .or("density", 1000.0, |v| v.number(Limits::above(0.0, "kg/m³").up_to(1e9)))?,
            velocity: [x, y, z],
        })
    }
}
