//! Forward physics (section 4 of \[ichim2017phace\]): contractions and jaw pose in, flesh and skin
//! out.
//!
//! The engine's quasi-static step solves Eq. 3: passive tissue (Eq. 1) and active tissue (Eq. 2) in
//! the same tets, bones as hard or sliding attachments, teeth as obstacles, lips as two sides of
//! the flesh that touch. With [`Dynamics`] flesh has inertia (section 6), by any scheme of the
//! engine and with its energy kept on account, and feels how the head moves (`simulation/head.rs`).

mod altered_face;
mod engine;
mod head_motion;
mod inverse_access;
mod jaw_weights;
mod obstacles;
mod options;
mod remodelling;
mod snapshot;
mod wind;

use glam::DVec3;
use pliant_math::Row;
use pliant_model::potentials::activation::{Activation, RELAXED, fibre};
use pliant_model::potentials::sliding::Plane;
use pliant_model::{FrameInput, Model, Rigid};
use pliant_sim::state::Account;
use pliant_sim::{Momentum, SimError, State, Workspace, step};

use self::altered_face::AlteredFace;
use self::head_motion::HeadMotion;
pub use self::head_motion::HeadPose;
pub use self::inverse_access::JawKnobs;
use self::jaw_weights::jaw_weights;
use self::obstacles::Obstacles;
pub use self::options::{Dynamics, FaceSimulationOptions, FaceSolver};
use self::wind::WindDrive;
use crate::alteration::Alteration;
use crate::anatomy::hinge::{Hinge, JawPose};
use crate::error::FaceError;
use crate::inverse::activation::clamp_stretches;
use crate::model::{BoneHold, FaceModel, FittedShape};
use crate::world::World;

/// A step turns the jaw by at most this (degrees), shifts it by at most this (m), and contracts
/// by at most this.
const STEP: (f64, f64, f64) = (8.0, 0.004, 0.25);
/// And fitted shapes come by at most this part of theirs.
const STEP_OF_WEIGHTS: f64 = 0.5;
/// Fitted shapes are played at most so many times over.
const MOST_WEIGHT: f64 = 2.0;
/// Muscles shorten by at most this part of their length, and lengthen by the other.
const CONTRACTION: [f64; 2] = [-0.3, 0.6];

/// What came of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaceFrameReport {
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
    /// How deep one is in things (m), and how much skin touches them (m²).
    pub max_depth_in_things: f64,
    pub contact_area: f64,
    /// How far skin beside that is outside of where it is at rest (m).
    pub bulge: f64,
    /// Of the skin's vertices relative to the head (m/s), where flesh has inertia.
    pub rms_skin_speed: f64,
    /// Of motion and deformation (J), and what it should be by what was put in and taken: what it
    /// was at first, the work of muscles and bones, and less what was damped. Of dynamics with a
    /// correction.
    pub energy: f64,
    pub account: f64,
    /// What of it is of motion (J); in all frames so far put in, and taken.
    pub kinetic: f64,
    pub added: f64,
    pub dissipated: f64,
    /// Relative to where the head is.
    pub momentum: Momentum,
    /// Iterations of the correction, all steps.
    pub corrections: u32,
    /// Vertices in teeth, in the other lip or in things.
    pub contacts: u32,
    /// Seconds, and those of the correction.
    pub seconds: f64,
    pub correction_seconds: f64,
}

/// A face that moves.
pub struct FaceSimulation<'a> {
    face: &'a FaceModel,
    model: Model,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    /// Hard vertices: place in the drive, position at rest (m), and whether they are the
    /// mandible's.
    bones: Vec<(usize, DVec3, bool)>,
    /// Planes that flesh slides in, at rest.
    planes: Vec<Plane>,
    /// The shares of every activation's tet.
    active: Vec<std::ops::Range<usize>>,
    /// Per free model vertex: how much of the jaw's motion it is guessed to take on, and its place
    /// at rest (m).
    guess: Vec<(f64, DVec3)>,
    /// Whether what is relaxed, with the jaw shut, is at rest.
    rests: bool,
    /// Steps of a frame, where there is inertia.
    substeps: Option<u32>,
    /// Frames per second.
    fps: f64,
    /// In the world, beyond that which the face at rest is seen in (m/s²).
    gravity: DVec3,
    now: Pose,
    carriage: HeadMotion,
    altered: AlteredFace,
    alteration: Alteration,
    /// When the next frame ends (s), and how much of the alteration there is.
    time: f64,
    part: f64,
    /// What bones were moved by at the end and at the start of the last step.
    turning: [Rigid; 2],
    air: Option<WindDrive>,
    obstacles: Option<Obstacles>,
    /// Where things are, in the frame of the skull.
    thing_poses: Vec<Rigid>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Pose {
    contractions: Vec<f64>,
    /// Of the fitted shapes.
    weights: Vec<f64>,
    jaw: JawPose,
    head: HeadPose,
    /// When it is (s).
    time: f64,
}

impl<'a> FaceSimulation<'a> {
    /// At rest.
    ///
    /// # Errors
    /// When tets are turned over, or numbers impossible.
    pub fn new(face: &'a FaceModel, options: &FaceSimulationOptions) -> Result<Self, FaceError> {
        FaceSimulation::unsettled(face, options, Alteration::default(), 0.0, &World::default())
    }

    fn unsettled(
        face: &'a FaceModel,
        options: &FaceSimulationOptions,
        alteration: Alteration,
        time: f64,
        world: &World,
    ) -> Result<Self, FaceError> {
        let (model, mut altered) = engine::model(face, options, &alteration, time, world)?;
        let active = face.active_tets();
        let bone = |v: usize| {
            let place = model.number(0, v).checked_sub(model.free_count())?;
            Some((place, face.solid.positions[v], face.holds[v] == BoneHold::Mandible))
        };
        let is_held = |v: &usize| model.number(0, *v) >= model.free_count();
        let bones = (0..face.holds.len()).filter_map(bone).collect();
        altered.hold(face.holds.len(), (0..face.holds.len()).filter(is_held));
        let h = options.dynamics.map_or(1.0, |d| 1.0 / (d.fps * f64::from(d.substeps.max(1))));
        if !(h > 0.0 && h.is_finite()) {
            return Err(SimError::StepLength(h).into());
        }
        let mut input = FrameInput { h, ..FrameInput::default() };
        model.drive(0.0, &mut input.start);
        model.drive(0.0, &mut input.end);
        let follow = jaw_weights(face);
        let mut guess = vec![(0.0, DVec3::ZERO); model.free_count()];
        for (v, weight) in follow.into_iter().enumerate() {
            if let Some(own) = guess.get_mut(model.number(0, v)) {
                *own = (weight, face.solid.positions[v]);
            }
        }
        let is_still = options.dynamics.is_none() && world.wind.is_none();
        let rests = options.gravity == DVec3::ZERO && is_still && alteration.keeps_rest();
        let substeps = options.dynamics.map(|dynamics| dynamics.substeps.max(1));
        let (contractions, weights) = (vec![0.0; face.muscles.len()], vec![0.0; face.rig.len()]);
        let now = Pose { contractions, weights, time, ..Pose::default() };
        let planes = input.start.planes.clone();
        let fps = options.dynamics.map_or(world.fps, |dynamics| dynamics.fps);
        let air = world.wind.as_ref().map(|wind| WindDrive::new(face, &model, wind));
        let first = model.colliders().len() - world.props.len();
        let obstacles = (!world.props.is_empty())
            .then(|| Obstacles::new(face, &model, &world.props, first, time));
        let workspace = Workspace::new(&model, options.threads)?;
        let state = State::initial(&model);
        let mut simulation = FaceSimulation {
            face,
            model,
            state,
            workspace,
            input,
            bones,
            planes,
            active,
            guess,
            rests,
            substeps,
            fps,
            gravity: options.gravity,
            now,
            carriage: HeadMotion::default(),
            altered,
            alteration,
            time,
            part: 1.0,
            turning: [Rigid::default(); 2],
            air,
            obstacles,
            thing_poses: Vec::new(),
        };
        simulation.begin();
        Ok(simulation)
    }

    /// Lets every muscle contract by a part of its length, in the order of [`FaceModel::muscles`],
    /// and moves the jaw, within its limits; then looks for equilibrium. Numbers that are none
    /// count as zero, and so do missing ones.
    pub fn pose(&mut self, contractions: &[f64], jaw: &JawPose) -> FaceFrameReport {
        self.act(contractions, &[], jaw)
    }

    /// The same with weights of the shapes of [`FaceModel::rig`], in their order: what their
    /// activations differ from relaxed ones adds up.
    pub fn act(&mut self, contractions: &[f64], weights: &[f64], jaw: &JawPose) -> FaceFrameReport {
        let jaw = self.face.hinge.limited(jaw);
        let asked = |m: usize| contractions.get(m).copied().filter(|c| c.is_finite());
        let contractions: Vec<f64> = (0..self.face.muscles.len())
            .map(|m| asked(m).unwrap_or(0.0).clamp(CONTRACTION[0], CONTRACTION[1]))
            .collect();
        let asked = |k: usize| weights.get(k).copied().filter(|w| w.is_finite());
        let weights = (0..self.face.rig.len())
            .map(|k| asked(k).unwrap_or(0.0).clamp(-MOST_WEIGHT, MOST_WEIGHT))
            .collect();
        self.set_out(1.0 / self.fps);
        let to = Pose { weights, ..self.aimed(contractions, jaw) };
        let from = self.now.clone();
        let (things, before) = (self.aim_things(&to), self.thing_poses.clone());
        if self.rests && to.is_neutral() && !self.is_touched_at_rest(&things) {
            // Where all energies are zero, a residual relative to them says nothing.
            self.drive(&to);
            self.drive_things(things);
            self.input.start.clone_from(&self.input.end);
            self.state = State::initial(&self.model);
            self.now = to;
            return FaceFrameReport::default();
        }
        let least = self.alteration.steps(from.time, to.time).max(self.steps_of_things(&things));
        let steps = self.substeps.unwrap_or_else(|| from.steps_to(&to).max(least));
        let mut report = FaceFrameReport { steps, ..FaceFrameReport::default() };
        for k in 1..=steps {
            let part = f64::from(k) / f64::from(steps);
            let here = from.towards(&to, part);
            if self.substeps.is_none() {
                self.follow(&here.jaw);
            }
            self.drive(&here);
            let between = before.iter().zip(&things).map(|(a, b)| a.between(b, part));
            self.drive_things(between.collect());
            self.advance(&mut report);
            self.now = here;
        }
        self.now = to;
        self.measure(&mut report);
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

    /// The same without limits: contractions and a jaw as they are, if they are numbers, and in one
    /// step. What no face does should still end well.
    pub fn throw(&mut self, contractions: &[f64], jaw: &JawPose) -> FaceFrameReport {
        let asked = |m: usize| contractions.get(m).copied().filter(|c| c.is_finite());
        let contractions = (0..self.face.muscles.len()).map(|m| asked(m).unwrap_or(0.0)).collect();
        let is_pose = jaw.open.is_finite() && jaw.turn.is_finite() && jaw.shift.is_finite();
        self.set_out(1.0 / self.fps);
        let jaw = if is_pose { *jaw } else { self.now.jaw };
        let to = self.aimed(contractions, jaw);
        let mut report = FaceFrameReport { steps: 1, ..FaceFrameReport::default() };
        self.drive(&to);
        self.drive_things(self.aim_things(&to));
        self.advance(&mut report);
        self.now = to;
        self.measure(&mut report);
        report
    }

    /// The same with an activation for every tet of [`FaceModel::shares`], in their order.
    pub fn activate(&mut self, activations: &[Activation], jaw: &JawPose) -> FaceFrameReport {
        let mut report = FaceFrameReport { steps: 1, ..FaceFrameReport::default() };
        self.set_out(1.0 / self.fps);
        let pose = self.aimed(self.now.contractions.clone(), self.face.hinge.limited(jaw));
        self.drive(&pose);
        self.drive_things(self.aim_things(&pose));
        let first = self.altered.growing.len();
        self.input.end.activations.truncate(first);
        self.input.end.activations.extend_from_slice(activations);
        self.input.end.activations.resize(first + self.active.len(), RELAXED);
        self.advance(&mut report);
        self.now = pose;
        self.measure(&mut report);
        report
    }

    /// Where the tets' vertices are (m), in the frame of the skull.
    pub fn positions(&self) -> Vec<DVec3> {
        let mut positions = vec![DVec3::ZERO; self.model.vertex_count()];
        self.model.to_user_order(&self.state.positions, &mut positions);
        let carrier = self.carrier(&self.now.head);
        if carrier != Rigid::default() {
            positions.iter_mut().for_each(|x| *x = carrier.unapply(*x));
        }
        positions
    }

    /// Where the skin's vertices are (m), in the frame of the skull.
    pub fn skin(&self) -> Vec<DVec3> {
        self.face.skin_at(&self.positions())
    }

    /// Puts the tets' vertices somewhere (m, in the frame of the skull), at rest; what bone holds
    /// goes where that is.
    pub fn place(&mut self, positions: &[DVec3]) {
        let carrier = self.carrier(&self.now.head);
        for (v, x) in positions.iter().enumerate().filter(|(_, x)| x.is_finite()) {
            if let Some(row) = self.state.positions.get_mut(self.model.number(0, v)) {
                *row = Row::from(carrier.apply(*x));
            }
        }
        self.state.velocities.fill(Row::zero());
        self.state.accelerations.fill(Row::zero());
        self.state.past.is_valid = false;
        // What it has there nobody put in.
        self.state.accounts.fill(Account::default());
    }

    /// The engine's model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What the next frame ends with; the one after it ends a frame later, unless somebody says
    /// when.
    fn aimed(&mut self, contractions: Vec<f64>, jaw: JawPose) -> Pose {
        let time = self.time;
        self.time += 1.0 / self.fps;
        let weights = vec![0.0; self.face.rig.len()];
        Pose { contractions, weights, jaw, head: self.carriage.to, time }
    }

    fn drive(&mut self, pose: &Pose) {
        let (face, hinge) = (self.face, &self.face.hinge);
        let carrier = self.carrier(&pose.head);
        let end = &mut self.input.end;
        let moment = self.alteration.at(pose.time, self.part);
        self.altered.move_bones(face, &moment);
        for ((place, rest, is_mandible), shift) in self.bones.iter().zip(self.altered.shifts()) {
            let rest = *rest + shift;
            let in_skull = if *is_mandible { hinge.moved(rest, &pose.jaw) } else { rest };
            end.hard[*place] = Row::from(carrier.apply(in_skull));
        }
        for (plane, rest) in end.planes.iter_mut().zip(&self.planes) {
            plane.point = carrier.apply(rest.point);
            plane.normal = carrier.turn(rest.normal);
        }
        let [upper, lower] = moment.teeth;
        let teeth = [upper, moved_by(lower, jaw_motion(hinge, &pose.jaw))];
        for (teeth, own) in end.colliders.iter_mut().zip(teeth) {
            *teeth = moved_by(own, carrier);
        }
        end.carrier = carrier;
        let more = moment.weight(&pose.head.turn);
        end.gravity = match self.substeps {
            Some(_) => self.gravity - self.carriage.acceleration + carrier.turn(more),
            None => pose.head.turn.transpose() * self.gravity + more,
        };
        end.burdens.clear();
        let first = self.altered.moment(&self.alteration);
        let burdens = moment.burdens(&first, &pose.head.turn);
        end.burdens.extend(burdens.map(|burden| carrier.turn(burden)));
        let first = self.altered.growing.len();
        for (activation, shares) in end.activations[first..].iter_mut().zip(&self.active) {
            let obedience = |share: usize| moment.obedience(share);
            *activation = blended(face, shares.clone(), &pose.contractions, obedience);
        }
        let at_work = face.rig.iter().zip(&pose.weights).filter(|(_, weight)| **weight != 0.0);
        let at_work: Vec<(&FittedShape, f64)> = at_work.map(|(shape, w)| (shape, *w)).collect();
        if !at_work.is_empty() {
            let own = end.activations[first..].iter_mut().zip(&self.active);
            for (tet, (activation, shares)) in own.enumerate() {
                let part = obedient_part(face, shares.clone(), |share| moment.obedience(share));
                for (shape, weight) in &at_work {
                    let fitted = &shape.activations[tet];
                    (0..6).for_each(|k| {
                        activation[k] += part * weight * (fitted[k] - RELAXED[k]);
                    });
                }
                clamp_stretches(activation);
            }
        }
        self.altered.grow(&moment, end);
        self.drive_air(pose);
    }

    fn advance(&mut self, report: &mut FaceFrameReport) {
        let done = step(&self.model, &self.input, &mut self.state, &mut self.workspace);
        self.turning = [self.input.end.carrier, self.input.start.carrier];
        self.input.start.clone_from(&self.input.end);
        report.iterations += done.iterations;
        report.residual = done.residual;
        report.fallbacks += u32::from(done.substeps != 1 || done.rolled_back);
        report.max_penetration = done.contacts.deepest;
        report.seconds += done.timings.total.as_secs_f64();
        report.correction_seconds += done.timings.correction.as_secs_f64();
        (report.energy, report.kinetic) = (done.energy.total(), done.energy.kinetic);
        (report.added, report.dissipated) = (self.state.added(), self.state.dissipated());
        (report.momentum, report.contacts) = (done.momentum, done.contacts.count);
        report.corrections += done.correction_iterations;
        // Faces begin at rest, without energy; a correction knows by how little they do not.
        let account = |own: &Account| own.target().unwrap_or(own.added - own.dissipated);
        report.account = self.state.accounts.iter().map(account).sum();
    }

    /// What a frame is found to have come to.
    fn measure(&self, report: &mut FaceFrameReport) {
        let pressed = self.pressed();
        (report.max_depth_in_things, report.contact_area) = (pressed.depth, pressed.area);
        report.bulge = pressed.bulge;
        if self.obstacles.is_some() && pressed.depth >= report.max_penetration {
            report.max_penetration = self.depth_in_teeth();
        }
        if self.substeps.is_some() {
            report.rms_skin_speed = self.rms_skin_speed();
        }
    }
}

/// The activation of a tet whose muscles contract: the mean of theirs, by how much of it they are.
fn blended(
    face: &FaceModel,
    shares: std::ops::Range<usize>,
    contractions: &[f64],
    obedience: impl Fn(usize) -> f64,
) -> Activation {
    let mut sum = [0.0; 6];
    let mut weight = 0.0;
    for k in shares {
        let share = &face.shares[k];
        let own = fibre(share.fibre, obedience(k) * contractions[share.muscle as usize]);
        weight += share.fraction;
        sum.iter_mut().zip(own).for_each(|(s, o)| *s += share.fraction * o);
    }
    if weight > 0.0 { sum.map(|s| s / weight) } else { RELAXED }
}

/// How much of a tet's muscle does as it is told.
fn obedient_part(
    face: &FaceModel,
    shares: std::ops::Range<usize>,
    obedience: impl Fn(usize) -> f64,
) -> f64 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for k in shares {
        sum += face.shares[k].active_weight() * obedience(k);
        whole += face.shares[k].active_weight();
    }
    if whole > 0.0 { sum / whole } else { 1.0 }
}

/// A motion, and another after it; exactly the first, where the other is none.
fn moved_by(own: Rigid, next: Rigid) -> Rigid {
    match (own == Rigid::default(), next == Rigid::default()) {
        (_, true) => own,
        (true, _) => next,
        _ => own.then(&next),
    }
}

fn jaw_motion(hinge: &Hinge, jaw: &JawPose) -> Rigid {
    let (turn, shift) = hinge.rigid(jaw);
    let numbers = turn.to_cols_array().into_iter();
    let mut all = numbers.chain(hinge.point.to_array()).chain(shift.to_array());
    Rigid::from_array(std::array::from_fn(|_| all.next().unwrap_or(0.0)))
}

impl Pose {
    fn is_neutral(&self) -> bool {
        let asked = self.contractions.iter().chain(&self.weights);
        self.jaw == JawPose::default() && asked.into_iter().all(|c| *c == 0.0)
    }

    fn steps_to(&self, to: &Pose) -> u32 {
        let (jaw, other) = (&self.jaw, &to.jaw);
        let far =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let contracted = far(&self.contractions, &to.contractions);
        let weighed = far(&self.weights, &to.weights);
        let parts = ((jaw.open - other.open).abs() / STEP.0)
            .max((jaw.turn - other.turn).abs() / STEP.0)
            .max((jaw.shift - other.shift).length() / STEP.1)
            .max(contracted / STEP.2)
            .max(weighed / STEP_OF_WEIGHTS);
        (parts.ceil() as u32).max(1)
    }

    fn towards(&self, to: &Pose, part: f64) -> Pose {
        let mix = |a: f64, b: f64| if part == 1.0 { b } else { a + part * (b - a) };
        let (a, b) = (&self.jaw, &to.jaw);
        let all = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| mix(*a, *b)).collect();
        Pose {
            contractions: all(&self.contractions, &to.contractions),
            weights: all(&self.weights, &to.weights),
            jaw: JawPose {
                open: mix(a.open, b.open),
                turn: mix(a.turn, b.turn),
                shift: if part == 1.0 { b.shift } else { a.shift.lerp(b.shift, part) },
            },
            head: self.head.towards(&to.head, part),
            time: mix(self.time, to.time),
        }
    }
}
