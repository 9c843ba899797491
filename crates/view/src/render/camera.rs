//! The perspective camera, and the one that shows a whole motion.

use glam::DVec3;

use crate::Error;

/// An axis-aligned box \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates \[m\].
    pub min: DVec3,
    /// Largest coordinates \[m\].
    pub max: DVec3,
}

impl Bounds {
    /// The box that holds nothing.
    pub const EMPTY: Bounds =
        Bounds { min: DVec3::splat(f64::INFINITY), max: DVec3::splat(f64::NEG_INFINITY) };

    /// The box around all finite points.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Bounds {
        points.into_iter().fold(Bounds::EMPTY, Bounds::with)
    }

    /// The box grown to hold `point`, if it is finite.
    pub fn with(self, point: DVec3) -> Bounds {
        if !point.is_finite() {
            return self;
        }
        Bounds { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The box around both boxes.
    pub fn union(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// Its centre; the origin if it is empty \[m\].
    pub fn centre(&self) -> DVec3 {
        if self.is_empty() { DVec3::ZERO } else { self.min + 0.5 * (self.max - self.min) }
    }

    /// Length of its diagonal; 0 if it is empty \[m\].
    pub fn diagonal(&self) -> f64 {
        if self.is_empty() { 0.0 } else { (self.max - self.min).length() }
    }

    /// The eight corners.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|corner| {
            let pick = |bit: usize, low: f64, high: f64| {
                if corner >> bit & 1 == 0 { low } else { high }
            };
            DVec3::new(
                pick(0, self.min.x, self.max.x),
                pick(1, self.min.y, self.max.y),
                pick(2, self.min.z, self.max.z),
            )
        })
    }
}

/// A perspective camera without lens distortion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands \[m\].
    pub eye: DVec3,
    /// What it looks at: the centre of the picture \[m\].
    pub target: DVec3,
    /// Which way is up in the picture.
    pub up: DVec3,
    /// Angle between the bottom and the top of the picture \[°\].
    pub field_of_view: f64,
}

impl Camera {
    /// The field of view of [`Camera::framing`]: that of a portrait lens \[°\].
    pub const PORTRAIT: f64 = 28.0;
    /// The part of the picture that [`Camera::framing`] leaves free on every side.
    pub const MARGIN: f64 = 0.08;

    /// The nearest camera that looks along `direction` (from the eye into the scene) and has
    /// all of `bounds` in a picture of the given `aspect` (width ÷ height), with a margin.
    ///
    /// Give it the bounds over all frames and the whole motion stays in view.
    ///
    /// ```
    /// use pliant_view::{Bounds, Camera};
    /// use glam::DVec3;
    /// let bounds = Bounds { min: DVec3::ZERO, max: DVec3::ONE };
    /// let camera = Camera::framing(bounds, DVec3::new(-0.5, -0.3, -1.0), 16.0 / 9.0);
    /// assert!(camera.eye.z > 1.0);
    /// ```
    pub fn framing(bounds: Bounds, direction: DVec3, aspect: f64) -> Camera {
        let mut framing = Framing::new(direction, aspect);
        if !bounds.is_empty() {
            framing.add(bounds.corners());
        }
        framing.camera()
    }

    /// The camera turned about the vertical through `pivot` by `angle` \[°\].
    pub fn turned(&self, pivot: DVec3, angle: f64) -> Camera {
        let turn = glam::DQuat::from_rotation_y(angle.to_radians());
        Camera {
            eye: pivot + turn * (self.eye - pivot),
            target: pivot + turn * (self.target - pivot),
            up: turn * self.up,
            ..*self
        }
    }
}

/// Looks for the nearest camera along a direction that has every point in view.
///
/// ```
/// use pliant_view::Framing;
/// use glam::DVec3;
/// let mut framing = Framing::new(DVec3::NEG_Z, 1.0);
/// for frame in 0..10 {
///     framing.add([DVec3::ZERO, DVec3::new(0.0, f64::from(frame), 0.0)]);
/// }
/// assert_eq!(framing.bounds().max.y, 9.0);
/// assert_eq!(framing.camera().target.y, 4.5);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    direction: DVec3,
    up: DVec3,
    across: Fit,
    along: Fit,
    /// Distances are measured from the first point: scenes may be far from the origin.
    origin: Option<DVec3>,
    bounds: Bounds,
}

/// The two opposite frustum planes along one axis of the picture: with a along the axis and b
/// towards the eye, a point is inside when |a − a_eye| ≤ t (b_eye − b).
#[derive(Clone, Copy, Debug)]
struct Fit {
    axis: DVec3,
    t: f64,
    low: f64,
    high: f64,
}

impl Framing {
    /// Nothing in view yet; `direction` is from the eye into the scene, `aspect` width ÷ height.
    pub fn new(direction: DVec3, aspect: f64) -> Framing {
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };
        let direction = direction.try_normalize().unwrap_or(DVec3::NEG_Z);
        let up = if direction.y.abs() > 0.999 { DVec3::NEG_Z } else { DVec3::Y };
        let (right, above) = axes(direction, up);
        let tall = (Camera::PORTRAIT.to_radians() / 2.0).tan() * (1.0 - 2.0 * Camera::MARGIN);
        let fit = |axis, t| Fit { axis, t, low: f64::INFINITY, high: f64::NEG_INFINITY };
        Framing {
            direction,
            up,
            across: fit(right, tall * aspect),
            along: fit(above, tall),
            origin: None,
            bounds: Bounds::EMPTY,
        }
    }

    /// Takes points into view; those that are not finite are passed over.
    pub fn add(&mut self, points: impl IntoIterator<Item = DVec3>) {
        for point in points.into_iter().filter(|p| p.is_finite()) {
            let from_origin = point - *self.origin.get_or_insert(point);
            let towards = -from_origin.dot(self.direction);
            for fit in [&mut self.across, &mut self.along] {
                let a = from_origin.dot(fit.axis);
                fit.low = fit.low.min(a - fit.t * towards);
                fit.high = fit.high.max(a + fit.t * towards);
            }
            self.bounds = self.bounds.with(point);
        }
    }

    /// The box around everything in view.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The nearest camera; without points, one that sees a few metres around the origin.
    pub fn camera(&self) -> Camera {
        let Some(origin) = self.origin else {
            let mut around = *self;
            around.add(Bounds { min: DVec3::NEG_ONE, max: DVec3::ONE }.corners());
            return around.camera();
        };
        let (direction, up) = (self.direction, self.up);
        let middle = |fit: &Fit| 0.5 * (fit.low + fit.high);
        // How far the eye must be from the origin, against the direction.
        let reach = |fit: &Fit| 0.5 * (fit.high - fit.low) / fit.t;
        let aside = middle(&self.across) * self.across.axis + middle(&self.along) * self.along.axis;
        let centre = self.bounds.centre();
        let depth = (centre - origin).dot(direction);
        // A point-like scene still needs a distance.
        let least = 1e-6 + 1e-9 * centre.length() - depth;
        let distance = reach(&self.across).max(reach(&self.along)).max(least);
        let target = origin + aside + depth * direction;
        Camera {
            eye: origin + aside - distance * direction,
            target,
            up,
            field_of_view: Camera::PORTRAIT,
        }
    }
}

/// A camera with a picture size: projects points to pixels, and pixels to rays.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub eye: DVec3,
    pub right: DVec3,
    pub up: DVec3,
    pub forward: DVec3,
    /// Distance of the picture plane \[px\].
    pub focal: f64,
    pub centre: [f64; 2],
}

impl View {
    pub fn new(camera: &Camera, width: usize, height: usize) -> Result<View, Error> {
        if !(camera.eye.is_finite() && camera.target.is_finite() && camera.up.is_finite()) {
            return Err(Error::Camera { reason: "a coordinate is not finite" });
        }
        if !(camera.field_of_view > 0.0 && camera.field_of_view < 180.0) {
            return Err(Error::Camera { reason: "the field of view is not between 0° and 180°" });
        }
        let forward = (camera.target - camera.eye)
            .try_normalize()
            .ok_or(Error::Camera { reason: "the eye is at the target" })?;
        let up = camera.up.try_normalize().unwrap_or(DVec3::ZERO);
        if forward.cross(up).length() < 1e-9 {
            return Err(Error::Camera { reason: "up is parallel to the view" });
        }
        let (right, up) = axes(forward, up);
        let focal = 0.5 * height as f64 / (camera.field_of_view.to_radians() / 2.0).tan();
        let centre = [0.5 * width as f64, 0.5 * height as f64];
        Ok(View { eye: camera.eye, right, up, forward, focal, centre })
    }

    /// Pixel coordinates and depth along the view of a point in front of the eye.
    pub fn project(&self, point: DVec3) -> ([f64; 2], f64) {
        let from_eye = point - self.eye;
        let depth = from_eye.dot(self.forward);
        let scale = self.focal / depth;
        let x = self.centre[0] + scale * from_eye.dot(self.right);
        let y = self.centre[1] - scale * from_eye.dot(self.up);
        ([x, y], depth)
    }

    /// The direction through a pixel whose component along the view is one.
    pub fn ray(&self, x: f64, y: f64) -> DVec3 {
        self.forward
            + ((x - self.centre[0]) / self.focal) * self.right
            + ((self.centre[1] - y) / self.focal) * self.up
    }
}

fn axes(forward: DVec3, up: DVec3) -> (DVec3, DVec3) {
    let right = forward.cross(up).normalize_or(DVec3::X);
    (right, right.cross(forward))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-50.0..50.0f64).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn a_framing_camera_has_every_point_in_view(
            points in prop::collection::vec(point(), 1..12),
            direction in point(),
            aspect in 0.3..3.0f64,
        ) {
            let camera = Camera::framing(Bounds::of(points.iter().copied()), direction, aspect);
            let (width, height) = ((900.0 * aspect) as usize, 900);
            let view = View::new(&camera, width, height).unwrap();
            for point in points {
                let ([x, y], depth) = view.project(point);
                prop_assert!(depth > 0.0);
                prop_assert!(x >= 0.0 && x <= width as f64, "x = {x} of {width}");
                prop_assert!(y >= 0.0 && y <= height as f64, "y = {y} of {height}");
            }
        }
    }

    #[test]
    fn a_framing_camera_fills_the_picture_up_to_the_margin() {
        let bounds = Bounds { min: DVec3::NEG_ONE, max: DVec3::ONE };
        let camera = Camera::framing(bounds, DVec3::NEG_Z, 1.0);
        let view = View::new(&camera, 1000, 1000).unwrap();
        let lowest = bounds.corners().map(|c| view.project(c).0[0]).into_iter().fold(1e9, f64::min);
        assert!((lowest - 1000.0 * Camera::MARGIN).abs() < 1.0, "{lowest}");
    }

    #[test]
    fn bounds_ignore_points_that_are_not_finite() {
        let bounds = Bounds::of([DVec3::ZERO, DVec3::NAN, DVec3::splat(f64::INFINITY)]);
        assert_eq!((bounds.min, bounds.max), (DVec3::ZERO, DVec3::ZERO));
    }

    #[test]
    fn a_ray_passes_through_the_point_it_was_projected_from() {
        let camera = Camera::framing(Bounds::of([DVec3::ONE]), DVec3::new(1.0, -1.0, -2.0), 1.0);
        let view = View::new(&camera, 640, 480).unwrap();
        let point = camera.target + DVec3::new(1e-7, 2e-7, -1e-7);
        let ([x, y], depth) = view.project(point);
        assert!((view.eye + depth * view.ray(x, y) - point).length() < 1e-15 + 1e-12);
    }

    #[test]
    fn cameras_that_cannot_look_are_refused() {
        let good = Camera::framing(Bounds::EMPTY, DVec3::NEG_Z, 1.0);
        for bad in [
            Camera { eye: good.target, ..good },
            Camera { up: DVec3::Z, ..good },
            Camera { up: DVec3::ZERO, ..good },
            Camera { field_of_view: 180.0, ..good },
            Camera { field_of_view: f64::NAN, ..good },
            Camera { eye: DVec3::NAN, ..good },
        ] {
            assert!(matches!(View::new(&bad, 10, 10), Err(Error::Camera { .. })));
        }
    }
}
