//! A box.

use glam::{DMat3, DVec3};
use pliant_mesh::{Mesh, MeshError, shapes};

use super::{Distance, Form, Number, Quantity, is_size};
use crate::motion::Rigid;

/// All points within `half` of `center` along the axes that `turn` has turned.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuboid {
    center: DVec3,
    half: DVec3,
    turn: DMat3,
}

impl Cuboid {
    /// Along the axes, between two corners.
    pub fn new(min: DVec3, max: DVec3) -> Self {
        Cuboid { center: 0.5 * (min + max), half: 0.5 * (max - min), turn: DMat3::IDENTITY }
    }
}

impl Form for Cuboid {
    const KEYS: &'static [&'static str] = &["min", "max"];
    const QUANTITIES: &'static [Quantity] = &[Quantity::Corner, Quantity::Corner];

    fn of(numbers: &[Number]) -> Option<Self> {
        let [Number::Vector(min), Number::Vector(max)] = *numbers else { return None };
        Some(Cuboid::new(min.into(), max.into()))
    }

    fn moved(&self, pose: &Rigid) -> Self {
        let turn = DMat3::from_cols(
            pose.turn(self.turn.x_axis),
            pose.turn(self.turn.y_axis),
            pose.turn(self.turn.z_axis),
        );
        Cuboid { center: pose.apply(self.center), half: self.half, turn }
    }

    fn distance(&self, x: DVec3) -> Distance {
        let (distance, normal) = beside(self.turn.transpose() * (x - self.center), self.half);
        Distance::exact(distance, self.turn * normal)
    }

    /// Edges and corners, curved only for points outside, count as flat.
    fn bend(&self, _: DVec3, _: DVec3) -> DMat3 {
        DMat3::ZERO
    }

    fn bounds(&self) -> Option<(DVec3, f64)> {
        Some((self.center, self.half.length()))
    }

    fn is_sound(&self) -> bool {
        self.center.is_finite() && self.half.to_array().into_iter().all(is_size)
    }

    fn outline(&self, drawn: f64) -> Result<Option<Mesh>, MeshError> {
        let solid = shapes::solid_box(drawn * (2.0 * self.half), [1, 1, 1])?;
        let surface = Mesh::surface(solid.positions, solid.triangles);
        Ok(Some(shapes::placed(surface, DVec3::Y, self.center)))
    }
}

/// Distance and normal beside a box centred on the origin.
fn beside(x: DVec3, half: DVec3) -> (f64, DVec3) {
    let side = |c: f64| if c < 0.0 { -1.0 } else { 1.0 };
    let sides = DVec3::new(side(x.x), side(x.y), side(x.z));
    let beyond = x.abs() - half;
    let outside = beyond.max(DVec3::ZERO);
    let length = outside.length();
    if length > f64::MIN_POSITIVE {
        return (length, outside / length * sides);
    }
    let deepest = beyond.max_element();
    let axis = if beyond.x == deepest {
        DVec3::X
    } else if beyond.y == deepest {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (deepest, axis * sides)
}
