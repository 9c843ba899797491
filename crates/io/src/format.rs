//! The registry of file formats.
//!
//! A format has a file of its own with its reader, its writer and its [`Description`], and one line
//! in the registry below. Everything else that lists formats is made from this registry.

pub(crate) mod gltf;
mod gmsh;
pub(crate) mod mdd;
mod medit;
pub(crate) mod obj;
mod off;
pub(crate) mod pc2;
mod ply;
mod stl;
pub(crate) mod tetgen;
mod usd;
mod vega;
mod vtk;

use std::fmt;
use std::path::Path;

use glam::DVec3;
use pliant_mesh::Mesh;

use crate::animation::AnimationOptions;
use crate::beside::Beside;
use crate::error::IoError;
use crate::loaded::Loaded;

macro_rules! registry {
    ($($format:ident: $description:path,)*) => {
        /// A file format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = concat!("Described in `", stringify!($description), "`.")] $format,)*
        }

        impl Format {
            /// All formats.
            pub const ALL: &[Format] = &[$(Format::$format,)*];

            pub(crate) fn description(self) -> &'static Description {
                match self {
                    $(Format::$format => &$description,)*
                }
            }
        }
    };
}

registry! {
    Obj: obj::FORMAT,
    Off: off::FORMAT,
    Ply: ply::FORMAT,
    Stl: stl::FORMAT,
    Gltf: gltf::FORMAT,
    Usd: usd::FORMAT,
    Pc2: pc2::FORMAT,
    Mdd: mdd::FORMAT,
    Gmsh: gmsh::FORMAT,
    Medit: medit::FORMAT,
    Tetgen: tetgen::FORMAT,
    Vtk: vtk::LEGACY,
    Vtu: vtk::XML,
    Vega: vega::FORMAT,
}

/// Attributes that a format holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attributes {
    /// None.
    None,
    /// The colour alone.
    Color,
    /// Any number of attributes with names.
    All,
}

/// Groups that the writer of a format keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Groups {
    None,
    All,
    /// All but those that the function names.
    Without(fn(&Mesh) -> Vec<&str>),
}

/// Properties, reader and writer of a format.
pub(crate) struct Description {
    /// Name in documents.
    pub name: &'static str,
    /// Endings of file names, in small letters.
    pub endings: &'static [&'static str],
    /// Those of the endings that are written.
    pub written: &'static [&'static str],
    /// Ending of the file that is written beside one with an ending.
    pub companions: &'static [(&'static str, &'static str)],
    /// True if faces may have more than three corners.
    pub polygons: bool,
    /// True if it holds tets.
    pub tets: bool,
    /// Attributes that it holds.
    pub attributes: Attributes,
    /// Groups that its writer keeps.
    pub groups: Groups,
    /// Reader.
    pub reader: Reader,
    /// Writer, if it is written.
    pub writer: Option<Writer>,
}

impl Description {
    /// Triangles in a file that is read only: what a description starts from.
    pub const fn new(
        name: &'static str,
        endings: &'static [&'static str],
        reader: Reader,
    ) -> Description {
        Description {
            name,
            endings,
            written: &[],
            companions: &[],
            polygons: false,
            tets: false,
            attributes: Attributes::None,
            groups: Groups::None,
            reader,
            writer: None,
        }
    }
}

type OpenScene =
    fn(&Path, &AnimationOptions) -> Result<(Loaded, Option<Box<dyn FrameReader>>), IoError>;
type OpenCache = fn(&Path) -> Result<Box<dyn FrameReader>, IoError>;
type CreateFrames = fn(&Path, &Loaded, f64, usize) -> Result<Box<dyn FrameWriter>, IoError>;

/// Reader of a format.
#[derive(Clone, Copy)]
pub(crate) enum Reader {
    /// A mesh from the bytes of a file.
    Mesh(fn(&Path, &[u8], Beside) -> Result<Loaded, IoError>),
    /// A mesh from several files, of which one is named.
    Files(fn(&Path) -> Result<Loaded, IoError>),
    /// A mesh with its motion.
    Scene {
        /// The mesh alone, from the bytes of a file.
        mesh: fn(&Path, &[u8], Beside) -> Result<Loaded, IoError>,
        /// The mesh and its motion, if it moves.
        open: OpenScene,
        /// True if the reader applies [`AnimationOptions::unit`] itself.
        applies_unit: bool,
    },
    /// Frames of the vertices of a mesh that is in another file.
    Cache(OpenCache),
}

/// Writer of a format.
#[derive(Clone, Copy)]
pub(crate) enum Writer {
    /// The bytes of one file with a mesh.
    Mesh(fn(&Path, &Loaded) -> Result<Vec<u8>, IoError>),
    /// Several files with a mesh.
    Files(fn(&Path, &Loaded) -> Result<(), IoError>),
    /// A file with a mesh and its motion.
    Scene(CreateFrames),
    /// Frames of vertices; the mesh at rest is written beside them.
    Cache(CreateFrames),
}

/// Reads frames of an animation, in any order.
pub(crate) trait FrameReader: fmt::Debug + Send {
    /// Number of vertices per frame.
    fn points(&self) -> usize;

    /// Number of frames.
    fn frames(&self) -> usize;

    /// Frames per second, if the file says so.
    fn fps(&self) -> Option<f64>;

    /// Names of the animations in the file, of which one is read; empty for formats without names.
    fn clips(&self) -> &[String] {
        &[]
    }

    /// Reads frame `index` (from 0) into as many positions as there are vertices \[m\].
    fn frame(&mut self, index: usize, positions: &mut [DVec3]) -> Result<(), IoError>;
}

/// Writes frames of an animation, in order.
pub(crate) trait FrameWriter: fmt::Debug + Send {
    /// Adds a frame \[m\].
    fn write_frame(&mut self, positions: &[DVec3]) -> Result<(), IoError>;

    /// Completes the file and gives it its name.
    fn finish(self: Box<Self>) -> Result<(), IoError>;
}

impl Format {
    /// Format of a path by its ending, in small or capital letters.
    ///
    /// ```
    /// use pliant_io::Format;
    /// assert_eq!(Format::of("walk.GLB".as_ref()), Some(Format::Gltf));
    /// assert_eq!(Format::of("walk".as_ref()), None);
    /// ```
    pub fn of(path: &Path) -> Option<Format> {
        let ending = ending_of(path)?;
        Format::ALL.iter().copied().find(|format| format.endings().contains(&ending.as_str()))
    }

    /// Name in documents.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// Endings of file names, in small letters, without the dot.
    pub fn endings(self) -> &'static [&'static str] {
        self.description().endings
    }

    /// Those of the endings that are written.
    pub fn written_endings(self) -> &'static [&'static str] {
        self.description().written
    }

    /// True if one file holds a mesh.
    pub fn holds_mesh(self) -> bool {
        matches!(self.description().reader, Reader::Mesh(_) | Reader::Scene { .. })
    }

    /// True if faces may have more than three corners.
    pub fn holds_polygons(self) -> bool {
        self.description().polygons
    }

    /// True if it holds tets.
    pub fn holds_tets(self) -> bool {
        self.description().tets
    }

    /// True if one file holds all frames of an animation.
    pub fn holds_animation(self) -> bool {
        matches!(self.description().reader, Reader::Scene { .. } | Reader::Cache(_))
    }

    /// Attributes that it holds.
    pub fn attributes(self) -> Attributes {
        self.description().attributes
    }

    /// True if its writer keeps groups.
    pub fn keeps_groups(self) -> bool {
        !matches!(self.description().groups, Groups::None)
    }

    pub(crate) fn is_cache(self) -> bool {
        matches!(self.description().reader, Reader::Cache(_))
    }
}

/// Ending of a path's name, in small letters.
pub(crate) fn ending_of(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Error for a path whose ending is none of the `known` endings of all formats.
pub(crate) fn unknown(
    path: &Path,
    known: impl Fn(&Description) -> &'static [&'static str],
) -> IoError {
    let endings = Format::ALL.iter().flat_map(|format| known(format.description()));
    let known = endings.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ");
    IoError::UnknownFormat { path: path.to_owned(), known }
}
