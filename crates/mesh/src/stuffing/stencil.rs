//! From values on the lattice to tetrahedra inside: warp, cut, fill.
//!
//! Labelle and Shewchuk 2007, "Isosurface stuffing", section 3. A vertex that has a cut point very
//! near is moved onto it; what is left of each lattice tet is filled by one of a few patterns.
//! Dihedral angles are bounded for *any* values at the vertices, so values may be raised wherever
//! more is to be enclosed.

use glam::DVec3;

use super::lattice::{Lattice, Regular, unpack};
use super::octree::Frame;

/// A vertex is warped to a cut nearer than this part of a long or a short edge: the values for
/// which the paper proves dihedral angles between 10.7° and 164.8°.
const NEAR_LONG: f64 = 0.24999;
const NEAR_SHORT: f64 = 0.41189;

/// Tets inside, and where their vertices come from.
#[derive(Debug, Default)]
pub struct Filling {
    pub positions: Vec<DVec3>,
    pub tets: Vec<[u32; 4]>,
    /// Whether a vertex lies where the values change sign.
    pub on_boundary: Vec<bool>,
}

/// Cells that must be finer before the lattice can be cut.
pub type TooCoarse = Vec<u32>;

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Inside,
    Boundary,
    Outside,
}

/// Where a vertex is warped to.
#[derive(Clone, Copy)]
struct Warp {
    distance: f64,
    towards: u32,
    part: f64,
}

/// Fills the part of the lattice where `values` (one per vertex) are positive.
pub fn fill(lattice: &Lattice, frame: &Frame, values: &[f64]) -> Result<Filling, TooCoarse> {
    let warps = warps(lattice, values);
    let sides: Vec<Side> = (0..values.len())
        .map(|v| match (&warps[v], values[v] >= 0.0) {
            (Some(_), _) => Side::Boundary,
            (None, true) => Side::Inside,
            (None, false) => Side::Outside,
        })
        .collect();
    let coarse = too_coarse(lattice, &sides);
    if !coarse.is_empty() {
        return Err(coarse);
    }
    let cuts = cut_edges(lattice, &sides);
    let mut filler = Filler {
        lattice,
        sides: &sides,
        cuts: &cuts,
        positions: positions(lattice, frame, values, &warps, &cuts),
        tets: Vec::new(),
    };
    for tet in &lattice.graded {
        if sides[tet.corners[0] as usize] == Side::Inside {
            filler.tets.push(tet.corners);
        }
    }
    for tet in &lattice.regular {
        filler.add(tet);
    }
    let Filler { positions, tets, .. } = filler;
    let lattice_count = values.len();
    let on_boundary = |v: usize| v >= lattice_count || sides[v] == Side::Boundary;
    Ok(compact(&positions, tets, on_boundary))
}

impl Filling {
    /// Only some of the tets, and the vertices that they use.
    pub fn only(&self, tets: Vec<[u32; 4]>) -> Filling {
        compact(&self.positions, tets, |v| self.on_boundary[v])
    }
}

/// Where the sign changes along an edge, as a part of the way from the first end.
fn cut_part(from: f64, to: f64) -> f64 {
    from.abs() / (from.abs() + to.abs())
}

fn is_long(i: usize, j: usize) -> bool {
    matches!((i, j), (0, 1) | (2, 3))
}

fn edges() -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(|j| (0..j).map(move |i| (i, j)))
}

/// The nearest cut within reach of every vertex; ties go to the smaller number.
fn warps(lattice: &Lattice, values: &[f64]) -> Vec<Option<Warp>> {
    let mut warps: Vec<Option<Warp>> = vec![None; values.len()];
    for Regular(tet) in &lattice.regular {
        let inside = tet.map(|v| values[v as usize] >= 0.0);
        if inside.iter().all(|&i| i == inside[0]) {
            continue;
        }
        for (i, j) in edges().filter(|&(i, j)| inside[i] != inside[j]) {
            let (near, length) =
                if is_long(i, j) { (NEAR_LONG, 1.0) } else { (NEAR_SHORT, 0.75f64.sqrt()) };
            for (from, towards) in [(tet[i], tet[j]), (tet[j], tet[i])] {
                let part = cut_part(values[from as usize], values[towards as usize]);
                if part >= near {
                    continue;
                }
                let distance = part * length;
                let slot = &mut warps[from as usize];
                let better = slot.is_none_or(|w| (distance, towards) < (w.distance, w.towards));
                if better {
                    *slot = Some(Warp { distance, towards, part });
                }
            }
        }
    }
    warps
}

fn too_coarse(lattice: &Lattice, sides: &[Side]) -> TooCoarse {
    let mut cells = Vec::new();
    for tet in &lattice.graded {
        let own = tet.corners.map(|v| sides[v as usize]);
        if own.iter().any(|&s| s != own[0]) || own[0] == Side::Boundary {
            cells.extend(tet.cells);
        }
    }
    for rim in &lattice.rims {
        if rim.vertices.iter().any(|&v| sides[v as usize] != Side::Outside) {
            cells.push(rim.cell);
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Edges from inside to outside, the smaller vertex first, ascending: each has a cut point.
fn cut_edges(lattice: &Lattice, sides: &[Side]) -> Vec<(u32, u32)> {
    let mut cuts = Vec::new();
    for Regular(tet) in &lattice.regular {
        let own = tet.map(|v| sides[v as usize]);
        if !(own.contains(&Side::Inside) && own.contains(&Side::Outside)) {
            continue;
        }
        for (i, j) in edges() {
            if matches!(
                (own[i], own[j]),
                (Side::Inside, Side::Outside) | (Side::Outside, Side::Inside)
            ) {
                cuts.push((tet[i].min(tet[j]), tet[i].max(tet[j])));
            }
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

fn positions(
    lattice: &Lattice,
    frame: &Frame,
    values: &[f64],
    warps: &[Option<Warp>],
    cuts: &[(u32, u32)],
) -> Vec<DVec3> {
    let place = |v: u32| frame.place(unpack(lattice.keys[v as usize]));
    let own = (0u32..).zip(warps).map(|(v, warp)| match warp {
        Some(warp) => place(v).lerp(place(warp.towards), warp.part),
        None => place(v),
    });
    let cut = cuts
        .iter()
        .map(|&(a, b)| place(a).lerp(place(b), cut_part(values[a as usize], values[b as usize])));
    own.chain(cut).collect()
}

struct Filler<'a> {
    lattice: &'a Lattice,
    sides: &'a [Side],
    cuts: &'a [(u32, u32)],
    /// Of lattice vertices, then of cut points.
    positions: Vec<DVec3>,
    tets: Vec<[u32; 4]>,
}

impl Filler<'_> {
    fn add(&mut self, &Regular(tet): &Regular) {
        let sides = tet.map(|v| self.sides[v as usize]);
        let all = |side: Side| (0..4).filter(move |&i| sides[i] == side);
        let inside: Vec<usize> = all(Side::Inside).collect();
        let outside: Vec<usize> = all(Side::Outside).collect();
        match (&inside[..], &outside[..]) {
            ([], _) => {}
            (_, []) => self.tets.push(tet),
            (&[p], outside) => {
                let mut corners = tet;
                for &m in outside {
                    corners[m] = self.cut(tet[p], tet[m]);
                }
                self.tets.push(corners);
            }
            (&[a, b], &[c]) => {
                // A pyramid over a, b, and two cuts, with the boundary vertex as its top.
                let (ca, cb) = (self.cut(tet[a], tet[c]), self.cut(tet[b], tet[c]));
                let (mut first, mut second) = (tet, tet);
                if self.divides_first(&tet, a, b, c) {
                    first[c] = cb;
                    (second[b], second[c]) = (cb, ca);
                } else {
                    first[c] = ca;
                    (second[a], second[c]) = (ca, cb);
                }
                self.tets.extend([first, second]);
            }
            (&[a, b], &[c, d]) => {
                let cut = |p: usize, m: usize| self.cut(tet[p], tet[m]);
                let front = [tet[a], cut(a, c), cut(a, d)];
                let back = [tet[b], cut(b, c), cut(b, d)];
                let (to_c, to_d) =
                    (self.divides_first(&tet, a, b, c), self.divides_first(&tet, a, b, d));
                // The last diagonal is free: the shorter one, unless the others decide.
                let length = |p: u32, q: u32| {
                    self.positions[p as usize].distance_squared(self.positions[q as usize])
                };
                let free = length(front[1], back[2]) <= length(front[2], back[1]);
                let last = if to_c == to_d { free } else { to_d };
                self.prism(front, back, [to_c, to_d, last]);
            }
            (&[a, b, c], &[d]) => {
                let front = [tet[a], tet[b], tet[c]];
                let back = [a, b, c].map(|p| self.cut(tet[p], tet[d]));
                let diagonals = [
                    self.divides_first(&tet, a, b, d),
                    self.divides_first(&tet, a, c, d),
                    self.divides_first(&tet, b, c, d),
                ];
                self.prism(front, back, diagonals);
            }
            // More than four corners do not exist.
            _ => {}
        }
    }

    /// Whether the quadrilateral of a, b and the cuts towards c is divided from a.
    ///
    /// Where one of the cut edges is long, the diagonal ends at its cut; where none is, a parity
    /// of the lattice decides, the same for both tets at the face.
    fn divides_first(&self, tet: &[u32; 4], a: usize, b: usize, c: usize) -> bool {
        let long = |i: usize, j: usize| is_long(i.min(j), i.max(j));
        if long(a, c) {
            return false;
        }
        if long(b, c) {
            return true;
        }
        let at = |i: usize| unpack(self.lattice.keys[tet[i] as usize]).map(|x| x >> 1);
        let (p, q, r) = (at(a), at(b), at(c));
        let axis = (0..3).find(|&k| p[k] != q[k]).unwrap_or(0);
        let parity = p[axis] + r[(axis + 1) % 3] + r[(axis + 2) % 3];
        parity & 1 == 0
    }

    /// Three tets between two triangles. Diagonals belong to the sides 01, 02 and 12; true is
    /// from the front vertex with the smaller number.
    fn prism(&mut self, front: [u32; 3], back: [u32; 3], diagonals: [bool; 3]) {
        // "From i to j" puts i before j; the rules above make no cycles.
        let mut before = [0; 3];
        for ([i, j], from_first) in [[0, 1], [0, 2], [1, 2]].into_iter().zip(diagonals) {
            before[if from_first { j } else { i }] += 1;
        }
        let mut order = [0, 1, 2];
        order.sort_by_key(|&i: &usize| before[i]);
        let [x, y, z] = order;
        for tet in [
            [front[x], front[y], front[z], back[z]],
            [front[x], front[y], back[y], back[z]],
            [front[x], back[x], back[y], back[z]],
        ] {
            self.push_oriented(tet);
        }
    }

    fn push_oriented(&mut self, tet: [u32; 4]) {
        let volume = crate::mesh::signed_volume(tet.map(|v| self.positions[v as usize]));
        let [a, b, c, d] = tet;
        self.tets.push(if volume >= 0.0 { tet } else { [a, b, d, c] });
    }

    fn cut(&self, a: u32, b: u32) -> u32 {
        let at = self.cuts.binary_search(&(a.min(b), a.max(b)));
        // Every edge from inside to outside is in the list.
        (self.lattice.keys.len() + at.unwrap_or(0)) as u32
    }
}

/// Keeps vertices that tets use, numbered in the order of their first use.
fn compact(
    positions: &[DVec3],
    mut tets: Vec<[u32; 4]>,
    on_boundary: impl Fn(usize) -> bool,
) -> Filling {
    let mut number = vec![u32::MAX; positions.len()];
    let mut filling = Filling::default();
    for vertex in tets.iter_mut().flatten() {
        let slot = &mut number[*vertex as usize];
        if *slot == u32::MAX {
            *slot = filling.positions.len() as u32;
            filling.positions.push(positions[*vertex as usize]);
            filling.on_boundary.push(on_boundary(*vertex as usize));
        }
        *vertex = *slot;
    }
    filling.tets = tets;
    filling
}

#[cfg(test)]
mod tests;
