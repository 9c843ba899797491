//! The jaw's joint with 5 degrees of freedom (section 3 of \[ichim2017phace\]).
//!
//! The jaw turns about the line through the condyles and about the vertical line midway between
//! them, and it slides a little.

use glam::{DMat3, DVec3};

use super::bones::CONDYLE;

/// Where the jaw turns, and how far it may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Midway between the condyles (m).
    pub point: DVec3,
    /// Along the line through them, towards the left.
    pub axis: DVec3,
    /// Along which it turns sideways.
    pub vertical: DVec3,
    /// How far the condyles slide per degree of opening (m).
    pub slide: DVec3,
    /// Least and greatest opening (degrees).
    pub opening: [f64; 2],
    /// Least and greatest turn to the left (degrees).
    pub turning: [f64; 2],
    /// Least and greatest shift, beyond the slide (m).
    pub shift: [DVec3; 2],
}

/// Where the jaw is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JawPose {
    /// Opening about the condyles (degrees).
    pub open: f64,
    /// Turn of the chin to the left (degrees).
    pub turn: f64,
    /// Shift beyond the slide that comes with opening (m).
    pub shift: DVec3,
}

/// The built-in head's.
pub const HINGE: Hinge = Hinge {
    point: DVec3::new(0.0, CONDYLE[1], CONDYLE[2]),
    axis: DVec3::X,
    vertical: DVec3::Y,
    slide: DVec3::new(0.0, -0.00012, 0.00028),
    opening: [0.0, 32.0],
    turning: [-7.0, 7.0],
    shift: [DVec3::new(-0.006, -0.003, -0.001), DVec3::new(0.006, 0.001, 0.008)],
};

impl Default for Hinge {
    fn default() -> Self {
        HINGE
    }
}

impl Hinge {
    /// Where a point of the mandible goes (m).
    pub fn moved(&self, p: DVec3, pose: &JawPose) -> DVec3 {
        let (turn, shift) = self.rigid(pose);
        self.point + turn * (p - self.point) + shift
    }

    /// The jaw's rotation about [`Hinge::point`], and its shift (m).
    pub fn rigid(&self, pose: &JawPose) -> (DMat3, DVec3) {
        let open = DMat3::from_axis_angle(self.axis, pose.open.to_radians());
        let turn = DMat3::from_axis_angle(self.vertical, pose.turn.to_radians());
        (turn * open, pose.open * self.slide + pose.shift)
    }

    /// The pose within the limits that is nearest to one, number by number; what is not a number
    /// becomes rest.
    ///
    /// ```
    /// use pliant_face::anatomy::hinge::{HINGE, JawPose};
    /// let wide = HINGE.limited(&JawPose { open: 90.0, ..JawPose::default() });
    /// assert_eq!(wide.open, HINGE.opening[1]);
    /// ```
    pub fn limited(&self, pose: &JawPose) -> JawPose {
        let within = |x: f64, [low, high]: [f64; 2]| {
            if x.is_finite() && low <= high { x.clamp(low, high) } else { 0.0 }
        };
        let [low, high] = self.shift;
        let shift = |k: usize| within(pose.shift[k], [low[k], high[k]]);
        JawPose {
            open: within(pose.open, self.opening),
            turn: within(pose.turn, self.turning),
            shift: DVec3::new(shift(0), shift(1), shift(2)),
        }
    }
}

impl JawPose {
    /// A part of the pose, for flesh that follows the jaw by that much.
    pub fn scaled(&self, part: f64) -> JawPose {
        JawPose { open: part * self.open, turn: part * self.turn, shift: part * self.shift }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_lowers_the_chin_and_turning_takes_it_to_the_left() {
        let chin = DVec3::new(0.0, -0.105, 0.025);
        let open = HINGE.moved(chin, &JawPose { open: 20.0, ..JawPose::default() });
        assert!(open.y < chin.y - 0.02 && open.x == 0.0);
        let left = HINGE.moved(chin, &JawPose { turn: 5.0, ..JawPose::default() });
        assert!(left.x > 0.008 && (left.y - chin.y).abs() < 1e-12);
        assert!(HINGE.moved(chin, &JawPose::default()).distance(chin) < 1e-16);
    }
}
