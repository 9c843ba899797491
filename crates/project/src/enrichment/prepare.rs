//! From a project to an enrichment: files opened, selections made, what is not said found.

use std::path::Path;

use glam::DVec3;
use pliant_enrich::pipeline::{Cycle, Settled};
use pliant_enrich::project::{
    ObjectMesh, ResolvedProject, Separated, SoftMaterial, sample_frames, simulation_options,
    weight_map,
};
use pliant_enrich::simulation::{ContactObject, rigid_motion};
use pliant_enrich::{EmbeddedSurface, EnrichError, Enrichment, Project, SimulationOptions};
use pliant_io::{Loaded, read_mesh};
use pliant_math::team::Team;
use pliant_mesh::Mesh;
use pliant_mesh::menagerie::Creature;
use pliant_sim::snapshot::checksum;

use crate::error::ProjectError;
use crate::folder::Locate;
use crate::scene::SceneFiles;
use crate::source::{PUPPET, Sequence, Source};

/// Ready for the first frame.
pub struct Prepared {
    pub enrichment: Enrichment,
    pub warnings: Vec<String>,
    /// Soft objects that the body meets: their places in the project, and their surfaces.
    pub soft: Vec<(usize, Loaded)>,
}

/// Objects that the body touches.
pub struct ContactObjects {
    /// All of them \[m\].
    pub all: Vec<ContactObject>,
    /// Soft ones with their places in the project, in the unit of their files.
    pub soft: Vec<(usize, Loaded)>,
}

/// A surface that is filled with tets.
pub struct FilledSurface<'a> {
    /// The tets.
    pub embedded: EmbeddedSurface,
    /// Vertices of the surface at rest, in the input's unit.
    pub rest: &'a [DVec3],
    /// Some frames, in the input's unit.
    pub poses: &'a [Vec<DVec3>],
}

/// Opens what a project names, and fills the surface.
///
/// # Errors
/// When a file cannot be read, a selection is empty or the surface cannot be filled.
pub fn prepare(
    project: &Project,
    locate: &Locate,
    input: &mut Sequence,
    threads: usize,
) -> Result<Prepared, ProjectError> {
    let about = |problem: String| ProjectError::about(Path::new(&project.input), problem);
    let (unit, mut warnings) = normal_unit(&input.source);
    let mut poses = Vec::new();
    for k in sample_frames(input.frames()) {
        poses.push(input.frame(k)?);
    }
    let rest = selectable_rest(&input.source)?;
    let mut pose = |frame| input.source.frame(frame);
    let separated = separated_pose(project, &rest, &mut pose, locate)?;
    let scale = (unit, input.source.fps());
    let resolved = resolve(project, &rest, scale, locate)?;
    let objects = contact_objects(project, scale, locate)?;
    let options = &resolved.options;
    let embedded = Enrichment::embed(&rest, separated.as_ref(), &poses, options, threads)
        .map_err(|error| about(error.to_string()))?;
    let surface = FilledSurface { embedded, rest: &rest.positions, poses: &poses };
    let prepared = Prepared::on(surface, project, resolved, objects, threads)
        .map_err(|error| about(error.to_string()))?;
    warnings.extend(prepared.warnings);
    Ok(Prepared { warnings, ..prepared })
}

impl Prepared {
    /// Prepares the simulation of a surface that is filled already.
    ///
    /// # Errors
    /// When the tets cannot be simulated.
    pub fn on(
        FilledSurface { embedded, rest, poses }: FilledSurface,
        project: &Project,
        ResolvedProject { options, regions }: ResolvedProject,
        ContactObjects { all, soft }: ContactObjects,
        threads: usize,
    ) -> Result<Prepared, EnrichError> {
        let flesh = |bound: &EmbeddedSurface| SimulationOptions {
            objects: all,
            ..simulation_options(project, &regions, bound)
        };
        let enrichment = Enrichment::on(embedded, rest, poses, options, flesh, threads)?;
        let mut warnings = Vec::new();
        if enrichment.neutral_pose().is_some() {
            let warning =
                "parts of the rest mesh nearly touch: the shape of another frame is neutral";
            warnings.push(warning.to_owned());
        }
        Ok(Prepared { enrichment, warnings, soft })
    }
}

/// The rest mesh of an animation, with painted attributes as groups.
///
/// # Errors
/// When a vertex is not finite.
pub fn selectable_rest(source: &Source) -> Result<Mesh, ProjectError> {
    let rest = source.loaded().clone().into_selectable();
    match rest.positions.iter().position(|x| !x.is_finite()) {
        None => Ok(rest),
        Some(vertex) => {
            let problem = format!("vertex {vertex} of the rest mesh is not finite");
            Err(ProjectError::about(source.path(), problem))
        }
    }
}

/// Reads the weight map of a project, and makes its selections. `scale` is metres per unit and
/// frames per second.
///
/// # Errors
/// When the map cannot be read or a selection has no meaning.
pub fn resolve(
    project: &Project,
    rest: &Mesh,
    scale: (f64, f64),
    locate: &Locate,
) -> Result<ResolvedProject, ProjectError> {
    let map = match &project.weight_map {
        None => None,
        Some(file) => Some(read_map(&locate(file)?, rest.positions.len())?),
    };
    let resolved = ResolvedProject::new(project, rest, scale, map, &mut SceneFiles::new(locate));
    resolved.map_err(|error| ProjectError::about(Path::new(&project.input), error.to_string()))
}

/// The pose whose parts do not touch, in the input's unit, if a project names one. `pose` reads a
/// frame of the input.
///
/// # Errors
/// When the frame or the file cannot be read.
pub fn separated_pose(
    project: &Project,
    rest: &Mesh,
    pose: &mut dyn FnMut(usize) -> Result<Vec<DVec3>, ProjectError>,
    locate: &Locate,
) -> Result<Option<Mesh>, ProjectError> {
    Ok(match &project.separated {
        None => None,
        Some(Separated::Frame(frame)) => {
            Some(Mesh::surface(pose(*frame as usize)?, rest.triangles.clone()))
        }
        Some(Separated::File(file)) => {
            let written = locate(file)?.display().to_string();
            Some(Source::open(&written, Default::default())?.rest().clone())
        }
    })
}

/// Opens the objects that the body touches. `scale` is metres per unit and frames per second.
///
/// # Errors
/// When a mesh or a cache cannot be read.
pub fn contact_objects(
    project: &Project,
    (unit, fps): (f64, f64),
    locate: &Locate,
) -> Result<ContactObjects, ProjectError> {
    let (mut all, mut soft) = (Vec::new(), Vec::new());
    for (number, object) in project.objects.iter().enumerate() {
        let mut loaded = object_mesh(&object.mesh, locate)?;
        object.place.apply(&mut loaded.mesh.positions);
        let mut surface = loaded.mesh.clone();
        if object.soft.is_some() {
            soft.push((number, loaded));
        }
        let scale = |x: &mut Vec<DVec3>| x.iter_mut().for_each(|x| *x *= unit);
        scale(&mut surface.positions);
        let motion = match &object.cache {
            None => None,
            Some(cache) => {
                let cache = locate(cache)?.display().to_string();
                // A shape has no file; caches of shapes are refused when the project is read.
                let written = match &object.mesh {
                    ObjectMesh::File(file) => format!("{}+{cache}", locate(file)?.display()),
                    ObjectMesh::Shape { .. } => cache,
                };
                let mut source = Source::open(&written, Default::default())?;
                let mut frames = Vec::new();
                for k in 0..source.frames() {
                    let mut frame = source.frame(k)?;
                    scale(&mut frame);
                    frames.push(frame);
                }
                Some(rigid_motion(&surface.positions, &frames, fps))
            }
        };
        all.push(match object.soft {
            None => ContactObject::Rigid { surface, motion },
            Some(SoftMaterial { young, poisson, density, velocity }) => {
                let velocity = DVec3::from_array(velocity);
                ContactObject::Soft { surface, young, poisson, density, velocity }
            }
        });
    }
    Ok(ContactObjects { all, soft })
}

/// The surface of an object that the body touches.
fn object_mesh(mesh: &ObjectMesh, locate: &Locate) -> Result<Loaded, ProjectError> {
    let (shape, resolution) = match mesh {
        ObjectMesh::File(file) => return Ok(read_mesh(&locate(file)?)?),
        ObjectMesh::Shape { shape, resolution } => (shape, *resolution),
    };
    let Some(creature) = Creature::named(shape) else {
        let known: Vec<&str> = Creature::names().collect();
        let known = known.join(", ");
        return Err(ProjectError::Request(format!(
            "contact.object: there is no shape `{shape}`, expected one of {known}"
        )));
    };
    let skin = creature.skin(resolution as usize, &Team::new(1));
    let skin = skin.map_err(|error| ProjectError::Request(format!("contact.object: {error}")))?;
    Ok(Loaded::from(skin.surface))
}

/// Weights of all vertices, from the attribute `weight` of a mesh.
fn read_map(path: &Path, vertices: usize) -> Result<Vec<f64>, ProjectError> {
    let map = read_mesh(path)?;
    let found = map.mesh.positions.len();
    weight_map(map.attributes, found, vertices).map_err(|error| ProjectError::about(path, error))
}

/// Result of closing a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoopClosure {
    /// Rounds simulated, and the gap that is left; both zero if the animation is no loop.
    pub settled: Settled,
    /// A sentence about an animation that makes no good loop.
    pub warning: Option<&'static str>,
}

/// Simulates `count` frames of a surface with this `size` in rounds, until the end of the animation
/// meets its beginning. `read` gets the number of a frame, and how many rounds are done.
///
/// # Errors
/// The error of `read`.
pub fn settle<E>(
    enrichment: &mut Enrichment,
    (count, size): (usize, f64),
    read: &mut dyn FnMut(usize, f64) -> Result<Vec<DVec3>, E>,
) -> Result<LoopClosure, E> {
    let Some(cycle) = Cycle::of(count, size, &mut |k| read(k, 0.0))? else {
        let warning = Some("a loop needs two frames that differ: simulated as it is");
        return Ok(LoopClosure { warning, ..LoopClosure::default() });
    };
    let mut frames = 0.0;
    let settled = enrichment.settle(cycle.period, &mut |k| {
        frames += 1.0;
        read(k, frames / cycle.period as f64)
    })?;
    let warning = cycle.jumps.then_some(
        "the last frame is far from the first: what swings is pushed where the loop closes",
    );
    Ok(LoopClosure { settled, warning })
}

/// Closes the loop of an animation that is read frame by frame.
pub fn close_loop(
    enrichment: &mut Enrichment,
    input: &mut Sequence,
) -> Result<LoopClosure, ProjectError> {
    let size = input.source.rest().bounds().map_or(1.0, |b| b.size().max_element());
    settle(enrichment, (input.frames(), size), &mut |k, _rounds| input.frame(k))
}

/// Key of the snapshots of an enrichment.
pub fn key(project: &Project, input: &Sequence, enrichment: &Enrichment) -> u64 {
    let rest = &input.source.rest().positions;
    let numbers = rest.iter().flat_map(|x| x.to_array()).chain([
        enrichment.gamma(),
        input.source.fps(),
        input.frames() as f64,
    ]);
    let mut bytes = format!("{project:?}").into_bytes();
    bytes.extend(numbers.flat_map(f64::to_le_bytes));
    checksum(&bytes)
}

/// A project's input, meant from the project's folder.
pub fn relative_input(input: &str, folder: &Path) -> String {
    let join = |part: &str| folder.join(part).display().to_string();
    match input.split_once('+') {
        // Not a file, wherever the project is.
        _ if input.starts_with(PUPPET) => input.to_owned(),
        Some((rest, cache)) if !folder.join(input).exists() => {
            format!("{}+{}", join(rest), join(cache))
        }
        _ => join(input),
    }
}

/// Metres per unit of the input, guessed from its size, and a sentence about any other than 1.
fn normal_unit(source: &Source) -> (f64, Vec<String>) {
    let warn = |name| format!("simulated as if the file were in {name}; --unit says otherwise");
    (source.working_unit(), source.unit_guess().first().map(warn).into_iter().collect())
}
