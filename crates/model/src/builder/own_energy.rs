//! Energies that users of the library bring along.

use std::fmt;
use std::sync::Arc;

use super::numbering::Numbering;
use crate::error::ModelError;
use crate::potentials::{Chunk, Potential};

/// Translates vertices of bodies to model vertices while a model is being built.
pub struct Numbers<'a>(pub(super) &'a Numbering<'a>);

impl Numbers<'_> {
    /// Model vertex of a body's vertex.
    ///
    /// # Errors
    /// When there is no such body, or it has no such vertex.
    pub fn of(&self, body: usize, vertex: u32) -> Result<u32, ModelError> {
        self.0.number(body, vertex)
    }
}

type Make = dyn Fn(&Numbers) -> Result<Box<dyn Potential>, ModelError> + Send + Sync;

/// Makes a potential when vertices have their model numbers.
#[derive(Clone)]
pub(crate) struct OwnEnergy(pub Arc<Make>);

impl fmt::Debug for OwnEnergy {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("OwnEnergy")
    }
}

impl OwnEnergy {
    /// The potential, checked against the numbers of the model's vertices.
    pub fn make(&self, numbers: &Numbers) -> Result<Box<dyn Potential>, ModelError> {
        let potential = (self.0)(numbers)?;
        let refuse = |reason: String| {
            Err(ModelError::Potential { potential: potential.name().to_owned(), reason })
        };
        let count = numbers.0.users.count();
        for chunk in 0..potential.chunk_count() {
            let Chunk { vertices, corners, elements } = potential.chunk(chunk);
            if let Some(v) = vertices.iter().chain(elements).find(|&&v| v as usize >= count) {
                return refuse(format!("the model has {count} vertices, and no vertex {v}"));
            }
            if corners == 0 || elements.len() % corners != 0 {
                return refuse(format!(
                    "chunk {chunk} has {} corners, which makes no elements of {corners}",
                    elements.len()
                ));
            }
        }
        Ok(potential)
    }
}
