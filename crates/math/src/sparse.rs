//! Symmetric sparse matrices as their lower triangle, and the graphs of their patterns.

use crate::MathError;
use crate::row::Row;

mod adjacency;

pub use adjacency::Adjacency;

/// A symmetric matrix, stored as its lower triangle by columns.
///
/// Every column begins with its diagonal entry (zero if none was given); rows ascend. The
/// position of an entry in [`values`](Self::values) is its *slot*.
///
/// ```
/// use pliant_math::sparse::SymmetricMatrix;
///
/// // 2 −1
/// // −1 2, the 2 in the corner given in two parts
/// let entries = [(0, 0, 2.0), (1, 0, -1.0), (1, 1, 1.5), (1, 1, 0.5)];
/// let a = SymmetricMatrix::from_triplets(2, entries)?;
/// let mut y = [0.0; 2];
/// a.multiply(&[1.0, 1.0], &mut y);
/// assert_eq!(y, [1.0, 1.0]);
/// # Ok::<(), pliant_math::MathError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricMatrix {
    column_starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl SymmetricMatrix {
    /// The `size`×`size` matrix with entries (row, column, value).
    ///
    /// An entry above the diagonal stands for the one below: give each pair once. Duplicates are
    /// summed in the order in which they come, so the same entries give the same bits.
    pub fn from_triplets(
        size: usize,
        triplets: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, MathError> {
        let mut entries = Vec::new();
        for (row, column, value) in triplets {
            if row >= size || column >= size {
                return Err(MathError::OutOfRange { row, column, size });
            }
            entries.push((row.max(column), row.min(column), value));
        }
        // Zeros make every diagonal exist; x + 0 is x.
        entries.extend((0..size).map(|k| (k, k, 0.0)));
        let by_row = counting_sort(size, &entries, |e| e.0);
        let by_column = counting_sort(size, &by_row, |e| e.1);
        let mut matrix = SymmetricMatrix {
            column_starts: Vec::with_capacity(size + 1),
            rows: Vec::with_capacity(entries.len()),
            values: Vec::with_capacity(entries.len()),
        };
        let mut rest = by_column.as_slice();
        for column in 0..size {
            matrix.column_starts.push(matrix.rows.len());
            while let Some((&(row, _, value), tail)) = rest.split_first()
                && rest[0].1 == column
            {
                let first = matrix.rows.len() == matrix.column_starts[column];
                match matrix.values.last_mut() {
                    Some(sum) if !first && matrix.rows.last() == Some(&row) => *sum += value,
                    _ => {
                        matrix.rows.push(row);
                        matrix.values.push(value);
                    }
                }
                rest = tail;
            }
        }
        matrix.column_starts.push(matrix.rows.len());
        Ok(matrix)
    }

    /// Rows (and columns).
    pub fn size(&self) -> usize {
        self.column_starts.len() - 1
    }

    /// `size + 1` slots: column `c` occupies `column_starts[c]..column_starts[c + 1]`.
    pub fn column_starts(&self) -> &[usize] {
        &self.column_starts
    }

    /// The row of every slot.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The value of every slot.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values, to be changed in place.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Rows and values of a column, the diagonal first.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> {
        let slots = self.column_starts[column]..self.column_starts[column + 1];
        self.rows[slots.clone()].iter().copied().zip(self.values[slots].iter().copied())
    }

    /// The slot of an entry of either triangle, if it is in the pattern.
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let (row, column) = (row.max(column), row.min(column));
        if row >= self.size() {
            return None;
        }
        let start = self.column_starts[column];
        let rows = &self.rows[start..self.column_starts[column + 1]];
        rows.binary_search(&row).ok().map(|k| start + k)
    }

    /// y ← A x.
    ///
    /// # Panics
    /// If `x` or `y` is not as long as the matrix.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        assert!(x.len() == self.size() && y.len() == self.size(), "vectors must fit the matrix");
        y.fill(0.0);
        for c in 0..self.size() {
            for (r, value) in self.column(c) {
                y[r] += value * x[c];
                if r != c {
                    y[c] += value * x[r];
                }
            }
        }
    }

    /// Y ← A X for three columns at once.
    ///
    /// # Panics
    /// If `x` or `y` is not as long as the matrix.
    pub fn multiply_rows(&self, x: &[Row], y: &mut [Row]) {
        assert!(x.len() == self.size() && y.len() == self.size(), "vectors must fit the matrix");
        y.fill(Row::zero());
        for c in 0..self.size() {
            for (r, value) in self.column(c) {
                for k in 0..3 {
                    y[r].0[k] += value * x[c].0[k];
                    if r != c {
                        y[c].0[k] += value * x[r].0[k];
                    }
                }
            }
        }
    }

    /// The matrix with row and column `order[k]` moved to `k`.
    pub fn permuted(&self, order: &[usize]) -> Result<SymmetricMatrix, MathError> {
        Ok(self.permuted_with_slots(order)?.0)
    }

    /// The permuted matrix, and for each of its slots the slot here that it came from.
    pub(crate) fn permuted_with_slots(
        &self,
        order: &[usize],
    ) -> Result<(SymmetricMatrix, Vec<usize>), MathError> {
        let size = self.size();
        let place = inverse_permutation(order, size)?;
        let mut entries = Vec::with_capacity(self.rows.len());
        for c in 0..size {
            for slot in self.column_starts[c]..self.column_starts[c + 1] {
                let (a, b) = (place[self.rows[slot]], place[c]);
                entries.push((a.max(b), a.min(b), slot));
            }
        }
        let sorted = counting_sort(size, &counting_sort(size, &entries, |e| e.0), |e| e.1);
        let mut column_starts = vec![0; size + 1];
        for &(_, column, _) in &sorted {
            column_starts[column + 1] += 1;
        }
        for c in 0..size {
            column_starts[c + 1] += column_starts[c];
        }
        let slots: Vec<usize> = sorted.iter().map(|e| e.2).collect();
        let matrix = SymmetricMatrix {
            column_starts,
            rows: sorted.iter().map(|e| e.0).collect(),
            values: slots.iter().map(|&s| self.values[s]).collect(),
        };
        Ok((matrix, slots))
    }

    /// Which rows share an entry off the diagonal.
    pub fn adjacency(&self) -> Adjacency {
        let pairs = (0..self.size()).flat_map(|c| {
            let slots = self.column_starts[c] + 1..self.column_starts[c + 1];
            self.rows[slots].iter().map(move |&r| (r, c))
        });
        Adjacency::from_distinct_pairs(self.size(), pairs.clone(), pairs)
    }
}

/// `place[order[k]] = k`, or an error where `order` is not a permutation of `0..size`.
pub(crate) fn inverse_permutation(order: &[usize], size: usize) -> Result<Vec<usize>, MathError> {
    if order.len() != size {
        let what = "the elimination order";
        return Err(MathError::WrongLength { what, found: order.len(), expected: size });
    }
    let mut place = vec![usize::MAX; size];
    for (position, &index) in order.iter().enumerate() {
        match place.get_mut(index) {
            Some(p) if *p == usize::MAX => *p = position,
            _ => return Err(MathError::NotAPermutation { position, index }),
        }
    }
    Ok(place)
}

/// Stable, in time linear in entries and keys (all below `size`).
fn counting_sort<T: Copy>(size: usize, entries: &[T], key: impl Fn(&T) -> usize) -> Vec<T> {
    let mut next = vec![0usize; size + 1];
    for entry in entries {
        next[key(entry) + 1] += 1;
    }
    for k in 0..size {
        next[k + 1] += next[k];
    }
    let mut sorted = entries.to_vec();
    for entry in entries {
        let at = &mut next[key(entry)];
        sorted[*at] = *entry;
        *at += 1;
    }
    sorted
}

#[cfg(test)]
mod tests;
