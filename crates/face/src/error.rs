//! What can be wrong with a face.

use std::path::PathBuf;

use pliant_io::IoError;
use pliant_mesh::MeshError;
use thiserror::Error;

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
        "{tets} tets of the flesh are turned over where the lips meet, one near ({:.4}, {:.4}, {:.4}) m; try another size",
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
        "{}: {part} is outside the skin: {vertices} of its vertices, vertex {vertex} by {by_mm:.1} mm"
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
    /// Effects that name what the face does not have.
    #[error("{}: {key}: {problem}", path.display())]
    Effect {
        /// The effects file.
        path: PathBuf,
        /// `fat[0]`
        key: String,
        /// What was expected, and what was found.
        problem: String,
    },
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

impl FaceError {
    /// About a line of a file, counted from 1.
    pub(crate) fn in_line(path: &std::path::Path, line: usize, problem: String) -> FaceError {
        FaceError::Syntax { path: path.to_owned(), line, problem }
    }

    /// The same about a face that is in a file.
    pub(crate) fn named(self, file: &std::path::Path) -> FaceError {
        match self {
            FaceError::UnknownShape { name, nearest, .. } => {
                FaceError::UnknownShape { path: file.to_owned(), name, nearest }
            }
            other => other,
        }
    }
}
