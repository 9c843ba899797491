//! From a project to an enrichment: files opened, selections made, what is not said found.

use std::path::Path;

use glam::DVec3;
use pliant::enrich::FrameReport;
use pliant::enrich::pipeline::Cycle;
use pliant::enrich::project::Separated;
use pliant::enrich::project::{ObjectMesh, SoftMaterial};
use pliant::enrich::project::{ResolvedProject, sample_frames, simulation_options, weight_map};
use pliant::enrich::simulation::{ContactObject, rigid_motion};
use pliant::enrich::{EmbeddedSurface, Enrichment, Measures, Project, SimulationOptions};
use pliant::io::{Loaded, read_mesh, unit_named};
use pliant::math::team::Team;
use pliant::mesh::Mesh;
use pliant::mesh::menagerie::Creature;
use pliant::sim::snapshot::checksum;
use serde_json::{Value, json};

use crate::animation::Source;
use crate::arguments::Options;
use crate::failure::Failure;
use crate::made::PUPPET;
use crate::runner::SceneFiles;
use crate::sequence::Sequence;

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
    options: &Options,
) -> Result<Prepared, Failure> {
    let about = |problem: String| Failure::about(Path::new(&project.input), problem);
    let (unit, mut warnings) = normal_unit(&input.source);
    let mut poses = Vec::new();
    for k in sample_frames(input.len()) {
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
    let asked = ResolvedProject::new(project, &rest, scale, map, &mut SceneFiles::within(folder));
    let ResolvedProject { options: wanted, regions } =
        asked.map_err(|error| about(error.to_string()))?;
    let (objects, soft) = objects(project, folder, unit, input.source.fps())?;
    let flesh = |bound: &EmbeddedSurface| SimulationOptions {
        objects,
        ..simulation_options(project, &regions, bound)
    };
    let enrichment =
        Enrichment::new(&rest, separated.as_ref(), &poses, wanted, flesh, options.threads())
            .map_err(|error| about(error.to_string()))?;
    if enrichment.neutral_pose().is_some() {
        let warning = "parts of the rest mesh nearly touch: the shape of another frame is neutral";
        warnings.push(warning.to_owned());
    }
    Ok(Prepared { enrichment, warnings, soft })
}

/// What the body meets (m), and those that are soft with their numbers, as they are in their files.
type Met = (Vec<ContactObject>, Vec<(usize, Loaded)>);

/// What a project says that the body meets.
fn objects(project: &Project, folder: &Path, unit: f64, fps: f64) -> Result<Met, Failure> {
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
                    ObjectMesh::File(file) => format!("{}+{cache}", folder.join(file).display()),
                    ObjectMesh::Shape { .. } => cache,
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
            None => ContactObject::Rigid { surface, motion },
            Some(SoftMaterial { young, poisson, density, velocity }) => {
                let velocity = DVec3::from_array(velocity);
                ContactObject::Soft { surface, young, poisson, density, velocity }
            }
        });
    }
    Ok((objects, soft))
}

/// The surface of something that the body meets.
fn met_mesh(mesh: &ObjectMesh, folder: &Path) -> Result<Loaded, Failure> {
    let (shape, resolution) = match mesh {
        ObjectMesh::File(file) => return Ok(read_mesh(&folder.join(file))?),
        ObjectMesh::Shape { shape, resolution } => (shape, *resolution),
    };
    let Some(creature) = Creature::named(shape) else {
        let known: Vec<&str> = Creature::names().collect();
        let known = known.join(", ");
        return Err(Failure::new(format!(
            "contact.object: there is no shape `{shape}`, expected one of {known}"
        )));
    };
    let skin = creature.skin(resolution as usize, &Team::new(1));
    let skin = skin.map_err(|error| Failure::new(format!("contact.object: {error}")))?;
    Ok(Loaded::from(skin.surface))
}

/// Weights of all vertices, from the attribute `weight` of a mesh.
fn read_map(path: &Path, vertices: usize) -> Result<Vec<f64>, Failure> {
    let map = read_mesh(path)?;
    let found = map.mesh.positions.len();
    weight_map(map.attributes, found, vertices).map_err(|error| Failure::about(path, error))
}

/// Goes round until the end of the animation meets its beginning; a sentence where it does not.
pub fn settle(
    enrichment: &mut Enrichment,
    input: &mut Sequence,
    tally: &mut Tally,
) -> Result<Option<String>, Failure> {
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

/// Sums over frames.
#[derive(Default)]
pub struct Tally {
    pub frames: usize,
    pub fit_seconds: f64,
    pub step_seconds: f64,
    pub fallbacks: usize,
    fit_rms: f64,
    fit_max: f64,
    inverted: usize,
    untangled: usize,
    penetration: f64,
    pub loop_rounds: u32,
    pub loop_gap: f64,
    steps: u64,
    pub cuts: usize,
    flattened: usize,
}

impl Tally {
    /// Adds a frame.
    pub fn add(&mut self, frame: &FrameReport) {
        self.frames += 1;
        self.fit_seconds += frame.fit_seconds;
        self.step_seconds += frame.step_seconds;
        self.fit_rms += frame.fit.rms;
        self.fit_max = self.fit_max.max(frame.fit.max);
        self.inverted = self.inverted.max(frame.fit.inverted);
        self.untangled = self.untangled.max(frame.fit.untangled);
        self.penetration = self.penetration.max(frame.step.contacts.deepest);
        self.fallbacks += usize::from(frame.step.gave_way());
        self.steps += u64::from(frame.steps);
        self.cuts += usize::from(frame.is_cut);
        self.flattened += usize::from(frame.fit.is_flattened);
    }

    /// All that is known after the frames so far: this, and the state of the enrichment.
    pub fn known(&self, enrichment: &Enrichment, key: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.numbers().into_iter().flat_map(f64::to_le_bytes).collect();
        bytes.extend(enrichment.snapshot(key));
        bytes
    }

    /// Takes an enrichment there; `last` is the input of the last frame done.
    pub fn resume(
        known: &[u8],
        key: u64,
        enrichment: &mut Enrichment,
        last: &[DVec3],
    ) -> Result<Tally, Failure> {
        let (numbers, snapshot) = known.split_at_checked(8 * Tally::NUMBERS).unwrap_or_default();
        enrichment.resume(snapshot, key, last).map_err(|error| Failure::new(error.to_string()))?;
        let number = |b: &[u8]| f64::from_le_bytes(std::array::from_fn(|k| b[k]));
        Ok(Tally::of_numbers(&numbers.chunks_exact(8).map(number).collect::<Vec<f64>>()))
    }

    /// How many numbers it is made of.
    const NUMBERS: usize = 14;

    fn numbers(&self) -> [f64; Tally::NUMBERS] {
        [
            self.frames as f64,
            self.fit_seconds,
            self.step_seconds,
            self.fallbacks as f64,
            self.fit_rms,
            self.fit_max,
            self.inverted as f64,
            self.untangled as f64,
            self.penetration,
            f64::from(self.loop_rounds),
            self.loop_gap,
            self.steps as f64,
            self.cuts as f64,
            self.flattened as f64,
        ]
    }

    /// The same back; what is missing is zero.
    fn of_numbers(numbers: &[f64]) -> Tally {
        let at = |k: usize| numbers.get(k).copied().unwrap_or(0.0);
        Tally {
            frames: at(0) as usize,
            fit_seconds: at(1),
            step_seconds: at(2),
            fallbacks: at(3) as usize,
            fit_rms: at(4),
            fit_max: at(5),
            inverted: at(6) as usize,
            untangled: at(7) as usize,
            penetration: at(8),
            loop_rounds: at(9) as u32,
            loop_gap: at(10),
            steps: at(11) as u64,
            cuts: at(12) as usize,
            flattened: at(13) as usize,
        }
    }

    /// The report of the whole.
    pub fn as_json(
        &self,
        enrichment: &Enrichment,
        measures: &Measures,
        warnings: &[String],
        seconds: f64,
    ) -> Value {
        let frames = self.frames.max(1) as f64;
        let looped = (self.loop_rounds > 0)
            .then(|| json!({ "rounds": self.loop_rounds, "gap": self.loop_gap }));
        json!({
            "frames": self.frames,
            "steps": self.steps,
            "vertices": enrichment.is_exact().len(),
            "tets": enrichment.embedded().solid.tets.len(),
            "exact": enrichment.is_exact().iter().filter(|e| **e).count(),
            "gamma": enrichment.gamma(),
            "follow_error": measures.follow_error,
            "fit_error_mean": self.fit_rms / frames,
            "fit_error_max": self.fit_max,
            "inverted": self.inverted,
            "untangled": self.untangled,
            "flattened": self.flattened,
            "motion_added": measures.motion_added(),
            "motion_most": measures.most_motion,
            "spikes": measures.spikes,
            "max_penetration": self.penetration,
            "loop": looped,
            "seconds": seconds,
            "fit_ms_per_frame": 1e3 * self.fit_seconds / frames,
            "sim_ms_per_frame": 1e3 * self.step_seconds / frames,
            "warnings": warnings,
        })
    }
}
