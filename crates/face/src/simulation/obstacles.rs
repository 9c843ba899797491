//! Rigid things that press on a face, moved along their paths whatever they meet, but for two
//! repairs:
//!
//! - A thing never enters bone: where its path leads there, it is held out along the shortest way,
//!   so that flesh between them has [`THINNEST`] left.
//! - A thing that is in the face when it is first seen begins outside, along the shortest way, and
//!   comes to its path within [`ENTRY`] frames.

use glam::DVec3;
use pliant_math::Row;
use pliant_mesh::boundary_of_tets;
use pliant_model::{Collider, Drive, Model, Motion, Rigid, Shape};

use super::{FaceSimulation, Pose};
use crate::effects::ObjectFrame;
use crate::model::{BoundaryPart, FaceModel};
use crate::props::FaceProp;

/// Flesh between a thing and bone is left with this (m).
const THINNEST: f64 = 0.0015;
/// Frames that a thing takes to come to its path from outside of the face.
const ENTRY: f64 = 8.0;
/// The longest way that a thing is taken out of a face by (m).
const LONGEST_WAY: f64 = 0.15;
/// How often a thing is pushed out of the deepest place.
const PUSHES: usize = 40;
/// Bone is asked at about this many points.
const BONE_POINTS: usize = 3000;
/// Skin within this of what touches bulges because of it (m).
const BESIDE: f64 = 0.015;
/// Skin this near to a thing touches it (m).
const TOUCHING: f64 = 1e-4;

/// What things touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ObstacleContact {
    /// Of skin (m²).
    pub area: f64,
    /// How deep the deepest vertex is in a thing (m).
    pub depth: f64,
    /// How far skin beside what touches is outside of where it is at rest (m).
    pub bulge: f64,
}

/// Things, and what they meet.
pub(super) struct Obstacles {
    props: Vec<FaceProp>,
    /// Their first number among the colliders.
    first: usize,
    /// How far outside of its path each begins (m), in the frame of the skull.
    entries: Vec<DVec3>,
    /// Points of skull and mandible at rest (m).
    bones: [Vec<DVec3>; 2],
    skin: Vec<SkinVertex>,
}

/// A vertex of the tets' skin, at rest.
struct SkinVertex {
    /// Model vertex.
    number: u32,
    /// (m²)
    area: f64,
    /// (m)
    place: DVec3,
    normal: DVec3,
}

/// A thing as the engine's obstacle.
pub(super) fn collider(prop: &FaceProp, stiffness: f64) -> Collider {
    // It goes where it is driven; a motion of its own tells that it goes at all.
    let motion = Motion { times: vec![], translate: vec![], rotate: vec![], about: DVec3::ZERO };
    Collider {
        friction: prop.friction,
        motion: Some(motion),
        ..Collider::new(prop.shape.clone(), prop.stiffness.unwrap_or(stiffness))
    }
}

impl Obstacles {
    /// For a face at rest.
    pub fn new(
        face: &FaceModel,
        model: &Model,
        props: &[FaceProp],
        first: usize,
        time: f64,
    ) -> Obstacles {
        let some = |points: &[DVec3]| -> Vec<DVec3> {
            points.iter().step_by(points.len() / BONE_POINTS + 1).copied().collect()
        };
        let bones = [&face.skull, &face.mandible].map(|bone| some(&bone.mesh.positions));
        let is_skin = |v: &u32| face.parts[*v as usize] == Some(BoundaryPart::Skin);
        let mut areas = vec![DVec3::ZERO; face.solid.positions.len()];
        let mut sizes = vec![0.0; areas.len()];
        let boundary = boundary_of_tets(&face.solid.tets);
        for t in boundary.iter().filter(|t| t.iter().all(is_skin)) {
            let [a, b, c] = t.map(|v| face.solid.positions[v as usize]);
            let third = (b - a).cross(c - a) / 6.0;
            t.iter().for_each(|&v| areas[v as usize] += third);
            t.iter().for_each(|&v| sizes[v as usize] += third.length());
        }
        let own = (0..areas.len()).filter(|v| sizes[*v] > 0.0);
        let skin = own.map(|v| SkinVertex {
            number: model.number(0, v) as u32,
            area: sizes[v],
            place: face.solid.positions[v],
            normal: areas[v].normalize_or_zero(),
        });
        let skin = skin.collect();
        let rest = &face.skin.mesh.positions;
        let entries = props.iter().map(|prop| way_out(prop, time, rest)).collect();
        Obstacles { props: props.to_vec(), first, entries, bones, skin }
    }

    /// Poses of all things in the frame of the skull at a time (s), `frame` frames after the first,
    /// where the mandible is moved by `jaw` and the head is at `head`.
    fn poses(&self, time: f64, frame: f64, jaw: &Rigid, head: &Rigid) -> Vec<Rigid> {
        let pose = |(prop, entry): (&FaceProp, &DVec3)| {
            let path = prop.pose(time);
            let mut pose = match prop.frame {
                ObjectFrame::Head => path,
                ObjectFrame::World => path.then(&inverse(head)),
            };
            let out = (1.0 - frame / ENTRY).clamp(0.0, 1.0);
            pose = pose.then(&shift(*entry * (out * out)));
            for _ in 0..PUSHES {
                let shape = prop.shape.moved(&pose);
                let mandible = self.bones[1].iter().map(|p| jaw.apply(*p));
                let bones = self.bones[0].iter().copied().chain(mandible);
                let Some(push) = deepest(&shape, bones, THINNEST) else { break };
                pose = pose.then(&shift(push));
            }
            pose
        };
        self.props.iter().zip(&self.entries).map(pose).collect()
    }

    /// What they touch, with colliders where they are driven, and bones moved by `carrier`.
    fn pressed(
        &self,
        model: &Model,
        poses: &[Rigid],
        positions: &[Row],
        carrier: &Rigid,
    ) -> ObstacleContact {
        let mut pressed = ObstacleContact::default();
        let (mut touched, mut is_touched) = (Vec::new(), Vec::new());
        let placed: Vec<_> = (model.colliders().iter().zip(poses))
            .skip(self.first)
            .map(|(collider, pose)| collider.placed(pose))
            .collect();
        for vertex in &self.skin {
            let x = positions[vertex.number as usize].xyz();
            let depths = placed.iter().filter_map(|placed| placed.touch(x)).map(|n| -n.distance);
            let depth = depths.fold(0.0, f64::max);
            pressed.depth = pressed.depth.max(depth);
            let near = || placed.iter().any(|p| p.shape.nearest(x).distance < TOUCHING);
            let touches = depth > 0.0 || (is_within_reach(&placed, x) && near());
            if touches {
                pressed.area += vertex.area;
                touched.push(vertex.place);
            }
            is_touched.push(touches);
        }
        for (vertex, _) in self.skin.iter().zip(is_touched).filter(|(_, touched)| !touched) {
            if touched.iter().any(|p| p.distance_squared(vertex.place) < BESIDE * BESIDE) {
                let x = carrier.unapply(positions[vertex.number as usize].xyz());
                pressed.bulge = pressed.bulge.max((x - vertex.place).dot(vertex.normal));
            }
        }
        pressed
    }
}

/// What takes a thing out of a skin at rest (m): along the mean of the directions in which skin is
/// nearest to its surface, weighted by depth, as far as is needed and no farther than
/// [`LONGEST_WAY`].
fn way_out(prop: &FaceProp, time: f64, skin: &[DVec3]) -> DVec3 {
    let pose = prop.pose(time);
    let shape = prop.shape.moved(&pose);
    let touches = skin.iter().filter_map(|x| shape.inside(*x));
    let push: DVec3 = touches.map(|nearest| nearest.normal * nearest.distance).sum();
    let Some(direction) = push.try_normalize() else { return DVec3::ZERO };
    let ways = (1..).map(|k| 0.001 * f64::from(k)).take_while(|way| *way <= LONGEST_WAY);
    let is_out = |way: &f64| {
        let shape = prop.shape.moved(&pose.then(&shift(*way * direction)));
        skin.iter().all(|x| shape.inside(*x).is_none_or(|nearest| nearest.distance > -1e-4))
    };
    direction * ways.into_iter().find(is_out).unwrap_or(LONGEST_WAY)
}

/// Whether a point is in the ball around a thing, a little enlarged.
fn is_within_reach(placed: &[pliant_model::Placed], x: DVec3) -> bool {
    placed.iter().filter_map(|placed| placed.shape.bounds()).any(|(center, radius)| {
        center.distance_squared(x) < (radius + TOUCHING) * (radius + TOUCHING)
    })
}

/// What takes a shape away from the point that is deepest in it, or nearer than `margin` (m);
/// `None` when there is none.
fn deepest(shape: &Shape, points: impl Iterator<Item = DVec3>, margin: f64) -> Option<DVec3> {
    let (center, radius) = shape.bounds().unwrap_or((DVec3::ZERO, f64::INFINITY));
    let reach = radius + margin;
    let near = points.filter(|p| p.distance_squared(center) < reach * reach);
    let mut worst: Option<(f64, DVec3)> = None;
    for nearest in near.map(|p| shape.nearest(p)) {
        let depth = margin - nearest.distance;
        if depth > 1e-5 && worst.is_none_or(|w| depth > w.0) {
            worst = Some((depth, -nearest.normal * depth));
        }
    }
    worst.map(|w| w.1)
}

fn shift(by: DVec3) -> Rigid {
    Rigid::new(glam::DMat3::IDENTITY, DVec3::ZERO, by)
}

fn inverse(rigid: &Rigid) -> Rigid {
    let origin = rigid.unapply(DVec3::ZERO);
    let column = |axis: DVec3| rigid.unapply(axis) - origin;
    let turn = glam::DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
    Rigid::new(turn, DVec3::ZERO, origin)
}

impl FaceSimulation<'_> {
    /// Where things are (rigid motions of [`FaceProp::surface`] in the frame of the skull).
    pub fn props(&self) -> &[Rigid] {
        &self.thing_poses
    }

    /// Poses of things at the end of a frame, in the frame of the skull.
    pub(super) fn aim_things(&self, to: &Pose) -> Vec<Rigid> {
        let jaw = super::jaw_motion(&self.face.hinge, &to.jaw);
        let (frame, head) =
            (f64::from(self.carriage.frames) - 1.0, to.head.rigid(self.face.neck()));
        let obstacles = self.obstacles.as_ref();
        obstacles.map_or_else(Vec::new, |o| o.poses(to.time, frame, &jaw, &head))
    }

    /// Steps that the motion of things asks for where nothing has inertia.
    pub(super) fn steps_of_things(&self, to: &[Rigid]) -> u32 {
        /// What a thing moves by in a step (m), and most of these.
        const STEP: (f64, u32) = (0.006, 12);
        let Some(obstacles) = &self.obstacles else { return 1 };
        let moved = |((prop, from), to): ((&FaceProp, &Rigid), &Rigid)| {
            let center = prop.shape.bounds().map_or(DVec3::ZERO, |ball| ball.0);
            from.apply(center).distance(to.apply(center))
        };
        let pairs = obstacles.props.iter().zip(&self.thing_poses).zip(to);
        let farthest = pairs.map(moved).fold(0.0, f64::max);
        ((farthest / STEP.0).ceil() as u32).clamp(1, STEP.1)
    }

    /// Puts things, given in the frame of the skull, into the drive, where the head is by now.
    pub(super) fn drive_things(&mut self, poses: Vec<Rigid>) {
        let Some(obstacles) = &self.obstacles else { return };
        let carrier = self.input.end.carrier;
        for (collider, pose) in self.input.end.colliders[obstacles.first..].iter_mut().zip(&poses) {
            *collider = super::moved_by(*pose, carrier);
        }
        self.thing_poses = poses;
    }

    /// Puts things where they begin.
    pub(super) fn begin(&mut self) {
        let Some(obstacles) = &self.obstacles else { return };
        let jaw = super::jaw_motion(&self.face.hinge, &self.now.jaw);
        let poses =
            obstacles.poses(self.now.time, 0.0, &jaw, &self.now.head.rigid(self.face.neck()));
        self.drive_things(poses);
        self.input.start.clone_from(&self.input.end);
    }

    /// Whether things that are there touch a face at rest.
    pub(super) fn is_touched_at_rest(&self, poses: &[Rigid]) -> bool {
        let Some(obstacles) = &self.obstacles else { return false };
        let others = vec![Rigid::default(); obstacles.first];
        let all: Vec<Rigid> = others.into_iter().chain(poses.iter().copied()).collect();
        let still = Rigid::default();
        obstacles.pressed(&self.model, &all, self.model.rest(), &still).area > 0.0
    }

    /// How deep skin is in teeth (m).
    pub(super) fn depth_in_teeth(&self) -> f64 {
        let first = self.obstacles.as_ref().map_or(usize::MAX, |o| o.first);
        let teeth = self.model.colliders().iter().zip(&self.input.start.colliders).take(first);
        let mut deepest = 0.0;
        for placed in teeth.map(|(collider, pose)| collider.placed(pose)) {
            for v in self.model.meeting() {
                let found = placed.touch(self.state.positions[v].xyz());
                deepest = found.map_or(deepest, |nearest| f64::max(deepest, -nearest.distance));
            }
        }
        deepest
    }

    /// What things touch now.
    pub(super) fn pressed(&self) -> ObstacleContact {
        let Some(obstacles) = &self.obstacles else { return ObstacleContact::default() };
        let Drive { colliders, carrier, .. } = &self.input.start;
        obstacles.pressed(&self.model, colliders, &self.state.positions, carrier)
    }
}
