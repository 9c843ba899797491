//! Residuals, and the same bits from any team and instruction set.

use proptest::prelude::*;

use super::sweep::Sweep;
use super::*;
use crate::MathError;
#[cfg(target_arch = "x86_64")]
use crate::lanes::{Avx2F32, Avx2F64, Avx512F32, Avx512F64, InstructionSet, instruction_set};
use crate::lanes::{Lanes, PlainF32, PlainF64};
use crate::ordering::{expand_order, nested_dissection};
use crate::row::{Real, Row};
use crate::sparse::SymmetricMatrix;
use crate::team::Team;

/// Laplacian of a grid with all 26 neighbours, plus `mass`.
fn grid(cells: [usize; 3], mass: f64) -> Vec<(usize, usize, f64)> {
    let [nx, ny, nz] = cells;
    let at = |p: [usize; 3]| (p[0] * ny + p[1]) * nz + p[2];
    let mut entries: Vec<_> = (0..nx * ny * nz).map(|k| (k, k, mass)).collect();
    for a in 0..nx * ny * nz {
        let p = [a / (ny * nz), a / nz % ny, a % nz];
        for step in 0..27 {
            let q =
                [p[0] + step / 9, p[1] + step / 3 % 3, p[2] + step % 3].map(|c| c.wrapping_sub(1));
            if q[0] < nx && q[1] < ny && q[2] < nz && at(q) < a {
                let b = at(q);
                let weight = 1.0 + ((a * 7 + b * 13) % 10) as f64;
                entries.extend([(a, b, -weight), (a, a, weight), (b, b, weight)]);
            }
        }
    }
    entries
}

fn ordered(size: usize, entries: impl IntoIterator<Item = (usize, usize, f64)>) -> SymmetricMatrix {
    let matrix = SymmetricMatrix::from_triplets(size, entries).unwrap();
    let order = nested_dissection(&matrix.adjacency()).unwrap();
    matrix.permuted(&order).unwrap()
}

fn right_hand_sides<E: Real>(size: usize) -> Vec<Row<E>> {
    let wave = |k: usize, f: f64| E::of((k as f64 * f).sin() * 3.0 + 0.1);
    (0..size).map(|k| Row([wave(k, 0.3), wave(k, 1.7), wave(k, 4.1), E::default()])).collect()
}

/// The largest |A x − b|ᵢ ÷ (|A||x| + |b|)ᵢ: how wrong the answer is, row by row.
fn backward_error<E: Real>(matrix: &SymmetricMatrix, x: &[Row<E>], b: &[Row<E>]) -> f64 {
    let mut worst = 0.0f64;
    for k in 0..3 {
        let of = |v: &[Row<E>]| -> Vec<f64> { v.iter().map(|r| r.0[k].widen()).collect() };
        let (x, b) = (of(x), of(b));
        let (mut ax, mut scale) = (vec![0.0; b.len()], vec![0.0; b.len()]);
        matrix.multiply(&x, &mut ax);
        let mut absolute = matrix.clone();
        absolute.values_mut().iter_mut().for_each(|v| *v = v.abs());
        absolute.multiply(&x.iter().map(|v| v.abs()).collect::<Vec<_>>(), &mut scale);
        for i in 0..b.len() {
            let error = (ax[i] - b[i]).abs() / (scale[i] + b[i].abs());
            assert!(error.is_finite());
            worst = worst.max(error);
        }
    }
    worst
}

/// Solves on teams of 1 to 4 and checks the error and that all bits agree.
fn check<E: PanelReal>(matrix: &SymmetricMatrix, tolerance: f64) {
    let factor = PanelCholesky::<E>::new(matrix).unwrap();
    let b = right_hand_sides::<E>(matrix.size());
    let mut first: Option<Vec<Row<E>>> = None;
    let mut work = PanelWork::new(&factor, 2);
    for threads in [1, 2, 3, 4] {
        let team = Team::new(threads);
        for _ in 0..3 {
            let mut x = b.clone();
            factor.solve(&mut x, &mut work, &team);
            match &first {
                Some(first) => assert!(same_bits(first, &x), "{threads} threads"),
                None => first = Some(x),
            }
        }
    }
    let error = backward_error(matrix, &first.unwrap(), &b);
    assert!(error < tolerance, "backward error {error:e}");
}

fn check_both(matrix: &SymmetricMatrix) {
    check::<f64>(matrix, 1e-12);
    check::<f32>(matrix, 1e-5);
}

/// Widening keeps every bit, the sign of zero included.
fn same_bits<E: Real>(a: &[Row<E>], b: &[Row<E>]) -> bool {
    a.iter()
        .flat_map(|r| r.0)
        .map(|v| v.widen().to_bits())
        .eq(b.iter().flat_map(|r| r.0).map(|v| v.widen().to_bits()))
}

#[test]
fn grids_are_solved() {
    for cells in [[40, 1, 1], [30, 30, 1], [9, 8, 7], [14, 13, 12]] {
        check_both(&ordered(cells.iter().product(), grid(cells, 1.0)));
    }
}

#[test]
fn large_panels_are_shared_by_the_team() {
    // Dense: a single panel; and a chain of large ones.
    let full = |n: usize| (0..n).flat_map(move |r| (0..r).map(move |c| (r, c, -1.0)));
    let dense = SymmetricMatrix::from_triplets(
        300,
        full(300).chain((0..300).map(|k| (k, k, 400.0 + k as f64))),
    );
    check_both(&dense.unwrap());
    let matrix = ordered(18 * 18 * 18, grid([18, 18, 18], 0.5));
    check_both(&matrix);
    let factor = PanelCholesky::<f64>::new(&matrix).unwrap();
    let schedule = PanelWork::<f64>::new(&factor, 2).schedule;
    assert!(schedule.top.iter().any(|&k| factor.is_shared(k as usize)));
    assert!(schedule.bounds[0] < schedule.bounds[1] && schedule.bounds[1] < schedule.bounds[2]);
}

#[test]
fn factors_can_be_handed_to_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<PanelCholesky<f32>>();
    check::<PanelWork<f64>>();
    check::<SparseCholesky>();
    check::<Team>();
}

#[test]
fn free_bodies_without_mass_are_singular() {
    for cells in [[5, 5, 5], [10, 10, 10], [18, 18, 18], [40, 40, 1], [300, 1, 1]] {
        let free = ordered(cells.iter().product(), grid(cells, 0.0));
        let error = PanelCholesky::<f64>::new(&free).err();
        let last = free.size() - 1;
        assert_eq!(error, Some(MathError::NotPositiveDefinite { column: last }), "{cells:?}");
    }
}

#[test]
fn odd_matrices_are_solved() {
    check_both(&ordered(0, []));
    check_both(&ordered(1, [(0, 0, 4.0)]));
    check_both(&ordered(100, (0..100).map(|k| (k, k, 1.0 + k as f64))));
    let arrowhead = (0..200).flat_map(|k| [(k, k, 300.0), (0, k, if k > 0 { 1.0 } else { 0.0 })]);
    let arrowhead: Vec<_> = arrowhead.collect();
    check_both(&ordered(200, arrowhead.clone()));
    // In the worst order, too: the factor is full.
    check_both(&SymmetricMatrix::from_triplets(200, arrowhead).unwrap());
    // Three components, one of them a single vertex, in the natural order.
    let mut islands = grid([6, 5, 4], 1.0);
    islands.extend(grid([5, 5, 5], 2.0).into_iter().map(|(r, c, v)| (r + 120, c + 120, v)));
    islands.push((245, 245, 1.0));
    check_both(&SymmetricMatrix::from_triplets(246, islands.clone()).unwrap());
    check_both(&ordered(246, islands));
}

#[test]
fn stiff_entries_beside_soft_ones() {
    let mut entries = grid([12, 11, 10], 1.0);
    for entry in &mut entries {
        entry.2 *= 1e3;
    }
    entries.extend((0..1320).step_by(37).map(|k| (k, k, 1e30)));
    check_both(&ordered(1320, entries.clone()));
    // What is pinned stays, the rest feels only its neighbours.
    let matrix = SymmetricMatrix::from_triplets(1320, entries).unwrap();
    let order = nested_dissection(&matrix.adjacency()).unwrap();
    let factor = PanelCholesky::<f32>::new(&matrix.permuted(&order).unwrap()).unwrap();
    let mut x = vec![Row([1e3f32, 0.0, 0.0, 0.0]); 1320];
    let team = Team::new(1);
    factor.solve(&mut x, &mut PanelWork::new(&factor, 1), &team);
    for (k, row) in x.iter().enumerate() {
        let pinned = order[k].is_multiple_of(37);
        assert!(if pinned { row.0[0] < 1e-25 } else { row.0[0] > 1e-3 }, "{k}: {row:?}");
    }
}

#[test]
fn numbers_beyond_single_precision_are_refused() {
    let tiny = SymmetricMatrix::from_triplets(2, [(0, 0, 1.0), (1, 1, 1e-80)]).unwrap();
    let refused = PanelCholesky::<f32>::new(&tiny).err();
    assert_eq!(refused, Some(MathError::NonFinite { column: 1 }));
    assert!(PanelCholesky::<f64>::new(&tiny).is_ok());
}

fn error_of(entries: &[(usize, usize, f64)]) -> Option<MathError> {
    let matrix = SymmetricMatrix::from_triplets(3, entries.iter().copied()).unwrap();
    let panel = PanelCholesky::<f64>::new(&matrix).err();
    let mut refactored = SparseCholesky::analyse(&matrix, &[0, 1, 2]).unwrap();
    assert_eq!(refactored.factor(matrix.values()).err(), panel);
    assert_eq!(refactored.solve(&mut [1.0; 3]).is_err(), panel.is_some());
    panel
}

#[test]
fn what_cannot_be_factored_is_an_error() {
    let refused = |column| Some(MathError::NotPositiveDefinite { column });
    let diagonal = |a, b, c| error_of(&[(0, 0, a), (1, 1, b), (2, 2, c)]);
    assert_eq!(diagonal(1.0, 2.0, 3.0), None);
    assert_eq!(diagonal(1.0, 0.0, 3.0), refused(1));
    assert_eq!(diagonal(1.0, 2.0, -3.0), refused(2));
    assert_eq!(diagonal(1.0, f64::NAN, 3.0), Some(MathError::NonFinite { column: 1 }));
    assert_eq!(diagonal(1.0, 2.0, f64::INFINITY), Some(MathError::NonFinite { column: 2 }));
    // A free chain of springs: constants are in its null space.
    let springs = [(0, 0, 0.1), (1, 0, -0.1), (1, 1, 0.8), (2, 1, -0.7), (2, 2, 0.7)];
    assert_eq!(error_of(&springs), refused(2));
    let indefinite = [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0), (2, 2, 1.0)];
    assert_eq!(error_of(&indefinite), refused(1));
}

#[test]
fn work_follows_the_factor_and_the_team() {
    let small = ordered(60, grid([5, 4, 3], 1.0));
    let large = ordered(1000, grid([10, 10, 10], 1.0));
    let (small_factor, large_factor) =
        (PanelCholesky::<f64>::new(&small).unwrap(), PanelCholesky::<f64>::new(&large).unwrap());
    let mut work = PanelWork::new(&small_factor, 1);
    for (matrix, factor) in [(&large, &large_factor), (&small, &small_factor)] {
        let b = right_hand_sides::<f64>(matrix.size());
        let mut x = b.clone();
        factor.solve(&mut x, &mut work, &Team::new(3));
        assert!(backward_error(matrix, &x, &b) < 1e-12);
    }
}

#[test]
fn sizes_of_the_factor_are_reported() {
    let a = SymmetricMatrix::from_triplets(3, [(0, 0, 4.0), (1, 1, 4.0), (1, 0, 1.0), (2, 2, 4.0)]);
    let factor = PanelCholesky::<f32>::new(&a.unwrap()).unwrap();
    assert_eq!((factor.size(), factor.stored_values()), (3, 4));
    // Two panels, each a tile of 16 outputs per column, forward and backward.
    assert_eq!((factor.panels(), factor.bytes()), (2, 4 * 2 * 16 * 3));
}

type Run<E, S> = fn(Sweep<'_, E, S>);

/// The sweeps of every instruction set that this machine has.
macro_rules! runs {
    ($real:ty, $side:ty, $plain:ident, $avx2:ident, $avx512:ident) => {{
        // SAFETY: plain lanes need nothing; the others are only listed where the machine has them.
        let mut runs: Vec<Run<$real, $side>> =
            vec![|s| unsafe { $plain::enter(s) }, <$real as PanelReal>::sweep];
        #[cfg(target_arch = "x86_64")]
        {
            if instruction_set() != InstructionSet::Plain {
                runs.push(|s| unsafe { $avx2::enter(s) });
            }
            if instruction_set() == InstructionSet::Avx512 {
                runs.push(|s| unsafe { $avx512::enter(s) });
            }
        }
        runs
    }};
}

#[test]
fn the_same_bits_on_every_instruction_set() {
    fn check<E: PanelReal, S: Side<E> + PartialEq>(
        matrix: &SymmetricMatrix,
        runs: &[Run<E, S>],
        of: fn(Row<E>) -> S,
    ) {
        let factor = PanelCholesky::<E>::new(matrix).unwrap();
        let mut work = PanelWork::new(&factor, 2);
        let team = Team::new(2);
        let solutions: Vec<Vec<S>> = runs
            .iter()
            .map(|&run| {
                let mut x: Vec<S> =
                    right_hand_sides::<E>(matrix.size()).into_iter().map(of).collect();
                factor.solve_through(&mut x, &mut work, &team, run);
                x
            })
            .collect();
        // No zeros and no NaNs: equal numbers are equal bits.
        assert!(solutions.iter().all(|x| *x == solutions[0]));
    }
    let matrix = ordered(15 * 15 * 15, grid([15, 15, 15], 1.0));
    check(&matrix, &runs!(f64, Row<f64>, PlainF64, Avx2F64, Avx512F64), |row| row);
    check(&matrix, &runs!(f32, Row<f32>, PlainF32, Avx2F32, Avx512F32), |row| row);
    check(&matrix, &runs!(f64, f64, PlainF64, Avx2F64, Avx512F64), |row| row.0[0]);
    check(&matrix, &runs!(f32, f32, PlainF32, Avx2F32, Avx512F32), |row| row.0[0]);
}

#[test]
fn one_right_hand_side_is_solved_as_three_are() {
    let matrix = ordered(13 * 11 * 9, grid([13, 11, 9], 0.5));
    let factor = PanelCholesky::<f64>::new(&matrix).unwrap();
    let mut rows = right_hand_sides::<f64>(matrix.size());
    let mut numbers: Vec<f64> = rows.iter().map(|row| row.0[1]).collect();
    let mut alone = numbers.clone();
    let team = Team::new(2);
    factor.solve(&mut rows, &mut PanelWork::new(&factor, 2), &team);
    factor.solve(&mut numbers, &mut PanelWork::new(&factor, 2), &team);
    factor.solve(&mut alone, &mut PanelWork::new(&factor, 1), &Team::new(1));
    assert_eq!(numbers, alone, "the same bits on any team");
    let largest = numbers.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    for (row, x) in rows.iter().zip(&numbers) {
        assert!((row.0[1] - x).abs() < 1e-13 * largest, "{} instead of {}", x, row.0[1]);
    }
}

/// Springs of stiffness 3 between some unknowns and the ground, as in Woodbury's formula.
struct Springs<'a> {
    at: &'a [usize],
    /// (I/3 + the inverse between them)⁻¹, row after row.
    stiff: Vec<f64>,
    pull: Vec<f64>,
}

impl Correction<f64> for Springs<'_> {
    fn read(&mut self, solution: &[f64]) {
        let moved: Vec<f64> = self.at.iter().map(|&k| solution[k]).collect();
        for (pull, row) in self.pull.iter_mut().zip(self.stiff.chunks_exact(moved.len())) {
            *pull = row.iter().zip(&moved).map(|(a, b)| a * b).sum();
        }
    }
    fn add(&self, sides: &mut [f64]) {
        self.at.iter().zip(&self.pull).for_each(|(&k, pull)| sides[k] -= pull);
    }
}

#[test]
fn corrected_solves_know_springs_that_the_factor_does_not() {
    let matrix = ordered(13 * 11 * 9, grid([13, 11, 9], 0.5));
    let factor = PanelCholesky::<f64>::new(&matrix).unwrap();
    let (team, mut work) = (Team::new(2), PanelWork::new(&factor, 2));
    let b: Vec<f64> = right_hand_sides::<f64>(matrix.size()).iter().map(|row| row.0[0]).collect();
    // Twice with the same work: what the first leaves behind must not be felt.
    for at in [vec![7, 500, 501, 1286], vec![12, 900]] {
        let mut between = faer::Mat::<f64>::identity(at.len(), at.len()) * faer::Scale(1.0 / 3.0);
        for (j, &unknown) in at.iter().enumerate() {
            let mut column = vec![0.0; matrix.size()];
            column[unknown] = 1.0;
            factor.solve(&mut column, &mut PanelWork::new(&factor, 2), &team);
            at.iter().enumerate().for_each(|(i, &k)| between[(i, j)] += column[k]);
        }
        use faer::linalg::solvers::DenseSolveCore;
        let inverse = between.partial_piv_lu().inverse();
        let stiff = (0..at.len()).flat_map(|i| (0..at.len()).map(move |j| (i, j)));
        let stiff = stiff.map(|(i, j)| inverse[(i, j)]).collect();
        let mut springs = Springs { at: &at, stiff, pull: vec![0.0; at.len()] };
        let mut x = b.clone();
        factor.solve_corrected(&mut x, at.iter().copied(), &mut springs, &mut work, &team);
        let mut product = vec![0.0; x.len()];
        matrix.multiply(&x, &mut product);
        at.iter().for_each(|&k| product[k] += 3.0 * x[k]);
        let worst = product.iter().zip(&b).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(worst < 1e-11, "{worst:e}");
    }
}

/// (Laplacian + mass) ⊗ (0.9 I + 0.1 · ones): three coupled unknowns per vertex.
fn three_per_vertex(cells: [usize; 3]) -> SymmetricMatrix {
    let coupled = grid(cells, 1.0).into_iter().flat_map(|(r, c, v)| {
        (0..3).flat_map(move |i| {
            (0..3)
                .filter(move |&j| r != c || j <= i)
                .map(move |j| (3 * r + i, 3 * c + j, if i == j { v } else { 0.1 * v }))
        })
    });
    SymmetricMatrix::from_triplets(3 * cells.iter().product::<usize>(), coupled).unwrap()
}

#[test]
fn a_pattern_is_factored_again_and_again() {
    let matrix = three_per_vertex([8, 7, 6]);
    let scalar = SymmetricMatrix::from_triplets(8 * 7 * 6, grid([8, 7, 6], 1.0)).unwrap();
    let order = expand_order(&nested_dissection(&scalar.adjacency()).unwrap(), 3);
    let mut factor = SparseCholesky::analyse(&matrix, &order).unwrap();
    let b: Vec<f64> = (0..matrix.size()).map(|k| (k as f64 * 0.37).cos()).collect();
    assert_eq!(factor.solve(&mut b.clone()), Err(MathError::NotFactored));
    let mut previous = vec![];
    for round in 0..3 {
        let mut values = matrix.values().to_vec();
        for c in 0..matrix.size() {
            values[matrix.column_starts()[c]] += (round * (c % 5)) as f64;
        }
        let mut changed = matrix.clone();
        changed.values_mut().copy_from_slice(&values);
        factor.factor(&values).unwrap();
        let (mut x, mut ax) = (b.clone(), b.clone());
        factor.solve(&mut x).unwrap();
        changed.multiply(&x, &mut ax);
        assert!(ax.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_ne!(x, previous);
        previous = x;
    }
    // A bad matrix in between does not spoil the next one.
    assert!(factor.factor(&vec![-1.0; matrix.values().len()]).is_err());
    assert_eq!(factor.solve(&mut b.clone()), Err(MathError::NotFactored));
    factor.factor(matrix.values()).unwrap();
    factor.solve(&mut b.clone()).unwrap();
    assert!(matches!(factor.factor(&[1.0]), Err(MathError::WrongLength { .. })));
    assert!(matches!(factor.solve(&mut [1.0]), Err(MathError::WrongLength { .. })));
}

#[test]
fn a_failure_names_the_column_of_the_caller() {
    let matrix =
        SymmetricMatrix::from_triplets(3, [(0, 0, 1.0), (1, 1, -1.0), (2, 2, 1.0)]).unwrap();
    let mut factor = SparseCholesky::analyse(&matrix, &[1, 2, 0]).unwrap();
    let refused = MathError::NotPositiveDefinite { column: 1 };
    assert_eq!(factor.factor(matrix.values()), Err(refused));
    assert_eq!(factor.factor(&[1.0, 1.0, f64::NAN]), Err(MathError::NonFinite { column: 2 }));
    factor.factor(&[1.0, 1.0, 1.0]).unwrap();
    let mut x = [f64::INFINITY, 1.0, 1.0];
    assert_eq!(factor.solve(&mut x), Err(MathError::NonFinite { column: 0 }));
    assert_eq!(x[1], 1.0);
}

/// Sparse, symmetric, diagonally dominant; in any order.
fn any_positive_definite() -> impl Strategy<Value = SymmetricMatrix> {
    (1usize..150).prop_flat_map(|n| {
        let pair = (0..n, 0..n, -10.0..10.0f64);
        prop::collection::vec(pair, 0..3 * n).prop_map(move |pairs| {
            let off = pairs.into_iter().filter(|p| p.0 != p.1);
            let entries = off.flat_map(|(r, c, v)| [(r, c, v), (r, r, v.abs()), (c, c, v.abs())]);
            let mass = (0..n).map(|k| (k, k, 0.5));
            SymmetricMatrix::from_triplets(n, entries.chain(mass)).unwrap()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn random_matrices_are_solved_in_any_order(matrix in any_positive_definite()) {
        check_both(&matrix);
        let order = nested_dissection(&matrix.adjacency()).unwrap();
        check_both(&matrix.permuted(&order).unwrap());
        for order in [(0..matrix.size()).collect(), order] {
            let mut factor = SparseCholesky::analyse(&matrix, &order).unwrap();
            factor.factor(matrix.values()).unwrap();
            let mut x: Vec<f64> = (0..matrix.size()).map(|k| (k % 7) as f64 - 3.0).collect();
            let (b, mut ax) = (x.clone(), x.clone());
            factor.solve(&mut x).unwrap();
            matrix.multiply(&x, &mut ax);
            prop_assert!(ax.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-11));
        }
    }
}
