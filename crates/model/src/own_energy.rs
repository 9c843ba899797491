//! Energies that users of the library bring along.

use std::fmt;
use std::sync::Arc;

use crate::error::ModelError;
use crate::potentials::Potential;

/// Translates vertices of bodies to model vertices while a model is being built.
pub struct Numbers<'a> {
    pub(crate) of: &'a dyn Fn(usize, u32) -> Result<u32, ModelError>,
}

impl Numbers<'_> {
    /// Model vertex of a body's vertex.
    ///
    /// # Errors
    /// When there is no such body, or it has no such vertex.
    pub fn of(&self, body: usize, vertex: u32) -> Result<u32, ModelError> {
        (self.of)(body, vertex)
    }
}

type Make = dyn Fn(&Numbers) -> Result<Box<dyn Potential>, ModelError> + Send + Sync;

/// A potential to be made when vertices have their model numbers.
#[derive(Clone)]
pub(crate) struct OwnEnergy(pub Arc<Make>);

impl fmt::Debug for OwnEnergy {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("OwnEnergy")
    }
}

impl OwnEnergy {
    /// The potential, if it is one for a model of `vertices` vertices.
    pub fn make(
        &self,
        numbers: &Numbers,
        vertices: usize,
    ) -> Result<Box<dyn Potential>, ModelError> {
        let potential = (self.0)(numbers)?;
        let refuse = |reason: String| {
            Err(ModelError::Potential { potential: potential.name().to_owned(), reason })
        };
        let corners = potential.corners();
        for chunk in 0..potential.chunk_count() {
            let own = potential.chunk_vertices(chunk);
            let elements = potential.chunk_elements(chunk);
            if let Some(v) = own.iter().chain(elements).find(|&&v| v as usize >= vertices) {
                return refuse(format!("the model has {vertices} vertices, and no vertex {v}"));
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
