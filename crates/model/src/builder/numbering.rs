//! The numbers of vertices: in user order, body by body, and in model order.
//!
//! Model order has free vertices first, in the order in which a sparse factorisation eliminates
//! them, then hard ones; both body by body.

use std::ops::Range;

use glam::DVec3;
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::Adjacency;
use pliant_math::{Buffer, Row};
use pliant_mesh::edges_of_tets;

use crate::body::{Body, Matter};
use crate::error::ModelError;

/// The user order of all bodies' vertices.
#[derive(Clone)]
pub(crate) struct UserOrder<'a> {
    pub bodies: &'a [Body],
    /// First vertex of each body, and the number of all vertices.
    pub firsts: Vec<usize>,
}

impl<'a> UserOrder<'a> {
    /// Counts the vertices.
    pub fn new(bodies: &'a [Body]) -> Result<Self, ModelError> {
        let mut firsts = vec![0];
        for body in bodies {
            firsts.push(firsts[firsts.len() - 1] + body.mesh.positions.len());
        }
        let count = firsts[bodies.len()];
        if count == 0 || count > u32::MAX as usize {
            let reason = format!("{count} vertices cannot be simulated");
            return Err(ModelError::Body { body: "all".to_owned(), reason });
        }
        Ok(UserOrder { bodies, firsts })
    }

    /// How many vertices there are.
    pub fn count(&self) -> usize {
        self.firsts[self.bodies.len()]
    }

    /// A body's vertices.
    pub fn of_body(&self, body: usize) -> Range<usize> {
        self.firsts[body]..self.firsts[body + 1]
    }

    /// The body of a vertex.
    pub fn body_of(&self, vertex: usize) -> usize {
        self.firsts.partition_point(|&first| first <= vertex) - 1
    }

    /// Number of a body's vertex.
    ///
    /// # Errors
    /// When there is no such body, or it has no such vertex.
    pub fn vertex(&self, body: usize, vertex: u32) -> Result<usize, ModelError> {
        let spec = self.bodies.get(body);
        let count = spec.map_or(0, |b| b.mesh.positions.len());
        if (vertex as usize) < count {
            return Ok(self.firsts[body] + vertex as usize);
        }
        Err(ModelError::Body {
            body: spec.map_or_else(|| format!("number {body}"), |b| b.name.clone()),
            reason: format!("has {count} vertices, and no vertex {vertex}"),
        })
    }

    /// The body of a vertex, and the vertex's number in it.
    pub fn local(&self, vertex: usize) -> (&'a Body, usize) {
        let body = self.body_of(vertex);
        (&self.bodies[body], vertex - self.firsts[body])
    }

    /// Rest position of a vertex \[m\].
    pub fn rest(&self, vertex: usize) -> DVec3 {
        let (body, local) = self.local(vertex);
        body.mesh.positions[local]
    }
}

/// Model order over user order.
pub(crate) struct Numbering<'a> {
    pub users: UserOrder<'a>,
    /// Model vertex of each user vertex.
    pub numbers: Vec<u32>,
    /// How many vertices are free.
    pub free: usize,
    /// Free and hard model vertices of each body.
    pub ranges: Vec<[Range<usize>; 2]>,
}

impl<'a> Numbering<'a> {
    /// Orders the vertices, some of which are hard.
    pub fn new(users: UserOrder<'a>, is_hard: &dyn Fn(usize) -> bool) -> Result<Self, ModelError> {
        let mut numbers = vec![u32::MAX; users.count()];
        let mut ranges = Vec::new();
        let mut next = 0;
        for (b, body) in users.bodies.iter().enumerate() {
            let free: Vec<usize> = users.of_body(b).filter(|&v| !is_hard(v)).collect();
            let order = elimination_order(body, users.firsts[b], &free)?;
            order.iter().enumerate().for_each(|(k, &c)| numbers[free[c]] = (next + k) as u32);
            ranges.push([next..next + free.len(), 0..0]);
            next += free.len();
        }
        let free = next;
        for (b, [_, held]) in ranges.iter_mut().enumerate() {
            held.start = next;
            let own = &mut numbers[users.of_body(b)];
            for number in own.iter_mut().filter(|n| **n == u32::MAX) {
                *number = next as u32;
                next += 1;
            }
            held.end = next;
        }
        Ok(Numbering { users, numbers, free, ranges })
    }

    /// Model vertex of a body's vertex.
    ///
    /// # Errors
    /// When there is no such body, or it has no such vertex.
    pub fn number(&self, body: usize, vertex: u32) -> Result<u32, ModelError> {
        self.users.vertex(body, vertex).map(|v| self.numbers[v])
    }

    /// Model vertices of a body's vertices.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub fn all<const N: usize>(
        &self,
        body: usize,
        vertices: [u32; N],
    ) -> Result<[u32; N], ModelError> {
        let mut numbers = vertices;
        for v in &mut numbers {
            *v = self.number(body, *v)?;
        }
        Ok(numbers)
    }

    /// Model vertices of all vertices of a body.
    pub fn of_body(&self, body: usize) -> &[u32] {
        &self.numbers[self.users.of_body(body)]
    }

    /// Free model vertices of a body.
    pub fn free_of(&self, body: usize) -> Range<u32> {
        let free = &self.ranges[body][0];
        free.start as u32..free.end as u32
    }

    /// Rows in model order from values in user order.
    pub fn rows(&self, value: impl Fn(usize) -> DVec3) -> Buffer<Row> {
        let mut rows = Buffer::zeroed(self.numbers.len());
        for (v, &number) in self.numbers.iter().enumerate() {
            rows[number as usize] = value(v).into();
        }
        rows
    }
}

/// Elimination order of a body's free vertices, by their place among the free ones; `first` is the
/// body's first vertex.
fn elimination_order(body: &Body, first: usize, free: &[usize]) -> Result<Vec<usize>, ModelError> {
    let mut compact = vec![usize::MAX; body.mesh.positions.len()];
    free.iter().enumerate().for_each(|(k, &v)| compact[v - first] = k);
    let edges = match &body.matter {
        Matter::Solid { .. } => edges_of_tets(&body.mesh.tets),
        Matter::Springs { ends, .. } => ends.clone(),
        Matter::Points { .. } => Vec::new(),
    };
    let pair = |[a, b]: [u32; 2]| (compact[a as usize], compact[b as usize]);
    let joins = |&(a, b): &(usize, usize)| a != usize::MAX && b != usize::MAX && a != b;
    let pairs: Vec<_> = edges.into_iter().map(pair).filter(joins).collect();
    Ok(nested_dissection(&Adjacency::from_pairs(free.len(), pairs)?)?)
}
