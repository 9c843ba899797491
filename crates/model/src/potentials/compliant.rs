//! Elements one by one, for solvers that relax them one after the other (XPBD).
//!
//! Potentials keep their elements in chunks that are evaluated at once. A Gauss–Seidel solver
//! groups them by colour instead, and asks for the numbers of each element.

use super::springs::Spring;
use crate::material::ElasticModel;

/// A potential whose elements can be relaxed one by one.
pub trait CompliantPotential {
    /// Visits all elements, neighbours after each other.
    fn visit_elements(&self, visit: &mut dyn FnMut(CompliantElement));
}

/// One element of a potential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CompliantElement {
    /// ½ k (‖x₀ − x₁‖ − r)².
    Spring(Spring),
    /// V ψ(F), F = Dₛ Dₘ⁻¹.
    Tet(CompliantTet),
    /// ½ k ‖x − t‖² with t = `Drive::attachments[index]`.
    Attached {
        /// Model vertex.
        vertex: u32,
        /// Stiffness k [N/m].
        stiffness: f64,
        /// Index of the target.
        index: usize,
    },
    /// ½ W ‖x − t‖² with t = `Drive::follow[index]` and W = `Drive::follow_weights[index]`.
    Followed {
        /// Model vertex.
        vertex: u32,
        /// Index of the target and its weight.
        index: usize,
    },
    /// Contact with the model's colliders, or friction there, of a body's free vertices; see
    /// [`super::collider_contact`] and [`super::collider_friction`].
    Touching,
    /// Air drag on a surface triangle; see [`super::wind`].
    Blown {
        /// Model vertices.
        corners: [u32; 3],
        /// Its number among all triangles that wind acts on.
        number: u32,
        /// ρ [kg/m³].
        drag: f64,
    },
}

/// One tetrahedron with its density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompliantTet {
    /// Model vertices.
    pub corners: [u32; 4],
    /// Dₘ⁻¹, row-major [1/m].
    pub inverse: [f64; 9],
    /// μV \[J\].
    pub mu: f64,
    /// λV \[J\].
    pub lambda: f64,
    /// ψ.
    pub model: ElasticModel,
}
