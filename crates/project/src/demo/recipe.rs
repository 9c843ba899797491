//! A demo: one scene, the methods that are compared on it, and what is shown of them.

use pliant_scene::SceneFile;
use serde::Deserialize;
use thiserror::Error;
use toml::{Table, Value};

use super::table::lay_over;
use crate::scene::resolve_files;

/// A scene file with a table `[demo]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demo {
    /// Name on the command line.
    #[serde(skip)]
    pub name: String,
    /// One-line description.
    pub about: String,
    /// The figure that it makes again, such as `FEPR, Fig. 6`; may be empty.
    #[serde(default)]
    pub figure: String,
    /// Times in the filmstrip \[s\]: two are the ends of a range, more are the times themselves.
    pub strip: Vec<f64>,
    /// Box that the camera shows; the whole motion if `None`.
    #[serde(default)]
    pub room: Option<Room>,
    /// Which way the camera looks.
    #[serde(default)]
    pub view: Option<[f64; 3]>,
    /// Radius of a plate under the bodies that moves with the first attachment \[m\].
    #[serde(default)]
    pub plate: Option<f64>,
    /// Plotted curves; all if empty.
    #[serde(default)]
    pub plot: Vec<Curve>,
    /// How errors shrink with the step, if that is shown.
    #[serde(default)]
    pub accuracy: Option<Accuracy>,
    /// The methods it compares: at least one.
    #[serde(default, rename = "variant")]
    pub variants: Vec<Variant>,
    #[serde(skip)]
    scene: Table,
}

/// One way to simulate a demo's scene.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name in pictures and plots; empty when it is the only one.
    #[serde(default)]
    pub label: String,
    /// Changes to the scene: sections key by key, other values as a whole.
    #[serde(default)]
    pub(super) set: Table,
}

/// A box in space \[m\].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Room {
    /// Smallest coordinates \[m\].
    pub min: [f64; 3],
    /// Largest coordinates \[m\].
    pub max: [f64; 3],
}

/// A chart of one quantity over time, a line per variant.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// The plotted quantity.
    pub of: Quantity,
    /// Values outside are left out.
    #[serde(default)]
    pub within: Option<[f64; 2]>,
    /// True for a logarithmic axis.
    #[serde(default)]
    pub log: bool,
}

/// A quantity over time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Total energy, and where it should be \[J\].
    Total,
    /// Kinetic energy \[J\].
    Kinetic,
    /// Potential energy \[J\].
    Potential,
    /// Length of the linear momentum [kg m/s].
    LinearMomentum,
    /// Length of the angular momentum [kg m²/s].
    AngularMomentum,
    /// α of the blended correction (thesis Fig. 3.12).
    Blend,
    /// Iterations of the correction.
    CorrectionIterations,
    /// Steps in which the guard or the correction gave way.
    Fallback,
    /// Time per step \[s\].
    Speed,
    /// Root mean square of the speed of a face's skin \[m/s\].
    SkinSpeed,
}

/// The last frame, simulated again with smaller and smaller steps.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Accuracy {
    /// Steps per frame, for every variant.
    pub substeps: Vec<u32>,
    /// Steps per frame of what the first variant is compared with, and all others, too.
    pub reference: u32,
}

/// Why a file is no demo.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DemoError {
    /// It is not TOML.
    #[error("demo {name}: {reason}")]
    NotToml {
        /// Name of the demo.
        name: String,
        /// As the parser says it.
        reason: String,
    },
    /// The table `[demo]` is missing.
    #[error("demo {name}: expected a table `[demo]`")]
    NoTable {
        /// Name of the demo.
        name: String,
    },
}

/// Moments of a stretch that a filmstrip shows.
const MOMENTS: u32 = 6;

impl Demo {
    /// Shows a scene without a table `[demo]`: a single variant, from its beginning to its end.
    ///
    /// # Errors
    /// When `text`, which `scene` was read from, is not TOML.
    pub fn of_scene(name: &str, scene: &SceneFile, text: &str) -> Result<Demo, DemoError> {
        let table = text.parse().map_err(|reason: toml::de::Error| DemoError::NotToml {
            name: name.to_owned(),
            reason: reason.to_string().trim_end().to_owned(),
        })?;
        Ok(Demo {
            name: name.to_owned(),
            about: scene.name.clone(),
            figure: String::new(),
            strip: vec![0.0, f64::from(scene.frames) / scene.fps],
            room: None,
            view: None,
            plate: None,
            plot: Vec::new(),
            accuracy: None,
            variants: vec![Variant::default()],
            scene: table,
        })
    }

    /// The same with the files that the scene names in a folder.
    pub fn within(mut self, folder: &str) -> Demo {
        resolve_files(&mut self.scene, folder);
        self.variants.iter_mut().for_each(|variant| resolve_files(&mut variant.set, folder));
        self
    }

    /// Reads a scene file with a table `[demo]`.
    ///
    /// # Errors
    /// When it is not TOML, or the table is missing or has other keys than those of a demo.
    pub fn parse(name: &str, text: &str) -> Result<Demo, DemoError> {
        let name = name.to_owned();
        let not_toml = |reason: toml::de::Error| DemoError::NotToml {
            name: name.clone(),
            reason: reason.to_string().trim_end().to_owned(),
        };
        let mut scene: Table = text.parse().map_err(not_toml)?;
        let table =
            scene.remove("demo").ok_or_else(|| DemoError::NoTable { name: name.clone() })?;
        let mut demo: Demo = table.try_into().map_err(not_toml)?;
        if demo.variants.is_empty() {
            demo.variants.push(Variant::default());
        }
        Ok(Demo { name, scene, ..demo })
    }

    /// The moments that the filmstrip shows \[s\].
    pub fn moments(&self) -> Vec<f64> {
        moments(&self.strip)
    }

    /// The scene file of one of the variants.
    ///
    /// # Errors
    /// When what the variant sets cannot be written as TOML.
    pub fn scene_of(&self, variant: &Variant) -> Result<String, DemoError> {
        self.write(&[&variant.set])
    }

    /// The same with another number of steps per frame.
    ///
    /// # Errors
    /// As for [`Demo::scene_of`].
    pub fn scene_with_substeps(&self, variant: &Variant, count: u32) -> Result<String, DemoError> {
        let substeps = Table::from_iter([("substeps".to_owned(), Value::from(i64::from(count)))]);
        self.write(&[&variant.set, &substeps])
    }

    fn write(&self, changes: &[&Table]) -> Result<String, DemoError> {
        let mut scene = self.scene.clone();
        changes.iter().for_each(|change| lay_over(&mut scene, change));
        toml::to_string(&scene).map_err(|error| DemoError::NotToml {
            name: self.name.clone(),
            reason: error.to_string(),
        })
    }
}

/// Moments of a filmstrip: evenly spread over a stretch, or as they are told.
pub(super) fn moments(strip: &[f64]) -> Vec<f64> {
    match strip[..] {
        [first, last] => {
            let share = |k: u32| f64::from(k) / f64::from(MOMENTS - 1);
            (0..MOMENTS).map(|k| first + (last - first) * share(k)).collect()
        }
        _ => strip.to_vec(),
    }
}

impl Variant {
    /// Its folder: the label in small letters and hyphens; empty when it is the only one.
    pub fn folder(&self) -> String {
        let lower = self.label.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "frames = 3\nsubsteps = 2\n[integrator]\nscheme = 'bdf2'\n\
        [demo]\nabout = 'x'\nstrip = [0, 0.1]\nplot = [{ of = 'total', log = true }]\n\
        [[demo.variant]]\nlabel = 'BDF2 + FEPR'\nset = { integrator.correction = 'fepr' }";

    #[test]
    fn variants_are_laid_over_the_scene() {
        let demo = Demo::parse("x", TEXT).unwrap();
        assert_eq!(demo.variants[0].folder(), "bdf2-fepr");
        assert_eq!(demo.plot, [Curve { of: Quantity::Total, within: None, log: true }]);
        let scene: Table = demo.scene_of(&demo.variants[0]).unwrap().parse().unwrap();
        let expected: Table =
            "frames = 3\nsubsteps = 2\nintegrator = { scheme = 'bdf2', correction = 'fepr' }"
                .parse()
                .unwrap();
        assert_eq!(scene, expected);
        let finer = demo.scene_with_substeps(&demo.variants[0], 8).unwrap();
        assert!(finer.contains("substeps = 8"));
    }

    #[test]
    fn what_is_no_demo_says_so() {
        assert_eq!(
            Demo::parse("x", "frames = 3").unwrap_err(),
            DemoError::NoTable { name: "x".into() }
        );
        let unknown = TEXT.replace("about", "abuot");
        let error = Demo::parse("x", &unknown).unwrap_err().to_string();
        assert!(error.contains("abuot"), "{error}");
        let error = Demo::parse("x", "= 3").unwrap_err().to_string();
        assert!(error.starts_with("demo x: "), "{error}");
    }
}
