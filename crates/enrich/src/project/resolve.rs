//! Resolves a project on its animation: selections become vertices, settings become options.

use pliant_mesh::{Attribute, Mesh, Resolution, TetOptions};
use pliant_scene::{Files, Select};

use super::Project;
use crate::embedding::{EmbeddedSurface, default_resolution};
use crate::error::EnrichError;
use crate::pipeline::EnrichOptions;
use crate::simulation::SimulationOptions;

/// Number of poses that γ and the following vertices are chosen from.
const SAMPLES: usize = 24;

/// Indices of the frames that poses are taken from, for an animation with this number of frames.
///
/// ```
/// use pliant_enrich::project::sample_frames;
/// assert_eq!(sample_frames(3), [0, 1, 2]);
/// assert_eq!((sample_frames(100).len(), sample_frames(100)[23]), (24, 99));
/// ```
pub fn sample_frames(frames: usize) -> Vec<usize> {
    let samples = SAMPLES.min(frames);
    (0..samples).map(|k| k * (frames - 1) / (samples - 1).max(1)).collect()
}

/// A project resolved on its animation.
#[derive(Clone, Debug)]
pub struct ResolvedProject {
    /// Options of the enrichment.
    pub options: EnrichOptions,
    /// Vertices of Γ, and Young's modulus around them \[Pa\].
    pub regions: Vec<(Vec<u32>, f64)>,
}

impl ResolvedProject {
    /// Resolves a project on an animation of `rest` with its groups, in a unit \[m\], at some
    /// frames per second. `map` is the project's weight map, read by [`weight_map`].
    ///
    /// # Errors
    /// The key whose selection fails or is empty.
    pub fn new(
        project: &Project,
        rest: &Mesh,
        (unit, fps): (f64, f64),
        map: Option<Vec<f64>>,
        files: &mut dyn Files,
    ) -> Result<ResolvedProject, EnrichError> {
        let mut ids = |key: &'static str, select: &Select| -> Result<Vec<u32>, EnrichError> {
            let refused = |problem: String| EnrichError::Selection { key, problem };
            let selection = select.resolve(files).map_err(|error| refused(error.to_string()))?;
            let found = selection.evaluate(&rest.positions, &rest.groups);
            let found = found.map_err(|error| refused(error.to_string()))?;
            match found.is_empty() {
                true => Err(refused("the selection holds no vertex".to_owned())),
                false => Ok(found),
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
        let cells = project.resolution.unwrap_or_else(|| default_resolution(rest));
        let resolution = Resolution::Cells(cells);
        let mut options = EnrichOptions {
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
            map,
            rigid,
            blend: project.blend,
            eta: project.eta,
            zeta: project.zeta,
            detail: project.detail,
            preroll: project.preroll,
            unit,
            fps,
            ..EnrichOptions::default()
        };
        options.fit.model = project.fit_model;
        Ok(ResolvedProject { options, regions })
    }
}

/// Simulation options of a project.
pub fn simulation_options(
    project: &Project,
    regions: &[(Vec<u32>, f64)],
    embedded: &EmbeddedSurface,
) -> SimulationOptions {
    let mut flesh = SimulationOptions::flesh(embedded);
    flesh.model = project.model;
    flesh.gravity = project.gravity.into();
    (flesh.poisson, flesh.density) = (project.poisson, project.density);
    if let Some(young) = project.young {
        flesh.young.fill(young);
    }
    if !regions.is_empty() {
        let mut of_vertex = vec![None; embedded.surface.positions.len()];
        for (vertices, young) in regions {
            vertices.iter().for_each(|&v| of_vertex[v as usize] = Some(*young));
        }
        for (young, nearest) in flesh.young.iter_mut().zip(embedded.nearest_surface_vertices()) {
            *young = of_vertex[nearest as usize].unwrap_or(*young);
        }
    }
    (flesh.ground, flesh.touches_itself) = (project.ground, project.touches_itself);
    if let Some(integrator) = &project.integrator {
        flesh.integrator = integrator.method;
        flesh.touches_itself |= integrator.self_collision.is_some();
    }
    flesh
}

/// Weights of all `vertices`, from the attribute `weight` of a mesh with `found` vertices.
///
/// # Errors
/// The attribute is missing, has a wrong count, or has values outside 0 to 1.
pub fn weight_map(
    attributes: Vec<Attribute>,
    found: usize,
    vertices: usize,
) -> Result<Vec<f64>, EnrichError> {
    let refused = |problem: String| Err(EnrichError::Map { problem });
    if found != vertices {
        return refused(format!("has {found} vertices, but the animation has {vertices}"));
    }
    let Some(weights) = attributes.into_iter().find(|a| a.name == "weight") else {
        return refused("expected a number `weight` per vertex, found none".to_owned());
    };
    match weights.values.iter().position(|w| !(0.0..=1.0).contains(w)) {
        None => Ok(weights.values),
        Some(vertex) => refused(format!(
            "has the weight {} at vertex {vertex}, expected 0 (physics) to 1 (input)",
            weights.values[vertex]
        )),
    }
}
