//! Contact of bodies with each other and with themselves: Σ ½ k d² over the surface vertices that
//! are inside of a body and the edges that cut into each other, d their depth (see [`crate::touching`]).
//!
//! With the gradient n = ∂d/∂x and the weights wᵢ of the corners of the triangle that x should leave
//! through,
//!
//! ```text
//! ∂E/∂x = k d n,     ∂E/∂xᵢ = −wᵢ k d n,
//! ```
//!
//! and, where k is not constant (crossing edges), ½ d² ∂k.
//!
//! What touches what changes all the time, so second derivatives are given vertex by vertex: the
//! Gauss–Newton term k g gᵀ of g = (n, −w₁n, …) is at most the block diagonal 2k (n nᵀ, w₁ n nᵀ, …),
//! because (Σ aᵢ)² ≤ Σ aᵢ²/pᵢ for shares pᵢ of 1. Beside an edge or a corner of a surface, I takes the
//! place of n nᵀ. It is both *curvatures* of this potential: solvers converge with it, and Newton's
//! method not quadratically.

use std::sync::Arc;

use glam::DMat3;
use pliant_math::Row;

use super::contact::square;
use super::potential::{Curvature, Potential, ProxyKind, Situation};
use crate::touching::{Solids, Touch};

/// A chunk per body: the energy of what is inside of it, and the forces on its own vertices.
pub struct BodyContact {
    solids: Arc<Solids>,
}

impl BodyContact {
    /// Of all bodies that touch.
    pub fn new(solids: Arc<Solids>) -> Self {
        BodyContact { solids }
    }

    /// Calls `f(place in the chunk's rows, weight, touch)` for all of a body's vertices that a
    /// touch pushes, where ∂d is weight times normal.
    fn each(&self, body: usize, at: &Situation, mut f: impl FnMut(usize, f64, &Touch)) {
        for touch in at.touches {
            self.solids.each_pushed(body, touch, |place, weight| f(place, weight, touch));
        }
    }
}

impl Solids {
    /// Calls `f(place in the body's vertices, weight)` for those of a body's vertices that a touch
    /// pushes.
    pub(super) fn each_pushed(&self, body: usize, touch: &Touch, mut f: impl FnMut(usize, f64)) {
        let solid = &self.bodies[body];
        if touch.owner as usize == body {
            for (point, share) in touch.points.iter().zip(touch.shares) {
                if let Some(place) = solid.place(*point) {
                    f(place, share);
                }
            }
        }
        if touch.body as usize == body {
            for (corner, weight) in touch.corners.iter().zip(touch.weights) {
                if let Some(place) = solid.place(*corner) {
                    f(place, -weight);
                }
            }
        }
    }
}

impl Potential for BodyContact {
    fn name(&self) -> &'static str {
        "contact between bodies"
    }

    fn chunk_count(&self) -> usize {
        self.solids.bodies.len()
    }

    fn chunk_vertices(&self, chunk: usize) -> &[u32] {
        &self.solids.bodies[chunk].vertices
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        if let Some(out) = gradient {
            out.fill(Row::zero());
            self.each(chunk, at, |place, weight, touch| {
                let pull = touch.normal * (weight * touch.stiffness * touch.depth);
                out[place] = out[place] + Row::from(pull);
            });
            let solid = &self.solids.bodies[chunk];
            for touch in at.touches.iter().filter(|touch| touch.shares[1] > 0.0) {
                let vertices = touch.points.iter().chain(&touch.sides).chain(&touch.corners);
                for (&v, slope) in vertices.zip(touch.slopes) {
                    if let Some(place) = solid.place(v) {
                        let push = slope * (0.5 * touch.depth * touch.depth);
                        out[place] = out[place] + Row::from(push);
                    }
                }
            }
        }
        let lead = at.contact_lead();
        let inside = at.touches.iter().filter(|touch| touch.body as usize == chunk);
        inside.map(|touch| 0.5 * touch.stiffness * touch.depth * touch.depth / lead).sum()
    }

    fn is_in_proxy(&self) -> bool {
        false
    }

    fn corners(&self) -> usize {
        1
    }

    fn chunk_elements(&self, chunk: usize) -> &[u32] {
        self.chunk_vertices(chunk)
    }

    fn hessians(&self, chunk: usize, at: &Situation, _: Curvature, out: &mut [f64]) {
        out.fill(0.0);
        let lead = at.contact_lead();
        self.each(chunk, at, |place, weight, touch| {
            let along = if touch.is_flat { square(touch.normal) } else { DMat3::IDENTITY };
            let block = along * (2.0 * lead * weight.abs() * touch.stiffness);
            let out = &mut out[9 * place..9 * place + 9];
            out.iter_mut().zip(block.to_cols_array()).for_each(|(o, h)| *o += h);
        });
    }

    /// None, as for obstacles.
    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}
}
