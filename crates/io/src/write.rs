//! Writes meshes of all formats, and animations frame by frame.

use std::path::{Path, PathBuf};

use glam::DVec3;

use crate::atomic::write_whole;
use crate::error::IoError;
use crate::format::{Attributes, Format, FrameWriter, Groups, Writer, ending_of, obj, unknown};
use crate::loaded::Loaded;

/// Writes a mesh, in the format of the path's ending. Returns sentences about content that the
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
    let (format, writer) = writer_of(path)?;
    match writer {
        Writer::Mesh(bytes) => write_whole(path, &bytes(path, loaded)?)?,
        Writer::Files(write) => write(path, loaded)?,
        Writer::Scene(create) => create(path, loaded, 1.0, 0)?.finish()?,
        Writer::Cache(_) => return Err(IoError::content(path, ONLY_MOTION)),
    }
    Ok(omissions(format, loaded))
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
    match writer_of(path)?.1 {
        Writer::Cache(_) => Err(IoError::content(path, ONLY_MOTION)),
        Writer::Mesh(_) | Writer::Files(_) | Writer::Scene(_) => Ok(()),
    }
}

const ONLY_MOTION: &str = "holds an animation, and no mesh";

/// Format and writer of a path by its ending.
fn writer_of(path: &Path) -> Result<(Format, Writer), IoError> {
    let found = Format::of(path).and_then(|format| {
        let is_written = |ending: String| format.written_endings().contains(&ending.as_str());
        let writer = format.description().writer?;
        ending_of(path).is_some_and(is_written).then_some((format, writer))
    });
    found.ok_or_else(|| unknown(path, |format| format.written))
}

/// Sentences about content of a mesh that a format cannot hold.
fn omissions(format: Format, loaded: &Loaded) -> Vec<String> {
    let mut notes = Vec::new();
    if !loaded.mesh.tets.is_empty() && !format.holds_tets() {
        let count = loaded.mesh.tets.len();
        notes.push(format!("wrote the surface: the {count} tets have no place in this format"));
    }
    let attributes = loaded.attributes.iter().filter(|attribute| match format.attributes() {
        Attributes::All => false,
        Attributes::Color => !attribute.is_color(),
        Attributes::None => true,
    });
    let left: Vec<&str> = attributes.map(|attribute| attribute.name.as_str()).collect();
    if !left.is_empty() {
        notes.push(format!("left out the attributes {}", left.join(", ")));
    }
    let left: Vec<&str> = match format.description().groups {
        Groups::All => Vec::new(),
        Groups::Without(names) => names(&loaded.mesh),
        Groups::None => loaded.mesh.groups.iter().map(|group| group.name.as_str()).collect(),
    };
    if !left.is_empty() {
        notes.push(format!("left out the groups {}", left.join(", ")));
    }
    notes
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
    format: Format,
    rest: Loaded,
    notes: Vec<String>,
    written: usize,
    writer: Frames,
}

#[derive(Debug)]
enum Frames {
    /// One file with all frames, in one of the formats that hold animations.
    One(Box<dyn FrameWriter>),
    /// A file per frame, whose number has this many digits.
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
        if matches!(writer_of(path)?.1, Writer::Cache(_)) && is_pattern(path) {
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
        let (format, _) = writer_of(path)?;
        if frames == 1 || is_pattern(path) || format.holds_animation() {
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

    /// Starts an animation of `frames` frames at `fps` frames per second, in the format of the
    /// path's ending. A `*` in the name stands for the number of the frame, and makes a file per
    /// frame. Beside `.pc2` and `.mdd` the mesh at rest is written as `.obj`. Formats that hold
    /// only a mesh take one frame.
    pub fn create(path: &Path, rest: Loaded, fps: f64, frames: usize) -> Result<Self, IoError> {
        AnimationWriter::check(path, frames)?;
        let (format, writer) = writer_of(path)?;
        // Files with a mesh each get their notes with the first frame.
        let mut notes = Vec::new();
        let writer = match writer {
            _ if is_pattern(path) => {
                if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
                    std::fs::create_dir_all(folder).map_err(IoError::system(folder, "create"))?;
                }
                Frames::Files(digits(frames))
            }
            Writer::Mesh(_) | Writer::Files(_) => Frames::Mesh,
            Writer::Scene(_) if frames == 1 => Frames::Mesh,
            Writer::Scene(create) | Writer::Cache(create) => {
                notes = omissions(format, &rest);
                Frames::One(create(path, &rest, fps, frames)?)
            }
        };
        Ok(AnimationWriter { path: path.to_owned(), format, rest, notes, written: 0, writer })
    }

    /// Sentences about content that the format cannot hold.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds a frame: as many positions (m) as the mesh has vertices.
    pub fn write_frame(&mut self, positions: &[DVec3]) -> Result<(), IoError> {
        match &mut self.writer {
            Frames::One(writer) => writer.write_frame(positions)?,
            Frames::Files(digits) => {
                let path = numbered(&self.path, self.written, *digits);
                self.pose(positions, &path)?;
            }
            Frames::Mesh => {
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

    /// Gives the files their names. With fewer frames than planned, the files have those.
    pub fn finish(self) -> Result<(), IoError> {
        let Frames::One(writer) = self.writer else { return Ok(()) };
        if self.format.is_cache() {
            let beside = self.path.with_extension("obj");
            write_whole(&beside, obj::text(&self.rest).as_bytes())?;
        }
        writer.finish()
    }

    /// The files that an animation of `frames` frames is written to: the path and what comes
    /// beside it, or one per frame.
    pub fn outputs(path: &Path, frames: usize) -> Vec<PathBuf> {
        if is_pattern(path) {
            let digits = digits(frames);
            return (0..frames).map(|frame| numbered(path, frame, digits)).collect();
        }
        let companion = |ending: String| {
            let all = Format::of(path)?.description().companions;
            all.iter().find(|(own, _)| *own == ending).map(|(_, beside)| *beside)
        };
        let beside = ending_of(path).and_then(companion).map(|ending| path.with_extension(ending));
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
