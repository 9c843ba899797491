//! Biharmonic weights from values at a few vertices (Eq. 12–15 of \[li2017enriching\]).
//!
//! They minimise ½ wᵀLᵀLw subject to Sw = w̄ at painted vertices, where L is the graph Laplacian of
//! the tets' edges. Biharmonic functions overshoot their data, so weights are clamped to [0, 1].

use pliant_math::cholesky::SparseCholesky;
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::{Adjacency, SymmetricMatrix};
use pliant_mesh::edges_of_tets;

use crate::error::EnrichError;
use crate::numerics::FreeVertices;

/// Weights in [0, 1] of all vertices of some tets, from `painted` pairs of vertex and value. A
/// vertex painted twice has the last value. Pieces without a painted vertex have weight 0.
///
/// ```
/// use pliant_enrich::blending::biharmonic;
/// use pliant_mesh::{DVec3, shapes};
/// let bar = shapes::solid_box(DVec3::new(4.0, 1.0, 1.0), [4, 1, 1])?;
/// let ends = |x: f64| (0u32..).zip(&bar.positions).filter(move |(_, p)| p.x == x).map(|(v, _)| v);
/// let mut painted: Vec<(u32, f64)> = ends(-2.0).map(|v| (v, 0.0)).collect();
/// painted.extend(ends(2.0).map(|v| (v, 1.0)));
/// let weights = biharmonic::spread(&bar.tets, bar.positions.len(), &painted)?;
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
    Ok(combine(&bases, &[1.0]))
}

/// Weights as a combination of bases with one value each, clamped to [0, 1].
pub fn combine(bases: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let count = bases.first().map_or(0, Vec::len);
    let at = |v: usize| bases.iter().zip(values).map(|(basis, value)| basis[v] * value).sum();
    (0..count).map(|v: usize| f64::clamp(at(v), 0.0, 1.0)).collect()
}

/// One basis of weights per set of vertices, with value 1 at that set and 0 at the others; weights
/// depend linearly on painted values. A vertex in two sets belongs to the last.
pub fn bases(
    tets: &[[u32; 4]],
    vertices: usize,
    sets: &[Vec<u32>],
) -> Result<Vec<Vec<f64>>, EnrichError> {
    scaled_bases(tets, vertices, sets, &vec![1.0; vertices])
}

/// [`bases`] with the value `amounts` at each vertex of a set instead of 1.
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
    let is_fixed: Vec<bool> = (0..vertices).map(|v| set_of[v].is_some() || !reached[v]).collect();
    let free = FreeVertices::new(&is_fixed);
    let mut bases = vec![vec![0.0; vertices]; sets.len()];
    for v in 0..vertices {
        if let Some(set) = set_of[v] {
            bases[set][v] = amounts[v];
        }
    }
    let count = free.vertices().len();
    if count == 0 {
        return Ok(bases);
    }
    // Row v of L has the degree at v and −1 at its neighbours. LᵀL sums the outer products of rows.
    let mut triplets = Vec::new();
    let mut rights = vec![vec![0.0; count]; sets.len()];
    for v in 0..vertices {
        let degree = graph.neighbours(v).len() as f64;
        let row: Vec<(usize, f64)> =
            graph.neighbours(v).iter().map(|&n| (n, -1.0)).chain([(v, degree)]).collect();
        let unknowns = row.iter().filter_map(|&(u, l)| Some((free.number(u)?, l)));
        for (i, li) in unknowns {
            for &(j, lj) in &row {
                if let Some(set) = set_of[j] {
                    rights[set][i] -= li * lj * amounts[j];
                } else if let Some(j) = free.number(j).filter(|&j| i >= j) {
                    triplets.push((i, j, li * lj));
                }
            }
        }
    }
    let matrix = SymmetricMatrix::from_triplets(count, triplets)?;
    let order = nested_dissection(&matrix.adjacency())?;
    let mut factor = SparseCholesky::analyse(&matrix, &order)?;
    factor.factor(matrix.values())?;
    for (basis, right) in bases.iter_mut().zip(&mut rights) {
        factor.solve(right)?;
        free.vertices().iter().zip(right).for_each(|(&v, w)| basis[v] = *w);
    }
    Ok(bases)
}

/// For each vertex, true if edges connect it to a fixed one.
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
