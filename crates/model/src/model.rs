//! The model: everything about a scene that stays constant while it is simulated.
//!
//! Vertices of all bodies are numbered anew: free vertices first, body by body, in the order in
//! which a nested-dissection Cholesky factorisation eliminates them (so that solvers need no
//! permutation), hard ones last, body by body, too. [`Model::number`] maps a body's vertex to this
//! numbering, and [`Model::to_user_order`] back.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use pliant_math::Row;

use crate::breeze::Breeze;
use crate::builder::VertexData;
use crate::collider::Collider;
use crate::field::Field;
use crate::input::Drive;
use crate::method::Method;
use crate::motion::{Motion, Rigid};
use crate::pivot::{Frame, Pivot};
use crate::potentials::Tracked;
use crate::potentials::activation::RELAXED;
use crate::potentials::sliding::Plane;
use crate::skin::Skin;
use crate::touching::Solids;

/// A body within a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelBody {
    /// Its name in the scene.
    pub name: String,
    /// First vertex, in user order.
    pub first_vertex: usize,
    /// How many vertices.
    pub vertex_count: usize,
    /// Its free vertices, in model order.
    pub free: Range<usize>,
    /// Its hard vertices, in model order.
    pub hard: Range<usize>,
    /// Its free vertices that meet obstacles, in model order, ascending.
    pub meeting: Vec<u32>,
    /// Radius of a sphere around its rest shape \[m\].
    pub radius: f64,
    /// Surface triangles, in the body's own vertex numbers.
    pub triangles: Vec<[u32; 3]>,
    /// What it is shown by, if not its own surface.
    pub skin: Option<Skin>,
    /// How many tets or springs.
    pub element_count: usize,
    /// Whether it comes back from being turned inside out.
    pub recovers_from_inversion: bool,
    /// Whether any of its vertices is attached, hard or soft, follows an input, slides on a plane,
    /// or may touch a collider.
    pub is_held: bool,
    /// Whether nothing but gravity, wind and colliders acts on it from outside.
    pub is_loose: bool,
    /// Where it turns, if it is held by nothing else than one point or one line.
    pub pivot: Option<Pivot>,
}

/// Points driven by one motion: soft attachments or hard vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DrivenPoints {
    /// Undriven positions \[m\].
    pub rest: Vec<DVec3>,
    /// Which of `motions` moves each; `usize::MAX` for none.
    pub motion: Vec<usize>,
}

/// Softly attached model vertices, and the points that they are attached to.
#[derive(Debug, Default)]
pub(crate) struct AttachedPoints {
    pub vertices: Vec<u32>,
    /// [N/m].
    pub stiffness: Vec<f64>,
    pub points: DrivenPoints,
}

/// Model vertices that follow an input.
#[derive(Debug, Default)]
pub(crate) struct FollowedPoints {
    pub vertices: Vec<u32>,
    /// [N/m].
    pub weights: Vec<f64>,
}

/// Model vertices that slide in planes.
#[derive(Debug, Default)]
pub(crate) struct SlidingPoints {
    pub vertices: Vec<u32>,
    /// Stiffness across the planes [N/m].
    pub stiffness: Vec<f64>,
    pub planes: Vec<Plane>,
}

/// Components of the momenta that stay as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conserved {
    /// Of the linear momentum.
    pub linear: [bool; 3],
    /// Of the angular momentum, along the axes of the frame.
    pub angular: [bool; 3],
    /// What the angular momentum is told about: the origin, or where a body is held.
    pub frame: Frame,
}

/// What is simulated. Constant: anything animated arrives in a [`crate::FrameInput`].
pub struct Model {
    pub(crate) bodies: Vec<ModelBody>,
    /// Model vertex of each user vertex.
    pub(crate) numbers: Vec<u32>,
    pub(crate) free: usize,
    pub(crate) vertices: VertexData,
    pub(crate) field: Field,
    pub(crate) hard: DrivenPoints,
    pub(crate) attached: AttachedPoints,
    pub(crate) motions: Vec<Motion>,
    pub(crate) followed: FollowedPoints,
    pub(crate) tracked: Vec<Tracked>,
    pub(crate) active: usize,
    pub(crate) sliding: SlidingPoints,
    pub(crate) colliders: Vec<Collider>,
    pub(crate) solids: Option<Arc<Solids>>,
    pub(crate) gravity: DVec3,
    pub(crate) breeze: Option<Breeze>,
    pub(crate) method: Method,
    pub(crate) ether: Vec<f64>,
}

impl Model {
    /// The bodies, in scene order.
    pub fn bodies(&self) -> &[ModelBody] {
        &self.bodies
    }

    /// How many vertices all bodies have.
    pub fn vertex_count(&self) -> usize {
        self.numbers.len()
    }

    /// How many of them are free: model vertices `0..free_count()`.
    pub fn free_count(&self) -> usize {
        self.free
    }

    /// How many tets and springs all bodies have.
    pub fn element_count(&self) -> usize {
        self.bodies.iter().map(|b| b.element_count).sum()
    }

    /// The model vertices whose positions are prescribed.
    pub fn hard_vertices(&self) -> std::ops::Range<usize> {
        self.free..self.vertex_count()
    }

    /// The body that a model vertex belongs to.
    pub fn body_of(&self, vertex: usize) -> usize {
        self.vertices.body_of[vertex] as usize
    }

    /// Model vertex of a body's vertex.
    pub fn number(&self, body: usize, vertex: usize) -> usize {
        self.numbers[self.bodies[body].first_vertex + vertex] as usize
    }

    /// Masses of the model vertices \[kg\].
    pub fn masses(&self) -> &[f64] {
        &self.vertices.masses
    }

    /// Placed, unstretched positions of the model vertices \[m\].
    pub fn rest(&self) -> &[Row] {
        &self.vertices.rest
    }

    /// Where the model vertices start \[m\].
    pub fn initial_positions(&self) -> &[Row] {
        &self.vertices.initial_positions
    }

    /// How fast they start [m/s].
    pub fn initial_velocities(&self) -> &[Row] {
        &self.vertices.initial_velocities
    }

    /// The potentials.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// How the model is to be stepped.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Diagonal of the rest shape's bounding box \[m\].
    pub fn extent(&self) -> f64 {
        self.vertices.extent
    }

    /// The components of all bodies' common momenta on which nothing external acts.
    pub fn conserved(&self) -> Conserved {
        self.unpushed(self.bodies.iter().any(|b| b.is_held))
    }

    /// The components of a body's momenta on which nothing external acts.
    pub fn conserved_of(&self, body: usize) -> Conserved {
        let ModelBody { is_held, pivot, .. } = &self.bodies[body];
        match pivot {
            &Some(Pivot { frame, angular }) => Conserved { linear: [false; 3], angular, frame },
            None => self.unpushed(*is_held),
        }
    }

    fn unpushed(&self, is_held: bool) -> Conserved {
        let pushed = is_held || self.has_wind();
        let [x, y, z] = self.gravity.to_array().map(|g| g == 0.0);
        // Gravity's torque about the origin is across gravity.
        let angular = [y && z, x && z, x && y];
        Conserved {
            linear: [x, y, z].map(|free| free && !pushed),
            angular: angular.map(|free| free && !pushed),
            frame: Frame::default(),
        }
    }

    /// Rates at which the ether slows the free vertices down [1/s], in model order; empty without
    /// an ether.
    pub fn ether(&self) -> &[f64] {
        &self.ether
    }

    /// Whether something takes energy from velocities after each step.
    pub fn is_damped(&self) -> bool {
        self.method.damping.is_some() || !self.ether.is_empty()
    }

    /// Whether any of it contracts or grows.
    pub fn contracts(&self) -> bool {
        self.active > 0
    }

    /// Whether wind blows.
    pub fn has_wind(&self) -> bool {
        self.breeze.is_some()
    }

    /// The softly attached model vertices and their stiffness [N/m], in the order of
    /// [`Drive::attachments`].
    pub fn attachments(&self) -> (&[u32], &[f64]) {
        (&self.attached.vertices, &self.attached.stiffness)
    }

    /// The followed model vertices, in the order of [`Drive::follow`].
    pub fn followed_vertices(&self) -> &[u32] {
        &self.followed.vertices
    }

    /// The tracked points over model vertices, in the order of [`Drive::tracked`].
    pub fn tracked_points(&self) -> &[Tracked] {
        &self.tracked
    }

    /// The model vertices that slide, and their stiffness across the planes [N/m], in the order of
    /// [`Drive::planes`].
    pub fn sliding(&self) -> (&[u32], &[f64]) {
        (&self.sliding.vertices, &self.sliding.stiffness)
    }

    /// The free vertices that meet obstacles, of all bodies.
    pub fn meeting(&self) -> impl Iterator<Item = usize> {
        self.bodies.iter().flat_map(|body| body.meeting.iter().map(|&v| v as usize))
    }

    /// The obstacles, in the order of [`Drive::colliders`].
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// The bodies as they touch each other and themselves; `None` where they pass through.
    pub fn solids(&self) -> Option<&Solids> {
        self.solids.as_deref()
    }

    /// Copies per-vertex rows from model order to user order: body by body, as in their meshes.
    pub fn to_user_order(&self, rows: &[Row], out: &mut [DVec3]) {
        for (out, &v) in out.iter_mut().zip(&self.numbers) {
            *out = rows[v as usize].xyz();
        }
    }

    /// The animated quantities at a time \[s\], written to `drive` without allocating anew.
    ///
    /// Active tets are relaxed, and planes to slide in where they were said to be, until somebody
    /// overwrites [`Drive::activations`] and [`Drive::planes`].
    ///
    /// Followed vertices and tracked points have no animation here: whoever follows one overwrites
    /// [`Drive::follow`] and [`Drive::tracked`], which hold the rest positions.
    pub fn drive(&self, time: f64, drive: &mut Drive) {
        let moved = |points: &DrivenPoints, out: &mut Vec<Row>| {
            out.clear();
            let mut last = (usize::MAX, None);
            out.extend(points.rest.iter().zip(&points.motion).map(|(&rest, &motion)| {
                if last.0 != motion {
                    last = (motion, self.motions.get(motion).map(|m| m.at(time)));
                }
                Row::from(last.1.map_or(rest, |rigid| rigid.apply(rest)))
            }));
        };
        moved(&self.hard, &mut drive.hard);
        moved(&self.attached.points, &mut drive.attachments);
        drive.follow.clear();
        drive.follow.extend(self.followed.vertices.iter().map(|&v| self.vertices.rest[v as usize]));
        drive.follow_weights.clear();
        drive.follow_weights.extend_from_slice(&self.followed.weights);
        drive.tracked.clear();
        drive.tracked.extend(self.tracked.iter().map(|point| point.position(&self.vertices.rest)));
        drive.activations.clear();
        drive.activations.resize(self.active, RELAXED);
        drive.firmness.clear();
        drive.planes.clear();
        drive.planes.extend_from_slice(&self.sliding.planes);
        drive.colliders.clear();
        let pose = |c: &Collider| c.motion.as_ref().map_or(Rigid::default(), |m| m.at(time));
        drive.colliders.extend(self.colliders.iter().map(pose));
        drive.colliders_before.clear();
        drive.carrier = Rigid::default();
        drive.gravity = self.gravity;
        drive.burdens.clear();
        drive.wind = self.breeze.as_ref().map_or(DVec3::ZERO, |b| b.at(time));
        drive.gusts.clear();
    }
}
