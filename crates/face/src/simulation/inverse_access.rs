//! Access of inverse physics to a simulation: its equilibrium, and the jaw pose as numbers.

use glam::DVec3;
use pliant_math::Row;
use pliant_model::Drive;
use pliant_sim::State;

use super::jaw_weights::jaw_weights;
use super::{FaceFrameReport, FaceSimulation, jaw_motion};
use crate::anatomy::hinge::{Hinge, JawPose};
use crate::inverse::equilibrium::{Equilibrium, Knobs};

/// The jaw as five numbers: opening and turn (degrees), shift (mm).
#[derive(Clone, Debug)]
pub struct JawKnobs {
    hinge: Hinge,
    /// Places in the drive, and positions at rest (m), of what the mandible holds.
    mandible: Vec<(usize, DVec3)>,
}

impl JawKnobs {
    /// How many there are.
    pub const COUNT: usize = 5;

    /// As a pose.
    pub fn pose(knobs: &[f64]) -> JawPose {
        let [open, turn, x, y, z] = std::array::from_fn(|k| knobs.get(k).copied().unwrap_or(0.0));
        JawPose { open, turn, shift: 1e-3 * DVec3::new(x, y, z) }
    }

    /// A pose as numbers.
    pub fn numbers(pose: &JawPose) -> [f64; 5] {
        let shift = 1e3 * pose.shift;
        [pose.open, pose.turn, shift.x, shift.y, shift.z]
    }
}

impl Knobs for JawKnobs {
    fn steps(&self) -> &[f64] {
        &[0.01; JawKnobs::COUNT]
    }

    fn turn(&self, knobs: &[f64], drive: &mut Drive) {
        let pose = JawKnobs::pose(knobs);
        for (place, rest) in &self.mandible {
            drive.hard[*place] = Row::from(self.hinge.moved(*rest, &pose));
        }
        if let Some(teeth) = drive.colliders.get_mut(1) {
            *teeth = jaw_motion(&self.hinge, &pose);
        }
    }
}

impl FaceSimulation<'_> {
    /// What its equilibria are looked for with.
    pub fn equilibrium(&mut self) -> Equilibrium<'_> {
        let FaceSimulation { model, state, workspace, input, .. } = self;
        Equilibrium { model, state, workspace, input, accuracy: Equilibrium::ROUGH }
    }

    /// Puts flesh where it is at rest, and from there takes it along with the jaw: where a solver
    /// begins.
    pub fn reset_with_jaw(&mut self, jaw: &JawPose) {
        self.state = State::initial(&self.model);
        self.now.jaw = JawPose::default();
        self.follow(jaw);
        self.now.jaw = *jaw;
    }

    /// Draws the skin to a target (m, in the frame of the skull) by the springs of
    /// [`FaceSimulationOptions::skin_pull`](super::FaceSimulationOptions::skin_pull), from rest,
    /// with the jaw in a pose.
    pub fn attract_skin(&mut self, target: &[DVec3], jaw: &JawPose) -> FaceFrameReport {
        self.set_skin_target(target, jaw);
        let mut report = FaceFrameReport { steps: 1, ..FaceFrameReport::default() };
        self.advance(&mut report);
        report
    }

    /// Lets these springs pull to a target (m), with the jaw in a pose and flesh taken along with
    /// it from rest.
    pub fn set_skin_target(&mut self, target: &[DVec3], jaw: &JawPose) {
        self.reset_with_jaw(jaw);
        let to = self.aimed(self.now.contractions.clone(), *jaw);
        self.drive(&to);
        let bound = target.iter().zip(&self.face.binding.tets).filter(|(_, tet)| tet.is_some());
        self.input.end.tracked.clear();
        self.input.end.tracked.extend(bound.map(|(point, _)| Row::from(*point)));
        self.input.start.clone_from(&self.input.end);
        self.now = to;
    }

    /// Its jaw.
    pub fn jaw_knobs(&self) -> JawKnobs {
        let mandible = self.bones.iter().filter(|(.., is_mandible)| *is_mandible);
        let mandible = mandible.map(|(place, rest, _)| (*place, *rest)).collect();
        JawKnobs { hinge: self.face.hinge, mandible }
    }

    /// How much of the jaw's motion vertices of the skin take on, from 0 to 1.
    pub fn jaw_shares(&self) -> Vec<f64> {
        let own = jaw_weights(self.face);
        let share = |v: usize| {
            let corners = self.face.solid.tets.get(self.face.binding.tets[v]? as usize)?;
            let weights = self.face.binding.weights[v];
            Some((0..4).map(|k| weights[k] * own[corners[k] as usize]).sum())
        };
        (0..self.face.binding.tets.len()).map(|v| share(v).unwrap_or(0.0)).collect()
    }
}

impl FaceSimulation<'_> {
    /// How much the muscles in every tet that has some contract, as far as they obey, by how much
    /// of it they are: tet by tet in the order of [`FaceModel::shares`](crate::FaceModel::shares).
    pub fn efforts(&self) -> impl Iterator<Item = f64> {
        let moment = self.alteration.at(self.now.time, self.part);
        let effort = move |shares: &std::ops::Range<usize>| {
            let own = |k: usize| {
                let share = &self.face.shares[k];
                share.fraction * moment.obedience(k) * self.now.contractions[share.muscle as usize]
            };
            shares.clone().map(own).sum()
        };
        self.active.iter().map(effort)
    }
}
