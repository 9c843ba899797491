//! Errors of the easy door.

use pliant_model::ModelError;
use thiserror::Error;

use crate::snapshot::SnapshotError;
use crate::workspace::SimError;

/// Why a simulation cannot be built, asked or changed.
#[derive(Debug, Error)]
pub enum SimulationError {
    /// A body, a collider or an attachment is impossible.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The method cannot step this model.
    #[error(transparent)]
    Method(#[from] SimError),
    /// Bytes are no snapshot of this simulation.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// No body has this name.
    #[error("there is no body `{name}`: {}", suggestion(.nearest, .known))]
    UnknownBody {
        /// The name that was asked for.
        name: String,
        /// The name of a body that resembles it.
        nearest: Option<String>,
        /// The names of all bodies.
        known: Vec<String>,
    },
    /// Bodies are addressed by name, so names must differ.
    #[error("two bodies are called `{name}`, expected a name for each")]
    SameName {
        /// Their name.
        name: String,
    },
    /// A list has another length than the body's vertices ask for.
    #[error("body `{body}`: {given} {what} for {expected} vertices")]
    Length {
        /// Its name.
        body: String,
        /// What was given.
        what: &'static str,
        /// How many vertices there are.
        expected: usize,
        /// How many values were given.
        given: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("body `{body}`: number {index} of the {what} is not finite")]
    NotFinite {
        /// Its name.
        body: String,
        /// What was given.
        what: &'static str,
        /// The place in the list, from 0.
        index: usize,
    },
}

impl SimulationError {
    /// The error for a name that no body has.
    pub(super) fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known: Vec<String> = known.map(str::to_owned).collect();
        let likeness = |own: &str| strsim::jaro_winkler(name, own);
        let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let nearest = nearest.filter(|own| likeness(own) > 0.7).cloned();
        SimulationError::UnknownBody { name: name.to_owned(), nearest, known }
    }
}

fn suggestion(nearest: &Option<String>, known: &[String]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("the bodies are {}", known.join(", ")),
    }
}
