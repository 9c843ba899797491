//! Saving what a [`Simulation`] has recorded.

use std::path::Path;

use pliant_model::DVec3;
use pliant_sim::Simulation;

use crate::error::ProjectError;
use crate::saved::write_animation;
use crate::scene::Surfaces;
use crate::source::DEFAULT_FPS;

/// Saves recordings as animations.
pub trait Save {
    /// Writes the recorded surfaces of all bodies, in the format of the path's ending; the rest
    /// mesh goes beside caches such as `.pc2`. Returns notes about what the format cannot hold.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{Body, Material};
    /// use pliant_project::Save;
    /// use pliant_sim::Simulation;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let block = shapes::box3([1.0, 1.0, 1.0], [2, 2, 2])?;
    /// let block = Body::solid("block", block, Material::neo_hookean(1e5, 0.4, 1000.0));
    /// let mut sim = Simulation::builder().body(block).build()?;
    /// sim.step(1.0 / 60.0);
    /// sim.save(folder.path().join("fall.pc2"))?;
    /// assert!(folder.path().join("fall.obj").exists(), "the rest mesh is beside the cache");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When nothing was recorded, or the file cannot be written.
    fn save(&self, path: impl AsRef<Path>) -> Result<Vec<String>, ProjectError>;
}

impl Save for Simulation {
    fn save(&self, path: impl AsRef<Path>) -> Result<Vec<String>, ProjectError> {
        let path = path.as_ref();
        let Some(recording) = self.recording() else {
            let sentence = "nothing was recorded: recording is switched off in this simulation";
            return Err(ProjectError::Request(sentence.to_owned()));
        };
        let surfaces = Surfaces::of(self.model());
        let rest = surfaces.rest().clone();
        let mut shown = vec![DVec3::ZERO; rest.mesh.positions.len()];
        let fps = recording.fps().unwrap_or(DEFAULT_FPS);
        let frames: Vec<&[DVec3]> = recording.frames().collect();
        let mut notes = write_animation(path, rest, fps, frames.len(), |k| {
            surfaces.carry_vertices(frames[k], &mut shown);
            Ok(shown.clone())
        })?;
        if recording.missed() > 0 {
            let missed = recording.missed();
            notes.push(format!("the last {missed} steps are missing: the recording was full"));
        }
        Ok(notes)
    }
}
