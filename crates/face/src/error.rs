//! Errors of faces, templates, effects and performances.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use pliant_io::IoError;
use pliant_mesh::MeshError;
use thiserror::Error;

use crate::template_folder::nearest;

/// Why a template or a performance was refused.
#[derive(Debug, Error)]
pub enum FaceError {
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// A part could not be meshed.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The way back from the chart turns tets over.
    #[error(
        "{tets} tets of the flesh are turned over where the lips meet, one near ({:.4}, {:.4}, \
            {:.4}) m; try another size",
        at[0], at[1], at[2]
    )]
    TurnedTets {
        /// How many.
        tets: usize,
        /// The middle of one of them (m).
        at: [f64; 3],
    },
    /// A face could not be simulated.
    #[error("the face cannot be simulated: {0}")]
    Model(#[from] pliant_model::ModelError),
    /// Nor could its matrix be factored.
    #[error("the face cannot be simulated: {0}")]
    Simulation(#[from] pliant_sim::SimError),
    /// The bytes are no face.
    #[error("byte {byte}: {problem}")]
    File {
        /// Where.
        byte: usize,
        /// What was expected, and what was found.
        problem: String,
    },
    /// A line that means nothing.
    #[error("{}, line {line}: {problem}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What was expected, and what was found.
        problem: String,
    },
    /// A part that the template names, or needs, is not there.
    #[error("{}: {part} is missing: there is no file {file}", path.display())]
    MissingPart {
        /// The template's file.
        path: PathBuf,
        /// Which part.
        part: String,
        /// Where it was looked for.
        file: String,
    },
    /// A part that must enclose a volume does not.
    #[error(
        "{}: {part} has a hole: {edges} of its edges are open, one at triangle {triangle} near \
         ({x:.3}, {y:.3}, {z:.3}) m; expected a closed surface"
    , path.display())]
    Hole {
        /// The part's file.
        path: PathBuf,
        /// Which part.
        part: String,
        /// How many edges have one triangle only.
        edges: usize,
        /// One of these triangles.
        triangle: u32,
        /// Where it is (m).
        x: f64,
        /// Where it is (m).
        y: f64,
        /// Where it is (m).
        z: f64,
    },
    /// A part that must be inside the skin is not.
    #[error(
        "{}: {part} is outside the skin: {vertices} of its vertices, vertex {vertex} by {by_mm:.1} \
            mm"
    , path.display())]
    OutsideSkin {
        /// The part's file.
        path: PathBuf,
        /// Which part.
        part: String,
        /// How many vertices.
        vertices: usize,
        /// The one that is out the furthest.
        vertex: u32,
        /// How far (mm).
        by_mm: f64,
    },
    /// A part without a triangle, or with coordinates that are not finite.
    #[error("{}: {part} {problem}", path.display())]
    Part {
        /// The part's file.
        path: PathBuf,
        /// Which part.
        part: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Effects that cannot be.
    #[error("{}: {problem}", path.display())]
    Effects {
        /// The effects file.
        path: PathBuf,
        /// Where in it, what was expected, and what was found.
        problem: pliant_scene::SceneError,
    },
    /// An effect that cannot be applied to this face.
    #[error("{}: {key}: {problem}", path.display())]
    Effect {
        /// The effects file.
        path: PathBuf,
        /// Section and index: `fat[0]`.
        key: String,
        /// What was expected, and what was found.
        problem: EffectProblem,
    },
    /// A file that effects name does not exist.
    #[error("there is no file {path}")]
    MissingFile {
        /// Path as written in the effects.
        path: String,
    },
    /// A mesh that is to be a map has neither scalars nor colours.
    #[error("{} has no numbers and no colours of vertices", path.display())]
    Unpainted {
        /// The mesh file.
        path: PathBuf,
    },
    /// A weight of a combination is not a number from 0 to 1.
    #[error("{shape}={written}: expected a weight from 0 to 1")]
    Weight {
        /// The shape.
        shape: String,
        /// The weight as written.
        written: String,
    },
    /// A combination names a shape twice.
    #[error("{shape} has two weights")]
    TwoWeights {
        /// The shape.
        shape: String,
    },
    /// A combination without weights.
    #[error("expected weights of shapes, such as jawOpen=0.5,mouthSmileLeft=1")]
    NoWeights,
    /// A shape that nothing is known of.
    #[error("{}: there is no shape {name}{}", path.display(), nearest.as_deref().map(|n| format!("; did you mean {n}?")).unwrap_or_default())]
    UnknownShape {
        /// The file that names it.
        path: PathBuf,
        /// As written.
        name: String,
        /// The known name most like it.
        nearest: Option<String>,
    },
}

/// Why an effect cannot be applied to a face.
#[derive(Debug, Error)]
pub enum EffectProblem {
    /// A file that it names cannot be used.
    #[error(transparent)]
    File(Box<FaceError>),
    /// A map has another number of values than the skin has vertices.
    #[error("map {map}: {numbers} numbers, but the skin has {vertices} vertices")]
    MapLength {
        /// The map as written.
        map: String,
        /// Values of the map.
        numbers: usize,
        /// Vertices of the skin.
        vertices: usize,
    },
    /// A map has a value outside of its range.
    #[error("map {map}: vertex {vertex} has {value}, expected a weight from 0 to 1")]
    MapRange {
        /// The map as written.
        map: String,
        /// The first such vertex.
        vertex: usize,
        /// Its value.
        value: f64,
    },
    /// A name that the face does not have, with one like it.
    #[error("there is no {kind} `{name}`; did you mean `{nearest}`?")]
    Misspelt {
        /// `region`, `landmark` or `muscle`.
        kind: &'static str,
        /// The name as written.
        name: String,
        /// The most similar name.
        nearest: String,
    },
    /// A name that the face does not have, and none like it.
    #[error("there is no {kind} `{name}`, expected one of {}", known.join(", "))]
    Unknown {
        /// `region`, `landmark` or `muscle`.
        kind: &'static str,
        /// The name as written.
        name: String,
        /// All names of the face.
        known: Vec<String>,
    },
    /// A point of injection is not in the flesh.
    #[error("({}, {}, {}) m is {distance_mm:.0} mm from the flesh", point[0], point[1], point[2])]
    FarPoint {
        /// The point (m).
        point: [f64; 3],
        /// Distance to the nearest vertex (mm).
        distance_mm: f64,
    },
    /// The chin cannot be moved.
    #[error("there is no mandible under the skin")]
    NoMandible,
    /// The maxilla cannot be moved.
    #[error("there are no upper teeth")]
    NoUpperTeeth,
}

impl EffectProblem {
    /// A name that is not among the known ones.
    pub(crate) fn unknown<'a>(
        kind: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> EffectProblem {
        let name = name.to_owned();
        match nearest(&name, known.clone()) {
            Some(nearest) => EffectProblem::Misspelt { kind, name, nearest },
            None => {
                EffectProblem::Unknown { kind, name, known: known.map(str::to_owned).collect() }
            }
        }
    }
}

impl FaceError {
    /// About a line of a file, counted from 1.
    pub(crate) fn in_line(path: &Path, line: usize, problem: impl Display) -> FaceError {
        FaceError::Syntax { path: path.to_owned(), line, problem: problem.to_string() }
    }

    /// The same about a face that is in a file.
    pub(crate) fn named(self, file: &Path) -> FaceError {
        match self {
            FaceError::UnknownShape { name, nearest, .. } => {
                FaceError::UnknownShape { path: file.to_owned(), name, nearest }
            }
            other => other,
        }
    }
}
