//! Which constraints are relaxed side by side.
//!
//! Threads meet as seldom as can be. Vertices are cut into compact domains; the constraints inside
//! a domain are one item of work, which nobody else touches, and all items wait for each other
//! once. For what crosses from a domain into another the vertices that are left are cut anew,
//! elsewhere, and so on: after a few meetings nothing is left. A domain's vertices stay in the
//! nearest cache.
//!
//! The constraints of an item are coloured: no two of a colour share a vertex, so that they may be
//! lanes, and batches of lanes side by side.

use std::ops::Range;

use glam::DVec3;
use pliant_math::coloring::Coloring;

/// Constraints of a domain, about: far more work than a meeting, and little enough for every thread
/// to have several.
const DOMAIN: usize = 2500;
/// Where there are fewer than that, domains for a few threads, of at least so many.
const SMALL_DOMAIN: usize = 512;
const FEW: usize = 4;
/// How often vertices are cut; what is left then is one item.
const MOST_CUTS: usize = 4;

/// Who may work at the same time.
pub(super) struct Domains {
    /// The items of each meeting: none has a vertex of another.
    pub meetings: Vec<Range<usize>>,
    /// Of each item its constraints, colour after colour.
    pub items: Vec<Vec<Vec<u32>>>,
}

impl Domains {
    /// Domains of constraints with the given vertices, by where these vertices are \[m\].
    pub fn new<const CORNERS: usize>(corners: &[[u32; CORNERS]], positions: &[DVec3]) -> Self {
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
            let (inside, across) = cut(&left, corners, positions, count);
            let first = items.len();
            items.extend(inside.iter().map(|own| colors(own, corners)));
            meetings.push(first..items.len());
            left = across;
        }
        Domains { meetings, items }
    }
}

/// The constraints inside each of so many domains of their vertices, and those between domains.
fn cut<const CORNERS: usize>(
    constraints: &[u32],
    corners: &[[u32; CORNERS]],
    positions: &[DVec3],
    count: usize,
) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut vertices: Vec<u32> = constraints.iter().flat_map(|&e| corners[e as usize]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let parts = bisect(vertices, positions, count);
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

/// The constraints of each colour.
fn colors<const CORNERS: usize>(own: &[u32], corners: &[[u32; CORNERS]]) -> Vec<Vec<u32>> {
    let coloring = Coloring::greedy_sets(own.iter().map(|&e| &corners[e as usize][..]));
    let color = |members: &[u32]| members.iter().map(|&k| own[k as usize]).collect();
    coloring.colors().map(color).collect()
}

/// Recursive coordinate bisection of vertices into so many parts that differ by at most one in
/// size.
fn bisect(vertices: Vec<u32>, positions: &[DVec3], parts: usize) -> Vec<Vec<u32>> {
    let mut done = Vec::new();
    let mut stack = vec![(vertices, parts)];
    while let Some((mut part, parts)) = stack.pop() {
        if parts <= 1 || part.len() <= 1 {
            done.push(part);
            continue;
        }
        let at = |&v: &u32| positions[v as usize];
        let low = part.iter().map(at).fold(DVec3::INFINITY, DVec3::min);
        let high = part.iter().map(at).fold(DVec3::NEG_INFINITY, DVec3::max);
        let axis = (high - low).max_position();
        part.sort_unstable_by(|a, b| at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(b)));
        let tail = part.split_off(part.len() * (parts / 2) / parts);
        stack.push((tail, parts - parts / 2));
        stack.push((part, parts / 2));
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
    fn every_constraint_is_in_one_item_and_who_works_at_once_shares_no_vertex() {
        for n in [2, 3, 8, 24] {
            let (tets, positions) = lattice(n);
            let Domains { meetings, items } = Domains::new(&tets, &positions);
            let mut all: Vec<u32> = items.iter().flatten().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, (0..tets.len() as u32).collect::<Vec<_>>());
            for meeting in meetings {
                let mut owner = vec![None; positions.len()];
                for (i, item) in items[meeting.clone()].iter().enumerate() {
                    for (c, color) in item.iter().enumerate() {
                        for &v in color.iter().flat_map(|&e| &tets[e as usize]) {
                            // Another item never; of this one, each colour once.
                            let before = owner[v as usize].replace((i, c));
                            let is_apart = |b: (usize, usize)| b.0 == i && b.1 != c;
                            assert!(before.is_none_or(is_apart), "{meeting:?}: vertex {v}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn threads_meet_seldom() {
        let (tets, positions) = lattice(24);
        let Domains { meetings, items } = Domains::new(&tets, &positions);
        assert!(meetings.len() <= MOST_CUTS + 1, "{}", meetings.len());
        // Most of the work is in the first meeting, and shared fairly.
        let work = |item: &Vec<Vec<u32>>| item.iter().map(Vec::len).sum::<usize>();
        let inside: Vec<usize> = items[meetings[0].clone()].iter().map(work).collect();
        let (all, most) = (inside.iter().sum::<usize>(), *inside.iter().max().expect("work"));
        assert!(inside.len() == 16 && 4 * all > 3 * tets.len(), "{all} of {}", tets.len());
        assert!(most * inside.len() < 2 * all, "{most} of {all}");
    }

    #[test]
    fn what_is_all_about_one_vertex_has_an_end() {
        let fan: Vec<[u32; 2]> = (1..6000).map(|v| [0, v]).collect();
        let positions: Vec<DVec3> = (0..6000).map(|v| DVec3::X * f64::from(v)).collect();
        let Domains { items, .. } = Domains::new(&fan, &positions);
        assert_eq!(items.iter().flatten().flatten().count(), fan.len());
    }
}
