use super::*;
use crate::shapes;
use proptest::prelude::*;

fn point(size: f64) -> impl Strategy<Value = DVec3> {
    proptest::array::uniform3(-size..size).prop_map(DVec3::from_array)
}

/// Triangles of all sizes, some with repeated or aligned corners.
fn soup() -> impl Strategy<Value = Mesh> {
    proptest::collection::vec((point(1.0), point(0.3), point(0.3), 0u8..8), 1..80).prop_map(|all| {
        let mut positions = Vec::new();
        for (a, b, c, kind) in all {
            let c = match kind {
                0 => b,
                1 => 0.5 * b,
                _ => c,
            };
            positions.extend([a, a + b, a + c]);
        }
        let triangles = (0..positions.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        let triangles = triangles.collect();
        Mesh::surface(positions, triangles)
    })
}

/// The least distance to a triangle over a fine grid of weights: an upper bound.
fn sampled(p: DVec3, corners: [DVec3; 3]) -> f64 {
    let n = 40;
    let mut least = f64::INFINITY;
    for i in 0..=n {
        for j in 0..=n - i {
            let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            least = least.min(triangle::at(corners, [u, v, 1.0 - u - v]).distance(p));
        }
    }
    least
}

proptest! {
    #[test]
    fn the_closest_point_is_not_beaten_by_samples(mesh in soup(), p in point(1.5)) {
        let corners = corners_of(&mesh);
        let tree = SurfaceTree::new(&mesh);
        let found = tree.closest(p).unwrap();
        let [a, b, c] = corners[found.triangle as usize];
        prop_assert!((triangle::at([a, b, c], found.weights) - found.point).length() < 1e-12);
        prop_assert!((found.point.distance(p) - found.distance).abs() < 1e-12);
        prop_assert!(found.weights.iter().all(|w| (-1e-12..=1.0 + 1e-12).contains(w)));
        let zeros = found.weights.iter().filter(|w| **w == 0.0).count();
        match found.feature {
            Feature::Face => prop_assert!(zeros <= 2),
            Feature::Edge(side) => prop_assert_eq!(found.weights[side as usize], 0.0),
            Feature::Vertex(corner) => prop_assert_eq!(found.weights[corner as usize], 1.0),
        }
        for &corners in &corners {
            let (weights, _) = triangle::closest(p, corners);
            let own = triangle::at(corners, weights).distance(p);
            let size = corners[0].distance(corners[1]).max(corners[0].distance(corners[2]));
            // Nearest of all, and of its own triangle.
            prop_assert!(found.distance <= own * (1.0 + 1e-12) + 1e-15);
            prop_assert!(own <= sampled(p, corners) + 1e-9 * size);
        }
        let short = tree.closest_within(p, 0.5 * found.distance);
        prop_assert!(found.distance == 0.0 || short.is_none());
    }

    #[test]
    fn rays_hit_the_first_triangle(mesh in soup(), origin in point(1.5), target in point(1.0)) {
        let ray = Ray { origin, direction: target - origin };
        let first = corners_of(&mesh).into_iter()
            .filter_map(|c| triangle::hit(&ray, c)).map(|h| h.0).fold(f64::INFINITY, f64::min);
        let tree = SurfaceTree::new(&mesh);
        let found = tree.cast(&ray, f64::INFINITY, &mesh).map_or(f64::INFINITY, |h| h.parameter);
        prop_assert_eq!(found, first);
    }
}

#[test]
fn a_surface_can_be_followed() {
    let mut solid = shapes::solid_box(DVec3::ONE, [4, 4, 4]).unwrap();
    let mut tree = SurfaceTree::new(&solid);
    solid.positions.iter_mut().for_each(|x| *x = *x * DVec3::new(2.0, 1.0, 1.0) + DVec3::Y);
    tree.refit(&solid);
    let found = tree.closest(DVec3::new(3.0, 1.1, 0.2)).unwrap();
    assert!((found.point - DVec3::new(1.0, 1.1, 0.2)).length() < 1e-12);
}

#[test]
fn what_is_not_finite_or_missing_is_never_found() {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, f64::NAN, 0.0), DVec3::Y];
    let mesh = Mesh::surface(positions, vec![[0, 1, 2], [0, 1, 9], [0, 1, 3]]);
    let found = SurfaceTree::new(&mesh).closest(DVec3::Z).unwrap();
    assert_eq!(found.triangle, 2);
    assert!(SurfaceTree::new(&mesh).closest(DVec3::NAN).is_none());
}
