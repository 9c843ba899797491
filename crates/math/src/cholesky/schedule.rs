//! Which thread sweeps which part of the tree first.

/// Whole subtrees, grouped by the thread that begins with them, and what is above them.
///
/// Results do not depend on it: a panel only reads what its children or its parent wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Schedule {
    nodes: Vec<u32>,
    starts: Vec<usize>,
    /// Subtrees `bounds[t]..bounds[t + 1]` are for thread `t`.
    pub bounds: Vec<usize>,
    /// The nodes above all subtrees, children first.
    pub top: Vec<u32>,
}

impl Schedule {
    /// For a forest in which `parent[k] > k` (or is `u32::MAX`: none), with the work per node,
    /// and the time it takes if done in turn with others above the subtrees (by all threads).
    ///
    /// Tries several sizes of subtrees and takes the one with the shortest estimated time.
    pub fn new(parent: &[u32], weight: &[f64], in_turn: &[f64], threads: usize) -> Self {
        let mut below = weight.to_vec();
        for (k, &p) in parent.iter().enumerate() {
            if p != u32::MAX {
                below[p as usize] += below[k];
            }
        }
        let total: f64 = weight.iter().sum();
        let mut best = Cut::none(parent.len(), total, threads);
        if threads > 1 {
            for pieces in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32] {
                let most = total / (threads * pieces) as f64;
                let cut = Cut::new(parent, in_turn, &below, most, threads);
                if cut.span < best.span {
                    best = cut;
                }
            }
        }
        best.schedule()
    }

    /// The nodes of a subtree, children first.
    pub fn subtree(&self, k: usize) -> &[u32] {
        &self.nodes[self.starts[k]..self.starts[k + 1]]
    }
}

/// Cycles that it costs to have other threads help: factors that are solved in some 10 µs stay on
/// one.
const TASKS: f64 = 2e4;

/// A way to cut the forest.
struct Cut {
    /// The subtree of every node; `usize::MAX` above all of them.
    subtree: Vec<usize>,
    /// The subtrees of every thread.
    shares: Vec<Vec<usize>>,
    /// Work on the longest path: the busiest thread, then the top.
    span: f64,
}

impl Cut {
    /// All on thread 0.
    fn none(nodes: usize, total: f64, threads: usize) -> Self {
        let mut shares = vec![Vec::new(); threads];
        shares[0].push(0);
        Cut { subtree: vec![0; nodes], shares, span: total }
    }

    /// Cuts off the largest subtrees of at most `most` work; deals them out, heaviest first.
    fn new(parent: &[u32], in_turn: &[f64], below: &[f64], most: f64, threads: usize) -> Self {
        let mut subtree = vec![usize::MAX; parent.len()];
        let mut roots = Vec::new();
        let mut span = TASKS;
        for k in (0..parent.len()).rev() {
            match subtree.get(parent[k] as usize) {
                Some(&above) if above != usize::MAX => subtree[k] = above,
                _ if below[k] <= most => {
                    subtree[k] = roots.len();
                    roots.push(k);
                }
                _ => span += in_turn[k],
            }
        }
        let mut heaviest: Vec<usize> = (0..roots.len()).collect();
        heaviest.sort_by(|&a, &b| below[roots[b]].total_cmp(&below[roots[a]]));
        let (mut loads, mut shares) = (vec![0.0f64; threads], vec![Vec::new(); threads]);
        for tree in heaviest {
            let idle =
                (1..threads).fold(0, |best, t| if loads[t] < loads[best] { t } else { best });
            loads[idle] += below[roots[tree]];
            shares[idle].push(tree);
        }
        span += loads.iter().fold(0.0f64, |a, &b| a.max(b));
        Cut { subtree, shares, span }
    }

    fn schedule(self) -> Schedule {
        let trees: usize = self.shares.iter().map(Vec::len).sum();
        let mut lists = vec![Vec::new(); trees];
        let mut top = Vec::new();
        for (k, &tree) in self.subtree.iter().enumerate() {
            // Nodes are counted in 32 bits.
            lists.get_mut(tree).unwrap_or(&mut top).push(k as u32);
        }
        let mut schedule = Schedule { top, starts: vec![0], bounds: vec![0], nodes: vec![] };
        for share in &self.shares {
            for &tree in share {
                schedule.nodes.extend_from_slice(&lists[tree]);
                schedule.starts.push(schedule.nodes.len());
            }
            schedule.bounds.push(schedule.starts.len() - 1);
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A binary tree of 2^depth − 1 nodes in postorder.
    fn binary(depth: u32) -> Vec<u32> {
        fn grow(depth: u32, parent: &mut Vec<u32>) -> usize {
            let children: Vec<usize> =
                if depth > 1 { (0..2).map(|_| grow(depth - 1, parent)).collect() } else { vec![] };
            parent.push(u32::MAX);
            let me = parent.len() - 1;
            for c in children {
                parent[c] = me as u32;
            }
            me
        }
        let mut parent = vec![];
        grow(depth, &mut parent);
        parent
    }

    #[test]
    fn every_node_is_swept_once_after_its_children() {
        for parent in [binary(7), vec![u32::MAX; 50], (1..60).chain([u32::MAX]).collect(), vec![]] {
            let weight: Vec<f64> = (0..parent.len()).map(|k| 1e5 + (k % 5) as f64 * 1e5).collect();
            for threads in [1, 2, 3, 8, 64] {
                let s = Schedule::new(&parent, &weight, &weight, threads);
                assert_eq!((s.bounds.len(), s.bounds[threads] + 1), (threads + 1, s.starts.len()));
                let mut tree_of = vec![None; parent.len()];
                for t in 0..s.bounds[threads] {
                    assert!(s.subtree(t).is_sorted_by(|a, b| a < b));
                    for &k in s.subtree(t) {
                        assert_eq!(tree_of[k as usize].replace(t), None);
                    }
                }
                assert!(s.top.is_sorted_by(|a, b| a < b));
                for k in 0..parent.len() {
                    match tree_of[k] {
                        Some(t) if parent[k] != u32::MAX => {
                            let above = tree_of[parent[k] as usize];
                            assert!(above.is_none_or(|a| a == t), "subtrees depend on each other");
                        }
                        Some(_) => {}
                        None => {
                            assert!(s.top.contains(&(k as u32)));
                            let p = parent[k] as usize;
                            assert!(tree_of.get(p).is_none_or(|t| t.is_none()));
                        }
                    }
                }
                if threads == 1 {
                    assert!(s.top.is_empty());
                }
            }
        }
    }

    #[test]
    fn two_threads_share_a_balanced_tree_evenly() {
        let parent = binary(8);
        let schedule = Schedule::new(&parent, &[1e5; 255], &[1e5; 255], 2);
        let load = |t: usize| -> usize {
            (schedule.bounds[t]..schedule.bounds[t + 1]).map(|k| schedule.subtree(k).len()).sum()
        };
        assert_eq!((load(0), load(1), schedule.top.len()), (127, 127, 1));
    }

    #[test]
    fn little_work_stays_on_one_thread() {
        let schedule = Schedule::new(&binary(8), &[10.0; 255], &[10.0; 255], 2);
        assert_eq!((schedule.bounds, schedule.top), (vec![0, 1, 1], vec![]));
    }
}
