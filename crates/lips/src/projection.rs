//! The hot loop of a frame: Qᵀy and ‖y‖², where y is the mouth's column of gradients, never
//! stored: a gradient is multiplied as soon as it is known.
//!
//! The basis is kept by triangle, nine rows of as many columns as there are, padded to whole lanes
//! and in single precision: a frame is as fast as the basis can be read, and a basis to seven
//! digits puts lips a nanometre off. Triangles are taken in blocks of fixed size, each with sums of
//! its own, which are added up in order: the same bits for any number of threads.

use glam::DVec3;
use pliant_math::Buffer;
use pliant_math::lanes::{Kernel, Lanes, WIDTH_F64, run64};
use pliant_math::team::{SharedSlice, Team};

use crate::gradients::Gradients;

/// Triangles of a block.
const BLOCK: usize = 256;

/// A basis to project the mouth's gradients on.
pub struct Projection {
    gradients: Gradients,
    /// Columns of the basis, without padding.
    columns: usize,
    /// Lane vectors per row.
    groups: usize,
    basis: Buffer<f32>,
}

impl Projection {
    /// On a basis of columns as long as those of the gradients.
    pub fn new(gradients: Gradients, basis: &[&[f64]]) -> Projection {
        let (columns, rows) = (basis.len(), Gradients::NUMBERS * gradients.len());
        let groups = columns.div_ceil(WIDTH_F64);
        let width = groups * WIDTH_F64;
        let mut packed = Buffer::zeroed(rows * width);
        for (place, column) in basis.iter().enumerate() {
            for (row, value) in column.iter().enumerate() {
                packed[row * width + place] = *value as f32;
            }
        }
        Projection { gradients, columns, groups, basis: packed }
    }

    /// The mouth's gradients.
    pub fn gradients(&self) -> &Gradients {
        &self.gradients
    }

    /// Room for the sums of all blocks.
    pub fn sums(&self) -> Buffer<f64> {
        Buffer::zeroed(self.blocks() * self.stride())
    }

    /// Coefficients of y in the basis, into as many numbers as it has columns; returns ‖y‖².
    pub fn project(
        &self,
        positions: &[DVec3],
        sums: &mut Buffer<f64>,
        coefficients: &mut [f64],
        team: &Team,
    ) -> f64 {
        let stride = self.stride();
        let shared = SharedSlice::new(sums);
        team.each(self.blocks(), &|block, _| {
            // SAFETY: every block has its own stretch of the sums.
            let sums = unsafe { shared.range(block * stride, (block + 1) * stride) };
            let end = ((block + 1) * BLOCK).min(self.gradients.len());
            run64(Block { projection: self, triangles: [block * BLOCK, end], positions, sums });
        });
        coefficients.fill(0.0);
        let mut square = 0.0;
        for block in sums.chunks_exact(stride) {
            square += block[0];
            let own = &block[WIDTH_F64..WIDTH_F64 + self.columns];
            coefficients.iter_mut().zip(own).for_each(|(c, own)| *c += own);
        }
        square
    }

    fn blocks(&self) -> usize {
        self.gradients.len().div_ceil(BLOCK)
    }

    /// The square, and the coefficients.
    fn stride(&self) -> usize {
        (1 + self.groups) * WIDTH_F64
    }
}

/// The sums of a block.
struct Block<'a> {
    projection: &'a Projection,
    triangles: [usize; 2],
    positions: &'a [DVec3],
    sums: &'a mut [f64],
}

impl<L: Lanes<Real = f64>> Kernel<L> for Block<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Block { projection, triangles: [start, end], positions, sums } = self;
        let (groups, width) = (projection.groups, projection.groups * WIDTH_F64);
        sums.fill(0.0);
        let mut square = 0.0;
        for triangle in start..end {
            let gradient = projection.gradients.weighed(triangle, positions);
            for value in gradient {
                square += value * value;
            }
            for group in 0..groups {
                let at = Gradients::NUMBERS * triangle * width + group * WIDTH_F64;
                let sums = &mut sums[(1 + group) * WIDTH_F64..][..WIDTH_F64];
                let mut lanes = [0.0; WIDTH_F64];
                lanes.copy_from_slice(sums);
                for (k, value) in gradient.iter().enumerate() {
                    let row = &projection.basis[at + k * width..][..WIDTH_F64];
                    // Loops over lanes become vectors of the instruction set; sums are fused in
                    // all.
                    for lane in 0..WIDTH_F64 {
                        lanes[lane] = f64::from(row[lane]).mul_add(*value, lanes[lane]);
                    }
                }
                sums.copy_from_slice(&lanes);
            }
        }
        sums[0] = square;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduction::dot;
    use pliant_mesh::shapes;

    #[test]
    fn projections_are_those_of_the_column_with_the_same_bits_for_any_team() {
        let sheet = shapes::cloth([1.0, 1.0], [30, 30]).unwrap().0;
        let moved: Vec<DVec3> =
            sheet.positions.iter().map(|x| *x + 0.2 * (3.0 * x.x).sin() * DVec3::Y).collect();
        let gradients = Gradients::new(&sheet.positions, sheet.triangles.clone());
        let column = gradients.column(&moved);
        let basis: Vec<Vec<f64>> = (0..11)
            .map(|c| (0..column.len()).map(|k| ((c * 31 + k) as f64).cos()).collect())
            .collect();
        let projection =
            Projection::new(gradients, &basis.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let (mut sums, mut found) = (projection.sums(), vec![0.0; 11]);
        let mut run = |threads: usize| {
            let square = projection.project(&moved, &mut sums, &mut found, &Team::new(threads));
            (square, found.clone())
        };
        let (square, found) = run(1);
        assert_eq!((square, found.clone()), run(3));
        assert!((square - dot(&column, &column)).abs() < 1e-12 * square);
        for (c, basis) in found.iter().zip(&basis) {
            // Seven digits of every number of the basis.
            assert!((c - dot(basis, &column)).abs() < 1e-7 * square.sqrt());
        }
    }
}
