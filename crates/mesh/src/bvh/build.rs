//! Building the hierarchy, top down.

use super::{Bounds, Bvh, DEEPEST, EMPTY, Node, half_area, is_finite, union};
use glam::DVec3;

const BINS: usize = 16;
/// Items of a leaf, at most.
const LEAF: usize = 4;
/// From here on nodes are halved by number, which ends within 32 levels more.
const UNBALANCED: usize = DEEPEST - 36;

#[derive(Clone, Copy)]
struct Item {
    bounds: Bounds,
    center: DVec3,
    id: u32,
}

pub fn build(boxes: &[Bounds]) -> Bvh {
    let mut items: Vec<Item> = (0u32..)
        .zip(boxes)
        .filter(|(_, bounds)| is_finite(bounds))
        .map(|(id, &bounds)| Item { bounds, center: bounds.center(), id })
        .collect();
    if items.is_empty() {
        return Bvh::default();
    }
    let mut nodes = Vec::with_capacity(items.len());
    nodes.push(Node { bounds: EMPTY, first: 0, count: 0 });
    // (node, start, end, depth)
    let mut open = vec![(0usize, 0usize, items.len(), 0usize)];
    while let Some((node, start, end, depth)) = open.pop() {
        let own = &mut items[start..end];
        let bounds = own.iter().fold(EMPTY, |sum, item| union(&sum, &item.bounds));
        let count = own.len();
        nodes[node] = Node { bounds, first: start as u32, count: count as u32 };
        if count <= LEAF {
            continue;
        }
        let middle = start + if depth < UNBALANCED { split(own) } else { count / 2 };
        let children = nodes.len();
        nodes[node] = Node { bounds, first: children as u32, count: 0 };
        nodes.extend([Node { bounds: EMPTY, first: 0, count: 0 }; 2]);
        open.push((children + 1, middle, end, depth + 1));
        open.push((children, start, middle, depth + 1));
    }
    Bvh { nodes, order: items.iter().map(|item| item.id).collect() }
}

/// Reorders the items so that the first few, whose number is returned, belong to the left child.
fn split(items: &mut [Item]) -> usize {
    let around = items.iter().fold(EMPTY, |sum, item| Bounds {
        min: sum.min.min(item.center),
        max: sum.max.max(item.center),
    });
    let extent = around.max - around.min;
    let axis = extent.max_position();
    let (low, scale) = (around.min[axis], BINS as f64 / extent[axis]);
    if !scale.is_finite() {
        return items.len() / 2;
    }
    let bin = |item: &Item| (((item.center[axis] - low) * scale) as usize).min(BINS - 1);
    let mut bins = [(EMPTY, 0usize); BINS];
    for item in items.iter() {
        let (bounds, count) = &mut bins[bin(item)];
        *bounds = union(bounds, &item.bounds);
        *count += 1;
    }
    // Cost of everything right of each border, then of everything left of it.
    let mut right = [0.0; BINS];
    let (mut bounds, mut count) = (EMPTY, 0);
    for k in (1..BINS).rev() {
        (bounds, count) = (union(&bounds, &bins[k].0), count + bins[k].1);
        right[k] = if count > 0 { half_area(&bounds) * count as f64 } else { 0.0 };
    }
    let (mut best, mut least) = (0, f64::INFINITY);
    (bounds, count) = (EMPTY, 0);
    for k in 1..BINS {
        (bounds, count) = (union(&bounds, &bins[k - 1].0), count + bins[k - 1].1);
        if count == 0 || count == items.len() {
            continue;
        }
        let cost = half_area(&bounds) * count as f64 + right[k];
        if cost < least {
            (best, least) = (k, cost);
        }
    }
    if best == 0 {
        return items.len() / 2;
    }
    let mut left = 0;
    for k in 0..items.len() {
        if bin(&items[k]) < best {
            items.swap(left, k);
            left += 1;
        }
    }
    left
}
