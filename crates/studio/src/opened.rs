//! What the studio was opened with: built-in demos, and a folder that no name leads out of.

use std::path::{Path, PathBuf};

use pliant_io::{read_bytes, read_text};
use pliant_project::ProjectError;
use pliant_project::demo::{self, Demo, DemoError, ProjectDemo};
use pliant_project::folder::ProjectFolder;
use tempfile::TempDir;

use crate::error::StudioError;

/// Prefix of the names of uploaded files.
pub const UPLOADED: &str = "upload:";

/// Built-in demos.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Scenes, the flagship first.
    pub scenes: Vec<Demo>,
    /// Animations to be enriched.
    pub projects: Vec<ProjectDemo>,
}

impl Library {
    /// All demos of scenes and enrichments.
    ///
    /// # Errors
    /// When a demo's file is wrong.
    pub fn built_in() -> Result<Library, DemoError> {
        let scenes = demo::names().filter_map(demo::find).collect::<Result<_, _>>()?;
        let projects = demo::project_names().filter_map(demo::project).collect::<Result<_, _>>()?;
        Ok(Library { scenes, projects })
    }
}

/// All that a place may read, and where it may write.
#[derive(Debug)]
pub struct Opened {
    /// Built-in demos.
    pub library: Library,
    /// Threads for a simulation.
    pub threads: usize,
    folder: Option<ProjectFolder>,
    /// The file that was named, relative to the folder.
    first: Option<String>,
    uploads: ProjectFolder,
    /// Files that pages can download.
    downloads: ProjectFolder,
    /// The folders of both, removed at the end.
    _temporary: [TempDir; 2],
}

impl Opened {
    /// Opens a file with its folder, or a folder.
    ///
    /// # Errors
    /// When the file does not exist.
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
        let temporary = [temporary()?, temporary()?];
        let (mut folder, mut first) = (None, None);
        if let Some(path) = file {
            let missing = |source| StudioError::Missing { path: path.to_owned(), source };
            let mut root = path.canonicalize().map_err(missing)?;
            if !root.is_dir() {
                first = root.file_name().map(|name| name.to_string_lossy().into_owned());
                root.pop();
            }
            folder = Some(ProjectFolder::open(&root, "")?);
        }
        Ok(Opened {
            library,
            threads,
            folder,
            first,
            uploads: ProjectFolder::open(temporary[0].path(), UPLOADED)?,
            downloads: ProjectFolder::open(temporary[1].path(), "")?,
            _temporary: temporary,
        })
    }

    /// The file that was named, as places name files.
    pub fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    /// The folder that a name belongs to.
    fn folder_of(&self, name: &str) -> Result<&ProjectFolder, ProjectError> {
        match name.starts_with(UPLOADED) {
            true => Ok(&self.uploads),
            false => self.folder.as_ref().ok_or_else(|| ProjectError::Outside(name.to_owned())),
        }
    }

    /// Returns the path of a file of the opened folder, or of an uploaded one.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn find(&self, name: &str) -> Result<PathBuf, ProjectError> {
        self.folder_of(name)?.find(name)
    }

    /// Finds files by names that start from `folder`, which ends with `/` or is empty.
    pub fn within<'a>(
        &'a self,
        folder: &'a str,
    ) -> impl Fn(&str) -> Result<PathBuf, ProjectError> + 'a {
        move |name| self.find(&format!("{folder}{name}"))
    }

    /// Returns the path of numbered files, by a name with a `*` in it.
    ///
    /// # Errors
    /// When a file beside them leads out of the opened folder.
    pub fn find_pattern(&self, name: &str) -> Result<PathBuf, ProjectError> {
        self.folder_of(name)?.find_pattern(name)
    }

    /// The folder to save into.
    ///
    /// # Errors
    /// When no folder is open.
    pub fn project(&self) -> Result<&ProjectFolder, StudioError> {
        self.folder.as_ref().ok_or_else(|| {
            StudioError::refused(
                "No folder is open to save into: open the studio with a file or a folder, \
                or download instead.",
            )
        })
    }

    /// The folder of files that pages can download.
    pub fn downloads(&self) -> &ProjectFolder {
        &self.downloads
    }

    /// The content of a file that a page downloads.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn download(&self, name: &str) -> Result<Vec<u8>, ProjectError> {
        Ok(read_bytes(&self.downloads.find(name)?)?)
    }

    /// The folder of uploaded files.
    pub fn uploads(&self) -> &ProjectFolder {
        &self.uploads
    }

    /// Files with one of the endings, as places name files: of the opened folder, then uploaded.
    pub fn files(&self, endings: &[&str]) -> Vec<String> {
        let folders = self.folder.iter().chain([&self.uploads]);
        folders.flat_map(|folder| folder.files(endings)).collect()
    }

    /// The text of a file.
    ///
    /// # Errors
    /// When there is no such file, or it is no text.
    pub fn text(&self, name: &str) -> Result<String, ProjectError> {
        Ok(read_text(&self.find(name)?)?)
    }
}
