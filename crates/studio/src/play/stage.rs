//! The scene that is open, and those that can be.

use pliant_model::{Breeze, Method, ModelBuilder};
use pliant_project::ProjectError;
use pliant_project::scene::SceneFiles;
use pliant_scene::SceneFile;
use serde_json::{Value, json};

use super::lane::Lane;
use super::settings::{Settings, Source};
use super::shown::Shown;
use super::words::menus;
use crate::error::StudioError;
use crate::opened::Opened;

/// A scene that is open.
pub struct Stage {
    /// As it was written.
    pub scene: SceneFile,
    builder: ModelBuilder,
    /// How it asks to be stepped.
    pub method: Method,
    breeze: Option<Breeze>,
    /// What is seen of it.
    pub shown: Shown,
}

/// What there is to choose from.
pub fn library(opened: &Opened) -> Value {
    let scenes: Vec<Value> = opened
        .library
        .scenes
        .iter()
        .map(|scene| {
            let variants: Vec<&String> = scene.variants.iter().map(|own| &own.label).collect();
            json!({ "name": scene.name, "about": scene.about, "variants": variants })
        })
        .collect();
    json!({
        "kind": "library",
        "scenes": scenes,
        "files": opened.files(&["toml"]),
        "menus": menus(),
    })
}

/// The scene that was named, or the flagship.
pub fn first_scene(opened: &Opened) -> Result<Source, StudioError> {
    if let Some(file) = opened.first().filter(|file| file.ends_with(".toml")) {
        return Ok(Source::File(file.to_owned()));
    }
    flagship(opened)
}

/// The first of those that are built in.
pub fn flagship(opened: &Opened) -> Result<Source, StudioError> {
    let first = opened.library.scenes.first();
    let first = first.ok_or_else(|| StudioError::refused("There is no scene to play."))?;
    Ok(Source::Demo { name: first.name.clone(), variant: 0 })
}

impl Stage {
    /// Reads and meshes it.
    ///
    /// # Errors
    /// When it is not there, or no scene.
    pub fn open(opened: &Opened, source: &Source) -> Result<Stage, StudioError> {
        let (text, name) = match source {
            Source::File(name) => (opened.text(name)?, name.as_str()),
            Source::Demo { name, variant } => {
                let scene = opened.library.scenes.iter().find(|scene| scene.name == *name);
                let found = scene.and_then(|scene| Some((scene, scene.variants.get(*variant)?)));
                let missing = || StudioError::refused(format!("There is no scene `{name}`."));
                let (scene, variant) = found.ok_or_else(missing)?;
                let text = scene.scene_of(variant).map_err(ProjectError::from)?;
                (text, name.as_str())
            }
        };
        let refused = |error| StudioError::refused(format!("{name}: {error}"));
        let scene = SceneFile::parse(&text).map_err(refused)?;
        let folder = name.rfind('/').map_or("", |at| &name[..=at]);
        let builder = scene.builder(&mut SceneFiles::new(opened.within(folder)))?;
        let method = scene.integrator.method;
        let breeze = scene.integrator.wind.as_ref().map(Breeze::from);
        let shown = Shown::new(&scene, &builder, opened.threads)?;
        Ok(Stage { scene, builder, method, breeze, shown })
    }

    /// A lane per method.
    ///
    /// # Errors
    /// When a method does not go with the scene.
    pub fn lanes(&self, settings: &Settings, threads: usize) -> Result<Vec<Lane>, StudioError> {
        let build = |choice| {
            let mut builder = self.builder.clone().stiffened(settings.stiffness);
            builder = builder.method(settings.method(choice, &self.method));
            if let Some(breeze) = settings.breeze(self.breeze.as_ref()) {
                builder = builder.wind(breeze);
            }
            Lane::new(&builder, &self.shown.grips, threads)
        };
        settings.methods.iter().map(build).collect()
    }
}
