//! Contact of bodies with each other and with themselves: Σ ½ k d² over the surface vertices that
//! are inside of a body, the edges that cut into each other, and the vertices of sheets that are
//! too near, d their depth (see [`crate::touching`]).
//!
//! With the gradient n = ∂d/∂x,
//!
//! ```text
//! e = ½ k d²,     e′ = k d n,     e″ = k n nᵀ,
//! ```
//!
//! the last by Gauss and Newton, and with I in place of n nᵀ beside an edge or a corner of a
//! surface; exactly, I − t tᵀ beside an edge along t, which a vertex slides on, and what
//! [`Turning`] adds. Where k is not constant (crossing edges), ½ d² ∂k is part of the gradient.

use glam::{DMat3, DVec3};

use super::Turning;
use super::body_touch::{BodyTouch, TouchEnergy};
use super::contact_potential::square;
use super::potential::Curvature;
use super::situation::Situation;
use crate::touching::{Solids, Touch};

/// Contact, as a potential.
pub type BodyContact = BodyTouch<Pressed>;

/// The law of contact.
pub struct Pressed;

impl TouchEnergy for Pressed {
    const NAME: &'static str = "contact between bodies";
    const IS_STORED: bool = true;

    fn touches<'a>(at: &Situation<'a>) -> &'a [Touch] {
        at.touches
    }

    fn energy(_: &Solids, touch: &Touch, at: &Situation) -> f64 {
        0.5 * touch.stiffness * touch.depth * touch.depth / at.contact_lead()
    }

    fn slope(_: &Solids, touch: &Touch, _: &Situation) -> DVec3 {
        touch.normal * (touch.stiffness * touch.depth)
    }

    fn bend(_: &Solids, touch: &Touch, at: &Situation, curvature: Curvature) -> DMat3 {
        let along = match edge(touch, at) {
            _ if touch.is_flat => square(touch.normal),
            Some(edge) if curvature == Curvature::Exact => DMat3::IDENTITY - square(edge),
            _ => DMat3::IDENTITY,
        };
        along * (at.contact_lead() * touch.stiffness)
    }

    /// Of a vertex in a solid; what is nearest to the edge of a neighbourhood or has a thickness is
    /// left at Gauss and Newton's.
    fn turning(touch: &Touch, at: &Situation) -> Option<Turning> {
        let Touch { points: [point, _], corners: [a, b, c, d], weights: [p, q, r, _], .. } = *touch;
        if touch.shares[1] != 0.0 || touch.thickness != 0.0 || c != d {
            return None;
        }
        let place = |v: u32| (v, at.contact_position(v));
        let stiffness = at.contact_lead() * touch.stiffness;
        Turning::new(place(point), [a, b, c].map(place), [p, q, r], stiffness)
    }

    fn by_stiffness(touch: &Touch) -> f64 {
        0.5 * touch.depth * touch.depth
    }
}

/// The direction of the edge that a vertex is nearest to, if it is one.
fn edge(touch: &Touch, at: &Situation) -> Option<DVec3> {
    let mut ends = touch.corners.iter().zip(touch.weights).filter(|(_, weight)| *weight != 0.0);
    let (Some((&a, _)), Some((&b, _)), None) = (ends.next(), ends.next(), ends.next()) else {
        return None;
    };
    if touch.shares[1] != 0.0 {
        return None;
    }
    (at.contact_position(b) - at.contact_position(a)).try_normalize()
}
