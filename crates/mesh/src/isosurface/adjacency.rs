//! Triangles that change while who touches whom is known.

use glam::DVec3;

/// A triangle that is no more.
const GONE: [u32; 3] = [u32::MAX; 3];

/// Triangles, and those around every vertex.
pub struct Adjacency {
    pub triangles: Vec<[u32; 3]>,
    fans: Vec<Vec<u32>>,
}

impl Adjacency {
    pub fn new(vertices: usize, triangles: Vec<[u32; 3]>) -> Self {
        let mut fans = vec![Vec::new(); vertices];
        for (t, triangle) in (0u32..).zip(&triangles) {
            triangle.iter().for_each(|&v| fans[v as usize].push(t));
        }
        Adjacency { triangles, fans }
    }

    /// Triangles around a vertex.
    pub fn fan(&self, vertex: u32) -> &[u32] {
        &self.fans[vertex as usize]
    }

    /// Makes room for a vertex; returns its number.
    pub fn add_vertex(&mut self) -> u32 {
        self.fans.push(Vec::new());
        self.fans.len() as u32 - 1
    }

    /// The vertices next to one, ascending, and whether it is at an open edge.
    pub fn around(&self, vertex: u32, neighbours: &mut Vec<u32>) -> bool {
        neighbours.clear();
        for &t in self.fan(vertex) {
            neighbours.extend(self.triangles[t as usize].iter().filter(|&&v| v != vertex));
        }
        let ends = neighbours.len();
        neighbours.sort_unstable();
        neighbours.dedup();
        // Inside, each neighbour is met in two triangles.
        2 * neighbours.len() != ends
    }

    /// Triangles at an edge: two, or one where it is open.
    pub fn at_edge(&self, a: u32, b: u32) -> Vec<u32> {
        let has = |t: &&u32| self.triangles[**t as usize].contains(&b);
        self.fan(a).iter().filter(has).copied().collect()
    }

    /// The corner of a triangle that is neither a nor b.
    pub fn opposite(&self, triangle: u32, a: u32, b: u32) -> u32 {
        let corners = self.triangles[triangle as usize];
        corners.into_iter().find(|&v| v != a && v != b).unwrap_or(a)
    }

    pub fn remove(&mut self, triangle: u32) {
        for v in self.triangles[triangle as usize] {
            self.fans[v as usize].retain(|&t| t != triangle);
        }
        self.triangles[triangle as usize] = GONE;
    }

    pub fn add(&mut self, corners: [u32; 3]) {
        let t = self.triangles.len() as u32;
        self.triangles.push(corners);
        corners.iter().for_each(|&v| self.fans[v as usize].push(t));
    }

    /// Puts `to` in place of `from` in a triangle.
    pub fn replace(&mut self, triangle: u32, from: u32, to: u32) {
        for v in &mut self.triangles[triangle as usize] {
            if *v == from {
                *v = to;
            }
        }
        self.fans[from as usize].retain(|&t| t != triangle);
        self.fans[to as usize].push(triangle);
    }

    /// Drops what is gone, and vertices without triangles, from here and from lists per vertex.
    pub fn compact(&mut self, positions: &mut Vec<DVec3>, sizes: &mut Vec<f64>) {
        self.triangles.retain(|t| *t != GONE);
        let mut number = vec![u32::MAX; positions.len()];
        let mut kept = 0;
        for v in 0..positions.len() {
            if !self.fans[v].is_empty() {
                positions[kept] = positions[v];
                sizes[kept] = sizes[v];
                number[v] = kept as u32;
                kept += 1;
            }
        }
        positions.truncate(kept);
        sizes.truncate(kept);
        let triangles = std::mem::take(&mut self.triangles);
        let triangles = triangles.into_iter().map(|t| t.map(|v| number[v as usize])).collect();
        *self = Adjacency::new(kept, triangles);
    }

    /// Every edge once, from its lower vertex; ascending.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let alive = self.triangles.iter().filter(|t| **t != GONE);
        let mut edges: Vec<[u32; 2]> =
            alive.flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}
