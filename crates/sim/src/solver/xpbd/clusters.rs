//! Which constraints are relaxed side by side.
//!
//! Threads meet as seldom as can be. Vertices are cut into compact domains; the constraints inside a
//! domain are one item of work, which nobody else touches, and all of them wait for each other once.
//! For what crosses from a domain into another the vertices that are left are cut anew, elsewhere, and
//! so on: after a few meetings nothing is left.
//!
//! Inside an item constraints are grouped into small clusters, compact in space, and the *clusters*
//! are coloured: no two of a colour share a vertex. Sixteen clusters of a colour are the lanes of a
//! group, each lane walking through its own cluster one constraint after the other, so that a group's
//! vertices stay in the nearest cache.
//!
//! Within a cluster those constraints that share a vertex are as far apart as can be, so that the
//! processor can begin with the next one before the last has ended.

use std::ops::Range;

use glam::DVec3;
use pliant_math::coloring::Coloring;
use pliant_math::lanes::WIDTH_F64;

/// Most constraints in a cluster: enough for few colours.
const LARGEST: usize = 16;
/// Clusters that an item should have at least: a dozen colours of several groups each.
const MANY: usize = 512;
/// Constraints of a domain, about: far more work than a meeting, and little enough for every thread
/// to have several.
const DOMAIN: usize = 2500;
/// Where there are fewer than that, domains for a few threads, of at least so many.
const SMALL_DOMAIN: usize = 512;
const FEW: usize = 4;
/// How often vertices are cut; what is left then is one item.
const MOST_CUTS: usize = 4;

/// How many batches side by side are known to share no vertex: the processor has work from one
/// while it waits for the other.
pub(super) const SIDES: usize = 2;

/// Up to sixteen clusters that share no vertex, largest first.
type Group = Vec<Vec<u32>>;

/// Who may work at the same time.
pub(super) struct Clusters {
    /// The items of each meeting: none has a vertex of another.
    pub meetings: Vec<Range<usize>>,
    /// Of each item its groups, one after the other.
    pub items: Vec<Vec<Group>>,
}

impl Clusters {
    /// Clusters of constraints with the given vertices, by where these vertices are \[m\].
    pub fn new<const CORNERS: usize>(corners: &[[u32; CORNERS]], positions: &[DVec3]) -> Self {
        let centre = |c: &[u32; CORNERS]| c.iter().map(|&v| positions[v as usize]).sum::<DVec3>();
        let centres: Vec<DVec3> = corners.iter().map(centre).collect();
        let mut painter = Painter { corners, centres: &centres, turns: vec![0; positions.len()] };
        let (mut meetings, mut items) = (Vec::new(), Vec::new());
        let mut left: Vec<u32> = (0..corners.len() as u32).collect();
        while !left.is_empty() {
            let wanted = (left.len() / DOMAIN).max((left.len() / SMALL_DOMAIN).min(FEW));
            let count = match meetings.len() {
                // A power of two is shared fairly by two threads, and by four.
                0 => wanted.next_power_of_two(),
                // An odd number of parts is not cut in the middle again.
                1..MOST_CUTS if wanted > 1 => wanted | 1,
                _ => 1,
            };
            let (inside, across) = domains(&left, corners, positions, count);
            let first = items.len();
            items.extend(inside.iter().map(|own| painter.groups(own)));
            meetings.push(first..items.len());
            left = across;
        }
        Clusters { meetings, items }
    }
}

/// The constraints inside each of so many domains of their vertices, and those between domains.
fn domains<const CORNERS: usize>(
    constraints: &[u32],
    corners: &[[u32; CORNERS]],
    positions: &[DVec3],
    count: usize,
) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut vertices: Vec<u32> = constraints.iter().flat_map(|&e| corners[e as usize]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let parts = bisect(&vertices, positions, vertices.len().div_ceil(count));
    let mut domain_of = vec![0; positions.len()];
    for (domain, part) in parts.iter().enumerate() {
        part.iter().for_each(|&v| domain_of[v as usize] = domain);
    }
    let (mut inside, mut across) = (vec![Vec::new(); parts.len()], Vec::new());
    for &e in constraints {
        let of = corners[e as usize].map(|v| domain_of[v as usize]);
        let is_inside = of.iter().all(|domain| *domain == of[0]);
        if is_inside { &mut inside[of[0]] } else { &mut across }.push(e);
    }
    inside.retain(|own| !own.is_empty());
    (inside, across)
}

/// Colours clusters of constraints.
struct Painter<'a, const CORNERS: usize> {
    corners: &'a [[u32; CORNERS]],
    centres: &'a [DVec3],
    /// Zero between calls.
    turns: Vec<usize>,
}

impl<const CORNERS: usize> Painter<'_, CORNERS> {
    /// Groups of some constraints, colour after colour.
    fn groups(&mut self, constraints: &[u32]) -> Vec<Group> {
        let size = (constraints.len() / MANY).clamp(1, LARGEST);
        let mut clusters = bisect(constraints, self.centres, size);
        let vertices: Vec<Vec<u32>> = clusters
            .iter()
            .map(|cluster| cluster.iter().flat_map(|&e| self.corners[e as usize]).collect())
            .collect();
        clusters.iter_mut().for_each(|cluster| self.spread(cluster));
        let coloring = Coloring::greedy_sets(vertices.iter().map(|set| &set[..]));
        let mut groups = Vec::new();
        for members in coloring.colors().flat_map(|color| color.chunks(SIDES * WIDTH_F64)) {
            let take = |&c: &u32| std::mem::take(&mut clusters[c as usize]);
            let mut group: Group = members.iter().map(take).collect();
            group.sort_by_key(|cluster| std::cmp::Reverse(cluster.len()));
            groups.push(group);
        }
        groups
    }

    /// Orders the constraints of a cluster so that those which share a vertex are far apart: always
    /// the one next whose vertices have rested longest.
    fn spread(&mut self, cluster: &mut [u32]) {
        let Painter { corners, turns, .. } = self;
        for turn in 1..=cluster.len() {
            let touched =
                |&e: &u32| corners[e as usize].map(|v| turns[v as usize]).into_iter().max();
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
}

/// Recursive coordinate bisection of what is at some points into parts that differ by at most one in
/// size.
fn bisect(members: &[u32], points: &[DVec3], most: usize) -> Vec<Vec<u32>> {
    let mut done = Vec::new();
    let mut stack = vec![members.to_vec()];
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
    fn every_constraint_is_in_one_cluster_and_who_works_at_once_shares_no_vertex() {
        for n in [2, 3, 8, 24] {
            let (tets, positions) = lattice(n);
            let Clusters { meetings, items } = Clusters::new(&tets, &positions);
            let mut all: Vec<u32> = items.iter().flatten().flatten().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, (0..tets.len() as u32).collect::<Vec<_>>());
            for meeting in meetings {
                let mut owner = vec![None; positions.len()];
                for (i, item) in items[meeting.clone()].iter().enumerate() {
                    for (g, group) in item.iter().enumerate() {
                        assert!(group.is_sorted_by_key(|cluster| usize::MAX - cluster.len()));
                        assert!(group.len() <= SIDES * WIDTH_F64);
                        for (c, cluster) in group.iter().enumerate() {
                            for &v in cluster.iter().flat_map(|&e| &tets[e as usize]) {
                                let before = owner[v as usize].replace((i, g, c));
                                // Another item never; another lane not in the same group.
                                let is_apart =
                                    |b: (usize, usize, usize)| b.0 == i && (b.1 != g || b.2 == c);
                                assert!(before.is_none_or(is_apart), "{meeting:?}: vertex {v}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn threads_meet_seldom() {
        let (tets, positions) = lattice(24);
        let Clusters { meetings, items } = Clusters::new(&tets, &positions);
        assert!(meetings.len() <= MOST_CUTS + 1, "{}", meetings.len());
        // Most of the work is in the first meeting, and shared fairly.
        let work = |item: &Vec<Group>| item.iter().flatten().map(Vec::len).sum::<usize>();
        let inside: Vec<usize> = items[meetings[0].clone()].iter().map(work).collect();
        let (all, most) = (inside.iter().sum::<usize>(), *inside.iter().max().expect("work"));
        assert!(inside.len() == 16 && 4 * all > 3 * tets.len(), "{all} of {}", tets.len());
        assert!(most * inside.len() < 2 * all, "{most} of {all}");
    }

    #[test]
    fn what_is_all_about_one_vertex_is_one_item() {
        let fan: Vec<[u32; 2]> = (1..6000).map(|v| [0, v]).collect();
        let positions: Vec<DVec3> = (0..6000).map(|v| DVec3::X * f64::from(v)).collect();
        let Clusters { items, .. } = Clusters::new(&fan, &positions);
        assert_eq!(items.iter().flatten().flatten().flatten().count(), fan.len());
    }
}
