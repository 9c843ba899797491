//! Demos of the face: what it performs, what happens to it, and how that is shown.
//!
//! A file has three tables: `[performance]`, `[effects]` as in an effects file, and `[demo]`.
//! Variants set other effects.

use std::collections::BTreeMap;
use std::fmt::Write;

use pliant_face::Performance;
use serde::Deserialize;
use toml::Table;

use super::recipe::{Curve, DemoError, Room, Variant, moments};
use super::table::lay_over;

/// A face that performs while something happens to it.
#[derive(Clone, Debug)]
pub struct FaceDemo {
    /// Name on the command line.
    pub name: String,
    /// How it is shown.
    pub show: FaceShow,
    /// The performance.
    pub play: Play,
    effects: Table,
}

/// The table `[demo]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaceShow {
    /// One-line description.
    pub about: String,
    /// The figure that it makes again; may be empty.
    #[serde(default)]
    pub figure: String,
    /// Times in the filmstrip \[s\]: two are the ends of a range, more are the times themselves.
    pub strip: Vec<f64>,
    /// Which way the camera looks; at the face from the front without.
    #[serde(default)]
    pub view: Option<[f64; 3]>,
    /// Box that the camera shows \[m\]; the face if `None`.
    #[serde(default)]
    pub room: Option<Room>,
    /// Skin is painted by how far it is from where it was at first, red from this on \[mm\]; as it
    /// is without.
    #[serde(default)]
    pub paint_mm: Option<f64>,
    /// True if the camera follows the head.
    #[serde(default)]
    pub follow: bool,
    /// Length of the tets' edges in the cheek \[m\].
    #[serde(default = "usual_size")]
    pub size: f64,
    /// Plotted curves; none if empty.
    #[serde(default)]
    pub plot: Vec<Curve>,
    /// Numbers of the report that tell whether it works, told at the end.
    #[serde(default)]
    pub tells: Vec<String>,
    /// A stretch \[s\] in which the speed of the skin is told, too: its root mean square.
    #[serde(default)]
    pub window: Option<[f64; 2]>,
    /// Measurements between the variants, printed at the end.
    #[serde(default, rename = "measure")]
    pub measures: Vec<Measure>,
    /// The effects it compares: at least one.
    #[serde(default, rename = "variant")]
    pub variants: Vec<Variant>,
}

/// A number that says whether it works.
#[derive(Clone, Debug, Deserialize)]
pub struct Measure {
    /// When \[s\].
    pub at: f64,
    /// The measured quantity.
    #[serde(flatten)]
    pub of: MeasureKind,
}

/// A measurement of the skin.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasureKind {
    /// How far a region is, on the mean, from where it is in the first variant: along x, y and z,
    /// and along the skin's normals \[mm\].
    Moved(String),
    /// Mean difference between the displacements of the two sides, over the mean displacement.
    Asymmetry(bool),
}

fn usual_size() -> f64 {
    0.005
}

/// The table `[performance]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// How long it is \[s\].
    pub seconds: f64,
    /// Frames per second.
    #[serde(default = "usual_fps")]
    pub fps: f64,
    /// How long the face says the built-in words \[s\].
    #[serde(default)]
    pub speech: f64,
    /// Columns of the table of weights: keys (s, value), with smooth ways between them. They add to
    /// speech.
    #[serde(default)]
    pub columns: BTreeMap<String, Vec<[f64; 2]>>,
}

fn usual_fps() -> f64 {
    30.0
}

impl FaceDemo {
    /// Reads one that is built in.
    ///
    /// # Errors
    /// When it is not TOML, a table is missing or has other keys.
    pub(super) fn parse(name: &str, text: &str) -> Result<FaceDemo, DemoError> {
        let not_toml = |reason: toml::de::Error| DemoError::NotToml {
            name: name.to_owned(),
            reason: reason.to_string().trim_end().to_owned(),
        };
        let mut whole: Table = text.parse().map_err(not_toml)?;
        let missing = || DemoError::NoTable { name: name.to_owned() };
        let mut show: FaceShow =
            whole.remove("demo").ok_or_else(missing)?.try_into().map_err(not_toml)?;
        let play = whole.remove("performance").ok_or_else(missing)?.try_into().map_err(not_toml)?;
        let effects = match whole.remove("effects") {
            Some(toml::Value::Table(effects)) => effects,
            _ => Table::new(),
        };
        if show.variants.is_empty() {
            show.variants.push(Variant::default());
        }
        Ok(FaceDemo { name: name.to_owned(), show, play, effects })
    }

    /// The effects file of a variant.
    ///
    /// # Errors
    /// When what the variant sets cannot be written as TOML.
    pub fn effects_of(&self, variant: &Variant) -> Result<String, DemoError> {
        let mut effects = self.effects.clone();
        lay_over(&mut effects, &variant.set);
        toml::to_string(&effects).map_err(|error| DemoError::NotToml {
            name: self.name.clone(),
            reason: error.to_string(),
        })
    }

    /// The moments that the filmstrip shows \[s\].
    pub fn moments(&self) -> Vec<f64> {
        moments(&self.show.strip)
    }
}

impl Play {
    /// As a table that `pliant face animate` reads.
    ///
    /// ```
    /// let wind = pliant_project::demo::face("gust").expect("there is wind")?;
    /// assert!(wind.play.to_csv().starts_with("frame,"));
    /// # Ok::<(), pliant_project::demo::DemoError>(())
    /// ```
    pub fn to_csv(&self) -> String {
        let speech = Performance::speech(self.fps);
        let count = (self.seconds * self.fps).round().max(1.0) as usize;
        let mut columns: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        if self.speech > 0.0 {
            let spoken = (self.speech * self.fps).round() as usize;
            for (place, name) in speech.shapes.iter().enumerate() {
                let said = |k: usize| speech.frames[k % speech.frames.len()].weights[place];
                let said = (0..count).map(|k| if k < spoken { said(k) } else { 0.0 });
                columns.insert(name, said.collect());
            }
        }
        for (name, keys) in &self.columns {
            let values = columns.entry(name).or_insert_with(|| vec![0.0; count]);
            for (k, value) in values.iter_mut().enumerate() {
                *value += eased(keys, k as f64 / self.fps);
            }
        }
        let mut text = String::from("frame");
        columns.keys().for_each(|name| text.extend([",", name]));
        text.push('\n');
        for frame in 0..count {
            let _ = write!(text, "{frame}");
            columns.values().for_each(|values| _ = write!(text, ",{:.5}", values[frame]));
            text.push('\n');
        }
        text
    }
}

/// What keys say of a time (s): the nearest beyond their ends, and between two a way that starts
/// and ends slowly.
fn eased(keys: &[[f64; 2]], time: f64) -> f64 {
    let after = keys.partition_point(|key| key[0] <= time);
    match (after.checked_sub(1).and_then(|k| keys.get(k)), keys.get(after)) {
        (Some([from, a]), Some([to, b])) => {
            let part = (time - from) / (to - from);
            a + (b - a) * part * part * (3.0 - 2.0 * part)
        }
        (Some([_, value]), None) | (None, Some([_, value])) => *value,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[performance]\nseconds = 0.2\ncolumns.jawOpen = [[0.0, 0.0], [0.1, 1.0]]\n\
        [effects]\ngravity = [0, -9, 0]\n[demo]\nabout = 'x'\nstrip = [0, 0.1]\n\
        [[demo.variant]]\nlabel = 'up'\nset = { gravity = [0, 9, 0] }";

    #[test]
    fn keys_become_a_table_and_variants_are_laid_over_the_effects() {
        let demo = FaceDemo::parse("x", TEXT).unwrap();
        let table = demo.play.to_csv();
        assert_eq!(table.lines().count(), 7);
        assert!(table.starts_with("frame,jawOpen\n0,0.00000\n1,0.25926\n"), "{table}");
        assert!(table.ends_with("5,1.00000\n"), "{table}");
        let effects = demo.effects_of(&demo.show.variants[0]).unwrap();
        assert_eq!(effects.replace('\n', " ").trim(), "gravity = [0, 9, 0]");
    }

    #[test]
    fn speech_is_added_to() {
        let text = TEXT.replace("seconds = 0.2", "seconds = 1.0\nspeech = 1.0");
        let table = FaceDemo::parse("x", &text).unwrap().play.to_csv();
        assert_eq!(table.lines().next().unwrap().split(',').count(), 53);
    }

    #[test]
    fn what_is_no_demo_says_so() {
        for text in ["", "[demo]\nabout = 'x'\nstrip = [0, 1]", &TEXT.replace("about", "abuot")] {
            assert!(FaceDemo::parse("x", text).is_err(), "{text}");
        }
    }
}
