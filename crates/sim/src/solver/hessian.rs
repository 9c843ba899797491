//! Assembly of the Newton matrix κM + ∇²E over the free vertices, into fixed slots.
//!
//! The matrix is made of 3×3 blocks. Element Hessians are computed in parallel into one array;
//! every block then sums its contributions in a fixed order: the same bits for any number of
//! threads, and no search for slots.

use std::cmp::Ordering;

use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::{SharedSlice, Team};
use pliant_math::{MathError, Row};
use pliant_model::Model;
use pliant_model::potentials::Curvature;
use pliant_model::touching::{Touch, Touching};

use super::contact::couplings::Couplings;
use crate::objective::Objective;

/// Where everything goes.
pub struct HessianLayout {
    /// The 3n×3n matrix; its values are overwritten by each assembly.
    matrix: SymmetricMatrix,
    blocks: Vec<Block>,
    /// Contributions of block b: `sources[starts[b]..starts[b + 1]]`.
    starts: Vec<u32>,
    sources: Vec<Source>,
    /// First number of each task's element Hessians.
    task_starts: Vec<usize>,
    elements: Vec<f64>,
    touching: Touching,
    ends: Vec<Row>,
    couplings: Couplings,
    /// Whether the last assembly has bounds of what joins vertices.
    has_bounds: bool,
    /// Blocks of vertex v's rows, both halves: `row_blocks[row_starts[v]..row_starts[v + 1]]`.
    row_starts: Vec<u32>,
    row_blocks: Vec<RowBlock>,
}

/// A block in a row: the vertex of its columns, and which it is in the lower half.
#[derive(Clone, Copy)]
struct RowBlock {
    column: u32,
    block: u32,
}

struct Block {
    /// Slots of the first stored entry of the block's three columns.
    slots: [usize; 3],
    /// On the diagonal: the vertex, whose inertia is added and whose upper half is not stored.
    diagonal: Option<u32>,
}

/// A 3×3 block inside an element Hessian: its first number and the row length.
#[derive(Clone, Copy)]
struct Source {
    at: usize,
    row: u32,
}

impl HessianLayout {
    /// The layout for a model.
    pub fn new(model: &Model) -> Result<Self, MathError> {
        let (field, free) = (model.field(), model.free_count());
        // (row vertex, column vertex, where): sorted by block, ties in element order.
        let mut pairs: Vec<(u32, u32, Source)> = Vec::new();
        let mut task_starts = vec![0];
        for task in 0..field.task_count() {
            let chunk = field.task_chunk(task);
            let (k, mut at) = (chunk.corners, task_starts[task]);
            for corners in chunk.elements.chunks_exact(k) {
                for (a, &i) in corners.iter().enumerate() {
                    for (b, &j) in corners.iter().enumerate() {
                        if (i as usize) < free && j <= i {
                            let source = Source { at: at + 9 * a * k + 3 * b, row: 3 * k as u32 };
                            pairs.push((j, i, source));
                        }
                    }
                }
                at += 9 * k * k;
            }
            task_starts.push(at);
        }
        pairs.sort_by_key(|&(j, i, source)| (j, i, source.at));
        let mut wanted: Vec<(u32, u32)> = pairs.iter().map(|&(j, i, _)| (j, i)).collect();
        wanted.extend((0..free as u32).map(|v| (v, v)));
        wanted.sort_unstable();
        wanted.dedup();
        let entries = wanted.iter().flat_map(|&(j, i)| {
            (0..9).map(move |e| (3 * i as usize + e / 3, 3 * j as usize + e % 3))
        });
        let lower = entries.filter(|(row, column)| row >= column).map(|(r, c)| (r, c, 0.0));
        let matrix = SymmetricMatrix::from_triplets(3 * free, lower)?;
        let slot = |row: usize, column: usize| {
            matrix.slot(row, column).ok_or(MathError::OutOfRange { row, column, size: 3 * free })
        };
        let (mut blocks, mut starts, mut sources) = (Vec::new(), vec![0], Vec::new());
        let mut next = pairs.iter().peekable();
        for &(j, i) in &wanted {
            let (row, column) = (3 * i as usize, 3 * j as usize);
            let mut slots = [0; 3];
            for (c, s) in slots.iter_mut().enumerate() {
                *s = slot(if i == j { row + c } else { row }, column + c)?;
            }
            blocks.push(Block { slots, diagonal: (i == j).then_some(i) });
            while let Some(&(_, _, source)) = next.next_if(|&&(pj, pi, _)| (pj, pi) == (j, i)) {
                sources.push(source);
            }
            starts.push(sources.len() as u32);
        }
        let (row_starts, row_blocks) = rows_of_blocks(free, &wanted);
        Ok(HessianLayout {
            matrix,
            blocks,
            starts,
            sources,
            elements: vec![0.0; task_starts[field.task_count()]],
            task_starts,
            touching: Touching::default(),
            ends: Vec::new(),
            couplings: Couplings::default(),
            has_bounds: true,
            row_starts,
            row_blocks,
        })
    }

    /// The matrix's pattern, with the values of the last assembly.
    pub fn matrix(&self) -> &SymmetricMatrix {
        &self.matrix
    }

    /// Its values, for those who mix two assemblies.
    pub fn values_mut(&mut self) -> &mut [f64] {
        self.matrix.values_mut()
    }

    /// κM + ∇²E at `p`, plus `shift` times the identity; with the energies of those tasks that
    /// `counts` says.
    pub fn assemble(
        &mut self,
        objective: &Objective,
        p: &[Row],
        curvature: Curvature,
        shift: f64,
        counts: &(dyn Fn(usize) -> bool + Sync),
        team: &Team,
    ) {
        let field = objective.model.field();
        self.has_bounds = true;
        objective.find_touches(p, &mut self.touching, &mut self.ends, team);
        let at = objective.situation(p, self.touching.touches());
        let (elements, task_starts) = (SharedSlice::new(&mut self.elements), &self.task_starts);
        team.each(field.task_count(), &|t, _| {
            // SAFETY: each task writes its own range.
            let out = unsafe { elements.range(task_starts[t], task_starts[t + 1]) };
            if counts(t) {
                field.hessians(t, &at, curvature, out);
            } else {
                out.fill(0.0);
            }
        });
        let masses = objective.model.masses();
        let values = SharedSlice::new(self.matrix.values_mut());
        let (blocks, starts, sources, elements) =
            (&self.blocks, &self.starts, &self.sources, &self.elements);
        const GROUP: usize = 512;
        team.each(blocks.len().div_ceil(GROUP), &|group, _| {
            for b in group * GROUP..((group + 1) * GROUP).min(blocks.len()) {
                let mut sum = [[0.0; 3]; 3];
                for source in &sources[starts[b] as usize..starts[b + 1] as usize] {
                    for (i, row) in sum.iter_mut().enumerate() {
                        let from = source.at + i * source.row as usize;
                        for (value, e) in row.iter_mut().zip(&elements[from..from + 3]) {
                            *value += e;
                        }
                    }
                }
                let inertia =
                    blocks[b].diagonal.map(|v| objective.kappa * masses[v as usize] + shift);
                for c in 0..3 {
                    let first = if inertia.is_some() { c } else { 0 };
                    for r in first..3 {
                        let extra = if r == c { inertia.unwrap_or(0.0) } else { 0.0 };
                        // SAFETY: a block's slots are its own.
                        unsafe { *values.at(blocks[b].slots[c] + r - first) = sum[r][c] + extra }
                    }
                }
            }
        });
    }

    /// The same without what joins vertices, not even by a bound.
    pub fn assemble_apart(
        &mut self,
        objective: &Objective,
        p: &[Row],
        curvature: Curvature,
        team: &Team,
    ) {
        let field = objective.model.field();
        self.assemble(objective, p, curvature, 0.0, &|task| !field.couples_vertices(task), team);
        self.has_bounds = false;
    }

    /// What joins vertices, where it has been looked up.
    pub(super) fn couplings(&self) -> &Couplings {
        &self.couplings
    }

    /// Whether the last assembly bounds it on the diagonal.
    pub fn has_bounds(&self) -> bool {
        self.has_bounds
    }

    /// Looks up what joins vertices at `p`, where the last assembly was, and says whether anything
    /// does; products by [`HessianLayout::multiply_row`] lack it.
    pub fn couple(&mut self, objective: &Objective, p: &[Row], curvature: Curvature) -> bool {
        let at = objective.situation(p, self.touching.touches());
        self.couplings.find(objective, &at, curvature);
        !self.couplings.is_empty()
    }

    /// Whether that has found anything.
    pub fn is_coupled(&self) -> bool {
        !self.couplings.is_empty()
    }

    /// What touched at the last assembly.
    pub fn touches(&self) -> &[Touch] {
        self.touching.touches()
    }

    /// Adds to a product what [`HessianLayout::couple`] has found.
    pub fn add_couplings(&self, x: &[Row], out: &mut [Row]) {
        self.couplings.add_product(self.has_bounds, x, out);
    }

    /// Three rows of the last assembly's matrix, those of a free vertex, times a vector.
    #[inline]
    pub fn multiply_row(&self, vertex: usize, x: &[Row]) -> Row {
        let values = self.matrix.values();
        let own = self.row_starts[vertex] as usize..self.row_starts[vertex + 1] as usize;
        let mut sum = [0.0; 3];
        for &RowBlock { column, block } in &self.row_blocks[own] {
            let Row([x, y, z, _]) = x[column as usize];
            let [a, b, c] = self.blocks[block as usize].slots;
            let entries = match (column as usize).cmp(&vertex) {
                // Columns of three below the diagonal, and their transpose above it.
                Ordering::Less => [0, 1, 2].map(|r| [values[a + r], values[b + r], values[c + r]]),
                Ordering::Greater => [a, b, c].map(|s| [values[s], values[s + 1], values[s + 2]]),
                Ordering::Equal => [
                    [values[a], values[a + 1], values[a + 2]],
                    [values[a + 1], values[b], values[b + 1]],
                    [values[a + 2], values[b + 1], values[c]],
                ],
            };
            for (sum, [ex, ey, ez]) in sum.iter_mut().zip(entries) {
                // Not fused: outside of kernels that is a call.
                *sum += ex * x + ey * y + ez * z;
            }
        }
        Row::new(sum[0], sum[1], sum[2])
    }

    /// Adds ∇²E of the last assembly times vectors of *all* vertices, to the free ones' numbers.
    pub fn multiply_elements(&self, model: &Model, vectors: &[Row], out: &mut [f64]) {
        let field = model.field();
        for task in 0..field.task_count() {
            let chunk = field.task_chunk(task);
            let k = chunk.corners;
            let hessians = self.elements[self.task_starts[task]..].chunks_exact(9 * k * k);
            for (corners, hessian) in chunk.elements.chunks_exact(k).zip(hessians) {
                for (row, entries) in hessian.chunks_exact(3 * k).enumerate() {
                    let to = 3 * corners[row / 3] as usize + row % 3;
                    if let Some(out) = out.get_mut(to) {
                        for (&v, entries) in corners.iter().zip(entries.chunks_exact(3)) {
                            let Row([x, y, z, _]) = vectors[v as usize];
                            *out += entries[0] * x + entries[1] * y + entries[2] * z;
                        }
                    }
                }
            }
        }
    }
}

/// For every vertex the blocks of its rows in ascending columns, from (column, row) of the blocks
/// in the lower half, which are sorted.
fn rows_of_blocks(free: usize, lower: &[(u32, u32)]) -> (Vec<u32>, Vec<RowBlock>) {
    let mut all: Vec<(u32, RowBlock)> = Vec::with_capacity(2 * lower.len());
    for (block, &(j, i)) in (0..).zip(lower) {
        all.push((i, RowBlock { column: j, block }));
        if i != j {
            all.push((j, RowBlock { column: i, block }));
        }
    }
    all.sort_unstable_by_key(|(row, b)| (*row, b.column));
    let mut starts = vec![0; free + 1];
    all.iter().for_each(|(row, _)| starts[*row as usize + 1] += 1);
    for v in 0..free {
        starts[v + 1] += starts[v];
    }
    (starts, all.into_iter().map(|(_, block)| block).collect())
}
