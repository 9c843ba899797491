//! Why the command stopped: one sentence, and the exit status that goes with it.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use pliant::face::FaceError;
use pliant::io::IoError;
use pliant::project::ProjectError;
use pliant::view;

/// A failure, ready to be shown.
#[derive(Debug)]
pub struct Failure {
    sentence: String,
    status: u8,
}

impl Failure {
    /// The work could not be done: status 1. The sentence names the file, the line or key, and
    /// what was expected.
    pub fn new(sentence: impl Into<String>) -> Failure {
        Failure { sentence: sentence.into(), status: 1 }
    }

    /// The command was typed in a way that has no meaning: status 2.
    pub fn usage(sentence: impl Into<String>) -> Failure {
        Failure { sentence: sentence.into(), status: 2 }
    }

    /// Ctrl-C: status 130, as shells expect. The sentence says what was kept and how to go on.
    pub fn interrupted(sentence: impl Into<String>) -> Failure {
        Failure { sentence: sentence.into(), status: 130 }
    }

    /// A failure of something that knows no files, with the file it was about.
    pub fn about(path: &Path, problem: impl fmt::Display) -> Failure {
        Failure::new(format!("{}: {problem}", path.display()))
    }

    /// The status to leave with.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.status)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Failure {
        Failure::new(error.to_string())
    }
}

impl From<view::Error> for Failure {
    fn from(error: view::Error) -> Failure {
        Failure::new(error.to_string())
    }
}

impl From<FaceError> for Failure {
    fn from(error: FaceError) -> Failure {
        Failure::new(error.to_string())
    }
}

impl From<ProjectError> for Failure {
    fn from(error: ProjectError) -> Failure {
        match error {
            ProjectError::Request(sentence) => Failure::usage(sentence),
            ProjectError::Stopped(rest) => {
                Failure::interrupted(format!("stopped by Ctrl-C: {rest}"))
            }
            error => Failure::new(error.to_string()),
        }
    }
}
