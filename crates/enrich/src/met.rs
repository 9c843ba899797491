//! What a project says that the body meets.

use pliant_scene::reading::{Limits, Value};
use pliant_scene::{Place, SceneError};

/// Something that the body meets.
#[derive(Clone, Debug, PartialEq)]
pub struct Met {
    /// Its surface.
    pub mesh: MetMesh,
    /// How that is placed before anything happens.
    pub place: Place,
    /// Where its vertices are in every frame; it stays where it is without.
    pub cache: Option<String>,
    /// What it is made of, if it is not rigid.
    pub soft: Option<Soft>,
}

/// Where the surface of an object comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum MetMesh {
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

/// What a soft object is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soft {
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// How it is thrown [m/s].
    pub velocity: [f64; 3],
}

impl Met {
    /// As written in a project.
    pub(crate) fn read(value: &Value<'_>) -> Result<Met, SceneError> {
        let table = value.table(&["mesh", "place", "cache", "soft"])?;
        let mesh = MetMesh::read(&table.require("mesh", "the surface of the object")?)?;
        let place = table.or("place", Place::default(), |v| placed(&v))?;
        if let (Some(value), Some(_)) = (table.get("cache"), table.get("place")) {
            return Err(value.refuse("says where the object is, but `place` is written as well"));
        }
        if let (Some(value), MetMesh::Shape { .. }) = (table.get("cache"), &mesh) {
            return Err(value.refuse("moves the vertices of a file, not a shape's"));
        }
        let cache = table.optional("cache", |v| v.words().map(str::to_owned))?;
        let soft = table.optional("soft", |v| Soft::read(&v))?;
        if let (Some(value), Some(_)) = (table.get("cache"), &soft) {
            return Err(value.refuse("moves what is rigid; a soft object goes where it is thrown"));
        }
        Ok(Met { mesh, place, cache, soft })
    }
}

impl MetMesh {
    fn read(value: &Value<'_>) -> Result<MetMesh, SceneError> {
        if value.is_words() {
            return Ok(MetMesh::File(value.words()?.to_owned()));
        }
        let table = value.table(&["shape", "resolution"])?;
        let shape = table.require("shape", "the name of a creature")?.words()?.to_owned();
        let resolution = table.or("resolution", 24, |v| v.small_count(4, 200))?;
        Ok(MetMesh::Shape { shape, resolution })
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

impl Soft {
    fn read(value: &Value<'_>) -> Result<Soft, SceneError> {
        let table = value.table(&["young", "poisson", "density", "velocity"])?;
        let velocity = table.or("velocity", vec![0.0; 3], |v| v.list(Limits::any("m/s")))?;
        let &[x, y, z] = &velocity[..] else {
            return Err(value.refuse("has a `velocity` that is not three numbers"));
        };
        Ok(Soft {
            young: table.or("young", 1e4, |v| v.number(Limits::above(0.0, "Pa")))?,
            poisson: table.or("poisson", 0.4, |v| v.number(Limits::above(-1.0, "").below(0.5)))?,
            density: table
                .or("density", 1000.0, |v| v.number(Limits::above(0.0, "kg/m³").up_to(1e9)))?,
            velocity: [x, y, z],
        })
    }
}
