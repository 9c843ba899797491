//! What a scene file means.

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::menagerie::Creature;
use pliant_mesh::{
    Mesh, MeshError, Resolution, Selection, Surface, TetOptions, edges_of_tets, shapes,
    tetrahedralise, tetrahedralise_separated,
};

use crate::body_spec::{BodySpec, Matter};
use crate::breeze::Breeze;
use crate::builder::{Hold, ModelBuilder};
use crate::collider::{Collider, Shape};
use crate::error::ModelError;
use crate::integrator::{
    Correction, Damping, Fepr, FeprMetric, FeprMomenta, FeprSolution, Integrator, Scheme, Solver,
};
use crate::model::Model;
use crate::motion::{Motion, rotation};
use crate::potentials::tetrahedra::Lame;
use crate::random::Random;
use crate::scene::{self, ColliderShape, Material, MeshSource, SceneFile, Select, Stiffness};
use crate::skin::Skin;
use crate::touching::TouchLaw;

/// Newton's most iterations when a scene asks for a tolerance, and its tolerance when it asks
/// for iterations.
const NEWTON_ITERATIONS: u32 = 100;
const NEWTON_TOLERANCE: f64 = 1e-12;

/// How a scene's files are read: this crate touches no disk.
pub trait Files {
    /// The mesh in a file, in the file's own unit.
    fn mesh(&mut self, path: &str) -> Result<Mesh, String>;
    /// The mesh in a file with its faces and attributes as they are, in the file's own unit.
    fn surface(&mut self, path: &str) -> Result<Surface, String> {
        self.mesh(path).map(Surface::from)
    }
    /// The vertex numbers listed in a file.
    fn ids(&mut self, path: &str) -> Result<Vec<u32>, String>;
}

impl Model {
    /// Builds what a scene describes, reading files through `files`.
    ///
    /// # Errors
    /// Names the body or the key that cannot be had.
    pub fn from_scene(scene: &SceneFile, files: &mut dyn Files) -> Result<Model, ModelError> {
        ModelBuilder::from_scene(scene, files)?.build()
    }
}

impl ModelBuilder {
    /// What a scene describes, meshed and read, to be added to or built more than once.
    ///
    /// # Errors
    /// As [`Model::from_scene`].
    pub fn from_scene(scene: &SceneFile, files: &mut dyn Files) -> Result<Self, ModelError> {
        let mut builder = ModelBuilder::new()
            .gravity(DVec3::from_array(scene.gravity))
            .integrator(Integrator::from(&scene.integrator));
        if let Some(wind) = &scene.integrator.wind {
            builder = builder.wind(Breeze {
                velocity: DVec3::from_array(wind.velocity),
                drag: wind.drag,
                gust: wind.gust,
                seed: wind.seed,
                times: wind.times.clone(),
                scale: wind.scale.clone(),
            });
        }
        for (index, written) in scene.collider.iter().enumerate() {
            builder = builder.collider(collider(index, written, files)?);
        }
        if let Some(touch) = scene.integrator.self_collision {
            let step = Some(scene.step_seconds());
            builder = builder.touching(TouchLaw { step, ..touch.into() });
        }
        for (index, body) in scene.body.iter().enumerate() {
            let spec = body_spec(body, files)?;
            let mut find = |key: &str, select: &Select| selected(key, select, &spec, files);
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
        }
        Ok(builder)
    }
}

impl From<&scene::Motion> for Motion {
    fn from(motion: &scene::Motion) -> Self {
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
    written: &scene::Collider,
    files: &mut dyn Files,
) -> Result<Collider, ModelError> {
    let vector = DVec3::from_array;
    let shape = match &written.shape {
        ColliderShape::Plane { point, normal } => Shape::plane(vector(*point), vector(*normal)),
        ColliderShape::Sphere { center, radius } => Shape::sphere(vector(*center), *radius),
        ColliderShape::Box { min, max } => Shape::cuboid(vector(*min), vector(*max)),
        ColliderShape::Capsule { a, b, radius } => Shape::capsule(vector(*a), vector(*b), *radius),
        ColliderShape::Torus { center, axis, radius, tube } => {
            Shape::torus(vector(*center), vector(*axis), *radius, *tube)
        }
        ColliderShape::Revolved { profile } => {
            let refuse = |reason: String| ModelError::Collider { collider: index, reason };
            let mesh = scene::revolved(profile);
            Shape::mesh(&mesh).map_err(|reason| refuse(format!("its profile {reason}")))?
        }
        ColliderShape::Mesh(path) => {
            let refuse = |reason: String| ModelError::Collider { collider: index, reason };
            let mesh = files.mesh(path).map_err(refuse)?;
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
    key: &str,
    select: &Select,
    spec: &BodySpec,
    files: &mut dyn Files,
) -> Result<Vec<u32>, ModelError> {
    let fail = |reason: String| ModelError::Body { body: spec.name.clone(), reason };
    let mut selection = select.resolve(files).map_err(fail)?;
    if let Some(skin) = &spec.skin {
        carried(&mut selection, skin).map_err(|error| fail(format!("{key}: {error}")))?;
    }
    let vertices = selection
        .evaluate(&spec.mesh.positions, &spec.mesh.groups)
        .map_err(|error| fail(format!("{key}: {error}")))?;
    if vertices.is_empty() {
        return Err(fail(format!("{key}: the selection holds no vertex")));
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
    pub fn resolve(&self, files: &mut dyn Files) -> Result<Selection, String> {
        let mut each = |selects: &[Select]| -> Result<Vec<Selection>, String> {
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

/// The placed mesh with its material and initial state.
fn body_spec(body: &scene::Body, files: &mut dyn Files) -> Result<BodySpec, ModelError> {
    let fail = |reason: String| ModelError::Body { body: body.name.clone(), reason };
    let named = |error: MeshError| fail(error.to_string());
    let (mut net, mut skin) = (Vec::new(), None);
    let mut mesh = match &body.mesh {
        MeshSource::Box { size, cells } => {
            shapes::solid_box(DVec3::from_array(*size), cells.map(|c| c as usize)).map_err(named)?
        }
        MeshSource::Cloth { size, cells } => {
            let (mesh, springs) = shapes::cloth(*size, cells.map(|c| c as usize)).map_err(named)?;
            net = springs.iter().map(|s| s.vertices).collect();
            mesh
        }
        MeshSource::Net { points, springs } => {
            net.clone_from(springs);
            let positions = points.iter().map(|p| DVec3::from_array(*p)).collect();
            Mesh { positions, ..Mesh::default() }
        }
        MeshSource::File { path, unit } => {
            let mut mesh = files.mesh(path).map_err(fail)?;
            mesh.positions.iter_mut().for_each(|x| *x *= unit.metres());
            mesh
        }
        MeshSource::Shape { name, resolution } => {
            let resolution = *resolution as usize;
            match Creature::named(name) {
                Some(creature) => creature.solid(resolution, &any_team()),
                None if *name == "horns" => shapes::horns(resolution),
                None => shapes::jelly(resolution),
            }
            .map_err(named)?
        }
        MeshSource::Surface { path, resolution, unit, separated } => {
            let mut surface = files.surface(path).map_err(fail)?;
            surface.mesh.positions.iter_mut().for_each(|x| *x *= unit.metres());
            let resolution = Resolution::Cells(*resolution);
            let options = TetOptions { resolution, ..TetOptions::default() };
            let filled = match separated {
                None => tetrahedralise(&surface.mesh, &options, &any_team()),
                Some(pose) => {
                    let mut pose = files.surface(pose).map_err(fail)?.mesh;
                    pose.positions.iter_mut().for_each(|x| *x *= unit.metres());
                    tetrahedralise_separated(&surface.mesh, &pose, &options, &any_team())
                }
            }
            .map_err(|error| fail(format!("surface `{path}`: {error}")))?;
            let mut bound = Skin::new(surface, &filled.solid, &filled.embedding);
            place(&body.place, &mut bound.surface.mesh.positions);
            let groups = bound.groups().map_err(named)?;
            skin = Some(bound);
            Mesh { groups, ..filled.solid }
        }
    };
    place(&body.place, &mut mesh.positions);
    let matter = match body.material {
        Material::Elastic { model, young, poisson, density } => {
            Matter::Solid { model, lame: vec![Lame::of(young, poisson); mesh.tets.len()], density }
        }
        Material::Springs { stiffness, mass } => {
            let ends = if net.is_empty() { edges_of_tets(&mesh.tets) } else { net };
            Matter::Springs { ends, stiffness, mass }
        }
    };
    let (positions, velocities) = initial_state(&body.initial, &mesh, &matter);
    let spec = BodySpec::new(&body.name, mesh, matter);
    Ok(BodySpec { positions, velocities, skin, ..spec })
}

/// However many threads: the bits are the same.
fn any_team() -> Team {
    Team::new(std::thread::available_parallelism().map_or(1, usize::from))
}

/// Scales, rotates and translates positions as a scene says.
pub fn place(place: &scene::Place, positions: &mut [DVec3]) {
    let turn = rotation(DVec3::from_array(place.rotate));
    let shift = DVec3::from_array(place.translate);
    for x in positions {
        *x = turn * (*x * place.scale) + shift;
    }
}

type Initial = (Option<Vec<DVec3>>, Option<Vec<DVec3>>);

/// Stretched and jittered positions, and the velocities of a rigid motion of them.
fn initial_state(initial: &scene::Initial, mesh: &Mesh, matter: &Matter) -> Initial {
    let stretch = DVec3::from_array(initial.stretch);
    let mut centroid = match matter {
        Matter::Solid { .. } => mesh.centroid(),
        Matter::Springs { .. } | Matter::Points { .. } => mean(&mesh.positions),
    };
    let mut positions = mesh.positions.clone();
    if stretch != DVec3::ONE {
        let about = initial.about.map_or(centroid, DVec3::from_array);
        let stretched = |x: DVec3| about + (x - about) * stretch;
        positions.iter_mut().for_each(|x| *x = stretched(*x));
        // Stretching is affine: the centre of mass goes where the centroid goes.
        centroid = stretched(centroid);
    }
    let spin = DVec3::from_array(initial.angular_velocity);
    let velocity = DVec3::from_array(initial.velocity);
    let velocities = positions.iter().map(|x| velocity + spin.cross(*x - centroid)).collect();
    if initial.jitter > 0.0 {
        let mut random = Random(initial.seed);
        for x in &mut positions {
            *x += DVec3::new(random.signed(), random.signed(), random.signed()) * initial.jitter;
        }
    }
    (Some(positions), Some(velocities))
}

fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

impl From<&scene::Integrator> for Integrator {
    fn from(integrator: &scene::Integrator) -> Self {
        let scheme = match integrator.scheme {
            scene::Scheme::BackwardEuler => Scheme::BackwardEuler,
            scene::Scheme::Bdf2 => Scheme::Bdf2,
            scene::Scheme::ImplicitMidpoint => Scheme::ImplicitMidpoint,
            scene::Scheme::Trapezoidal => Scheme::Trapezoidal,
            scene::Scheme::ForwardEuler => Scheme::ForwardEuler,
            scene::Scheme::SymplecticEuler => Scheme::SymplecticEuler,
            scene::Scheme::DiscreteGradient => Scheme::DiscreteGradient,
            scene::Scheme::QuasiStatic => Scheme::QuasiStatic,
        };
        let solver = match integrator.solver {
            scene::Solver::Projective { iterations, history } => {
                Solver::Projective { iterations, history, tolerance: 0.0 }
            }
            scene::Solver::Newton { iterations, tolerance } => Solver::Newton {
                iterations: iterations.unwrap_or(NEWTON_ITERATIONS),
                tolerance: tolerance.unwrap_or(NEWTON_TOLERANCE),
            },
            scene::Solver::Xpbd { iterations } => Solver::Xpbd { iterations },
        };
        let solver = integrator.delta.map_or(solver, |delta| Solver::Linearised { delta });
        let correction = correction(&integrator.correction);
        let damping = match integrator.damping {
            scene::Damping::None => None,
            scene::Damping::RigidPreserving(rate) => Some(Damping::RigidPreserving(rate)),
            scene::Damping::Ether(rate) => Some(Damping::Ether(rate)),
            scene::Damping::Rayleigh { mass, stiffness } => {
                Some(Damping::Rayleigh { mass, stiffness })
            }
        };
        Integrator { scheme, solver, correction, damping }
    }
}

fn correction(correction: &scene::Correction) -> Option<Correction> {
    Some(match *correction {
        scene::Correction::None => return None,
        // The scene's scheme is already the base.
        scene::Correction::Blend { epsilon, base: _ } => Correction::Blend { epsilon },
        scene::Correction::Velocity => Correction::Velocity,
        scene::Correction::Lagrange => Correction::Lagrange,
        scene::Correction::Fepr(scene::Fepr { momenta, metric, filter, solution }) => {
            let metric = match metric {
                scene::FeprMetric::Smooth => FeprMetric::Smooth,
                scene::FeprMetric::Diagonal => FeprMetric::Diagonal,
                scene::FeprMetric::Mass => FeprMetric::Mass,
            };
            let momenta = match momenta {
                scene::FeprMomenta::Held => FeprMomenta::Held,
                scene::FeprMomenta::Paper { epsilon } => FeprMomenta::Paper { epsilon },
            };
            let solution = match solution {
                scene::FeprSolution::Fast => FeprSolution::Fast,
                scene::FeprSolution::Exact => FeprSolution::Exact,
                scene::FeprSolution::Anchored => FeprSolution::Anchored,
            };
            Correction::Fepr(Fepr { metric, momenta, filter, solution })
        }
    })
}
