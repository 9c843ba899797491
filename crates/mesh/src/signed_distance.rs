//! Distance to any surface, positive inside: how far by the closest point, where by the winding
//! number.

use glam::DVec3;
use pliant_math::team::{SharedSlice, Team};

use crate::mesh::Mesh;
use crate::surface_tree::SurfaceTree;
use crate::winding::WindingTree;

/// Points that one item of a parallel task evaluates.
const BLOCK: usize = 256;

/// The signed distance to the triangles of a surface, however broken: inside is where they go
/// round at least half.
///
/// ```
/// use pliant_mesh::{DVec3, SignedDistance, shapes};
/// let solid = shapes::solid_box(DVec3::splat(2.0), [2, 2, 2])?;
/// let distance = SignedDistance::new(&solid);
/// assert!((distance.at(DVec3::new(0.7, 0.1, 0.0)) - 0.3).abs() < 1e-12);
/// assert!((distance.at(DVec3::new(1.5, 0.1, 0.0)) + 0.5).abs() < 1e-12);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SignedDistance {
    tree: SurfaceTree,
    winding: WindingTree,
}

impl SignedDistance {
    /// Of the triangles of a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let tree = SurfaceTree::new(mesh);
        let winding = WindingTree::new(&tree);
        SignedDistance { tree, winding }
    }

    /// At a point (m); −∞ where there is no surface.
    pub fn at(&self, point: DVec3) -> f64 {
        let distance = self.tree.closest(point).map_or(f64::INFINITY, |c| c.distance);
        if self.winding(point) >= 0.5 { distance } else { -distance }
    }

    /// At many points (m); the same bits for any number of threads.
    pub fn at_all(&self, points: &[DVec3], team: &Team) -> Vec<f64> {
        evaluate(points, team, |p| self.at(p))
    }

    /// The winding number around a point.
    pub fn winding(&self, point: DVec3) -> f64 {
        self.winding.at(&self.tree, point)
    }

    /// The triangles.
    pub fn tree(&self) -> &SurfaceTree {
        &self.tree
    }
}

/// A function of points, at many of them.
pub(crate) fn evaluate<P: Copy + Sync, T: Send + Copy + Default>(
    points: &[P],
    team: &Team,
    function: impl Fn(P) -> T + Sync,
) -> Vec<T> {
    let mut values = vec![T::default(); points.len()];
    let shared = SharedSlice::new(&mut values);
    team.each(points.len().div_ceil(BLOCK), &|item, _thread| {
        let (start, end) = (item * BLOCK, ((item + 1) * BLOCK).min(points.len()));
        // SAFETY: every item has its own block.
        let own = unsafe { shared.range(start, end) };
        for (value, &point) in own.iter_mut().zip(&points[start..end]) {
            *value = function(point);
        }
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    fn points() -> Vec<DVec3> {
        (0..2000)
            .map(f64::from)
            .map(|t| DVec3::new((1.3 * t).sin(), (0.7 * t).cos(), (2.1 * t + 1.0).sin()))
            .collect()
    }

    #[test]
    fn a_box_has_the_distance_that_is_written_in_books() {
        let half = DVec3::new(0.5, 0.3, 0.4);
        let solid = shapes::solid_box(2.0 * half, [5, 3, 4]).unwrap();
        let all = SignedDistance::new(&solid).at_all(&points(), &Team::new(2));
        for (p, found) in points().into_iter().zip(all) {
            let q = p.abs() - half;
            let expected = -(q.max(DVec3::ZERO).length() + q.max_element().min(0.0));
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected} at {p}");
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let solid = shapes::jelly(10).unwrap();
        let distance = SignedDistance::new(&solid);
        let one = distance.at_all(&points(), &Team::new(1));
        assert_eq!(one, distance.at_all(&points(), &Team::new(3)));
    }

    #[test]
    fn without_a_surface_everything_is_outside() {
        assert_eq!(SignedDistance::new(&Mesh::default()).at(DVec3::ZERO), f64::NEG_INFINITY);
    }
}
