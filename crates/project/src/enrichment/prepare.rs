//! From a project to an enrichment: files opened, selections made, what is not said found.

use std::path::Path;

use glam::DVec3;
use pliant_enrich::cycle::Cycle;
use pliant_enrich::met::{MetMesh, Soft};
use pliant_enrich::objects::{Object, rigid_motion};
use pliant_enrich::preparation::{Asked, flesh, sampled, weight_map};
use pliant_enrich::project::Separated;
use pliant_enrich::{Bound, Enrichment, Project, SimulationOptions};
use pliant_io::{Loaded, read_mesh, unit_named};
use pliant_math::team::Team;
use pliant_mesh::Mesh;
use pliant_mesh::menagerie::Creature;
use pliant_sim::snapshot::checksum;

use super::tally::Tally;
use crate::error::ProjectError;
use crate::scene::SceneFiles;
use crate::source::{PUPPET, Sequence, Source};

/// Ready for the first frame.
pub struct Prepared {
    pub enrichment: Enrichment,
    pub warnings: Vec<String>,
    /// Soft objects that the body meets: their places in the project, and their surfaces.
    pub soft: Vec<(usize, Loaded)>,
}

/// Opens what a project names, and fills the surface.
pub fn prepare(
    project: &Project,
    folder: &Path,
    input: &mut Sequence,
    threads: usize,
) -> Result<Prepared, ProjectError> {
    let about = |problem: String| ProjectError::about(Path::new(&project.input), problem);
    let (unit, mut warnings) = normal_unit(&input.source);
    let mut poses = Vec::new();
    for k in sampled(input.len()) {
        poses.push(input.frame(k)?);
    }
    let rest = input.source.loaded().clone().into_selectable();
    if let Some(vertex) = rest.positions.iter().position(|x| !x.is_finite()) {
        return Err(about(format!("vertex {vertex} of the rest mesh is not finite")));
    }
    let separated = match &project.separated {
        None => None,
        Some(Separated::Frame(frame)) => {
            let pose = input.source.frame(*frame as usize)?;
            Some(Mesh::surface(pose, rest.triangles.clone()))
        }
        Some(Separated::File(file)) => {
            let written = folder.join(file).display().to_string();
            Some(Source::open(&written, Default::default())?.rest().clone())
        }
    };
    let map = match &project.weight_map {
        None => None,
        Some(file) => Some(read_map(&folder.join(file), rest.positions.len())?),
    };
    let scale = (unit, input.source.fps());
    let asked = Asked::of(project, &rest, scale, map, &mut SceneFiles::within(folder));
    let Asked { options: wanted, regions } = asked.map_err(|error| about(error.to_string()))?;
    let (objects, soft) = objects(project, folder, unit, input.source.fps())?;
    let flesh = |bound: &Bound| SimulationOptions { objects, ..flesh(project, &regions, bound) };
    let enrichment = Enrichment::new(&rest, separated.as_ref(), &poses, wanted, flesh, threads)
        .map_err(|error| about(error.to_string()))?;
    if enrichment.neutral_pose().is_some() {
        let warning = "parts of the rest mesh nearly touch: the shape of another frame is neutral";
        warnings.push(warning.to_owned());
    }
    Ok(Prepared { enrichment, warnings, soft })
}

/// What the body meets (m), and those that are soft with their numbers, as they are in their files.
type Met = (Vec<Object>, Vec<(usize, Loaded)>);

/// What a project says that the body meets.
fn objects(project: &Project, folder: &Path, unit: f64, fps: f64) -> Result<Met, ProjectError> {
    let (mut objects, mut soft) = (Vec::new(), Vec::new());
    for (number, met) in project.objects.iter().enumerate() {
        let mut loaded = met_mesh(&met.mesh, folder)?;
        met.place.apply(&mut loaded.mesh.positions);
        let mut surface = loaded.mesh.clone();
        if met.soft.is_some() {
            soft.push((number, loaded));
        }
        let scale = |x: &mut Vec<DVec3>| x.iter_mut().for_each(|x| *x *= unit);
        let motion = match &met.cache {
            None => None,
            Some(cache) => {
                let cache = folder.join(cache).display().to_string();
                // A shape has no file; caches of shapes are refused when the project is read.
                let written = match &met.mesh {
                    MetMesh::File(file) => format!("{}+{cache}", folder.join(file).display()),
                    MetMesh::Shape { .. } => cache,
                };
                let mut source = Source::open(&written, Default::default())?;
                let mut frames = Vec::new();
                for k in 0..source.frames() {
                    let mut frame = source.frame(k)?;
                    scale(&mut frame);
                    frames.push(frame);
                }
                let rest: Vec<DVec3> = surface.positions.iter().map(|&x| x * unit).collect();
                Some(rigid_motion(&rest, &frames, fps))
            }
        };
        scale(&mut surface.positions);
        objects.push(match met.soft {
            None => Object::Rigid { surface, motion },
            Some(Soft { young, poisson, density, velocity }) => {
                let velocity = DVec3::from_array(velocity);
                Object::Soft { surface, young, poisson, density, velocity }
            }
        });
    }
    Ok((objects, soft))
}

/// The surface of something that the body meets.
fn met_mesh(mesh: &MetMesh, folder: &Path) -> Result<Loaded, ProjectError> {
    let (shape, resolution) = match mesh {
        MetMesh::File(file) => return Ok(read_mesh(&folder.join(file))?),
        MetMesh::Shape { shape, resolution } => (shape, *resolution),
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

/// Goes round until the end of the animation meets its beginning; a sentence where it does not.
pub fn settle(
    enrichment: &mut Enrichment,
    input: &mut Sequence,
    tally: &mut Tally,
) -> Result<Option<String>, ProjectError> {
    let size = input.source.rest().bounds().map_or(1.0, |b| b.size().max_element());
    let count = input.len();
    let Some(cycle) = Cycle::of(count, size, &mut |k| input.frame(k))? else {
        return Ok(Some("a loop needs two frames that differ: simulated as it is".to_owned()));
    };
    let settled = enrichment.settle(cycle.period, &mut |k| input.frame(k))?;
    (tally.loop_rounds, tally.loop_gap) = (settled.rounds, settled.gap);
    Ok(cycle.jumps.then(|| {
        "the last frame is far from the first: what swings is pushed where the loop closes"
            .to_owned()
    }))
}

/// What an enrichment is told apart by when it is resumed.
pub fn key(project: &Project, input: &Sequence, enrichment: &Enrichment) -> u64 {
    let rest = &input.source.rest().positions;
    let numbers = rest.iter().flat_map(|x| x.to_array()).chain([
        enrichment.gamma(),
        input.source.fps(),
        input.len() as f64,
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

/// Metres per unit of the input: what its size suggests where metres it cannot be.
fn normal_unit(source: &Source) -> (f64, Vec<String>) {
    let guess = source.unit_guess();
    let Some(name) = guess.first() else { return (1.0, Vec::new()) };
    let unit = unit_named(name).unwrap_or(1.0);
    let warning = format!("simulated as if the file were in {name}; --unit says otherwise");
    (unit, vec![warning])
}
