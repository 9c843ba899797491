//! What can go wrong between the disk and a mesh.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file could not be read or written. Every variant names the path.
#[derive(Debug, Error)]
pub enum IoError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The file breaks its format at one place.
    #[error("{}, {place}: {problem}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        place: Place,
        /// What was expected, and what was found.
        problem: String,
    },
    /// The file as a whole cannot be used.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// An ending that belongs to no known format.
    #[error("{}: unknown kind of file; expected one of {known}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// The endings that are known.
        known: String,
    },
    /// Writing would destroy what is read.
    #[error("{}: would overwrite the input {}", output.display(), input.display())]
    OverwritesInput {
        /// The file to be written.
        output: PathBuf,
        /// The file it would replace.
        input: PathBuf,
    },
}

/// A problem in the content of a file: a sentence, or its end, without the file's name.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Problem(String);

impl From<String> for Problem {
    fn from(sentence: String) -> Problem {
        Problem(sentence)
    }
}

impl From<&str> for Problem {
    fn from(sentence: &str) -> Problem {
        Problem(sentence.to_owned())
    }
}

impl From<Problem> for String {
    fn from(problem: Problem) -> String {
        problem.0
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file, counted from 1.
    Line(usize),
    /// A position in a binary file, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(f, "line {number}"),
            Place::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

impl IoError {
    pub fn system(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> IoError {
        let path = path.to_owned();
        move |source| IoError::System { path, action, source }
    }

    pub fn content(path: &Path, problem: impl Into<String>) -> IoError {
        IoError::Content { path: path.to_owned(), problem: problem.into() }
    }

    /// The file that the error is about.
    pub fn path(&self) -> &Path {
        match self {
            IoError::System { path, .. }
            | IoError::Syntax { path, .. }
            | IoError::Content { path, .. }
            | IoError::UnknownFormat { path, .. }
            | IoError::OverwritesInput { output: path, .. } => path,
        }
    }
}
