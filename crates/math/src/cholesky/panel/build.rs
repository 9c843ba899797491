//! From a matrix to its panels.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, MatMut, MatRef, Par};

use super::{Node, PanelCholesky, PanelReal, next_identity};
use crate::MathError;
use crate::cholesky::amalgamation::{Group, amalgamate};
use crate::cholesky::supernodes::{Merging, Supernodes};
use crate::cholesky::tiles::{PanelSize, Tiles};
use crate::row::Buffer;
use crate::sparse::SymmetricMatrix;

impl<E: PanelReal> PanelCholesky<E> {
    /// Factors a matrix whose rows are already in elimination order (see
    /// [`nested_dissection`](crate::ordering::nested_dissection)).
    ///
    /// Fails where the matrix is not positive definite or not finite, or its inverted panels
    /// leave the range of `E`; columns are counted in the order given.
    pub fn new(matrix: &SymmetricMatrix) -> Result<Self, MathError> {
        let too_large = |_| MathError::TooLarge("columns are counted in 32 bits");
        u32::try_from(matrix.size()).map_err(too_large)?;
        let mut supernodes = Supernodes::new(matrix, Merging::Never)?;
        let mut factor = vec![0.0; supernodes.values()];
        supernodes.factor(matrix, &mut factor)?;
        let groups = amalgamate(&supernodes, E::WIDTH, size_of::<E>());
        let mut panels = Self::tree(matrix.size(), &supernodes, &groups);
        panels.fill(&supernodes, &groups, &factor)?;
        Ok(panels)
    }

    /// Everything but the values.
    fn tree(size: usize, supernodes: &Supernodes, groups: &[Group]) -> Self {
        let rows_of = |k: usize| supernodes.rows(*groups[k].members.end());
        let mut group_of = vec![0u32; size];
        for (k, group) in groups.iter().enumerate() {
            group_of[group.columns.clone()].fill(k as u32);
        }
        let parents: Vec<u32> = (0..groups.len())
            .map(|k| rows_of(k).first().map_or(u32::MAX, |&r| group_of[r]))
            .collect();
        // Children sorted by parent; among siblings in elimination order.
        let mut children: Vec<u32> = (0..groups.len() as u32).collect();
        children.retain(|&k| parents[k as usize] != u32::MAX);
        children.sort_by_key(|&k| parents[k as usize]);

        let mut nodes: Vec<Node> = Vec::with_capacity(groups.len());
        let (mut rows, mut places, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut forward, mut backward, mut front, mut stored_values) = (0, 0, 0, 0);
        let mut next_child = 0;
        for (k, group) in groups.iter().enumerate() {
            let own = rows_of(k);
            let (columns, height) = (group.columns.len(), group.columns.len() + own.len());
            let panel = PanelSize::new(columns, own.len(), E::WIDTH);
            let first_child = next_child;
            while children.get(next_child).is_some_and(|&c| parents[c as usize] as usize == k) {
                next_child += 1;
            }
            // All fit 32 bits, as the matrix does.
            nodes.push(Node {
                start: group.columns.start as u32,
                columns: columns as u32,
                rows: own.len() as u32,
                rows_at: rows.len(),
                forward,
                backward,
                children: first_child..next_child,
            });
            rows.extend(own.iter().map(|&r| r as u32));
            if let Some(parent) = groups.get(parents[k] as usize) {
                let below = rows_of(parents[k] as usize);
                places.extend(own.iter().map(|&r| place_in(parent, below, r) as u32));
            }
            forward += panel.forward;
            backward += panel.backward;
            costs.push(panel.cost(size_of::<E>()));
            front = front.max(height + 2 * E::WIDTH);
            stored_values += height * columns - columns * columns.saturating_sub(1) / 2;
        }
        PanelCholesky {
            identity: next_identity(),
            size,
            nodes,
            children,
            parents,
            rows,
            places,
            forward: Buffer::zeroed(forward),
            backward: Buffer::zeroed(backward),
            costs,
            front,
            stored_values,
        }
    }

    fn fill(
        &mut self,
        supernodes: &Supernodes,
        groups: &[Group],
        factor: &[f64],
    ) -> Result<(), MathError> {
        let (mut trapezoid, mut panel) = (Vec::new(), Vec::new());
        for (group, node) in groups.iter().zip(&self.nodes) {
            let (columns, height) = (node.columns(), node.height());
            gather_trapezoid(supernodes, group, factor, &mut trapezoid);
            invert_trapezoid(&trapezoid, columns, height, &mut panel);
            let stored = |row: usize, column: usize| -> Result<E, MathError> {
                if row >= height || column >= columns {
                    return Ok(E::default()); // padding
                }
                let value = panel[column * height + row];
                let value = if value.abs() < E::SMALLEST { 0.0 } else { value };
                let stored = E::of(value);
                if !stored.widen().is_finite() {
                    return Err(MathError::NonFinite { column: group.columns.start + column });
                }
                Ok(stored)
            };
            let mut to = self.forward[node.forward..].iter_mut();
            for (at, h) in Tiles::new(height, E::WIDTH) {
                for column in 0..columns.min(at + h) {
                    for (row, slot) in (at..at + h).zip(&mut to) {
                        *slot = stored(row, column)?;
                    }
                }
            }
            let mut to = self.backward[node.backward..].iter_mut();
            for (at, h) in Tiles::new(columns, E::WIDTH) {
                for row in at..height {
                    for (column, slot) in (at..at + h).zip(&mut to) {
                        *slot = stored(row, column)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Where a row stands in the front of a group: its columns, then its rows.
fn place_in(group: &Group, rows: &[usize], row: usize) -> usize {
    if row < group.columns.end {
        row - group.columns.start
    } else {
        // A child's rows are among its parent's: `partition_point` finds the equal one.
        group.columns.len() + rows.partition_point(|&r| r < row)
    }
}

/// The group's [L₁₁; L₂₁], column after column, from those of its members.
fn gather_trapezoid(
    supernodes: &Supernodes,
    group: &Group,
    factor: &[f64],
    trapezoid: &mut Vec<f64>,
) {
    let rows = supernodes.rows(*group.members.end());
    let height = group.columns.len() + rows.len();
    trapezoid.clear();
    trapezoid.resize(height * group.columns.len(), 0.0);
    let mut places = Vec::new();
    for member in group.members.clone() {
        let columns = supernodes.columns(member);
        let all_rows = columns.clone().chain(supernodes.rows(member).iter().copied());
        places.clear();
        places.extend(all_rows.map(|row| place_in(group, rows, row)));
        let source = supernodes.trapezoid(factor, member);
        for (j, column) in columns.enumerate() {
            let to = &mut trapezoid[(column - group.columns.start) * height..][..height];
            let from = &source[j * places.len()..][..places.len()];
            for (&place, &value) in places[j..].iter().zip(&from[j..]) {
                to[place] = value;
            }
        }
    }
}

/// [L₁₁⁻¹; −L₂₁ L₁₁⁻¹], column after column; zero above the diagonal.
fn invert_trapezoid(trapezoid: &[f64], columns: usize, height: usize, panel: &mut Vec<f64>) {
    panel.clear();
    panel.resize(height * columns, 0.0);
    let trapezoid = MatRef::from_column_major_slice(trapezoid, height, columns);
    let panel = MatMut::from_column_major_slice_mut(panel, height, columns);
    let (triangle, below) = trapezoid.split_at_row(columns);
    let (mut inverse, product) = panel.split_at_row_mut(columns);
    invert_lower_triangular(inverse.as_mut(), triangle, Par::Seq);
    matmul(product, Accum::Replace, below, inverse.as_ref(), -1.0, Par::Seq);
}
