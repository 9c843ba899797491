//! Friction and inelastic rebound between bodies: the law of [`super::collider_friction`], for what
//! touches.
//!
//! A vertex x that is inside of a body at the start of the step is pressed against the surface
//! point c = Σ wᵢ xᵢ it should leave through, with the force f = k d along the normal; f, the
//! normal and the weights are kept for the step. What rubs is the displacement of x relative to
//! that of c,
//!
//! ```text
//! u = (x − x⁰) − Σ wᵢ (xᵢ − xᵢ⁰):
//! ```
//!
//! energy is only taken.

use glam::{DMat3, DVec3};
use pliant_math::Row;

use super::body_touch::{BodyTouch, TouchEnergy};
use super::collider_friction::Rub;
use super::potential::Curvature;
use super::situation::Situation;
use crate::touching::{Solids, Touch};

/// Friction, as a potential.
pub type BodyFriction = BodyTouch<Rubbed>;

/// The law of friction.
pub struct Rubbed;

impl TouchEnergy for Rubbed {
    const NAME: &'static str = "friction between bodies";
    const IS_STORED: bool = false;

    fn touches<'a>(at: &Situation<'a>) -> &'a [Touch] {
        if at.rate > 0.0 { at.rubbing } else { &[] }
    }

    fn energy(solids: &Solids, touch: &Touch, at: &Situation) -> f64 {
        solids.rub(touch, [at.start, at.positions], at.rate).energy()
    }

    fn slope(solids: &Solids, touch: &Touch, at: &Situation) -> DVec3 {
        solids.rub(touch, [at.start, at.positions], at.rate).gradient()
    }

    fn bend(solids: &Solids, touch: &Touch, at: &Situation, curvature: Curvature) -> DMat3 {
        solids.rub(touch, [at.start, at.positions], at.rate).hessian(curvature)
    }
}

impl Solids {
    /// What a touch at the start of a step loses, if vertices move with velocities (to − from) ·
    /// rate.
    pub fn rub(&self, touch: &Touch, [from, to]: [&[Row]; 2], rate: f64) -> Rub {
        let u = touch.relative(|v| (to[v as usize] - from[v as usize]).xyz());
        let force = touch.stiffness * touch.depth;
        Rub::new(u, -touch.normal, [self.law.friction * force, self.law.loss() * force], rate)
    }
}
