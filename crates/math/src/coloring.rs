//! Colouring of elements: no two elements of a colour share a vertex, so a colour's elements may
//! be relaxed in any order, by any number of threads, with the same bits.
//!
//! Greedy, in the order given: every element takes the smallest colour that none of its vertices
//! has seen. At most K (d − 1) + 1 colours for elements of K vertices when no vertex has more
//! than d elements; elements that were neighbours in the order stay so within their colour.

use std::ops::Range;

/// Elements sorted by colour, and by number within a colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coloring {
    order: Vec<u32>,
    starts: Vec<usize>,
}

impl Coloring {
    /// Colours elements of K vertices each.
    ///
    /// ```
    /// use pliant_math::coloring::Coloring;
    /// let chain = Coloring::greedy(&[[0, 1], [1, 2], [2, 3]]);
    /// assert_eq!(chain.colors().collect::<Vec<_>>(), [&[0, 2][..], &[1]]);
    /// ```
    pub fn greedy<const K: usize>(elements: &[[u32; K]]) -> Self {
        Coloring::greedy_sets(elements.iter().map(|corners| &corners[..]))
    }

    /// Colours elements of any number of vertices, such as clusters of smaller ones.
    ///
    /// ```
    /// use pliant_math::coloring::Coloring;
    /// let sets: [&[u32]; 3] = [&[0, 1, 2], &[2, 3], &[4]];
    /// let coloring = Coloring::greedy_sets(sets.into_iter());
    /// assert_eq!(coloring.colors().collect::<Vec<_>>(), [&[0, 2][..], &[1]]);
    /// ```
    pub fn greedy_sets<'a>(sets: impl Iterator<Item = &'a [u32]>) -> Self {
        // A bit per colour that a vertex has seen.
        let mut seen: Vec<Vec<u64>> = Vec::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        for (e, vertices) in (0u32..).zip(sets) {
            let most = vertices.iter().max().map_or(0, |&v| v as usize + 1);
            seen.resize(seen.len().max(most), Vec::new());
            let color = smallest_unseen(vertices, &seen);
            let (word, bit) = (color / 64, 1 << (color % 64));
            for &v in vertices {
                let words = &mut seen[v as usize];
                words.resize(words.len().max(word + 1), 0);
                words[word] |= bit;
            }
            members.resize(members.len().max(color + 1), Vec::new());
            members[color].push(e);
        }
        let mut starts = vec![0];
        for list in &members {
            starts.push(starts[starts.len() - 1] + list.len());
        }
        Coloring { order: members.concat(), starts }
    }

    /// All elements, colour after colour.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Where each colour is in [`Coloring::order`].
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.starts.windows(2).map(|w| w[0]..w[1])
    }

    /// The elements of each colour.
    pub fn colors(&self) -> impl Iterator<Item = &[u32]> {
        self.ranges().map(|range| &self.order[range])
    }
}

/// The lowest colour that none of the vertices has seen.
fn smallest_unseen(vertices: &[u32], seen: &[Vec<u64>]) -> usize {
    let mut word = 0;
    loop {
        let of = |v: u32| seen[v as usize].get(word).copied().unwrap_or(0);
        let taken = vertices.iter().fold(0, |all, &v| all | of(v));
        if taken != u64::MAX {
            return 64 * word + taken.trailing_ones() as usize;
        }
        word += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element once, ascending within its colour, and no vertex twice within a colour.
    fn check<const K: usize>(elements: &[[u32; K]]) -> usize {
        let coloring = Coloring::greedy(elements);
        let mut all = coloring.order().to_vec();
        all.sort_unstable();
        assert_eq!(all, (0..elements.len() as u32).collect::<Vec<_>>());
        for color in coloring.colors() {
            assert!(color.is_sorted());
            let mut used: Vec<u32> = color.iter().flat_map(|&e| elements[e as usize]).collect();
            used.sort_unstable();
            let before = used.len();
            used.dedup();
            assert_eq!(used.len(), before, "a vertex twice in a colour");
        }
        coloring.colors().count()
    }

    #[test]
    fn neighbours_differ() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut tets = Vec::new();
        while tets.len() < 3000 {
            let tet = [random(500), random(500), random(500), random(500)];
            let distinct = (0..4).all(|a| (0..a).all(|b| tet[a] != tet[b]));
            tets.extend(distinct.then_some(tet));
        }
        let mut valence = vec![0; 500];
        tets.iter().flatten().for_each(|&v| valence[v as usize] += 1);
        let colors = check(&tets);
        let most = *valence.iter().max().expect("vertices");
        assert!(colors >= most && colors <= 4 * (most - 1) + 1, "{colors} of {most}");
    }

    #[test]
    fn a_star_needs_a_color_per_ray() {
        let rays: Vec<[u32; 2]> = (1..=300).map(|v| [0, v]).collect();
        assert_eq!(check(&rays), 300);
    }

    #[test]
    fn nothing_has_no_colors() {
        assert_eq!(check::<4>(&[]), 0);
    }
}
