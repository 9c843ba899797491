//! One door to all formats that are written: meshes, and animations frame by frame.

use std::path::{Path, PathBuf};

use glam::DVec3;

use crate::atomic::write_whole;
use crate::error::IoError;
use crate::loaded::Loaded;
use crate::mdd::MddWriter;
use crate::pc2::Pc2Writer;
use crate::read::{MeshFormat, is_tetgen};
use crate::{gltf, gmsh, medit, obj, off, ply, stl, tetgen, usd, vtk};

const WRITTEN: &str = ".obj, .off, .ply, .stl, .glb, .gltf, .usda, .pc2, .mdd, .msh, .mesh, .node, \
    .ele, .vtk, .vtu";

/// Writes a mesh, in the format that the ending of the name says. Returns sentences about what the
/// format cannot hold.
///
/// ```
/// use pliant_io::{Loaded, read_mesh, write_mesh};
/// use pliant_mesh::{DVec3, shapes};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("cube.ply");
/// let cube = Loaded::from(shapes::solid_box(DVec3::ONE, [2, 2, 2])?);
/// let notes = write_mesh(&path, &cube)?;
/// assert!(notes[0].starts_with("wrote the surface"));
/// assert_eq!(read_mesh(&path)?.mesh.triangles, cube.mesh.triangles);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_mesh(path: &Path, loaded: &Loaded) -> Result<Vec<String>, IoError> {
    let kind = Kind::of(path)?;
    let mesh = &loaded.mesh;
    let text = match kind {
        Kind::Tetgen => {
            if mesh.tets.is_empty() {
                let problem = "TetGen files hold tets, but this is a surface";
                return Err(IoError::content(path, problem));
            }
            let (nodes, tets) = tetgen::texts(mesh);
            write_whole(&path.with_extension("node"), nodes.as_bytes())?;
            write_whole(&path.with_extension("ele"), tets.as_bytes())?;
            return Ok(kind.lost(loaded));
        }
        Kind::Cache => return Err(IoError::content(path, ONLY_MOTION)),
        Kind::Mesh(MeshFormat::Gltf) => {
            gltf::Writer::create(path, loaded, 1.0, 0)?.finish()?;
            return Ok(kind.lost(loaded));
        }
        Kind::Mesh(MeshFormat::Usd) => {
            usd::Writer::create(path, loaded, 1.0, 0)?.finish()?;
            return Ok(kind.lost(loaded));
        }
        Kind::Mesh(MeshFormat::Ply) => ply::bytes(loaded),
        Kind::Mesh(MeshFormat::Stl) => stl::bytes(path, mesh)?,
        Kind::Mesh(MeshFormat::Obj) => obj::text(loaded).into_bytes(),
        Kind::Mesh(MeshFormat::Off) => off::text(loaded).into_bytes(),
        Kind::Mesh(MeshFormat::Gmsh) => gmsh::text(mesh).into_bytes(),
        Kind::Mesh(MeshFormat::Medit) => medit::text(mesh).into_bytes(),
        Kind::Mesh(MeshFormat::Vtk) => vtk::legacy_text(loaded).into_bytes(),
        Kind::Mesh(MeshFormat::Vtu) => vtk::xml_text(loaded).into_bytes(),
        Kind::Mesh(MeshFormat::Vega) => return Err(unknown(path)),
    };
    write_whole(path, &text)?;
    Ok(kind.lost(loaded))
}

/// Checks that a mesh can be written under this name, before there is a mesh.
///
/// ```
/// use pliant_io::check_mesh_name;
/// assert!(check_mesh_name("body.vtu".as_ref()).is_ok());
/// assert!(check_mesh_name("body.docx".as_ref()).is_err());
/// assert!(check_mesh_name("body.pc2".as_ref()).is_err());
/// ```
///
/// # Errors
/// Names the known endings if the name has another one, or a format that holds no mesh.
pub fn check_mesh_name(path: &Path) -> Result<(), IoError> {
    match Kind::of(path)? {
        Kind::Cache => Err(IoError::content(path, ONLY_MOTION)),
        Kind::Mesh(_) | Kind::Tetgen => Ok(()),
    }
}

const ONLY_MOTION: &str = "holds an animation, and no mesh";

/// What an ending stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mesh(MeshFormat),
    Tetgen,
    /// `.pc2` or `.mdd`.
    Cache,
}

fn unknown(path: &Path) -> IoError {
    IoError::UnknownFormat { path: path.to_owned(), known: WRITTEN }
}

fn is(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

impl Kind {
    fn of(path: &Path) -> Result<Kind, IoError> {
        if is_tetgen(path) {
            return Ok(Kind::Tetgen);
        }
        if is(path, "pc2") || is(path, "mdd") {
            return Ok(Kind::Cache);
        }
        let binary = is(path, "usdc") || is(path, "usdz") || is(path, "usd");
        match MeshFormat::of(path).filter(|_| !is(path, "vtp") && !binary) {
            Some(MeshFormat::Vega) | None => Err(unknown(path)),
            Some(format) => Ok(Kind::Mesh(format)),
        }
    }

    /// Whether one file holds all frames.
    fn is_animated(self) -> bool {
        matches!(self, Kind::Cache | Kind::Mesh(MeshFormat::Gltf | MeshFormat::Usd))
    }

    fn holds_tets(self) -> bool {
        use MeshFormat as Format;
        let solid = [Format::Gmsh, Format::Medit, Format::Vtk, Format::Vtu].map(Kind::Mesh);
        self == Kind::Tetgen || solid.contains(&self)
    }

    /// Sentences about what is in the mesh and cannot be in the file.
    fn lost(self, loaded: &Loaded) -> Vec<String> {
        use MeshFormat as Format;
        let mut notes = Vec::new();
        if !loaded.mesh.tets.is_empty() && !self.holds_tets() {
            let count = loaded.mesh.tets.len();
            notes.push(format!("wrote the surface: the {count} tets have no place in this format"));
        }
        let painted =
            [Format::Ply, Format::Gltf, Format::Usd, Format::Vtu].map(Kind::Mesh).contains(&self);
        let colored =
            [Format::Obj, Format::Off].map(Kind::Mesh).contains(&self) || self == Kind::Cache;
        let left: Vec<&str> = loaded
            .attributes
            .iter()
            .filter(|attribute| !(painted || colored && attribute.is_color()))
            .map(|attribute| attribute.name.as_str())
            .collect();
        if !left.is_empty() {
            notes.push(format!("left out the attributes {}", left.join(", ")));
        }
        let all = || loaded.mesh.groups.iter().map(|group| group.name.as_str()).collect();
        let left: Vec<&str> = match self {
            Kind::Cache | Kind::Mesh(Format::Obj | Format::Usd) => Vec::new(),
            Kind::Mesh(Format::Gltf) => gltf::lost_groups(&loaded.mesh),
            _ => all(),
        };
        if !left.is_empty() {
            notes.push(format!("left out the groups {}", left.join(", ")));
        }
        notes
    }
}

/// Writes an animation frame by frame, holding one in memory.
///
/// ```
/// use pliant_io::{Animation, AnimationWriter, Loaded};
/// use pliant_mesh::{DVec3, shapes};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("fall.glb");
/// let cloth = Loaded::from(shapes::cloth([1.0, 1.0], [4, 4])?.0);
/// let mut writer = AnimationWriter::create(&path, cloth.clone(), 25.0, 3)?;
/// for frame in 0..3 {
///     let fallen = |x: &DVec3| *x - f64::from(frame) * DVec3::Y;
///     writer.write_frame(&cloth.mesh.positions.iter().map(fallen).collect::<Vec<_>>())?;
/// }
/// writer.finish()?;
/// let animation = Animation::open(path.to_str().unwrap())?;
/// assert_eq!((animation.frame_count(), animation.fps()), (3, Some(25.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnimationWriter {
    path: PathBuf,
    rest: Loaded,
    notes: Vec<String>,
    written: usize,
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    Pc2(Pc2Writer),
    Mdd(MddWriter),
    Gltf(Box<gltf::Writer>),
    Usd(usd::Writer),
    /// A file per frame; how many digits its number has.
    Files(usize),
    /// A mesh, for the only frame.
    Mesh,
}

impl AnimationWriter {
    /// Checks that an animation can be written under this name, before anything is read.
    ///
    /// ```
    /// use pliant_io::AnimationWriter;
    /// assert!(AnimationWriter::check_name("walk.glb".as_ref()).is_ok());
    /// assert!(AnimationWriter::check_name("frames/*.obj".as_ref()).is_ok());
    /// assert!(AnimationWriter::check_name("walk.docx".as_ref()).is_err());
    /// ```
    ///
    /// # Errors
    /// Names the known endings if the name has another one, or a `*` in the name of a cache.
    pub fn check_name(path: &Path) -> Result<(), IoError> {
        if Kind::of(path)? == Kind::Cache && is_pattern(path) {
            let problem = "expected the name of one file: it holds all frames";
            return Err(IoError::content(path, problem));
        }
        Ok(())
    }

    /// Checks that so many frames can be written under this name, before they are computed.
    ///
    /// # Errors
    /// As [`check_name`](AnimationWriter::check_name), and if the file would hold a single mesh.
    pub fn check(path: &Path, frames: usize) -> Result<(), IoError> {
        AnimationWriter::check_name(path)?;
        if frames == 1 || is_pattern(path) || Kind::of(path)?.is_animated() {
            return Ok(());
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let problem = format!(
            "holds one mesh, but there are {frames} frames: choose one with --frames 0..0, \
             or write a file per frame as \"{stem}-*.{ending}\""
        );
        Err(IoError::content(path, problem))
    }

    /// Starts an animation of `frames` frames at `fps` frames per second, in the format that the
    /// ending says. A `*` in the name stands for the number of the frame, and makes a file of each;
    /// beside `.pc2` and `.mdd` the mesh at rest is written as `.obj`; formats that hold a mesh
    /// only take one frame.
    pub fn create(path: &Path, rest: Loaded, fps: f64, frames: usize) -> Result<Self, IoError> {
        AnimationWriter::check(path, frames)?;
        let kind = Kind::of(path)?;
        let mut notes = kind.lost(&rest);
        let points = rest.mesh.positions.len();
        let writer = if is_pattern(path) {
            // What is lost is lost with the first frame.
            notes.clear();
            if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
                std::fs::create_dir_all(folder).map_err(IoError::system(folder, "create"))?;
            }
            Writer::Files(digits(frames))
        } else if !kind.is_animated() || frames == 1 && kind != Kind::Cache {
            notes.clear();
            Writer::Mesh
        } else if is(path, "pc2") {
            Writer::Pc2(Pc2Writer::create(path, points, 0.0, 1.0, frames)?)
        } else if is(path, "mdd") {
            Writer::Mdd(MddWriter::create(path, points, fps, frames)?)
        } else if kind == Kind::Mesh(MeshFormat::Gltf) {
            Writer::Gltf(Box::new(gltf::Writer::create(path, &rest, fps, frames)?))
        } else {
            Writer::Usd(usd::Writer::create(path, &rest, fps, frames)?)
        };
        Ok(AnimationWriter { path: path.to_owned(), rest, notes, written: 0, writer })
    }

    /// Sentences about what the format cannot hold.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds a frame: as many positions (m) as the mesh has vertices.
    pub fn write_frame(&mut self, positions: &[DVec3]) -> Result<(), IoError> {
        match &mut self.writer {
            Writer::Pc2(writer) => writer.write_frame(positions)?,
            Writer::Mdd(writer) => writer.write_frame(positions)?,
            Writer::Gltf(writer) => writer.write_frame(positions)?,
            Writer::Usd(writer) => writer.write_frame(positions)?,
            Writer::Files(digits) => {
                let path = numbered(&self.path, self.written, *digits);
                self.pose(positions, &path)?;
            }
            Writer::Mesh => {
                let path = self.path.clone();
                self.pose(positions, &path)?;
            }
        }
        self.written += 1;
        Ok(())
    }

    fn pose(&mut self, positions: &[DVec3], path: &Path) -> Result<(), IoError> {
        if positions.len() != self.rest.mesh.positions.len() {
            let (expected, given) = (self.rest.mesh.positions.len(), positions.len());
            let problem = format!("expected {expected} vertices, was given {given}");
            return Err(IoError::content(path, problem));
        }
        self.rest.mesh.positions.copy_from_slice(positions);
        let notes = write_mesh(path, &self.rest)?;
        if self.written == 0 {
            self.notes = notes;
        }
        Ok(())
    }

    /// Gives the files their names; with fewer frames than planned, they are of those.
    pub fn finish(self) -> Result<(), IoError> {
        match self.writer {
            Writer::Pc2(_) | Writer::Mdd(_) => {
                let beside = self.path.with_extension("obj");
                write_whole(&beside, obj::text(&self.rest).as_bytes())?;
            }
            _ => {}
        }
        match self.writer {
            Writer::Pc2(writer) => writer.finish(),
            Writer::Mdd(writer) => writer.finish(),
            Writer::Gltf(writer) => writer.finish(),
            Writer::Usd(writer) => writer.finish(),
            Writer::Files(_) | Writer::Mesh => Ok(()),
        }
    }

    /// The files that an animation of `frames` frames is written to: the path and what comes
    /// beside it, or one per frame.
    pub fn outputs(path: &Path, frames: usize) -> Vec<PathBuf> {
        if is_pattern(path) {
            let digits = digits(frames);
            return (0..frames).map(|frame| numbered(path, frame, digits)).collect();
        }
        let beside = match path.extension().unwrap_or_default().to_ascii_lowercase().to_str() {
            Some("pc2" | "mdd") => Some("obj"),
            Some("gltf") => Some("bin"),
            Some("node") => Some("ele"),
            Some("ele") => Some("node"),
            _ => None,
        };
        let beside = beside.map(|ending| path.with_extension(ending));
        [path.to_owned()].into_iter().chain(beside).collect()
    }
}

/// Whether the name has a `*` for the number of the frame.
fn is_pattern(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains('*'))
}

/// How many digits the numbers of this many frames have, at least four.
fn digits(frames: usize) -> usize {
    frames.saturating_sub(1).to_string().len().max(4)
}

fn numbered(path: &Path, frame: usize, digits: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(name.replacen('*', &format!("{frame:0digits$}"), 1))
}
