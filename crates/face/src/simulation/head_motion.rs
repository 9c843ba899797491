//! Inertial forces on the flesh from the head's own motion.
//!
//! Flesh with inertia is simulated in a frame that goes along with the head, but does not turn:
//! bones turn in it, and with them planes, teeth, and the ether of damping. A frame that is
//! accelerated by a has the gravity g − a, exactly what the world has, but energies are those of
//! motion relative to the head: the account of a face is of what is seen of its flesh, however fast
//! it is carried. Without inertia everything is in the frame of the skull.
//!
//! Places come frame by frame: with X₀, X₁, X₂ a time Δt apart, the acceleration between the last
//! two is (X₂ − 2X₁ + X₀)/Δt², which is that of backward Euler. What moves when it is first seen
//! has moved before.

use glam::{DMat3, DVec3};
use pliant_math::Row;
use pliant_model::Rigid;
use pliant_model::potentials::collider_friction::carried;

use super::FaceSimulation;
use crate::model::FaceModel;

/// The head turns about a point this far below the joint of the jaw (m).
const NECK: DVec3 = DVec3::new(0.0, -0.03, 0.0);

/// Where the head is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadPose {
    /// How it is turned, about [`FaceModel::neck`].
    pub turn: DMat3,
    /// How far it is from where it was built (m).
    pub place: DVec3,
}

impl Default for HeadPose {
    /// Where it was built.
    fn default() -> Self {
        HeadPose { turn: DMat3::IDENTITY, place: DVec3::ZERO }
    }
}

impl HeadPose {
    /// Its motion, about a point (m).
    pub fn rigid(&self, neck: DVec3) -> Rigid {
        Rigid::new(self.turn, neck, self.place)
    }

    /// What is between this and another.
    pub(super) fn towards(&self, to: &HeadPose, part: f64) -> HeadPose {
        let [a, b] = [self, to].map(|pose| pose.rigid(DVec3::ZERO));
        let numbers = a.between(&b, part).to_array();
        let column = |k: usize| DVec3::new(numbers[k], numbers[k + 1], numbers[k + 2]);
        let turn = DMat3::from_cols(column(0), column(3), column(6));
        HeadPose { turn, place: column(12) }
    }

    /// The same, with what is no number as if nothing moved.
    fn finite(&self) -> HeadPose {
        HeadPose {
            turn: if self.turn.is_finite() { self.turn } else { DMat3::IDENTITY },
            place: if self.place.is_finite() { self.place } else { DVec3::ZERO },
        }
    }
}

impl FaceModel {
    /// What the head turns about (m).
    pub fn neck(&self) -> DVec3 {
        self.hinge.point + NECK
    }
}

/// How the head has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct HeadMotion {
    /// Where the next frame takes it.
    pub to: HeadPose,
    /// Its velocity in the last frame (m/s), and its acceleration from frame to frame (m/s²).
    pub velocity: DVec3,
    pub acceleration: DVec3,
    /// Frames done.
    pub frames: u32,
}

impl FaceSimulation<'_> {
    /// Lets the head be elsewhere at the end of the next frame.
    ///
    /// In the first frame it is there from the beginning, and in the second it has always moved as
    /// it does.
    pub fn move_head(&mut self, to: &HeadPose) {
        self.carriage.to = to.finite();
    }

    /// Where the head is.
    pub fn head(&self) -> HeadPose {
        self.now.head
    }

    /// Speeds of the skin's vertices that are simulated, relative to the head (m/s): root of the
    /// mean square. Nothing without inertia.
    pub fn rms_skin_speed(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0usize);
        let velocity = |v: u32| {
            let i = self.model.number(0, v as usize);
            let turning = -carried(self.state.positions[i].xyz(), self.turning.each_ref());
            self.state.velocities[i].xyz() - turning / self.input.h
        };
        for (tet, weights) in self.face.binding.tets.iter().zip(&self.face.binding.weights) {
            let Some(corners) = tet.and_then(|t| self.face.solid.tets.get(t as usize)) else {
                continue;
            };
            let moving: DVec3 = corners.iter().zip(weights).map(|(&v, w)| *w * velocity(v)).sum();
            (sum, count) = (sum + moving.length_squared(), count + 1);
        }
        if count > 0 { (sum / count as f64).sqrt() } else { 0.0 }
    }

    /// What bones are moved by in the frame that is simulated in: they turn with flesh that has
    /// inertia, and stay otherwise.
    pub(super) fn carrier(&self, head: &HeadPose) -> Rigid {
        match self.substeps {
            Some(_) => Rigid::new(head.turn, self.face.neck(), DVec3::ZERO),
            None => Rigid::default(),
        }
    }

    /// Before a frame of some seconds: takes over how the head moves.
    pub(super) fn set_out(&mut self, seconds: f64) {
        let HeadMotion { to, velocity: before, frames, .. } = self.carriage;
        let is_moving = self.substeps.is_some();
        if frames == 0 && is_moving && to != self.now.head {
            // At rest where it begins.
            let carrier = self.carrier(&to);
            self.state.positions.iter_mut().for_each(|x| *x = Row::from(carrier.apply(x.xyz())));
            self.now.head = to;
            let now = self.now.clone();
            self.drive(&now);
            self.input.start.clone_from(&self.input.end);
        }
        let velocity = (to.place - self.now.head.place) / seconds;
        let acceleration = if frames < 2 { DVec3::ZERO } else { (velocity - before) / seconds };
        if frames == 1 && is_moving && to.turn != self.now.head.turn {
            self.spin(&to, seconds);
        }
        self.carriage = HeadMotion { to, velocity, acceleration, frames: frames.saturating_add(1) };
    }

    /// Gives flesh the rotation that the head is found to have, and books its energy.
    fn spin(&mut self, to: &HeadPose, seconds: f64) {
        let carriers = [self.carrier(&self.now.head), self.carrier(to)];
        let mut given = 0.0;
        for (i, v) in self.state.velocities.iter_mut().enumerate() {
            let x = self.state.positions[i].xyz();
            let more = Row::from(carried(x, carriers.each_ref()) / seconds);
            let after = *v + more;
            let squares = after.xyz().length_squared() - v.xyz().length_squared();
            given += 0.5 * self.model.masses()[i] * squares;
            *v = after;
        }
        self.state.accounts.iter_mut().for_each(|account| account.added += given);
        self.state.past.is_valid = false;
    }
}
