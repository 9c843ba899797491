//! What a body that is held at one point, or along one line, goes on turning about.
//!
//! Nothing that holds a body at points of a line has a torque about that line, be it hard or a
//! spring: the angular momentum about it is the body's own. At a single point that is any line
//! through it. Gravity takes all but the vertical line.

use glam::DVec3;

/// Held points are one, or on one line, if they are off it by no more than this part of their
/// extent.
const STRAIGHT: f64 = 1e-9;

/// About which point, and along which axes, an angular momentum is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The point \[m\].
    pub about: DVec3,
    /// Unit vectors, normal to each other.
    pub axes: [DVec3; 3],
}

impl Frame {
    /// The vector with these components along the axes.
    pub fn sum(&self, components: [f64; 3]) -> DVec3 {
        let [a, b, c] = self.axes;
        a * components[0] + b * components[1] + c * components[2]
    }
}

impl Default for Frame {
    /// About the origin, along the world's axes.
    fn default() -> Self {
        Frame { about: DVec3::ZERO, axes: DVec3::AXES }
    }
}

/// Where a body is held, and about which axes it may turn on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pivot {
    /// About a held point.
    pub frame: Frame,
    /// Along which axes its angular momentum stays.
    pub angular: [bool; 3],
}

impl Pivot {
    /// Of a body held at points \[m\], under gravity [m/s²]; `None` where no angular momentum
    /// stays.
    pub(crate) fn of(points: &[DVec3], gravity: DVec3) -> Option<Pivot> {
        let about = *points.first()?;
        let far = points
            .iter()
            .fold(about, |far, x| if x.distance(about) > far.distance(about) { *x } else { far });
        let length = far.distance(about);
        let down = gravity.try_normalize();
        // Of one point, the size is that of its coordinates: all that rounding depends on.
        let Some(line) =
            (far - about).try_normalize().filter(|_| length > STRAIGHT * about.length())
        else {
            let Some(down) = down else {
                return Some(Pivot {
                    frame: Frame { about, ..Frame::default() },
                    angular: [true; 3],
                });
            };
            return Some(Pivot::along(about, down));
        };
        let is_on = |x: &DVec3| (*x - about).cross(line).length() <= STRAIGHT * length;
        let is_upright = down.is_none_or(|down| down.cross(line).length() <= STRAIGHT);
        (points.iter().all(is_on) && is_upright).then(|| Pivot::along(about, line))
    }

    fn along(about: DVec3, axis: DVec3) -> Pivot {
        let (b, c) = axis.any_orthonormal_pair();
        Pivot { frame: Frame { about, axes: [axis, b, c] }, angular: [true, false, false] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lines_and_planes_leave_three_one_and_no_axis() {
        let a = DVec3::new(1.0, 2.0, 3.0);
        let count = |points: &[DVec3], gravity: DVec3| {
            Pivot::of(points, gravity).map_or(0, |p| p.angular.iter().filter(|kept| **kept).count())
        };
        let line = [a, a + DVec3::ONE, a - DVec3::ONE * 0.3];
        assert_eq!(count(&[], DVec3::ZERO), 0);
        assert_eq!(count(&[a, a], DVec3::ZERO), 3);
        assert_eq!(count(&line, DVec3::ZERO), 1);
        assert_eq!(count(&[a, a + DVec3::X, a + DVec3::Y], DVec3::ZERO), 0);
        assert_eq!(count(&[a], DVec3::NEG_Y), 1);
        assert_eq!(count(&line, DVec3::NEG_Y), 0);
        assert_eq!(count(&line, DVec3::ONE * -5.0), 1, "a door on upright hinges");
        let axes = Pivot::of(&line, DVec3::ZERO).expect("a hinge").frame.axes;
        assert!(axes[0].cross(DVec3::ONE).length() < 1e-12 && axes[0].dot(axes[1]).abs() < 1e-12);
    }
}
