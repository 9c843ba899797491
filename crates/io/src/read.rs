//! Reads meshes of all formats, and plain files.

use std::path::{Path, PathBuf};

use crate::beside::Beside;
use crate::error::IoError;
use crate::format::{Format, Reader, tetgen, unknown};
use crate::loaded::Loaded;

/// Reads a mesh, in the format of the path's ending. Of TetGen's two files either may be given.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("corner.obj");
/// std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// let loaded = pliant_io::read_mesh(&path)?;
/// assert_eq!(loaded.mesh.triangles, [[0, 1, 2]]);
/// assert!(loaded.notes.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_mesh(path: &Path) -> Result<Loaded, IoError> {
    match Format::of(path).map(|format| format.description().reader) {
        Some(Reader::Files(read)) => read(path),
        Some(Reader::Mesh(parse) | Reader::Scene { mesh: parse, .. }) => {
            parse(path, &read_bytes(path)?, Beside::Of(path))
        }
        // A missing file is named as missing, whatever its ending.
        Some(Reader::Cache(_)) | None => Err(match std::fs::metadata(path) {
            Err(error) => IoError::system(path, "read")(error),
            Ok(_) => unknown(path, |format| match format.reader {
                Reader::Cache(_) => &[],
                _ => format.endings,
            }),
        }),
    }
}

/// Reads a mesh from the bytes of a file; `path` is only for errors. A file that needs others
/// beside it is refused.
pub fn parse_mesh(format: Format, path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    match format.description().reader {
        Reader::Mesh(parse) | Reader::Scene { mesh: parse, .. } => {
            parse(path, bytes, Beside::Nothing)
        }
        Reader::Files(_) | Reader::Cache(_) => {
            let problem = format!("one file of {} holds no mesh", format.name());
            Err(IoError::content(path, problem))
        }
    }
}

/// Reads a mesh from the bytes of TetGen's `.node` and `.ele`; the paths are only for errors.
pub fn parse_tetgen(nodes: (&Path, &[u8]), tets: (&Path, &[u8])) -> Result<Loaded, IoError> {
    tetgen::parse(nodes, tets)
}

/// Lists the files in a folder by name, without its folders.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, IoError> {
    let listed = std::fs::read_dir(folder).map_err(IoError::system(folder, "list"))?;
    let mut files: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

/// Reads a text file.
///
/// ```
/// let missing = pliant_io::read_text(std::path::Path::new("/no/such/file")).unwrap_err();
/// assert!(missing.to_string().starts_with("/no/such/file: cannot"));
/// ```
pub fn read_text(path: &Path) -> Result<String, IoError> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|_| IoError::content(path, "expected text in UTF-8"))
}

/// Reads the bytes of a file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, IoError> {
    std::fs::read(path).map_err(IoError::system(path, "read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_endings_and_missing_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.docx", "a.pc2"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            let error = read_mesh(&path).unwrap_err().to_string();
            let place = path.display();
            let start = format!("{place}: unknown kind of file; expected one of .obj, .off, ");
            assert!(error.starts_with(&start) && error.ends_with(", .veg"), "{error}");
            assert!(!error.contains(".mdd"), "{error}");
        }
        for (name, missing) in [("no/such.ele", "no/such.node"), ("no.docx", "no.docx")] {
            let error = read_mesh(Path::new(name)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{missing}: cannot read: ")), "{error}");
        }
    }
}
