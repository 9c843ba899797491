//! The fit of a face to one skin: Eq. 4 of \[ichim2017phace\] with its priors.
//!
//! Lengths are in millimetres. The data term of J is half the mean squared distance of the skin
//! (mm²), over the area that the target moves. The prior is w times half the mean squared distance
//! of the activations from those that the priors (`priors.rs`) want, over the active flesh.

use std::time::Instant;

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED};

use super::{FitProblem, QuadraticPrior, SolveLimits, SolveReport};
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::inverse::activation::{
    FIBRE_STRETCH_BOUNDS, FibreContractions, FibreShare, Parametrisation, TetMatrices,
    without_passive_stretch,
};
use crate::inverse::initial_guess::{AttractedFlesh, GuidedFlesh};
use crate::inverse::muscle_geometry::{GeometryMatrix, StretchedGeometry};
use crate::inverse::targets::{Observation, Residual, SkinSample};
use crate::model::{FaceModel, Share};
use crate::simulation::{FaceSimulation, FaceSimulationOptions, FaceSolver, JawKnobs};
use crate::vertex_normals::vertex_normals;

/// Parametrisation of the activations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActivationModel {
    /// A symmetric matrix per tet: six numbers.
    #[default]
    Tensor,
    /// A contraction along the fibres per tet.
    Fibre,
    /// A contraction along the fibres per muscle.
    Muscle,
    /// A symmetric matrix per muscle, blended in each tet by the face's geometry, learned or
    /// anatomical.
    Geometry,
}

/// Options of a fit.
#[derive(Clone, Debug)]
pub struct FaceFitOptions {
    pub model: ActivationModel,
    /// Weights w of the priors (mm²), used one after the other. [`ActivationModel::Tensor`] takes
    /// only the first; it is reduced where the flesh attracted to the target is strongly strained.
    pub weights: Vec<f64>,
    /// Weight of R_sparse relative to R_act.
    pub sparsity: f64,
    /// Weight of differences between neighbouring tets, relative to R_act.
    pub smoothness: f64,
    /// True if the priors want aligned and sparse activations, false if just relaxed ones.
    pub anatomical: bool,
    /// Weight of the distance to the target's tangent planes, added to the distance itself.
    pub to_plane: f64,
    /// Gauss–Newton steps per weight, and in equilibrium at the end.
    pub steps: u32,
    /// Limit on products with the Hessian per step.
    pub products: u32,
    pub contact: bool,
    pub threads: usize,
}

impl Default for FaceFitOptions {
    fn default() -> Self {
        FaceFitOptions {
            model: ActivationModel::Tensor,
            weights: vec![10.0, 1.0, 0.2],
            sparsity: 2.0,
            smoothness: 1.0,
            anatomical: true,
            to_plane: 1.0,
            steps: 2,
            products: 30,
            contact: true,
            threads: 1,
        }
    }
}

impl FaceFitOptions {
    /// Options of the simulation that finds equilibria.
    pub(crate) fn simulation_options(&self) -> FaceSimulationOptions {
        FaceSimulationOptions {
            solver: FaceSolver::Exact { tolerance: 1e-5 },
            most_iterations: MOST_ITERATIONS,
            contact: self.contact,
            threads: self.threads,
            ..FaceSimulationOptions::default()
        }
    }
}

/// A fit of a face to a skin.
#[derive(Clone, Debug, Default)]
pub struct Fitted {
    /// Activations of the active tets, in the order of the face's shares.
    pub activations: Vec<Activation>,
    pub jaw: JawPose,
    /// Mean contraction of each muscle.
    pub contractions: Vec<f64>,
    /// Share of each muscle in the volume of flesh times its shortening; lengthening counts as
    /// zero.
    pub work: Vec<f64>,
    /// Skin and positions of the tets' vertices with these activations (m).
    pub skin: Vec<DVec3>,
    pub flesh: Vec<DVec3>,
    pub steps: u32,
    pub products: u32,
    pub equilibria: u32,
    /// Duration (s).
    pub seconds: f64,
    /// Unknowns to continue from, and passive stretch of relaxed muscles, S − I.
    pub(crate) unknowns: Vec<f64>,
    pub(crate) passive_stretch: Vec<Activation>,
    /// Trust in the skin samples, from 0 to 1; empty if all are fully trusted.
    pub(crate) trust_weights: Vec<f64>,
    /// Last weight of the priors (mm²).
    pub(crate) weight: f64,
}

/// Fits a face to one skin after the other.
pub struct FaceFit<'a> {
    pub(crate) face: &'a FaceModel,
    pub(crate) simulation: FaceSimulation<'a>,
    pub(crate) knobs: JawKnobs,
    pub(crate) options: FaceFitOptions,
    pub(crate) parametrisation: FaceParametrisation,
    pub(crate) attracted_flesh: AttractedFlesh<'a>,
    /// The face with springs on its skin: holds the flesh of the first steps near the target.
    pub(crate) guided_flesh: GuidedFlesh<'a>,
    /// Samples without targets, and their vertices of the skin.
    samples: Vec<SkinSample>,
    pub(crate) vertices: Vec<u32>,
    /// Share of each active tet in all active tissue.
    pub(crate) active_shares: Vec<f64>,
    /// Range of each active tet's shares.
    pub(crate) shares: Vec<std::ops::Range<usize>>,
    /// Active tets that share a triangle with each active tet.
    pub(crate) neighbours: Vec<Vec<u32>>,
    /// Share of the jaw's motion that each vertex of the skin takes.
    pub(crate) jaw_shares: Vec<f64>,
}

/// Iteration limit of an equilibrium; beyond it the step is shortened.
const MOST_ITERATIONS: u32 = 30;
/// Relative decrease of J below which the steps end.
const SETTLED: f64 = 0.01;
/// Factor on the priors after a step of which no part lowers J.
const PRIOR_FACTOR: f64 = 4.0;
/// Weight of the skin inside the mouth.
const MOUTH_WEIGHT: f64 = 0.3;

pub(crate) enum FaceParametrisation {
    TetMatrices(TetMatrices),
    Fibres(FibreContractions),
    Geometry(StretchedGeometry),
}

impl FaceParametrisation {
    pub(crate) fn as_dyn(&self) -> &dyn Parametrisation {
        match self {
            FaceParametrisation::TetMatrices(own) => own,
            FaceParametrisation::Fibres(own) => own,
            FaceParametrisation::Geometry(own) => own,
        }
    }

    /// Sets the stretch of relaxed muscles. Muscle matrices act in addition to it; other
    /// parametrisations contain it.
    pub(crate) fn set_passive_stretch(&mut self, passive_stretch: &[Activation]) {
        if let FaceParametrisation::Geometry(own) = self {
            own.passive_stretch = passive_stretch.to_vec();
        }
    }
}

impl<'a> FaceFit<'a> {
    /// Prepares the fit of a face.
    ///
    /// # Errors
    /// When the face cannot be simulated.
    pub fn new(face: &'a FaceModel, options: FaceFitOptions) -> Result<Self, FaceError> {
        let simulation = FaceSimulation::new(face, &options.simulation_options())?;
        let shares = face.active_tets();
        let active = |own: &std::ops::Range<usize>| -> f64 {
            face.shares[own.clone()].iter().map(Share::active_weight).sum()
        };
        let whole: f64 = shares.iter().map(active).sum();
        let active_shares = shares.iter().map(|own| active(own) / whole.max(1e-12)).collect();
        let parametrisation = match options.model {
            ActivationModel::Tensor => {
                FaceParametrisation::TetMatrices(TetMatrices { tets: shares.len() })
            }
            ActivationModel::Fibre => {
                FaceParametrisation::Fibres(fibre_contractions(face, &shares, false))
            }
            ActivationModel::Muscle => {
                FaceParametrisation::Fibres(fibre_contractions(face, &shares, true))
            }
            ActivationModel::Geometry => {
                FaceParametrisation::Geometry(StretchedGeometry::new(GeometryMatrix::of(face)))
            }
        };
        let (samples, vertices) = samples(face, &simulation, options.to_plane);
        let knobs = simulation.jaw_knobs();
        let attracted_flesh = AttractedFlesh::new(face, options.threads)?;
        let guided_flesh = GuidedFlesh::new(face, &options.simulation_options())?;
        Ok(FaceFit {
            face,
            knobs,
            options,
            parametrisation,
            attracted_flesh,
            guided_flesh,
            samples,
            vertices,
            active_shares,
            neighbours: neighbours(face, &shares),
            jaw_shares: simulation.jaw_shares(),
            simulation,
            shares,
        })
    }

    /// Fits activations and jaw pose to a skin (m), in the frame of the skull and in the vertex
    /// order of the face's skin. The fit continues from `start` if there is one.
    ///
    /// # Errors
    /// When the skin has another number of vertices, or K cannot be factored.
    pub fn fit(&mut self, target: &[DVec3], start: Option<&Fitted>) -> Result<Fitted, FaceError> {
        self.check(target)?;
        let observation = self.weighted_observation(target);
        self.fit_observed(target, observation, start)
    }

    /// Fits activations and jaw pose to a skin (m) that contains a prerequisite shape, also given
    /// as a skin (m): a tongue out of an open mouth. The difference between both weighs as much as
    /// the whole.
    ///
    /// # Errors
    /// When one of the skins has another number of vertices, or K cannot be factored.
    pub fn fit_with_prerequisite(
        &mut self,
        target: &[DVec3],
        under: &[DVec3],
    ) -> Result<Fitted, FaceError> {
        self.check(target)?;
        self.check(under)?;
        let observation = self.weighted_observation(target);
        let difference_weights = self.difference_weights(&observation, target, under);
        self.fit_observed(target, observation.reweighted(&difference_weights), None)
    }

    fn fit_observed(
        &mut self,
        target: &[DVec3],
        observation: Observation,
        start: Option<&Fitted>,
    ) -> Result<Fitted, FaceError> {
        let clock = Instant::now();
        let jaw = self.estimate_jaw(target);
        let count = self.parametrisation.as_dyn().count();
        let is_near = |start: &&Fitted| start.unknowns.len() == count + JawKnobs::COUNT;
        let mut fitted = match start.filter(is_near) {
            Some(start) => Fitted {
                unknowns: start.unknowns.clone(),
                passive_stretch: start.passive_stretch.clone(),
                trust_weights: start.trust_weights.clone(),
                weight: start.weight,
                ..Fitted::default()
            },
            None => self.initial_fit(target, &jaw, &observation)?,
        };
        self.parametrisation.set_passive_stretch(&fitted.passive_stretch);
        let observation = observation.reweighted(&fitted.trust_weights);
        // The greater weight is for the next step only; continued fits start from the usual one.
        let mut weight = fitted.weight;
        for _ in 0..self.options.steps {
            let mut prior = self.prior(&fitted.unknowns, &fitted.passive_stretch, weight, count);
            prior.towards[count..].copy_from_slice(&JawKnobs::numbers(&jaw));
            let done = self.minimise(&observation, &prior, &mut fitted.unknowns)?;
            fitted.steps += done.steps;
            fitted.products += done.products;
            fitted.equilibria += done.equilibria;
            if done.steps == 0 {
                // Flesh that buckles on the way can follow a shorter step.
                weight *= PRIOR_FACTOR;
            } else if done.decrease < SETTLED * done.value {
                break;
            }
        }
        self.finish(&mut fitted);
        fitted.seconds = clock.elapsed().as_secs_f64();
        Ok(fitted)
    }

    /// Checks that a target has the vertices of the face's skin.
    pub(crate) fn check(&self, target: &[DVec3]) -> Result<(), FaceError> {
        let count = self.face.skin.mesh.positions.len();
        if target.len() == count && target.iter().all(|p| p.is_finite()) {
            return Ok(());
        }
        Err(FaceError::Part {
            path: self.face.name.clone().into(),
            part: "the target".to_owned(),
            problem: format!("is no skin of {count} vertices with numbers"),
        })
    }

    /// Computes the flesh and skin of the unknowns.
    pub(crate) fn finish(&mut self, fitted: &mut Fitted) {
        self.derive_results(fitted);
        self.simulation.activate(&fitted.activations, &fitted.jaw);
        fitted.flesh = self.simulation.positions();
        fitted.skin = self.face.skin_at(&fitted.flesh);
    }

    /// Computes activations, jaw pose, contractions and work from the unknowns.
    pub(crate) fn derive_results(&self, fitted: &mut Fitted) {
        let (theta, knobs) = fitted.unknowns.split_at(self.parametrisation.as_dyn().count());
        fitted.activations = vec![RELAXED; self.shares.len()];
        self.parametrisation.as_dyn().activations(theta, &mut fitted.activations);
        fitted.jaw = self.face.hinge.limited(&JawKnobs::pose(knobs));
        let without_passive_stretch =
            without_passive_stretch(&fitted.activations, &fitted.passive_stretch);
        fitted.contractions = match self.options.model {
            ActivationModel::Muscle => theta.to_vec(),
            _ => self.contractions(&without_passive_stretch),
        };
        fitted.work = self.work(&fitted.contractions);
    }

    pub(crate) fn minimise(
        &mut self,
        observation: &Observation,
        prior: &QuadraticPrior,
        unknowns: &mut [f64],
    ) -> Result<SolveReport, FaceError> {
        let effort = SolveLimits { steps: 1, products: self.options.products, settled: 1e-3 };
        let equilibrium = self.simulation.equilibrium();
        let parametrisation = self.parametrisation.as_dyn();
        let mut problem =
            FitProblem { equilibrium, observation, parametrisation, knobs: &self.knobs, prior };
        Ok(problem.minimise(unknowns, &effort)?)
    }

    /// Samples with targets, normalised to means over the skin that the target moves. Small regions
    /// like the lids then weigh as much as a whole face.
    pub(crate) fn weighted_observation(&self, target: &[DVec3]) -> Observation {
        let mut observation = self.observation(target);
        let share = self.moved_share(&observation, &self.face.skin.mesh.positions, target);
        observation.scale(1.0 / share);
        observation
    }

    /// Weights of the samples: those that move from `prerequisite` to `target` together get the
    /// weight of all that the target moves.
    fn difference_weights(
        &self,
        observation: &Observation,
        target: &[DVec3],
        under: &[DVec3],
    ) -> Vec<f64> {
        let [all, own] = [&self.face.skin.mesh.positions, under]
            .map(|from| self.moved_share(observation, from, target));
        let is_more = |v: u32| Residual::is_moved(under[v as usize], target[v as usize]);
        self.vertices.iter().map(|&v| if is_more(v) { 1.0 + all / own } else { 1.0 }).collect()
    }

    /// Share of the skin's area that moves between two skins.
    fn moved_share(&self, observation: &Observation, from: &[DVec3], to: &[DVec3]) -> f64 {
        /// Lower bound of the share.
        const LEAST: f64 = 0.02;
        let (mut moved, mut whole) = (0.0, 0.0);
        for (sample, &v) in observation.samples.iter().zip(&self.vertices) {
            whole += sample.to_point;
            if Residual::is_moved(from[v as usize], to[v as usize]) {
                moved += sample.to_point;
            }
        }
        f64::max(moved / f64::max(whole, 1e-12), LEAST)
    }

    /// Samples of the whole skin with targets.
    pub(crate) fn observation(&self, target: &[DVec3]) -> Observation {
        let normals = vertex_normals(target, &self.face.skin.mesh.triangles);
        let of = |(sample, &v): (&SkinSample, &u32)| SkinSample {
            target: target[v as usize],
            normal: normals[v as usize],
            ..*sample
        };
        Observation { samples: self.samples.iter().zip(&self.vertices).map(of).collect() }
    }
}

/// For each active tet, the active tets that share a triangle with it.
fn neighbours(face: &FaceModel, shares: &[std::ops::Range<usize>]) -> Vec<Vec<u32>> {
    let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * shares.len());
    for (k, own) in (0u32..).zip(shares) {
        let Some(share) = face.shares.get(own.start) else { continue };
        let [a, b, c, d] = face.solid.tets[share.tet as usize];
        for mut triangle in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
            triangle.sort_unstable();
            faces.push((triangle, k));
        }
    }
    faces.sort_unstable();
    let mut neighbours = vec![Vec::new(); shares.len()];
    for pair in faces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        neighbours[pair[0].1 as usize].push(pair[1].1);
        neighbours[pair[1].1 as usize].push(pair[0].1);
    }
    neighbours
}

/// Samples of the simulated skin, weighted by area, in units of mm².
fn samples(
    face: &FaceModel,
    simulation: &FaceSimulation,
    to_plane: f64,
) -> (Vec<SkinSample>, Vec<u32>) {
    let mut areas = face.skin_areas();
    for region in face.regions.iter().filter(|region| region.name == "mouth_cavity") {
        region.vertices.iter().for_each(|&v| areas[v as usize] *= MOUTH_WEIGHT);
    }
    let (mut samples, mut vertices) = (Vec::new(), Vec::new());
    let model = simulation.model();
    for (v, tet) in (0u32..).zip(&face.binding.tets) {
        let Some(corners) = tet.and_then(|tet| face.solid.tets.get(tet as usize)) else { continue };
        let own = corners.map(|c| model.number(0, c as usize) as u32);
        if own.iter().all(|c| *c as usize >= model.free_count()) {
            continue;
        }
        samples.push(SkinSample {
            vertices: own,
            weights: face.binding.weights[v as usize],
            target: DVec3::ZERO,
            to_point: areas[v as usize],
            to_plane: to_plane * areas[v as usize],
            normal: DVec3::ZERO,
        });
        vertices.push(v);
    }
    let whole: f64 = samples.iter().map(|sample| sample.to_point).sum();
    for sample in &mut samples {
        sample.to_point *= 1e6 / whole.max(1e-12);
        sample.to_plane *= 1e6 / whole.max(1e-12);
    }
    (samples, vertices)
}

fn fibre_contractions(
    face: &FaceModel,
    active: &[std::ops::Range<usize>],
    by_muscle: bool,
) -> FibreContractions {
    let contractions = if by_muscle { face.muscles.len() } else { active.len() };
    // A whole muscle only contracts; single tets may also be stretched.
    let min_contraction = if by_muscle { 0.0 } else { 1.0 - FIBRE_STRETCH_BOUNDS[1] };
    let (mut starts, mut shares) = (vec![0], Vec::new());
    for (tet, own) in active.iter().enumerate() {
        let own = face.shares[own.clone()].iter().filter(|share| !share.is_assignable());
        let whole: f64 = own.clone().map(|share| share.fraction).sum();
        shares.extend(own.map(|share| FibreShare {
            contraction: if by_muscle { share.muscle } else { tet as u32 },
            share: share.fraction / whole.max(1e-12),
            along: share.fibre,
        }));
        starts.push(shares.len() as u32);
    }
    FibreContractions { contractions, min_contraction, starts, shares }
}
