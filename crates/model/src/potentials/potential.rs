//! The solver's view of an energy: independent chunks of elements.
//!
//! A chunk reads the positions of its own vertices and writes one gradient row per vertex. Chunk
//! rows are summed in a fixed order, so results do not depend on the thread count.

use pliant_math::Row;

use super::chunks::Chunk;
use super::compliant::CompliantPotential;
use super::contact_potential::ContactPotential;
use super::driven::DrivenPotential;
use super::situation::Situation;

/// Which second derivative a solver wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// The exact Hessian.
    Exact,
    /// Each element's Hessian with negative eigenvalues set to zero.
    Definite,
}

/// Which constant quadratic proxy a projective solver wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyKind {
    /// The shear stiffness: best when L-BFGS completes it.
    Typical,
    /// An upper bound of the stiffness near rest, for plain local/global.
    Bound,
}

/// An energy of positions, in chunks of elements.
///
/// Contact, driven quantities and XPBD need more than this; a potential that offers it implements
/// [`ContactPotential`], [`DrivenPotential`] or [`CompliantPotential`], and says so in
/// [`Potential::as_contact`], [`Potential::as_driven`] or [`Potential::as_compliant`].
pub trait Potential: Send + Sync {
    /// Name for reports.
    fn name(&self) -> &'static str;

    /// How many chunks there are.
    fn chunk_count(&self) -> usize;

    /// Vertices and elements of a chunk.
    fn chunk(&self, chunk: usize) -> Chunk<'_>;

    /// Energy of a chunk \[J\]; with `gradient`, its derivative is *written* to those rows \[N\].
    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64;

    /// Hessians of a chunk's elements [N/m]: (3k)² numbers each, row-major, rows and columns
    /// ordered corner by corner.
    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]);

    /// The constant proxy ½ xᵀLx, acting on x, y and z alike [N/m]: entries (i, j, Lᵢⱼ) of the
    /// lower triangle and of the upper one, in any order; duplicates add up.
    fn proxy(&self, kind: ProxyKind, add: &mut dyn FnMut(u32, u32, f64));

    /// True if the energy is stored (part of the potential energy), false if the step dissipates
    /// it, as wind and friction do.
    fn is_stored(&self) -> bool {
        true
    }

    /// True if the constant proxy stands for all of the stiffness.
    fn is_in_proxy(&self) -> bool {
        self.as_contact().is_none()
    }

    /// The contact interface, if this is contact or friction.
    fn as_contact(&self) -> Option<&dyn ContactPotential> {
        None
    }

    /// The interface of driven quantities, if the potential has any of its own.
    fn as_driven(&self) -> Option<&dyn DrivenPotential> {
        None
    }

    /// The interface of XPBD, if the potential can be relaxed element by element.
    fn as_compliant(&self) -> Option<&dyn CompliantPotential> {
        None
    }
}
