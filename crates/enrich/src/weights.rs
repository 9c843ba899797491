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
    for &(_, value) in painted {
        if !(0.0..=1.0).contains(&value) {
            let (what, expected) = ("a painted weight", "from 0 (physics) to 1 (input)");
            return Err(EnrichError::Number { what, found: value, expected });
        }
    }
    let mut amounts = vec![1.0; vertices];
    for &(v, value) in painted {
        if let Some(amount) = amounts.get_mut(v as usize) {
            *amount = value;
        }
    }
    let bases =
        scaled_bases(tets, vertices, &[painted.iter().map(|(v, _)| *v).collect()], &amounts)?;
    Ok(mixed(&bases, &[1.0]))
}

/// Weights of values, one for each basis, cut to [0, 1].
pub fn mixed(bases: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let count = bases.first().map_or(0, Vec::len);
    let at = |v: usize| bases.iter().zip(values).map(|(basis, value)| basis[v] * value).sum();
    (0..count).map(|v: usize| f64::clamp(at(v), 0.0, 1.0)).collect()
}

/// Weights depend linearly on what is painted: for every set of vertices those when it has the value
/// 1 and all others 0. A vertex in two sets belongs to the last.
pub fn bases(
    tets: &[[u32; 4]],
    vertices: usize,
    sets: &[Vec<u32>],
) -> Result<Vec<Vec<f64>>, EnrichError> {
    scaled_bases(tets, vertices, sets, &vec![1.0; vertices])
}

/// The same with an amount at every vertex of a set in place of 1.
fn scaled_bases(
    tets: &[[u32; 4]],
    vertices: usize,
    sets: &[Vec<u32>],
    amounts: &[f64],
) -> Result<Vec<Vec<f64>>, EnrichError> {
    let mut set_of: Vec<Option<usize>> = vec![None; vertices];
    for (set, members) in sets.iter().enumerate() {
        for &vertex in members {
            let (count, what) = (vertices, "a painted weight");
            *set_of.get_mut(vertex as usize).ok_or(EnrichError::NoSuchVertex {
                what,
                vertex,
                count,
            })? = Some(set);
        }
    }
    let edges = edges_of_tets(tets).into_iter().map(|[a, b]| (a as usize, b as usize));
    let graph = Adjacency::from_pairs(vertices, edges)?;
    let reached = reached_from(&graph, &set_of);
    let free: Vec<usize> = (0..vertices).filter(|&v| set_of[v].is_none() && reached[v]).collect();
    let mut bases = vec![vec![0.0; vertices]; sets.len()];
    for v in 0..vertices {
        if let Some(set) = set_of[v] {
            bases[set][v] = amounts[v];
        }
    }
    if free.is_empty() {
        return Ok(bases);
    }
    let mut number = vec![usize::MAX; vertices];
    free.iter().enumerate().for_each(|(k, &v)| number[v] = k);
    // Row v of L: the degree at v, −1 at its neighbours. LᵀL sums over v what its row couples.
    let mut triplets = Vec::new();
    let mut rights = vec![vec![0.0; free.len()]; sets.len()];
    for v in 0..vertices {
        let degree = graph.neighbours(v).len() as f64;
        let row: Vec<(usize, f64)> =
            graph.neighbours(v).iter().map(|&n| (n, -1.0)).chain([(v, degree)]).collect();
        for &(i, li) in row.iter().filter(|(u, _)| number[*u] != usize::MAX) {
            for &(j, lj) in &row {
                if let Some(set) = set_of[j] {
                    rights[set][number[i]] -= li * lj * amounts[j];
                } else if number[j] != usize::MAX && number[i] >= number[j] {
                    triplets.push((number[i], number[j], li * lj));
                }
            }
        }
    }
    let matrix = SymmetricMatrix::from_triplets(free.len(), triplets)?;
    let order = nested_dissection(&matrix.adjacency())?;
    let mut factor = SparseCholesky::analyse(&matrix, &order)?;
    factor.factor(matrix.values())?;
    for (basis, right) in bases.iter_mut().zip(&mut rights) {
        factor.solve(right)?;
        free.iter().zip(right).for_each(|(&v, w)| basis[v] = *w);
    }
    Ok(bases)
}

/// Which vertices are joined to one that has a value.
fn reached_from(graph: &Adjacency, fixed: &[Option<usize>]) -> Vec<bool> {
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
