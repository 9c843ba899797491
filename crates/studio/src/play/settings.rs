//! What can be set at Play, and what that means to the engine.

use pliant_model::Breeze;
use pliant_model::DVec3;
use pliant_model::method::{Correction, Damping, Method, Scheme, Solver, check};
use serde::{Deserialize, Serialize};

use super::words::{by_name, by_name_or_none, plain};
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
    pub methods: Vec<Choice>,
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
pub struct Choice {
    /// The time rule.
    #[serde(with = "by_name")]
    pub scheme: Scheme,
    /// The minimiser; its parameters are the scene's, or the defaults.
    #[serde(with = "by_name")]
    pub solver: Solver,
    /// Of the minimiser, at most, per step.
    pub iterations: u32,
    /// What acts on a state after the step; its parameters are the scene's, or the defaults.
    #[serde(with = "by_name_or_none")]
    pub correction: Option<Correction>,
    /// Share of the stiffest motion that a filter takes before FEPR projects.
    pub filter: f64,
}

/// What takes energy away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slowing {
    /// How.
    #[serde(with = "by_name_or_none")]
    pub kind: Option<Damping>,
    /// How fast [1/s]; of Rayleigh's kind, how long in milliseconds.
    pub rate: f64,
}

impl Settings {
    /// Those that a scene asks for.
    pub fn of_scene(scene: Source, method: &Method, step: f64) -> Settings {
        let rate = match method.damping {
            None => 0.0,
            Some(Damping::Ether(rate) | Damping::RigidPreserving(rate)) => rate,
            Some(Damping::Rayleigh { stiffness, .. }) => 1e3 * stiffness,
        };
        let kind = method.damping.map(plain);
        Settings {
            scene,
            methods: vec![Choice::of(method)],
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
        for choice in &self.methods {
            within("iterations", f64::from(choice.iterations), [1.0, 1000.0])?;
            within("a filter", choice.filter, [0.0, 1.0])?;
            check(&choice.method(&Method::default()))
                .map_err(|error| StudioError::refused(format!("{error}.")))?;
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
    pub fn method(&self, choice: &Choice, scene: &Method) -> Method {
        let Slowing { kind, rate } = self.damping;
        let damping = kind.map(|kind| match (kind, scene.damping) {
            (Damping::Ether(_), _) => Damping::Ether(rate),
            (Damping::RigidPreserving(_), _) => Damping::RigidPreserving(rate),
            (Damping::Rayleigh { .. }, own) => {
                let mass = if let Some(Damping::Rayleigh { mass, .. }) = own { mass } else { 0.0 };
                Damping::Rayleigh { mass, stiffness: 1e-3 * rate }
            }
        });
        Method { damping, ..choice.method(scene) }
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

impl Choice {
    /// What a method comes to where parameters are left out.
    pub fn of(method: &Method) -> Choice {
        let Method { scheme, solver, correction, .. } = *method;
        let filter = if let Some(Correction::Fepr(fepr)) = correction { fepr.filter } else { 0.0 };
        let iterations = solver.iterations();
        let (solver, correction) = (plain(solver), correction.map(plain));
        Choice { scheme, solver, iterations, correction, filter }
    }

    fn method(&self, scene: &Method) -> Method {
        let is_own = scene.solver.name() == self.solver.name();
        let solver = if is_own { scene.solver } else { self.solver };
        let own = |name: &str| scene.correction.filter(|own| own.name() == name);
        let mut correction = self.correction.map(|other| own(other.name()).unwrap_or(other));
        if let Some(Correction::Fepr(fepr)) = &mut correction {
            fepr.filter = self.filter;
        }
        let solver = solver.with_iterations(self.iterations);
        Method { scheme: self.scheme, solver, correction, damping: scene.damping }
    }
}
