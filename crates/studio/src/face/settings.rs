//! What can be set at Face, and what that means to the face's simulation.

use std::collections::BTreeMap;
use std::fmt::Write;

use pliant_face::{Dynamics, FaceSimulationOptions, FaceSolver};
use pliant_model::method::{Correction, Method};
use serde::{Deserialize, Serialize};

use crate::change::changed;
use crate::error::StudioError;

/// Frames per second that a face is simulated at.
pub const FPS: f64 = 30.0;
/// Iterations of a frame of flesh with inertia: what there is time for.
const MOVING: u32 = 12;

/// Everything that can be set, and undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// A file of the project; the built-in head without.
    pub face: Option<String>,
    /// Weights of shapes that are not 0.
    pub shapes: BTreeMap<String, f64>,
    /// Contractions of muscles that are not 0, beyond what shapes ask for.
    pub muscles: BTreeMap<String, f64>,
    /// Yaw, pitch and roll of the head (degrees).
    pub head: [f64; 3],
    /// Iterations of a frame.
    pub iterations: u32,
    /// Whether flesh has inertia; wind gives it some.
    pub inertia: bool,
    /// Rate at which its velocities decay (1/s).
    pub damping: f64,
    /// Factor on the stiffness of cheeks and jowls.
    pub firmness: f64,
    /// Wind from the front and from the side (m/s), and how gusty.
    pub wind: [f64; 2],
    pub gust: f64,
    /// Ratios of volumes that are not 1, by region.
    pub fat: BTreeMap<String, f64>,
    /// How much the left and the right side are paralysed, from 0 to 1.
    pub palsy: [f64; 2],
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            face: None,
            shapes: BTreeMap::new(),
            muscles: BTreeMap::new(),
            head: [0.0; 3],
            iterations: 6,
            inertia: false,
            damping: 6.0,
            firmness: 1.0,
            wind: [0.0; 2],
            gust: 0.6,
            fat: BTreeMap::new(),
            palsy: [0.0; 2],
        }
    }
}

impl Settings {
    /// These with some keys changed; of shapes, muscles and fat, only those that are named.
    ///
    /// # Errors
    /// A sentence about the key.
    pub fn changed(&self, change: &serde_json::Value) -> Result<Settings, StudioError> {
        let mut settings = changed(self, change, &["shapes", "muscles", "fat"])?;
        settings.shapes.retain(|_, weight| *weight != 0.0);
        settings.muscles.retain(|_, by| *by != 0.0);
        settings.fat.retain(|_, ratio| *ratio != 1.0);
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), StudioError> {
        let within = |what: &str, value: f64, [low, high]: [f64; 2]| match value {
            value if (low..=high).contains(&value) => Ok(()),
            _ => Err(StudioError::refused(format!("Expected {what} from {low} to {high}."))),
        };
        self.shapes.values().try_for_each(|w| within("weights", *w, [-1.0, 2.0]))?;
        self.muscles.values().try_for_each(|m| within("contractions", *m, [-0.3, 0.6]))?;
        self.fat.values().try_for_each(|f| within("fat", *f, [0.5, 2.5]))?;
        self.head.iter().try_for_each(|a| within("angles", *a, [-60.0, 60.0]))?;
        self.palsy.iter().try_for_each(|p| within("a palsy", *p, [0.0, 1.0]))?;
        self.wind.iter().try_for_each(|w| within("a wind", *w, [-60.0, 60.0]))?;
        within("gusts", self.gust, [0.0, 2.0])?;
        within("a damping", self.damping, [0.0, 100.0])?;
        within("a firmness", self.firmness, [0.02, 10.0])?;
        within("iterations", f64::from(self.iterations), [1.0, 100.0])
    }

    /// Whether the simulation is the same with others; poses of muscles, jaw and head need no
    /// other.
    pub fn builds_as(&self, other: &Settings) -> bool {
        self.face == other.face
            && self.iterations == other.iterations
            && self.moves() == other.moves()
            && (!self.moves() || self.damping == other.damping)
            && self.firmness == other.firmness
            && self.wind == other.wind
            && (self.wind == [0.0; 2] || self.gust == other.gust)
            && self.fat == other.fat
            && self.palsy == other.palsy
    }

    /// Whether flesh has inertia.
    pub fn moves(&self) -> bool {
        self.inertia || self.wind != [0.0; 2]
    }

    /// The effects file that says all of it.
    pub fn effects(&self) -> String {
        let mut text = String::new();
        if self.wind != [0.0; 2] {
            let [front, side] = self.wind;
            let _ = writeln!(text, "[wind]\nvelocity = [{side:?}, 0.0, {:?}]", -front);
            let _ = writeln!(text, "gust = {:?}\nperiod = 0.15\nsize = 0.06", self.gust);
        }
        if self.firmness != 1.0 {
            let _ =
                writeln!(text, "[[map]]\nof = 'stiffness'\nregion = ['cheek_l', 'cheek_r', 'jaw']");
            let _ = writeln!(text, "factor = {:?}", self.firmness);
        }
        for (region, ratio) in &self.fat {
            let regions = match region.as_str() {
                "cheeks" => "'cheek_l', 'cheek_r'".to_owned(),
                // Quotes would end the text that it is put into.
                other => format!("'{}'", other.replace(['\'', '\n', '\\'], "")),
            };
            let _ = writeln!(text, "[[fat]]\nregion = [{regions}]\namount = {ratio:?}");
        }
        for (side, strength) in ["left", "right"].iter().zip(self.palsy) {
            if strength > 0.0 {
                let _ = writeln!(text, "[[palsy]]\nside = '{side}'\nstrength = {strength:?}");
            }
        }
        text
    }

    /// How it is simulated.
    pub fn options(&self, threads: usize) -> FaceSimulationOptions {
        let scheme = Method::VIVID.scheme;
        let dynamics = self.moves().then(|| Dynamics {
            scheme,
            correction: Some(Correction::Fepr(Dynamics::fepr(scheme))),
            damping: self.damping,
            fps: FPS,
            substeps: 1,
        });
        let iterations = if self.moves() { self.iterations.max(MOVING) } else { self.iterations };
        let solver = FaceSolver::Interactive { iterations };
        FaceSimulationOptions { solver, dynamics, threads, ..FaceSimulationOptions::default() }
    }
}
