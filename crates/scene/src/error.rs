//! What is wrong with a scene file, where, and what was expected instead.

use std::fmt;

/// A fault of a scene file: its place and its kind. Displayed as one sentence that names both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Line of the file, from 1.
    pub line: usize,
    /// Column of that line in characters, from 1.
    pub column: usize,
    /// Dotted path of the key, or of the table that holds it: `body[0].material`. Empty at the
    /// top of the file.
    pub key: String,
    /// What is wrong there.
    pub problem: Box<Problem>,
}

/// The kinds of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Not TOML.
    Syntax(String),
    /// A key that no scene has. `nearest` is the known key that it resembles.
    UnknownKey { name: String, nearest: Option<String>, known: Vec<String> },
    /// A key that must be there.
    MissingKey { name: String, expected: String },
    /// A value of the wrong type.
    WrongType { expected: String, found: String },
    /// A number outside its range.
    OutOfRange { value: String, allowed: String },
    /// A name (of a model, a scheme …) that does not exist.
    UnknownName { kind: &'static str, name: String, nearest: Option<String>, known: Vec<String> },
    /// Values that are fine alone, but not together; says why.
    Refused(String),
}

impl std::error::Error for SceneError {}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SceneError { line, column, key, problem } = self;
        let table = if key.is_empty() { "the scene" } else { key.as_str() };
        match problem.as_ref() {
            Problem::Syntax(message) => {
                write!(f, "line {line}, column {column}: not valid TOML: {message}")
            }
            Problem::UnknownKey { name, nearest, known } => {
                write!(f, "unknown key `{name}` in {table}, line {line}: ")?;
                suggest(f, nearest, known)
            }
            Problem::MissingKey { name, expected } => {
                write!(f, "missing key `{name}` in {table}, line {line}: expected {expected}")
            }
            Problem::WrongType { expected, found } => {
                write!(f, "`{table}`, line {line}: expected {expected}, found {found}")
            }
            Problem::OutOfRange { value, allowed } => {
                write!(f, "`{table}`, line {line}: {value} is out of range, must be {allowed}")
            }
            Problem::UnknownName { kind, name, nearest, known } => {
                write!(f, "`{table}`, line {line}: unknown {kind} `{name}`: ")?;
                suggest(f, nearest, known)
            }
            Problem::Refused(reason) => write!(f, "`{table}`, line {line}: {reason}"),
        }
    }
}

fn suggest(f: &mut fmt::Formatter<'_>, nearest: &Option<String>, known: &[String]) -> fmt::Result {
    match nearest {
        Some(nearest) => write!(f, "did you mean `{nearest}`?"),
        None => {
            let quoted: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            write!(f, "expected one of {}", quoted.join(", "))
        }
    }
}
