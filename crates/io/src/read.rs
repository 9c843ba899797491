//! One door to all mesh formats.

use std::path::{Path, PathBuf};

use crate::animation::AnimationOptions;
use crate::beside::Beside;
use crate::error::IoError;
use crate::loaded::Loaded;
use crate::{gltf, gmsh, medit, obj, off, ply, stl, tetgen, usd, vega, vtk};

/// A format that one file holds a mesh in. TetGen needs two files: [`parse_tetgen`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// `.msh`
    Gmsh,
    /// `.mesh`
    Medit,
    /// `.vtk`
    Vtk,
    /// `.vtu`, `.vtp`
    Vtu,
    /// `.veg`
    Vega,
    /// `.obj`
    Obj,
    /// `.off`
    Off,
    /// `.ply`
    Ply,
    /// `.stl`
    Stl,
    /// `.gltf`, `.glb`
    Gltf,
    /// `.usda`, and `.usd` if it is text
    Usd,
}

const KNOWN: &str = ".msh, .mesh, .node, .ele, .vtk, .vtu, .vtp, .veg, .obj, .off, .ply, .stl, \
    .glb, .gltf, .usda";

impl MeshFormat {
    /// The format that the ending of a name stands for, in small or capital letters.
    pub fn of(path: &Path) -> Option<MeshFormat> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "msh" => MeshFormat::Gmsh,
            "mesh" => MeshFormat::Medit,
            "vtk" => MeshFormat::Vtk,
            "vtu" | "vtp" => MeshFormat::Vtu,
            "veg" => MeshFormat::Vega,
            "obj" => MeshFormat::Obj,
            "off" => MeshFormat::Off,
            "ply" => MeshFormat::Ply,
            "stl" => MeshFormat::Stl,
            "gltf" | "glb" => MeshFormat::Gltf,
            "usda" | "usd" | "usdc" | "usdz" => MeshFormat::Usd,
            _ => return None,
        })
    }
}

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
    if is_tetgen(path) {
        let (nodes, tets) = (path.with_extension("node"), path.with_extension("ele"));
        return parse_tetgen((&nodes, &read_bytes(&nodes)?), (&tets, &read_bytes(&tets)?));
    }
    let format = MeshFormat::of(path).ok_or_else(|| unknown(path))?;
    parse(format, path, &read_bytes(path)?, Beside::Of(path))
}

/// A file that is not there has no kind, either: that comes first.
fn unknown(path: &Path) -> IoError {
    match std::fs::metadata(path) {
        Err(source) => IoError::System { path: path.to_owned(), action: "read", source },
        Ok(_) => IoError::UnknownFormat { path: path.to_owned(), known: KNOWN },
    }
}

/// Reads a mesh from the bytes of a file; `path` is only for errors. A file that needs others
/// beside it is refused.
pub fn parse_mesh(format: MeshFormat, path: &Path, bytes: &[u8]) -> Result<Loaded, IoError> {
    parse(format, path, bytes, Beside::Nothing)
}

fn parse(format: MeshFormat, path: &Path, bytes: &[u8], beside: Beside) -> Result<Loaded, IoError> {
    match format {
        MeshFormat::Gmsh => gmsh::parse(path, bytes),
        MeshFormat::Medit => medit::parse(path, bytes),
        MeshFormat::Vtk => vtk::parse_legacy(path, bytes),
        MeshFormat::Vtu => vtk::parse_xml(path, bytes),
        MeshFormat::Vega => vega::parse(path, bytes, beside),
        MeshFormat::Obj => obj::parse(path, bytes),
        MeshFormat::Off => off::parse(path, bytes),
        MeshFormat::Ply => ply::parse(path, bytes),
        MeshFormat::Stl => stl::parse(path, bytes),
        MeshFormat::Gltf => {
            let options = AnimationOptions::default();
            Ok(gltf::Scene::read(path, bytes.to_vec(), beside, &options)?.1)
        }
        MeshFormat::Usd => {
            Ok(usd::Scene::read(path, bytes.to_vec(), &AnimationOptions::default())?.1)
        }
    }
}

/// Reads a mesh from the bytes of TetGen's `.node` and `.ele`; the paths are only for errors.
pub fn parse_tetgen(nodes: (&Path, &[u8]), tets: (&Path, &[u8])) -> Result<Loaded, IoError> {
    tetgen::parse(nodes, tets)
}

/// Whether this is one of TetGen's two files.
pub fn is_tetgen(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("node") || e.eq_ignore_ascii_case("ele"))
}

/// The files in a folder, by name; folders in it are left out.
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

pub fn read_bytes(path: &Path) -> Result<Vec<u8>, IoError> {
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
