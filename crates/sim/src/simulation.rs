//! The easy door: bodies with names, a clock, and one call per step.
//!
//! [`Simulation`] owns what [`step`](fn@step) takes as arguments: the [`Model`], the [`State`], the
//! [`Workspace`] and the [`FrameInput`] of the next step. It gives the same bits as the exact door.

mod builder;
mod bytes;
mod clock;
mod error;
mod recording;
mod targets;

use glam::DVec3;
use pliant_model::{Drive, FrameInput, Model};

pub use builder::SimulationBuilder;
pub use error::SimulationError;
pub use recording::{RECORDING_BYTES, Recording};

use crate::measure::{self, Energy};
use crate::report::StepReport;
use crate::state::{Account, State};
use crate::step::step;
use crate::workspace::Workspace;
use bytes::Moment;
use clock::Clock;
use targets::Targets;

/// Bodies that move.
///
/// ```
/// use pliant_mesh::shapes;
/// use pliant_model::{Body, DVec3, Material};
/// use pliant_sim::Simulation;
///
/// let mesh = shapes::box3([1.0, 0.2, 0.2], [8, 2, 2])?;
/// let bar = Body::solid("bar", mesh, Material::neo_hookean(1e5, 0.4, 1000.0));
/// let mut sim = Simulation::builder().body(bar.pin(|x| x.x < -0.49)).build()?;
/// for _ in 0..10 {
///     let report = sim.step(1.0 / 60.0);
///     assert!(report.energy.total().is_finite());
/// }
/// let tip = sim.positions("bar")?.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
/// assert!(tip < -0.1 && sim.time() == 10.0 / 60.0, "the free end sinks");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    model: Model,
    /// Tells snapshots of this model from others.
    key: u64,
    state: State,
    workspace: Workspace,
    input: FrameInput,
    clock: Clock,
    targets: Targets,
    /// Of all vertices, in user order.
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    energy: Energy,
    recording: Option<Recording>,
}

impl Simulation {
    /// Starts a description of what is to be simulated.
    pub fn builder() -> SimulationBuilder {
        SimulationBuilder::default()
    }

    /// A simulation of a finished model, from its initial state, on a number of threads. The number
    /// changes no result.
    ///
    /// # Errors
    /// When two bodies have the same name, or the model's method cannot step it.
    pub fn new(model: Model, threads: usize) -> Result<Self, SimulationError> {
        for (b, body) in model.bodies().iter().enumerate() {
            if model.bodies()[..b].iter().any(|other| other.name == body.name) {
                return Err(SimulationError::SameName { name: body.name.clone() });
            }
        }
        let count = model.vertex_count();
        let mut simulation = Simulation {
            key: bytes::key(&model),
            state: State::initial(&model),
            workspace: Workspace::new(&model, threads)?,
            input: FrameInput::default(),
            clock: Clock::default(),
            targets: Targets::new(&model),
            positions: vec![DVec3::ZERO; count],
            velocities: vec![DVec3::ZERO; count],
            energy: Energy::default(),
            recording: None,
            model,
        };
        simulation.refresh();
        simulation.record(true);
        Ok(simulation)
    }

    /// Advances by h seconds: moves attachments, colliders and the air along, and then every body.
    ///
    /// A step always ends in a finite state: one that fails is cut into smaller ones or rolled
    /// back, and the report says so. Where h is no positive number, nothing changes.
    pub fn step(&mut self, h: f64) -> StepReport {
        self.step_with(h, |_, _| {})
    }

    /// As [`step`](Self::step), after `change` has overwritten what is animated: followed inputs,
    /// contractions, collider poses, gravity, wind.
    ///
    /// It is called with the time \[s\] of the step's start and again with that of its end.
    pub fn step_with(&mut self, h: f64, mut change: impl FnMut(f64, &mut Drive)) -> StepReport {
        if !(h > 0.0 && h.is_finite()) {
            let energy = self.energy;
            return StepReport { energy, residual: 1.0, rolled_back: true, ..Default::default() };
        }
        let from = self.clock.now();
        self.clock.advance(h);
        let FrameInput { start, end, .. } = &mut self.input;
        self.model.drive(from, start);
        self.model.drive(self.clock.now(), end);
        self.targets.overwrite_start(start);
        self.targets.overwrite_end(end);
        change(from, start);
        change(self.clock.now(), end);
        self.input.h = h;
        let report = step(&self.model, &self.input, &mut self.state, &mut self.workspace);
        self.targets.advance();
        self.energy = report.energy;
        self.copy_to_user_order();
        if let Some(recording) = &mut self.recording {
            recording.add(self.clock.now(), &self.positions);
        }
        report
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.clock.now()
    }

    /// The names of the bodies, in the order in which they were added.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = &str> {
        self.model.bodies().iter().map(|body| body.name.as_str())
    }

    /// Positions of a body's vertices, in the order of its mesh \[m\].
    ///
    /// # Errors
    /// [`SimulationError::UnknownBody`].
    pub fn positions(&self, body: &str) -> Result<&[DVec3], SimulationError> {
        Ok(self.part_of(self.index_of(body)?, &self.positions))
    }

    /// Velocities of a body's vertices, in the order of its mesh [m/s].
    ///
    /// # Errors
    /// [`SimulationError::UnknownBody`].
    pub fn velocities(&self, body: &str) -> Result<&[DVec3], SimulationError> {
        Ok(self.part_of(self.index_of(body)?, &self.velocities))
    }

    /// Positions of all vertices, body after body \[m\].
    pub fn all_positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Energy of all bodies at the present time \[J\].
    pub fn energy(&self) -> Energy {
        self.energy
    }

    /// Energy of one body at the present time \[J\].
    ///
    /// # Errors
    /// [`SimulationError::UnknownBody`].
    pub fn energy_of(&mut self, body: &str) -> Result<Energy, SimulationError> {
        let b = self.index_of(body)?;
        let Simulation { model, input, state, workspace, .. } = self;
        let potential = workspace.potential_energies(model, &input.end, state)[b];
        let kinetic = measure::kinetic_of(model, &model.bodies()[b], &state.velocities);
        Ok(Energy { kinetic, potential })
    }

    /// Puts a body's vertices somewhere else, in the order of its mesh \[m\]. Hard vertices stay
    /// where they are driven. The body's energy budget begins anew.
    ///
    /// # Errors
    /// When there is no such body, or its vertices are not as many, or a coordinate is not finite.
    pub fn set_positions(&mut self, body: &str, to: &[DVec3]) -> Result<(), SimulationError> {
        self.set(body, "positions", to, |state| &mut state.positions)
    }

    /// Gives a body's vertices other velocities, in the order of its mesh [m/s]. Those of hard
    /// vertices are what they are driven with. The body's energy budget begins anew.
    ///
    /// # Errors
    /// As [`set_positions`](Self::set_positions).
    pub fn set_velocities(&mut self, body: &str, to: &[DVec3]) -> Result<(), SimulationError> {
        self.set(body, "velocities", to, |state| &mut state.velocities)
    }

    /// The vertices of a body that attachments hold, ascending: those that
    /// [`set_targets`](Self::set_targets) moves.
    ///
    /// # Errors
    /// [`SimulationError::UnknownBody`].
    pub fn attached(&self, body: &str) -> Result<&[u32], SimulationError> {
        Ok(self.targets.vertices(self.index_of(body)?))
    }

    /// Moves the targets of a body's attached vertices: over the next step they go to these places
    /// \[m\], in the order of [`attached`](Self::attached), and stay there in the place of any
    /// motion.
    ///
    /// # Errors
    /// When there is no such body, or not as many vertices are attached, or a coordinate is not
    /// finite.
    pub fn set_targets(&mut self, body: &str, to: &[DVec3]) -> Result<(), SimulationError> {
        let b = self.index_of(body)?;
        self.check(b, "targets", self.targets.vertices(b).len(), to)?;
        self.targets.set(b, to);
        Ok(())
    }

    /// Lets a body's attached vertices follow their motions again.
    ///
    /// # Errors
    /// [`SimulationError::UnknownBody`].
    pub fn release_targets(&mut self, body: &str) -> Result<(), SimulationError> {
        let b = self.index_of(body)?;
        self.targets.release(b);
        Ok(())
    }

    /// Everything that the next steps depend on, as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let Targets { start, end, .. } = &self.targets;
        bytes::encode(self.key, &self.clock, [start, end], &self.state)
    }

    /// Goes back, or on, to a snapshot of the same model: the steps after it have the same bits. A
    /// recording begins anew.
    ///
    /// # Errors
    /// When the bytes are damaged, or of another model. The simulation stays as it is then.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SimulationError> {
        let held = self.targets.start.len();
        let Moment { clock, targets, state } =
            bytes::decode(snapshot, &self.model, self.key, held)?;
        [self.targets.start, self.targets.end] = targets;
        (self.clock, self.state) = (clock, state);
        self.refresh();
        self.record(self.recording.is_some());
        Ok(())
    }

    /// Begins a recording of positions, the present ones first, or ends it and frees its memory. A
    /// new simulation records.
    pub fn record(&mut self, on: bool) {
        self.recording = on.then(|| {
            let mut recording = Recording::new(RECORDING_BYTES);
            recording.add(self.clock.now(), &self.positions);
            recording
        });
    }

    /// What was recorded; `None` where recording is off.
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// The model, for the exact door.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The state, in the order of the model.
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl Simulation {
    fn index_of(&self, name: &str) -> Result<usize, SimulationError> {
        let found = self.bodies().position(|own| own == name);
        found.ok_or_else(|| SimulationError::unknown(name, self.bodies()))
    }

    fn part_of<'a>(&self, body: usize, all: &'a [DVec3]) -> &'a [DVec3] {
        let body = &self.model.bodies()[body];
        &all[body.first_vertex..][..body.vertex_count]
    }

    fn check(
        &self,
        body: usize,
        what: &'static str,
        expected: usize,
        given: &[DVec3],
    ) -> Result<(), SimulationError> {
        let body = || self.model.bodies()[body].name.clone();
        if given.len() != expected {
            let given = given.len();
            return Err(SimulationError::Length { body: body(), what, expected, given });
        }
        match given.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(SimulationError::NotFinite { body: body(), what, index }),
            None => Ok(()),
        }
    }

    fn set(
        &mut self,
        body: &str,
        what: &'static str,
        to: &[DVec3],
        rows: fn(&mut State) -> &mut [pliant_math::Row],
    ) -> Result<(), SimulationError> {
        let b = self.index_of(body)?;
        self.check(b, what, self.model.bodies()[b].vertex_count, to)?;
        for (v, x) in to.iter().enumerate() {
            let own = self.model.number(b, v);
            if own < self.model.free_count() {
                rows(&mut self.state)[own] = (*x).into();
            }
        }
        // The step before led elsewhere, and so did the energy.
        self.state.past.is_valid = false;
        self.state.accounts[b] = Account::default();
        self.refresh();
        Ok(())
    }

    /// Brings along what depends on the state.
    fn refresh(&mut self) {
        self.copy_to_user_order();
        self.model.drive(self.clock.now(), &mut self.input.end);
        self.targets.overwrite_start(&mut self.input.end);
        let Simulation { model, input, state, workspace, .. } = self;
        let potential = workspace.potential_energy(model, &input.end, state);
        let kinetic = measure::kinetic(model.masses(), &state.velocities);
        self.energy = Energy { kinetic, potential };
    }

    fn copy_to_user_order(&mut self) {
        self.model.to_user_order(&self.state.positions, &mut self.positions);
        self.model.to_user_order(&self.state.velocities, &mut self.velocities);
    }
}
