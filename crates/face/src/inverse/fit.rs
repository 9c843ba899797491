//! A face fitted to a skin: Eq. 4 with its priors.
//!
//! Lengths are in millimetres here, and means are over the area of the skin that the target moves and over what is active of the flesh: J is half
//! the mean squared distance of the skin (mm²) and w times half the mean squared distance of activations from what the
//! priors (`priors.rs`) want.

use std::time::Instant;

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED};

use super::blend::{Blend, Yielding};
use super::dependence::{Dependence, Strand, Strands, Tensors};
use super::drawn::{Drawn, STRETCHES_OF_MUSCLES};
use super::gauss_newton::{Effort, Outcome, Prior, Problem};
use super::guided::Guided;
use super::observation::{Observation, Sample};
use super::priors::beyond;
use super::residual::Residual;
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::model::{FaceModel, Share};
use crate::simulation::{FaceSimulation, FaceSolver, JawKnobs, SimulationOptions};

/// What activations may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActivationModel {
    /// A symmetric matrix per tet: six numbers.
    #[default]
    Tensor,
    /// A contraction along the fibres per tet.
    Fibre,
    /// A contraction along the fibres per muscle.
    Muscle,
    /// A symmetric matrix per muscle, of which tets take what the face's geometry says: what was learned, or where the
    /// muscles are.
    Geometry,
}

/// How a face is fitted.
#[derive(Clone, Debug)]
pub struct FitOptions {
    pub model: ActivationModel,
    /// Weights w of the priors (mm²), one after the other. Where every tet has a matrix, flesh that is drawn to the target says
    /// what it must be like, and there is but one weight: the first, or less where flesh must be strained much.
    pub weights: Vec<f64>,
    /// R_sparse relative to R_act.
    pub sparsity: f64,
    /// How much alike neighbouring tets are to be, relative to R_act.
    pub smoothness: f64,
    /// Whether activations are drawn to aligned and sparse ones, or just to relaxed ones.
    pub anatomical: bool,
    /// Of the distance along the target's normals, beside the distance itself.
    pub to_plane: f64,
    /// Gauss–Newton steps per weight, and in equilibrium at the end.
    pub steps: u32,
    /// Products per step.
    pub products: u32,
    pub contact: bool,
    pub threads: usize,
}

impl Default for FitOptions {
    fn default() -> Self {
        FitOptions {
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

impl FitOptions {
    /// What equilibria are looked for with.
    pub(super) fn simulated(&self) -> SimulationOptions {
        SimulationOptions {
            solver: FaceSolver::Exact { tolerance: 1e-5 },
            most_iterations: PATIENCE,
            contact: self.contact,
            threads: self.threads,
            ..SimulationOptions::default()
        }
    }
}

/// A face that has been fitted.
#[derive(Clone, Debug, Default)]
pub struct Fitted {
    /// Of every tet that has muscle in it, in the order of the model's shares.
    pub activations: Vec<Activation>,
    pub jaw: JawPose,
    /// What every muscle contracts by, on the whole.
    pub contractions: Vec<f64>,
    /// How much flesh it shortens by that much, of what all muscles do; what lengthens does nothing.
    pub work: Vec<f64>,
    /// The skin that comes of it, and the tets' vertices (m).
    pub skin: Vec<DVec3>,
    pub flesh: Vec<DVec3>,
    pub steps: u32,
    pub products: u32,
    pub equilibria: u32,
    /// Seconds.
    pub seconds: f64,
    /// Unknowns, to go on from, and what relaxed muscles have lengthened by.
    pub(super) unknowns: Vec<f64>,
    pub(super) yielded: Vec<Activation>,
    /// How much samples of the skin count, from 0 to 1; none where all count fully.
    pub(super) trusts: Vec<f64>,
    /// The priors' last weight (mm²).
    pub(super) weight: f64,
}

/// Fits a face to one skin after the other.
pub struct FaceFit<'a> {
    pub(super) face: &'a FaceModel,
    pub(super) simulation: FaceSimulation<'a>,
    pub(super) knobs: JawKnobs,
    pub(super) options: FitOptions,
    pub(super) dependence: Fibres,
    pub(super) drawn: Drawn<'a>,
    /// The face with its skin drawn to the target: where flesh is on the way.
    pub(super) guided: Guided<'a>,
    /// Samples without targets, and the skin's vertices they are.
    samples: Vec<Sample>,
    pub(super) vertices: Vec<u32>,
    /// What is active of every tet with muscle, over that of all.
    pub(super) parts: Vec<f64>,
    /// Shares of each of these.
    pub(super) shares: Vec<std::ops::Range<usize>>,
    /// Of each of these, those that it shares a face with.
    pub(super) neighbours: Vec<Vec<u32>>,
    /// How much of the jaw's motion the skin's vertices take on.
    pub(super) jaw_shares: Vec<f64>,
}

/// Iterations after which an equilibrium is given up, and a step shortened.
const PATIENCE: u32 = 30;
/// Steps end where J falls by less than this part of it.
const SETTLED: f64 = 0.01;
/// Where no part of a step lowers J, priors weigh so many times as much in the next.
const HEAVIER: f64 = 4.0;
/// What skin that nobody sees weighs.
const UNSEEN: f64 = 0.3;

pub(super) enum Fibres {
    Tensors(Tensors),
    Strands(Strands),
    Blend(Yielding),
}

impl Fibres {
    pub(super) fn own(&self) -> &dyn Dependence {
        match self {
            Fibres::Tensors(own) => own,
            Fibres::Strands(own) => own,
            Fibres::Blend(own) => own,
        }
    }

    /// Muscles of a geometry act beyond what relaxed flesh has lengthened by; other activations are what they are.
    pub(super) fn yield_by(&mut self, yielded: &[Activation]) {
        if let Fibres::Blend(own) = self {
            own.yielded = yielded.to_vec();
        }
    }
}

impl<'a> FaceFit<'a> {
    /// For a face.
    ///
    /// # Errors
    /// When the face cannot be simulated.
    pub fn new(face: &'a FaceModel, options: FitOptions) -> Result<Self, FaceError> {
        let simulation = FaceSimulation::new(face, &options.simulated())?;
        let shares = face.active_tets();
        let active = |own: &std::ops::Range<usize>| -> f64 {
            face.shares[own.clone()].iter().map(Share::part).sum()
        };
        let whole: f64 = shares.iter().map(active).sum();
        let parts = shares.iter().map(|own| active(own) / whole.max(1e-12)).collect();
        let dependence = match options.model {
            ActivationModel::Tensor => Fibres::Tensors(Tensors { tets: shares.len() }),
            ActivationModel::Fibre => Fibres::Strands(strands(face, &shares, false)),
            ActivationModel::Muscle => Fibres::Strands(strands(face, &shares, true)),
            ActivationModel::Geometry => Fibres::Blend(Yielding::new(Blend::of(face))),
        };
        let (samples, vertices) = samples(face, &simulation, options.to_plane);
        let knobs = simulation.jaw_knobs();
        let drawn = Drawn::new(face, options.threads)?;
        let guided = Guided::new(face, &options.simulated())?;
        Ok(FaceFit {
            face,
            knobs,
            options,
            dependence,
            drawn,
            guided,
            samples,
            vertices,
            parts,
            neighbours: neighbours(face, &shares),
            jaw_shares: simulation.jaw_shares(),
            simulation,
            shares,
        })
    }

    /// Fits activations and jaw to a skin (m), in the frame of the skull and the order of the face's own;
    /// from another fit, if that is near.
    ///
    /// # Errors
    /// When the skin has another number of vertices, or the flesh no tangent.
    pub fn fit(&mut self, target: &[DVec3], start: Option<&Fitted>) -> Result<Fitted, FaceError> {
        self.check(target)?;
        let observation = self.wanted(target);
        self.fit_observed(target, observation, start)
    }

    /// Fits activations and jaw to a skin (m) that is another (m) and something more, as a tongue that comes out of an open mouth. What more there
    /// is counts for as much as all of it.
    ///
    /// # Errors
    /// When one of the skins has another number of vertices, or the flesh no tangent.
    pub fn fit_over(&mut self, target: &[DVec3], under: &[DVec3]) -> Result<Fitted, FaceError> {
        self.check(target)?;
        self.check(under)?;
        let observation = self.wanted(target);
        let more = self.more(&observation, target, under);
        self.fit_observed(target, observation.weighed(&more), None)
    }

    fn fit_observed(
        &mut self,
        target: &[DVec3],
        observation: Observation,
        start: Option<&Fitted>,
    ) -> Result<Fitted, FaceError> {
        let clock = Instant::now();
        let jaw = self.jaw_of(target);
        let count = self.dependence.own().count();
        let is_near = |start: &&Fitted| start.unknowns.len() == count + JawKnobs::COUNT;
        let mut fitted = match start.filter(is_near) {
            Some(start) => Fitted {
                unknowns: start.unknowns.clone(),
                yielded: start.yielded.clone(),
                trusts: start.trusts.clone(),
                weight: start.weight,
                ..Fitted::default()
            },
            None => self.begin(target, &jaw, &observation)?,
        };
        self.dependence.yield_by(&fitted.yielded);
        let observation = observation.weighed(&fitted.trusts);
        // What is heavier for a step is not for fits that go on from this one.
        let mut weight = fitted.weight;
        for _ in 0..self.options.steps {
            let mut prior = self.prior(&fitted.unknowns, &fitted.yielded, weight, count);
            prior.towards[count..].copy_from_slice(&JawKnobs::numbers(&jaw));
            let done = self.minimise(&observation, &prior, &mut fitted.unknowns)?;
            fitted.steps += done.steps;
            fitted.products += done.products;
            fitted.equilibria += done.equilibria;
            if done.steps == 0 {
                // Flesh that buckles on the way follows a shorter one.
                weight *= HEAVIER;
            } else if done.fallen < SETTLED * done.value {
                break;
            }
        }
        self.finish(&mut fitted);
        fitted.seconds = clock.elapsed().as_secs_f64();
        Ok(fitted)
    }

    /// Whether a target is a skin of the face.
    pub(super) fn check(&self, target: &[DVec3]) -> Result<(), FaceError> {
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

    /// What comes of the unknowns that were found.
    pub(super) fn finish(&mut self, fitted: &mut Fitted) {
        self.tell(fitted);
        self.simulation.activate(&fitted.activations, &fitted.jaw);
        fitted.flesh = self.simulation.positions();
        fitted.skin = self.face.skin_at(&fitted.flesh);
    }

    /// What the unknowns that were found say of muscles and jaw.
    pub(super) fn tell(&self, fitted: &mut Fitted) {
        let (theta, knobs) = fitted.unknowns.split_at(self.dependence.own().count());
        fitted.activations = vec![RELAXED; self.shares.len()];
        self.dependence.own().activations(theta, &mut fitted.activations);
        fitted.jaw = self.face.hinge.limited(&JawKnobs::pose(knobs));
        let beyond = beyond(&fitted.activations, &fitted.yielded);
        fitted.contractions = match self.options.model {
            ActivationModel::Muscle => theta.to_vec(),
            _ => self.contractions(&beyond),
        };
        fitted.work = self.work(&fitted.contractions);
    }

    pub(super) fn minimise(
        &mut self,
        observation: &Observation,
        prior: &Prior,
        unknowns: &mut [f64],
    ) -> Result<Outcome, FaceError> {
        let effort = Effort { steps: 1, products: self.options.products, settled: 1e-3 };
        let equilibrium = self.simulation.equilibrium();
        let dependence = self.dependence.own();
        let mut problem =
            Problem { equilibrium, observation, dependence, knobs: &self.knobs, prior };
        Ok(problem.minimise(unknowns, &effort)?)
    }

    /// The skin where a target has it, as means over what the target moves: lids are as much as a whole face to whoever looks at them.
    pub(super) fn wanted(&self, target: &[DVec3]) -> Observation {
        let mut observation = self.observation(target);
        let share = self.share_moved(&observation, &self.face.skin.mesh.positions, target);
        observation.scale(1.0 / share);
        observation
    }

    /// How much more than all skin what moves from one to the other counts for, by sample: as much together as all that the target moves.
    fn more(&self, observation: &Observation, target: &[DVec3], under: &[DVec3]) -> Vec<f64> {
        let [all, own] = [&self.face.skin.mesh.positions, under]
            .map(|from| self.share_moved(observation, from, target));
        let is_more = |v: u32| Residual::is_moved(under[v as usize], target[v as usize]);
        self.vertices.iter().map(|&v| if is_more(v) { 1.0 + all / own } else { 1.0 }).collect()
    }

    /// The part of the skin that moves from one to the other.
    fn share_moved(&self, observation: &Observation, from: &[DVec3], to: &[DVec3]) -> f64 {
        /// It counts as at least this.
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

    /// The whole skin where a target has it.
    pub(super) fn observation(&self, target: &[DVec3]) -> Observation {
        let normals = normals(target, &self.face.skin.mesh.triangles);
        let of = |(sample, &v): (&Sample, &u32)| Sample {
            target: target[v as usize],
            normal: normals[v as usize],
            ..*sample
        };
        Observation { samples: self.samples.iter().zip(&self.vertices).map(of).collect() }
    }
}

/// Of each tet with muscle those of them that it shares a face with.
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

/// Samples of the skin that is simulated, weighed by its area; (m) become mm.
fn samples(
    face: &FaceModel,
    simulation: &FaceSimulation,
    to_plane: f64,
) -> (Vec<Sample>, Vec<u32>) {
    let mut areas = face.skin_areas();
    for region in face.regions.iter().filter(|region| region.name == "mouth_cavity") {
        region.vertices.iter().for_each(|&v| areas[v as usize] *= UNSEEN);
    }
    let (mut samples, mut vertices) = (Vec::new(), Vec::new());
    let model = simulation.model();
    for (v, tet) in (0u32..).zip(&face.binding.tets) {
        let Some(corners) = tet.and_then(|tet| face.solid.tets.get(tet as usize)) else { continue };
        let own = corners.map(|c| model.number(0, c as usize) as u32);
        if own.iter().all(|c| *c as usize >= model.free_count()) {
            continue;
        }
        samples.push(Sample {
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

fn strands(face: &FaceModel, shares: &[std::ops::Range<usize>], by_muscle: bool) -> Strands {
    let contractions = if by_muscle { face.muscles.len() } else { shares.len() };
    // A muscle as a whole only contracts; what is parts of it may be drawn longer.
    let least = if by_muscle { 0.0 } else { 1.0 - STRETCHES_OF_MUSCLES[1] };
    let mut strands = Strands { contractions, least, starts: vec![0], strands: Vec::new() };
    for (tet, own) in shares.iter().enumerate() {
        let own = face.shares[own.clone()].iter().filter(|share| !share.is_lent());
        let whole: f64 = own.clone().map(|share| share.fraction).sum();
        strands.strands.extend(own.map(|share| Strand {
            contraction: if by_muscle { share.muscle } else { tet as u32 },
            share: share.fraction / whole.max(1e-12),
            along: share.fibre,
        }));
        strands.starts.push(strands.strands.len() as u32);
    }
    strands
}

/// Unit normals of vertices.
fn normals(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        let normal = (b - a).cross(c - a);
        t.iter().for_each(|&v| normals[v as usize] += normal);
    }
    normals.iter().map(|n| n.normalize_or_zero()).collect()
}
