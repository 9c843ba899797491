//! Energies of what touches, between bodies and within one: what contact ([`super::body_contact`])
//! and friction ([`super::body_friction`]) have in common.
//!
//! An energy e(u) of a touch depends on where a vertex x is relative to the surface point c = Σ wᵢ
//! xᵢ it should leave through. So
//!
//! ```text
//! ∂e/∂x = e′,     ∂e/∂xᵢ = −wᵢ e′:
//! ```
//!
//! no momentum is made. (Of edges, x is a mean of two vertices, by shares.)
//!
//! What touches what changes all the time, so second derivatives are given vertex by vertex: with g
//! = (1, −w₁, …), the term g e″ gᵀ is at most the block diagonal 2 (e″, w₁ e″, …), because (Σ aᵢ)²
//! ≤ Σ aᵢ²/pᵢ for shares pᵢ of 1. It is both *curvatures* of these potentials: solvers converge
//! with it, but slowly. Newton's method gets the terms themselves from
//! [`ContactPotential::couplings`].

use std::sync::Arc;

use glam::{DMat3, DVec3};
use pliant_math::Row;

use super::Turning;
use super::chunks::Chunk;
use super::contact_potential::{ContactPotential, VisitTerm, point_hessians};
use super::potential::{Curvature, Potential, ProxyKind};
use super::situation::Situation;
use crate::touching::{Solids, Touch};

/// A law of what touches.
pub trait TouchEnergy: Send + Sync {
    /// For reports.
    const NAME: &'static str;
    /// Whether its energy is stored.
    const IS_STORED: bool;

    /// The touches that count; where none do, there is nothing to be said of them.
    fn touches<'a>(at: &Situation<'a>) -> &'a [Touch];

    /// e \[J\].
    fn energy(solids: &Solids, touch: &Touch, at: &Situation) -> f64;

    /// e′ \[N\].
    fn slope(solids: &Solids, touch: &Touch, at: &Situation) -> DVec3;

    /// e″ [N/m], definite.
    fn bend(solids: &Solids, touch: &Touch, at: &Situation, curvature: Curvature) -> DMat3;

    /// What e″ lacks as the surface turns.
    fn turning(_: &Touch, _: &Situation) -> Option<Turning> {
        None
    }

    /// What e depends on a touch's points, sides and corners with besides, per [`Touch::slopes`]
    /// \[m²\].
    fn by_stiffness(_: &Touch) -> f64 {
        0.0
    }
}

/// An energy of what touches: a chunk per body, with the energy of what is inside of it and the
/// forces on its own vertices.
pub struct BodyTouch<E> {
    solids: Arc<Solids>,
    law: std::marker::PhantomData<E>,
}

impl<E: TouchEnergy> BodyTouch<E> {
    /// Of all bodies that touch.
    pub fn new(solids: Arc<Solids>) -> Self {
        BodyTouch { solids, law: std::marker::PhantomData }
    }

    /// The touches that a body takes part in.
    fn of<'a>(
        &self,
        body: usize,
        at: &Situation<'a>,
    ) -> impl Iterator<Item = &'a Touch> + use<'a, E> {
        let takes_part = move |t: &&Touch| t.owner as usize == body || t.body as usize == body;
        E::touches(at).iter().filter(takes_part)
    }
}

impl<E: TouchEnergy> Potential for BodyTouch<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn is_stored(&self) -> bool {
        E::IS_STORED
    }

    fn chunk_count(&self) -> usize {
        self.solids.bodies.len()
    }

    fn chunk(&self, chunk: usize) -> Chunk<'_> {
        Chunk::of_points(&self.solids.bodies[chunk].vertices)
    }

    fn evaluate(&self, chunk: usize, at: &Situation, gradient: Option<&mut [Row]>) -> f64 {
        let solids = &*self.solids;
        if let Some(out) = gradient {
            out.fill(Row::zero());
            for touch in self.of(chunk, at) {
                let slope = E::slope(solids, touch, at);
                solids.each_pushed(chunk, touch, |place, weight| {
                    out[place] = out[place] + Row::from(slope * weight);
                });
                let more = E::by_stiffness(touch);
                if touch.shares[1] > 0.0 && more != 0.0 {
                    let vertices = touch.points.iter().chain(&touch.sides).chain(&touch.corners);
                    for (&v, slope) in vertices.zip(touch.slopes) {
                        if let Some(place) = solids.bodies[chunk].place(v) {
                            out[place] = out[place] + Row::from(slope * more);
                        }
                    }
                }
            }
        }
        let inside = E::touches(at).iter().filter(|touch| touch.body as usize == chunk);
        inside.map(|touch| E::energy(solids, touch, at)).sum()
    }

    fn hessians(&self, chunk: usize, at: &Situation, curvature: Curvature, out: &mut [f64]) {
        point_hessians(self, chunk, at, curvature, out);
    }

    /// None: contact comes and goes.
    fn proxy(&self, _: ProxyKind, _: &mut dyn FnMut(u32, u32, f64)) {}

    fn as_contact(&self) -> Option<&dyn ContactPotential> {
        Some(self)
    }
}

impl<E: TouchEnergy> ContactPotential for BodyTouch<E> {
    fn stiff_points(
        &self,
        chunk: usize,
        at: &Situation,
        curvature: Curvature,
        _: Option<&[Row]>,
        visit: &mut dyn FnMut(usize, DMat3),
    ) {
        for touch in self.of(chunk, at) {
            let bend = E::bend(&self.solids, touch, at, curvature);
            let twice = |place, weight: f64| visit(place, bend * (2.0 * weight.abs()));
            self.solids.each_pushed(chunk, touch, twice);
        }
    }

    fn couplings(&self, at: &Situation, curvature: Curvature, visit: VisitTerm) {
        for touch in E::touches(at) {
            let Touch { points: [p, q], shares, corners: [a, b, c, d], weights: w, .. } = *touch;
            let joined =
                [(p, shares[0]), (q, shares[1]), (a, -w[0]), (b, -w[1]), (c, -w[2]), (d, -w[3])];
            visit(&joined, E::bend(&self.solids, touch, at, curvature));
        }
    }

    fn couples_vertices(&self) -> bool {
        true
    }

    fn turnings(&self, at: &Situation, visit: &mut dyn FnMut(Turning)) {
        E::touches(at).iter().filter_map(|touch| E::turning(touch, at)).for_each(visit);
    }
}

impl Solids {
    /// Calls `f(place in the body's vertices, weight)` for those of a body's vertices that a touch
    /// pushes.
    fn each_pushed(&self, body: usize, touch: &Touch, mut f: impl FnMut(usize, f64)) {
        let solid = &self.bodies[body];
        if touch.owner as usize == body {
            for (point, share) in touch.points.iter().zip(touch.shares) {
                if let Some(place) = solid.place(*point).filter(|_| share != 0.0) {
                    f(place, share);
                }
            }
        }
        if touch.body as usize == body {
            for (corner, weight) in touch.corners.iter().zip(touch.weights) {
                if let Some(place) = solid.place(*corner).filter(|_| weight != 0.0) {
                    f(place, -weight);
                }
            }
        }
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
