//! The residual of a fit: distances between a skin and its target.

use glam::DVec3;

/// Vertices that a target moves by less do not count (m).
const MOVED: f64 = 5e-4;

/// Distances of a skin from its target, over the vertices that the target moves (mm).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Mean distance by which the target moves them.
    pub moved: f64,
    /// Mean and greatest distance from the target.
    pub mean: f64,
    pub max: f64,
}

impl Residual {
    /// True if a target moves a vertex (m) far enough to count.
    pub fn is_moved(rest: DVec3, target: DVec3) -> bool {
        Residual::is_counted(rest.distance(target))
    }

    /// True if a vertex that moves by this distance (m) counts.
    pub fn is_counted(by: f64) -> bool {
        by > MOVED
    }

    /// Residual of a skin against a target, all positions in m.
    ///
    /// ```
    /// use glam::DVec3;
    /// use pliant_face::inverse::targets::Residual;
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
