//! One door to all mesh formats.

use std::path::Path;

use crate::error::IoError;
use crate::loaded::Loaded;
use crate::{gmsh, medit, obj, tetgen, vtk};

/// A format that one file holds a mesh in. TetGen needs two files: [`parse_tetgen`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// `.msh`
    Gmsh,
    /// `.mesh`
    Medit,
    /// `.vtk`
    Vtk,
    /// `.vtu`
    Vtu,
    /// `.obj`
    Obj,
}

const KNOWN: &str = ".msh, .mesh, .node, .ele, .vtk, .vtu, .obj";

/// Reads a mesh, in the format that the ending of the name says. Of TetGen's pair of files
/// either may be given.
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
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let format = match ending.as_str() {
        "msh" => MeshFormat::Gmsh,
        "mesh" => MeshFormat::Medit,
        "vtk" => MeshFormat::Vtk,
        "vtu" => MeshFormat::Vtu,
        "obj" => MeshFormat::Obj,
        "node" | "ele" => {
            let (nodes, tets) = (path.with_extension("node"), path.with_extension("ele"));
            return parse_tetgen((&nodes, &read_bytes(&nodes)?), (&tets, &read_bytes(&tets)?));
        }
        _ => return Err(IoError::UnknownFormat { path: path.to_owned(), known: KNOWN }),
    };
    parse_mesh(format, path, &read_bytes(path)?)
}

/// Reads a mesh from the bytes of a file; `path` is only for errors.
pub fn parse_mesh(format: MeshFormat, path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    match format {
        MeshFormat::Gmsh => gmsh::parse(path, bytes),
        MeshFormat::Medit => medit::parse(path, bytes),
        MeshFormat::Vtk => vtk::parse_legacy(path, bytes),
        MeshFormat::Vtu => vtk::parse_xml(path, bytes),
        MeshFormat::Obj => obj::parse(path, bytes),
    }
}

/// Reads a mesh from the bytes of TetGen's `.node` and `.ele`; the paths are only for errors.
pub fn parse_tetgen(nodes: (&Path, &[u8]), tets: (&Path, &[u8])) -> Result<Loaded, IoError> {
    tetgen::parse(nodes, tets)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, IoError> {
    std::fs::read(path).map_err(IoError::system(path, "read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_endings_and_missing_files_are_named() {
        let error = read_mesh(Path::new("a.docx")).unwrap_err().to_string();
        assert!(error.starts_with("a.docx: unknown kind of file; expected one of .msh"), "{error}");
        let error = read_mesh(Path::new("no/such.ele")).unwrap_err().to_string();
        assert!(error.starts_with("no/such.node: cannot read: "), "{error}");
    }
}
