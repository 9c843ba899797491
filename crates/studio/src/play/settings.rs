//! What can be set at Play, and what that means to the engine.

use pliant_model::Breeze;
use pliant_model::DVec3;
use pliant_model::integrator::{Correction, Damping, Fepr, Integrator, Scheme, Solver};
use serde::{Deserialize, Serialize};

use crate::change::changed;
use crate::error::StudioError;

/// Density of air times a drag coefficient of 1 [kg/m³], where the scene does not say.
const DRAG: f64 = 1.2;
/// Shortest and longest step \[s\].
const STEPS: [f64; 2] = [1e-4, 0.1];

/// Everything that can be set, and undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// What is played.
    pub scene: Source,
    /// One method, or two side by side.
    pub methods: Vec<Method>,
    /// Factor on the stiffness of all bodies.
    pub stiffness: f64,
    /// What takes energy away.
    pub damping: Slowing,
    /// Velocity of the air [m/s], on top of the scene's own wind.
    pub wind: [f64; 3],
    /// Step length \[s\].
    pub step: f64,
    /// Stiffness of the hand, in that of what it holds.
    pub grip: f64,
    /// Seconds of the scene per second; as fast as it goes if it is 0.
    pub pace: f64,
}

/// Where a scene comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Source {
    /// Built in: a name, and which of its methods.
    Demo {
        /// As in the library.
        name: String,
        /// Number of the variant.
        variant: usize,
    },
    /// A file of the project.
    File(String),
}

/// A way to step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Method {
    /// The time rule.
    pub scheme: SchemeName,
    /// The minimiser.
    pub solver: SolverName,
    /// Of the minimiser, at most, per step.
    pub iterations: u32,
    /// What acts on a state after the step.
    pub correction: CorrectionName,
    /// Share of the stiffest motion that a filter takes before FEPR projects.
    pub filter: f64,
}

/// Names of [`Scheme`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemeName {
    BackwardEuler,
    Bdf2,
    ImplicitMidpoint,
    Trapezoidal,
    ForwardEuler,
    SymplecticEuler,
    DiscreteGradient,
    QuasiStatic,
}

/// Names of [`Solver`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolverName {
    Projective,
    Newton,
    Xpbd,
    Linearised,
}

/// Names of [`Correction`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CorrectionName {
    None,
    Fepr,
    Blend,
    Velocity,
    Lagrange,
}

/// What takes energy away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slowing {
    /// How.
    pub kind: SlowingKind,
    /// How fast [1/s]; of Rayleigh's kind, how long in milliseconds.
    pub rate: f64,
}

/// Names of [`Damping`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlowingKind {
    None,
    Ether,
    RigidPreserving,
    Rayleigh,
}

impl Settings {
    /// Those that a scene asks for.
    pub fn of_scene(scene: Source, integrator: &Integrator, step: f64) -> Settings {
        let (kind, rate) = match integrator.damping {
            None => (SlowingKind::None, 0.0),
            Some(Damping::Ether(rate)) => (SlowingKind::Ether, rate),
            Some(Damping::RigidPreserving(rate)) => (SlowingKind::RigidPreserving, rate),
            Some(Damping::Rayleigh { stiffness, .. }) => (SlowingKind::Rayleigh, 1e3 * stiffness),
        };
        Settings {
            scene,
            methods: vec![Method::of(integrator)],
            stiffness: 1.0,
            damping: Slowing { kind, rate },
            wind: [0.0; 3],
            step: step.clamp(STEPS[0], STEPS[1]),
            grip: 1.0,
            pace: 1.0,
        }
    }

    /// These with some keys changed, if that is possible.
    ///
    /// # Errors
    /// A sentence about the key.
    pub fn changed(&self, change: &serde_json::Value) -> Result<Settings, StudioError> {
        let settings = changed(self, change, &[])?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), StudioError> {
        let within = |what: &str, value: f64, [low, high]: [f64; 2]| match value {
            value if (low..=high).contains(&value) => Ok(()),
            _ => Err(StudioError::refused(format!("Expected {what} from {low} to {high}."))),
        };
        within("a stiffness", self.stiffness, [1e-3, 1e3])?;
        within("a rate of damping", self.damping.rate, [0.0, 1e3])?;
        within("a step", self.step, STEPS)?;
        within("a grip", self.grip, [0.01, 100.0])?;
        within("a pace", self.pace, [0.0, 100.0])?;
        self.wind.iter().try_for_each(|w| within("a wind", *w, [-100.0, 100.0]))?;
        if !(1..=2).contains(&self.methods.len()) {
            return Err(StudioError::refused("Expected one method, or two."));
        }
        for method in &self.methods {
            within("iterations", f64::from(method.iterations), [1.0, 1000.0])?;
            within("a filter", method.filter, [0.0, 1.0])?;
        }
        Ok(())
    }

    /// Whether the engine's model is the same with others.
    pub fn builds_as(&self, other: &Settings) -> bool {
        let air = |settings: &Settings| settings.wind != [0.0; 3];
        self.scene == other.scene
            && self.methods == other.methods
            && self.stiffness == other.stiffness
            && self.damping == other.damping
            && self.step == other.step
            && air(self) == air(other)
    }

    /// How the engine steps by one of the methods; what is not set here is as in the scene.
    pub fn integrator(&self, method: &Method, scene: &Integrator) -> Integrator {
        let Slowing { kind, rate } = self.damping;
        let damping = match (kind, scene.damping) {
            (SlowingKind::None, _) => None,
            (SlowingKind::Ether, _) => Some(Damping::Ether(rate)),
            (SlowingKind::RigidPreserving, _) => Some(Damping::RigidPreserving(rate)),
            (SlowingKind::Rayleigh, own) => {
                let mass = if let Some(Damping::Rayleigh { mass, .. }) = own { mass } else { 0.0 };
                Some(Damping::Rayleigh { mass, stiffness: 1e-3 * rate })
            }
        };
        Integrator { damping, ..method.integrator(scene) }
    }

    /// The wind on top of the scene's.
    pub fn breeze(&self, scene: Option<&Breeze>) -> Option<Breeze> {
        let own = Breeze {
            velocity: DVec3::ZERO,
            drag: DRAG,
            gust: 0.0,
            seed: 0,
            times: Vec::new(),
            scale: Vec::new(),
        };
        match (scene, self.wind != [0.0; 3]) {
            (Some(scene), _) => Some(scene.clone()),
            (None, true) => Some(own),
            (None, false) => None,
        }
    }
}

impl Method {
    fn of(integrator: &Integrator) -> Method {
        let scheme = match integrator.scheme {
            Scheme::BackwardEuler => SchemeName::BackwardEuler,
            Scheme::Bdf2 => SchemeName::Bdf2,
            Scheme::ImplicitMidpoint => SchemeName::ImplicitMidpoint,
            Scheme::Trapezoidal => SchemeName::Trapezoidal,
            Scheme::ForwardEuler => SchemeName::ForwardEuler,
            Scheme::SymplecticEuler => SchemeName::SymplecticEuler,
            Scheme::DiscreteGradient => SchemeName::DiscreteGradient,
            Scheme::QuasiStatic => SchemeName::QuasiStatic,
        };
        let (solver, iterations) = match integrator.solver {
            Solver::Projective { iterations, .. } | Solver::Modified { iterations, .. } => {
                (SolverName::Projective, iterations)
            }
            Solver::Newton { iterations, .. } => (SolverName::Newton, iterations),
            Solver::Xpbd { iterations } => (SolverName::Xpbd, iterations),
            Solver::Linearised { .. } => (SolverName::Linearised, 1),
        };
        let (correction, filter) = match integrator.correction {
            None => (CorrectionName::None, 0.0),
            Some(Correction::Fepr(fepr)) => (CorrectionName::Fepr, fepr.filter),
            Some(Correction::Blend { .. }) => (CorrectionName::Blend, 0.0),
            Some(Correction::Velocity) => (CorrectionName::Velocity, 0.0),
            Some(Correction::Lagrange) => (CorrectionName::Lagrange, 0.0),
        };
        Method { scheme, solver, iterations, correction, filter }
    }

    fn integrator(&self, scene: &Integrator) -> Integrator {
        let scheme = match self.scheme {
            SchemeName::BackwardEuler => Scheme::BackwardEuler,
            SchemeName::Bdf2 => Scheme::Bdf2,
            SchemeName::ImplicitMidpoint => Scheme::ImplicitMidpoint,
            SchemeName::Trapezoidal => Scheme::Trapezoidal,
            SchemeName::ForwardEuler => Scheme::ForwardEuler,
            SchemeName::SymplecticEuler => Scheme::SymplecticEuler,
            SchemeName::DiscreteGradient => Scheme::DiscreteGradient,
            SchemeName::QuasiStatic => Scheme::QuasiStatic,
        };
        let iterations = self.iterations;
        let solver = match (self.solver, scene.solver) {
            (SolverName::Projective, Solver::Projective { history, tolerance, .. }) => {
                Solver::Projective { iterations, history, tolerance }
            }
            (SolverName::Projective, _) => {
                Solver::Projective { iterations, history: 5, tolerance: 0.0 }
            }
            (SolverName::Newton, Solver::Newton { tolerance, .. }) => {
                Solver::Newton { iterations, tolerance }
            }
            (SolverName::Newton, _) => Solver::Newton { iterations, tolerance: 1e-9 },
            (SolverName::Xpbd, _) => Solver::Xpbd { iterations },
            (SolverName::Linearised, own @ Solver::Linearised { .. }) => own,
            (SolverName::Linearised, _) => Solver::Linearised { delta: 0.0 },
        };
        let correction = match (self.correction, scene.correction) {
            (CorrectionName::None, _) => None,
            (CorrectionName::Fepr, Some(Correction::Fepr(own))) => {
                Some(Correction::Fepr(Fepr { filter: self.filter, ..own }))
            }
            (CorrectionName::Fepr, _) => {
                Some(Correction::Fepr(Fepr { filter: self.filter, ..Fepr::default() }))
            }
            (CorrectionName::Blend, own @ Some(Correction::Blend { .. })) => own,
            (CorrectionName::Blend, _) => Some(Correction::Blend { epsilon: 0.01 }),
            (CorrectionName::Velocity, _) => Some(Correction::Velocity),
            (CorrectionName::Lagrange, _) => Some(Correction::Lagrange),
        };
        Integrator { scheme, solver, correction, damping: scene.damping }
    }
}
