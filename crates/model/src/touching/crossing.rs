//! Edges that have cut into each other while no vertex is inside of anything.
//!
//! Two sharp edges, with the points p = (1 − s)a + s b of one and q = (1 − t)c + t d of the other
//! where their lines are nearest to each other, are apart along their common normal n. They are too
//! deep by δ = −(p − q)·n when n points out of the other's body and into the one's. As p − q is
//! normal to both,
//!
//! ```text
//! ∂δ/∂a = −(1 − s) n,   ∂δ/∂b = −s n,   ∂δ/∂c = (1 − t) n,   ∂δ/∂d = t n.
//! ```
//!
//! The stiffness k of the energy ½ k δ² fades where vertices take over (at the ends of the edges,
//! and deep inside), where edges are parallel, and where n is about to point into the wrong side:
//! it has no jumps, and its slopes are part of the forces.

use pliant_math::Row;

use super::Touch;
use super::dual::{Dual, DualVec};
use super::sharp::Sharp;
use super::solids::Solids;

/// Part of an edge, from each end, in which a crossing fades.
const ENDS: f64 = 0.1;
/// sin² of the angle between edges from which on a crossing counts in full.
const CROSSED: f64 = 0.05;
/// n is a sum of the normals of an edge's sides: their shares from which on a crossing counts at
/// all, and in full. Beyond, a side and not the edge is what is nearest, and vertices see to that.
const BETWEEN: [f64; 2] = [0.1, 0.35];
/// Crossings are no deeper than this multiple of the bodies' margin, which is half an edge:
/// vertices are inside by then. They fade from half of it on.
pub(super) const DEEPEST: f64 = 1.0;

impl Touch {
    /// Of two edges that are too deep in each other.
    pub(super) fn of_edges(
        solids: &Solids,
        positions: &[Row],
        [one, other]: [&Sharp; 2],
    ) -> Option<Touch> {
        let at = |v: u32| positions[v as usize].xyz();
        let ([a, b], [c, d]) = (one.ends.map(at), other.ends.map(at));
        let (u, v, r) = (b - a, d - c, a - c);
        let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
        let det = u.cross(v).length_squared();
        // Most pairs end here; what is no number does, too.
        let is_crossed = det > 1e-6 * uu * vv && uu * vv > 0.0;
        let s = (uv * v.dot(r) - vv * u.dot(r)) / det;
        let t = (uu * v.dot(r) - uv * u.dot(r)) / det;
        let within = |x: f64| 0.0 < x && x < 1.0;
        if !(is_crossed && within(s) && within(t)) {
            return None;
        }
        let normal = u.cross(v) / det.sqrt();
        let n = if normal.dot(other.outward(at)) < 0.0 { -normal } else { normal };
        let depth = -(r + s * u - t * v).dot(n);
        if !(0.0 < depth && depth < DEEPEST * solids.margin && n.dot(one.outward(at)) < 0.0) {
            return None;
        }
        let [k1, k2] = [one, other].map(|edge| solids.bodies[edge.body as usize].stiffness);
        let share = share(positions, [one, other], DEEPEST * solids.margin);
        let whole = (k1 * k2).sqrt();
        if share.value <= 0.0 {
            return None;
        }
        let touch = Touch {
            points: one.ends,
            shares: [1.0 - s, s],
            owner: one.body,
            body: other.body,
            corners: [other.ends[0], other.ends[1], other.sides[0], other.sides[1]],
            weights: [1.0 - t, t, 0.0, 0.0],
            depth,
            thickness: 0.0,
            normal: -n,
            is_flat: false,
            stiffness: whole * share.value,
            share: share.value,
            sides: one.sides,
            slopes: share.slopes.map(|slope| slope * whole),
        };
        touch.slopes.iter().all(|slope| slope.is_finite()).then_some(touch)
    }
}

/// How much of a crossing counts, as a function of the ends and sides of the one edge and of the
/// ends and sides of the other.
fn share(positions: &[Row], [one, other]: [&Sharp; 2], deepest: f64) -> Dual {
    let point = |k: usize, v: u32| DualVec::point(k, positions[v as usize].xyz());
    let of = |first: usize, edge: &Sharp| {
        let ([a, b], [c, d]) = (edge.ends, edge.sides);
        [point(first, a), point(first + 1, b), point(first + 2, c), point(first + 3, d)]
    };
    let ([a, b, left, right], [c, d, below, beside]) = (of(0, one), of(4, other));
    let (u, v, r) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let det = uu * vv - uv * uv;
    let (ur, vr) = (u.dot(r), v.dot(r));
    let s = (uv * vr - vv * ur) * det.recip();
    let t = (uu * vr - uv * ur) * det.recip();
    let sides =
        |[a, b, c, d]: [DualVec; 4]| [(b - a).cross(c - a).unit(), (a - b).cross(d - b).unit()];
    let [own, others] = [[a, b, left, right], [c, d, below, beside]].map(sides);
    let mut n = u.cross(v).unit();
    if n.dot(others[0] + others[1]).value < 0.0 {
        n = n.times_number(-1.0);
    }
    let depth = -(r + u.times(s) - v.times(t)).dot(n);
    let part = |x: Dual, of: f64| {
        let (value, slope) = rise(x.value / of);
        x.map((value, slope / of))
    };
    let end = |x: Dual| {
        let from_end = x.map(if x.value < 0.5 { (x.value, 1.0) } else { (1.0 - x.value, -1.0) });
        part(from_end, ENDS)
    };
    let left_of = depth.map((deepest - depth.value, -1.0));
    let crossed = part(det * (uu * vv).recip(), CROSSED);
    let between = |n: DualVec, [p, q]: [DualVec; 2], along: DualVec| {
        let whole = p.cross(q).dot(along).recip();
        let [none, full] = BETWEEN;
        let counts = |x: Dual| part(x.map((x.value - none, 1.0)), full - none);
        counts(n.cross(q).dot(along) * whole) * counts(p.cross(n).dot(along) * whole)
    };
    let outward = between(n, others, v) * between(n.times_number(-1.0), own, u);
    end(s) * end(t) * crossed * outward * part(left_of, 0.5 * deepest)
}

/// From 0 at 0 to 1 at 1, smoothly, with its slope.
fn rise(x: f64) -> (f64, f64) {
    match x {
        x if x >= 1.0 => (1.0, 0.0),
        x if x > 0.0 => (x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x)),
        _ => (0.0, 0.0),
    }
}

/// Whether two edges may cross at all: not all ends are hard, and of one body, they are not in each
/// other's neighbourhood.
pub(super) fn may_cross(solids: &Solids, one: &Sharp, other: &Sharp) -> bool {
    if solids.is_hard(&one.ends) && solids.is_hard(&other.ends) {
        return false;
    }
    let is_far = |&p: &u32| {
        let (x, reach) = (solids.rest[p as usize], solids.reach[p as usize]);
        other.ends.iter().all(|&q| solids.rest[q as usize].distance(x) > reach)
    };
    one.body != other.body || one.ends.iter().all(is_far)
}
