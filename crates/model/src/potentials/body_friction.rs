//! Friction and inelastic rebound between bodies: the law of [`super::friction`], for what touches.
//!
//! A vertex x that is inside of a body at the start of the step is pressed against the surface point
//! c = Σ wᵢ xᵢ it should leave through, with the force f = k d along the normal; f, the normal and the
//! weights are kept for the step. What rubs is the displacement of x relative to that of c,
//!
//! ```text
//! u = (x − x⁰) − Σ wᵢ (xᵢ − xᵢ⁰),     ∂D/∂x = D′(u),     ∂D/∂xᵢ = −wᵢ D′(u):
//! ```
//!
//! no momentum is made, and energy only taken. Second derivatives are bounded vertex by vertex, as
//! those of contact are.

use std::sync::Arc;

use glam::DVec3;
use pliant_math::Row;

use super::friction::Rub;
use super::potential::{Curvature, Potential, ProxyKind, Situation};
use crate::touching::{Solids, Touch};

/// A chunk per body: the losses of what is inside of it, and the forces on its own vertices.
pub struct BodyFriction {
    solids: Arc<Solids>,
}

impl BodyFriction {
    /// Between all bodies that touch.
    pub fn new(solids: Arc<Solids>) -> Self {
        BodyFriction { solids }
    }

    /// Calls `f(place in the chunk's rows, weight, what rubs)` for a body's vertices.
    fn each(&self, body: usize, at: &Situation, mut f: impl FnMut(usize, f64, &Rub)) {
        if at.rate <= 0.0 {
            return;
        }
        for touch in at.rubbing {
            if touch.owner as usize == body || touch.body as usize == body {
                let rub = self.solids.rub(touch, [at.start, at.positions], at.rate);
                self.solids.each_pushed(body, touch, |place, weight| f(place, weight, &rub));
            }
        }
    }
}

impl Solids {
    /// What a touch at the start of a step loses, if vertices move with velocities (to − from) · rate.
    pub fn rub(&self, touch: &Touch, [from, to]: [&[Row]; 2], rate: f64) -> Rub {
        let u = touch.relative(|v| (to[v as usize] - from[v as usize]).xyz());
        let force = touch.stiffness * touch.depth;
        Rub::new(u, -touch.normal, [self.law.friction * force, self.law.loss() * force], rate)
    }
}

impl Touch {
    /// A vertex's own of some quantity, less that of the surface point it should leave through.
    pub fn relative(&self, of: impl Fn(u32) -> DVec3) -> DVec3 {
        let corners = self.corners.iter().zip(self.weights);
        let points = self.points.iter().zip(self.shares);
        points.map(|(&v, share)| of(v) * share).sum::<DVec3>()
            - corners.map(|(&v, w)| of(v) * w).sum::<DVec3>()
    }
}

impl Potential for BodyFriction {
    fn name(&self) -> &'static str {
        "friction between bodies"
    }

    fn is_stored(&self) -> bool {
        false
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
            self.each(chunk, at, |place, weight, rub| {
                out[place] = out[place] + Row::from(rub.gradient() * weight);
            });
        }
        if at.rate <= 0.0 {
            return 0.0;
        }
        let inside = at.rubbing.iter().filter(|touch| touch.body as usize == chunk);
        inside.map(|t| self.solids.rub(t, [at.start, at.positions], at.rate).energy()).sum()
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

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        out.fill(0.0);
        self.each(chunk, at, |place, weight, rub| {
            let block = rub.hessian(curvature) * (2.0 * weight.abs());
            let out = &mut out[9 * place..9 * place + 9];
            out.iter_mut().zip(block.to_cols_array()).for_each(|(o, h)| *o += h);
        });
    }

    /// None: it comes and goes with contact.
    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}
}
