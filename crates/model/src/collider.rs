//! Obstacles that are not simulated: moving shapes that vertices do not like to be in.
//!
//! A vertex at signed distance d < 0 (inside) stores E(d): ½ k d² (thesis Eq. 3.58) or −k d³
//! (FEPR paper, section 3.2, with its implicit 1 N/m² made a parameter). Outside it stores nothing.

mod mesh_shape;
mod shape;
mod smooth_shape;

pub use mesh_shape::MeshShape;
pub use shape::{ColliderShape, Nearest, Number, Quantity, Shape, Writing};

use glam::DVec3;
use serde::Serialize;

use crate::motion::{Motion, Rigid};
use crate::words::words;

/// Stiffness of contact where nothing else is asked for [N/m].
const STIFFNESS: f64 = 1e5;

/// An obstacle.
///
/// ```
/// use pliant_model::{Collider, DVec3, Shape};
/// let floor = Collider::new(Shape::plane(DVec3::ZERO, DVec3::Y), 1e5);
/// assert_eq!(floor.energy(-0.01), 5.0);
/// assert_eq!(floor.force(-0.01), 1000.0);
/// assert_eq!(floor.energy(0.01), 0.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Its geometry before any motion.
    pub shape: Shape,
    /// The law of the contact force.
    pub response: Response,
    /// k: N/m per vertex (spring) or N/m² (cubic).
    pub stiffness: f64,
    /// Coulomb's coefficient of friction μ.
    pub friction: f64,
    /// e: the contact returns the share e² of the energy that it stored; 1 = elastic.
    pub restitution: f64,
    /// How it moves; at rest if `None`.
    pub motion: Option<Motion>,
}

words! {
    /// The law of the contact force over penetration depth.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum Response: "contact response" {
        /// Linear: ½ k d².
        "spring", "Spring", ["dinev2020"] => Spring,
        /// Quadratic, from a cubic energy: k d³.
        "cubic", "Cubic", ["dinev2018fepr"] => Cubic,
    }
}

impl Collider {
    /// A smooth, elastic obstacle at rest, with springs of a stiffness [N/m].
    pub fn new(shape: Shape, stiffness: f64) -> Self {
        let (response, friction, restitution) = (Response::Spring, 0.0, 1.0);
        Collider { shape, response, stiffness, friction, restitution, motion: None }
    }

    /// The half space behind a plane, which is at a height \[m\] along its normal. Contact has a
    /// stiffness of 10⁵ N/m per vertex, is elastic, and has no friction.
    ///
    /// ```
    /// use pliant_model::{Collider, Y};
    /// let floor = Collider::plane(Y, -1.0).friction(0.3).restitution(0.5);
    /// assert_eq!(floor.shape.level(), Some(-1.0));
    /// ```
    pub fn plane(normal: DVec3, height: f64) -> Self {
        let normal = normal.normalize_or(DVec3::Y);
        Collider::new(Shape::plane(normal * height, normal), STIFFNESS)
    }

    /// A ball, with contact as of a [`plane`](Self::plane).
    pub fn sphere(center: impl Into<DVec3>, radius: f64) -> Self {
        Collider::new(Shape::sphere(center.into(), radius), STIFFNESS)
    }

    /// A box along the axes, between two corners, with contact as of a [`plane`](Self::plane).
    pub fn cuboid(min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        Collider::new(Shape::cuboid(min.into(), max.into()), STIFFNESS)
    }

    /// Sets the stiffness: N/m per vertex (spring) or N/m² (cubic).
    pub fn stiffness(self, stiffness: f64) -> Self {
        Collider { stiffness, ..self }
    }

    /// Sets Coulomb's coefficient of friction.
    pub fn friction(self, friction: f64) -> Self {
        Collider { friction, ..self }
    }

    /// Sets the restitution, from 0 to 1 (elastic).
    pub fn restitution(self, restitution: f64) -> Self {
        Collider { restitution, ..self }
    }

    /// Moves it.
    pub fn motion(self, motion: Motion) -> Self {
        Collider { motion: Some(motion), ..self }
    }

    /// E(d) \[J\] at a signed distance d \[m\].
    pub fn energy(&self, distance: f64) -> f64 {
        let d = distance.min(0.0);
        match self.response {
            Response::Spring => 0.5 * self.stiffness * d * d,
            Response::Cubic => -self.stiffness * d * d * d,
        }
    }

    /// −E′(d) ≥ 0 \[N\]: how hard a vertex is pushed outward.
    pub fn force(&self, distance: f64) -> f64 {
        let d = distance.min(0.0);
        match self.response {
            Response::Spring => -self.stiffness * d,
            Response::Cubic => 3.0 * self.stiffness * d * d,
        }
    }

    /// −E′(d) ∇d \[N\]: what a vertex is pushed by.
    pub fn push(&self, at: &Nearest) -> DVec3 {
        at.normal * (at.slope * self.force(at.distance))
    }

    /// E″(d) ≥ 0 [N/m], inside.
    pub fn slope(&self, distance: f64) -> f64 {
        match self.response {
            _ if distance >= 0.0 => 0.0,
            Response::Spring => self.stiffness,
            Response::Cubic => -6.0 * self.stiffness * distance,
        }
    }

    /// Share of what contact takes that becomes heat: 1 − e².
    pub fn loss(&self) -> f64 {
        1.0 - self.restitution * self.restitution
    }

    /// Whether it takes energy from what touches it.
    pub fn is_lossy(&self) -> bool {
        self.friction > 0.0 || self.restitution < 1.0
    }

    /// The obstacle where a motion has taken it.
    pub fn placed(&self, pose: &Rigid) -> Placed<'_> {
        let shape = self.shape.moved(pose);
        let (centre, reach) = shape.bounds().unwrap_or((DVec3::ZERO, f64::INFINITY));
        Placed { collider: self, shape, centre, reach_squared: reach * reach }
    }

    /// What is wrong with its numbers, if anything.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        if !self.shape.is_sound() {
            Some("its shape has a number that is not finite or a size that is not positive")
        } else if !(self.stiffness > 0.0 && self.stiffness.is_finite()) {
            Some("its stiffness is not a positive number")
        } else if !(self.friction >= 0.0 && self.friction.is_finite()) {
            Some("its friction is not a number from 0 on")
        } else if !(0.0..=1.0).contains(&self.restitution) {
            Some("its restitution is not a number from 0 to 1")
        } else {
            None
        }
    }
}

/// An obstacle at one moment.
pub struct Placed<'a> {
    /// Its laws.
    pub collider: &'a Collider,
    /// Where it is.
    pub shape: Shape,
    /// A ball around it: points farther away are skipped after a few operations.
    centre: DVec3,
    reach_squared: f64,
}

impl Placed<'_> {
    /// The surface point nearest to a vertex, if the vertex is inside.
    #[inline]
    pub fn touch(&self, x: DVec3) -> Option<Nearest> {
        // False for NaN.
        let near = (x - self.centre).length_squared() < self.reach_squared;
        if !near {
            return None;
        }
        self.shape.inside(x)
    }
}
