//! A surface that answers questions: what is closest, what does a ray hit.

use glam::DVec3;

use crate::bvh::{Bvh, Ray};
use crate::mesh::{Bounds, Mesh};
use crate::triangle::{self, Feature};

/// The triangles of a surface in a hierarchy of boxes. Triangles that index missing vertices or
/// have corners that are not finite are never found.
///
/// ```
/// use pliant_mesh::{DVec3, Feature, Mesh, SurfaceTree};
/// let mesh = Mesh::surface(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
/// let found = SurfaceTree::new(&mesh).closest(DVec3::new(0.2, 0.3, 2.0)).unwrap();
/// assert_eq!((found.triangle, found.feature, found.distance), (0, Feature::Face, 2.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SurfaceTree {
    bvh: Bvh,
    /// Corners in the order of the leaves.
    corners: Vec<[DVec3; 3]>,
}

/// The point of a surface that is closest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Where (m).
    pub point: DVec3,
    /// How far (m).
    pub distance: f64,
    /// On which triangle.
    pub triangle: u32,
    /// On what of it.
    pub feature: Feature,
    /// Weights of the triangle's corners.
    pub weights: [f64; 3],
}

/// Where a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// In multiples of the ray's direction.
    pub parameter: f64,
    /// Which triangle.
    pub triangle: u32,
    /// Weights of the triangle's corners.
    pub weights: [f64; 3],
}

impl SurfaceTree {
    /// Over the triangles of a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let corners = corners_of(mesh);
        let bvh = Bvh::new(&corners.iter().map(bounds_of).collect::<Vec<_>>());
        let corners = bvh.order().iter().map(|&t| corners[t as usize]).collect();
        SurfaceTree { bvh, corners }
    }

    /// Follows the mesh to other positions, keeping the shape of the tree.
    pub fn refit(&mut self, mesh: &Mesh) {
        let corners = corners_of(mesh);
        self.bvh.refit(&corners.iter().map(bounds_of).collect::<Vec<_>>());
        let moved = self.bvh.order().iter().map(|&t| corners.get(t as usize).copied());
        self.corners = moved.map(|c| c.unwrap_or([DVec3::NAN; 3])).collect();
    }

    /// The closest point; `None` where there is no triangle.
    pub fn closest(&self, point: DVec3) -> Option<ClosestPoint> {
        self.closest_within(point, f64::INFINITY)
    }

    /// The closest point, if it is nearer than `reach` (m).
    pub fn closest_within(&self, point: DVec3, reach: f64) -> Option<ClosestPoint> {
        let mut best: Option<(usize, DVec3, [f64; 3], Feature)> = None;
        let squared = self.bvh.nearest_places(point, reach * reach, |places, mut limit| {
            for place in places {
                let corners = self.corners[place];
                let (weights, feature) = triangle::closest(point, corners);
                let at = triangle::at(corners, weights);
                let distance = at.distance_squared(point);
                if distance < limit {
                    limit = distance;
                    best = Some((place, at, weights, feature));
                }
            }
            limit
        });
        best.map(|(place, point, weights, feature)| ClosestPoint {
            point,
            distance: squared.sqrt(),
            triangle: self.bvh.order()[place],
            feature,
            weights,
        })
    }

    /// The first triangle that a ray hits before `limit`.
    pub fn cast(&self, ray: &Ray, limit: f64, triangles: &Mesh) -> Option<Hit> {
        let mut best = None;
        self.bvh.along(ray, limit, |item, limit| {
            let Some(corners) = corners_of_triangle(triangles, item as usize) else { return limit };
            match triangle::hit(ray, corners) {
                Some((parameter, weights)) if parameter < limit => {
                    best = Some(Hit { parameter, triangle: item, weights });
                    parameter
                }
                _ => limit,
            }
        });
        best
    }

    /// The hierarchy; items are triangles.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// Corners in the order of the leaves.
    pub(crate) fn corners(&self) -> &[[DVec3; 3]] {
        &self.corners
    }
}

/// The corners of a triangle; `None` when it or one of its vertices does not exist.
pub(crate) fn corners_of_triangle(mesh: &Mesh, triangle: usize) -> Option<[DVec3; 3]> {
    let [a, b, c] = *mesh.triangles.get(triangle)?;
    let at = |v: u32| mesh.positions.get(v as usize).copied();
    Some([at(a)?, at(b)?, at(c)?])
}

fn corners_of(mesh: &Mesh) -> Vec<[DVec3; 3]> {
    let corners = (0..mesh.triangles.len()).map(|t| corners_of_triangle(mesh, t));
    corners.map(|c| c.unwrap_or([DVec3::NAN; 3])).collect()
}

/// NaN stays: `f64::min` would hide it.
fn bounds_of([a, b, c]: &[DVec3; 3]) -> Bounds {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return Bounds { min: DVec3::NAN, max: DVec3::NAN };
    }
    Bounds { min: a.min(*b).min(*c), max: a.max(*b).max(*c) }
}

#[cfg(test)]
mod tests;
