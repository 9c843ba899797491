//! A torus.

use std::f64::consts::TAU;

use glam::{DMat3, DVec2, DVec3};
use pliant_mesh::{Mesh, MeshError, shapes};

use super::round::{Orthonormal, SEGMENTS, around, inverse, round};
use super::{Distance, Form, Number, Quantity, is_size};
use crate::motion::Rigid;

/// All points within `tube` of the circle of `radius` about `axis`.
#[derive(Clone, Debug, PartialEq)]
pub struct Torus {
    center: DVec3,
    /// Of length 1.
    axis: DVec3,
    radius: f64,
    tube: f64,
}

impl Torus {
    /// The axis need not have length 1.
    pub fn new(center: DVec3, axis: DVec3, radius: f64, tube: f64) -> Self {
        Torus { center, axis: axis.normalize_or(DVec3::Y), radius, tube }
    }
}

impl Form for Torus {
    const KEYS: &'static [&'static str] = &["center", "axis", "radius", "tube"];
    const QUANTITIES: &'static [Quantity] =
        &[Quantity::Point, Quantity::Direction, Quantity::Length, Quantity::Length];

    fn of(numbers: &[Number]) -> Option<Self> {
        let [
            Number::Vector(center),
            Number::Vector(axis),
            Number::Length(radius),
            Number::Length(tube),
        ] = *numbers
        else {
            return None;
        };
        Some(Torus::new(center.into(), axis.into(), radius, tube))
    }

    fn moved(&self, pose: &Rigid) -> Self {
        Torus { center: pose.apply(self.center), axis: pose.turn(self.axis), ..*self }
    }

    fn distance(&self, x: DVec3) -> Distance {
        let outward = Meridian::of(x - self.center, self.axis).outward;
        around(x - self.center - self.radius * outward, self.tube, self.axis)
    }

    fn bend(&self, x: DVec3, normal: DVec3) -> DMat3 {
        let Meridian { outward, away } = Meridian::of(x - self.center, self.axis);
        let core = x - self.center - self.radius * outward;
        let along = normal.dot(outward) * inverse(away);
        round(normal, self.axis.cross(outward), along, inverse(core.length()))
    }

    fn bounds(&self) -> Option<(DVec3, f64)> {
        Some((self.center, self.radius + self.tube))
    }

    fn is_sound(&self) -> bool {
        self.center.is_finite()
            && self.axis.is_finite()
            && is_size(self.radius)
            && is_size(self.tube)
    }

    fn outline(&self, drawn: f64) -> Result<Option<Mesh>, MeshError> {
        let circle = |k: usize| {
            let angle = -TAU * k as f64 / SEGMENTS as f64;
            DVec2::new(self.radius, 0.0) + drawn * self.tube * DVec2::from_angle(angle)
        };
        let profile: Vec<DVec2> = (0..SEGMENTS).map(circle).collect();
        Ok(Some(shapes::placed(shapes::ring(&profile, 2 * SEGMENTS), self.axis, self.center)))
    }
}

/// Where a point is in the half plane through a torus's axis.
struct Meridian {
    /// Direction away from the axis, of length 1.
    outward: DVec3,
    /// Distance from the axis \[m\].
    away: f64,
}

impl Meridian {
    fn of(x: DVec3, axis: DVec3) -> Self {
        let flat = x - x.dot(axis) * axis;
        let away = flat.length();
        // On the axis every direction is as good; rounding must not choose a crooked one.
        if away > 1e-14 * x.length() && away > f64::MIN_POSITIVE {
            Meridian { outward: flat / away, away }
        } else {
            Meridian { outward: axis.any_orthonormal_or_y(), away: 0.0 }
        }
    }
}
