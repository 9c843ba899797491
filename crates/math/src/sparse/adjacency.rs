//! Undirected graphs as compressed neighbour lists.

use crate::MathError;

/// The neighbours of every vertex, ascending, without duplicates and self-loops.
///
/// ```
/// use pliant_math::sparse::Adjacency;
///
/// let path = Adjacency::from_pairs(3, [(0, 1), (2, 1), (1, 0)])?;
/// assert_eq!(path.neighbours(1), [0, 2]);
/// # Ok::<(), pliant_math::MathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    starts: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Adjacency {
    /// The graph of `size` vertices in which the two of each pair are neighbours. Pairs may
    /// repeat in either direction; a pair of a vertex with itself is ignored.
    pub fn from_pairs(
        size: usize,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, MathError> {
        let mut distinct = Vec::new();
        for (a, b) in pairs {
            if a >= size || b >= size {
                return Err(MathError::OutOfRange { row: a, column: b, size });
            }
            if a != b {
                distinct.push((a.min(b), a.max(b)));
            }
        }
        distinct.sort_unstable();
        distinct.dedup();
        let pairs = distinct.iter().copied();
        Ok(Self::from_distinct_pairs(size, pairs.clone(), pairs))
    }

    /// Distinct pairs, none of a vertex with itself; the same pairs are passed twice.
    pub(super) fn from_distinct_pairs(
        size: usize,
        counted: impl Iterator<Item = (usize, usize)>,
        placed: impl Iterator<Item = (usize, usize)>,
    ) -> Self {
        let mut starts = vec![0; size + 1];
        for (a, b) in counted {
            starts[a + 1] += 1;
            starts[b + 1] += 1;
        }
        for v in 0..size {
            starts[v + 1] += starts[v];
        }
        let (mut next, mut neighbours) = (starts.clone(), vec![0; starts[size]]);
        for (a, b) in placed {
            neighbours[next[a]] = b;
            neighbours[next[b]] = a;
            next[a] += 1;
            next[b] += 1;
        }
        for v in 0..size {
            neighbours[starts[v]..starts[v + 1]].sort_unstable();
        }
        Adjacency { starts, neighbours }
    }

    /// How many vertices.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// The neighbours of a vertex, ascending.
    pub fn neighbours(&self, vertex: usize) -> &[usize] {
        &self.neighbours[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// How many pairs are neighbours.
    pub fn pairs(&self) -> usize {
        self.neighbours.len() / 2
    }
}
