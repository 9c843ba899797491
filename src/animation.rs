//! What a user wrote where an animation is asked for, opened.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant::io::Animation;
use pliant::mesh::Mesh;

use crate::failure::Failure;

/// An animation with the name it was asked for by: a mesh file, a glob of frames,
/// `rest.obj+cache.pc2`, a cache, or the directory of a run.
pub struct Source {
    written: String,
    files: Vec<PathBuf>,
    animation: Animation,
}

impl Source {
    /// Opens it; frames are read one at a time, later.
    pub fn open(written: &str) -> Result<Source, Failure> {
        let path = Path::new(written);
        let (files, animation) = if path.is_dir() {
            let (rest, cache) = (path.join("rest.obj"), path.join("animation.pc2"));
            let animation = Animation::with_cache(&rest, &cache)?;
            (vec![rest, cache], animation)
        } else {
            let parts = written.split('+').map(PathBuf::from);
            (parts.chain([path.to_owned()]).collect(), Animation::open(written)?)
        };
        if animation.frame_count() == 0 {
            return Err(Failure::about(path, "expected at least one frame, found none"));
        }
        Ok(Source { written: written.to_owned(), files, animation })
    }

    /// A short name, for labels.
    pub fn name(&self) -> String {
        let path = Path::new(&self.written);
        path.file_name().map_or(self.written.clone(), |name| name.to_string_lossy().into())
    }

    /// The files that must not be overwritten.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The mesh at rest.
    pub fn rest(&self) -> &Mesh {
        self.animation.rest()
    }

    /// What the readers have to say.
    pub fn notes(&self) -> &[String] {
        self.animation.notes()
    }

    /// Number of frames, at least one.
    pub fn frames(&self) -> usize {
        self.animation.frame_count()
    }

    /// Positions of a frame, from 0 \[m\].
    pub fn frame(&mut self, index: usize) -> Result<Vec<DVec3>, Failure> {
        if index >= self.frames() {
            let problem = format!("has {} frames, but frame {index} is asked for", self.frames());
            return Err(Failure::about(Path::new(&self.written), problem));
        }
        let mut positions = vec![DVec3::ZERO; self.rest().positions.len()];
        self.animation.read_frame(index, &mut positions)?;
        Ok(positions)
    }
}
