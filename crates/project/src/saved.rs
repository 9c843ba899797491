//! Saving results that a caller holds in memory.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pliant_io::atomic::{refuse_overwriting, write_whole};
use pliant_io::{AnimationWriter, Loaded};

use crate::error::ProjectError;

/// Files that one session has saved. It may overwrite them; all others only on request.
#[derive(Clone, Debug, Default)]
pub struct SavedFiles {
    files: Vec<PathBuf>,
}

impl SavedFiles {
    /// Refuses outputs that are inputs. Refuses files of others, too, unless `overwrite`.
    ///
    /// # Errors
    /// [`ProjectError::Exists`] for the first file of somebody else.
    pub fn check(
        &self,
        outputs: &[PathBuf],
        inputs: &[PathBuf],
        overwrite: bool,
    ) -> Result<(), ProjectError> {
        for output in outputs {
            refuse_overwriting(output, inputs)?;
            if output.exists() && !overwrite && !self.files.contains(output) {
                return Err(ProjectError::Exists { path: output.clone() });
            }
        }
        Ok(())
    }

    /// Adds files that were just written.
    pub fn extend(&mut self, outputs: Vec<PathBuf>) {
        self.files.extend(outputs);
    }
}

/// Writes a text file, complete or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write_text(path: &Path, text: &str) -> Result<(), ProjectError> {
    Ok(write_whole(path, text.as_bytes())?)
}

/// Files that [`write_animation`] writes: a file per frame, or one, with the rest mesh of a cache.
pub fn animation_outputs(path: &Path, frames: usize) -> Vec<PathBuf> {
    AnimationWriter::outputs(path, frames)
}

/// Writes `count` frames of an animation of `rest`, in the format of the path's ending. Returns
/// notes about what the format cannot hold.
///
/// # Errors
/// When a frame cannot be read or written.
pub fn write_animation<F: AsRef<[DVec3]>>(
    path: &Path,
    rest: Loaded,
    fps: f64,
    count: usize,
    mut frame: impl FnMut(usize) -> Result<F, ProjectError>,
) -> Result<Vec<String>, ProjectError> {
    let mut writer = AnimationWriter::create(path, rest, fps, count)?;
    for k in 0..count {
        writer.write_frame(frame(k)?.as_ref())?;
    }
    let notes = writer.notes().to_vec();
    writer.finish()?;
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_are_overwritten_only_on_request() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("walk.toml");
        let outputs = vec![path.clone()];
        let mut saved = SavedFiles::default();
        saved.check(&outputs, &[], false).unwrap();
        write_text(&path, "by somebody else").unwrap();
        let error = saved.check(&outputs, &[], false).unwrap_err();
        assert!(matches!(error, ProjectError::Exists { .. }), "{error}");
        saved.check(&outputs, &[], true).unwrap();
        saved.extend(outputs.clone());
        saved.check(&outputs, &[], false).unwrap();
        assert!(saved.check(&outputs, &outputs, true).is_err(), "an input is never overwritten");
    }
}
