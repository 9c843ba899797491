//! Animations under writing: GIF or MP4, whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_io::atomic::{OnFailure, PartFile, part_path};
use pliant_view::{GifWriter, Mp4Writer, Picture};

use crate::error::ProjectError;
use crate::path::ending;

/// A film to which pictures of one size are added.
pub struct Film {
    path: PathBuf,
    writer: Writer,
}

enum Writer {
    Gif(Box<GifWriter<PartFile>>),
    Mp4(Mp4Writer),
}

impl Film {
    /// Starts `.gif` or `.mp4`, by the ending of the name, for pictures as large as `first`.
    pub fn start(path: &Path, first: &Picture, fps: f64) -> Result<Film, ProjectError> {
        let named = |error| ProjectError::about(path, error);
        let (width, height) = (first.width, first.height);
        let writer = match ending(path).as_str() {
            "mp4" => {
                Writer::Mp4(Mp4Writer::new(&part_path(path), width, height, fps).map_err(named)?)
            }
            _ => {
                let file = PartFile::create(path, OnFailure::Remove)?;
                Writer::Gif(Box::new(GifWriter::new(file, width, height, fps).map_err(named)?))
            }
        };
        Ok(Film { path: path.to_owned(), writer })
    }

    /// Adds a picture.
    pub fn add(&mut self, picture: &Picture) -> Result<(), ProjectError> {
        match &mut self.writer {
            Writer::Gif(gif) => gif.add(picture),
            Writer::Mp4(mp4) => mp4.add(picture),
        }
        .map_err(|error| self.failure(error))
    }

    /// Gives the film its name.
    pub fn finish(self) -> Result<(), ProjectError> {
        let path = self.path;
        match self.writer {
            Writer::Gif(gif) => {
                let file = gif.finish().map_err(|error| ProjectError::about(&path, error))?;
                Ok(file.commit()?)
            }
            Writer::Mp4(mp4) => {
                let part = part_path(&path);
                mp4.finish().map_err(|error| {
                    // Half a film is worth nothing; that it stays would not help, either.
                    let _ = fs::remove_file(&part);
                    ProjectError::about(&path, error)
                })?;
                fs::rename(&part, &path)
                    .map_err(|error| ProjectError::about(&path, format!("cannot rename: {error}")))
            }
        }
    }

    fn failure(&self, error: pliant_view::Error) -> ProjectError {
        if let Writer::Mp4(_) = self.writer {
            let _ = fs::remove_file(part_path(&self.path));
        }
        ProjectError::about(&self.path, error)
    }
}
