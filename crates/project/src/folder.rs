//! A folder that a caller has opened: no name leads out of it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use pliant_io::IoError;
use pliant_io::atomic::{create_folder, write_whole};

use crate::error::ProjectError;

/// Files that [`ProjectFolder::files`] lists at most.
const MOST_FILES: usize = 2000;
/// Folders below the opened one that it searches.
const DEEPEST: usize = 4;
/// Longest name of a new file (bytes).
const LONGEST_NAME: usize = 120;

/// Finds the file that a project names.
pub type Locate<'a> = dyn Fn(&str) -> Result<PathBuf, ProjectError> + 'a;

/// Names of files start from `folder`, and may lead anywhere.
pub fn within(folder: &Path) -> impl Fn(&str) -> Result<PathBuf, ProjectError> {
    move |name| Ok(folder.join(name))
}

/// A folder from which files are read and into which files are written. Links that lead out of it
/// are refused.
#[derive(Debug)]
pub struct ProjectFolder {
    /// Without links.
    root: PathBuf,
    /// Names of files begin with it.
    prefix: &'static str,
}

impl ProjectFolder {
    /// Opens a folder; names of its files begin with `prefix`.
    ///
    /// # Errors
    /// When the folder does not exist.
    pub fn open(path: &Path, prefix: &'static str) -> Result<Self, ProjectError> {
        let root = path.canonicalize().map_err(IoError::system(path, "open"))?;
        Ok(ProjectFolder { root, prefix })
    }

    /// Returns the path of a file.
    ///
    /// ```
    /// use pliant_project::folder::ProjectFolder;
    /// let place = tempfile::tempdir()?;
    /// std::fs::write(place.path().join("scene.toml"), "")?;
    /// let folder = ProjectFolder::open(place.path(), "")?;
    /// assert!(folder.find("scene.toml").is_ok());
    /// assert!(folder.find("../scene.toml").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ProjectError::Outside`] when the folder has no such file.
    pub fn find(&self, name: &str) -> Result<PathBuf, ProjectError> {
        let outside = || ProjectError::Outside(name.to_owned());
        let own = self.own(name);
        if own.is_empty() || !is_below(own) {
            return Err(outside());
        }
        // Links are resolved before the test.
        let path = self.root.join(own).canonicalize().map_err(|_| outside())?;
        if path.starts_with(&self.root) && path.is_file() { Ok(path) } else { Err(outside()) }
    }

    /// Returns the path of numbered files, whose name has a `*` in it.
    ///
    /// # Errors
    /// [`ProjectError::Outside`] when a file beside them leads out of the folder.
    pub fn find_pattern(&self, name: &str) -> Result<PathBuf, ProjectError> {
        let outside = || ProjectError::Outside(name.to_owned());
        let own = self.own(name);
        let (below, pattern) = own.rsplit_once('/').unwrap_or(("", own));
        if below.contains(['*', '?', '[']) || !is_below(below) {
            return Err(outside());
        }
        let folder = self.root.join(below).canonicalize().map_err(|_| outside())?;
        let leaves =
            |path: &PathBuf| path.canonicalize().is_ok_and(|own| !own.starts_with(&self.root));
        if !folder.starts_with(&self.root) || entries(&folder).is_none_or(|e| e.iter().any(leaves))
        {
            return Err(outside());
        }
        Ok(folder.join(pattern))
    }

    /// Returns the path of a file to be written, in the folder or in one below it that exists.
    ///
    /// # Errors
    /// When the name leads out of the folder or holds unusual characters.
    pub fn new_file(&self, name: &str) -> Result<PathBuf, ProjectError> {
        let (below, own) = name.rsplit_once('/').unwrap_or(("", name));
        if name.starts_with('/') {
            return Err(ProjectError::Outside(name.to_owned()));
        }
        Ok(self.below(below)?.join(plain(own)?))
    }

    /// Returns the path of a folder below this one, which is created where it is missing.
    ///
    /// # Errors
    /// When the name leads out of the folder, or the system refuses.
    pub fn new_folder(&self, name: &str) -> Result<PathBuf, ProjectError> {
        create_folder(&self.new_file(name)?)?;
        self.below(name)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// As [`new_file`](Self::new_file), and when the file cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ProjectError> {
        Ok(write_whole(&self.new_file(name)?, bytes)?)
    }

    /// Names of the files with one of the endings, in order.
    pub fn files(&self, endings: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        self.list(&self.root, 0, endings, &mut found);
        found.sort();
        found.into_iter().map(|name| format!("{}{name}", self.prefix)).collect()
    }

    /// Sizes of the files in the folder itself (bytes).
    pub fn size(&self) -> u64 {
        let sizes = entries(&self.root).unwrap_or_default().into_iter();
        sizes.filter_map(|path| path.metadata().ok()).map(|data| data.len()).sum()
    }

    /// A name without the prefix.
    fn own<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(self.prefix).unwrap_or(name)
    }

    /// A folder below this one.
    fn below(&self, name: &str) -> Result<PathBuf, ProjectError> {
        let outside = || ProjectError::Outside(name.to_owned());
        if !is_below(name) {
            return Err(outside());
        }
        let folder = self.root.join(name).canonicalize().map_err(|_| outside())?;
        if folder.starts_with(&self.root) && folder.is_dir() { Ok(folder) } else { Err(outside()) }
    }

    fn list(&self, folder: &Path, depth: usize, endings: &[&str], found: &mut Vec<String>) {
        let mut paths = entries(folder).unwrap_or_default();
        paths.sort();
        for path in paths {
            let is_hidden =
                path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
            if is_hidden || found.len() >= MOST_FILES {
                continue;
            }
            let has_ending = |own: &std::ffi::OsStr| {
                endings.iter().any(|ending| own.eq_ignore_ascii_case(ending))
            };
            if path.is_dir() && !path.is_symlink() && depth < DEEPEST {
                self.list(&path, depth + 1, endings, found);
            } else if path.extension().is_some_and(has_ending)
                && let Ok(own) = path.strip_prefix(&self.root)
            {
                found.push(own.to_string_lossy().replace('\\', "/"));
            }
        }
    }
}

/// Paths in a folder; `None` if it cannot be listed.
fn entries(folder: &Path) -> Option<Vec<PathBuf>> {
    Some(fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect())
}

/// True if every part of a name leads down, or nowhere.
fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The name of a file, without any folder.
fn plain(name: &str) -> Result<&str, ProjectError> {
    let is_plain = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || "._- ".contains(c));
    match is_plain {
        true => Ok(name),
        false => Err(ProjectError::Request(format!(
            "`{}` is no name of a file: expected letters, digits, points and hyphens",
            name.chars().take(80).collect::<String>()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("opened");
        create_folder(&root.join("deeper")).unwrap();
        for path in ["secret.toml", "opened/own.toml", "opened/deeper/own.toml"] {
            write_whole(&place.path().join(path), b"").unwrap();
        }
        let folder = ProjectFolder::open(&root, "up:").unwrap();
        assert_eq!(folder.files(&["toml"]), ["up:deeper/own.toml", "up:own.toml"]);
        for name in ["own.toml", "up:own.toml", "up:deeper/own.toml", "./own.toml"] {
            assert!(folder.find(name).is_ok(), "{name}");
        }
        let secret = place.path().join("secret.toml");
        for name in ["../secret.toml", "deeper/../own.toml", secret.to_str().unwrap(), "", "deeper"]
        {
            assert!(matches!(folder.find(name), Err(ProjectError::Outside(_))), "{name}");
        }
        for name in ["../new.toml", "/new.toml", ".new.toml", "deeper/..", "none/new.toml"] {
            assert!(folder.new_file(name).is_err(), "{name}");
        }
        assert!(folder.find_pattern("own*.toml").is_ok());
        assert_eq!(folder.new_folder("fix").unwrap(), folder.root.join("fix"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&secret, root.join("link.toml")).unwrap();
            std::os::unix::fs::symlink(place.path(), root.join("out")).unwrap();
            assert!(folder.find("link.toml").is_err());
            assert!(folder.find_pattern("own*.toml").is_err());
            assert!(folder.new_file("out/new.toml").is_err());
            assert!(folder.new_folder("out").is_err());
        }
    }
}
