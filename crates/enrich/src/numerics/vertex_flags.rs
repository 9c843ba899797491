//! Lists of vertices as a flag or a number per vertex.

use crate::error::EnrichError;

/// A flag per vertex of `count`, true for those listed; `what` names the list in the error.
pub fn vertex_flags(
    what: &'static str,
    vertices: &[u32],
    count: usize,
) -> Result<Vec<bool>, EnrichError> {
    let mut flags = vec![false; count];
    for &vertex in vertices {
        let missing = EnrichError::NoSuchVertex { what, vertex, count };
        *flags.get_mut(vertex as usize).ok_or(missing)? = true;
    }
    Ok(flags)
}

/// Consecutive numbers of the free vertices, the unknowns of a linear system.
pub struct FreeVertices {
    number: Vec<Option<usize>>,
    vertices: Vec<usize>,
}

impl FreeVertices {
    /// Numbers the vertices whose flag `is_fixed` is false.
    pub fn new(is_fixed: &[bool]) -> Self {
        let vertices: Vec<usize> = (0..is_fixed.len()).filter(|&v| !is_fixed[v]).collect();
        let mut number = vec![None; is_fixed.len()];
        vertices.iter().enumerate().for_each(|(k, &v)| number[v] = Some(k));
        FreeVertices { number, vertices }
    }

    /// Number of a vertex; `None` if it is fixed.
    pub fn number(&self, vertex: usize) -> Option<usize> {
        self.number[vertex]
    }

    /// Free vertices, ascending.
    pub fn vertices(&self) -> &[usize] {
        &self.vertices
    }
}
