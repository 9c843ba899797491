//! What can be set at Enrich, and what that means to the project.

use pliant_enrich::{Blend, Project};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::paint::Paint;
use super::piece::Source;
use crate::change::changed;
use crate::error::StudioError;

/// Everything that can be set, and undone; what is `None` is found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// The animation that is open.
    pub source: Source,
    /// Cells along the longest side.
    pub resolution: Option<u32>,
    /// Young's modulus of the body \[Pa\].
    pub young: Option<f64>,
    /// Whether the last frame leads into the first.
    pub is_loop: bool,
    /// Whether weights act on shapes, after the simulation, and not as a force.
    pub is_kinematic: bool,
}

impl Settings {
    /// What a project has.
    pub fn of(source: Source, project: &Project) -> Settings {
        Settings {
            source,
            resolution: project.resolution,
            young: project.young,
            is_loop: project.is_loop,
            is_kinematic: project.blend == Blend::Kinematic,
        }
    }

    /// These with some keys changed.
    ///
    /// # Errors
    /// A sentence about the key.
    pub fn changed(&self, change: &serde_json::Value) -> Result<Settings, StudioError> {
        if change.get("source").is_some() {
            return Err(StudioError::refused("An animation is opened, not set."));
        }
        let settings = changed(self, change, &[])?;
        if settings.resolution.is_some_and(|cells| !(4..=200).contains(&cells)) {
            return Err(StudioError::refused("Expected a resolution from 4 to 200 cells."));
        }
        if settings.young.is_some_and(|young| !(1.0..=1e12).contains(&young)) {
            return Err(StudioError::refused("Expected a stiffness from 1 to 10¹² Pa."));
        }
        Ok(settings)
    }
}

/// The project that says what is set and painted, as `pliant enrich` reads it; `before` is what
/// `table` says.
pub fn project_text(
    table: &Table,
    (settings, paint): (&Settings, &Paint),
    before: (&Settings, &Paint, &Project),
) -> String {
    let mut table = table.clone();
    let (old, unpainted, project) = before;
    if settings.resolution != old.resolution {
        match settings.resolution {
            Some(cells) => table.insert("resolution".to_owned(), Value::from(i64::from(cells))),
            None => table.remove("resolution"),
        };
    }
    if settings.young != old.young {
        let mut material = Table::from_iter([
            ("model".to_owned(), Value::from(project.model.name())),
            ("poisson".to_owned(), Value::from(project.poisson)),
            ("density".to_owned(), Value::from(project.density)),
        ]);
        if let Some(young) = settings.young {
            material.insert("young".to_owned(), Value::from(young));
        }
        table.insert("material".to_owned(), Value::from(material));
    }
    if settings.is_loop != old.is_loop {
        table.insert("loop".to_owned(), Value::from(settings.is_loop));
    }
    if settings.is_kinematic != old.is_kinematic {
        let blend = table.entry("blend".to_owned()).or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(blend) = blend {
            let mode = if settings.is_kinematic { "kinematic" } else { "implicit" };
            blend.insert("mode".to_owned(), Value::from(mode));
        }
    }
    paint.write(unpainted, &mut table);
    table.to_string()
}
