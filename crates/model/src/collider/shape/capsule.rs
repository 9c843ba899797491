//! A capsule.

use glam::{DMat3, DVec3};
use pliant_mesh::{Mesh, MeshError, shapes};

use super::round::{Orthonormal, SEGMENTS, around, ball, inverse, round};
use super::{Distance, Form, Number, Quantity, is_size};
use crate::motion::Rigid;

/// All points within `radius` of the segment from `a` to `b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Capsule {
    pub a: DVec3,
    pub b: DVec3,
    pub radius: f64,
}

impl Capsule {
    /// The nearest point of the segment; the ends exactly, so that they can be told from the
    /// middle.
    fn core(&self, x: DVec3) -> DVec3 {
        let (a, b) = (self.a, self.b);
        let along = b - a;
        let length_squared = along.length_squared();
        let is_long = length_squared > f64::MIN_POSITIVE;
        let t = if is_long { (x - a).dot(along) / length_squared } else { 0.0 };
        if t <= 0.0 {
            a
        } else if t >= 1.0 {
            b
        } else {
            a + t * along
        }
    }
}

impl Form for Capsule {
    const KEYS: &'static [&'static str] = &["a", "b", "radius"];
    const QUANTITIES: &'static [Quantity] = &[Quantity::Point, Quantity::Point, Quantity::Length];

    fn of(numbers: &[Number]) -> Option<Self> {
        let [Number::Vector(a), Number::Vector(b), Number::Length(radius)] = *numbers else {
            return None;
        };
        Some(Capsule { a: a.into(), b: b.into(), radius })
    }

    fn moved(&self, pose: &Rigid) -> Self {
        Capsule { a: pose.apply(self.a), b: pose.apply(self.b), radius: self.radius }
    }

    fn distance(&self, x: DVec3) -> Distance {
        around(x - self.core(x), self.radius, (self.b - self.a).any_orthonormal_or_y())
    }

    fn bend(&self, x: DVec3, normal: DVec3) -> DMat3 {
        let core = self.core(x);
        let k = inverse(x.distance(core));
        if core == self.a || core == self.b {
            return ball(normal, k);
        }
        round(normal, (self.b - self.a).normalize_or(DVec3::Y), 0.0, k)
    }

    fn bounds(&self) -> Option<(DVec3, f64)> {
        Some((0.5 * (self.a + self.b), 0.5 * self.a.distance(self.b) + self.radius))
    }

    fn is_sound(&self) -> bool {
        self.a.is_finite() && self.b.is_finite() && is_size(self.radius)
    }

    fn outline(&self, drawn: f64) -> Result<Option<Mesh>, MeshError> {
        let upright = shapes::capsule(self.a.distance(self.b), drawn * self.radius, SEGMENTS);
        Ok(Some(shapes::placed(upright, self.b - self.a, self.a)))
    }
}
