//! The two sweeps of a solve, as kernels.
//!
//! Forward, children first: [z; u] = P b, where b is the panel's right-hand side with its
//! children's updates, z replaces it, and u is the update for the parent. Backward, parents
//! first: x = Pᵀ [z; t] with t the solution at the panel's rows.

use super::panel::{Node, PanelCholesky, PanelReal};
use super::side::Side;
use super::tiles::Tiles;
use crate::lanes::{Kernel, Lanes};
use crate::row::{Buffer, Zeroable};
use crate::team::SharedSlice;

/// Which sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Children before parents.
    Forward,
    /// Parents before children.
    Backward,
}

/// Inputs and outputs of one panel, with room for a whole tile at the end.
pub(super) struct Front<S: Copy> {
    input: Buffer<S>,
    output: Buffer<S>,
}

impl<S: Zeroable> Front<S> {
    pub fn new(rows: usize) -> Self {
        Front { input: Buffer::zeroed(rows), output: Buffer::zeroed(rows) }
    }

    pub fn share(&mut self) -> SharedFront<'_, S> {
        SharedFront {
            input: SharedSlice::new(&mut self.input),
            output: SharedSlice::new(&mut self.output),
        }
    }
}

/// A [`Front`] whose output is written by several threads.
#[derive(Clone, Copy)]
pub struct SharedFront<'a, S> {
    input: SharedSlice<'a, S>,
    output: SharedSlice<'a, S>,
}

/// What a sweep reads and writes: the right-hand side, which becomes the solution, and the
/// updates between panels.
#[derive(Clone, Copy)]
pub struct Vectors<'a, S> {
    pub(super) x: SharedSlice<'a, S>,
    pub(super) updates: SharedSlice<'a, S>,
}

/// A kernel over panels. Its contract: the vectors and the front are as long as the factor
/// needs, and nobody else touches the parts that its panels read and write.
#[derive(Clone, Copy)]
pub struct Sweep<'a, E: PanelReal, S> {
    pub(super) factor: &'a PanelCholesky<E>,
    pub(super) direction: Direction,
    pub(super) front: SharedFront<'a, S>,
    pub(super) part: Part<'a, S>,
}

/// How much of the tree a kernel does.
#[derive(Clone, Copy)]
pub(super) enum Part<'a, S> {
    /// Several panels; the list has children first.
    Panels(&'a [u32], Vectors<'a, S>),
    /// Some tiles of one panel, from its assembled input to its output.
    Tiles { panel: u32, first: usize, end: usize },
}

impl<E: PanelReal, S: Side<E>, L: Lanes<Real = E>> Kernel<L> for Sweep<'_, E, S> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Sweep { factor, direction, front, part } = self;
        // SAFETY: the contract of `Sweep`; the instruction set is enabled.
        unsafe {
            match (part, direction) {
                (Part::Panels(list, vectors), Direction::Forward) => {
                    for &k in list {
                        let node = &factor.nodes[k as usize];
                        gather_forward(factor, node, vectors, front);
                        multiply::<L, S>(factor, node, direction, front, 0, usize::MAX);
                        scatter_forward::<E, S>(node, vectors, front);
                    }
                }
                (Part::Panels(list, vectors), Direction::Backward) => {
                    for &k in list.iter().rev() {
                        let node = &factor.nodes[k as usize];
                        gather_backward(factor, node, vectors, front);
                        multiply::<L, S>(factor, node, direction, front, 0, usize::MAX);
                        scatter_backward(node, vectors, front);
                    }
                }
                (Part::Tiles { panel, first, end }, _) => {
                    let node = &factor.nodes[panel as usize];
                    multiply::<L, S>(factor, node, direction, front, first, end);
                }
            }
        }
    }
}

/// Input ← the panel's part of x and zeros, plus its children's updates.
///
/// # Safety
/// As [`Sweep`].
#[inline(always)]
pub(super) unsafe fn gather_forward<E: PanelReal, S: Side<E>>(
    factor: &PanelCholesky<E>,
    node: &Node,
    vectors: Vectors<S>,
    front: SharedFront<S>,
) {
    let (columns, height) = (node.columns(), node.height());
    // SAFETY: a panel's columns lie in x, and its front has room for its height; places of
    // children lie below it.
    unsafe {
        let input = front.input.ptr();
        std::ptr::copy_nonoverlapping(vectors.x.ptr().add(node.start()), input, columns);
        for q in columns..height {
            *input.add(q) = S::zero();
        }
        for &child in factor.children.get_unchecked(node.children.clone()) {
            let child = factor.nodes.get_unchecked(child as usize);
            let updates = vectors.updates.ptr().add(child.rows_at);
            let places = factor.places.as_ptr().add(child.rows_at);
            for q in 0..child.rows() {
                let to = input.add(*places.add(q) as usize);
                *to = (*to).sum(*updates.add(q));
            }
        }
    }
}

/// x ← output in the panel's columns; the update is input + output in its rows.
///
/// # Safety
/// As [`Sweep`].
#[inline(always)]
pub(super) unsafe fn scatter_forward<E: PanelReal, S: Side<E>>(
    node: &Node,
    vectors: Vectors<S>,
    front: SharedFront<S>,
) {
    let columns = node.columns();
    // SAFETY: as in `gather_forward`; every panel has its own range of updates.
    unsafe {
        let (input, output) = (front.input.ptr(), front.output.ptr());
        std::ptr::copy_nonoverlapping(output, vectors.x.ptr().add(node.start()), columns);
        let updates = vectors.updates.ptr().add(node.rows_at);
        for q in 0..node.rows() {
            *updates.add(q) = (*input.add(columns + q)).sum(*output.add(columns + q));
        }
    }
}

/// Input ← x at the panel's columns and rows.
///
/// # Safety
/// As [`Sweep`].
#[inline(always)]
pub(super) unsafe fn gather_backward<E: PanelReal, S: Side<E>>(
    factor: &PanelCholesky<E>,
    node: &Node,
    vectors: Vectors<S>,
    front: SharedFront<S>,
) {
    let columns = node.columns();
    // SAFETY: columns and rows lie in x.
    unsafe {
        let (x, input) = (vectors.x.ptr(), front.input.ptr());
        std::ptr::copy_nonoverlapping(x.add(node.start()), input, columns);
        let rows = factor.rows.as_ptr().add(node.rows_at);
        for q in 0..node.rows() {
            *input.add(columns + q) = *x.add(*rows.add(q) as usize);
        }
    }
}

/// x ← output in the panel's columns.
///
/// # Safety
/// As [`Sweep`].
#[inline(always)]
pub(super) unsafe fn scatter_backward<S: Copy>(
    node: &Node,
    vectors: Vectors<S>,
    front: SharedFront<S>,
) {
    // SAFETY: columns lie in x.
    unsafe {
        let x = vectors.x.ptr().add(node.start());
        std::ptr::copy_nonoverlapping(front.output.ptr(), x, node.columns());
    }
}

/// Output ← P · input or Pᵀ · input, tiles `first..end`.
///
/// # Safety
/// As [`Sweep`].
#[inline(always)]
unsafe fn multiply<L: Lanes<Real: PanelReal>, S: Side<L::Real>>(
    factor: &PanelCholesky<L::Real>,
    node: &Node,
    direction: Direction,
    front: SharedFront<S>,
    first: usize,
    end: usize,
) {
    let (columns, height) = (node.columns(), node.height());
    // SAFETY: tiles were stored one after the other with these very lengths.
    unsafe {
        let (input, output) = (front.input.ptr(), front.output.ptr());
        match direction {
            Direction::Forward => {
                let mut tile = factor.forward.as_ptr().add(node.forward);
                for (k, (at, h)) in Tiles::new(height, L::WIDTH).enumerate() {
                    let len = columns.min(at + h);
                    if k >= end {
                        break;
                    }
                    if k >= first {
                        S::product::<L>(tile, input, len, h, output.add(at));
                    }
                    tile = tile.add(len * h);
                }
            }
            Direction::Backward => {
                let mut tile = factor.backward.as_ptr().add(node.backward);
                for (k, (at, h)) in Tiles::new(columns, L::WIDTH).enumerate() {
                    let len = height - at;
                    if k >= end {
                        break;
                    }
                    if k >= first {
                        S::product::<L>(tile, input.add(at), len, h, output.add(at));
                    }
                    tile = tile.add(len * h);
                }
            }
        }
    }
}
