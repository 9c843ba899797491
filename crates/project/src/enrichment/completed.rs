//! The project file beside an enriched animation: what was written, and every value that was found
//! or taken by default. Enriching it gives the same animation again.

use std::path::{Path, PathBuf};

use pliant_enrich::detail::Transfer;
use pliant_enrich::embedding::default_resolution;
use pliant_enrich::{Blend, Enrichment, Project, SimulationOptions};
use toml::{Table, Value};

use crate::path::seen_from;
use crate::source::{PUPPET, Sequence};

/// A project as it was written; empty where none was.
#[derive(Default)]
pub struct Written {
    table: Table,
    folder: PathBuf,
}

/// Keys whose text is the name of a file.
const FILES: [&str; 5] = ["file", "mesh", "cache", "rest", "weight_map"];

impl Written {
    /// From the text of a project in a folder.
    pub fn of(text: &str, folder: &Path) -> Written {
        // It has been read before, and so is TOML.
        Written { table: text.parse().unwrap_or_default(), folder: folder.to_owned() }
    }

    /// The project with all its values, to be written into `target`; names of files are relative
    /// to that folder.
    pub fn completed(
        &self,
        target: &Path,
        project: &Project,
        input: &Sequence,
        enrichment: &Enrichment,
    ) -> String {
        let mut table = self.table.clone();
        for (key, value) in table.iter_mut() {
            self.name_files(target, key, value);
        }
        if let Some(Value::String(name)) = table.get_mut("separated") {
            *name = named(target, &self.folder.join(&*name));
        }
        let written = match project.input.starts_with(PUPPET) {
            true => project.input.clone(),
            false => {
                let parts = project.input.split('+').map(|part| named(target, Path::new(part)));
                parts.collect::<Vec<_>>().join("+")
            }
        };
        table.insert("input".to_owned(), Value::String(written));
        let young = SimulationOptions::default_young(enrichment.embedded());
        let material = Table::from_iter([
            ("model".to_owned(), Value::from(project.model.name())),
            ("young".to_owned(), Value::from(project.young.unwrap_or(young))),
            ("poisson".to_owned(), Value::from(project.poisson)),
            ("density".to_owned(), Value::from(project.density)),
        ]);
        let usual = || default_resolution(input.source.rest());
        let resolution = project.resolution.unwrap_or_else(usual);
        let mode = match project.blend {
            Blend::Implicit => "implicit",
            Blend::Kinematic => "kinematic",
            Blend::Tracks => "tracks",
        };
        let detail = match project.detail {
            Some(Transfer::Gradient) => Value::from("gradient"),
            other => Value::from(other.is_some()),
        };
        let whole = [
            ("fps", Value::from(input.source.fps())),
            ("resolution", Value::from(i64::from(resolution))),
            ("material", Value::from(material)),
            ("detail", detail),
            ("loop", Value::from(project.is_loop)),
            ("preroll", Value::from(i64::from(project.preroll))),
            ("gravity", Value::from(project.gravity.to_vec())),
        ];
        for (key, value) in whole {
            table.insert(key.to_owned(), value);
        }
        if let Some(clip) = &project.clip {
            table.insert("clip".to_owned(), Value::from(clip.clone()));
        }
        insert(&mut table, "fit", "gamma", Value::from(enrichment.gamma()));
        insert(&mut table, "fit", "model", Value::from(project.fit_model.name()));
        insert(&mut table, "blend", "mode", Value::from(mode));
        insert(&mut table, "blend", "eta", Value::from(project.eta));
        insert(&mut table, "blend", "zeta", Value::from(project.zeta));
        table.to_string()
    }

    /// Names files as they are seen from another folder.
    fn name_files(&self, target: &Path, key: &str, value: &mut Value) {
        match value {
            Value::String(name) if FILES.contains(&key) => {
                *name = named(target, &self.folder.join(&*name))
            }
            Value::Table(table) => {
                table.iter_mut().for_each(|(key, value)| self.name_files(target, key, value));
            }
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.name_files(target, key, item));
            }
            _ => {}
        }
    }
}

/// Sets a key of a table in a table.
fn insert(table: &mut Table, name: &str, key: &str, value: Value) {
    let inner = table.entry(name.to_owned()).or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(inner) = inner {
        inner.insert(key.to_owned(), value);
    }
}

fn named(folder: &Path, file: &Path) -> String {
    seen_from(folder, file).display().to_string()
}
