//! What leaves the studio: the project, and what came of it.

use std::path::{Path, PathBuf};

use pliant_io::Format;
use pliant_project::saved::{SavedFiles, animation_outputs, write_animation, write_text};

use super::piece::{Piece, Source};
use crate::error::StudioError;
use crate::opened::{Opened, UPLOADED};

/// Formats that a result is written in.
const FORMATS: [&str; 4] = ["glb", "usda", "pc2", "obj"];

/// What is written: a project, and a result where there is one.
pub struct Export<'a> {
    pub piece: &'a Piece,
    pub text: &'a str,
    /// In the input's unit.
    pub result: &'a [Vec<glam::DVec3>],
}

impl Export<'_> {
    /// Writes both beside the animation, under a name without an ending; returns the files.
    ///
    /// # Errors
    /// When something else has that name and should keep it, or there is no folder to write into.
    pub fn save(
        &self,
        (name, format): (&str, &str),
        over: bool,
        opened: &Opened,
        saved: &mut SavedFiles,
    ) -> Result<Vec<String>, StudioError> {
        if matches!(&self.piece.source, Source::File(file) if file.starts_with(UPLOADED)) {
            let sentence = "The animation was uploaded: download the project and the result, or put its \
                file into the opened folder and open it there.";
            return Err(StudioError::refused(sentence));
        }
        let folder = &self.piece.folder;
        let project = opened.project()?.new_file(&format!("{folder}{name}.toml"))?;
        let mut files = vec![project.clone()];
        let result = self.result_path(&project, format)?;
        files.extend(result.iter().flat_map(|path| animation_outputs(path, self.result.len())));
        saved.check(&files, &self.piece.inputs, over)?;
        write_text(&project, self.text)?;
        if let Some(path) = &result {
            self.write_result(path)?;
        }
        let names = files.iter().map(|file| file_name(file)).collect();
        saved.extend(files);
        Ok(names)
    }

    /// Writes one of them for a page to take; returns its name.
    ///
    /// # Errors
    /// When there is no result.
    pub fn make(&self, what: &str, format: &str, opened: &Opened) -> Result<String, StudioError> {
        let name = self.stem();
        let project = opened.downloads().new_file(&format!("{name}.toml"))?;
        match what {
            "project" => {
                write_text(&project, self.text)?;
                Ok(file_name(&project))
            }
            "result" if !is_one_file(format) => {
                Err(StudioError::refused("Expected a format that is one file: glb or usda."))
            }
            "result" => {
                let path = self.result_path(&project, format)?;
                let path = path.ok_or_else(|| StudioError::refused("There is no result yet."))?;
                self.write_result(&path)?;
                Ok(file_name(&path))
            }
            _ => Err(StudioError::refused("Expected `project` or `result`.")),
        }
    }

    /// A name that says where it comes from.
    pub fn stem(&self) -> String {
        let name = self.piece.source.name();
        let name = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        let plain = |c: char| if c.is_alphanumeric() || "_-".contains(c) { c } else { '_' };
        format!("{}_soft", name.chars().map(plain).collect::<String>().trim_matches('_'))
    }

    fn result_path(&self, project: &Path, format: &str) -> Result<Option<PathBuf>, StudioError> {
        if !FORMATS.contains(&format) {
            let known = FORMATS.join(", ");
            return Err(StudioError::refused(format!("Expected a format, one of {known}.")));
        }
        if self.result.is_empty() {
            return Ok(None);
        }
        let stem = project.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Some(project.with_file_name(match holds_animation(format) {
            true => format!("{stem}.{format}"),
            false => format!("{stem}-*.{format}"),
        })))
    }

    fn write_result(&self, path: &Path) -> Result<(), StudioError> {
        let rest = self.piece.loaded.clone();
        let frame = |k: usize| Ok(&self.result[k]);
        write_animation(path, rest, self.piece.fps, self.result.len(), frame)?;
        Ok(())
    }
}

/// True if one file of the format with this ending holds an animation.
fn holds_animation(ending: &str) -> bool {
    Format::of(&Path::new("a").with_extension(ending)).is_some_and(Format::holds_animation)
}

/// True if an animation in the format with this ending is a single file.
fn is_one_file(ending: &str) -> bool {
    let path = Path::new("a").with_extension(ending);
    holds_animation(ending) && animation_outputs(&path, 1).len() == 1
}

pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
