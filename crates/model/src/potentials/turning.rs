//! How contact of a vertex with a triangle changes as the triangle turns and the vertex slides on
//! it: what Gauss and Newton leave out of the second derivative of ½ k d².
//!
//! With r = x − c from the nearest point c of the triangle, or of its edge, to the vertex, E the
//! edges that span it and w the motion of x relative to that of c at fixed weights, the nearest
//! point is where E·r = 0. Eliminating how it slides from the second variation of ½ k |r|² leaves
//!
//! ```text
//! k (|w|² − qᵀ (EᵀE)⁻¹ q),     q = Eᵀw + E′ᵀr.
//! ```
//!
//! Without E′, the motion of the edges, that is the term g e″ gᵀ that
//! [`super::ContactPotential::couplings`] gives; the rest is here. It is small where the contact is
//! shallow, but k is large: k d is the contact's force, and where lips press on each other, force
//! over edge is as stiff as flesh. Without it Newton's method gained a quarter per iteration.

use glam::{DMat2, DVec2, DVec3};

/// A vertex on the inner side of a triangle or an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turning {
    /// The vertex, and the corners of its nearest point with their weights; a corner without one
    /// takes no part.
    pub point: u32,
    pub corners: [u32; 3],
    pub weights: [f64; 3],
    /// From the first corner to the others \[m\]; zero for one that takes no part.
    edges: [DVec3; 2],
    /// (EᵀE)⁻¹ [1/m²].
    inverse: DMat2,
    /// From the nearest point to the vertex \[m\].
    offset: DVec3,
    /// k [N/m].
    stiffness: f64,
}

impl Turning {
    /// Of a vertex with the point of a triangle, or of an edge if a weight is zero, that is nearest
    /// to it; nothing where that is a corner, which turns nothing, or where the triangle has no
    /// area.
    pub fn new(
        point: (u32, DVec3),
        corners: [(u32, DVec3); 3],
        weights: [f64; 3],
        stiffness: f64,
    ) -> Option<Self> {
        let mut order = [0, 1, 2];
        // Those with a weight first.
        order.sort_by_key(|&k| weights[k] == 0.0);
        let (corners, weights) = (order.map(|k| corners[k]), order.map(|k| weights[k]));
        let from = corners[0].1;
        let edges =
            [1, 2].map(|k| if weights[k] == 0.0 { DVec3::ZERO } else { corners[k].1 - from });
        let [e, f] = edges;
        let (ee, ef, ff) = (e.dot(e), e.dot(f), f.dot(f));
        let inverse = if weights[2] == 0.0 {
            DMat2::from_diagonal(DVec2::new(1.0 / ee, 0.0))
        } else {
            DMat2::from_cols_array(&[ee, ef, ef, ff]).inverse()
        };
        let nearest: DVec3 = corners.iter().zip(weights).map(|((_, x), w)| *x * w).sum();
        let (point, at) = point;
        let corners = corners.map(|(v, _)| v);
        let offset = at - nearest;
        let turning = Turning { point, corners, weights, edges, inverse, offset, stiffness };
        (weights[1] != 0.0 && inverse.is_finite() && offset.is_finite()).then_some(turning)
    }

    /// Its part of the Hessian times a motion of vertices: calls `add(vertex, product)` for those
    /// it joins.
    pub fn product(&self, motion: impl Fn(u32) -> DVec3, mut add: impl FnMut(u32, DVec3)) {
        let Turning { point, corners, weights, edges: [e, f], inverse, offset, stiffness } = *self;
        let moves = corners.map(&motion);
        let carried: DVec3 = moves.iter().zip(weights).map(|(u, w)| *u * w).sum();
        let apart = motion(point) - carried;
        let turned = |k: usize| {
            if weights[k] == 0.0 { 0.0 } else { (moves[k] - moves[0]).dot(offset) }
        };
        let turned = DVec2::new(turned(1), turned(2));
        let slid = DVec2::new(e.dot(apart), f.dot(apart));
        // Derivatives by w, less those that are told without it, and by E′.
        let (by_turn, by_all) = (inverse * turned, inverse * (turned + slid));
        let push = -(e * by_turn.x + f * by_turn.y) * stiffness;
        let twist = -offset * stiffness;
        add(point, push);
        let own = [-(by_all.x + by_all.y), by_all.x, by_all.y];
        for ((&corner, weight), twisted) in corners.iter().zip(weights).zip(own) {
            if weight != 0.0 {
                add(corner, twist * twisted - push * weight);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const STIFFNESS: f64 = 7.0;

    /// ½ k d² from the plane through three points, or from the line through the first two.
    fn energy([x, a, b, c]: [DVec3; 4], is_edge: bool) -> f64 {
        let (e, f, r) = (b - a, c - a, x - a);
        let distance = if is_edge {
            (r - e * (r.dot(e) / e.dot(e))).length()
        } else {
            e.cross(f).normalize().dot(r)
        };
        0.5 * STIFFNESS * distance * distance
    }

    #[test]
    fn second_differences_of_the_energy_are_met_by_both_terms_together() {
        let mut random = Random(3);
        let mut any = || DVec3::new(random.signed(), random.signed(), random.signed());
        let corners = [DVec3::new(0.1, 0.0, 0.2), DVec3::new(1.0, 0.3, 0.0), DVec3::Y];
        for (weights, is_edge) in [([0.3, 0.5, 0.2], false), ([0.4, 0.6, 0.0], true)] {
            let on: DVec3 = (0..3).map(|k| corners[k] * weights[k]).sum();
            let [e, f] = [1, 2].map(|k| corners[k] - corners[0]);
            let across = if is_edge { e.cross(DVec3::new(0.2, 0.9, 0.1)) } else { e.cross(f) };
            let x = on + across.normalize() * 0.2;
            let points = [x, corners[0], corners[1], corners[2]];
            let named = [0, 1, 2].map(|k| (k as u32 + 1, corners[k]));
            let turning = Turning::new((0, x), named, weights, STIFFNESS).unwrap();
            for _ in 0..20 {
                let motion = [any(), any(), any(), any()];
                let apart: DVec3 =
                    motion[0] - (0..3).map(|k| motion[k + 1] * weights[k]).sum::<DVec3>();
                let along = if is_edge { e.normalize() } else { DVec3::ZERO };
                let normal = if is_edge { DVec3::ZERO } else { e.cross(f).normalize() };
                let joined = if is_edge {
                    apart.length_squared() - along.dot(apart).powi(2)
                } else {
                    normal.dot(apart).powi(2)
                };
                let mut second = STIFFNESS * joined;
                turning.product(|v| motion[v as usize], |v, p| second += p.dot(motion[v as usize]));
                let at =
                    |h: f64| energy(std::array::from_fn(|k| points[k] + motion[k] * h), is_edge);
                let h = 1e-4;
                let difference = (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h);
                assert!((second - difference).abs() < 1e-5 * STIFFNESS, "{second}, {difference}");
            }
        }
    }

    #[test]
    fn corners_and_flat_triangles_turn_nothing() {
        let at = |v: u32| (v, DVec3::splat(f64::from(v)));
        assert_eq!(Turning::new(at(0), [at(1), at(2), at(3)], [0.0, 1.0, 0.0], 1.0), None);
        assert_eq!(Turning::new(at(0), [at(1), at(2), at(3)], [0.2, 0.3, 0.5], 1.0), None);
    }
}
