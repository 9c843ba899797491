//! The copy of a scene in its run folder, with names of files that hold there, too.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_io::atomic::write_whole;
use toml::{Table, Value};

use crate::error::ProjectError;
use crate::path::seen_from;

/// The name of the copy.
pub const SCENE_COPY: &str = "scene.toml";

/// The first line of a copy, which may be replaced. All other files of the name are the user's.
const MARK: &str = "# A copy of the scene of this run, written by pliant.\n";

/// Keys of a scene whose value, where it is text, names a file.
const FILES: [&str; 4] = ["file", "surface", "separated", "mesh"];

/// A scene to be copied into its run folder.
pub(crate) struct SceneCopy {
    text: String,
    original: PathBuf,
}

impl SceneCopy {
    /// The text of the scene file `original`; names of files become relative to `folder`, where
    /// the copy will be.
    ///
    /// # Errors
    /// When the text is not TOML.
    pub fn of(original: &Path, text: &str, folder: &Path) -> Result<Self, ProjectError> {
        let named = |error: toml::de::Error| ProjectError::about(original, error);
        let table: Table = text.parse().map_err(named)?;
        let beside = original.parent().unwrap_or(Path::new(""));
        let mut resolved = table.clone();
        rename_files(&mut resolved, &|name| seen_from(folder, &beside.join(name)));
        // Comments are lost only where a name changes.
        let text = if resolved == table { text.to_owned() } else { resolved.to_string() };
        Ok(SceneCopy { text, original: original.to_owned() })
    }

    /// Writes the copy into a run folder. Returns a sentence if another scene of the user's is in
    /// its place, which stays.
    ///
    /// # Errors
    /// When the copy cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Option<String>, ProjectError> {
        let path = folder.join(SCENE_COPY);
        let is_original = match (path.canonicalize(), self.original.canonicalize()) {
            (Ok(place), Ok(original)) => place == original,
            _ => false,
        };
        if is_original {
            return Ok(None);
        }
        if path.symlink_metadata().is_ok() && !is_copy(&path) {
            let kept = path.display();
            return Ok(Some(format!(
                "{kept} is no copy of a scene and stays; `pliant render` needs --scene"
            )));
        }
        write_copy(folder, &self.text)?;
        Ok(None)
    }
}

/// Writes a scene into its run folder, in place of any other.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_copy(folder: &Path, text: &str) -> Result<(), ProjectError> {
    let text = format!("{MARK}{}", text.strip_prefix(MARK).unwrap_or(text));
    Ok(write_whole(&folder.join(SCENE_COPY), text.as_bytes())?)
}

fn is_copy(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.starts_with(MARK.as_bytes()))
}

/// Puts a folder before the relative names of files in a scene.
pub(crate) fn resolve_files(table: &mut Table, folder: &str) {
    rename_files(table, &|name| Path::new(folder).join(name));
}

/// Gives the files in a scene other names.
fn rename_files(table: &mut Table, renamed: &dyn Fn(&str) -> PathBuf) {
    for (key, value) in table {
        match value {
            Value::String(name) if FILES.contains(&key.as_str()) => {
                *name = renamed(name).to_string_lossy().into_owned();
            }
            other => rename_within(other, renamed),
        }
    }
}

fn rename_within(value: &mut Value, renamed: &dyn Fn(&str) -> PathBuf) {
    match value {
        Value::Table(table) => rename_files(table, renamed),
        Value::Array(items) => items.iter_mut().for_each(|item| rename_within(item, renamed)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_looked_for_in_the_folder() {
        let mut scene: Table = "name = 'mesh'\n[[body]]\nmesh = { surface = 'a.obj' }\n\
            [[body.attach]]\nselect = { any = [{ file = '/b.txt' }, { group = 'file' }] }\n\
            [[collider]]\nshape = { mesh = 'c.obj' }"
            .parse()
            .unwrap();
        resolve_files(&mut scene, "/home");
        let expected: Table = "name = 'mesh'\n[[body]]\nmesh = { surface = '/home/a.obj' }\n\
            [[body.attach]]\nselect = { any = [{ file = '/b.txt' }, { group = 'file' }] }\n\
            [[collider]]\nshape = { mesh = '/home/c.obj' }"
            .parse()
            .unwrap();
        assert_eq!(scene, expected);
    }

    #[test]
    fn a_copy_is_replaced_and_a_scene_of_the_user_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (original, place) = (folder.path().join("a.toml"), folder.path().join(SCENE_COPY));
        let copied = |text: &str| {
            SceneCopy::of(&original, text, folder.path()).unwrap().write(folder.path())
        };
        let read = || fs::read_to_string(&place).unwrap();
        assert_eq!(copied("frames = 1 # one").unwrap(), None);
        assert_eq!(read(), format!("{MARK}frames = 1 # one"));
        let of_copy = SceneCopy::of(&place, &read(), folder.path()).unwrap();
        assert_eq!(of_copy.write(folder.path()).unwrap(), None);
        assert_eq!(copied("frames = 2").unwrap(), None);
        assert_eq!(read(), format!("{MARK}frames = 2"));
        fs::write(&place, "frames = 3").unwrap();
        assert!(copied("frames = 4").unwrap().is_some());
        assert_eq!(read(), "frames = 3");
    }
}
