//! Raising values on the lattice until a surface is enclosed.

use glam::DVec3;

use super::lattice::{Lattice, Regular};
use super::octree::{Frame, Octree};
use super::stencil::TooCoarse;
use crate::mesh::Mesh;

/// A place that the tets must reach.
#[derive(Clone, Copy, Debug)]
struct Demand {
    /// In half cells.
    at: [f64; 3],
    /// The least value there (m).
    value: f64,
    /// Places between vertices are content with a tet that reaches their cell.
    strict: bool,
}

/// Everything that the tets must reach.
#[derive(Debug)]
pub struct Cover {
    frame: Frame,
    demands: Vec<Demand>,
    links: Vec<[DVec3; 2]>,
    /// Places that stuck out, and in how many rounds before the last.
    insisted: Vec<([u64; 3], u32)>,
}

/// Enclosed vertices are this deep, in cells: rounding and warping take less.
const DEPTH: f64 = 0.004;
/// What still sticks out is asked to be this much deeper, threefold every round, in cells.
const DEEPER: f64 = 0.04;
/// After so many rounds the lattice tet around it is filled whole.
const GENTLE_ROUNDS: u32 = 3;
/// How far a place between vertices may stick out where the surface has an inside, in cells.
const LENIENT: f64 = 0.1;
/// Where no vertex of the lattice nearby is deeper inside than this, in cells, the body is thin:
/// places on it are made as deep, so that neighbours are enclosed together.
const THIN: f64 = 0.15;
/// And one vertex around each is made as deep as this. A neighbour's value is −1 at least, so that
/// the cut is at 0.43 of the edge or further: the vertex is not warped onto it, and its tets stay.
const HEART: f64 = 0.75;
/// Places between vertices are this far apart, in cells.
const SPACING: f64 = 0.5;

impl Cover {
    /// The vertices of all triangles, and places on those that are larger than cells.
    pub fn new(mesh: &Mesh, frame: &Frame) -> Self {
        let mut vertices: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let demand = |p: DVec3, strict: bool| Demand {
            at: frame.coordinates(p).to_array(),
            value: DEPTH * frame.size,
            strict,
        };
        let mut demands: Vec<Demand> =
            vertices.iter().map(|&v| demand(mesh.positions[v as usize], true)).collect();
        let mut links: Vec<[DVec3; 2]> = Vec::new();
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
            links.extend([[a, b], [b, c], [c, a]]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let count = (longest / (SPACING * frame.size)).ceil();
            if count < 2.0 {
                continue;
            }
            // Along the shorter direction fewer would do; equal rows are simpler, and few
            // triangles are both large and thin.
            let count = count.min(1e5) as u32;
            let at = |i: u32, j: u32| {
                let (u, v) = (f64::from(i) / f64::from(count), f64::from(j) / f64::from(count));
                u * a + v * b + (1.0 - u - v) * c
            };
            for i in 0..=count {
                for j in 0..=count - i {
                    demands.push(demand(at(i, j), false));
                    if i + j < count {
                        links.extend([[at(i, j), at(i + 1, j)], [at(i, j), at(i, j + 1)]]);
                    }
                }
            }
        }
        Cover { frame: *frame, demands, links, insisted: Vec::new() }
    }

    /// Pairs of places that the surface joins (m).
    pub fn links(&self) -> &[[DVec3; 2]] {
        &self.links
    }

    /// Everything that is to be reached (m).
    pub fn places(&self) -> Vec<DVec3> {
        self.demands.iter().map(|demand| self.place(demand)).collect()
    }

    /// Places between vertices where the body is thin: without tets there it would have holes.
    pub fn thin_places(&self, tree: &Octree, lattice: &Lattice, near_depth: &[bool]) -> Vec<DVec3> {
        let is_thin = |demand: &&Demand| {
            let corners = lattice.locate(tree, demand.at).map(|(corners, _)| corners);
            !demand.strict && corners.is_some_and(|c| c.iter().all(|&v| !near_depth[v as usize]))
        };
        self.demands.iter().filter(is_thin).map(|demand| self.place(demand)).collect()
    }

    fn place(&self, demand: &Demand) -> DVec3 {
        self.frame.base + 0.5 * self.frame.size * DVec3::from_array(demand.at)
    }

    /// Asks for more around places that still stick out: gently in the first rounds of each, then
    /// by filling lattice tets whole.
    pub fn insist(&mut self, places: impl Iterator<Item = DVec3>) {
        // Vertices that share a place ask once.
        let mut keys: Vec<[u64; 3]> = places.map(|p| p.to_array().map(f64::to_bits)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut new = Vec::new();
        for key in keys {
            match self.insisted.binary_search_by_key(&key, |i| i.0) {
                Ok(at) => self.insisted[at].1 += 1,
                Err(_) => new.push((key, 0)),
            }
        }
        self.insisted.append(&mut new);
        self.insisted.sort_unstable();
    }

    /// The values, raised: least where least is asked.
    pub fn raise(
        &self,
        tree: &Octree,
        lattice: &Lattice,
        natural: &[f64],
        near_depth: &[bool],
    ) -> Result<Vec<f64>, TooCoarse> {
        let mut raise = vec![0.0f64; natural.len()];
        let mut coarse = Vec::new();
        let mut meet = |demand: &Demand, whole: bool| {
            let Some((corners, weights)) = lattice.locate(tree, demand.at) else {
                coarse.extend(coarse_cells(tree, demand.at));
                return;
            };
            let values = corners.map(|v| natural[v as usize]);
            let here: f64 = (0..4).map(|k| weights[k] * values[k]).sum();
            let thin = corners.iter().all(|&v| !near_depth[v as usize]);
            let asked = match (thin, demand.strict) {
                (true, _) => demand.value.max(THIN * self.frame.size),
                (false, true) => demand.value,
                (false, false) => -LENIENT * self.frame.size,
            };
            let highest = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
            let heart = if thin { HEART * self.frame.size - highest } else { f64::NEG_INFINITY };
            for (v, value) in corners.into_iter().zip(values) {
                let by = if whole { self.frame.size - value } else { heart.max(asked - here) };
                let slot = &mut raise[v as usize];
                *slot = slot.max(by);
            }
        };
        self.demands.iter().for_each(|demand| meet(demand, false));
        for &(key, round) in &self.insisted {
            let at = self.frame.coordinates(DVec3::from_array(key.map(f64::from_bits))).to_array();
            let depth = DEPTH + DEEPER * 3f64.powi(round.min(GENTLE_ROUNDS) as i32);
            let demand = Demand { at, value: depth * self.frame.size, strict: true };
            meet(&demand, round >= GENTLE_ROUNDS);
        }
        if !coarse.is_empty() {
            coarse.sort_unstable();
            coarse.dedup();
            return Err(coarse);
        }
        Ok(natural.iter().zip(&raise).map(|(v, r)| v + r).collect())
    }
}

/// Vertices within two edges of one that is well inside: around all others the body is thin.
pub fn near_depth(lattice: &Lattice, frame: &Frame, natural: &[f64]) -> Vec<bool> {
    let mut near: Vec<bool> = natural.iter().map(|v| *v > THIN * frame.size).collect();
    for _ in 0..2 {
        let before = near.clone();
        for Regular(tet) in &lattice.regular {
            if tet.iter().any(|&v| before[v as usize]) {
                tet.iter().for_each(|&v| near[v as usize] = true);
            }
        }
    }
    near
}

/// Cells around a point that are not of the finest level.
fn coarse_cells(tree: &Octree, at: [f64; 3]) -> Vec<u32> {
    let middle = at.map(|x| x.floor() as i32);
    let mut cells = Vec::new();
    for axis in 0..3 {
        for step in [-2, 0, 2] {
            let mut place = middle;
            place[axis] += step;
            cells.extend(tree.find(place, 0).filter(|&c| tree.cells[c as usize].level > 0));
        }
    }
    cells
}
