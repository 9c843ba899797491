//! Which constraints are relaxed side by side.
//!
//! Constraints are grouped into small clusters, compact in space, and the *clusters* are coloured:
//! no two of a colour share a vertex. Sixteen clusters of a colour are the lanes of a group, each
//! lane walking through its own cluster one constraint after the other. Against colouring the
//! constraints themselves that needs about half as many colours, each of which is a meeting of all
//! threads, and a group's vertices stay in the nearest cache.
//!
//! Within a cluster those constraints that share a vertex are as far apart as can be, so that the
//! processor can begin with the next one before the last has ended.

use std::ops::Range;

use glam::DVec3;
use pliant_math::coloring::Coloring;
use pliant_math::lanes::WIDTH_F64;

/// Most constraints in a cluster: enough for few colours.
const LARGEST: usize = 16;
/// Clusters that a model should have at least: a dozen colours of several groups each.
const MANY: usize = 512;

/// How many batches side by side are known to share no vertex: the processor has work from one
/// while it waits for the other.
pub(super) const SIDES: usize = 2;

/// Groups of up to sixteen clusters, colour after colour.
pub(super) struct Clusters {
    /// The groups of each colour.
    pub colors: Vec<Range<usize>>,
    /// Of each group its clusters, largest first.
    pub groups: Vec<Vec<Vec<u32>>>,
}

impl Clusters {
    /// Clusters of constraints with the given vertices, by where these vertices are \[m\].
    pub fn new<const CORNERS: usize>(corners: &[[u32; CORNERS]], positions: &[DVec3]) -> Self {
        let centre = |c: &[u32; CORNERS]| c.iter().map(|&v| positions[v as usize]).sum::<DVec3>();
        let centres: Vec<DVec3> = corners.iter().map(centre).collect();
        let size = (corners.len() / MANY).clamp(1, LARGEST);
        let mut clusters = bisect(&centres, size);
        let vertices: Vec<Vec<u32>> = clusters
            .iter()
            .map(|cluster| cluster.iter().flat_map(|&e| corners[e as usize]).collect())
            .collect();
        let mut turns = vec![0; positions.len()];
        clusters.iter_mut().for_each(|cluster| spread(cluster, corners, &mut turns));
        let (mut colors, mut groups) = (Vec::new(), Vec::new());
        for color in Coloring::greedy_sets(vertices.iter().map(|set| &set[..])).colors() {
            let first = groups.len();
            for members in color.chunks(SIDES * WIDTH_F64) {
                let take = |&c: &u32| std::mem::take(&mut clusters[c as usize]);
                let mut group: Vec<Vec<u32>> = members.iter().map(take).collect();
                group.sort_by_key(|cluster| std::cmp::Reverse(cluster.len()));
                groups.push(group);
            }
            colors.push(first..groups.len());
        }
        Clusters { colors, groups }
    }
}

/// Orders the constraints of a cluster so that those which share a vertex are far apart: always
/// the one next whose vertices have rested longest. `turns` is zero before and after.
fn spread<const CORNERS: usize>(
    cluster: &mut [u32],
    corners: &[[u32; CORNERS]],
    turns: &mut [usize],
) {
    for turn in 1..=cluster.len() {
        let touched = |&e: &u32| corners[e as usize].map(|v| turns[v as usize]).into_iter().max();
        let rest = &cluster[turn - 1..];
        let next = (0..rest.len()).min_by_key(|&k| (touched(&rest[k]), rest[k])).unwrap_or(0);
        cluster.swap(turn - 1, turn - 1 + next);
        for v in corners[cluster[turn - 1] as usize] {
            turns[v as usize] = turn;
        }
    }
    for v in cluster.iter().flat_map(|&e| corners[e as usize]) {
        turns[v as usize] = 0;
    }
}

/// Recursive coordinate bisection into parts that differ by at most one in size.
fn bisect(points: &[DVec3], most: usize) -> Vec<Vec<u32>> {
    let mut done = Vec::new();
    let mut stack = vec![(0..points.len() as u32).collect::<Vec<_>>()];
    while let Some(mut part) = stack.pop() {
        if part.len() <= most {
            if !part.is_empty() {
                done.push(part);
            }
            continue;
        }
        let at = |&i: &u32| points[i as usize];
        let low = part.iter().map(at).fold(DVec3::INFINITY, DVec3::min);
        let high = part.iter().map(at).fold(DVec3::NEG_INFINITY, DVec3::max);
        let axis = (high - low).max_position();
        part.sort_unstable_by(|a, b| at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(b)));
        let parts = part.len().div_ceil(most);
        let tail = part.split_off(part.len() * (parts / 2) / parts);
        stack.push(tail);
        stack.push(part);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tets of a lattice, five in a cube's place but simply four corners of it each.
    fn lattice(n: u32) -> (Vec<[u32; 4]>, Vec<DVec3>) {
        let at = |x: u32, y: u32, z: u32| x + n * (y + n * z);
        let point = |v: u32| DVec3::new((v % n).into(), (v / n % n).into(), (v / n / n).into());
        let mut tets = Vec::new();
        for v in 0..n * n * n {
            let (x, y, z) = (v % n, v / n % n, v / n / n);
            if x + 1 < n && y + 1 < n && z + 1 < n {
                tets.push([v, at(x + 1, y, z), at(x, y + 1, z), at(x, y, z + 1)]);
                tets.push([at(x + 1, y + 1, z + 1), at(x + 1, y, z), at(x, y + 1, z), v]);
            }
        }
        (tets, (0..n * n * n).map(point).collect())
    }

    #[test]
    fn every_constraint_is_in_one_cluster_and_colors_share_no_vertex() {
        for n in [2, 3, 8, 24] {
            let (tets, positions) = lattice(n);
            let Clusters { colors, groups } = Clusters::new(&tets, &positions);
            let mut all: Vec<u32> = groups.iter().flatten().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, (0..tets.len() as u32).collect::<Vec<_>>());
            for color in colors {
                let mut owner = vec![None; positions.len()];
                for (g, group) in groups[color.clone()].iter().enumerate() {
                    assert!(group.is_sorted_by_key(|cluster| usize::MAX - cluster.len()));
                    assert!(group.len() <= SIDES * WIDTH_F64);
                    for (c, cluster) in group.iter().enumerate() {
                        for &v in cluster.iter().flat_map(|&e| &tets[e as usize]) {
                            let before = owner[v as usize].replace((g, c));
                            assert!(before.is_none_or(|b| b == (g, c)), "{color:?}: vertex {v}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn clusters_need_fewer_colors_than_their_constraints() {
        let (tets, positions) = lattice(24);
        let clusters = Clusters::new(&tets, &positions).colors.len();
        let alone = Coloring::greedy(&tets).colors().count();
        assert!(2 * clusters < 3 * alone, "{clusters} of {alone}");
    }
}
