//! One method at work on a scene.
//!
//! The hand is the engine's own following: every vertex of the surface follows an input with a
//! weight of zero, and those that are held with more, so that the account books the work of the
//! hand, and nothing is built or factored anew when somebody takes hold. A body that may follow is
//! held by something from outside, though, and its momenta are not kept; where they should be, a
//! second model without following is stepped while nobody pulls.

use std::time::Instant;

use glam::DVec3;
use pliant_math::Row;
use pliant_model::{FrameInput, Model, ModelBuilder};
use pliant_sim::state::Account;
use pliant_sim::{State, Workspace, measure, step};

use crate::error::StudioError;

/// A vertex that can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grip {
    /// Its body.
    pub body: usize,
    /// Its number there.
    pub vertex: u32,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// When it ended \[s\].
    pub time: f64,
    /// Energies \[J\].
    pub kinetic: f64,
    pub potential: f64,
    /// What the account asks for: energy at first, and what was put in and taken since \[J\].
    pub target: f64,
    /// Lengths of the momenta [kg m/s, kg m²/s].
    pub linear: f64,
    pub angular: f64,
    /// How long it took \[ms\].
    pub milliseconds: f64,
    /// Of the solver, and of the correction.
    pub iterations: u32,
    pub corrections: u32,
    /// Whether guard or correction had to give way.
    pub gave_way: bool,
}

/// A model and what steps it.
struct Engine {
    model: Model,
    workspace: Workspace,
}

/// Vertices in a hand.
#[derive(Clone, Debug, PartialEq)]
struct Held {
    /// Places among the followed, weights [N/m], and where they were taken \[m\].
    vertices: Vec<(usize, f64, DVec3)>,
    /// How far the hand had moved at the end of the last step, and has by now \[m\].
    before: DVec3,
    now: DVec3,
}

/// One method at work.
pub struct Lane {
    /// Without following, where that matters.
    free: Option<Engine>,
    grabbed: Engine,
    state: State,
    input: FrameInput,
    time: f64,
    /// Energy when the account was opened \[J\].
    opened: f64,
    held: Option<Held>,
    /// Air on top of the scene's wind [m/s].
    pub wind: DVec3,
}

impl Lane {
    /// At the beginning of a scene; `grips` can be held.
    ///
    /// # Errors
    /// When the scene cannot be built, or not be stepped like this.
    pub fn new(
        builder: &ModelBuilder,
        grips: &[Grip],
        threads: usize,
    ) -> Result<Lane, StudioError> {
        let mut following = builder.clone();
        let bodies = builder.specs().len();
        for body in 0..bodies {
            let own: Vec<u32> = grips.iter().filter(|g| g.body == body).map(|g| g.vertex).collect();
            let weights = vec![0.0; own.len()];
            following = following.follow(body, own, weights);
        }
        let engine = |model: Model| -> Result<Engine, StudioError> {
            let workspace = Workspace::new(&model, threads)?;
            Ok(Engine { model, workspace })
        };
        let free = builder.clone().build()?;
        let is_held = free.bodies().iter().all(|body| body.is_held && body.pivot.is_none());
        let free = if is_held { None } else { Some(engine(free)?) };
        let grabbed = engine(following.build()?)?;
        let state = State::initial(&grabbed.model);
        let input = FrameInput { h: 1.0, ..FrameInput::default() };
        let (time, opened, held, wind) = (0.0, 0.0, None, DVec3::ZERO);
        let mut lane = Lane { free, grabbed, state, input, time, opened, held, wind };
        lane.open_account();
        Ok(lane)
    }

    /// Goes on from where another lane is, of the same scene by another method.
    pub fn take_over(&mut self, other: &Lane) {
        self.restore(&other.state, other.time);
        self.held.clone_from(&other.held);
        self.open_account();
    }

    /// State and time, to go back to.
    pub fn moment(&self) -> (State, f64) {
        (self.state.clone(), self.time)
    }

    /// Goes there.
    pub fn restore(&mut self, state: &State, time: f64) {
        if state.positions.len() == self.state.positions.len() {
            self.state = state.clone();
            // What was stepped otherwise is no past of the next step.
            self.state.past.is_valid = false;
            self.time = time;
        }
        self.open_account();
    }

    /// The engine's model.
    pub fn model(&self) -> &Model {
        &self.grabbed.model
    }

    /// Whether it is held where it is lowest.
    pub fn stands(&self) -> bool {
        let model = &self.grabbed.model;
        let height = |v: usize| model.rest()[v].xyz().y;
        let lowest = (0..model.vertex_count()).map(height).fold(f64::INFINITY, f64::min);
        model.hard_vertices().any(|v| height(v) < lowest + 0.02 * model.extent())
    }

    /// Where the vertices are, in user order \[m\].
    pub fn positions(&self, out: &mut Vec<DVec3>) {
        out.resize(self.grabbed.model.vertex_count(), DVec3::ZERO);
        self.grabbed.model.to_user_order(&self.state.positions, out);
    }

    /// When the scene is by now \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Poses of the colliders after the last step, fifteen numbers each.
    pub fn poses(&self) -> impl Iterator<Item = f32> {
        self.input.end.colliders.iter().flat_map(|pose| pose.to_array()).map(|n| n as f32)
    }

    /// Factors what the next step needs, also if somebody takes hold: nobody waits for it then.
    pub fn warm(&mut self, h: f64) {
        let (state, time) = self.moment();
        let held = self.held.take();
        if self.free.is_some() {
            self.step(h);
            self.state = state.clone();
            self.time = time;
            self.held = Some(Held { vertices: Vec::new(), before: DVec3::ZERO, now: DVec3::ZERO });
        }
        self.step(h);
        (self.state, self.time, self.held) = (state, time, held);
        self.drive_ends(h);
    }

    /// Takes hold of vertices around a grip: places among the grips, and weights from 0 to 1.
    /// `grip` is the stiffness, in that of what is held.
    pub fn grab(&mut self, around: &[(usize, f64)], grip: f64) {
        self.release();
        let model = &self.grabbed.model;
        let diagonal = model.field().elastic_diagonal(model.vertex_count());
        let followed = model.followed_vertices();
        let own = |(place, weight): &(usize, f64)| {
            let vertex = *followed.get(*place)? as usize;
            // A net without elements has nothing but its mass.
            let stiffness = diagonal[vertex].max(100.0 * model.masses()[vertex]);
            let position = self.state.positions.get(vertex)?.xyz();
            Some((*place, grip * weight * stiffness, position))
        };
        let vertices: Vec<_> = around.iter().filter_map(own).collect();
        if !vertices.is_empty() {
            self.held = Some(Held { vertices, before: DVec3::ZERO, now: DVec3::ZERO });
        }
    }

    /// Moves the hand, from where it took hold \[m\].
    pub fn drag(&mut self, by: DVec3) {
        if let Some(held) = &mut self.held
            && by.is_finite()
        {
            held.now = by;
        }
    }

    /// Lets go. What the hand's springs hold leaves with them.
    pub fn release(&mut self) {
        let Some(held) = self.held.take() else { return };
        let model = &self.grabbed.model;
        for (place, weight, taken) in &held.vertices {
            let vertex = model.followed_vertices()[*place] as usize;
            let apart = *taken + held.before - self.state.positions[vertex].xyz();
            let body = model.body_of(vertex);
            self.state.accounts[body].added -= 0.5 * weight * apart.length_squared();
        }
        // The hand has pushed: from now on, what it left is kept.
        let now = [&self.state.positions[..], &self.state.velocities];
        for (body, account) in model.bodies().iter().zip(&mut self.state.accounts) {
            if let Some(goal) = &mut account.goal {
                goal.momentum = measure::kept_momentum_of(model, body, now);
            }
        }
    }

    /// Whether somebody holds something.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Advances by a step \[s\].
    pub fn step(&mut self, h: f64) -> Sample {
        let clock = Instant::now();
        self.drive_ends(h);
        let Lane { free, grabbed, state, input, held, .. } = &mut *self;
        let engine = match free {
            Some(free) if held.is_none() => free,
            _ => grabbed,
        };
        let report = step(&engine.model, input, state, &mut engine.workspace);
        self.time += h;
        if let Some(held) = &mut self.held {
            held.before = held.now;
        }
        Sample {
            time: self.time,
            kinetic: report.energy.kinetic,
            potential: report.energy.potential,
            target: self.opened + self.state.added() - self.state.dissipated(),
            linear: report.momentum.linear.length(),
            angular: report.momentum.angular.length(),
            milliseconds: 1e3 * clock.elapsed().as_secs_f64(),
            iterations: report.iterations,
            corrections: report.correction_iterations,
            gave_way: report.gave_way(),
        }
    }

    /// What is driven at both ends of the next step.
    fn drive_ends(&mut self, h: f64) {
        let Lane { free, grabbed, input, held, wind, time, .. } = &mut *self;
        let model = match free {
            Some(free) if held.is_none() => &free.model,
            _ => &grabbed.model,
        };
        input.h = h;
        for (drive, ahead) in [(&mut input.start, 0.0), (&mut input.end, h)] {
            model.drive(*time + ahead, drive);
            drive.wind += *wind;
        }
        let Some(held) = held else { return };
        for (drive, moved) in [(&mut input.start, held.before), (&mut input.end, held.now)] {
            for (place, weight, taken) in &held.vertices {
                if let (Some(target), Some(own)) =
                    (drive.follow.get_mut(*place), drive.follow_weights.get_mut(*place))
                {
                    *target = Row::from(*taken + moved);
                    *own = *weight;
                }
            }
        }
    }

    /// The account begins with what there is now.
    fn open_account(&mut self) {
        self.state.accounts.fill(Account::default());
        self.drive_ends(self.input.h);
        let Engine { model, workspace } = &mut self.grabbed;
        let mut drive = self.input.start.clone();
        // The other model has no following, and its drive none of it.
        drive.follow.resize(model.followed_vertices().len(), Row::zero());
        drive.follow_weights.resize(model.followed_vertices().len(), 0.0);
        let potential = workspace.potential_energy(model, &drive, &self.state);
        self.opened = potential + measure::kinetic(model.masses(), &self.state.velocities);
    }
}
