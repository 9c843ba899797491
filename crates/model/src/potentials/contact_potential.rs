//! The solver's view of contact: stiffness that comes and goes with the vertices that touch.

use glam::{DMat3, DVec3};
use pliant_math::Row;

use super::Turning;
use super::potential::{Curvature, Potential};
use super::situation::Situation;

/// Receives terms g e″ gᵀ of a Hessian: model vertices with their weights g, and e″ [N/m].
pub type VisitTerm<'a> = &'a mut dyn FnMut(&[(u32, f64)], DMat3);

/// Contact or friction: a potential of points, of which only a few are stiff at a time.
///
/// No constant proxy can stand for that stiffness, so solvers ask for it where they need it.
pub trait ContactPotential: Potential {
    /// Calls `visit(place in the chunk's vertices, Hessian)` for every stiff vertex, any number of
    /// times each; the Hessians add up [N/m]. `felt` are the chunk's gradient rows in this
    /// situation, if they are known: a vertex without force need not be evaluated again.
    fn stiff_points(
        &self,
        chunk: usize,
        at: &Situation,
        curvature: Curvature,
        felt: Option<&[Row]>,
        visit: &mut dyn FnMut(usize, DMat3),
    );

    /// True if the Hessian couples different vertices.
    fn couples_vertices(&self) -> bool {
        false
    }

    /// Calls `visit(vertices with their weights g, e″)` for the terms g e″ gᵀ of the whole
    /// potential's Hessian [N/m]. [`ContactPotential::stiff_points`] has the bound 2 |gᵢ| e″ of
    /// them on the diagonal.
    fn couplings(&self, at: &Situation, curvature: Curvature, visit: VisitTerm) {
        let _ = (at, curvature, visit);
    }

    /// Calls `visit` for the part of the exact Hessian that those terms lack, because the
    /// direction of contact turns as vertices move.
    fn turnings(&self, at: &Situation, visit: &mut dyn FnMut(Turning)) {
        let _ = (at, visit);
    }
}

/// The Hessians of a chunk's points from those of the stiff ones: [`Potential::hessians`] of
/// contact.
pub(super) fn point_hessians(
    contact: &dyn ContactPotential,
    chunk: usize,
    at: &Situation,
    curvature: Curvature,
    out: &mut [f64],
) {
    out.fill(0.0);
    contact.stiff_points(chunk, at, curvature, None, &mut |place, hessian| {
        let out = &mut out[9 * place..9 * place + 9];
        out.iter_mut().zip(hessian.to_cols_array()).for_each(|(o, h)| *o += h);
    });
}

/// u uᵀ.
pub(crate) fn square(u: DVec3) -> DMat3 {
    DMat3::from_cols(u * u.x, u * u.y, u * u.z)
}
