use proptest::prelude::*;

use super::*;

fn dense(a: &SymmetricMatrix) -> Vec<Vec<f64>> {
    let mut full = vec![vec![0.0; a.size()]; a.size()];
    for c in 0..a.size() {
        for (r, value) in a.column(c) {
            full[r][c] = value;
            full[c][r] = value;
        }
    }
    full
}

fn any_matrix() -> impl Strategy<Value = (usize, Vec<(usize, usize, f64)>)> {
    (1usize..12).prop_flat_map(|n| {
        let entry = (0..n, 0..n, -4i32..5).prop_map(|(r, c, v)| (r, c, f64::from(v)));
        (Just(n), prop::collection::vec(entry, 0..60))
    })
}

proptest! {
    #[test]
    fn triplets_are_summed_into_sorted_columns((n, entries) in any_matrix()) {
        let a = SymmetricMatrix::from_triplets(n, entries.iter().copied()).unwrap();
        let mut full = vec![vec![0.0; n]; n];
        for &(r, c, v) in &entries {
            full[r][c] += v;
            if r != c {
                full[c][r] += v;
            }
        }
        prop_assert_eq!(dense(&a), full);
        for c in 0..n {
            let rows: Vec<usize> = a.column(c).map(|e| e.0).collect();
            prop_assert_eq!(rows[0], c);
            prop_assert!(rows.is_sorted_by(|p, q| p < q));
        }
    }

    #[test]
    fn permuting_moves_entries(
        (n, entries) in any_matrix(), shuffle in prop::collection::vec(any::<u32>(), 12)
    ) {
        let a = SymmetricMatrix::from_triplets(n, entries).unwrap();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&k| shuffle[k]);
        let (b, slots) = a.permuted_with_slots(&order).unwrap();
        let (full, moved) = (dense(&a), dense(&b));
        for r in 0..n {
            for c in 0..n {
                prop_assert_eq!(moved[r][c], full[order[r]][order[c]]);
            }
            prop_assert_eq!(b.rows()[b.column_starts()[r]], r);
        }
        for (slot, &from) in slots.iter().enumerate() {
            prop_assert_eq!(b.values()[slot], a.values()[from]);
        }
        prop_assert_eq!(slots.len(), a.values().len());
    }

    #[test]
    fn products_agree_with_dense_ones((n, entries) in any_matrix()) {
        let a = SymmetricMatrix::from_triplets(n, entries).unwrap();
        let full = dense(&a);
        let x: Vec<f64> = (0..n).map(|k| (k * k % 7) as f64 - 3.0).collect();
        let rows: Vec<Row> = x.iter().map(|&v| Row::new(v, 2.0 * v, 1.0)).collect();
        let (mut y, mut z) = (vec![9.0; n], vec![Row::new(9.0, 9.0, 9.0); n]);
        a.multiply(&x, &mut y);
        a.multiply_rows(&rows, &mut z);
        for r in 0..n {
            // Small whole numbers: exact.
            let expected: f64 = (0..n).map(|c| full[r][c] * x[c]).sum();
            let ones: f64 = full[r].iter().sum();
            prop_assert_eq!(y[r], expected);
            prop_assert_eq!(z[r], Row::new(expected, 2.0 * expected, ones));
        }
    }

    #[test]
    fn adjacency_is_the_pattern_off_the_diagonal((n, entries) in any_matrix()) {
        let a = SymmetricMatrix::from_triplets(n, entries.iter().copied()).unwrap();
        let graph = a.adjacency();
        for v in 0..n {
            for w in 0..n {
                let joined = entries.iter().any(|e| (e.0, e.1) == (v, w) || (e.0, e.1) == (w, v));
                prop_assert_eq!(graph.neighbours(v).contains(&w), joined && v != w);
                prop_assert_eq!(a.slot(v, w).is_some(), joined || v == w);
            }
        }
        let pairs = entries.iter().map(|e| (e.0, e.1));
        prop_assert_eq!(Adjacency::from_pairs(n, pairs).unwrap(), graph);
    }
}

#[test]
fn duplicates_are_summed_in_input_order() {
    let parts = [1e16, 1.0, -1e16, 1.0];
    let a = SymmetricMatrix::from_triplets(1, parts.map(|v| (0, 0, v))).unwrap();
    assert_eq!(a.values(), [((1e16 + 1.0) - 1e16) + 1.0]);
}

#[test]
fn wrong_input_is_named() {
    let outside = MathError::OutOfRange { row: 3, column: 0, size: 3 };
    assert_eq!(SymmetricMatrix::from_triplets(3, [(3, 0, 1.0)]), Err(outside.clone()));
    assert_eq!(Adjacency::from_pairs(3, [(3, 0)]), Err(outside));
    let a = SymmetricMatrix::from_triplets(3, []).unwrap();
    let twice = MathError::NotAPermutation { position: 1, index: 0 };
    assert_eq!(a.permuted(&[0, 0, 1]), Err(twice));
    let far = MathError::NotAPermutation { position: 2, index: 7 };
    assert_eq!(a.permuted(&[0, 1, 7]), Err(far));
    assert!(matches!(a.permuted(&[0]), Err(MathError::WrongLength { .. })));
}

#[test]
fn nothing_is_a_matrix_too() {
    let a = SymmetricMatrix::from_triplets(0, []).unwrap();
    assert_eq!((a.size(), a.column_starts()), (0, &[0][..]));
    a.multiply(&[], &mut []);
    assert_eq!(a.adjacency().size(), 0);
    assert_eq!(a.permuted(&[]).unwrap(), a);
}
