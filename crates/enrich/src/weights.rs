//! Weights everywhere from values at a few vertices: the w with least ½ wᵀLᵀLw, where L is the graph
//! Laplacian of the tets' edges, and Sw = w̄ at what was painted (Eq. 12–15).
//!
//! The bi-Laplacian passes through its values smoothly, and so beyond them: what leaves [0, 1] is cut.

use pliant_math::cholesky::SparseCholesky;
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::{Adjacency, SymmetricMatrix};
use pliant_mesh::edges_of_tets;

use crate::error::EnrichError;

/// Weights in [0, 1] of all vertices of some tets, from those `painted`; a vertex painted twice has
/// the last value. Pieces without a painted vertex have weight 0.
///
/// ```
/// use pliant_enrich::weights;
/// use pliant_mesh::{DVec3, shapes};
/// let bar = shapes::solid_box(DVec3::new(4.0, 1.0, 1.0), [4, 1, 1])?;
/// let ends = |x: f64| (0u32..).zip(&bar.positions).filter(move |(_, p)| p.x == x).map(|(v, _)| v);
/// let mut painted: Vec<(u32, f64)> = ends(-2.0).map(|v| (v, 0.0)).collect();
/// painted.extend(ends(2.0).map(|v| (v, 1.0)));
/// let weights = weights::spread(&bar.tets, bar.positions.len(), &painted)?;
/// let middle = ends(0.0).next().unwrap();
/// assert!((weights[middle as usize] - 0.5).abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn spread(
    tets: &[[u32; 4]],
    vertices: usize,
    painted: &[(u32, f64)],
) -> Result<Vec<f64>, EnrichError> {
    let mut fixed: Vec<Option<f64>> = vec![None; vertices];
    for &(vertex, value) in painted {
        let (count, what) = (vertices, "a painted weight");
        if !(0.0..=1.0).contains(&value) {
            let expected = "from 0 (physics) to 1 (input)";
            return Err(EnrichError::Number { what, found: value, expected });
        }
        *fixed
            .get_mut(vertex as usize)
            .ok_or(EnrichError::NoSuchVertex { what, vertex, count })? = Some(value);
    }
    let edges = edges_of_tets(tets);
    let graph = Adjacency::from_pairs(
        vertices,
        edges.iter().map(|&[a, b]| (a as usize, b as usize)),
    )?;
    let reached = reached_from(&graph, &fixed);
    for v in 0..vertices {
        if !reached[v] {
            fixed[v] = Some(0.0);
        }
    }
    let mut weights: Vec<f64> = fixed.iter().map(|w| w.unwrap_or(0.0)).collect();
    let free: Vec<usize> = (0..vertices).filter(|&v| fixed[v].is_none()).collect();
    if free.is_empty() {
        return Ok(weights);
    }
    let mut number = vec![usize::MAX; vertices];
    free.iter().enumerate().for_each(|(k, &v)| number[v] = k);
    // Row v of L: the degree at v, −1 at its neighbours. LᵀL sums over v what its row couples.
    let mut triplets = Vec::new();
    let mut right = vec![0.0; free.len()];
    for v in 0..vertices {
        let degree = graph.neighbours(v).len() as f64;
        let row: Vec<(usize, f64)> =
            graph.neighbours(v).iter().map(|&n| (n, -1.0)).chain([(v, degree)]).collect();
        let known: f64 = row.iter().map(|&(u, l)| l * fixed[u].unwrap_or(0.0)).sum();
        for &(i, li) in row.iter().filter(|(u, _)| fixed[*u].is_none()) {
            right[number[i]] -= li * known;
            for &(j, lj) in row.iter().filter(|(u, _)| fixed[*u].is_none()) {
                if number[i] >= number[j] {
                    triplets.push((number[i], number[j], li * lj));
                }
            }
        }
    }
    let matrix = SymmetricMatrix::from_triplets(free.len(), triplets)?;
    let order = nested_dissection(&matrix.adjacency())?;
    let mut factor = SparseCholesky::analyse(&matrix, &order)?;
    factor.factor(matrix.values())?;
    factor.solve(&mut right)?;
    for (&v, w) in free.iter().zip(right) {
        weights[v] = w.clamp(0.0, 1.0);
    }
    Ok(weights)
}

/// Which vertices are joined to one that has a value.
fn reached_from(graph: &Adjacency, fixed: &[Option<f64>]) -> Vec<bool> {
    let mut reached: Vec<bool> = fixed.iter().map(Option::is_some).collect();
    let mut front: Vec<usize> = (0..fixed.len()).filter(|&v| reached[v]).collect();
    while let Some(v) = front.pop() {
        for &n in graph.neighbours(v) {
            if !std::mem::replace(&mut reached[n], true) {
                front.push(n);
            }
        }
    }
    reached
}
