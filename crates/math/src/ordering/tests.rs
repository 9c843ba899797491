use proptest::prelude::*;

use super::*;

fn grid(cells: [usize; 3]) -> Adjacency {
    let [nx, ny, nz] = cells;
    let at = |x, y, z| (x * ny + y) * nz + z;
    let mut pairs = vec![];
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                if x + 1 < nx {
                    pairs.push((at(x, y, z), at(x + 1, y, z)));
                }
                if y + 1 < ny {
                    pairs.push((at(x, y, z), at(x, y + 1, z)));
                }
                if z + 1 < nz {
                    pairs.push((at(x, y, z), at(x, y, z + 1)));
                }
            }
        }
    }
    Adjacency::from_pairs(nx * ny * nz, pairs).unwrap()
}

/// Entries of the factor below the diagonal, by elimination on sets.
fn fill(graph: &Adjacency, order: &[usize]) -> usize {
    let place = inverse_permutation(order, graph.size()).unwrap();
    let mut columns: Vec<std::collections::BTreeSet<usize>> = order
        .iter()
        .enumerate()
        .map(|(k, &v)| graph.neighbours(v).iter().map(|&w| place[w]).filter(|&p| p > k).collect())
        .collect();
    let mut total = 0;
    for k in 0..columns.len() {
        let column = std::mem::take(&mut columns[k]);
        total += column.len();
        if let Some(&parent) = column.first() {
            columns[parent].extend(column.into_iter().filter(|&r| r > parent));
        }
    }
    total
}

fn check_postordered(graph: &Adjacency, order: &[usize]) {
    let place = inverse_permutation(order, graph.size()).unwrap();
    let parent = elimination_tree(graph, order, &place);
    // The subtree below k is the columns just before k.
    let mut below = vec![0; order.len()];
    for k in 0..order.len() {
        let children: Vec<usize> = (0..k).filter(|&c| parent[c] == k).collect();
        below[k] = children.iter().map(|&c| below[c] + 1).sum();
        let mut end = k;
        for &c in children.iter().rev() {
            assert_eq!(c + 1, end, "children of {k} are not consecutive subtrees");
            end = c - below[c];
        }
    }
}

#[test]
fn odd_graphs_have_orders() {
    let complete = |n: usize| {
        Adjacency::from_pairs(n, (0..n).flat_map(|a| (0..a).map(move |b| (a, b)))).unwrap()
    };
    let nearly_complete = Adjacency::from_pairs(
        300,
        (0..300).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&p| p != (299, 0)),
    );
    let star = |n: usize| Adjacency::from_pairs(n, (1..n).map(|k| (0, k))).unwrap();
    let path = |n: usize| Adjacency::from_pairs(n, (1..n).map(|k| (k - 1, k))).unwrap();
    let islands = Adjacency::from_pairs(900, (0..300).map(|k| (3 * k, 3 * k + 1))).unwrap();
    let edgeless = Adjacency::from_pairs(1000, []).unwrap();
    let mut graphs = vec![islands, edgeless, grid([30, 30, 1]), nearly_complete.unwrap()];
    for n in [0, 1, 2, 3, 10, 150, 400] {
        graphs.extend([complete(n), star(n.max(1)), path(n)]);
    }
    for graph in &graphs {
        let order = nested_dissection(graph).unwrap();
        inverse_permutation(&order, graph.size()).unwrap();
        check_postordered(graph, &order);
    }
}

#[test]
fn fill_is_far_below_that_of_the_natural_order() {
    let graph = grid([14, 14, 14]);
    let natural: Vec<usize> = (0..graph.size()).collect();
    let ordered = fill(&graph, &nested_dissection(&graph).unwrap());
    assert!(2 * ordered < fill(&graph, &natural), "{ordered}");
}

#[test]
fn postorder_keeps_the_fill() {
    let graph = grid([9, 8, 7]);
    // A permutation with no structure: 5 is prime to 504.
    let scattered: Vec<usize> = (0..504).map(|k| k * 5 % 504).collect();
    let sorted = postordered(&graph, &scattered).unwrap();
    check_postordered(&graph, &sorted);
    assert_eq!(fill(&graph, &sorted), fill(&graph, &scattered));
}

#[test]
fn the_same_order_from_any_thread() {
    let graph = grid([20, 20, 5]);
    let expected = nested_dissection(&graph).unwrap();
    std::thread::scope(|scope| {
        let orders: Vec<_> = (0..8)
            .map(|k| {
                let graph = &graph;
                scope.spawn(move || {
                    // Other graphs in between disturb whatever METIS keeps.
                    nested_dissection(&grid([k + 10, 20, 1])).unwrap();
                    nested_dissection(graph).unwrap()
                })
            })
            .collect();
        for order in orders {
            assert_eq!(order.join().unwrap(), expected);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_graph_has_an_order(
        n in 1usize..200, pairs in prop::collection::vec((any::<u32>(), any::<u32>()), 0..600)
    ) {
        let pairs = pairs.into_iter().map(|(a, b)| (a as usize % n, b as usize % n));
        let graph = Adjacency::from_pairs(n, pairs).unwrap();
        let order = nested_dissection(&graph).unwrap();
        prop_assert!(inverse_permutation(&order, n).is_ok());
        check_postordered(&graph, &order);
    }
}
