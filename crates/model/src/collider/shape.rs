//! Shapes as signed distances: negative inside, with the outward normal ∇d of length 1.
//!
//! Where the nearest surface point is not unique (a ball's centre, a capsule's or torus's core
//! line, the planes between a box's faces) one of them is chosen: normals are always of length 1.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use pliant_mesh::Mesh;

use super::mesh_shape::MeshShape;
use super::smooth_shape::{Jet, SmoothShape};
use crate::error::ShapeError;
use crate::motion::Rigid;
use crate::potentials::square;

/// The geometry of an obstacle.
///
/// ```
/// use pliant_model::{DVec3, Shape};
/// let ball = Shape::sphere(DVec3::ZERO, 2.0);
/// let nearest = ball.nearest(DVec3::new(0.0, 1.5, 0.0));
/// assert_eq!(nearest.distance, -0.5);
/// assert_eq!(nearest.normal, DVec3::Y);
/// assert_eq!(nearest.point, DVec3::new(0.0, 2.0, 0.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Shape(Geometry);

#[derive(Clone, Debug, PartialEq)]
enum Geometry {
    Plane { point: DVec3, normal: DVec3 },
    Sphere { center: DVec3, radius: f64 },
    Box { center: DVec3, half: DVec3, turn: DMat3 },
    Capsule { a: DVec3, b: DVec3, radius: f64 },
    Torus { center: DVec3, axis: DVec3, radius: f64, tube: f64 },
    Mesh { mesh: Arc<MeshShape>, pose: Rigid },
    Smooth { smooth: Arc<SmoothShape>, pose: Rigid },
}

/// The surface point nearest to a point x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Signed distance of x \[m\]: negative inside.
    pub distance: f64,
    /// Outward normal there, of length 1.
    pub normal: DVec3,
    /// The surface point, x − distance · normal \[m\].
    pub point: DVec3,
    /// How the distance grows along the normal: 1, or less in smooth shapes where they are rounded off.
    pub slope: f64,
}

impl Nearest {
    fn new(x: DVec3, distance: f64, normal: DVec3, slope: f64) -> Self {
        Nearest { distance, normal, point: x - distance * normal, slope }
    }
}

impl Shape {
    /// The half space behind a plane; the normal need not have length 1.
    pub fn plane(point: DVec3, normal: DVec3) -> Self {
        Shape(Geometry::Plane { point, normal: normal.normalize_or(DVec3::Y) })
    }

    /// A ball.
    pub fn sphere(center: DVec3, radius: f64) -> Self {
        Shape(Geometry::Sphere { center, radius })
    }

    /// A box along the axes, between two corners.
    pub fn cuboid(min: DVec3, max: DVec3) -> Self {
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
        Shape(Geometry::Box { center, half, turn: DMat3::IDENTITY })
    }

    /// All points within `radius` of the segment from `a` to `b`.
    pub fn capsule(a: DVec3, b: DVec3, radius: f64) -> Self {
        Shape(Geometry::Capsule { a, b, radius })
    }

    /// All points within `tube` of the circle of `radius` about `axis`, which need not have
    /// length 1.
    pub fn torus(center: DVec3, axis: DVec3, radius: f64, tube: f64) -> Self {
        Shape(Geometry::Torus { center, axis: axis.normalize_or(DVec3::Y), radius, tube })
    }

    /// What the triangles of a mesh \[m\] go round.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{DVec3, Shape};
    /// let cube = Shape::mesh(&shapes::solid_box(DVec3::splat(2.0), [3, 3, 3])?)?;
    /// let nearest = cube.nearest(DVec3::new(0.1, 0.75, 0.2));
    /// assert_eq!(nearest.distance, -0.25);
    /// assert!(nearest.normal.distance(DVec3::Y) < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The triangles are no surface.
    pub fn mesh(mesh: &Mesh) -> Result<Self, ShapeError> {
        let mesh = Arc::new(MeshShape::new(mesh)?);
        Ok(Shape(Geometry::Mesh { mesh, pose: Rigid::default() }))
    }

    /// As [`mesh`](Self::mesh), rounded off within about `cell` \[m\]: without creases, for solvers that need
    /// second derivatives.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{DVec3, Shape};
    /// let cube = Shape::smooth(&shapes::solid_box(DVec3::splat(2.0), [3, 3, 3])?, 0.1)?;
    /// let nearest = cube.nearest(DVec3::new(0.1, 0.75, 0.2));
    /// assert!((nearest.distance + 0.25).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The triangles are no surface, or the cells have no size.
    pub fn smooth(mesh: &Mesh, cell: f64) -> Result<Self, ShapeError> {
        let smooth = Arc::new(SmoothShape::new(mesh, cell)?);
        Ok(Shape(Geometry::Smooth { smooth, pose: Rigid::default() }))
    }

    /// The shape after a rigid motion.
    pub fn moved(&self, pose: &Rigid) -> Shape {
        Shape(match &self.0 {
            Geometry::Plane { point, normal } => {
                Geometry::Plane { point: pose.apply(*point), normal: pose.turn(*normal) }
            }
            Geometry::Sphere { center, radius } => {
                Geometry::Sphere { center: pose.apply(*center), radius: *radius }
            }
            Geometry::Box { center, half, turn } => {
                let turn = DMat3::from_cols(
                    pose.turn(turn.x_axis),
                    pose.turn(turn.y_axis),
                    pose.turn(turn.z_axis),
                );
                Geometry::Box { center: pose.apply(*center), half: *half, turn }
            }
            Geometry::Capsule { a, b, radius } => {
                Geometry::Capsule { a: pose.apply(*a), b: pose.apply(*b), radius: *radius }
            }
            Geometry::Torus { center, axis, radius, tube } => Geometry::Torus {
                center: pose.apply(*center),
                axis: pose.turn(*axis),
                radius: *radius,
                tube: *tube,
            },
            Geometry::Mesh { mesh, pose: before } => {
                Geometry::Mesh { mesh: mesh.clone(), pose: before.then(pose) }
            }
            Geometry::Smooth { smooth, pose: before } => {
                Geometry::Smooth { smooth: smooth.clone(), pose: before.then(pose) }
            }
        })
    }

    /// Signed distance, normal and nearest surface point.
    pub fn nearest(&self, x: DVec3) -> Nearest {
        let (distance, normal) = match &self.0 {
            Geometry::Plane { point, normal } => ((x - *point).dot(*normal), *normal),
            Geometry::Sphere { center, radius } => around(x - *center, *radius, DVec3::Y),
            Geometry::Box { center, half, turn } => {
                let (distance, normal) = beside_box(turn.transpose() * (x - *center), *half);
                (distance, *turn * normal)
            }
            Geometry::Capsule { a, b, radius } => {
                around(x - on_segment(x, *a, *b), *radius, (*b - *a).any_orthonormal_or_y())
            }
            Geometry::Torus { center, axis, radius, tube } => {
                let outward = Meridian::of(x - *center, *axis).outward;
                around(x - *center - *radius * outward, *tube, *axis)
            }
            Geometry::Mesh { mesh, pose } => {
                let (distance, normal) = mesh.nearest(pose.unapply(x));
                (distance, pose.turn(normal))
            }
            Geometry::Smooth { smooth, pose } => {
                let Jet { value, slope, .. } = smooth.at(pose.unapply(x));
                let (normal, length) = (slope.normalize_or(DVec3::Y), slope.length());
                return Nearest::new(x, value, pose.turn(normal), length);
            }
        };
        Nearest::new(x, distance, normal, 1.0)
    }

    /// As [`nearest`](Self::nearest), if x is inside.
    #[inline]
    pub fn inside(&self, x: DVec3) -> Option<Nearest> {
        if let Geometry::Mesh { mesh, pose } = &self.0 {
            let (distance, normal) = mesh.inside(pose.unapply(x))?;
            return Some(Nearest::new(x, distance, pose.turn(normal), 1.0))
                .filter(|nearest| nearest.distance < 0.0);
        }
        if let Geometry::Smooth { smooth, pose } = &self.0
            && !smooth.is_near(pose.unapply(x))
        {
            return None;
        }
        Some(self.nearest(x)).filter(|nearest| nearest.distance < 0.0)
    }

    /// The second derivative of the distance [1/m] at x, where `nearest` is. Zero where it is not defined; a
    /// box's edges and corners, curved only for points outside, count as flat, and so do all triangles.
    pub fn bend(&self, x: DVec3, nearest: &Nearest) -> DMat3 {
        let inverse = |length: f64| if length > f64::MIN_POSITIVE { 1.0 / length } else { 0.0 };
        let round = |along: DVec3, k: f64, across: f64| {
            square(along) * k + square(nearest.normal.cross(along)) * across
        };
        let ball = |k: f64| round(nearest.normal.any_orthonormal_or_y(), k, k);
        match &self.0 {
            Geometry::Plane { .. } | Geometry::Box { .. } | Geometry::Mesh { .. } => DMat3::ZERO,
            Geometry::Sphere { center, .. } => ball(inverse(x.distance(*center))),
            Geometry::Capsule { a, b, .. } => {
                let core = on_segment(x, *a, *b);
                let k = inverse(x.distance(core));
                let is_end = core == *a || core == *b;
                if is_end { ball(k) } else { round((*b - *a).normalize_or(DVec3::Y), 0.0, k) }
            }
            Geometry::Torus { center, axis, radius, .. } => {
                let Meridian { outward, away } = Meridian::of(x - *center, *axis);
                let core = x - *center - *radius * outward;
                let along = nearest.normal.dot(outward) * inverse(away);
                round(axis.cross(outward), along, inverse(core.length()))
            }
            Geometry::Smooth { smooth, pose } => {
                let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.turn(axis));
                let turn = DMat3::from_cols(axes[0], axes[1], axes[2]);
                turn * smooth.at(pose.unapply(x)).bend * turn.transpose()
            }
        }
    }

    /// Centre and radius \[m\] of a ball around it; `None` for a half space.
    pub fn bounds(&self) -> Option<(DVec3, f64)> {
        match &self.0 {
            Geometry::Plane { .. } => None,
            Geometry::Sphere { center, radius } => Some((*center, *radius)),
            Geometry::Box { center, half, .. } => Some((*center, half.length())),
            Geometry::Capsule { a, b, radius } => {
                Some((0.5 * (*a + *b), 0.5 * a.distance(*b) + *radius))
            }
            Geometry::Torus { center, radius, tube, .. } => Some((*center, *radius + *tube)),
            Geometry::Mesh { mesh, pose } => {
                let (center, radius) = mesh.ball();
                Some((pose.apply(center), radius))
            }
            Geometry::Smooth { smooth, pose } => {
                let (center, radius) = smooth.ball();
                Some((pose.apply(center), radius))
            }
        }
    }

    /// Whether all its numbers are finite, and its sizes positive.
    pub(crate) fn is_sound(&self) -> bool {
        let positive = |size: f64| size > 0.0 && size.is_finite();
        match &self.0 {
            Geometry::Plane { point, normal } => point.is_finite() && normal.is_finite(),
            Geometry::Sphere { center, radius } => center.is_finite() && positive(*radius),
            Geometry::Box { center, half, .. } => {
                center.is_finite() && half.to_array().into_iter().all(positive)
            }
            Geometry::Capsule { a, b, radius } => {
                a.is_finite() && b.is_finite() && positive(*radius)
            }
            Geometry::Torus { center, axis, radius, tube } => {
                center.is_finite() && axis.is_finite() && positive(*radius) && positive(*tube)
            }
            // Checked when it was made.
            Geometry::Mesh { pose, .. } | Geometry::Smooth { pose, .. } => pose.is_finite(),
        }
    }
}

/// Distance and normal of a point `away` from a core, with the surface at `radius` around it.
fn around(away: DVec3, radius: f64, at_core: DVec3) -> (f64, DVec3) {
    let length = away.length();
    let normal = if length > f64::MIN_POSITIVE { away / length } else { at_core };
    (length - radius, normal)
}

/// Distance and normal beside a box centred on the origin.
fn beside_box(x: DVec3, half: DVec3) -> (f64, DVec3) {
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

fn on_segment(x: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let along = b - a;
    let length_squared = along.length_squared();
    let t =
        if length_squared > f64::MIN_POSITIVE { (x - a).dot(along) / length_squared } else { 0.0 };
    // The ends exactly, so that they can be told from the middle.
    if t <= 0.0 {
        a
    } else if t >= 1.0 {
        b
    } else {
        a + t * along
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

trait Orthonormal {
    /// Some vector of length 1 at a right angle to this one; y if this one has no direction.
    fn any_orthonormal_or_y(self) -> DVec3;
}

impl Orthonormal for DVec3 {
    fn any_orthonormal_or_y(self) -> DVec3 {
        self.try_normalize().map_or(DVec3::Y, |unit| unit.any_orthonormal_vector())
    }
}
