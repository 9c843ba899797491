//! Fill-reducing elimination orders: nested dissection by METIS, then a postorder of the
//! elimination tree.
//!
//! The postorder changes no fill, but makes the columns of every subtree consecutive, which
//! supernodes and multifrontal updates need. Elimination tree: Liu, "A compact row storage
//! scheme for Cholesky factors using elimination trees" (1986).

use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use crate::MathError;
use crate::sparse::{Adjacency, inverse_permutation};

/// An order in which to eliminate the vertices of a graph: `order[k]` is the k-th.
///
/// Deterministic; components are ordered one after the other, so edgeless and disconnected
/// graphs are fine.
///
/// ```
/// use pliant_math::ordering::nested_dissection;
/// use pliant_math::sparse::Adjacency;
///
/// let star = Adjacency::from_pairs(4, [(0, 1), (0, 2), (0, 3)])?;
/// let order = nested_dissection(&star)?;
/// assert!(order[2..].contains(&0)); // the hub comes late: no fill
/// # Ok::<(), pliant_math::MathError>(())
/// ```
pub fn nested_dissection(graph: &Adjacency) -> Result<Vec<usize>, MathError> {
    let size = graph.size();
    let mut order = Vec::with_capacity(size);
    let mut number = vec![usize::MAX; size];
    for seed in 0..size {
        if number[seed] == usize::MAX {
            let component = component_of(graph, seed, &mut number);
            order_component(graph, &component, &number, &mut order)?;
        }
    }
    postordered(graph, &order)
}

/// The order of the unknowns when every vertex has `components` of them, numbered
/// `vertex · components + c`.
///
/// ```
/// use pliant_math::ordering::expand_order;
/// assert_eq!(expand_order(&[1, 0], 3), [3, 4, 5, 0, 1, 2]);
/// ```
pub fn expand_order(order: &[usize], components: usize) -> Vec<usize> {
    order.iter().flat_map(|&v| (0..components).map(move |c| v * components + c)).collect()
}

/// `parent[k]`: the first column below `k` in the factor's column `k`; `usize::MAX` at a root.
/// Columns are numbered in elimination order.
fn elimination_tree(graph: &Adjacency, order: &[usize], place: &[usize]) -> Vec<usize> {
    let size = graph.size();
    let (mut parent, mut ancestor) = (vec![usize::MAX; size], vec![usize::MAX; size]);
    for k in 0..size {
        for &neighbour in graph.neighbours(order[k]) {
            let mut i = place[neighbour];
            // Climb to the root of i's tree, pointing everything on the way at k.
            while i < k {
                let up = std::mem::replace(&mut ancestor[i], k);
                if up == usize::MAX {
                    parent[i] = k;
                }
                i = up;
            }
        }
    }
    parent
}

fn postordered(graph: &Adjacency, order: &[usize]) -> Result<Vec<usize>, MathError> {
    let size = graph.size();
    let place = inverse_permutation(order, size)?;
    let parent = elimination_tree(graph, order, &place);
    // Child lists, each in ascending order.
    let none = usize::MAX;
    let (mut first_child, mut sibling) = (vec![none; size], vec![none; size]);
    let mut roots = Vec::new();
    for k in (0..size).rev() {
        match first_child.get_mut(parent[k]) {
            Some(first) => sibling[k] = std::mem::replace(first, k),
            None => roots.push(k),
        }
    }
    let mut postorder = Vec::with_capacity(size);
    let mut path = Vec::new();
    while let Some(mut k) = roots.pop() {
        loop {
            while first_child[k] != none {
                path.push(k);
                k = first_child[k];
            }
            postorder.push(order[k]);
            while sibling[k] == none
                && let Some(up) = path.pop()
            {
                k = up;
                postorder.push(order[k]);
            }
            if path.is_empty() {
                break;
            }
            k = sibling[k];
        }
    }
    Ok(postorder)
}

/// The vertices connected with `seed`, ascending; `number[v]` becomes v's position among them.
fn component_of(graph: &Adjacency, seed: usize, number: &mut [usize]) -> Vec<usize> {
    let mut component = vec![seed];
    number[seed] = 0;
    let mut next = 0;
    while let Some(&vertex) = component.get(next) {
        next += 1;
        for &neighbour in graph.neighbours(vertex) {
            if number[neighbour] == usize::MAX {
                number[neighbour] = 0;
                component.push(neighbour);
            }
        }
    }
    component.sort_unstable();
    for (k, &vertex) in component.iter().enumerate() {
        number[vertex] = k;
    }
    component
}

/// METIS keeps its random state and signal handlers in globals: one caller at a time.
static METIS: Mutex<()> = Mutex::new(());
const SEED: i32 = 4321;

/// Appends the component's vertices to `order`.
fn order_component(
    graph: &Adjacency,
    component: &[usize],
    number: &[usize],
    order: &mut Vec<usize>,
) -> Result<(), MathError> {
    let degrees: usize = component.iter().map(|&v| graph.neighbours(v).len()).sum();
    let size = component.len();
    if degrees == size * (size - 1) {
        // Complete (or a single vertex): every order is as good, and METIS finds no separator.
        order.extend_from_slice(component);
        return Ok(());
    }
    let too_large = |_| MathError::TooLarge("METIS counts vertices and neighbours in 32 bits");
    let mut vertices = i32::try_from(size).map_err(too_large)?;
    i32::try_from(degrees).map_err(too_large)?;
    let (mut starts, mut neighbours) = (vec![0], Vec::with_capacity(degrees));
    for &vertex in component {
        // Below `size`, which fits.
        neighbours.extend(graph.neighbours(vertex).iter().map(|&w| number[w] as i32));
        starts.push(neighbours.len() as i32);
    }
    let mut local_order = vec![0i32; size];
    let mut local_place = vec![0i32; size];
    let mut options = [0i32; metis_sys::METIS_NOPTIONS as usize];
    let guard = METIS.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `options` is as long as METIS says; `starts` and `neighbours` describe a graph of
    // `vertices` vertices, symmetric and without self-loops; both results have room for each.
    let status = unsafe {
        metis_sys::METIS_SetDefaultOptions(options.as_mut_ptr());
        options[metis_sys::moptions_et_METIS_OPTION_SEED as usize] = SEED;
        metis_sys::METIS_NodeND(
            &mut vertices,
            starts.as_mut_ptr(),
            neighbours.as_mut_ptr(),
            null_mut(),
            options.as_mut_ptr(),
            local_order.as_mut_ptr(),
            local_place.as_mut_ptr(),
        )
    };
    drop(guard);
    if status != metis_sys::rstatus_et_METIS_OK {
        return Err(MathError::Ordering(status));
    }
    for &k in &local_order {
        let vertex = usize::try_from(k).ok().and_then(|k| component.get(k));
        order.push(*vertex.ok_or(MathError::Ordering(status))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
