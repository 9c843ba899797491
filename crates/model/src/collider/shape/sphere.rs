//! A ball.

use glam::{DMat3, DVec3};
use pliant_mesh::{Mesh, MeshError, shapes};

use super::round::{SEGMENTS, around, ball, inverse};
use super::{Distance, Form, Number, Quantity, is_size};
use crate::motion::Rigid;

/// All points within `radius` of `center`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sphere {
    pub center: DVec3,
    pub radius: f64,
}

impl Form for Sphere {
    const KEYS: &'static [&'static str] = &["center", "radius"];
    const QUANTITIES: &'static [Quantity] = &[Quantity::Point, Quantity::Length];

    fn of(numbers: &[Number]) -> Option<Self> {
        let [Number::Vector(center), Number::Length(radius)] = *numbers else { return None };
        Some(Sphere { center: center.into(), radius })
    }

    fn moved(&self, pose: &Rigid) -> Self {
        Sphere { center: pose.apply(self.center), radius: self.radius }
    }

    fn distance(&self, x: DVec3) -> Distance {
        around(x - self.center, self.radius, DVec3::Y)
    }

    fn bend(&self, x: DVec3, normal: DVec3) -> DMat3 {
        ball(normal, inverse(x.distance(self.center)))
    }

    fn bounds(&self) -> Option<(DVec3, f64)> {
        Some((self.center, self.radius))
    }

    fn is_sound(&self) -> bool {
        self.center.is_finite() && is_size(self.radius)
    }

    fn outline(&self, drawn: f64) -> Result<Option<Mesh>, MeshError> {
        let ball = shapes::capsule(0.0, drawn * self.radius, SEGMENTS);
        Ok(Some(shapes::placed(ball, DVec3::Y, self.center)))
    }
}
