//! Cells of an octree: fine where a boundary passes, coarse inside, absent outside.
//!
//! Coordinates are integers in *half cells* of the finest level, so that centres of cells have
//! some, too: corners of finest cells are even, their centres odd.

use glam::DVec3;
use pliant_math::team::Team;

use super::field::Field;
use crate::error::MeshError;
use crate::signed_distance::evaluate;

/// Where the lattice lies in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The corner with the least coordinates (m).
    pub base: DVec3,
    /// Side of a finest cell (m).
    pub size: f64,
}

impl Frame {
    /// The place of integer coordinates (m).
    pub fn place(&self, at: [i32; 3]) -> DVec3 {
        self.base
            + 0.5 * self.size * DVec3::new(f64::from(at[0]), f64::from(at[1]), f64::from(at[2]))
    }

    /// Coordinates of a place, in half cells.
    pub fn coordinates(&self, place: DVec3) -> DVec3 {
        (place - self.base) / (0.5 * self.size)
    }
}

/// A cube of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The corner with the least coordinates.
    pub origin: [i32; 3],
    /// 0 for the finest, sides doubling with every level.
    pub level: u8,
    /// The first of eight children; 0 for a leaf.
    pub children: u32,
    /// Whether it is a finest cell, or a coarser one inside.
    pub active: bool,
}

impl Cell {
    /// Side in half cells.
    pub fn side(&self) -> i32 {
        2 << self.level
    }

    /// Coordinates of the centre.
    pub fn center(&self) -> [i32; 3] {
        self.origin.map(|x| x + self.side() / 2)
    }

    /// Coordinates of a corner: bits 0, 1, 2 of `corner` say which side along x, y, z.
    pub fn corner(&self, corner: usize) -> [i32; 3] {
        std::array::from_fn(|k| self.origin[k] + if corner >> k & 1 == 1 { self.side() } else { 0 })
    }

    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }
}

/// The tree. Cell 0 is the root.
#[derive(Clone, Debug)]
pub struct Octree {
    pub frame: Frame,
    pub cells: Vec<Cell>,
}

/// Finest cells within this many sides of the boundary are always there.
const MARGIN: f64 = 1.0;
/// The most cells: about a hundred million tets.
const MOST_CELLS: usize = 16_000_000;

impl Octree {
    /// A tree of `2^depth` finest cells a side over a field, where `coarsest` is the highest
    /// level of a cell inside.
    pub fn new(
        frame: Frame,
        depth: u8,
        coarsest: u8,
        field: &dyn Field,
        team: &Team,
    ) -> Result<Self, MeshError> {
        let root = Cell { origin: [0; 3], level: depth, children: 0, active: false };
        let mut tree = Octree { frame, cells: vec![root] };
        let mut open = vec![0u32];
        while !open.is_empty() {
            let asked: Vec<Cell> = open.iter().map(|&c| tree.cells[c as usize]).collect();
            let answers = evaluate(&asked, team, |cell| classify(&frame, &cell, coarsest, field));
            let mut next = Vec::new();
            for (&c, answer) in open.iter().zip(answers) {
                match answer {
                    Answer::Split => next.extend(tree.split(c)?),
                    Answer::Inside => tree.cells[c as usize].active = true,
                    Answer::Outside => {}
                }
            }
            open = next;
        }
        tree.balance(field, coarsest, team)?;
        Ok(tree)
    }

    /// Splits leaves, then restores the balance.
    pub fn refine(
        &mut self,
        leaves: &[u32],
        field: &dyn Field,
        coarsest: u8,
        team: &Team,
    ) -> Result<(), MeshError> {
        for &leaf in leaves {
            let cell = self.cells[leaf as usize];
            if cell.is_leaf() && cell.level > 0 {
                let children = self.split(leaf)?;
                self.settle(children, field, team);
            }
        }
        self.balance(field, coarsest, team)
    }

    /// The smallest cell of at least `level` that holds a point; `None` outside the root.
    pub fn find(&self, at: [i32; 3], level: u8) -> Option<u32> {
        let side = self.cells[0].side();
        if at.iter().any(|x| !(0..side).contains(x)) {
            return None;
        }
        let mut index = 0;
        loop {
            let cell = &self.cells[index as usize];
            if cell.is_leaf() || cell.level <= level {
                return Some(index);
            }
            let half = cell.side() / 2;
            let octant: u32 = (0..3).map(|k| u32::from(at[k] >= cell.origin[k] + half) << k).sum();
            index = cell.children + octant;
        }
    }

    /// Leaves in an order in which neighbours are close.
    pub fn leaves(&self) -> Vec<u32> {
        let mut leaves = Vec::new();
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let cell = &self.cells[index as usize];
            if cell.is_leaf() {
                leaves.push(index);
            } else {
                stack.extend((cell.children..cell.children + 8).rev());
            }
        }
        leaves
    }

    fn split(&mut self, index: u32) -> Result<std::ops::Range<u32>, MeshError> {
        let cell = self.cells[index as usize];
        let first = self.cells.len() as u32;
        if self.cells.len() + 8 > MOST_CELLS {
            return Err(MeshError::TooManyElements {
                shape: "tetrahedralisation",
                limit: 6 * MOST_CELLS,
            });
        }
        self.cells[index as usize].children = first;
        self.cells[index as usize].active = false;
        let half = cell.side() / 2;
        for octant in 0..8 {
            let origin = std::array::from_fn(|k| cell.origin[k] + half * (octant >> k & 1));
            let level = cell.level - 1;
            self.cells.push(Cell { origin, level, children: 0, active: level == 0 });
        }
        Ok(first..first + 8)
    }

    /// Decides which of new leaves are active.
    fn settle(&mut self, leaves: std::ops::Range<u32>, field: &dyn Field, team: &Team) {
        let ids: Vec<u32> = leaves.collect();
        let places: Vec<DVec3> =
            ids.iter().map(|&c| self.frame.place(self.cells[c as usize].center())).collect();
        let inside = evaluate(&places, team, |p| field.value(p) > 0.0);
        for (&c, inside) in ids.iter().zip(inside) {
            let cell = &mut self.cells[c as usize];
            cell.active = cell.level == 0 || inside;
        }
    }

    /// Splits active cells until none has a neighbour across a face or an edge that is more than
    /// one level finer.
    fn balance(&mut self, field: &dyn Field, coarsest: u8, team: &Team) -> Result<(), MeshError> {
        loop {
            let mut marked = Vec::new();
            for leaf in self.leaves() {
                let cell = self.cells[leaf as usize];
                if cell.active && cell.level > coarsest {
                    marked.push(leaf);
                }
                if !cell.active || cell.level + 1 >= self.cells[0].level {
                    continue;
                }
                for to in directions() {
                    let center = cell.center();
                    let at = std::array::from_fn(|k| center[k] + to[k] * cell.side());
                    let Some(found) = self.find(at, cell.level) else { continue };
                    let there = &self.cells[found as usize];
                    if there.is_leaf() && there.active && there.level > cell.level + 1 {
                        marked.push(found);
                    }
                }
            }
            if marked.is_empty() {
                return Ok(());
            }
            marked.sort_unstable();
            marked.dedup();
            let first = self.cells.len() as u32;
            for leaf in marked {
                self.split(leaf)?;
            }
            self.settle(first..self.cells.len() as u32, field, team);
        }
    }
}

/// Towards the neighbours across faces and edges.
fn directions() -> impl Iterator<Item = [i32; 3]> {
    let steps = -1..=1;
    steps
        .clone()
        .flat_map(move |x| {
            let steps = steps.clone();
            steps.clone().flat_map(move |y| steps.clone().map(move |z| [x, y, z]))
        })
        .filter(|to| matches!(to.iter().filter(|x| **x != 0).count(), 1 | 2))
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Answer {
    Split,
    Inside,
    #[default]
    Outside,
}

fn classify(frame: &Frame, cell: &Cell, coarsest: u8, field: &dyn Field) -> Answer {
    if cell.level == 0 {
        return Answer::Inside;
    }
    let center = frame.place(cell.center());
    let half = 0.25 * frame.size * f64::from(cell.side());
    let margin = MARGIN * frame.size;
    if let Some(near) = field.closest(center, 3f64.sqrt() * (half + margin))
        && (near - center).abs().max_element() <= half + margin
    {
        return Answer::Split;
    }
    let value = field.value(center);
    // Far from any surface the sign changes only where the surface is open: there, the value
    // is not at its limits.
    let uncertain = value.abs() < 0.9 * field.limit();
    let turns =
        |corner: usize| (field.value(frame.place(cell.corner(corner))) > 0.0) != (value > 0.0);
    if (uncertain && (0..8).any(turns)) || (value > 0.0 && cell.level > coarsest) {
        return Answer::Split;
    }
    if value > 0.0 { Answer::Inside } else { Answer::Outside }
}
