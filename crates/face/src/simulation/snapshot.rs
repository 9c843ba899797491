//! Snapshot of a simulation between two frames, as bytes: everything that the next frame depends
//! on.
//!
//! How many numbers there are, as a word; the pose, the head's motion, where things are, and the
//! gusts of the last step; then the engine's state with its own checksum. What is driven follows
//! from the pose, but for the gusts, which were felt where skin was before it moved.

use glam::{DMat3, DVec3};
use pliant_model::Rigid;
use pliant_sim::snapshot;

use super::head_motion::HeadMotion;
use super::{FaceSimulation, HeadPose, Pose};
use crate::anatomy::hinge::JawPose;
use crate::error::FaceError;

impl FaceSimulation<'_> {
    /// What the next frame depends on; `key` tells what the simulation is of.
    pub fn snapshot(&self, key: u64) -> Vec<u8> {
        let Pose { contractions, weights, jaw, head, time } = &self.now;
        let HeadMotion { to, velocity, acceleration, frames } = &self.carriage;
        let mut numbers = [&contractions[..], weights].concat();
        numbers.extend([jaw.open, jaw.turn, jaw.shift.x, jaw.shift.y, jaw.shift.z]);
        numbers.extend([*time, self.time, self.part, f64::from(*frames)]);
        for pose in [head, to] {
            numbers.extend(pose.turn.to_cols_array());
            numbers.extend(pose.place.to_array());
        }
        numbers.extend([velocity, acceleration].iter().flat_map(|v| v.to_array()));
        for rigid in self.turning.iter().chain(&self.thing_poses) {
            numbers.extend(rigid.to_array());
        }
        numbers.extend_from_slice(&self.input.start.gusts);
        let mut bytes = (numbers.len() as u64).to_le_bytes().to_vec();
        bytes.extend(numbers.into_iter().flat_map(f64::to_le_bytes));
        bytes.extend(snapshot::encode(&self.state, key));
        bytes
    }

    /// Goes on from there.
    ///
    /// # Errors
    /// When the bytes are not those of a simulation of the same face, options and world, with the
    /// same key; the simulation is as it was then.
    pub fn resume(&mut self, bytes: &[u8], key: u64) -> Result<(), FaceError> {
        let fail = |problem: String| FaceError::File { byte: 0, problem };
        let damaged = || fail("expected a whole snapshot of a face".to_owned());
        let (count, rest) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (muscles, things) = (self.now.contractions.len(), self.thing_poses.len());
        let shapes = self.now.weights.len();
        let gusts = self.input.start.gusts.len();
        let expected = muscles + shapes + 9 + 24 + 6 + 15 * (2 + things) + gusts;
        // Gusts are not known before the first frame.
        let first = expected - gusts;
        let count = usize::try_from(u64::from_le_bytes(*count)).map_err(|_| damaged())?;
        let length = count.checked_mul(8).ok_or_else(damaged)?;
        if count < first || (gusts > 0 && count != expected) {
            return Err(fail("a snapshot of another face or other things".to_owned()));
        }
        let (numbers, state) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let state = snapshot::decode(state, &self.model, key);
        let state = state.map_err(|error| fail(error.to_string()))?;
        let mut numbers = numbers.chunks_exact(8);
        let mut next = || {
            let bytes = numbers.next().unwrap_or(&[0; 8]);
            f64::from_le_bytes(std::array::from_fn(|k| bytes[k]))
        };
        let contractions = (0..muscles).map(|_| next()).collect();
        let weights = (0..shapes).map(|_| next()).collect();
        let (open, turn) = (next(), next());
        let jaw = JawPose { open, turn, shift: DVec3::new(next(), next(), next()) };
        let (time, ahead, part, frames) = (next(), next(), next(), next() as u32);
        let mut pose = || {
            let turn = DMat3::from_cols_array(&std::array::from_fn(|_| next()));
            HeadPose { turn, place: DVec3::new(next(), next(), next()) }
        };
        let (head, to) = (pose(), pose());
        let mut vector = || DVec3::new(next(), next(), next());
        let (velocity, acceleration) = (vector(), vector());
        let mut rigid = || Rigid::from_array(std::array::from_fn(|_| next()));
        let turning = [rigid(), rigid()];
        let things: Vec<Rigid> = (0..things).map(|_| rigid()).collect();
        let gusts: Vec<f64> = (first..count).map(|_| next()).collect();
        self.now = Pose { contractions, weights, jaw, head, time };
        self.carriage = HeadMotion { to, velocity, acceleration, frames };
        (self.time, self.part, self.turning, self.state) = (ahead, part, turning, state);
        self.drive(&self.now.clone());
        self.drive_things(things);
        self.input.end.gusts.clone_from(&gusts);
        self.input.start.clone_from(&self.input.end);
        Ok(())
    }
}
