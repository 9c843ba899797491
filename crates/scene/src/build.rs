//! From a scene to a model: meshes, holds, colliders and the integrator.

mod body;

use glam::DVec3;
use pliant_mesh::{MeshError, Selection};
use pliant_model::touching::TouchLaw;
use pliant_model::{
    Body, Breeze, Collider, Hold, Model, ModelBuilder, ModelError, Motion, Shape, Skin,
};

use crate::files::{FileError, Files};
use crate::{SceneFile, Select, ShapeSource, Stiffness};

/// Why a scene cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file of a body.
    #[error("body `{body}`: {source}")]
    BodyFile {
        /// The body's name.
        body: String,
        /// What its reader said.
        source: FileError,
    },
    /// The mesh of a body.
    #[error("body `{body}`: {source}")]
    BodyMesh {
        /// The body's name.
        body: String,
        /// What is wrong with it.
        source: MeshError,
    },
    /// A file of tetrahedra that holds triangles alone.
    #[error(
        "body `{body}`: `{path}` holds {triangles} triangles and no tetrahedra: write `surface = \
         \"{path}\"` in place of `file = \"{path}\"` to fill them"
    )]
    NoTetrahedra {
        /// The body's name.
        body: String,
        /// The file.
        path: String,
        /// How many triangles it holds.
        triangles: usize,
    },
    /// A surface that cannot be filled with tetrahedra.
    #[error("body `{body}`: surface `{path}`: {source}")]
    Surface {
        /// The body's name.
        body: String,
        /// The surface's file.
        path: String,
        /// What is wrong with it.
        source: MeshError,
    },
    /// A selection that does not fit the body.
    #[error("body `{body}`: {key}: {source}")]
    Selection {
        /// The body's name.
        body: String,
        /// The key that holds the selection.
        key: &'static str,
        /// What is wrong with it.
        source: MeshError,
    },
    /// A selection without a vertex.
    #[error("body `{body}`: {key}: the selection holds no vertex")]
    EmptySelection {
        /// The body's name.
        body: String,
        /// The key that holds the selection.
        key: &'static str,
    },
    /// The file of a collider.
    #[error("collider {collider}: {source}")]
    ColliderFile {
        /// Its number, from 0.
        collider: usize,
        /// What its reader said.
        source: FileError,
    },
    /// The model that the scene describes.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl SceneFile {
    /// Builds the model that the scene describes.
    ///
    /// # Errors
    /// Names the body, the key or the collider that cannot be built.
    pub fn build(&self, files: &mut dyn Files) -> Result<Model, BuildError> {
        Ok(self.builder(files)?.build()?)
    }

    /// Reads and meshes the scene into a builder, to which more can be added.
    ///
    /// # Errors
    /// As [`build`](SceneFile::build).
    pub fn builder(&self, files: &mut dyn Files) -> Result<ModelBuilder, BuildError> {
        let mut builder = ModelBuilder::new()
            .gravity(DVec3::from_array(self.gravity))
            .method(self.integrator.method);
        if let Some(wind) = &self.integrator.wind {
            builder = builder.wind(Breeze::from(wind));
        }
        for (index, written) in self.collider.iter().enumerate() {
            builder = builder.collider(collider(index, written, files)?);
        }
        if let Some(touch) = self.integrator.self_collision {
            let step = Some(self.step_seconds());
            builder = builder.touching(TouchLaw { step, ..touch.into() });
        }
        for (index, body) in self.body.iter().enumerate() {
            builder = add_body(builder, index, body, files)?;
        }
        Ok(builder)
    }
}

/// Adds body number `index` with what holds it and slows it down.
fn add_body(
    mut builder: ModelBuilder,
    index: usize,
    body: &crate::Body,
    files: &mut dyn Files,
) -> Result<ModelBuilder, BuildError> {
    let spec = body::spec(body, files)?;
    let mut find = |key, select: &Select| selected(key, select, &spec, files);
    let (mut held, mut slowed) = (Vec::new(), Vec::new());
    for attach in &body.attach {
        let hold = match attach.stiffness {
            Stiffness::Hard => Hold::Hard,
            Stiffness::Spring(stiffness) => Hold::Spring(stiffness),
        };
        let motion = attach.motion.as_ref().map(Motion::from);
        held.push((find("attach", &attach.select)?, hold, motion));
    }
    for ether in &body.ether {
        slowed.push((find("ether", &ether.select)?, ether.rate));
    }
    builder = builder.body(spec);
    for (vertices, hold, motion) in held {
        builder = builder.hold(index, vertices, hold, motion);
    }
    for (vertices, rate) in slowed {
        builder = builder.ether(index, vertices, rate);
    }
    Ok(builder)
}

impl From<&crate::Wind> for Breeze {
    fn from(wind: &crate::Wind) -> Self {
        Breeze {
            velocity: DVec3::from_array(wind.velocity),
            drag: wind.drag,
            gust: wind.gust,
            seed: wind.seed,
            times: wind.times.clone(),
            scale: wind.scale.clone(),
        }
    }
}

impl From<&crate::Motion> for Motion {
    fn from(motion: &crate::Motion) -> Self {
        let vectors = |keys: &[[f64; 3]]| keys.iter().map(|k| DVec3::from_array(*k)).collect();
        Motion {
            times: motion.times.clone(),
            translate: vectors(&motion.translate),
            rotate: vectors(&motion.rotate),
            about: DVec3::from_array(motion.about),
        }
    }
}

/// The obstacle that a scene's `[[collider]]` number `index` describes.
fn collider(
    index: usize,
    written: &crate::Collider,
    files: &mut dyn Files,
) -> Result<Collider, BuildError> {
    let refuse = |reason: String| ModelError::Collider { collider: index, reason };
    let shape = match &written.shape {
        ShapeSource::Numbers { shape, numbers } => shape
            .with(numbers)
            .ok_or_else(|| refuse(format!("its numbers are not those of a {}", shape.name())))?,
        ShapeSource::Revolved { profile } => Shape::mesh(&crate::revolved(profile))
            .map_err(|reason| refuse(format!("its profile {reason}")))?,
        ShapeSource::Mesh(path) => {
            let unread = |source| BuildError::ColliderFile { collider: index, source };
            let mesh = files.mesh(path).map_err(unread)?;
            Shape::mesh(&mesh).map_err(|reason| refuse(format!("its mesh `{path}` {reason}")))?
        }
    };
    Ok(Collider {
        shape,
        response: written.response,
        stiffness: written.stiffness,
        friction: written.friction,
        restitution: written.restitution,
        motion: written.motion.as_ref().map(Motion::from),
    })
}

/// The vertices of a body that the selection of one of its keys holds; none is an error.
fn selected(
    key: &'static str,
    select: &Select,
    spec: &Body,
    files: &mut dyn Files,
) -> Result<Vec<u32>, BuildError> {
    let body = || spec.name.clone();
    let unread = |source| BuildError::BodyFile { body: body(), source };
    let refuse = |source| BuildError::Selection { body: body(), key, source };
    let mut selection = select.resolve(files).map_err(unread)?;
    if let Some(skin) = &spec.skin {
        carried(&mut selection, skin).map_err(refuse)?;
    }
    let vertices = selection.evaluate(&spec.mesh.positions, &spec.mesh.groups).map_err(refuse)?;
    if vertices.is_empty() {
        return Err(BuildError::EmptySelection { body: body(), key });
    }
    Ok(vertices)
}

/// Vertices chosen by number are those of the surface that the user has; what carries them is
/// meant. Groups of the body are that already.
fn carried(selection: &mut Selection, skin: &Skin) -> Result<(), MeshError> {
    match selection {
        Selection::Vertices(ids) => *ids = skin.carriers(ids)?,
        Selection::Any(parts) | Selection::AllOf(parts) => {
            parts.iter_mut().try_for_each(|part| carried(part, skin))?;
        }
        Selection::Not(part) => carried(part, skin)?,
        Selection::All | Selection::Box { .. } | Selection::Sphere { .. } | Selection::Group(_) => {
        }
    }
    Ok(())
}

impl Select {
    /// The selection, with the files that it names read.
    ///
    /// # Errors
    /// What a file's reader said.
    pub fn resolve(&self, files: &mut dyn Files) -> Result<Selection, FileError> {
        let mut each = |selects: &[Select]| -> Result<Vec<Selection>, FileError> {
            selects.iter().map(|s| s.resolve(files)).collect()
        };
        Ok(match self {
            Select::All => Selection::All,
            Select::Box { min, max } => {
                Selection::Box { min: DVec3::from_array(*min), max: DVec3::from_array(*max) }
            }
            Select::Sphere { center, radius } => {
                Selection::Sphere { center: DVec3::from_array(*center), radius: *radius }
            }
            Select::Vertices(ids) => Selection::Vertices(ids.clone()),
            Select::File(path) => Selection::Vertices(files.ids(path)?),
            Select::Group(name) => Selection::Group(name.clone()),
            Select::Any(selects) => Selection::Any(each(selects)?),
            Select::AllOf(selects) => Selection::AllOf(each(selects)?),
            Select::Not(select) => Selection::Not(Box::new(select.resolve(files)?)),
        })
    }
}
