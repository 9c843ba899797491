//! The closest rotations of any number of matrices, in lanes and by a team.

use glam::DMat3;

use super::matrix::{load_matrix, scalar_matrix};
use super::polar::polar_lanes;
use crate::lanes::{Kernel, Lanes, WIDTH_F64, run64};
use crate::team::{SharedSlice, Team};

/// Matrices per item of the team's work. Whole batches: the last digits of a rotation depend on its
/// neighbours in the batch, which are the same for any number of threads.
const BLOCK: usize = 32 * WIDTH_F64;

/// Puts the closest rotation in the place of every matrix: det +1 for all that are finite, the
/// identity for others.
///
/// ```
/// use pliant_math::{DMat3, decomposition::closest_rotations, team::Team};
/// let turn = DMat3::from_rotation_y(0.7);
/// let mut matrices = vec![turn * DMat3::from_diagonal([2.0, 0.5, 1.0].into()); 3];
/// closest_rotations(&mut matrices, &Team::new(1));
/// assert!(matrices.iter().all(|m| m.abs_diff_eq(turn, 1e-14)));
/// ```
pub fn closest_rotations(matrices: &mut [DMat3], team: &Team) {
    let count = matrices.len();
    let shared = SharedSlice::new(matrices);
    team.each(count.div_ceil(BLOCK), &|item, _| {
        let (start, end) = (item * BLOCK, ((item + 1) * BLOCK).min(count));
        // SAFETY: each item has its own block.
        run64(Rotate(unsafe { shared.range(start, end) }));
    });
}

struct Rotate<'a>(&'a mut [DMat3]);

impl<L: Lanes<Real = f64>> Kernel<L> for Rotate<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        for batch in self.0.chunks_mut(WIDTH_F64) {
            let mut entries = [[0.0; WIDTH_F64]; 9];
            for lane in 0..WIDTH_F64 {
                let m = batch.get(lane).unwrap_or(&DMat3::IDENTITY).to_cols_array();
                for (k, x) in m.into_iter().enumerate() {
                    entries[3 * (k % 3) + k / 3][lane] = x;
                }
            }
            // SAFETY: inside a kernel of `L`; every entry has room for its lanes.
            unsafe {
                let (rotation, _) = polar_lanes(&load_matrix::<L>(&entries));
                for k in 0..9 {
                    rotation[k].store(entries[k].as_mut_ptr());
                }
            }
            for (lane, matrix) in batch.iter_mut().enumerate() {
                *matrix = scalar_matrix(&entries, lane);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decomposition::polar;
    use glam::DVec3;

    fn matrix(k: usize) -> DMat3 {
        let x = |n: f64| (n * k as f64 + 0.3).sin();
        let f = [x(1.1), x(2.3), x(3.7), x(4.1), x(5.9), x(6.1), x(7.3), x(8.9), x(9.7)];
        match k % 50 {
            7 => DMat3::ZERO,
            13 => DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1e-9)),
            21 => DMat3::from_cols(DVec3::NAN, DVec3::X, DVec3::Y),
            _ => DMat3::from_cols_array(&f),
        }
    }

    #[test]
    fn as_one_at_a_time_and_the_same_bits_for_any_team() {
        for count in [0, 1, 9, 1000] {
            let given: Vec<DMat3> = (0..count).map(matrix).collect();
            let [one, two] = [1, 2].map(|threads| {
                let mut turned = given.clone();
                closest_rotations(&mut turned, &Team::new(threads));
                turned
            });
            assert!(one == two);
            for (f, r) in given.iter().zip(&one) {
                assert!(r.abs_diff_eq(polar(f), 1e-9), "{f:?}: {r:?}");
            }
        }
    }
}
