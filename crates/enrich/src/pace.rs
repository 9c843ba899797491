//! How many steps a frame takes (section 5: "we subdivide the animation timestep if necessary").
//!
//! Between two frames the input goes straight: what turns by more than half a radian in a step is squashed
//! on its way, and a body driven so jerks. The rule: how an edge of Ω changes from frame to frame, relative to
//! its length at rest, is a speed of turning and straining alike, which no motion of the body as a whole adds
//! to. Of all edges that can move by themselves, take the value that one in a hundred exceeds (some that are torn
//! mean nothing); of 1, 2, 4 and 8 steps the fewest are taken in each of which it is at most [`MOST`].

//!
//! And which frames are a *cut*: poses that have nothing to do with the one before, such as a library of
//! them. To be thrown from one to the other would tear any flesh.

use glam::DVec3;
use pliant_mesh::{Mesh, edges_of_tets};

use crate::fit::closest_rigid;

/// How much an edge may change in a step, relative to its length.
pub const MOST: f64 = 0.5;
/// The most steps of a frame; few different ones, as each has a matrix of its own.
const STEPS: [u32; 4] = [1, 2, 4, 8];
/// One edge in so many may change more.
const BEYOND: usize = 100;

/// Of a body's length, per second: where vertices go faster (root mean square, beside the closest rigid motion), a frame
/// is a cut. Creatures that gallop and leap reach 1 [1/s].
const CUT: f64 = 1.8;

/// Whether a frame of `seconds`, in which Ω of a body of this length goes from one place to another \[m\], is
/// a cut.
pub fn is_cut(from: &[DVec3], to: &[DVec3], length: f64, seconds: f64) -> bool {
    let (rotation, a, b) = closest_rigid(from, to);
    let off = |(&x, y): (&DVec3, &DVec3)| (rotation * (x - a) + b).distance_squared(*y);
    let squares: f64 = from.iter().zip(to).map(off).sum();
    squares > (CUT * seconds * length).powi(2) * from.len() as f64
}

/// The edges that tell, with their lengths at rest \[m\].
#[derive(Clone, Debug, Default)]
pub struct Pace {
    edges: Vec<([u32; 2], f64)>,
}

impl Pace {
    /// Of a solid at rest, of which some vertices are driven.
    pub fn new(solid: &Mesh, is_driven: &[bool]) -> Self {
        let moves = |[a, b]: &[u32; 2]| !is_driven[*a as usize] || !is_driven[*b as usize];
        let length = |[a, b]: [u32; 2]| {
            let ends = [a, b].map(|v| solid.positions[v as usize]);
            ([a, b], ends[0].distance(ends[1]))
        };
        let edges = edges_of_tets(&solid.tets).into_iter().filter(moves).map(length);
        Pace { edges: edges.filter(|(_, length)| *length > 0.0).collect() }
    }

    /// Steps for a frame in which Ω's input goes from one place to another \[m\].
    ///
    /// ```
    /// use pliant_enrich::pace::Pace;
    /// use pliant_mesh::{DVec3, shapes};
    /// let bar = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [5, 1, 1])?;
    /// let pace = Pace::new(&bar, &vec![false; bar.positions.len()]);
    /// let turned = |angle: f64| -> Vec<DVec3> {
    ///     let (s, c) = angle.sin_cos();
    ///     bar.positions.iter().map(|x| DVec3::new(c * x.x + s * x.z, x.y, c * x.z - s * x.x)).collect()
    /// };
    /// assert_eq!(pace.steps(&bar.positions, &turned(0.4)), 1);
    /// assert_eq!(pace.steps(&bar.positions, &turned(0.8)), 2);
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
        let enough = |n: &u32| speed <= MOST * f64::from(*n);
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
        let pace = Pace::new(&bar, &vec![false; bar.positions.len()]);
        let moved = |f: &dyn Fn(DVec3) -> DVec3| -> Vec<DVec3> {
            bar.positions.iter().map(|&x| f(x)).collect()
        };
        let steps = |f: &dyn Fn(DVec3) -> DVec3| pace.steps(&bar.positions, &moved(f));
        assert_eq!(steps(&|x| x + DVec3::splat(1e3)), 1);
        assert_eq!(steps(&|x| x * 1.4), 1);
        assert_eq!(steps(&|x| x * 2.9), 4);
        assert_eq!(steps(&|x| x * 100.0), 8);
        assert_eq!(steps(&|_| DVec3::NAN), 8);
        // One vertex that is torn off is no haste of the body.
        let mut torn = bar.positions.clone();
        torn[0] += DVec3::X * 9.0;
        assert_eq!(pace.steps(&bar.positions, &torn), 1);
        // What is driven as a whole has nothing to be careful about.
        let driven = Pace::new(&bar, &vec![true; bar.positions.len()]);
        assert_eq!(driven.steps(&bar.positions, &moved(&|x| x * 100.0)), 1);
    }
}
