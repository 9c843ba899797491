//! Names of files beside other files.

use std::path::{Path, PathBuf};

/// The ending of a file's name in small letters, without the dot.
pub fn ending(path: &Path) -> String {
    path.extension().map_or(String::new(), |ending| ending.to_string_lossy().to_lowercase())
}

/// `walk.glb.report.json` for `walk.glb` and `.report.json`.
pub(crate) fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(more);
    PathBuf::from(name)
}

/// `walk.tracks.glb` for `walk.glb` and `tracks`.
pub(crate) fn with_infix(path: &Path, infix: &str) -> PathBuf {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.{infix}.{ending}"))
}
