//! Names of files beside other files.

use std::path::{Component, Path, PathBuf};

/// The ending of a file's name in small letters, without the dot.
pub fn ending(path: &Path) -> String {
    path.extension().map_or(String::new(), |ending| ending.to_string_lossy().to_lowercase())
}

/// How a file is named from a folder: relatively, unless the two share nothing but the root.
pub(crate) fn seen_from(folder: &Path, file: &Path) -> PathBuf {
    let folder = folder.join(".");
    let (file, folder) =
        (settled(file), folder.canonicalize().unwrap_or_else(|_| settled(&folder)));
    let (mut own, mut other) = (file.components().peekable(), folder.components().peekable());
    let mut shared = 0;
    while own.peek().is_some() && own.peek() == other.peek() {
        own.next();
        other.next();
        shared += 1;
    }
    if shared < 2 {
        return file;
    }
    let ups = other.map(|_| Component::ParentDir);
    ups.chain(own).collect()
}

/// The path without links and dots on the way to the file.
fn settled(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let parent = whole.parent().and_then(|parent| parent.canonicalize().ok());
    match (parent, whole.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => whole,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("shots/walk")).unwrap();
        let named = |folder: &str, file: &str| seen_from(&at(folder), &at(file));
        assert_eq!(named("shots", "shots/walk/a.glb"), Path::new("walk/a.glb"));
        assert_eq!(named("shots/walk", "a.glb"), Path::new("../../a.glb"));
        assert_eq!(named("shots/walk", "shots/../b.glb"), Path::new("../../b.glb"));
        assert_eq!(named("", "a.glb"), Path::new("a.glb"));
        assert_eq!(
            seen_from(root.path(), Path::new("/elsewhere.glb")),
            Path::new("/elsewhere.glb")
        );
    }
}
