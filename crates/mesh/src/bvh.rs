//! A hierarchy of boxes over anything that has one: who is near, who is hit, who overlaps.
//!
//! Binary, built top down by binned surface-area cost (Wald 2007, "On fast construction of
//! SAH-based bounding volume hierarchies"), the same tree for the same boxes. Items without a
//! finite box are left out and never found.

mod build;

use glam::DVec3;

use crate::mesh::Bounds;

/// A hierarchy of boxes around numbered items.
///
/// ```
/// use pliant_mesh::{Bounds, Bvh, DVec3};
/// let boxes: Vec<Bounds> = (0..10)
///     .map(|i| DVec3::splat(f64::from(i)))
///     .map(|p| Bounds { min: p, max: p + DVec3::ONE })
///     .collect();
/// let tree = Bvh::new(&boxes);
/// let mut near = Vec::new();
/// let asked = Bounds { min: DVec3::splat(2.5), max: DVec3::splat(2.6) };
/// tree.overlapping(&asked, |item| near.push(item));
/// assert!(near.contains(&2) && near.len() <= 4);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    nodes: Vec<Node>,
    /// Items in the order of the leaves.
    order: Vec<u32>,
}

/// Where a ray begins and goes; parameters along it are multiples of `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The start (m).
    pub origin: DVec3,
    /// Of any length but zero.
    pub direction: DVec3,
}

/// A node: children `first` and `first + 1`, or items `order[first..first + count]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) bounds: Bounds,
    pub(crate) first: u32,
    /// Zero for an inner node.
    pub(crate) count: u32,
}

/// No path from the root is longer: the builder halves by number when it gets this deep.
const DEEPEST: usize = 96;

impl Bvh {
    /// Over boxes; item numbers are places in the slice.
    pub fn new(boxes: &[Bounds]) -> Self {
        build::build(boxes)
    }

    /// Fits the boxes of the tree to moved items, without changing its shape. A box that is not
    /// finite keeps its item out of reach.
    pub fn refit(&mut self, boxes: &[Bounds]) {
        // Children come after their parents.
        for n in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[n];
            let bounds = if count == 0 {
                let [a, b] = [0, 1].map(|k| self.nodes[first as usize + k].bounds);
                union(&a, &b)
            } else {
                let items = &self.order[first as usize..(first + count) as usize];
                let own = items.iter().filter_map(|&i| boxes.get(i as usize));
                own.filter(|b| is_finite(b)).fold(EMPTY, |sum, b| union(&sum, b))
            };
            self.nodes[n].bounds = bounds;
        }
    }

    /// The box around all items; `None` for an empty tree.
    pub fn bounds(&self) -> Option<Bounds> {
        self.nodes.first().map(|root| root.bounds)
    }

    /// Visits items from near to far until none can be closer to `point` than `limit` (a squared
    /// distance, m²). The visitor gets an item and the limit, and returns the limit from there on.
    pub fn nearest(
        &self,
        point: DVec3,
        mut limit: f64,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) -> f64 {
        self.nearest_places(point, limit, |places, now| {
            for &item in &self.order[places] {
                limit = visit(item, limit.min(now));
            }
            limit
        })
    }

    /// [`nearest`](Self::nearest) by ranges of places in the leaf order, for data kept in it.
    pub(crate) fn nearest_places(
        &self,
        point: DVec3,
        mut limit: f64,
        mut visit: impl FnMut(std::ops::Range<usize>, f64) -> f64,
    ) -> f64 {
        if self.nodes.is_empty() {
            return limit;
        }
        let mut stack = [(0u32, 0.0f64); DEEPEST];
        let mut depth = 1;
        stack[0] = (0, squared_distance(&self.nodes[0].bounds, point));
        while depth > 0 {
            depth -= 1;
            let (index, gap) = stack[depth];
            // A NaN of a strange query ends the search, too.
            if gap >= limit || gap.is_nan() {
                continue;
            }
            let node = &self.nodes[index as usize];
            let first = node.first as usize;
            if node.count > 0 {
                limit = visit(first..first + node.count as usize, limit);
                continue;
            }
            let near = squared_distance(&self.nodes[first].bounds, point);
            let far = squared_distance(&self.nodes[first + 1].bounds, point);
            let (a, b) = ((node.first, near), (node.first + 1, far));
            let (a, b) = if near <= far { (a, b) } else { (b, a) };
            stack[depth] = b;
            stack[depth + 1] = a;
            depth += 2;
        }
        limit
    }

    /// Visits every item whose box overlaps `bounds`, borders included, and perhaps some that share
    /// a leaf with one.
    pub fn overlapping(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        self.descend(
            |node| overlap(node, bounds),
            |item| {
                visit(item);
                true
            },
        );
    }

    /// Visits every item whose box holds the point, and perhaps some that share a leaf with one,
    /// until the visitor returns false.
    pub fn containing(&self, point: DVec3, visit: impl FnMut(u32) -> bool) {
        let at = Bounds { min: point, max: point };
        self.descend(|node| overlap(node, &at), visit);
    }

    /// Visits items whose boxes a ray hits at parameters below `limit`, roughly from near to far.
    /// The visitor gets an item and the limit, and returns the limit from there on.
    pub fn along(&self, ray: &Ray, mut limit: f64, mut visit: impl FnMut(u32, f64) -> f64) -> f64 {
        let inverse = ray.direction.recip();
        let entry = |n: u32| entry(&self.nodes[n as usize].bounds, ray, inverse);
        if self.nodes.is_empty() {
            return limit;
        }
        let mut stack = [(0u32, 0.0f64); DEEPEST];
        let mut depth = 1;
        stack[0] = (0, entry(0));
        while depth > 0 {
            depth -= 1;
            let (index, at) = stack[depth];
            if at >= limit || at.is_nan() {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &item in &self.order[node.first as usize..(node.first + node.count) as usize] {
                    limit = visit(item, limit);
                }
                continue;
            }
            let (a, b) = ((node.first, entry(node.first)), (node.first + 1, entry(node.first + 1)));
            let (a, b) = if a.1 <= b.1 { (a, b) } else { (b, a) };
            stack[depth] = b;
            stack[depth + 1] = a;
            depth += 2;
        }
        limit
    }

    /// Visits every unordered pair of items whose leaves' boxes overlap, each once.
    pub fn overlapping_pairs(&self, mut visit: impl FnMut(u32, u32)) {
        if !self.nodes.is_empty() {
            self.pairs(self, &mut vec![(0, 0)], true, &mut visit);
        }
    }

    /// Visits every pair (item here, item there) whose leaves' boxes overlap.
    pub fn overlapping_with(&self, other: &Bvh, mut visit: impl FnMut(u32, u32)) {
        if !self.nodes.is_empty() && !other.nodes.is_empty() {
            self.pairs(other, &mut vec![(0, 0)], false, &mut visit);
        }
    }

    fn pairs(
        &self,
        other: &Bvh,
        stack: &mut Vec<(u32, u32)>,
        same: bool,
        visit: &mut impl FnMut(u32, u32),
    ) {
        while let Some((a, b)) = stack.pop() {
            let (x, y) = (&self.nodes[a as usize], &other.nodes[b as usize]);
            let itself = same && a == b;
            if !itself && !overlap(&x.bounds, &y.bounds) {
                continue;
            }
            match (x.count, y.count) {
                (1.., 1..) => {
                    let of = |tree: &Bvh, n: &Node| {
                        tree.order[n.first as usize..(n.first + n.count) as usize].to_vec()
                    };
                    let (xs, ys) = (of(self, x), of(other, y));
                    for (i, &p) in xs.iter().enumerate() {
                        let from = if itself { i + 1 } else { 0 };
                        ys[from..].iter().for_each(|&q| visit(p, q));
                    }
                }
                _ if itself => {
                    let (l, r) = (x.first, x.first + 1);
                    stack.extend([(l, l), (r, r), (l, r)]);
                }
                // The larger of the two is opened.
                (0, c) if c > 0 || half_area(&x.bounds) >= half_area(&y.bounds) => {
                    stack.extend([(x.first, b), (x.first + 1, b)]);
                }
                _ => stack.extend([(a, y.first), (a, y.first + 1)]),
            }
        }
    }

    fn descend(&self, enters: impl Fn(&Bounds) -> bool, mut visit: impl FnMut(u32) -> bool) {
        let mut stack = [0u32; DEEPEST];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let node = &self.nodes[stack[depth] as usize];
            if !enters(&node.bounds) {
                continue;
            }
            if node.count > 0 {
                for &item in &self.order[node.first as usize..(node.first + node.count) as usize] {
                    if !visit(item) {
                        return;
                    }
                }
            } else {
                stack[depth] = node.first + 1;
                stack[depth + 1] = node.first;
                depth += 2;
            }
        }
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Items in the order of the leaves.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }
}

/// Around nothing: the neutral element of [`union`].
const EMPTY: Bounds =
    Bounds { min: DVec3::splat(f64::INFINITY), max: DVec3::splat(f64::NEG_INFINITY) };

fn is_finite(bounds: &Bounds) -> bool {
    bounds.min.is_finite() && bounds.max.is_finite()
}

#[inline(always)]
fn union(a: &Bounds, b: &Bounds) -> Bounds {
    Bounds { min: a.min.min(b.min), max: a.max.max(b.max) }
}

#[inline(always)]
fn overlap(a: &Bounds, b: &Bounds) -> bool {
    a.min.x <= b.max.x
        && b.min.x <= a.max.x
        && a.min.y <= b.max.y
        && b.min.y <= a.max.y
        && a.min.z <= b.max.z
        && b.min.z <= a.max.z
}

#[inline(always)]
fn half_area(bounds: &Bounds) -> f64 {
    let s = bounds.max - bounds.min;
    s.x * s.y + s.y * s.z + s.z * s.x
}

#[inline(always)]
fn squared_distance(bounds: &Bounds, point: DVec3) -> f64 {
    (bounds.min - point).max(point - bounds.max).max(DVec3::ZERO).length_squared()
}

/// The parameter at which a ray enters a box; infinite if it misses. Directions along an axis
/// divide by zero, and the infinities sort themselves out; 0 · ∞ is passed over by min and max.
#[inline(always)]
fn entry(bounds: &Bounds, ray: &Ray, inverse: DVec3) -> f64 {
    let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
    for k in 0..3 {
        let (a, b) = (
            (bounds.min[k] - ray.origin[k]) * inverse[k],
            (bounds.max[k] - ray.origin[k]) * inverse[k],
        );
        if a.is_nan() || b.is_nan() {
            continue;
        }
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    // A relative slack for rounding: boxes of flat things are flat.
    if enter <= leave * (1.0 + 4.0 * f64::EPSILON) { enter } else { f64::INFINITY }
}

#[cfg(test)]
mod tests;
