//! The surface that a body is shown by: as its file has it, carried by the tets around it.

use glam::DVec3;
use pliant_mesh::{Embedding, Group, Mesh, MeshError, Surface};

/// Weights up to this are those of corners on the far side of a face that the vertex lies on.
const NOTHING: f64 = 1e-9;

/// A surface bound to the vertices of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// The placed surface at rest, with all that its file says \[m\].
    pub surface: Surface,
    /// For every vertex the four vertices of the body that carry it.
    pub corners: Vec<[u32; 4]>,
    /// Their weights, which sum to 1.
    pub weights: Vec<[f64; 4]>,
}

impl Skin {
    /// Binds a surface to the tets of `solid` that it is embedded in.
    ///
    /// ```
    /// use pliant_math::team::Team;
    /// use pliant_mesh::{TetOptions, shapes, tetrahedralise};
    /// use pliant_model::{DVec3, Skin};
    /// let surface = shapes::solid_box(DVec3::ONE, [1, 1, 1])?;
    /// let filled = tetrahedralise(&surface, &TetOptions::default(), &Team::new(1))?;
    /// let skin = Skin::new(surface.into(), &filled.solid, &filled.embedding);
    /// let lifted: Vec<DVec3> = filled.solid.positions.iter().map(|x| *x + DVec3::Y).collect();
    /// let mut shown = vec![DVec3::ZERO; skin.corners.len()];
    /// skin.carry(&lifted, &mut shown);
    /// assert!((shown[0] - skin.surface.mesh.positions[0] - DVec3::Y).length() < 1e-12);
    /// # Ok::<(), pliant_mesh::MeshError>(())
    /// ```
    pub fn new(mut surface: Surface, solid: &Mesh, embedding: &Embedding) -> Self {
        // Of tets, only the boundary is a surface.
        surface.mesh.tets = Vec::new();
        let corners = |&tet: &u32| solid.tets.get(tet as usize).copied().unwrap_or_default();
        Skin {
            surface,
            corners: embedding.tets.iter().map(corners).collect(),
            weights: embedding.weights.clone(),
        }
    }

    /// Where the surface is when the body's vertices are at `body`, both in their own order \[m\].
    pub fn carry(&self, body: &[DVec3], surface: &mut [DVec3]) {
        for ((x, corners), weights) in surface.iter_mut().zip(&self.corners).zip(&self.weights) {
            let at = |k: usize| weights[k] * body[corners[k] as usize];
            *x = at(0) + at(1) + at(2) + at(3);
        }
    }

    /// The vertices of the body that carry these of the surface, ascending.
    pub fn carriers(&self, vertices: &[u32]) -> Result<Vec<u32>, MeshError> {
        let count = self.corners.len();
        let mut carriers = Vec::new();
        for &vertex in vertices {
            let missing = MeshError::NoSuchVertex { vertex, count };
            let corners = self.corners.get(vertex as usize).ok_or(missing)?;
            let weights = self.weights[vertex as usize];
            carriers.extend((0..4).filter(|&k| weights[k].abs() > NOTHING).map(|k| corners[k]));
        }
        carriers.sort_unstable();
        carriers.dedup();
        Ok(carriers)
    }

    /// Groups and attributes of the surface as groups of the body.
    ///
    /// # Errors
    /// When a group names a vertex that the surface does not have.
    pub fn groups(&self) -> Result<Vec<Group>, MeshError> {
        let on_body = |group: Group| {
            Ok(Group { vertices: self.carriers(&group.vertices)?, name: group.name })
        };
        self.surface.selectable().into_iter().map(on_body).collect()
    }
}
