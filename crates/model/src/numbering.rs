//! Model numbers of the user's vertices: free ones in elimination order, then hard ones; body by
//! body.

use std::ops::Range;

use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::Adjacency;
use pliant_mesh::edges_of_tets;

use crate::body_spec::{BodySpec, Matter};
use crate::error::ModelError;

/// Who is who.
pub struct Numbering {
    /// Model vertex of each user vertex.
    pub numbers: Vec<u32>,
    /// How many are free.
    pub free: usize,
    /// Free and hard model vertices of each body.
    pub ranges: Vec<[Range<usize>; 2]>,
}

impl Numbering {
    /// Of bodies whose vertices begin at `firsts` in user order, some of them hard.
    pub fn new(
        bodies: &[BodySpec],
        firsts: &[usize],
        is_hard: &dyn Fn(usize) -> bool,
    ) -> Result<Numbering, ModelError> {
        let mut numbers = vec![u32::MAX; firsts[bodies.len()]];
        let mut ranges = Vec::new();
        let mut next = 0;
        for (b, body) in bodies.iter().enumerate() {
            let own = firsts[b]..firsts[b + 1];
            let free: Vec<usize> = own.filter(|&v| !is_hard(v)).collect();
            let mut compact = vec![usize::MAX; firsts[b + 1] - firsts[b]];
            free.iter().enumerate().for_each(|(k, &v)| compact[v - firsts[b]] = k);
            let edges = match &body.matter {
                Matter::Solid { .. } => edges_of_tets(&body.mesh.tets),
                Matter::Springs { ends, .. } => ends.clone(),
                Matter::Points { .. } => Vec::new(),
            };
            let pair = |[a, b]: [u32; 2]| (compact[a as usize], compact[b as usize]);
            let joins = |&(a, b): &(usize, usize)| a != usize::MAX && b != usize::MAX && a != b;
            let pairs: Vec<_> = edges.into_iter().map(pair).filter(joins).collect();
            let order = nested_dissection(&Adjacency::from_pairs(free.len(), pairs)?)?;
            order.iter().enumerate().for_each(|(k, &c)| numbers[free[c]] = (next + k) as u32);
            ranges.push([next..next + free.len(), 0..0]);
            next += free.len();
        }
        let free = next;
        for (b, [_, held]) in ranges.iter_mut().enumerate() {
            held.start = next;
            for number in numbers[firsts[b]..firsts[b + 1]].iter_mut().filter(|n| **n == u32::MAX) {
                *number = next as u32;
                next += 1;
            }
            held.end = next;
        }
        Ok(Numbering { numbers, free, ranges })
    }
}
