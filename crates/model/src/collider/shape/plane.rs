//! The half space behind a plane.

use glam::{DMat3, DVec3};

use super::{Distance, Form, Number, Quantity};
use crate::motion::Rigid;

/// All points behind a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    point: DVec3,
    /// Of length 1.
    normal: DVec3,
}

impl Plane {
    /// The normal need not have length 1.
    pub fn new(point: DVec3, normal: DVec3) -> Self {
        Plane { point, normal: normal.normalize_or(DVec3::Y) }
    }
}

impl Form for Plane {
    const KEYS: &'static [&'static str] = &["point", "normal"];
    const QUANTITIES: &'static [Quantity] = &[Quantity::Point, Quantity::Direction];

    fn of(numbers: &[Number]) -> Option<Self> {
        let [Number::Vector(point), Number::Vector(normal)] = *numbers else { return None };
        Some(Plane::new(point.into(), normal.into()))
    }

    fn moved(&self, pose: &Rigid) -> Self {
        Plane { point: pose.apply(self.point), normal: pose.turn(self.normal) }
    }

    fn distance(&self, x: DVec3) -> Distance {
        Distance::exact((x - self.point).dot(self.normal), self.normal)
    }

    fn bend(&self, _: DVec3, _: DVec3) -> DMat3 {
        DMat3::ZERO
    }

    fn bounds(&self) -> Option<(DVec3, f64)> {
        None
    }

    fn is_sound(&self) -> bool {
        self.point.is_finite() && self.normal.is_finite()
    }

    fn level(&self) -> Option<f64> {
        let DVec3 { x, y, z } = self.normal;
        (x == 0.0 && z == 0.0 && y > 0.0).then_some(self.point.y)
    }
}
