//! A face fitted to a skin: Eq. 4 with its priors.
//!
//! Lengths are in millimetres here, and means are over the skin's area and over what is active of the flesh: J is half
//! the mean squared distance of the skin (mm²) and w times half the mean squared distance of activations from what the
//! priors (`priors.rs`) want.

use std::time::Instant;

use glam::DVec3;
use pliant_model::potentials::activation::{Activation, RELAXED};

use super::blend::Blend;
use super::dependence::{Dependence, Strand, Strands, Tensors};
use super::drawn::{Drawn, STRETCHES, Start};
use super::gauss_newton::{Effort, Outcome, Prior, Problem};
use super::observation::{Observation, Sample};
use super::priors::beyond;
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::model::FaceModel;
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
    /// Weights w of the priors (mm²), one after the other.
    pub weights: Vec<f64>,
    /// R_sparse relative to R_act.
    pub sparsity: f64,
    /// How much alike neighbouring tets are to be, relative to R_act.
    pub smoothness: f64,
    /// Whether activations are drawn to aligned and sparse ones, or just to relaxed ones.
    pub anatomical: bool,
    /// Of the distance along the target's normals, beside the distance itself.
    pub to_plane: f64,
    /// Gauss–Newton steps per weight.
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
            sparsity: 0.2,
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
}

/// Fits a face to one skin after the other.
pub struct FaceFit<'a> {
    pub(super) face: &'a FaceModel,
    pub(super) simulation: FaceSimulation<'a>,
    pub(super) knobs: JawKnobs,
    pub(super) options: FitOptions,
    pub(super) dependence: Fibres,
    pub(super) drawn: Drawn<'a>,
    /// Samples without targets, and the skin's vertices they are.
    samples: Vec<Sample>,
    vertices: Vec<u32>,
    /// What is active of every tet with muscle, over that of all.
    pub(super) parts: Vec<f64>,
    /// Shares of each of these.
    pub(super) shares: Vec<std::ops::Range<usize>>,
    /// Of each of these, those that it shares a face with.
    pub(super) neighbours: Vec<Vec<u32>>,
    /// How much of the jaw's motion the skin's vertices take on.
    jaw_shares: Vec<f64>,
}

/// Iterations after which an equilibrium is given up, and a step shortened.
const PATIENCE: u32 = 30;
/// What skin that nobody sees weighs.
const UNSEEN: f64 = 0.1;

pub(super) enum Fibres {
    Tensors(Tensors),
    Strands(Strands),
    Blend(Blend),
}

impl Fibres {
    pub(super) fn own(&self) -> &dyn Dependence {
        match self {
            Fibres::Tensors(own) => own,
            Fibres::Strands(own) => own,
            Fibres::Blend(own) => own,
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
            face.shares[own.clone()].iter().map(|share| share.fraction).sum()
        };
        let whole: f64 = shares.iter().map(active).sum();
        let parts = shares.iter().map(|own| active(own) / whole.max(1e-12)).collect();
        let dependence = match options.model {
            ActivationModel::Tensor => Fibres::Tensors(Tensors { tets: shares.len() }),
            ActivationModel::Fibre => Fibres::Strands(strands(face, &shares, false)),
            ActivationModel::Muscle => Fibres::Strands(strands(face, &shares, true)),
            ActivationModel::Geometry => Fibres::Blend(Blend::of(face)),
        };
        let (samples, vertices) = samples(face, &simulation, options.to_plane);
        let knobs = simulation.jaw_knobs();
        let drawn = Drawn::new(face, options.threads)?;
        Ok(FaceFit {
            face,
            knobs,
            options,
            dependence,
            drawn,
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
        let clock = Instant::now();
        let observation = self.observation(target);
        let count = self.dependence.own().count();
        let is_near = |start: &&Fitted| start.unknowns.len() == count + JawKnobs::COUNT;
        let (mut unknowns, yielded) = match start.filter(is_near) {
            Some(start) => (start.unknowns.clone(), start.yielded.clone()),
            None => {
                let jaw = self.jaw_of(target);
                let Start { activations, yielded, positions } = self.drawn.start(target, &jaw);
                self.simulation.pose(&[], &JawPose::default());
                self.simulation.place(&positions);
                let mut unknowns = match &self.dependence {
                    Fibres::Tensors(_) => activations.into_flattened(),
                    Fibres::Strands(own) => own.relaxed(),
                    Fibres::Blend(own) => own.matrices(&activations),
                };
                unknowns.extend(JawKnobs::numbers(&jaw));
                (unknowns, yielded)
            }
        };
        let jaw: Vec<f64> = unknowns[count..].to_vec();
        let mut fitted = Fitted::default();
        let weights = match start {
            Some(_) => {
                self.options.weights[self.options.weights.len().saturating_sub(1)..].to_vec()
            }
            None => self.options.weights.clone(),
        };
        for weight in weights {
            for _ in 0..self.options.steps {
                let mut prior = self.prior(&unknowns, &yielded, weight, count);
                prior.towards[count..].copy_from_slice(&jaw);
                let done = self.minimise(&observation, &prior, &mut unknowns)?;
                fitted.steps += done.steps;
                fitted.products += done.products;
                fitted.equilibria += done.equilibria;
                if done.steps == 0 {
                    break;
                }
            }
        }
        (fitted.unknowns, fitted.yielded) = (unknowns, yielded);
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

    fn minimise(
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

    pub(super) fn observation(&self, target: &[DVec3]) -> Observation {
        let normals = normals(target, &self.face.skin.mesh.triangles);
        let of = |(sample, &v): (&Sample, &u32)| Sample {
            target: target[v as usize],
            normal: normals[v as usize],
            ..*sample
        };
        Observation { samples: self.samples.iter().zip(&self.vertices).map(of).collect() }
    }

    /// The jaw that takes the skin over it nearest to a target, as if that were bone: Gauss–Newton on the five, with skin
    /// that muscles have moved besides weighing the less.
    pub(super) fn jaw_of(&self, target: &[DVec3]) -> JawPose {
        /// How much of the jaw's motion skin takes that counts, and how far off it weighs half (m).
        const OVER: f64 = 0.9;
        const OFF: f64 = 5e-4;
        const STEPS: usize = 20;
        let rest = &self.face.skin.mesh.positions;
        let follow = &self.jaw_shares;
        let mut knobs = [0.0; JawKnobs::COUNT];
        let over: Vec<usize> = (0..rest.len()).filter(|&v| follow[v] > OVER).collect();
        let away = |knobs: &[f64; 5]| -> Vec<DVec3> {
            let (turn, shift) = self.face.hinge.rigid(&JawKnobs::pose(knobs));
            let fixed = self.face.hinge.point;
            let moved = |v: usize| fixed + turn * (rest[v] - fixed) + shift;
            over.iter().map(|&v| moved(v) - target[v]).collect()
        };
        for step in 0..STEPS {
            let off = away(&knobs);
            // All alike at first: a jaw thrown open is far from everything.
            let far = OFF * (STEPS - step) as f64;
            let weights: Vec<f64> = match step {
                0..2 => vec![1.0; off.len()],
                _ => off.iter().map(|d| 1.0 / (1.0 + d.length_squared() / (far * far))).collect(),
            };
            let dot = |a: &[DVec3], b: &[DVec3]| -> f64 {
                a.iter().zip(b).zip(&weights).map(|((a, b), w)| w * a.dot(*b)).sum()
            };
            let columns: [Vec<DVec3>; 5] = std::array::from_fn(|k| {
                let mut turned = knobs;
                turned[k] += 0.01;
                away(&turned).iter().zip(&off).map(|(a, b)| (*a - *b) * 100.0).collect()
            });
            let mut matrix = [[0.0; 6]; 5];
            for i in 0..5 {
                for j in 0..5 {
                    matrix[i][j] = dot(&columns[i], &columns[j]);
                }
                matrix[i][5] = -dot(&columns[i], &off);
                // Shifts are rarer than turns, and told apart from them badly.
                let rare = if i == 0 { 0.001 } else { 0.05 } * matrix[i][i] + 1e-12;
                matrix[i][i] += rare;
                matrix[i][5] -= rare * knobs[i];
            }
            let step = solved(matrix);
            (0..5).for_each(|k| knobs[k] += step[k]);
        }
        self.face.hinge.limited(&JawKnobs::pose(&knobs))
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
    let least = if by_muscle { 0.0 } else { 1.0 - STRETCHES[1] };
    let mut strands = Strands { contractions, least, starts: vec![0], strands: Vec::new() };
    for (tet, own) in shares.iter().enumerate() {
        let own = &face.shares[own.clone()];
        let whole: f64 = own.iter().map(|share| share.fraction).sum();
        strands.strands.extend(own.iter().map(|share| Strand {
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

/// Five equations by elimination; the matrix is positive definite.
fn solved(mut matrix: [[f64; 6]; 5]) -> [f64; 5] {
    for k in 0..5 {
        for i in k + 1..5 {
            let factor = matrix[i][k] / matrix[k][k];
            for j in k..6 {
                matrix[i][j] -= factor * matrix[k][j];
            }
        }
    }
    let mut x = [0.0; 5];
    for k in (0..5).rev() {
        let sum: f64 = (k + 1..5).map(|j| matrix[k][j] * x[j]).sum();
        x[k] = (matrix[k][5] - sum) / matrix[k][k];
    }
    x.map(|x| if x.is_finite() { x } else { 0.0 })
}
