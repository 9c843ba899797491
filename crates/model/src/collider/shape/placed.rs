//! Surfaces of triangles, moved: with creases, and without.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::{Distance, Form, Number, Quantity};
use crate::collider::mesh_shape::MeshShape;
use crate::collider::smooth_shape::{Jet, SmoothShape};
use crate::motion::Rigid;

/// The inside of triangles, where a motion has taken it.
#[derive(Debug, PartialEq)]
pub struct Moved<S> {
    pub surface: Arc<S>,
    pub pose: Rigid,
}

impl<S> Clone for Moved<S> {
    fn clone(&self) -> Self {
        Moved { surface: self.surface.clone(), pose: self.pose }
    }
}

impl<S> Moved<S> {
    /// Where it was made.
    pub fn new(surface: S) -> Self {
        Moved { surface: Arc::new(surface), pose: Rigid::default() }
    }

    fn further(&self, pose: &Rigid) -> Self {
        Moved { pose: self.pose.then(pose), ..self.clone() }
    }
}

impl Form for Moved<MeshShape> {
    const KEYS: &'static [&'static str] = &[];
    const QUANTITIES: &'static [Quantity] = &[];

    fn of(_: &[Number]) -> Option<Self> {
        None
    }

    fn moved(&self, pose: &Rigid) -> Self {
        self.further(pose)
    }

    fn distance(&self, x: DVec3) -> Distance {
        let (distance, normal) = self.surface.nearest(self.pose.unapply(x));
        Distance::exact(distance, self.pose.turn(normal))
    }

    fn inside(&self, x: DVec3) -> Option<Distance> {
        let (distance, normal) = self.surface.inside(self.pose.unapply(x))?;
        Some(Distance::exact(distance, self.pose.turn(normal)))
    }

    /// Triangles are flat.
    fn bend(&self, _: DVec3, _: DVec3) -> DMat3 {
        DMat3::ZERO
    }

    fn bounds(&self) -> Option<(DVec3, f64)> {
        let (center, radius) = self.surface.ball();
        Some((self.pose.apply(center), radius))
    }

    /// The surface was checked when it was made.
    fn is_sound(&self) -> bool {
        self.pose.is_finite()
    }
}

impl Form for Moved<SmoothShape> {
    const KEYS: &'static [&'static str] = &[];
    const QUANTITIES: &'static [Quantity] = &[];

    fn of(_: &[Number]) -> Option<Self> {
        None
    }

    fn moved(&self, pose: &Rigid) -> Self {
        self.further(pose)
    }

    fn distance(&self, x: DVec3) -> Distance {
        let Jet { value, slope, .. } = self.surface.at(self.pose.unapply(x));
        let (normal, length) = (slope.normalize_or(DVec3::Y), slope.length());
        Distance { value, normal: self.pose.turn(normal), slope: length }
    }

    fn inside(&self, x: DVec3) -> Option<Distance> {
        self.surface.is_near(self.pose.unapply(x)).then(|| self.distance(x))
    }

    fn bend(&self, x: DVec3, _: DVec3) -> DMat3 {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| self.pose.turn(axis));
        let turn = DMat3::from_cols(axes[0], axes[1], axes[2]);
        turn * self.surface.at(self.pose.unapply(x)).bend * turn.transpose()
    }

    fn bounds(&self) -> Option<(DVec3, f64)> {
        let (center, radius) = self.surface.ball();
        Some((self.pose.apply(center), radius))
    }

    /// The surface was checked when it was made.
    fn is_sound(&self) -> bool {
        self.pose.is_finite()
    }
}
