//! Cuts polygons into triangles: a fan where they are convex, ears where they are not.

use glam::{DVec2, DVec3};

/// Ear clipping takes quadratic time; a polygon of more corners is cut into a fan.
const MOST_EARS: usize = 2000;

/// Appends the triangles of a polygon, wound as it is. False when no proper cut was found, or
/// looked for, and a fan was made regardless.
pub fn triangulate(positions: &[DVec3], corners: &[u32], triangles: &mut Vec<[u32; 3]>) -> bool {
    let fan = |triangles: &mut Vec<[u32; 3]>| {
        triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
    };
    if corners.len() <= 3 {
        fan(triangles);
        return true;
    }
    let flat = flatten(positions, corners);
    if is_convex(&flat) {
        fan(triangles);
        return true;
    }
    let cut = if corners.len() <= MOST_EARS { clip_ears(&flat) } else { None };
    match &cut {
        Some(cut) => triangles.extend(cut.iter().map(|t| t.map(|c| corners[c]))),
        None => fan(triangles),
    }
    cut.is_some()
}

/// The polygon in its own plane (normal by Newell's sum), counter-clockwise.
fn flatten(positions: &[DVec3], corners: &[u32]) -> Vec<DVec2> {
    let points: Vec<DVec3> = corners.iter().map(|&c| positions[c as usize]).collect();
    let origin = points[0];
    let following = points.iter().cycle().skip(1);
    let normal: DVec3 =
        points.iter().zip(following).map(|(&a, &b)| (a - origin).cross(b - origin)).sum();
    let normal = normal.normalize_or(DVec3::Z);
    let u = normal.any_orthonormal_vector();
    let v = normal.cross(u);
    points.iter().map(|&p| DVec2::new((p - origin).dot(u), (p - origin).dot(v))).collect()
}

/// Twice the signed area of a triangle.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// No corner turns right, and the corners go round only once.
fn is_convex(flat: &[DVec2]) -> bool {
    let count = flat.len();
    let corner = |i: usize| flat[i % count];
    let no_right_turn = (0..count).all(|i| turn(corner(i), corner(i + 1), corner(i + 2)) >= 0.0);
    // A star turns left everywhere, too; a fan of it would turn back on itself.
    no_right_turn && (1..count - 1).all(|i| turn(flat[0], flat[i], flat[i + 1]) >= 0.0)
}

/// Triangles by indices into the polygon; `None` when there is no ear left to cut.
fn clip_ears(flat: &[DVec2]) -> Option<Vec<[usize; 3]>> {
    let mut left: Vec<usize> = (0..flat.len()).collect();
    let mut triangles = Vec::with_capacity(flat.len() - 2);
    let mut at = 0;
    let mut tried = 0;
    while left.len() > 3 {
        let count = left.len();
        let [before, here, after] = [at + count - 1, at, at + 1].map(|i| left[i % count]);
        if is_ear(flat, &left, [before, here, after]) {
            triangles.push([before, here, after]);
            left.remove(at % count);
            at %= left.len();
            tried = 0;
        } else {
            at = (at + 1) % count;
            tried += 1;
            if tried > count {
                return None;
            }
        }
    }
    triangles.push([left[0], left[1], left[2]]);
    // The last triangle was not chosen: if it is turned over, the polygon crosses itself.
    let area = |t: &[usize; 3]| turn(flat[t[0]], flat[t[1]], flat[t[2]]);
    let total: f64 = triangles.iter().map(|t| area(t).abs()).sum();
    triangles.last().is_some_and(|t| area(t) >= -1e-12 * total).then_some(triangles)
}

fn is_ear(flat: &[DVec2], left: &[usize], ear: [usize; 3]) -> bool {
    let [a, b, c] = ear.map(|i| flat[i]);
    if turn(a, b, c) <= 0.0 {
        return false;
    }
    let inside = |p: DVec2| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
    // A corner on top of one of the ear's own (a bridge to a hole) does not block it.
    !left
        .iter()
        .filter(|i| !ear.contains(i))
        .map(|&i| flat[i])
        .any(|p| p != a && p != b && p != c && inside(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(polygon: &[[f64; 2]]) -> (Vec<[u32; 3]>, bool, Vec<DVec3>) {
        // Out of the coordinate planes, so that the plane has to be found.
        let positions: Vec<DVec3> = polygon
            .iter()
            .map(|p| {
                DVec3::new(1.0, 2.0, 2.0).normalize() * 4.0
                    + p[0] * DVec3::new(2.0, -1.0, 0.0)
                    + p[1] * DVec3::new(2.0, 4.0, -5.0)
            })
            .collect();
        let corners: Vec<u32> = (0..polygon.len() as u32).collect();
        let mut triangles = Vec::new();
        let proper = triangulate(&positions, &corners, &mut triangles);
        (triangles, proper, positions)
    }

    /// Signed areas of the triangles along the normal of the plane above.
    fn areas(triangles: &[[u32; 3]], positions: &[DVec3]) -> Vec<f64> {
        let normal = DVec3::new(2.0, -1.0, 0.0).cross(DVec3::new(2.0, 4.0, -5.0));
        triangles
            .iter()
            .map(|t| t.map(|v| positions[v as usize]))
            .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).dot(normal) / normal.length_squared())
            .collect()
    }

    #[test]
    fn a_dart_is_cut_through_its_notch() {
        let (triangles, proper, positions) = cut(&[[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]]);
        assert!(proper);
        assert!(areas(&triangles, &positions).iter().all(|&a| a > 0.0), "{triangles:?}");
    }

    #[test]
    fn a_bow_tie_becomes_a_fan_and_says_so() {
        let (triangles, proper, _) = cut(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
        assert_eq!((triangles.len(), proper), (2, false));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::property_cases()))]
        /// Star-shaped polygons, mostly concave: the triangles are positive and tile them.
        #[test]
        fn triangles_tile_the_polygon(radii in proptest::collection::vec(0.2..3.0f64, 4..40)) {
            let count = radii.len();
            let point = |i: usize| {
                let angle = std::f64::consts::TAU * (i % count) as f64 / count as f64;
                [radii[i % count] * angle.cos(), radii[i % count] * angle.sin()]
            };
            let polygon: Vec<[f64; 2]> = (0..count).map(point).collect();
            let expected: f64 = (0..count)
                .map(|i| 0.5 * DVec2::from(point(i)).perp_dot(DVec2::from(point(i + 1))))
                .sum();
            let (triangles, proper, positions) = cut(&polygon);
            prop_assert!(proper);
            prop_assert_eq!(triangles.len(), count - 2);
            let areas = areas(&triangles, &positions);
            prop_assert!(areas.iter().all(|&a| a > -1e-12));
            prop_assert!((areas.iter().sum::<f64>() - expected).abs() < 1e-9);
        }
    }
}
