//! Points bound to tetrahedra: where they go when the tets move.

use glam::DVec3;
use pliant_math::team::Team;

use crate::bvh::Bvh;
use crate::mesh::{Bounds, Mesh, signed_volume};
use crate::signed_distance::evaluate;
use crate::surface_tree::SurfaceTree;

/// Weights down to this count as inside: rounding.
pub const INSIDE: f64 = -1e-9;

/// For every point a tet and the weights of its corners, which sum to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// The tet of every point.
    pub tets: Vec<u32>,
    /// Weights of its corners: all at least −1e-9 for a point inside of it.
    pub weights: Vec<[f64; 4]>,
}

impl Embedding {
    /// Binds points to the tets of a mesh that they lie in; those that lie in none to the nearest
    /// tet, with negative weights.
    ///
    /// ```
    /// use pliant_mesh::{DVec3, Embedding, shapes};
    /// use pliant_math::team::Team;
    /// let solid = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
    /// let point = DVec3::new(0.1, 0.2, 0.3);
    /// let embedding = Embedding::new(&solid, &[point], &Team::new(1));
    /// assert!(embedding.outside().is_empty());
    /// assert!((embedding.positions(&solid)[0] - point).length() < 1e-15);
    /// # Ok::<(), pliant_mesh::MeshError>(())
    /// ```
    pub fn new(solid: &Mesh, points: &[DVec3], team: &Team) -> Self {
        let locator = Locator::new(solid);
        let found = evaluate(points, team, |p| locator.find(p));
        let nowhere = (NOWHERE, [0.0; 4]);
        let mut embedding = Embedding {
            tets: found.iter().map(|f| f.unwrap_or(nowhere).0).collect(),
            weights: found.iter().map(|f| f.unwrap_or(nowhere).1).collect(),
        };
        embedding.bind_outside(solid, points);
        embedding
    }

    /// Points that lie in no tet.
    pub fn outside(&self) -> Vec<u32> {
        let outside = |w: &[f64; 4]| w.iter().any(|w| *w < INSIDE);
        (0u32..).zip(&self.weights).filter(|(_, w)| outside(w)).map(|(v, _)| v).collect()
    }

    /// Where the points are when the tets are here (m).
    pub fn positions(&self, solid: &Mesh) -> Vec<DVec3> {
        let at = |(&t, w): (&u32, &[f64; 4])| {
            let corners = solid.corners(t as usize).unwrap_or_default();
            (0..4).map(|k| w[k] * corners[k]).sum()
        };
        self.tets.iter().zip(&self.weights).map(at).collect()
    }

    /// Nearest tets by the boundary's triangles; points that are not finite go to the middle of
    /// the first tet.
    fn bind_outside(&mut self, solid: &Mesh, points: &[DVec3]) {
        let lost: Vec<usize> = (0..points.len()).filter(|&p| self.tets[p] == NOWHERE).collect();
        if lost.is_empty() {
            return;
        }
        let boundary = Mesh::surface(solid.positions.clone(), solid.triangles.clone());
        let tree = SurfaceTree::new(&boundary);
        let owners = owners(solid);
        for p in lost {
            let near = tree.closest(points[p]).and_then(|c| owners.get(c.triangle as usize));
            let tet = near.copied().unwrap_or(0);
            let corners = solid.corners(tet as usize).unwrap_or_default();
            let weights = barycentric(corners, points[p]);
            let finite = weights.iter().all(|w| w.is_finite());
            self.tets[p] = tet;
            self.weights[p] = if finite { weights } else { [0.25; 4] };
        }
    }
}

const NOWHERE: u32 = u32::MAX;

/// Finds the tet around a point.
pub struct Locator<'a> {
    solid: &'a Mesh,
    bvh: Bvh,
}

impl<'a> Locator<'a> {
    pub fn new(solid: &'a Mesh) -> Self {
        let boxes: Vec<Bounds> = (0..solid.tets.len())
            .map(|t| {
                let corners = solid.corners(t).unwrap_or([DVec3::NAN; 4]);
                let min = corners.into_iter().fold(corners[0], DVec3::min);
                let max = corners.into_iter().fold(corners[0], DVec3::max);
                // As far as a point with weights of INSIDE may lie.
                let slack = 1e-8 * (max - min).max_element();
                Bounds { min: min - DVec3::splat(slack), max: max + DVec3::splat(slack) }
            })
            .collect();
        Locator { solid, bvh: Bvh::new(&boxes) }
    }

    /// The tet in which the point's least weight is greatest, and the weights.
    pub fn find(&self, point: DVec3) -> Option<(u32, [f64; 4])> {
        let mut best = None;
        let mut most = INSIDE;
        self.bvh.containing(point, |tet| {
            let Some(corners) = self.solid.corners(tet as usize) else { return true };
            let weights = barycentric(corners, point);
            let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
            if least >= most {
                (best, most) = (Some((tet, weights)), least);
            }
            // Well inside: no other tet can be better, unless they overlap.
            most < 1e-3
        });
        best
    }
}

/// Weights of the corners that sum to 1 and give the point.
pub fn barycentric(corners: [DVec3; 4], point: DVec3) -> [f64; 4] {
    let [a, b, c, d] = corners;
    let whole = signed_volume(corners);
    let mut weights = [
        signed_volume([point, b, c, d]) / whole,
        signed_volume([a, point, c, d]) / whole,
        signed_volume([a, b, point, d]) / whole,
        signed_volume([a, b, c, point]) / whole,
    ];
    // The largest one takes the rounding.
    let sum: f64 = weights.iter().sum();
    let largest = (1..4).fold(0, |best, k| if weights[k] > weights[best] { k } else { best });
    weights[largest] += 1.0 - sum;
    weights
}

/// The tet that each boundary triangle belongs to.
fn owners(solid: &Mesh) -> Vec<u32> {
    let sorted = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let mut faces: Vec<([u32; 3], u32)> = (0u32..)
        .zip(&solid.tets)
        .flat_map(|(t, &[a, b, c, d])| {
            [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|face| (sorted(face), t))
        })
        .collect();
    faces.sort_unstable();
    let owner = |face: &[u32; 3]| {
        let at = faces.partition_point(|f| f.0 < sorted(*face));
        faces.get(at).map_or(0, |f| f.1)
    };
    solid.triangles.iter().map(owner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn points_inside_are_found_in_the_tet_that_a_loop_finds() {
        let solid = shapes::jelly(8).unwrap();
        let bounds = solid.bounds().unwrap();
        let points: Vec<DVec3> = (0..500)
            .map(f64::from)
            .map(|t| DVec3::new((1.1 * t).sin(), (0.3 * t).cos(), (2.3 * t).sin()))
            .map(|u| bounds.center() + 0.6 * u * bounds.size())
            .collect();
        let embedding = Embedding::new(&solid, &points, &Team::new(2));
        let outside = embedding.outside();
        let back = embedding.positions(&solid);
        for (p, &point) in points.iter().enumerate() {
            let inside = (0..solid.tets.len()).any(|t| {
                barycentric(solid.corners(t).unwrap(), point).iter().all(|w| *w >= INSIDE)
            });
            assert_eq!(inside, !outside.contains(&(p as u32)), "point {p}");
            assert!((back[p] - point).length() < 1e-9);
        }
        assert!(outside.len() > 10 && outside.len() < 490);
    }

    #[test]
    fn strange_points_are_bound_without_harm() {
        let solid = shapes::solid_box(DVec3::ONE, [1, 1, 1]).unwrap();
        let embedding = Embedding::new(&solid, &[DVec3::NAN, DVec3::splat(1e6)], &Team::new(1));
        assert!(embedding.weights.iter().flatten().all(|w| w.is_finite()));
        assert_eq!(embedding.outside(), [1]);
    }
}
