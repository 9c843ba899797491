//! How well a target is met: of the vertices that it moves, how far, and how far they are from it.

use glam::DVec3;

/// What moves further than this counts (m).
const MOVED: f64 = 5e-4;

/// Of vertices that a target moves by more than half a millimetre (mm).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// How far the target moves them, on the mean.
    pub moved: f64,
    /// How far they are from it, on the mean and at most.
    pub mean: f64,
    pub max: f64,
}

impl Residual {
    /// Whether a target moves a vertex (m) so far that it counts.
    pub fn is_moved(rest: DVec3, target: DVec3) -> bool {
        Residual::counts(rest.distance(target))
    }

    /// Whether a vertex that is moved by so much (m) counts.
    pub fn counts(by: f64) -> bool {
        by > MOVED
    }

    /// Of a skin that is to be a target, both moved from rest (m).
    ///
    /// ```
    /// use glam::DVec3;
    /// use pliant_face::inverse::residual::Residual;
    /// let rest = [DVec3::ZERO; 3];
    /// let target = [0.002, 0.004, 0.0001].map(|x| DVec3::X * x);
    /// let skin = [0.001, 0.004, 1.0].map(|x| DVec3::X * x);
    /// let found = Residual::of(&rest, &target, &skin);
    /// assert!((found.moved - 3.0).abs() < 1e-12 && (found.mean - 0.5).abs() < 1e-12);
    /// assert!((found.max - 1.0).abs() < 1e-12);
    /// ```
    pub fn of(rest: &[DVec3], target: &[DVec3], skin: &[DVec3]) -> Residual {
        let (mut sum, mut count) = (Residual::default(), 0.0);
        for ((from, to), got) in rest.iter().zip(target).zip(skin) {
            let [by, off] = [*from, *got].map(|p| 1e3 * p.distance(*to));
            if Residual::is_moved(*from, *to) {
                sum.moved += by;
                sum.mean += off;
                sum.max = sum.max.max(off);
                count += 1.0;
            }
        }
        let count = f64::max(count, 1.0);
        Residual { moved: sum.moved / count, mean: sum.mean / count, max: sum.max }
    }
}
