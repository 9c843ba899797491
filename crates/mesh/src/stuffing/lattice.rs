//! The background grid: tetrahedra of the body-centred cubic lattice over an octree.
//!
//! Labelle and Shewchuk 2007, "Isosurface stuffing", section 4: across a face between equal cells
//! lie four tets, each with both centres and an edge of the face; where a neighbour is finer they
//! are cut in two or in four, and pyramids over the finer cells' faces are halved.

use super::octree::Octree;

/// A lattice tet of the finest level: two centres of cells, then two corners. The edges between
/// the first and between the last two are long (a side), the others short (√3/2 of it).
#[derive(Clone, Copy, Debug)]
pub struct Regular(pub [u32; 4]);

/// A tet that is not of the finest level, with the cells it lies in: it must not be cut.
#[derive(Clone, Copy, Debug)]
pub struct Graded {
    pub corners: [u32; 4],
    pub cells: [u32; 2],
}

/// A face towards a cell that has no tets: its vertices, and the centre behind it, must be outside.
#[derive(Clone, Copy, Debug)]
pub struct Rim {
    pub vertices: [u32; 5],
    pub cell: u32,
}

/// Vertices and tets of the grid, all positively oriented.
#[derive(Debug, Default)]
pub struct Lattice {
    /// Coordinates of the vertices in half cells, packed ([`pack`]), ascending.
    pub keys: Vec<u64>,
    pub regular: Vec<Regular>,
    pub graded: Vec<Graded>,
    pub rims: Vec<Rim>,
    /// Centre and corners of every active cell, by cell; `u32::MAX` elsewhere.
    vertices: Vec<[u32; 9]>,
}

/// The corners of a face in cyclic order, as bits along the two axes after the face's own.
const CYCLE: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];
const CENTER: usize = 8;

impl Lattice {
    pub fn new(tree: &Octree) -> Self {
        let leaves: Vec<u32> =
            tree.leaves().into_iter().filter(|&c| tree.cells[c as usize].active).collect();
        let mut keys = Vec::with_capacity(4 * leaves.len());
        for &leaf in &leaves {
            let cell = &tree.cells[leaf as usize];
            keys.push(pack(cell.center()));
            keys.extend((0..8).map(|corner| pack(cell.corner(corner))));
        }
        keys.sort_unstable();
        keys.dedup();
        let mut lattice = Lattice { keys, ..Lattice::default() };
        lattice.vertices = vec![[u32::MAX; 9]; tree.cells.len()];
        for &leaf in &leaves {
            let cell = &tree.cells[leaf as usize];
            let at = |coordinates| lattice.vertex(coordinates).unwrap_or(u32::MAX);
            let mut own = [0; 9];
            for (corner, vertex) in own[..8].iter_mut().enumerate() {
                *vertex = at(cell.corner(corner));
            }
            own[CENTER] = at(cell.center());
            lattice.vertices[leaf as usize] = own;
        }
        for &leaf in &leaves {
            for axis in 0..3 {
                for side in 0..2 {
                    lattice.add_face(tree, leaf, axis, side);
                }
            }
        }
        lattice
    }

    /// The number of the vertex with these coordinates.
    pub fn vertex(&self, at: [i32; 3]) -> Option<u32> {
        self.keys.binary_search(&pack(at)).ok().map(|v| v as u32)
    }

    /// The regular tet around a point (in half cells), and the weights of its corners; `None`
    /// where the grid is not of the finest level.
    pub fn locate(&self, tree: &Octree, point: [f64; 3]) -> Option<([u32; 4], [f64; 4])> {
        let leaf = tree.find(point.map(|x| x.floor() as i32), 0)?;
        let cell = &tree.cells[leaf as usize];
        if cell.level > 0 {
            return None;
        }
        let center = cell.center();
        let r: [f64; 3] = std::array::from_fn(|k| point[k] - f64::from(center[k]));
        // The face that the point is nearest to, then the edge of that face.
        let size = r.map(f64::abs);
        let axis = (1..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (a, b) = if size[u] >= size[v] { (u, v) } else { (v, u) };
        let bit = |k: usize| usize::from(r[k] > 0.0) << k;
        let edge = bit(axis) | bit(a);
        let mut across = center;
        across[axis] += if r[axis] > 0.0 { 2 } else { -2 };
        let other = tree.find(across, 0)?;
        if tree.cells[other as usize].level > 0 {
            return None;
        }
        let own = &self.vertices[leaf as usize];
        let corners =
            [own[CENTER], self.vertices[other as usize][CENTER], own[edge], own[edge | 1 << b]];
        let weights = [0.0, size[axis] - size[a], size[a] - r[b], size[a] + r[b]].map(|w| 0.5 * w);
        let rest = 1.0 - weights[1] - weights[2] - weights[3];
        Some((corners, [rest, weights[1], weights[2], weights[3]]))
    }

    fn add_face(&mut self, tree: &Octree, leaf: u32, axis: usize, side: usize) {
        let cell = &tree.cells[leaf as usize];
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let own = self.vertices[leaf as usize];
        let corner = |[i, j]: [usize; 2]| side << axis | i << u | j << v;
        let face = CYCLE.map(|c| own[corner(c)]);
        let center = own[CENTER];
        let mut across = cell.center();
        across[axis] += if side == 1 { cell.side() } else { -cell.side() };
        let Some(other) = tree.find(across, cell.level) else { return };
        let there = &tree.cells[other as usize];
        // Seen from the centre, the cycle runs one way on the one side and the other on the other.
        let turn = |[a, b, c, d]: [u32; 4]| if side == 1 { [a, b, c, d] } else { [a, b, d, c] };
        if there.is_leaf() && there.level == cell.level && there.active {
            if side == 0 {
                return;
            }
            let facing = self.vertices[other as usize][CENTER];
            for k in 0..4 {
                let (from, to) = (face[k], face[(k + 1) % 4]);
                if cell.level == 0 {
                    self.regular.push(Regular([center, facing, from, to]));
                    continue;
                }
                let (p, q) =
                    (cell.corner(corner(CYCLE[k])), cell.corner(corner(CYCLE[(k + 1) % 4])));
                let cells = [leaf, other];
                match self.vertex(middle(p, q)) {
                    Some(mid) => self.graded.extend(
                        [[from, mid], [mid, to]]
                            .map(|[a, b]| Graded { corners: [center, facing, a, b], cells }),
                    ),
                    None => self.graded.push(Graded { corners: [center, facing, from, to], cells }),
                }
            }
        } else if !there.is_leaf() {
            let ends = CYCLE.map(|c| cell.corner(corner(c)));
            let heart = self.vertex(middle(ends[0], ends[2]));
            let mids: [_; 4] =
                std::array::from_fn(|k| self.vertex(middle(ends[k], ends[(k + 1) % 4])));
            let (Some(heart), [Some(a), Some(b), Some(c), Some(d)]) = (heart, mids) else {
                // Finer cells that are not part of the grid: outside.
                let rim = [center, face[0], face[1], face[2], face[3]];
                self.rims.push(Rim { vertices: rim, cell: leaf });
                return;
            };
            for (k, mid) in [a, b, c, d].into_iter().enumerate() {
                let (from, to) = (face[k], face[(k + 1) % 4]);
                for [a, b] in [[from, mid], [mid, to]] {
                    let corners = turn([center, heart, a, b]);
                    self.graded.push(Graded { corners, cells: [leaf, leaf] });
                }
            }
        } else if there.active && there.level == cell.level + 1 {
            let mut heart = there.center();
            heart[axis] += if side == 1 { -there.side() / 2 } else { there.side() / 2 };
            let heart = self.vertex(heart);
            let Some(k) = face.iter().position(|&v| Some(v) == heart) else { return };
            let q = |i: usize| face[(k + i) % 4];
            for [a, b] in [[1, 2], [2, 3]] {
                let corners = turn([center, q(0), q(a), q(b)]);
                self.graded.push(Graded { corners, cells: [leaf, other] });
            }
        } else {
            let rim = [center, face[0], face[1], face[2], face[3]];
            let blame = if there.level > 0 { other } else { leaf };
            self.rims.push(Rim { vertices: rim, cell: blame });
        }
    }
}

fn middle(a: [i32; 3], b: [i32; 3]) -> [i32; 3] {
    std::array::from_fn(|k| (a[k] + b[k]) / 2)
}

/// Coordinates in 21 bits each.
pub fn pack([x, y, z]: [i32; 3]) -> u64 {
    (x as u64) | (y as u64) << 21 | (z as u64) << 42
}

/// What [`pack`] packed.
pub fn unpack(key: u64) -> [i32; 3] {
    [0, 21, 42].map(|shift| (key >> shift & 0x1f_ffff) as i32)
}
