//! From a project to an enrichment: files opened, selections made, what is not said found.

use std::ops::RangeInclusive;
use std::path::Path;

use pliant::enrich::project::Separated;
use pliant::enrich::{Bound, EnrichOptions, Enrichment, Measures, Project, SimulationOptions};
use pliant::enrich::{FrameReport, detail::Transfer};
use pliant::io::unit_named;
use pliant::mesh::{Mesh, Resolution, TetOptions};
use pliant::model::Integrator;
use pliant::model::scene::Select;
use serde_json::{Value, json};

use crate::animation::Source;
use crate::arguments::Options;
use crate::failure::Failure;
use crate::runner::SceneFiles;

/// Poses that the choice of γ and of what follows is made from.
const SAMPLES: usize = 24;

/// Ready for the first frame.
pub struct Prepared {
    pub enrichment: Enrichment,
    pub warnings: Vec<String>,
}

/// Opens what a project names, and fills the surface.
pub fn prepare(
    project: &Project,
    folder: &Path,
    source: &mut Source,
    frames: RangeInclusive<usize>,
    options: &Options,
) -> Result<Prepared, Failure> {
    let about = |problem: String| Failure::about(Path::new(&project.input), problem);
    let (unit, mut warnings) = normal_unit(source);
    let mut poses = Vec::new();
    let (first, count) = (*frames.start(), frames.end() - frames.start() + 1);
    let samples = SAMPLES.min(count);
    for k in 0..samples {
        let pose = source.frame(first + k * (count - 1) / (samples - 1).max(1))?;
        if pose.iter().all(|x| x.is_finite()) {
            poses.push(pose);
        }
    }
    let rest = source.loaded().clone().into_selectable();
    let mut files = SceneFiles::within(folder);
    let mut ids = |key: &str, select: &Select| -> Result<Vec<u32>, Failure> {
        let selection = select.resolve(&mut files).map_err(|e| about(format!("{key}: {e}")))?;
        let found = selection.evaluate(&rest.positions, &rest.groups);
        let found = found.map_err(|error| about(format!("{key}: {error}")))?;
        match found.is_empty() {
            true => Err(about(format!("{key}: the selection holds no vertex"))),
            false => Ok(found),
        }
    };
    let separated = match &project.separated {
        None => None,
        Some(Separated::Frame(frame)) => {
            let pose = source.frame(*frame as usize)?;
            Some(Mesh::surface(pose, rest.triangles.clone()))
        }
        Some(Separated::File(file)) => {
            let written = folder.join(file).display().to_string();
            Some(Source::open(&written, Default::default())?.rest().clone())
        }
    };
    let mut painted = Vec::new();
    for weight in &project.weights {
        painted.push((ids("weight", &weight.select)?, weight.clone()));
    }
    let mut rigid = Vec::new();
    for select in &project.rigid {
        rigid.push(ids("rigid", select)?);
    }
    let mut regions = Vec::new();
    for region in &project.regions {
        regions.push((ids("region", &region.select)?, region.young));
    }
    let resolution = Resolution::Cells(project.resolution);
    let wanted = EnrichOptions {
        filling: TetOptions { resolution, ..TetOptions::default() },
        gamma: project.gamma,
        tracked: match &project.tracked {
            Select::All => None,
            select => Some(ids("tracked", select)?),
        },
        exact: match &project.follow {
            None => None,
            Some(select) => Some(ids("follow", select)?),
        },
        painted,
        rigid,
        blend: project.blend,
        eta: project.eta,
        zeta: project.zeta,
        detail: project.detail.then_some(Transfer::Rotation),
        preroll: project.preroll,
        unit,
        fps: source.fps(),
        ..EnrichOptions::default()
    };
    let flesh = |bound: &Bound| flesh(project, &regions, bound);
    let enrichment =
        Enrichment::new(&rest, separated.as_ref(), &poses, wanted, flesh, options.threads())
            .map_err(|error| about(error.to_string()))?;
    if enrichment.neutral_pose().is_some() {
        let warning = "parts of the rest mesh nearly touch: the shape of another frame is neutral";
        warnings.push(warning.to_owned());
    }
    Ok(Prepared { enrichment, warnings })
}

/// What the body is made of.
fn flesh(project: &Project, regions: &[(Vec<u32>, f64)], bound: &Bound) -> SimulationOptions {
    let mut flesh = SimulationOptions::flesh(bound);
    flesh.model = project.model;
    (flesh.poisson, flesh.density) = (project.poisson, project.density);
    if let Some(young) = project.young {
        flesh.young.fill(young);
    }
    if !regions.is_empty() {
        let mut of_vertex = vec![None; bound.surface.positions.len()];
        for (vertices, young) in regions {
            vertices.iter().for_each(|&v| of_vertex[v as usize] = Some(*young));
        }
        for (young, nearest) in flesh.young.iter_mut().zip(bound.nearest_vertices()) {
            *young = of_vertex[nearest as usize].unwrap_or(*young);
        }
    }
    (flesh.ground, flesh.touches_itself) = (project.ground, project.touches_itself);
    if let Some(integrator) = &project.integrator {
        flesh.integrator = Integrator::from(integrator);
        flesh.touches_itself |= integrator.self_collision.is_some();
    }
    flesh
}

/// A project's input, meant from the project's folder.
pub fn relative_input(input: &str, folder: &Path) -> String {
    let join = |part: &str| folder.join(part).display().to_string();
    match input.split_once('+') {
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
    penetration: f64,
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
        self.penetration = self.penetration.max(frame.step.contacts.deepest);
        self.fallbacks += usize::from(frame.step.substeps > 1 || frame.step.rolled_back);
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
        json!({
            "frames": self.frames,
            "vertices": enrichment.is_exact().len(),
            "tets": enrichment.bound().solid.tets.len(),
            "exact": enrichment.is_exact().iter().filter(|e| **e).count(),
            "gamma": enrichment.gamma(),
            "follow_error": measures.follow_error,
            "fit_error_mean": self.fit_rms / frames,
            "fit_error_max": self.fit_max,
            "inverted": self.inverted,
            "motion_added": measures.motion_added(),
            "motion_most": measures.most_motion,
            "spikes": measures.spikes,
            "max_penetration": self.penetration,
            "seconds": seconds,
            "fit_ms_per_frame": 1e3 * self.fit_seconds / frames,
            "sim_ms_per_frame": 1e3 * self.step_seconds / frames,
            "warnings": warnings,
        })
    }
}
