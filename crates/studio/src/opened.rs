//! What the studio was opened with: what is built in, and a project, out of whose folder nothing is read or
//! written.

use std::path::{Component, Path, PathBuf};

use glam::DVec3;
use pliant_io::{Loaded, read_bytes, read_ids, read_mesh, read_text};
use pliant_mesh::{Mesh, Surface};
use pliant_scene::{FileError, Files};
use tempfile::TempDir;

use crate::error::StudioError;

/// Files of a project that are listed, and how deep in its folder.
const MOST_FILES: usize = 2000;
const DEEPEST: usize = 4;
/// What a name of an uploaded file begins with.
pub const UPLOADED: &str = "upload:";

/// A scene that is built in.
#[derive(Clone, Debug, Default)]
pub struct SceneEntry {
    /// What to type.
    pub name: String,
    /// What it shows, in one line.
    pub about: String,
    /// Labels of the methods that it compares, and scene files.
    pub variants: Vec<(String, String)>,
}

/// What is built in.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The flagship first.
    pub scenes: Vec<SceneEntry>,
    /// Animations to be enriched: names, and project files.
    pub projects: Vec<(String, String)>,
    /// Animations that are made.
    pub puppets: Option<Puppets>,
}

/// What names such as `puppet:elephant` stand for, at so many frames per second; `None` for other names.
pub type Puppets = fn(&str, Option<f64>) -> Option<Result<Made, StudioError>>;

/// An animation that is made, not read.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// Its mesh.
    pub loaded: Loaded,
    /// Frames per second.
    pub fps: f64,
    /// Where its vertices are \[m\].
    pub frames: Vec<Vec<DVec3>>,
}

/// All that a place may read.
#[derive(Debug)]
pub struct Opened {
    /// What is built in.
    pub library: Library,
    /// Threads for a simulation.
    pub threads: usize,
    folder: Option<PathBuf>,
    /// The file that was named, relative to the folder.
    first: Option<String>,
    uploads: TempDir,
    /// What pages can take with them.
    made: TempDir,
}

impl Opened {
    /// Opens a file, with its folder, or a folder.
    ///
    /// # Errors
    /// When it is not there.
    pub fn new(
        file: Option<&Path>,
        library: Library,
        threads: usize,
    ) -> Result<Opened, StudioError> {
        let temporary = || {
            TempDir::new().map_err(|error| StudioError::System {
                what: "cannot make a folder for uploads",
                reason: error.to_string(),
            })
        };
        let (uploads, made) = (temporary()?, temporary()?);
        let mut opened = Opened { library, threads, folder: None, first: None, uploads, made };
        if let Some(path) = file {
            let missing = |source| StudioError::Project { path: path.to_owned(), source };
            let whole = path.canonicalize().map_err(missing)?;
            if whole.is_dir() {
                opened.folder = Some(whole);
            } else {
                opened.first = whole.file_name().map(|name| name.to_string_lossy().into_owned());
                opened.folder = whole.parent().map(Path::to_owned);
            }
        }
        Ok(opened)
    }

    /// The file that was named, as places name files.
    pub fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    /// Where a file of the project, or an uploaded one, is.
    ///
    /// # Errors
    /// When it is neither, whatever way its name takes.
    pub fn find(&self, name: &str) -> Result<PathBuf, StudioError> {
        let outside = || StudioError::Outside(name.to_owned());
        let (folder, own) = match name.strip_prefix(UPLOADED) {
            Some(own) => (self.uploads.path().canonicalize().map_err(|_| outside())?, own),
            None => (self.folder.clone().ok_or_else(outside)?, name),
        };
        if own.is_empty() || !Path::new(own).components().all(is_below) {
            return Err(outside());
        }
        // Links are followed before it is asked where they lead.
        let path = folder.join(own).canonicalize().map_err(|_| outside())?;
        if path.starts_with(&folder) && path.is_file() { Ok(path) } else { Err(outside()) }
    }

    /// Where an uploaded file of a name is to be written.
    ///
    /// # Errors
    /// When the name is none of a file.
    pub fn upload_path(&self, name: &str) -> Result<PathBuf, StudioError> {
        Ok(self.uploads.path().join(plain(name)?))
    }

    /// Where a file of a name is that pages can take with them.
    ///
    /// # Errors
    /// When the name is none of a file.
    pub fn made_path(&self, name: &str) -> Result<PathBuf, StudioError> {
        Ok(self.made.path().join(plain(name)?))
    }

    /// Where a file of the project is to be written: in its folder, or in one below that is there.
    ///
    /// # Errors
    /// When there is no project, or the name leads out of it.
    pub fn new_path(&self, name: &str) -> Result<PathBuf, StudioError> {
        let Some(root) = &self.folder else {
            let sentence = "No folder is open to save into: open the studio with a file or a folder, \
                or download instead.";
            return Err(StudioError::refused(sentence));
        };
        let (folder, name) = name.rsplit_once('/').unwrap_or(("", name));
        let outside = || StudioError::Outside(folder.to_owned());
        if !Path::new(folder).components().all(is_below) {
            return Err(outside());
        }
        let folder = root.join(folder).canonicalize().map_err(|_| outside())?;
        match folder.starts_with(root) && folder.is_dir() {
            true => Ok(folder.join(plain(name)?)),
            false => Err(outside()),
        }
    }

    /// Where numbered files of the project are, by a name with a `*` in it.
    ///
    /// # Errors
    /// When any file that it may stand for is not in the project.
    pub fn pattern(&self, name: &str) -> Result<PathBuf, StudioError> {
        let outside = || StudioError::Outside(name.to_owned());
        let (root, own) = match name.strip_prefix(UPLOADED) {
            Some(own) => (self.uploads.path().canonicalize().map_err(|_| outside())?, own),
            None => (self.folder.clone().ok_or_else(outside)?, name),
        };
        let (folder, pattern) = own.rsplit_once('/').unwrap_or(("", own));
        let is_pattern = |part: &str| part.contains(['*', '?', '[']);
        if is_pattern(folder) || !Path::new(folder).components().all(is_below) {
            return Err(outside());
        }
        let folder = root.join(folder).canonicalize().map_err(|_| outside())?;
        let entries = std::fs::read_dir(&folder).map_err(|_| outside())?;
        let leaves = |path: PathBuf| path.canonicalize().is_ok_and(|own| !own.starts_with(&root));
        if !folder.starts_with(&root) || entries.flatten().any(|entry| leaves(entry.path())) {
            return Err(outside());
        }
        Ok(folder.join(pattern))
    }

    /// How much was uploaded so far (bytes).
    pub fn uploaded(&self) -> u64 {
        let list = std::fs::read_dir(self.uploads.path());
        let sizes = list.into_iter().flatten().flatten().filter_map(|entry| entry.metadata().ok());
        sizes.map(|data| data.len()).sum()
    }

    /// Files of the project with one of the endings, as places name files, in order.
    pub fn files(&self, endings: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(folder) = &self.folder {
            list(folder, folder, 0, endings, &mut found);
        }
        found.sort();
        let mut uploads = Vec::new();
        list(self.uploads.path(), self.uploads.path(), 0, endings, &mut uploads);
        uploads.sort();
        found.extend(uploads.into_iter().map(|name| format!("{UPLOADED}{name}")));
        found
    }

    /// The text of a file.
    ///
    /// # Errors
    /// When it is not in the project, or no text.
    pub fn text(&self, name: &str) -> Result<String, StudioError> {
        Ok(read_text(&self.find(name)?)?)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// When it is not in the project.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, StudioError> {
        Ok(read_bytes(&self.find(name)?)?)
    }
}

/// Whether a part of a path leads down, or nowhere.
fn is_below(part: Component) -> bool {
    matches!(part, Component::Normal(_) | Component::CurDir)
}

/// A name of a file, without any folder.
fn plain(name: &str) -> Result<&str, StudioError> {
    let is_plain = !name.is_empty()
        && name.len() <= 120
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || "._- ".contains(c));
    match is_plain {
        true => Ok(name),
        false => Err(StudioError::refused(format!(
            "`{}` is no name of a file: expected letters, digits, points and hyphens",
            name.chars().take(80).collect::<String>()
        ))),
    }
}

fn list(root: &Path, folder: &Path, depth: usize, endings: &[&str], found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden || found.len() >= MOST_FILES {
            continue;
        }
        if path.is_dir() && !path.is_symlink() && depth < DEEPEST {
            list(root, &path, depth + 1, endings, found);
        } else if path
            .extension()
            .is_some_and(|own| endings.iter().any(|e| own.eq_ignore_ascii_case(e)))
            && let Ok(own) = path.strip_prefix(root)
        {
            found.push(own.to_string_lossy().replace('\\', "/"));
        }
    }
}

/// The files that a scene of the project names, looked for beside it.
pub struct ProjectFiles<'a> {
    opened: &'a Opened,
    /// The scene's folder, within the project.
    folder: String,
}

impl<'a> ProjectFiles<'a> {
    /// Names are meant from where `scene` is.
    pub fn beside(opened: &'a Opened, scene: &str) -> Self {
        let folder =
            scene.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        ProjectFiles { opened, folder }
    }

    /// Names are meant from a folder, written with what divides it from them.
    pub fn within(opened: &'a Opened, folder: &str) -> Self {
        ProjectFiles { opened, folder: folder.to_owned() }
    }

    fn find(&self, path: &str) -> Result<PathBuf, FileError> {
        self.opened.find(&format!("{}{path}", self.folder)).map_err(FileError::unreadable)
    }
}

impl Files for ProjectFiles<'_> {
    fn mesh(&mut self, path: &str) -> Result<Mesh, FileError> {
        let loaded = read_mesh(&self.find(path)?).map_err(FileError::unreadable)?;
        Ok(loaded.into_selectable())
    }

    fn surface(&mut self, path: &str) -> Result<Surface, FileError> {
        let loaded = read_mesh(&self.find(path)?).map_err(FileError::unreadable)?;
        Ok(loaded.into_surface())
    }

    fn ids(&mut self, path: &str) -> Result<Vec<u32>, FileError> {
        read_ids(&self.find(path)?).map_err(FileError::unreadable)
    }
}
