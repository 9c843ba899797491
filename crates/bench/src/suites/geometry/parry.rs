//! The same work by `parry3d-f64`.

use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;
use pliant_mesh::{DVec3, Mesh, MeshError};

use super::{QUERIES, points_around, timed};
use crate::suite::Values;

fn shape(mesh: &Mesh) -> Option<TriMesh> {
    let points = mesh.positions.iter().map(|x| Vector::new(x.x, x.y, x.z)).collect();
    TriMesh::new(points, mesh.triangles.clone()).ok()
}

/// Times the construction of the hierarchy.
pub fn build(mesh: &Mesh) -> Result<Values, MeshError> {
    Ok(timed(1, || shape(mesh)))
}

/// Times queries of closest points.
pub fn closest_point(mesh: &Mesh) -> Result<Values, MeshError> {
    let (shape, points) = (shape(mesh), points_around(mesh, QUERIES));
    let near = |shape: &TriMesh| {
        let query =
            |x: &DVec3| shape.project_local_point(Vector::new(x.x, x.y, x.z), false).point.x;
        points.iter().map(query).sum::<f64>()
    };
    Ok(timed(QUERIES, || shape.as_ref().map(near)))
}
