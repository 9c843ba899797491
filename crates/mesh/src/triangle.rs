//! Geometry of one triangle: closest points, rays, solid angles.

use glam::DVec3;

use crate::bvh::Ray;

/// What of a triangle is closest to a point; corners and sides have local numbers, side k being
/// opposite to corner k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The inside.
    Face,
    /// A side.
    Edge(u8),
    /// A corner.
    Vertex(u8),
}

/// Weights of the corners at the point of triangle abc closest to p, and what it lies on.
///
/// By regions of the plane (Ericson 2005, "Real-time collision detection", 5.1.5); triangles
/// without area are treated as their longest side.
#[inline]
pub fn closest(p: DVec3, [a, b, c]: [DVec3; 3]) -> ([f64; 3], Feature) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ([1.0, 0.0, 0.0], Feature::Vertex(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return ([0.0, 1.0, 0.0], Feature::Vertex(1));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return ([0.0, 0.0, 1.0], Feature::Vertex(2));
    }
    let vc = d1 * d4 - d3 * d2;
    let vb = d5 * d2 - d1 * d6;
    let va = d3 * d6 - d5 * d4;
    // Twice the area, squared: where it is lost to rounding the regions are, too.
    let area = va + vb + vc;
    if area <= 1e-14 * ab.length_squared() * ac.length_squared() {
        return closest_side(p, [a, b, c]);
    }
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return ([1.0 - t, t, 0.0], Feature::Edge(2));
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return ([1.0 - t, 0.0, t], Feature::Edge(1));
    }
    let (e, f) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e >= 0.0 && f >= 0.0 {
        let t = e / (e + f);
        return ([0.0, 1.0 - t, t], Feature::Edge(0));
    }
    let (v, w) = (vb / area, vc / area);
    ([1.0 - v - w, v, w], Feature::Face)
}

fn closest_side(p: DVec3, corners: [DVec3; 3]) -> ([f64; 3], Feature) {
    let mut best = ([1.0, 0.0, 0.0], Feature::Vertex(0));
    let mut least = f64::INFINITY;
    for side in 0..3 {
        let (from, to) = ((side + 1) % 3, (side + 2) % 3);
        let along = corners[to] - corners[from];
        let t = (p - corners[from]).dot(along) / along.length_squared();
        let (t, feature) = match t {
            t if t >= 1.0 => (1.0, Feature::Vertex(to as u8)),
            t if t > 0.0 => (t, Feature::Edge(side as u8)),
            // Also where the side has no length.
            _ => (0.0, Feature::Vertex(from as u8)),
        };
        let distance = (corners[from] + t * along).distance_squared(p);
        if distance < least {
            let mut weights = [0.0; 3];
            weights[from] = 1.0 - t;
            weights[to] = t;
            (best, least) = ((weights, feature), distance);
        }
    }
    best
}

/// The point with these weights.
#[inline]
pub fn at([a, b, c]: [DVec3; 3], [u, v, w]: [f64; 3]) -> DVec3 {
    u * a + v * b + w * c
}

/// Where a ray hits the triangle from either side: parameter and weights (Möller and Trumbore
/// 1997).
pub fn hit(ray: &Ray, [a, b, c]: [DVec3; 3]) -> Option<(f64, [f64; 3])> {
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let determinant = ab.dot(p);
    let inverse = 1.0 / determinant;
    if !inverse.is_finite() {
        return None;
    }
    let from = ray.origin - a;
    let v = from.dot(p) * inverse;
    let q = from.cross(ab);
    let w = ray.direction.dot(q) * inverse;
    let t = ac.dot(q) * inverse;
    (v >= 0.0 && w >= 0.0 && v + w <= 1.0 && t >= 0.0).then_some((t, [1.0 - v - w, v, w]))
}

/// The part of a unit sphere around p that the triangle covers, as a part of the whole: positive
/// where p sees its back (is inside). Van Oosterom and Strackee 1983.
#[inline]
pub fn winding(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let (a, b, c) = (a - p, b - p, c - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let part = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if volume == 0.0 {
        // In the plane of the triangle the angle is 0 or a half of the sphere from either side:
        // the mean of the two sides is 0.
        return 0.0;
    }
    volume.atan2(part) * std::f64::consts::FRAC_1_PI * 0.5
}
