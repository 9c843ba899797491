//! Forward physics (Ichim et al. 2017, section 4): contractions and a pose of the jaw go in, flesh and
//! skin come out.
//!
//! The engine's quasi-static step solves Eq. 3: passive tissue (Eq. 1) and active tissue (Eq. 2) in
//! the same tets, bones as hard or sliding attachments, teeth as obstacles, lips as two sides of the
//! flesh that touch. Everything is in the frame of the skull.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::integrator::{Integrator, Scheme, Solver};
use pliant_model::potentials::activation::{Activation, RELAXED, fibre};
use pliant_model::potentials::sliding::Plane;
use pliant_model::touching::TouchLaw;
use pliant_model::{
    ActiveTet, BodySpec, Collider, ElasticModel, FrameInput, Hold, Lame, Matter, Model,
    ModelBuilder, Rigid, Shape, SlidingVertex,
};
use pliant_sim::{State, Workspace, step};

use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;
use crate::model::{BoneHold, FaceModel};

/// How equilibrium is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaceSolver {
    /// Newton's method, to a residual.
    Exact {
        /// Relative norm of the gradient.
        tolerance: f64,
    },
    /// Projective dynamics on a matrix that is factored once: some iterations per frame.
    Interactive {
        /// Of a frame.
        iterations: u32,
    },
}

/// What a face is simulated with.
#[derive(Clone, Copy, Debug)]
pub struct SimulationOptions {
    pub solver: FaceSolver,
    /// Shear modulus of passive tissue (Pa).
    pub shear: f64,
    /// Of active tissue, in those of passive: muscle at work is a multiple as stiff, and most tets have
    /// little of it.
    pub muscle_stiffness: f64,
    /// The paper's λ/μ; Lamé's λ is twice that many μ.
    pub volume_ratio: f64,
    /// Whether lips meet teeth and each other, or pass through.
    pub contact: bool,
    /// Whether flesh slides over the forehead, or is pinned there too.
    pub sliding: bool,
    /// Gravity beyond that which the face at rest is seen in (m/s²).
    pub gravity: DVec3,
    pub threads: usize,
}

impl Default for SimulationOptions {
    /// Soft tissue of 15 kPa Young's modulus, μ : λ as in the paper (1 : 3).
    fn default() -> Self {
        SimulationOptions {
            solver: FaceSolver::Exact { tolerance: 1e-6 },
            shear: 5200.0,
            muscle_stiffness: 30.0,
            volume_ratio: 3.0,
            contact: true,
            sliding: true,
            gravity: DVec3::ZERO,
            threads: 1,
        }
    }
}

/// Density of flesh (kg/m³).
const DENSITY: f64 = 1000.0;
/// Across the planes that flesh slides in (N/m), per Pa of shear modulus.
const SLIDING_STIFFNESS: f64 = 0.4;
/// Of contact with teeth (N/m), per Pa of shear modulus.
const TEETH_STIFFNESS: f64 = 0.2;
/// A step turns the jaw by at most this (degrees), shifts it by at most this (m), and contracts
/// by at most this.
const STEP: (f64, f64, f64) = (8.0, 0.004, 0.25);
/// Muscles shorten by at most this part of their length, and lengthen by the other.
const CONTRACTION: [f64; 2] = [-0.3, 0.6];

/// What came of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Steps that the way to the pose was cut into.
    pub steps: u32,
    /// Of the solver, all steps.
    pub iterations: u32,
    /// Of the last step.
    pub residual: f64,
    /// Steps that the guard had to cut, or to take back.
    pub fallbacks: u32,
    /// How deep a vertex is in teeth or in the other lip (m).
    pub max_penetration: f64,
    /// Seconds.
    pub seconds: f64,
}

/// A face that moves.
pub struct FaceSimulation<'a> {
    face: &'a FaceModel,
    model: Model,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    /// Hard vertices of the mandible: place in the drive, position at rest (m).
    mandible: Vec<(usize, DVec3)>,
    /// The shares of every activation's tet.
    active: Vec<std::ops::Range<usize>>,
    /// Per free model vertex: how much of the jaw's motion it is guessed to take on, and its place at
    /// rest (m).
    guess: Vec<(f64, DVec3)>,
    /// Whether what is relaxed, with the jaw shut, is at rest.
    rests: bool,
    now: Pose,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Pose {
    contractions: Vec<f64>,
    jaw: JawPose,
}

impl<'a> FaceSimulation<'a> {
    /// At rest.
    ///
    /// # Errors
    /// When tets are turned over, or numbers impossible.
    pub fn new(face: &'a FaceModel, options: &SimulationOptions) -> Result<Self, FaceError> {
        let model = build_model(face, options)?;
        let mut active: Vec<std::ops::Range<usize>> = Vec::new();
        let mut first = 0;
        for own in face.shares.chunk_by(|a, b| a.tet == b.tet) {
            active.push(first..first + own.len());
            first += own.len();
        }
        let mandible = (0..face.holds.len())
            .filter(|&v| face.holds[v] == BoneHold::Mandible)
            .map(|v| (model.number(0, v) - model.free_count(), face.solid.positions[v]))
            .collect();
        let mut input = FrameInput { h: 1.0, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        let follow = jaw_weights(face);
        let mut guess = vec![(0.0, DVec3::ZERO); model.free_count()];
        for (v, weight) in follow.into_iter().enumerate() {
            if let Some(own) = guess.get_mut(model.number(0, v)) {
                *own = (weight, face.solid.positions[v]);
            }
        }
        let rests = options.gravity == DVec3::ZERO;
        let now = Pose { contractions: vec![0.0; face.muscles.len()], jaw: JawPose::default() };
        let workspace = Workspace::new(&model, options.threads)?;
        let state = State::initial(&model);
        Ok(FaceSimulation {
            face,
            model,
            state,
            workspace,
            input,
            mandible,
            active,
            guess,
            rests,
            now,
        })
    }

    /// Lets every muscle contract by a part of its length, in the order of [`FaceModel::muscles`], and
    /// moves the jaw, within its limits; then looks for equilibrium. Numbers that are none count
    /// as zero, and so do missing ones.
    pub fn pose(&mut self, contractions: &[f64], jaw: &JawPose) -> FrameReport {
        let jaw = self.face.hinge.limited(jaw);
        let asked = |m: usize| contractions.get(m).copied().filter(|c| c.is_finite());
        let contractions: Vec<f64> = (0..self.face.muscles.len())
            .map(|m| asked(m).unwrap_or(0.0).clamp(CONTRACTION[0], CONTRACTION[1]))
            .collect();
        let to = Pose { contractions, jaw };
        let from = self.now.clone();
        if self.rests && to.is_neutral() {
            // Where all energies are zero, a residual relative to them says nothing.
            self.drive(&to);
            self.input.start.clone_from(&self.input.end);
            self.state = State::initial(&self.model);
            self.now = to;
            return FrameReport::default();
        }
        let steps = from.steps_to(&to);
        let mut report = FrameReport { steps, ..FrameReport::default() };
        for k in 1..=steps {
            let here = from.towards(&to, f64::from(k) / f64::from(steps));
            self.follow(&here.jaw);
            self.drive(&here);
            self.advance(&mut report);
            self.now = here;
        }
        self.now = to;
        report
    }

    /// Takes flesh along with the jaw: a start for the solver that is not torn.
    fn follow(&mut self, jaw: &JawPose) {
        let hinge = &self.face.hinge;
        if *jaw == self.now.jaw {
            return;
        }
        for ((part, rest), x) in self.guess.iter().zip(self.state.positions.iter_mut()) {
            let [before, after] =
                [&self.now.jaw, jaw].map(|jaw| hinge.moved(*rest, &jaw.scaled(*part)));
            *x = Row::from(x.xyz() + after - before);
        }
    }

    /// The same with an activation for every tet of [`FaceModel::shares`], in their order.
    pub fn activate(&mut self, activations: &[Activation], jaw: &JawPose) -> FrameReport {
        let mut report = FrameReport { steps: 1, ..FrameReport::default() };
        let pose = Pose { jaw: self.face.hinge.limited(jaw), ..self.now.clone() };
        self.drive(&pose);
        self.input.end.activations.clear();
        self.input.end.activations.extend_from_slice(activations);
        self.input.end.activations.resize(self.active.len(), RELAXED);
        self.advance(&mut report);
        report
    }

    /// Where the tets' vertices are (m).
    pub fn positions(&self) -> Vec<DVec3> {
        let mut positions = vec![DVec3::ZERO; self.model.vertex_count()];
        self.model.to_user_order(&self.state.positions, &mut positions);
        positions
    }

    /// Where the skin's vertices are (m).
    pub fn skin(&self) -> Vec<DVec3> {
        self.face.skin_at(&self.positions())
    }

    /// The engine's model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    fn drive(&mut self, pose: &Pose) {
        let hinge = &self.face.hinge;
        let end = &mut self.input.end;
        for (place, rest) in &self.mandible {
            end.hard[*place] = Row::from(hinge.moved(*rest, &pose.jaw));
        }
        if let Some(teeth) = end.colliders.get_mut(1) {
            *teeth = jaw_motion(self.face, &pose.jaw);
        }
        for (activation, shares) in end.activations.iter_mut().zip(&self.active) {
            *activation = blended(&self.face.shares[shares.clone()], &pose.contractions);
        }
    }

    fn advance(&mut self, report: &mut FrameReport) {
        let done = step(&self.model, &self.input, &mut self.state, &mut self.workspace);
        self.input.start.clone_from(&self.input.end);
        report.iterations += done.iterations;
        report.residual = done.residual;
        report.fallbacks += u32::from(done.substeps != 1 || done.rolled_back);
        report.max_penetration = done.contacts.deepest;
        report.seconds += done.timings.total.as_secs_f64();
    }
}

/// The activation of a tet whose muscles contract: the mean of theirs, by how much of it they are.
fn blended(shares: &[crate::model::Share], contractions: &[f64]) -> Activation {
    let mut sum = [0.0; 6];
    let mut weight = 0.0;
    for share in shares {
        let own = fibre(share.fibre, contractions[share.muscle as usize]);
        weight += share.fraction;
        sum.iter_mut().zip(own).for_each(|(s, o)| *s += share.fraction * o);
    }
    if weight > 0.0 { sum.map(|s| s / weight) } else { RELAXED }
}

fn jaw_motion(face: &FaceModel, jaw: &JawPose) -> Rigid {
    let (turn, shift) = face.hinge.rigid(jaw);
    let numbers = turn.to_cols_array().into_iter();
    let mut all = numbers.chain(face.hinge.point.to_array()).chain(shift.to_array());
    Rigid::from_array(std::array::from_fn(|_| all.next().unwrap_or(0.0)))
}

/// How much of the jaw's motion vertices take on: 1 on the mandible, 0 on the skull, and between
/// them as even as the tets let it be. The slit between the lips is none of their edges.
fn jaw_weights(face: &FaceModel) -> Vec<f64> {
    const SWEEPS: usize = 300;
    let positions = &face.solid.positions;
    let mut around = vec![Vec::new(); positions.len()];
    for [a, b] in pliant_mesh::edges_of_tets(&face.solid.tets) {
        let weight = 1.0 / positions[a as usize].distance(positions[b as usize]).max(1e-9);
        around[a as usize].push((b, weight));
        around[b as usize].push((a, weight));
    }
    let mut weights: Vec<f64> =
        face.holds.iter().map(|h| if *h == BoneHold::Mandible { 1.0 } else { 0.0 }).collect();
    for _ in 0..SWEEPS {
        for v in (0..weights.len()).filter(|&v| face.holds[v] == BoneHold::Free) {
            let (mut sum, mut total) = (0.0, 0.0);
            for &(w, weight) in &around[v] {
                sum += weight * weights[w as usize];
                total += weight;
            }
            if total > 0.0 {
                // Beyond the mean: it converges the sooner.
                weights[v] += 1.7 * (sum / total - weights[v]);
            }
        }
    }
    weights.iter_mut().for_each(|w| *w = w.clamp(0.0, 1.0));
    weights
}

impl Pose {
    fn is_neutral(&self) -> bool {
        self.jaw == JawPose::default() && self.contractions.iter().all(|c| *c == 0.0)
    }

    fn steps_to(&self, to: &Pose) -> u32 {
        let (jaw, other) = (&self.jaw, &to.jaw);
        let contracted = self.contractions.iter().zip(&to.contractions).map(|(a, b)| (a - b).abs());
        let parts = ((jaw.open - other.open).abs() / STEP.0)
            .max((jaw.turn - other.turn).abs() / STEP.0)
            .max((jaw.shift - other.shift).length() / STEP.1)
            .max(contracted.fold(0.0, f64::max) / STEP.2);
        (parts.ceil() as u32).max(1)
    }

    fn towards(&self, to: &Pose, part: f64) -> Pose {
        let mix = |a: f64, b: f64| if part == 1.0 { b } else { a + part * (b - a) };
        let (a, b) = (&self.jaw, &to.jaw);
        let contractions = self.contractions.iter().zip(&to.contractions);
        Pose {
            contractions: contractions.map(|(a, b)| mix(*a, *b)).collect(),
            jaw: JawPose {
                open: mix(a.open, b.open),
                turn: mix(a.turn, b.turn),
                shift: if part == 1.0 { b.shift } else { a.shift.lerp(b.shift, part) },
            },
        }
    }
}

fn build_model(face: &FaceModel, options: &SimulationOptions) -> Result<Model, FaceError> {
    // Tets of which bones hold every corner have no say; in the joint of the jaw they are turned over
    // as it opens.
    let is_free = |v: &u32| match face.holds[*v as usize] {
        BoneHold::Free => true,
        BoneHold::Sliding(_) => options.sliding,
        _ => false,
    };
    let moves: Vec<bool> = face.solid.tets.iter().map(|tet| tet.iter().any(is_free)).collect();
    let active = face.active_fractions();
    let lame = |part: f64| {
        let mu = part * options.shear;
        Lame { mu, lambda: 2.0 * options.volume_ratio * mu }
    };
    let passive = active.iter().zip(&moves);
    let passive = passive.map(|(a, moves)| lame(if *moves { 1.0 - a } else { 0.0 })).collect();
    let matter = Matter::Solid { model: ElasticModel::Tissue, lame: passive, density: DENSITY };
    let body = BodySpec::new("face", face.solid.clone(), matter);
    let mut muscles: Vec<ActiveTet> = Vec::new();
    for own in face.shares.chunk_by(|a, b| a.tet == b.tet) {
        let tet = own[0].tet as usize;
        let part = if moves[tet] { active[tet] * options.muscle_stiffness } else { 0.0 };
        muscles.push(ActiveTet { tet: own[0].tet, lame: lame(part) });
    }
    let mut hard = Vec::new();
    let mut sliding = Vec::new();
    for (v, hold) in (0u32..).zip(&face.holds) {
        match *hold {
            BoneHold::Free => {}
            BoneHold::Sliding(normal) if options.sliding => sliding.push(SlidingVertex {
                vertex: v,
                plane: Plane { point: face.solid.positions[v as usize], normal },
                stiffness: SLIDING_STIFFNESS * options.shear,
            }),
            _ => hard.push(v),
        }
    }
    let solver = match options.solver {
        FaceSolver::Exact { tolerance } => Solver::Newton { iterations: 60, tolerance },
        FaceSolver::Interactive { iterations } => {
            Solver::Projective { iterations, history: 8, tolerance: 1e-4 }
        }
    };
    let integrator =
        Integrator { scheme: Scheme::QuasiStatic, solver, correction: None, damping: None };
    let mut builder = ModelBuilder::new()
        .body(body)
        .muscles(0, muscles)
        .slide(0, sliding)
        .hold(0, hard, Hold::Hard, None)
        .gravity(options.gravity)
        .integrator(integrator);
    if options.contact {
        for (teeth, name) in face.teeth_proxies.iter().zip(["upper", "lower"]) {
            let shape = Shape::mesh(teeth).map_err(|problem| FaceError::Part {
                path: face.name.clone().into(),
                part: format!("the {name} teeth's proxy"),
                problem,
            })?;
            builder = builder.collider(Collider::new(shape, TEETH_STIFFNESS * options.shear));
        }
    }
    if options.contact && face.lip_sides.iter().any(|side| *side > 0) {
        builder = builder.touching(TouchLaw::ELASTIC).sides(0, face.lip_sides.clone());
    }
    Ok(builder.build()?)
}
