//! Rigid motions by keys: linear between them, held outside.

use std::ops::{Add, Mul, Sub};

use glam::{DMat3, DQuat, DVec3};

/// A keyed motion of selected points.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Ascending key times \[s\].
    pub times: Vec<f64>,
    /// Displacement at each key \[m\]; empty for none.
    pub translate: Vec<DVec3>,
    /// Rotation at each key, degrees about the world's x, then y, then z; empty for none.
    pub rotate: Vec<DVec3>,
    /// Centre of rotation \[m\].
    pub about: DVec3,
}

impl Motion {
    /// Where the motion takes a point at a time \[s\].
    ///
    /// ```
    /// use pliant_model::{DVec3, Motion};
    /// let quarter_turn = Motion {
    ///     times: vec![0.0, 1.0],
    ///     translate: vec![],
    ///     rotate: vec![DVec3::ZERO, DVec3::new(0.0, 0.0, 90.0)],
    ///     about: DVec3::ZERO,
    /// };
    /// assert!((quarter_turn.at(2.0).apply(DVec3::X) - DVec3::Y).length() < 1e-15);
    /// ```
    pub fn at(&self, time: f64) -> Rigid {
        let value = |keys: &[DVec3]| sample(&self.times, keys, time).unwrap_or(DVec3::ZERO);
        Rigid {
            turn: rotation(value(&self.rotate)),
            about: self.about,
            shift: value(&self.translate),
        }
    }
}

/// x ↦ R (x − about) + about + shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    turn: DMat3,
    about: DVec3,
    shift: DVec3,
}

impl Rigid {
    /// The motion that turns about a point \[m\], and shifts \[m\] after that.
    pub fn new(turn: DMat3, about: DVec3, shift: DVec3) -> Rigid {
        Rigid { turn, about, shift }
    }

    /// Moves a point.
    pub fn apply(&self, x: DVec3) -> DVec3 {
        // Exactly x when nothing turns: an unmoved pin must not jitter by rounding.
        if self.turn == DMat3::IDENTITY {
            return x + self.shift;
        }
        self.turn * (x - self.about) + self.about + self.shift
    }

    /// Where a moved point came from.
    pub fn unapply(&self, x: DVec3) -> DVec3 {
        if self.turn == DMat3::IDENTITY {
            return x - self.shift;
        }
        self.turn.transpose() * (x - self.shift - self.about) + self.about
    }

    /// This motion, and another after it.
    pub fn then(&self, next: &Rigid) -> Rigid {
        let about = self.about;
        Rigid { turn: next.turn * self.turn, about, shift: next.apply(about + self.shift) - about }
    }

    /// Turns a direction.
    pub fn turn(&self, direction: DVec3) -> DVec3 {
        self.turn * direction
    }

    /// The motion between two: translation along a line, rotation about the axis that joins them.
    pub fn between(&self, other: &Rigid, fraction: f64) -> Rigid {
        if self == other || fraction == 0.0 {
            return *self;
        }
        if fraction == 1.0 {
            return *other;
        }
        let turn = if self.turn == other.turn {
            self.turn
        } else {
            let [a, b] = [self, other].map(|r| DQuat::from_mat3(&r.turn));
            DMat3::from_quat(a.slerp(b, fraction))
        };
        Rigid {
            turn,
            about: self.about.lerp(other.about, fraction),
            shift: self.shift.lerp(other.shift, fraction),
        }
    }

    /// All of its numbers, for [`Rigid::from_array`].
    pub fn to_array(&self) -> [f64; 15] {
        let numbers = self.turn.to_cols_array().into_iter();
        let mut all = numbers.chain(self.about.to_array()).chain(self.shift.to_array());
        std::array::from_fn(|_| all.next().unwrap_or(0.0))
    }

    /// The motion with these numbers.
    ///
    /// ```
    /// use pliant_model::Rigid;
    /// assert_eq!(Rigid::from_array(Rigid::default().to_array()), Rigid::default());
    /// ```
    pub fn from_array(numbers: [f64; 15]) -> Rigid {
        let vector = |k: usize| DVec3::new(numbers[k], numbers[k + 1], numbers[k + 2]);
        Rigid {
            turn: DMat3::from_cols(vector(0), vector(3), vector(6)),
            about: vector(9),
            shift: vector(12),
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.turn.is_finite() && self.about.is_finite() && self.shift.is_finite()
    }
}

/// The motion that moves nothing.
impl Default for Rigid {
    fn default() -> Self {
        Rigid { turn: DMat3::IDENTITY, about: DVec3::ZERO, shift: DVec3::ZERO }
    }
}

/// The rotation by degrees about the world's x, then y, then z.
pub fn rotation(degrees: DVec3) -> DMat3 {
    if degrees == DVec3::ZERO {
        return DMat3::IDENTITY;
    }
    DMat3::from_rotation_z(degrees.z.to_radians())
        * DMat3::from_rotation_y(degrees.y.to_radians())
        * DMat3::from_rotation_x(degrees.x.to_radians())
}

/// The value of a piecewise linear function of time, held outside its keys; `None` without keys.
pub(crate) fn sample<T>(times: &[f64], values: &[T], time: f64) -> Option<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    let next = times.partition_point(|&t| t <= time);
    match (next.checked_sub(1).and_then(|i| values.get(i)), values.get(next)) {
        (Some(&a), Some(&b)) => {
            let fraction = (time - times[next - 1]) / (times[next] - times[next - 1]);
            Some(a + (b - a) * fraction)
        }
        (Some(&held), None) | (None, Some(&held)) => Some(held),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_joined_by_lines_and_held_outside() {
        let motion = Motion {
            times: vec![1.0, 2.0, 4.0],
            translate: vec![DVec3::ZERO, DVec3::X, DVec3::X * 3.0],
            rotate: vec![],
            about: DVec3::ZERO,
        };
        for (time, x) in [(0.0, 0.0), (1.0, 0.0), (1.5, 0.5), (3.0, 2.0), (4.0, 3.0), (9.0, 3.0)] {
            assert!((motion.at(time).apply(DVec3::ZERO).x - x).abs() < 1e-15, "at {time} s");
        }
    }
}
