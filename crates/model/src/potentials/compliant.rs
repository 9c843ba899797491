//! Elements one by one, for solvers that relax them one after the other (XPBD).
//!
//! Potentials keep their elements in chunks made for evaluating all at once; a Gauss–Seidel
//! solver groups them differently, by colour, and asks for what each one is made of.

use super::springs::Spring;
use crate::material::ElasticModel;

/// One element of a potential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compliant {
    /// ½ k (‖x₀ − x₁‖ − r)².
    Spring(Spring),
    /// V ψ(F), F = Dₛ Dₘ⁻¹.
    Tet {
        /// Model vertices.
        corners: [u32; 4],
        /// Dₘ⁻¹, row-major [1/m].
        inverse: [f64; 9],
        /// μV \[J\].
        mu: f64,
        /// λV \[J\].
        lambda: f64,
        /// ψ.
        model: ElasticModel,
    },
    /// ½ k ‖x − t‖² with t = `Drive::attachments[index]`.
    Attached {
        /// Model vertex.
        vertex: u32,
        /// Stiffness k [N/m].
        stiffness: f64,
        /// Which target.
        index: usize,
    },
    /// ½ W ‖x − t‖² with t = `Drive::follow[index]` and W = `Drive::follow_weights[index]`.
    Followed {
        /// Model vertex.
        vertex: u32,
        /// Which target and weight.
        index: usize,
    },
    /// Contact with the model's colliders, or friction there, of a body's free vertices; see
    /// [`super::contact`] and [`super::friction`].
    Touching,
    /// Air drag on a surface triangle; see [`super::wind`].
    Blown {
        /// Model vertices.
        corners: [u32; 3],
        /// Its number among all that are blown on.
        number: u32,
        /// ρ [kg/m³].
        drag: f64,
    },
}
