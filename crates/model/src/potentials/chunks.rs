//! Elements in spatially compact chunks of a few hundred.

use glam::DVec3;

/// Elements per chunk: small enough that a chunk's vertices stay in the first-level cache.
pub const CHUNK_ELEMENTS: usize = 512;

/// The model vertices and elements of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Model vertices; gradient rows are in this order.
    pub vertices: &'a [u32],
    /// Vertices per element, k.
    pub corners: usize,
    /// Model vertices of the elements, k each.
    pub elements: &'a [u32],
}

impl<'a> Chunk<'a> {
    /// A chunk whose elements are single vertices.
    pub fn of_points(vertices: &'a [u32]) -> Self {
        Chunk { vertices, corners: 1, elements: vertices }
    }
}

/// How many chunks an array with a value per point has.
pub(super) fn point_chunks<T>(all: &[T]) -> usize {
    all.len().div_ceil(CHUNK_ELEMENTS)
}

/// The part of an array with a value per point that belongs to a chunk.
pub(super) fn points<T>(all: &[T], chunk: usize) -> &[T] {
    let first = chunk * CHUNK_ELEMENTS;
    &all[first..all.len().min(first + CHUNK_ELEMENTS)]
}

/// The same part of an array of the drive, where a body's own values begin at `first`.
pub(super) fn driven<T>(all: &[T], first: usize, chunk: usize) -> &[T] {
    points(all.get(first..).unwrap_or(&[]), chunk)
}

/// Local vertex numbers for elements given by model vertices: `(vertices, local)` with
/// `vertices[local[e]] = elements[e]`, vertices ascending.
pub(super) fn localise(elements: &[u32]) -> (Vec<u32>, Vec<u16>) {
    let mut vertices = elements.to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    let local = elements
        .iter()
        .map(|v| vertices.binary_search(v).expect("every element vertex was collected") as u16)
        .collect();
    (vertices, local)
}

/// Recursive coordinate bisection: groups of at most `most` points (at least one), neighbours
/// together.
///
/// Deterministic; ties are broken by number.
pub fn bisect(points: &[DVec3], most: usize) -> Vec<Vec<u32>> {
    let mut groups = Vec::new();
    let mut stack = vec![(0..points.len() as u32).collect::<Vec<_>>()];
    while let Some(mut group) = stack.pop() {
        if group.len() <= most.max(1) {
            if !group.is_empty() {
                groups.push(group);
            }
            continue;
        }
        let low = group.iter().fold(DVec3::INFINITY, |a, &i| a.min(points[i as usize]));
        let high = group.iter().fold(DVec3::NEG_INFINITY, |a, &i| a.max(points[i as usize]));
        let extent = (high - low).to_array();
        let axis = (0..3).fold(0, |best, a| if extent[a] > extent[best] { a } else { best });
        group.sort_unstable_by(|&a, &b| {
            points[a as usize][axis].total_cmp(&points[b as usize][axis]).then(a.cmp(&b))
        });
        let parts = group.len().div_ceil(most);
        // Cut at a multiple of 16, so that vector batches are full.
        let cut = (group.len() * (parts / 2) / parts).div_ceil(16) * 16;
        let cut = if cut < group.len() { cut } else { group.len() / 2 };
        let tail = group.split_off(cut);
        stack.push(tail);
        stack.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_keeps_every_point_once() {
        let points: Vec<DVec3> =
            (0..1000).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.5)).collect();
        let groups = bisect(&points, 64);
        let mut all: Vec<u32> = groups.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        assert!(groups.iter().all(|g| g.len() <= 64));
        assert_eq!(bisect(&points[..9], 4).iter().map(Vec::len).sum::<usize>(), 9);
    }

    #[test]
    fn local_numbers_point_back() {
        let elements = [7, 3, 9, 3, 7, 1];
        let (vertices, local) = localise(&elements);
        assert_eq!(vertices, [1, 3, 7, 9]);
        for (e, l) in elements.iter().zip(&local) {
            assert_eq!(vertices[*l as usize], *e);
        }
    }
}
