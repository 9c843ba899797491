//! Shortest paths along the edges of a mesh.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

/// Lowers the `distances` \[m\] of vertices that are closer to a seed, along edges, than to
/// anything before. Seeds must have their distances; `reached` is called for each vertex that gets
/// a lower one.
pub fn extend_distances<N: IntoIterator<Item = usize>>(
    positions: &[DVec3],
    neighbours: impl Fn(usize) -> N,
    seeds: &[usize],
    distances: &mut [f64],
    mut reached: impl FnMut(usize),
) {
    // Distances are not negative, so their bits are in their order.
    let mut front: BinaryHeap<_> =
        seeds.iter().map(|&v| Reverse((distances[v].to_bits(), v))).collect();
    while let Some(Reverse((bits, v))) = front.pop() {
        let here = f64::from_bits(bits);
        if here > distances[v] {
            continue;
        }
        for n in neighbours(v) {
            let through = here + positions[v].distance(positions[n]);
            if through < distances[n] {
                distances[n] = through;
                reached(n);
                front.push(Reverse((through.to_bits(), n)));
            }
        }
    }
}
