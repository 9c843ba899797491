//! Weighted sums of many values, as rows of a sparse matrix.
//!
//! Each row is summed in a fixed order, so the result does not depend on the number of threads.

use std::iter::Sum;
use std::ops::{AddAssign, Mul};

use pliant_math::team::{SharedSlice, Team};

/// Rows per item of the team's work.
const BLOCK: usize = 256;

/// Indices of values and their weights, for every row.
#[derive(Clone, Debug, Default)]
pub struct WeightedSums<W> {
    starts: Vec<u32>,
    terms: Vec<(u32, W)>,
}

impl<W: Copy + Sync> WeightedSums<W> {
    /// Builds rows from entries (row, value, weight); the entries of a row are summed in their
    /// order.
    pub fn new(rows: usize, entries: &[(u32, u32, W)]) -> Self {
        let mut starts = vec![0u32; rows + 1];
        entries.iter().for_each(|e| starts[e.0 as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        order.sort_by_key(|&e| entries[e as usize].0);
        let terms = order.iter().map(|&e| (entries[e as usize].1, entries[e as usize].2)).collect();
        WeightedSums { starts, terms }
    }

    /// Adds its sum to every row of `out`.
    pub fn add<V, O>(&self, values: &[V], out: &mut [O], team: &Team)
    where
        V: Copy + Sync + Mul<W, Output = O>,
        O: Sum + AddAssign + Send,
    {
        let rows = out.len();
        let shared = SharedSlice::new(out);
        team.each(rows.div_ceil(BLOCK), &|item, _| {
            for row in item * BLOCK..((item + 1) * BLOCK).min(rows) {
                let own = &self.terms[self.starts[row] as usize..self.starts[row + 1] as usize];
                // SAFETY: each item has its own rows.
                let out = unsafe { shared.at(row) };
                *out += own.iter().map(|&(v, weight)| values[v as usize] * weight).sum::<O>();
            }
        });
    }
}

/// Computes every element of a slice from its index, in parallel blocks.
pub fn fill<T: Send>(out: &mut [T], team: &Team, value: impl Fn(usize) -> T + Sync) {
    let count = out.len();
    let shared = SharedSlice::new(out);
    team.each(count.div_ceil(BLOCK), &|item, _| {
        for k in item * BLOCK..((item + 1) * BLOCK).min(count) {
            // SAFETY: each item has its own block.
            unsafe { *shared.at(k) = value(k) };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_summed_in_order() {
        let sums = WeightedSums::new(3, &[(2, 0, 1e16), (0, 1, 2.0), (2, 1, 1.0), (2, 0, -1e16)]);
        let mut out = vec![1.0, 7.0, 0.0];
        sums.add(&[1.0, 3.0], &mut out, &Team::new(2));
        // 1e16 + 3 − 1e16 in this order rounds to 4.
        assert_eq!(out, [7.0, 7.0, 4.0]);
    }

    #[test]
    fn every_element_is_filled() {
        let mut out = vec![0; 1000];
        fill(&mut out, &Team::new(2), |k| 3 * k);
        assert!(out.iter().enumerate().all(|(k, &x)| x == 3 * k));
    }
}
