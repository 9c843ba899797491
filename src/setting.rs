//! The surroundings of an animation: colliders and floor of the scene that it was simulated from.

use std::path::{Path, PathBuf};

use pliant::scene::SceneFile;

use crate::failure::Failure;
use crate::props::{Prop, floor};

/// Colliders and floor of a scene.
pub struct Setting {
    pub props: Vec<Prop>,
    /// Height of the floor, if the scene has one \[m\].
    pub floor: Option<f64>,
    /// Frames per second of the simulation.
    pub fps: f64,
    /// Files that were read.
    pub files: Vec<PathBuf>,
}

impl Setting {
    /// Reads a scene file and the meshes of its colliders.
    pub fn open(path: &Path) -> Result<Setting, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::about(path, format!("cannot read: {error}")))?;
        let scene = SceneFile::parse(&text).map_err(|error| Failure::about(path, error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let props = Prop::of_scene(&scene, folder)?;
        Ok(Setting { props, floor: floor(&scene), fps: scene.fps, files: vec![path.to_owned()] })
    }

    /// The scene file in a run directory, where a demo has left it.
    pub fn beside(written: &str) -> Option<PathBuf> {
        let path = Path::new(written).join("scene.toml");
        path.is_file().then_some(path)
    }
}
