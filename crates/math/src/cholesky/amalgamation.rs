//! Merging of supernodes into larger ones where that makes the solve cheaper.
//!
//! A merged panel stores some zeros, but saves the rows that the child passes to its parent and
//! the start-up of a small product. What is better follows from a cost model.

use super::supernodes::Supernodes;
use super::tiles::PanelSize;

/// A run of consecutive supernodes that become one panel; the last one's rows are its rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// First and last supernode.
    pub members: std::ops::RangeInclusive<usize>,
    /// The columns of all of them.
    pub columns: std::ops::Range<usize>,
}

/// Groups in elimination order, for panels of `width`-high tiles of `bytes` per value.
pub(super) fn amalgamate(supernodes: &Supernodes, width: usize, bytes: usize) -> Vec<Group> {
    let count = supernodes.count();
    let mut node_of = vec![0; count.checked_sub(1).map_or(0, |k| supernodes.columns(k).end)];
    for k in 0..count {
        node_of[supernodes.columns(k)].fill(k);
    }
    let cost = |columns, rows| PanelSize::new(columns, rows, width).cost(bytes);
    // `top[k]`: the last supernode of k's group; `first[t]`: the first of the group ending at t.
    let (mut top, mut first) = (vec![0; count], vec![0; count]);
    for k in (0..count).rev() {
        (top[k], first[k]) = (k, k);
        let Some(&below) = supernodes.rows(k).first() else { continue };
        let parent = top[node_of[below]];
        if first[parent] != k + 1 {
            continue;
        }
        let own = supernodes.columns(k);
        let (columns, rows) = (supernodes.columns(parent).end - own.end, supernodes.rows(parent));
        let apart = cost(columns, rows.len()) + cost(own.len(), supernodes.rows(k).len());
        if cost(columns + own.len(), rows.len()) <= apart {
            top[k] = parent;
            first[parent] = k;
        }
    }
    (0..count)
        .filter(|&k| top[k] == k)
        .map(|k| Group {
            members: first[k]..=k,
            columns: supernodes.columns(first[k]).start..supernodes.columns(k).end,
        })
        .collect()
}
