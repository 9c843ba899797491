//! Solves whose right-hand side depends on the solution at a few unknowns, as Woodbury's formula
//! has it.
//!
//! Forward elimination is linear, and what is not zero at a few unknowns alone stays in their
//! panels and those above. So is what the solution at these unknowns needs of the backward sweep.

use super::{Direction, PanelCholesky, PanelReal, PanelWork, Side, Top, Vectors};
use crate::row::Buffer;
use crate::team::{SharedSlice, Team};

/// A change of the right-hand side that depends on the solution.
pub trait Correction<S> {
    /// Reads the solution at the unknowns that it asked for.
    fn read(&mut self, solution: &[S]);
    /// Adds what is to be added to the right-hand side, at these unknowns alone.
    fn add(&self, sides: &mut [S]);
}

/// A right-hand side that is not zero in a few panels alone.
pub(super) struct Partial<S: Copy> {
    x: Buffer<S>,
    /// Zero but while it is swept.
    updates: Buffer<S>,
    is_reached: Vec<bool>,
    /// The panels, children first.
    reach: Vec<u32>,
}

impl<E: PanelReal> PanelCholesky<E> {
    /// x ← A⁻¹ (x + c), where c depends on A⁻¹ x at some unknowns and is zero elsewhere: for the
    /// price of a solve, and of one in the panels from these unknowns up.
    ///
    /// # Panics
    /// If `x` is not as long as the matrix, or an unknown is beyond it.
    pub fn solve_corrected<S: Side<E>>(
        &self,
        x: &mut [S],
        unknowns: impl Iterator<Item = usize>,
        correction: &mut impl Correction<S>,
        work: &mut PanelWork<E, S>,
        team: &Team,
    ) {
        self.fit(x, work, team);
        self.sweep(x, work, Direction::Forward, team, E::sweep);
        let PanelWork { partial, fronts, .. } = work;
        let partial = partial.get_or_insert_with(|| Partial {
            x: Buffer::zeroed(self.size),
            updates: Buffer::zeroed(self.rows.len()),
            is_reached: vec![false; self.nodes.len()],
            reach: Vec::new(),
        });
        self.reach(unknowns, &mut partial.is_reached, &mut partial.reach);
        let Partial { x: own, updates, reach, .. } = partial;
        let columns = |k: &u32| {
            let node = &self.nodes[*k as usize];
            node.start()..node.start() + node.columns()
        };
        for range in reach.iter().map(columns) {
            own[range.clone()].copy_from_slice(&x[range]);
        }
        let front = fronts[0].share();
        let sweep = |own: &mut [S], updates: &mut [S], direction| {
            let vectors = Vectors { x: SharedSlice::new(own), updates: SharedSlice::new(updates) };
            Top { factor: self, vectors, front, team, run: E::sweep }.sweep(reach, direction);
        };
        sweep(own, updates, Direction::Backward);
        correction.read(own);
        reach.iter().map(columns).for_each(|range| own[range].fill(S::zero()));
        correction.add(own);
        sweep(own, updates, Direction::Forward);
        for &k in &*reach {
            let node = &self.nodes[k as usize];
            updates[node.rows_at..node.rows_at + node.rows()].fill(S::zero());
            for (x, own) in x[columns(&k)].iter_mut().zip(&own[columns(&k)]) {
                *x = x.sum(*own);
            }
        }
        self.sweep(x, work, Direction::Backward, team, E::sweep);
    }

    /// The panels of some unknowns and all above them, children first.
    fn reach(
        &self,
        unknowns: impl Iterator<Item = usize>,
        is_reached: &mut [bool],
        reach: &mut Vec<u32>,
    ) {
        is_reached.fill(false);
        for unknown in unknowns {
            assert!(unknown < self.size, "unknowns must be those of the matrix");
            // Panels are in the order of their columns.
            let mut k = self.nodes.partition_point(|node| node.start() <= unknown) - 1;
            while !is_reached[k] {
                is_reached[k] = true;
                match self.parents[k] {
                    u32::MAX => break,
                    parent => k = parent as usize,
                }
            }
        }
        reach.clear();
        reach.extend((0u32..).zip(&*is_reached).filter(|(_, reached)| **reached).map(|(k, _)| k));
    }
}
