//! How deep a vertex is in a body: the nearest point of the deformed surface.

use glam::DVec3;
use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};
use pliant_mesh::{Bounds, Bvh, edge_matrix};

use super::solids::{Solid, Solids};
use super::{TRIANGLES, Touch};

/// Tets flatter than this share of their rest volume hold nothing: where in them cannot be said.
const FLATTEST: f64 = 1e-6;

/// A vertex in a tet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    pub vertex: u32,
    pub body: u32,
    corners: [u32; 4],
    weights: [f64; 4],
    /// How far the material point is from the vertex's own neighbourhood at rest \[m\], and the
    /// slope of that; infinite in another body.
    pub beyond: f64,
    slope: DVec3,
}

/// The surface of a body, where it is.
pub(super) struct Surface {
    tree: Bvh,
    boxes: Vec<Bounds>,
    /// Whether anything is inside of the body.
    pub is_asked: bool,
}

/// The point of a triangle that is nearest to another.
#[derive(Clone, Copy)]
pub(super) struct OnTriangle {
    pub weights: [f64; 3],
    pub is_face: bool,
}

impl Inside {
    /// If the vertex is in the tet, and the tet's point not in its own neighbourhood.
    pub fn of(solids: &Solids, positions: &[Row], [vertex, b, t]: [u32; 3]) -> Option<Self> {
        let corners = solids.bodies[b as usize].tets[t as usize];
        let at = |v: u32| positions[v as usize].xyz();
        let (x, moved) = (at(vertex), corners.map(at));
        // Most of what is near is outside, and that is soon known.
        let Bounds { min, max } = around(moved, 0.0);
        let is_in_box = x.cmpge(min).all() && x.cmple(max).all();
        if !is_in_box {
            return None;
        }
        let rest = corners.map(|v| solids.rest[v as usize]);
        let (deformed, shape) = (edge_matrix(moved), edge_matrix(rest));
        let volume = deformed.determinant();
        if volume.abs() <= FLATTEST * shape.determinant().abs() || !volume.is_finite() {
            return None;
        }
        let inverse = deformed.inverse();
        let w = inverse * (x - moved[0]);
        let weights = [1.0 - w.x - w.y - w.z, w.x, w.y, w.z];
        // False for what is no number.
        if !weights.iter().all(|w| *w >= 0.0) {
            return None;
        }
        let (mut beyond, mut slope) = (f64::INFINITY, DVec3::ZERO);
        if solids.owner[vertex as usize] == b && solids.sides.is_empty() {
            let away = rest[0] + shape * w - solids.rest[vertex as usize];
            beyond = away.length() - solids.reach[vertex as usize];
            // F⁻ᵀ of what it rises along at rest.
            slope = (shape * inverse).transpose() * away.normalize_or_zero();
        }
        (beyond > 0.0).then_some(Inside { vertex, body: b, corners, weights, beyond, slope })
    }

    /// How deep, and which way out.
    pub fn touch(&self, solids: &Solids, positions: &[Row], surfaces: &[Surface]) -> Option<Touch> {
        let Inside { vertex, body, corners, weights, beyond, slope } = *self;
        let at = |v: u32| positions[v as usize].xyz();
        let (solid, x) = (&solids.bodies[body as usize], at(vertex));
        let owner = solids.owner[vertex as usize];
        let own = &solids.bodies[owner as usize];
        let mut best: Option<(u32, DVec3, OnTriangle)> = None;
        surfaces[body as usize].tree.nearest(x, f64::INFINITY, |t, limit| {
            let triangle = solid.triangles[t as usize];
            let own = || owner == body && is_in_neighbourhood(solids, vertex, triangle);
            if solids.passes(vertex, &triangle, own) {
                return limit;
            }
            let corners = triangle.map(at);
            let on = nearest_on(x, corners);
            let point = (0..3).map(|k| corners[k] * on.weights[k]).sum::<DVec3>();
            let distance = point.distance_squared(x);
            if distance < limit {
                best = Some((t, point, on));
            }
            limit.min(distance)
        });
        let touch = Touch::of_vertex(solids, vertex, body);
        let surface = best.filter(|(_, point, _)| point.distance(x) <= beyond);
        let Some((triangle, point, on)) = surface else {
            let touch = Touch { corners, weights, depth: beyond, normal: slope, ..touch };
            return beyond.is_finite().then_some(touch);
        };
        let [a, b, c] = solid.triangles[triangle as usize];
        // In flesh, but nearer to a surface that does not yield: nothing free would feel it.
        if solids.is_hard(&[vertex, a, b, c]) {
            return None;
        }
        let [p, q, r] = on.weights;
        // A sheet's thickness is outside, too.
        let thickness = if own.is_sheet { solids.radius } else { 0.0 };
        Some(Touch {
            corners: [a, b, c, c],
            weights: [p, q, r, 0.0],
            depth: point.distance(x) + thickness,
            thickness,
            normal: (x - point).try_normalize()?,
            is_flat: on.is_face,
            ..touch
        })
    }
}

impl Touch {
    /// Of a vertex with a body; where and how deep is to be said.
    pub(super) fn of_vertex(solids: &Solids, vertex: u32, body: u32) -> Touch {
        let owner = solids.owner[vertex as usize];
        let [own, other] = [owner, body].map(|b| solids.bodies[b as usize].stiffness);
        Touch {
            points: [vertex; 2],
            shares: [1.0, 0.0],
            owner,
            body,
            corners: [vertex; 4],
            weights: [0.0; 4],
            depth: 0.0,
            thickness: 0.0,
            normal: DVec3::ZERO,
            is_flat: true,
            stiffness: (own * other).sqrt(),
            share: 1.0,
            sides: [vertex; 2],
            slopes: [DVec3::ZERO; 8],
        }
    }
}

/// Whether a corner of a triangle is in a vertex's own neighbourhood.
pub(super) fn is_in_neighbourhood(solids: &Solids, vertex: u32, triangle: [u32; 3]) -> bool {
    let (x, reach) = (solids.rest[vertex as usize], solids.reach[vertex as usize]);
    triangle.iter().any(|&v| solids.rest[v as usize].distance(x) <= reach)
}

impl Surface {
    /// At rest.
    pub fn of(solid: &Solid) -> Self {
        let none = Bounds { min: DVec3::NAN, max: DVec3::NAN };
        let boxes = vec![none; solid.triangles.len()];
        Surface { tree: solid.surface.clone(), boxes, is_asked: false }
    }

    /// Where it is now.
    pub fn fit(&mut self, solid: &Solid, positions: &[Row], team: &Team) {
        let (boxes, triangles) = (SharedSlice::new(&mut self.boxes), &solid.triangles);
        team.each(triangles.len().div_ceil(TRIANGLES), &|item, _| {
            let (start, end) = (item * TRIANGLES, ((item + 1) * TRIANGLES).min(triangles.len()));
            // SAFETY: each item has its own boxes.
            let own = unsafe { boxes.range(start, end) };
            for (bounds, triangle) in own.iter_mut().zip(&triangles[start..end]) {
                *bounds = around(triangle.map(|v| positions[v as usize].xyz()), 0.0);
            }
        });
        self.tree.refit(&self.boxes);
    }
}

/// The box around points, wider by a margin \[m\] on every side.
pub(super) fn around<const N: usize>(points: [DVec3; N], margin: f64) -> Bounds {
    let m = DVec3::splat(margin);
    // A sum, because minima pass over what is no number.
    if !points.iter().sum::<DVec3>().is_finite() {
        return Bounds { min: DVec3::NAN, max: DVec3::NAN };
    }
    let min = points.iter().fold(points[0], |a, x| a.min(*x));
    let max = points.iter().fold(points[0], |a, x| a.max(*x));
    Bounds { min: min - m, max: max + m }
}

/// By the regions of a triangle's corners, edges and face (Ericson 2005, section 5.1.5).
pub(super) fn nearest_on(x: DVec3, [a, b, c]: [DVec3; 3]) -> OnTriangle {
    let edge = |weights| OnTriangle { weights, is_face: false };
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(x - a), ac.dot(x - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return edge([1.0, 0.0, 0.0]);
    }
    let (d3, d4) = (ab.dot(x - b), ac.dot(x - b));
    if d3 >= 0.0 && d4 <= d3 {
        return edge([0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return edge([1.0 - t, t, 0.0]);
    }
    let (d5, d6) = (ab.dot(x - c), ac.dot(x - c));
    if d6 >= 0.0 && d5 <= d6 {
        return edge([0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return edge([1.0 - t, 0.0, t]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return edge([0.0, 1.0 - t, t]);
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    OnTriangle { weights: [1.0 - v - w, v, w], is_face: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_point_of_a_triangle_is_nearer() {
        let triangle = [DVec3::new(0.1, 0.0, 0.2), DVec3::new(1.0, 0.3, 0.0), DVec3::Y];
        for k in (0..2000).map(f64::from) {
            let x = DVec3::new((1.3 * k).sin(), (0.7 * k).cos(), (2.1 * k + 1.0).sin()) * 1.5;
            let at = |w: [f64; 3]| (0..3).map(|k| triangle[k] * w[k]).sum::<DVec3>();
            let found = nearest_on(x, triangle);
            let distance = at(found.weights).distance(x);
            assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(found.weights.iter().all(|w| *w >= 0.0));
            for (i, j) in (0..=20).flat_map(|i| (0..=20 - i).map(move |j| (i, j))) {
                let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                assert!(at([1.0 - u - v, u, v]).distance(x) >= distance - 1e-12);
            }
        }
    }
}
