//! Shapes as signed distances: negative inside, with the outward normal ∇d of length 1.
//!
//! Where the nearest surface point is not unique (a ball's centre, a capsule's or torus's core
//! line, the planes between a box's faces) one of them is chosen: normals are always of length 1.
//!
//! To add one: its file, with a type that implements [`Form`], and in this file its `mod` and its
//! entry of `forms!`.

mod capsule;
mod cuboid;
mod placed;
mod plane;
mod round;
mod sphere;
mod torus;

use glam::{DMat3, DVec3};
use pliant_mesh::{Mesh, MeshError};
use serde::Serialize;

use self::placed::Moved;
use super::mesh_shape::MeshShape;
use super::smooth_shape::SmoothShape;
use crate::error::ShapeError;
use crate::motion::Rigid;
use crate::words::words;

/// The surface point nearest to a point x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Signed distance of x \[m\]: negative inside.
    pub distance: f64,
    /// Outward normal there, of length 1.
    pub normal: DVec3,
    /// The surface point, x − distance · normal \[m\].
    pub point: DVec3,
    /// How the distance grows along the normal: 1, or less in smooth shapes where they are
    /// rounded off.
    pub slope: f64,
}

/// A signed distance with its direction.
struct Distance {
    /// Negative inside \[m\].
    value: f64,
    /// Outward, of length 1.
    normal: DVec3,
    /// Derivative along the normal.
    slope: f64,
}

impl Distance {
    /// A distance that grows by as much as one walks.
    fn exact(value: f64, normal: DVec3) -> Self {
        Distance { value, normal, slope: 1.0 }
    }

    fn from(self, x: DVec3) -> Nearest {
        let Distance { value: distance, normal, slope } = self;
        Nearest { distance, normal, point: x - distance * normal, slope }
    }
}

/// What a number of a shape is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A point \[m\].
    Point,
    /// The lower corner of a box, or, after it, the upper one \[m\].
    Corner,
    /// A direction, which need not have length 1.
    Direction,
    /// A length above 0 \[m\].
    Length,
}

/// A number of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Number {
    /// A point, a corner or a direction.
    Vector([f64; 3]),
    /// A length \[m\].
    Length(f64),
}

/// A kind of shape.
trait Form: Sized {
    /// The keys of its numbers in files, in the order of [`of`](Self::of).
    const KEYS: &'static [&'static str];
    /// What these numbers are.
    const QUANTITIES: &'static [Quantity];

    /// From its numbers; `None` if they are of other kinds.
    fn of(numbers: &[Number]) -> Option<Self>;

    /// The shape after a rigid motion.
    fn moved(&self, pose: &Rigid) -> Self;

    /// Signed distance and normal.
    fn distance(&self, x: DVec3) -> Distance;

    /// As [`distance`](Self::distance), where it may be negative.
    fn inside(&self, x: DVec3) -> Option<Distance> {
        Some(self.distance(x))
    }

    /// The second derivative of the distance [1/m], where `normal` is.
    fn bend(&self, x: DVec3, normal: DVec3) -> DMat3;

    /// Centre and radius \[m\] of a ball around it.
    fn bounds(&self) -> Option<(DVec3, f64)>;

    /// True if all its numbers are finite, and its sizes positive.
    fn is_sound(&self) -> bool;

    /// The height of a level surface with all of the shape below \[m\].
    fn level(&self) -> Option<f64> {
        None
    }

    /// Its surface, a factor as large; `None` where it has no end, or was made from a surface.
    fn outline(&self, _drawn: f64) -> Result<Option<Mesh>, MeshError> {
        Ok(None)
    }
}

/// True for a size that a shape can have \[m\].
fn is_size(size: f64) -> bool {
    size > 0.0 && size.is_finite()
}

/// How files write a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// A table of numbers.
    Numbers {
        /// Their keys.
        keys: &'static [&'static str],
        /// What they are.
        quantities: &'static [Quantity],
    },
    /// The path of a mesh \[m\].
    File,
    /// A table with the profile that a surface of revolution has.
    Profile,
}

/// Makes the vocabulary of shapes, and everything that depends on which there are: an entry is
/// that of `words!`, then its type.
macro_rules! forms {
    ($(
        $(#[doc = $about:literal])+
        $name:literal, $title:literal, [$($cite:literal)?] => $Variant:ident, $Form:ty;
    )+) => {
        words! {
            /// Shapes of colliders.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
            pub enum ColliderShape: "collider shape" {
                $( $(#[doc = $about])+ $name, $title, [$($cite)?] => $Variant, )+
                /// The inside of the triangles of a file, whichever way they face.
                "mesh", "Mesh", ["barill2018"] => Mesh,
                /// The mesh that a profile of distances from the y axis and heights sweeps.
                "revolved", "Revolved", [] => Revolved,
            }
        }

        impl ColliderShape {
            /// How files write it.
            pub const fn writing(self) -> Writing {
                match self {
                    $( ColliderShape::$Variant => Writing::Numbers {
                        keys: <$Form as Form>::KEYS,
                        quantities: <$Form as Form>::QUANTITIES,
                    }, )+
                    ColliderShape::Mesh => Writing::File,
                    ColliderShape::Revolved => Writing::Profile,
                }
            }

            /// The shape with these numbers; `None` if they are of other kinds than
            /// [`writing`](Self::writing) asks for.
            pub fn with(self, numbers: &[Number]) -> Option<Shape> {
                let geometry = match self {
                    $( ColliderShape::$Variant => <$Form>::of(numbers).map(Geometry::$Variant), )+
                    ColliderShape::Mesh | ColliderShape::Revolved => None,
                };
                geometry.map(Shape)
            }
        }

        #[derive(Clone, Debug, PartialEq)]
        enum Geometry {
            $( $Variant($Form), )+
            Mesh(Moved<MeshShape>),
            Smooth(Moved<SmoothShape>),
        }

        impl Geometry {
            fn moved(&self, pose: &Rigid) -> Self {
                match self {
                    $( Geometry::$Variant(own) => Geometry::$Variant(own.moved(pose)), )+
                    Geometry::Mesh(own) => Geometry::Mesh(own.moved(pose)),
                    Geometry::Smooth(own) => Geometry::Smooth(own.moved(pose)),
                }
            }

            #[inline]
            fn distance(&self, x: DVec3) -> Distance {
                match self {
                    $( Geometry::$Variant(own) => own.distance(x), )+
                    Geometry::Mesh(own) => own.distance(x),
                    Geometry::Smooth(own) => own.distance(x),
                }
            }

            #[inline]
            fn inside(&self, x: DVec3) -> Option<Distance> {
                match self {
                    $( Geometry::$Variant(own) => own.inside(x), )+
                    Geometry::Mesh(own) => own.inside(x),
                    Geometry::Smooth(own) => own.inside(x),
                }
            }

            fn bend(&self, x: DVec3, normal: DVec3) -> DMat3 {
                match self {
                    $( Geometry::$Variant(own) => own.bend(x, normal), )+
                    Geometry::Mesh(own) => own.bend(x, normal),
                    Geometry::Smooth(own) => own.bend(x, normal),
                }
            }

            fn bounds(&self) -> Option<(DVec3, f64)> {
                match self {
                    $( Geometry::$Variant(own) => own.bounds(), )+
                    Geometry::Mesh(own) => own.bounds(),
                    Geometry::Smooth(own) => own.bounds(),
                }
            }

            fn is_sound(&self) -> bool {
                match self {
                    $( Geometry::$Variant(own) => own.is_sound(), )+
                    Geometry::Mesh(own) => own.is_sound(),
                    Geometry::Smooth(own) => own.is_sound(),
                }
            }

            fn level(&self) -> Option<f64> {
                match self {
                    $( Geometry::$Variant(own) => own.level(), )+
                    Geometry::Mesh(own) => own.level(),
                    Geometry::Smooth(own) => own.level(),
                }
            }

            fn outline(&self, drawn: f64) -> Result<Option<Mesh>, MeshError> {
                match self {
                    $( Geometry::$Variant(own) => own.outline(drawn), )+
                    Geometry::Mesh(own) => own.outline(drawn),
                    Geometry::Smooth(own) => own.outline(drawn),
                }
            }
        }
    };
}

forms! {
    /// The half space behind a plane.
    "plane", "Plane", [] => Plane, plane::Plane;
    /// A ball.
    "sphere", "Sphere", [] => Sphere, sphere::Sphere;
    /// A box along the axes.
    "box", "Box", [] => Box, cuboid::Cuboid;
    /// All points within a radius of a segment.
    "capsule", "Capsule", [] => Capsule, capsule::Capsule;
    /// All points within a tube's radius of a circle about an axis.
    "torus", "Torus", [] => Torus, torus::Torus;
}

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

impl Shape {
    /// The half space behind a plane; the normal need not have length 1.
    pub fn plane(point: DVec3, normal: DVec3) -> Self {
        Shape(Geometry::Plane(plane::Plane::new(point, normal)))
    }

    /// A ball.
    pub fn sphere(center: DVec3, radius: f64) -> Self {
        Shape(Geometry::Sphere(sphere::Sphere { center, radius }))
    }

    /// A box along the axes, between two corners.
    pub fn cuboid(min: DVec3, max: DVec3) -> Self {
        Shape(Geometry::Box(cuboid::Cuboid::new(min, max)))
    }

    /// All points within `radius` of the segment from `a` to `b`.
    pub fn capsule(a: DVec3, b: DVec3, radius: f64) -> Self {
        Shape(Geometry::Capsule(capsule::Capsule { a, b, radius }))
    }

    /// All points within `tube` of the circle of `radius` about `axis`, which need not have
    /// length 1.
    pub fn torus(center: DVec3, axis: DVec3, radius: f64, tube: f64) -> Self {
        Shape(Geometry::Torus(torus::Torus::new(center, axis, radius, tube)))
    }

    /// The inside of the triangles of a mesh \[m\].
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
        Ok(Shape(Geometry::Mesh(Moved::new(MeshShape::new(mesh)?))))
    }

    /// As [`mesh`](Self::mesh), rounded off within about `cell` \[m\]: without creases, for
    /// solvers that need second derivatives.
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
        Ok(Shape(Geometry::Smooth(Moved::new(SmoothShape::new(mesh, cell)?))))
    }

    /// The shape after a rigid motion.
    pub fn moved(&self, pose: &Rigid) -> Shape {
        Shape(self.0.moved(pose))
    }

    /// Signed distance, normal and nearest surface point.
    pub fn nearest(&self, x: DVec3) -> Nearest {
        self.0.distance(x).from(x)
    }

    /// As [`nearest`](Self::nearest), if x is inside.
    #[inline]
    pub fn inside(&self, x: DVec3) -> Option<Nearest> {
        Some(self.0.inside(x)?.from(x)).filter(|nearest| nearest.distance < 0.0)
    }

    /// The second derivative of the distance [1/m] at x, where `nearest` is. Zero where it is not
    /// defined; a box's edges and corners, curved only for points outside, count as flat, and so
    /// do all triangles.
    pub fn bend(&self, x: DVec3, nearest: &Nearest) -> DMat3 {
        self.0.bend(x, nearest.normal)
    }

    /// Centre and radius \[m\] of a ball around it; `None` for a half space.
    pub fn bounds(&self) -> Option<(DVec3, f64)> {
        self.0.bounds()
    }

    /// The height of a level floor \[m\]; `None` for all other shapes.
    pub fn level(&self) -> Option<f64> {
        self.0.level()
    }

    /// The surface to be drawn, a factor as large around the shape's core; `None` for half
    /// spaces, and for meshes, which have one.
    ///
    /// # Errors
    /// When a size is no length.
    pub fn outline(&self, drawn: f64) -> Result<Option<Mesh>, MeshError> {
        self.0.outline(drawn)
    }

    /// Whether all its numbers are finite, and its sizes positive.
    pub(crate) fn is_sound(&self) -> bool {
        self.0.is_sound()
    }
}
