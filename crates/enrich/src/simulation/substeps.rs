//! Number of steps per frame, and detection of cuts.
//!
//! Section 5 of \[li2017enriching\] subdivides the time step if necessary. Between two frames the
//! input moves along straight lines, so a part that turns by more than half a radian in a step
//! shrinks on the way. The change of an edge of Ω between frames, relative to its rest length,
//! measures rotation and strain, and is zero for translations. The 99th percentile over all free
//! edges is taken, since a few overstretched ones do not matter. The least of 1, 2, 4 and 8 steps
//! is chosen for which the change per step is at most [`MAX_CHANGE`].
//!
//! A *cut* is a frame unrelated to the one before, as in a library of poses.

use glam::DVec3;
use pliant_mesh::{Mesh, edges_of_tets};

use crate::numerics::closest_rigid;

/// Maximum change of an edge per step, relative to its rest length.
const MAX_CHANGE: f64 = 0.5;
/// Allowed numbers of steps per frame; few, since each has a matrix of its own.
const STEPS: [u32; 4] = [1, 2, 4, 8];
/// One edge in so many may change more.
const BEYOND: usize = 100;

/// Speed above which a frame is a cut, in body lengths per second (root mean square over vertices,
/// apart from the closest rigid motion). Galloping and leaping creatures reach 1 [1/s].
const CUT: f64 = 1.8;

/// True if a frame of `seconds`, in which Ω moves `from` positions `to` others \[m\], is a cut.
pub fn is_cut(from: &[DVec3], to: &[DVec3], length: f64, seconds: f64) -> bool {
    let (rotation, a, b) = closest_rigid(from, to);
    let off = |(&x, y): (&DVec3, &DVec3)| (rotation * (x - a) + b).distance_squared(*y);
    let squares: f64 = from.iter().zip(to).map(off).sum();
    squares > (CUT * seconds * length).powi(2) * from.len() as f64
}

/// Edges that determine the number of steps, with their rest lengths \[m\].
#[derive(Clone, Debug, Default)]
pub struct SubstepRule {
    edges: Vec<([u32; 2], f64)>,
}

impl SubstepRule {
    /// Collects the edges of a solid at rest; edges between two driven vertices are left out.
    pub fn new(solid: &Mesh, is_driven: &[bool]) -> Self {
        let moves = |[a, b]: &[u32; 2]| !is_driven[*a as usize] || !is_driven[*b as usize];
        let length = |[a, b]: [u32; 2]| {
            let ends = [a, b].map(|v| solid.positions[v as usize]);
            ([a, b], ends[0].distance(ends[1]))
        };
        let edges = edges_of_tets(&solid.tets).into_iter().filter(moves).map(length);
        SubstepRule { edges: edges.filter(|(_, length)| *length > 0.0).collect() }
    }

    /// Number of steps for a frame in which Ω's input moves `from` positions `to` others \[m\].
    ///
    /// ```
    /// use pliant_enrich::simulation::SubstepRule;
    /// use pliant_mesh::{DVec3, shapes};
    /// let bar = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [5, 1, 1])?;
    /// let rule = SubstepRule::new(&bar, &vec![false; bar.positions.len()]);
    /// let turned = |angle: f64| -> Vec<DVec3> {
    ///     let (s, c) = angle.sin_cos();
    ///     bar.positions.iter().map(|x| DVec3::new(c * x.x + s * x.z, x.y, c * x.z - s * x.x)).collect()
    /// };
    /// assert_eq!(rule.steps(&bar.positions, &turned(0.4)), 1);
    /// assert_eq!(rule.steps(&bar.positions, &turned(0.8)), 2);
    /// # Ok::<(), pliant_mesh::MeshError>(())
    /// ```
    pub fn steps(&self, from: &[DVec3], to: &[DVec3]) -> u32 {
        let change = |&([a, b], length): &([u32; 2], f64)| {
            let [a, b] = [a, b].map(|v| to[v as usize] - from[v as usize]);
            a.distance(b) / length
        };
        let mut changes: Vec<f64> = self.edges.iter().map(change).collect();
        if changes.is_empty() {
            return STEPS[0];
        }
        let place = changes.len() - 1 - changes.len() / BEYOND;
        let (_, &mut speed, _) = changes.select_nth_unstable_by(place, f64::total_cmp);
        let enough = |n: &u32| speed <= MAX_CHANGE * f64::from(*n);
        STEPS.into_iter().find(enough).unwrap_or(STEPS[STEPS.len() - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    const FRAME: f64 = 1.0 / 30.0;

    #[test]
    fn another_pose_is_a_cut_and_a_leap_is_not() {
        let bar = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [20, 3, 3]).unwrap().positions;
        let moved =
            |f: &dyn Fn(DVec3) -> DVec3| -> Vec<DVec3> { bar.iter().map(|&x| f(x)).collect() };
        let bent = |by: f64| moved(&|x| x + DVec3::Y * (by * (9.0 * x.x).sin()));
        assert!(!is_cut(&bar, &moved(&|x| DVec3::new(5.0 - x.x, 7.0 - x.y, x.z)), 1.0, FRAME));
        assert!(!is_cut(&bar, &bent(0.05), 1.0, FRAME));
        assert!(is_cut(&bar, &bent(0.5), 1.0, FRAME));
    }

    #[test]
    fn only_what_turns_or_strains_takes_steps() {
        let bar = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [20, 3, 3]).unwrap();
        let rule = SubstepRule::new(&bar, &vec![false; bar.positions.len()]);
        let moved = |f: &dyn Fn(DVec3) -> DVec3| -> Vec<DVec3> {
            bar.positions.iter().map(|&x| f(x)).collect()
        };
        let steps = |f: &dyn Fn(DVec3) -> DVec3| rule.steps(&bar.positions, &moved(f));
        assert_eq!(steps(&|x| x + DVec3::splat(1e3)), 1);
        assert_eq!(steps(&|x| x * 1.4), 1);
        assert_eq!(steps(&|x| x * 2.9), 4);
        assert_eq!(steps(&|x| x * 100.0), 8);
        assert_eq!(steps(&|_| DVec3::NAN), 8);
        // One vertex far away adds no step.
        let mut outlier = bar.positions.clone();
        outlier[0] += DVec3::X * 9.0;
        assert_eq!(rule.steps(&bar.positions, &outlier), 1);
        // A solid whose vertices are all driven takes one step.
        let driven = SubstepRule::new(&bar, &vec![true; bar.positions.len()]);
        assert_eq!(driven.steps(&bar.positions, &moved(&|x| x * 100.0)), 1);
    }
}
