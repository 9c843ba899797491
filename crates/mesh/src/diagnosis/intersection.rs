//! Triangles that pass through each other.
//!
//! Decided by the signs of exact determinants (Shewchuk 1997, "Adaptive precision floating-point
//! arithmetic and fast robust geometric predicates"), over pairs whose boxes overlap. Touching is
//! not intersecting: a corner or a side that lies on another triangle does not count, an edge that
//! goes through it, or a common part of the plane, does. Corners at the same place are the same.

use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::mesh::Mesh;
use crate::soup::weld;
use crate::surface_tree::{SurfaceTree, corners_of_triangle};

/// Triangles that another one passes through, ascending.
pub fn intersecting(mesh: &Mesh) -> Vec<u32> {
    let first = weld(&mesh.positions);
    let tree = SurfaceTree::new(mesh);
    let mut hit = vec![false; mesh.triangles.len()];
    tree.bvh().overlapping_pairs(|p, q| {
        let corners = |t: u32| corners_of_triangle(mesh, t as usize);
        let (Some(x), Some(y)) = (corners(p), corners(q)) else { return };
        let names = |t: u32| mesh.triangles[t as usize].map(|v| first[v as usize]);
        if boxes_overlap(&x, &y) && intersect((names(p), x), (names(q), y)) {
            hit[p as usize] = true;
            hit[q as usize] = true;
        }
    });
    (0u32..).zip(&hit).filter(|(_, hit)| **hit).map(|(t, _)| t).collect()
}

type Named = ([u32; 3], [DVec3; 3]);

fn boxes_overlap(x: &[DVec3; 3], y: &[DVec3; 3]) -> bool {
    let low = |t: &[DVec3; 3]| t[0].min(t[1]).min(t[2]);
    let high = |t: &[DVec3; 3]| t[0].max(t[1]).max(t[2]);
    low(x).cmple(high(y)).all() && low(y).cmple(high(x)).all()
}

fn intersect(a: Named, b: Named) -> bool {
    let has_area = |n: &[u32; 3]| n[0] != n[1] && n[1] != n[2] && n[2] != n[0];
    if !has_area(&a.0) || !has_area(&b.0) {
        return false;
    }
    let shared = a.0.iter().filter(|v| b.0.contains(v)).count();
    // Repeats are found as such.
    if shared == 3 {
        return false;
    }
    let sides = b.1.map(|p| side(&a.1, p));
    if sides == [0; 3] {
        return coplanar_overlap(&a, &b);
    }
    // Two triangles on a common edge meet only there, unless they lie in one plane.
    shared < 2 && (pierces(&a, &b) || pierces(&b, &a))
}

/// Whether an edge of `a` goes through `b`. Edges at a common corner cannot, but for that corner.
fn pierces(a: &Named, b: &Named) -> bool {
    (0..3).any(|k| {
        let (i, j) = (k, (k + 1) % 3);
        if b.0.contains(&a.0[i]) || b.0.contains(&a.0[j]) {
            return false;
        }
        let (p, q) = (a.1[i], a.1[j]);
        let (below, above) = (side(&b.1, p), side(&b.1, q));
        if below * above >= 0 {
            return false;
        }
        let turns = [0, 1, 2].map(|m| side(&[p, q, b.1[m]], b.1[(m + 1) % 3]));
        turns.iter().all(|t| *t >= 0) || turns.iter().all(|t| *t <= 0)
    })
}

/// The side of a triangle's plane that a point is on: −1, 0 or 1.
fn side(triangle: &[DVec3; 3], point: DVec3) -> i32 {
    let [a, b, c] = triangle.map(coordinate);
    sign(orient3d(a, b, c, coordinate(point)))
}

fn coordinate(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// Whether two triangles of one plane have an area in common.
fn coplanar_overlap(a: &Named, b: &Named) -> bool {
    // Seen along the axis that the plane faces most.
    let normal = (a.1[1] - a.1[0]).cross(a.1[2] - a.1[0]).abs();
    let axis = normal.max_position();
    let flat = |p: DVec3| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
    let (mut x, mut y) = (a.1.map(flat), b.1.map(flat));
    let turn = |t: &[Coord<f64>; 3]| sign(orient2d(t[0], t[1], t[2]));
    match (turn(&x), turn(&y)) {
        (0, _) | (_, 0) => return false,
        (s, t) => {
            if s < 0 {
                x.swap(1, 2);
            }
            if t < 0 {
                y.swap(1, 2);
            }
        }
    }
    // Convex sets are apart when a side of one has all of the other on its outer side.
    let separates = |x: &[Coord<f64>; 3], y: &[Coord<f64>; 3]| {
        (0..3).any(|k| y.iter().all(|p| orient2d(x[k], x[(k + 1) % 3], *p) <= 0.0))
    };
    !separates(&x, &y) && !separates(&y, &x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    fn soup(triangles: &[[[f64; 3]; 3]]) -> Mesh {
        let positions = triangles.iter().flatten().map(|p| DVec3::from_array(*p)).collect();
        let count = triangles.len() as u32;
        Mesh::surface(positions, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
    }

    const FLAT: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];

    fn crosses(other: [[f64; 3]; 3]) -> bool {
        let found = intersecting(&soup(&[FLAT, other]));
        assert!(found.is_empty() || found == [0, 1]);
        !found.is_empty()
    }

    #[test]
    fn through_is_an_intersection_and_touching_is_none() {
        let upright = |z: f64| [[0.5, 0.5, z], [0.5, 0.5, z + 1.0], [0.7, 0.5, z + 1.0]];
        assert!(crosses(upright(-0.5)));
        assert!(crosses(upright(-1e-15)));
        assert!(!crosses(upright(0.0)), "it stands on the other");
        assert!(!crosses(upright(1e-300)));
        assert!(!crosses([[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [4.0, 3.0, 1.0]]));
    }

    #[test]
    fn neighbours_intersect_only_when_they_fold_onto_each_other() {
        // A common edge: beside, folded onto, and standing.
        assert!(!crosses([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [2.0, 2.0, 0.0]]));
        assert!(crosses([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.1, 0.1, 0.0]]));
        assert!(!crosses([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.1, 0.1, 0.5]]));
        // A common corner: apart, and back through the face.
        assert!(!crosses([[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, 1.0]]));
        assert!(crosses([[0.0, 0.0, 0.0], [0.5, 0.5, -1.0], [0.5, 0.6, 1.0]]));
        // The same triangle again is a duplicate.
        assert!(!crosses(FLAT));
    }

    #[test]
    fn parts_of_one_plane_intersect_where_they_overlap() {
        assert!(crosses([[0.1, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.2, 0.0]]));
        assert!(!crosses([[2.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 2.0, 0.0]]));
        assert!(!crosses([[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0]]));
    }

    #[test]
    fn boxes_through_each_other_are_found_and_one_box_has_none() {
        let solid = shapes::solid_box(DVec3::splat(2.0), [6, 6, 6]).unwrap();
        let alone = Mesh::surface(solid.positions.clone(), solid.triangles.clone());
        assert_eq!(intersecting(&alone), []);
        let mut both = alone.clone();
        let count = alone.positions.len() as u32;
        let shift = DVec3::new(0.913, 0.771, 0.657);
        both.positions.extend(alone.positions.iter().map(|x| *x + shift));
        both.triangles.extend(alone.triangles.iter().map(|t| t.map(|v| v + count)));
        let found = intersecting(&both);
        let slow: Vec<u32> = (0..both.triangles.len())
            .filter(|&p| {
                (0..both.triangles.len()).filter(|&q| q != p).any(|q| {
                    let named =
                        |t: usize| (both.triangles[t], corners_of_triangle(&both, t).unwrap());
                    intersect(named(p), named(q))
                })
            })
            .map(|t| t as u32)
            .collect();
        assert_eq!(found, slow);
        assert!(found.len() > 20);
    }
}
