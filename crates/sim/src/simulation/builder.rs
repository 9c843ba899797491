//! The description of a simulation, word by word.

use std::thread::available_parallelism;

use glam::DVec3;
use pliant_model::touching::TouchLaw;
use pliant_model::{Body, Breeze, Collider, Method, ModelBuilder};

use super::{Simulation, SimulationError};

/// Collects what is to be simulated, and how.
#[derive(Clone, Debug)]
pub struct SimulationBuilder {
    model: ModelBuilder,
    threads: Option<usize>,
    record: bool,
}

impl Default for SimulationBuilder {
    fn default() -> Self {
        SimulationBuilder { model: ModelBuilder::new(), threads: None, record: true }
    }
}

impl SimulationBuilder {
    /// Adds a body. Its name addresses it in the simulation.
    pub fn body(self, body: Body) -> Self {
        self.model(|model| model.body(body))
    }

    /// Adds an obstacle for all bodies.
    pub fn collider(self, collider: Collider) -> Self {
        self.model(|model| model.collider(collider))
    }

    /// Sets scheme, solver, correction and damping; backward Euler with 20 projective iterations by
    /// default.
    pub fn method(self, method: Method) -> Self {
        self.model(|model| model.method(method))
    }

    /// Sets gravity [m/s²]; 9.81 downward by default.
    pub fn gravity(self, gravity: impl Into<DVec3>) -> Self {
        self.model(|model| model.gravity(gravity.into()))
    }

    /// Lets wind blow on all surfaces.
    pub fn wind(self, wind: Breeze) -> Self {
        self.model(|model| model.wind(wind))
    }

    /// Lets bodies collide with each other and with themselves; they pass through by default.
    pub fn self_contact(self, law: TouchLaw) -> Self {
        self.model(|model| model.touching(law))
    }

    /// Sets the number of threads; all of the machine's by default. It changes no result.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets whether positions are recorded after every step, which [`Recording`] does by default
    /// until they fill a gibibyte.
    ///
    /// [`Recording`]: super::Recording
    pub fn record(mut self, on: bool) -> Self {
        self.record = on;
        self
    }

    /// Adds anything else that the exact door's builder has: energies of your own, muscles,
    /// followed inputs. Bodies are numbered there from 0.
    ///
    /// ```
    /// use glam::DMat3;
    /// use pliant_model::{Body, DVec3, potentials::PointResponse};
    /// use pliant_sim::Simulation;
    /// let well = |x: DVec3| PointResponse {
    ///     energy: 50.0 * x.length_squared(),
    ///     gradient: 100.0 * x,
    ///     hessian: DMat3::from_diagonal(DVec3::splat(100.0)),
    /// };
    /// let bead = Body::points("bead", vec![DVec3::X], vec![1.0]);
    /// let builder = Simulation::builder().body(bead).gravity(DVec3::ZERO);
    /// let mut sim = builder.model(|model| model.point_energy(0, vec![0], well)).build()?;
    /// sim.step(0.01);
    /// assert!(sim.velocities("bead")?[0].x < -0.9);
    /// # Ok::<(), pliant_sim::SimulationError>(())
    /// ```
    pub fn model(mut self, change: impl FnOnce(ModelBuilder) -> ModelBuilder) -> Self {
        self.model = change(self.model);
        self
    }

    /// Builds the simulation, in its initial state at time 0.
    ///
    /// # Errors
    /// When a body, an attachment or a collider is impossible (the error names it), two bodies have
    /// the same name, or the method cannot step the model.
    pub fn build(self) -> Result<Simulation, SimulationError> {
        let all = || available_parallelism().map_or(1, usize::from);
        let mut simulation =
            Simulation::new(self.model.build()?, self.threads.unwrap_or_else(all))?;
        if !self.record {
            simulation.record(false);
        }
        Ok(simulation)
    }
}
