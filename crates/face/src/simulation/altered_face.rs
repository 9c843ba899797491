//! An altered face in the simulation: growth and stiffness of its tets, moved bones, and the way
//! there from the face as built.

use glam::DVec3;
use pliant_model::potentials::activation::RELAXED;
use pliant_model::{Drive, Rigid};
use pliant_sim::State;

use super::remodelling::{GrownShapes, stretched};
use super::{FaceSimulation, FaceSimulationOptions, FaceSolver};
use crate::alteration::{Alteration, AlterationMoment, Firmness, grown_firmness};
use crate::error::FaceError;
use crate::model::FaceModel;
use crate::world::World;

/// Steps in place, with the iterative solver, until the altered face is at rest.
const SETTLING: u32 = 4;
/// Forces that are left, relative to those that flesh exerts, where that was in vain.
const LOST: f64 = 0.1;

/// What of a face is altered, in the order of the engine.
#[derive(Clone, Debug, Default)]
pub(super) struct AlteredFace {
    /// Tets whose own activation comes first: those that grow, or whose stiffness changes.
    pub growing: Vec<u32>,
    /// Tets that muscles are in, or that are lent to one, in the order of their activations, and
    /// whether they are lent.
    muscular: Vec<(u32, bool)>,
    /// Factors on stiffness that the matrix at rest has, per tet; none where they are 1.
    bases: Vec<Firmness>,
    /// What the former have grown into.
    shapes: GrownShapes,
    /// Per tet its place among those that grow.
    places: Vec<u32>,
    /// When the masses are from (s).
    begun: f64,
    /// How far bone has been moved (m), per held vertex; none where it is not.
    shifts: Vec<DVec3>,
    /// Per vertex its place among those that bone holds.
    held: Vec<u32>,
}

impl AlteredFace {
    pub fn new(
        face: &FaceModel,
        alteration: &Alteration,
        time: f64,
        moves: &[bool],
    ) -> AlteredFace {
        let count = face.solid.tets.len();
        let growing = alteration.growing(count);
        let mut altered = AlteredFace { growing, begun: time, ..AlteredFace::default() };
        altered.growing.retain(|t| moves[*t as usize]);
        altered.places = vec![u32::MAX; count];
        for (place, t) in (0u32..).zip(&altered.growing) {
            altered.places[*t as usize] = place;
        }
        altered.muscular = face
            .shares
            .chunk_by(|a, b| a.tet == b.tet)
            .map(|own| (own[0].tet, own[0].is_assignable()))
            .collect();
        if !alteration.keeps_rest() {
            let moment = alteration.at(time, 1.0);
            let base = |t: usize| moment.stiffness(t).at_rest(moment.scale(t));
            altered.bases = (0..count).map(base).collect();
        }
        altered
    }

    pub fn base(&self, tet: usize) -> Firmness {
        self.bases.get(tet).copied().unwrap_or_default()
    }

    /// What there was when the masses were made.
    pub fn moment<'a>(&self, alteration: &'a Alteration) -> AlterationMoment<'a> {
        alteration.at(self.begun, 1.0)
    }

    /// Takes over which vertices bone holds, in the order of [`AlteredFace::shifts`].
    pub fn hold(&mut self, vertices: usize, held: impl Iterator<Item = usize>) {
        self.held = vec![u32::MAX; vertices];
        for (place, v) in (0u32..).zip(held) {
            self.held[v] = place;
        }
    }

    /// Takes over where bones are.
    pub fn move_bones(&mut self, face: &FaceModel, moment: &AlterationMoment) {
        self.shifts.fill(DVec3::ZERO);
        for (v, shift) in moment.displacements(face) {
            let place = self.held[v as usize] as usize;
            if self.shifts.len() <= place {
                self.shifts.resize(place + 1, DVec3::ZERO);
            }
            self.shifts[place] += shift;
        }
    }

    /// How far bone has been moved (m), for every vertex that it holds.
    pub fn shifts(&self) -> impl Iterator<Item = DVec3> {
        self.shifts.iter().copied().chain(std::iter::repeat(DVec3::ZERO))
    }

    /// Lets tets grow, and the muscles in them with them.
    pub fn grow(&self, moment: &AlterationMoment, end: &mut Drive) {
        if self.growing.is_empty() {
            return;
        }
        end.firmness.clear();
        let (own, muscles) = end.activations.split_at_mut(self.growing.len());
        for (place, (t, activation)) in self.growing.iter().zip(own).enumerate() {
            let t = *t as usize;
            let scale = moment.scale(t);
            *activation = stretched(&RELAXED, &self.shapes.grown(place, scale));
            let (own, base) = (moment.stiffness(t).passive, self.base(t).passive);
            end.firmness.push(grown_firmness(own, scale, base));
        }
        for ((t, is_assignable), activation) in self.muscular.iter().zip(muscles) {
            let t = *t as usize;
            let place = self.places[t] as usize;
            // Where bone holds all of a tet, nothing grows.
            if place >= self.growing.len() {
                end.firmness.push([1.0; 2]);
                continue;
            }
            let scale = moment.scale(t);
            *activation = stretched(activation, &self.shapes.grown(place, scale));
            let (own, base) = (moment.stiffness(t), self.base(t));
            let (own, base) = match is_assignable {
                true => (own.passive, base.passive),
                false => (own.active, base.active),
            };
            end.firmness.push(grown_firmness(own, scale, base));
        }
    }
}

impl<'a> FaceSimulation<'a> {
    /// An altered face, at rest as it is at a time of the alteration (s).
    ///
    /// # Errors
    /// As [`FaceSimulation::new`].
    pub fn altered(
        face: &'a FaceModel,
        options: &FaceSimulationOptions,
        alteration: Alteration,
        time: f64,
    ) -> Result<Self, FaceError> {
        FaceSimulation::in_world(face, options, alteration, time, &World::default())
    }

    /// The same among things and in the wind.
    ///
    /// # Errors
    /// As [`FaceSimulation::new`].
    pub fn in_world(
        face: &'a FaceModel,
        options: &FaceSimulationOptions,
        alteration: Alteration,
        time: f64,
        world: &World,
    ) -> Result<Self, FaceError> {
        let mut simulation =
            FaceSimulation::unsettled(face, options, alteration.clone(), time, world)?;
        if alteration.keeps_rest() {
            return Ok(simulation);
        }
        let solver = match (options.dynamics, options.solver) {
            (Some(_), own) => own,
            (None, own) => {
                let is_found = simulation.settle() <= LOST;
                if is_found || matches!(own, FaceSolver::Exact { .. }) {
                    return Ok(simulation);
                }
                // A few iterations can lose their way where much grows.
                FaceSolver::CONVERGED
            }
        };
        let still = FaceSimulationOptions { dynamics: None, solver, ..*options };
        let still = FaceSimulation::altered(face, &still, alteration, time)?;
        let positions = still.positions();
        simulation.altered.shapes = still.altered.shapes;
        simulation.place(&positions);
        simulation.drive(&simulation.now.clone());
        simulation.input.start.clone_from(&simulation.input.end);
        Ok(simulation)
    }

    /// Goes from the face as it was built to the altered one; what grows finds its shape on the
    /// way, that of the most that it ever grows. Returns what forces are left, relative to those
    /// that flesh exerts.
    fn settle(&mut self) -> f64 {
        if !self.altered.growing.is_empty() {
            let fullest = self.alteration.fullest();
            let is_keyed = !self.alteration.is_constant();
            let own = std::mem::replace(&mut self.alteration, fullest);
            self.altered.shapes.is_open = true;
            let left = self.approach(true);
            self.altered.shapes.is_open = false;
            self.alteration = own;
            if !is_keyed {
                return left;
            }
            self.state = State::initial(&self.model);
        }
        self.approach(false)
    }

    fn approach(&mut self, is_growing: bool) -> f64 {
        let steps = self.alteration.first_steps(self.time);
        let mut report = super::FaceFrameReport::default();
        for k in 1..=steps + SETTLING {
            self.part = (f64::from(k) / f64::from(steps)).min(1.0);
            self.drive(&self.now.clone());
            self.advance(&mut report);
            if is_growing {
                let moment = self.alteration.at(self.time, self.part);
                let growing = &self.altered.growing;
                let scales = growing.iter().map(|t| moment.scale(*t as usize)).collect();
                let positions = self.positions();
                let growing = growing.clone();
                self.altered.shapes.take(self.face, &growing, &positions, scales);
            }
        }
        report.residual
    }

    /// Lets the next frame end at a time of the alteration (s).
    pub fn go_to(&mut self, time: f64) {
        if time.is_finite() {
            self.time = time;
        }
    }

    /// How the alteration has moved the teeth, before the jaw does: upper, lower.
    pub fn teeth(&self) -> [Rigid; 2] {
        self.alteration.at(self.now.time, self.part).teeth
    }

    /// Volume that flesh which grows should have gained by now, and has (m³). It has less where
    /// bones, muscles and other flesh press on it.
    pub fn growth(&self) -> [f64; 2] {
        let moment = self.alteration.at(self.now.time, self.part);
        let positions = self.positions();
        let (mut asked, mut gained) = (0.0, 0.0);
        for t in self.altered.growing.iter().map(|t| *t as usize) {
            let volume = |at: &[DVec3]| {
                let [a, b, c, d] = self.face.solid.tets[t].map(|v| at[v as usize]);
                (b - a).dot((c - a).cross(d - a)) / 6.0
            };
            let rest = volume(&self.face.solid.positions);
            asked += (moment.scale(t).powi(3) - 1.0) * rest;
            gained += volume(&positions) - rest;
        }
        [asked, gained]
    }

    /// What is done to the face.
    pub fn alteration(&self) -> &Alteration {
        &self.alteration
    }
}
