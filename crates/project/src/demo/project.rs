//! Demos that enrich an animation: a project file, and how it is shown.

use serde::Deserialize;
use toml::Table;

use super::recipe::{DemoError, Room};

/// How an animation is looked at.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Look {
    /// Above the picture; the input's name without.
    #[serde(skip)]
    pub title: String,
    /// Which way the camera looks.
    pub view: Option<[f64; 3]>,
    /// Only what is in here at rest is seen.
    pub cut: Option<Room>,
    /// The frames that are made, such as `0..36`; all of them without.
    pub frames: Option<String>,
    /// Times in the filmstrip \[s\]; six evenly spaced ones if empty.
    pub moments: Vec<f64>,
}

/// A project file with a table `[demo]` at its end, which may be missing.
#[derive(Clone, Debug)]
pub struct ProjectDemo {
    /// Name on the command line.
    pub name: &'static str,
    /// One-line description: the file's first line.
    pub about: &'static str,
    /// The project alone.
    pub text: &'static str,
    /// The table.
    pub look: Look,
}

impl ProjectDemo {
    /// Reads a project file that ends with a table `[demo]`.
    ///
    /// # Errors
    /// When what comes after `[demo]` is not TOML, or has other keys.
    pub fn parse(name: &'static str, whole: &'static str) -> Result<ProjectDemo, DemoError> {
        let (text, table) = whole.split_once("\n[demo]\n").unwrap_or((whole, ""));
        let not_toml = |reason: toml::de::Error| DemoError::NotToml {
            name: name.to_owned(),
            reason: reason.to_string().trim_end().to_owned(),
        };
        let table: Table = table.parse().map_err(not_toml)?;
        let look: Look = table.try_into().map_err(not_toml)?;
        let about = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        Ok(ProjectDemo { name, about, text, look: Look { title: about.to_owned(), ..look } })
    }
}
