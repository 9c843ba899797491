//! Regions from a few vertices on the lips: a loop through them, and everything within a distance
//! along the surface.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DMat3, DVec3};
use pliant_math::decomposition::symmetric_eigen;
use pliant_math::sparse::Adjacency;
use pliant_mesh::Mesh;

use crate::error::LipsError;

/// How far the inner lip and the mouth reach from the loop when nobody says, in widths of the loop:
/// of a mouth 5 cm wide, 1 cm and 4 cm.
const INNER: f64 = 0.2;
const MOUTH: f64 = 0.8;

/// The regions that were found around a few vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Grown {
    /// Vertices of the closed loop through the lips, each a neighbour of the next.
    pub loop_: Vec<u32>,
    /// The inner lip, ascending.
    pub inner: Vec<u32>,
    /// The mouth with the inner lip, ascending.
    pub mouth: Vec<u32>,
    /// How far the inner lip and the mouth reach from the loop, along edges \[m\].
    pub reaches: [f64; 2],
}

/// Grows regions around vertices on the line where the lips meet: the corners and a few between
/// them, in any order. Reaches are lengths along edges \[m\], a part of the mouth's width when
/// they are left out.
///
/// # Errors
/// When there are no seeds or no such vertex, when no path leads from one seed to the next, or
/// when the reaches are not ascending.
pub fn grow(
    rest: &Mesh,
    seeds: &[u32],
    inner: Option<f64>,
    mouth: Option<f64>,
) -> Result<Grown, LipsError> {
    let count = rest.positions.len();
    if let Some(&vertex) = seeds.iter().find(|v| **v as usize >= count) {
        return Err(LipsError::NoSuchVertex { what: "list of lip vertices", vertex, count });
    }
    if seeds.is_empty() {
        return Err(LipsError::Empty { what: "list of lip vertices" });
    }
    let edges = Edges::new(&rest.positions, &rest.triangles)?;
    let loop_ = edges.chain(&around(&rest.positions, seeds), true)?;
    let at = |v: &u32| rest.positions[*v as usize];
    let width = loop_.iter().flat_map(|a| loop_.iter().map(move |b| at(a).distance(at(b))));
    let width = width.fold(0.0, f64::max);
    let reaches = [inner.unwrap_or(INNER * width), mouth.unwrap_or(MOUTH * width)];
    let [short, long] = reaches;
    if !(short > 0.0 && long > short && long.is_finite()) {
        let expected = "larger than the inner lip's, and both larger than 0";
        return Err(LipsError::Number { what: "the reach of the mouth", found: long, expected });
    }
    let distance = edges.distances(&loop_);
    let within = |reach: f64| -> Vec<u32> {
        (0..count as u32).filter(|v| distance[*v as usize] <= reach).collect()
    };
    Ok(Grown { inner: within(short), mouth: within(long), loop_, reaches })
}

/// The seeds in the order of their angle about their middle, in the plane that fits them best.
fn around(positions: &[DVec3], seeds: &[u32]) -> Vec<u32> {
    let at = |v: &u32| positions[*v as usize];
    let middle = seeds.iter().map(at).sum::<DVec3>() / seeds.len() as f64;
    let outer = |d: DVec3| DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    let spread = seeds.iter().fold(DMat3::ZERO, |sum, v| sum + outer(at(v) - middle));
    let eigen = symmetric_eigen(&spread);
    let mut axes: Vec<(f64, DVec3)> =
        (0..3).map(|k| (eigen.values[k], eigen.vectors.col(k))).collect();
    axes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let angle = |v: &u32| {
        let d = at(v) - middle;
        d.dot(axes[1].1).atan2(d.dot(axes[0].1))
    };
    let mut order = seeds.to_vec();
    order.sort_by(|a, b| angle(a).total_cmp(&angle(b)).then(a.cmp(b)));
    order.dedup();
    order
}

/// The edges of a surface with their lengths.
pub struct Edges<'a> {
    positions: &'a [DVec3],
    graph: Adjacency,
}

impl<'a> Edges<'a> {
    /// Of these triangles; those that name missing vertices are passed over.
    ///
    /// # Errors
    /// When there are too many.
    pub fn new(positions: &'a [DVec3], triangles: &[[u32; 3]]) -> Result<Edges<'a>, LipsError> {
        let known = |t: &&[u32; 3]| t.iter().all(|v| (*v as usize) < positions.len());
        let sides = triangles.iter().filter(known).flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let pairs = sides.map(|(a, b)| (a as usize, b as usize));
        Ok(Edges { positions, graph: Adjacency::from_pairs(positions.len(), pairs)? })
    }

    /// The neighbours of a vertex, ascending.
    pub fn neighbours(&self, vertex: u32) -> &[usize] {
        self.graph.neighbours(vertex as usize)
    }

    /// The distance of every vertex from the nearest source, along edges \[m\].
    pub fn distances(&self, sources: &[u32]) -> Vec<f64> {
        self.search(sources, None).0
    }

    /// The vertices from each given one to the next along the shortest paths, without repeating
    /// where they meet; `closed` leads from the last back to the first.
    ///
    /// # Errors
    /// When there is no path.
    pub fn chain(&self, through: &[u32], closed: bool) -> Result<Vec<u32>, LipsError> {
        let Some(&first) = through.first() else { return Ok(Vec::new()) };
        let mut chain = vec![first];
        let back = (closed && through.len() > 2).then_some(first);
        for to in through[1..].iter().copied().chain(back) {
            let from = chain[chain.len() - 1];
            if from == to {
                continue;
            }
            let (distance, before) = self.search(&[to], Some(from));
            if !distance[from as usize].is_finite() {
                let problem = format!("no path along edges leads from vertex {from} to {to}");
                return Err(LipsError::sketch(problem));
            }
            let mut at = from;
            while at != to {
                at = before[at as usize];
                chain.push(at);
            }
        }
        if back.is_some() && chain.len() > 1 {
            chain.pop();
        }
        Ok(chain)
    }

    /// Dijkstra's algorithm: distances, and the neighbour that leads to the source.
    fn search(&self, sources: &[u32], goal: Option<u32>) -> (Vec<f64>, Vec<u32>) {
        let count = self.positions.len();
        let (mut distance, mut before) = (vec![f64::INFINITY; count], vec![u32::MAX; count]);
        // Bits of numbers that are not negative are ordered as the numbers are.
        let mut heap = BinaryHeap::new();
        for &v in sources {
            distance[v as usize] = 0.0;
            heap.push(Reverse((0.0f64.to_bits(), v)));
        }
        while let Some(Reverse((bits, v))) = heap.pop() {
            let so_far = f64::from_bits(bits);
            if so_far > distance[v as usize] {
                continue;
            }
            if Some(v) == goal {
                break;
            }
            for &w in self.graph.neighbours(v as usize) {
                let length = so_far + self.positions[v as usize].distance(self.positions[w]);
                if length < distance[w] {
                    (distance[w], before[w]) = (length, v);
                    heap.push(Reverse((length.to_bits(), w as u32)));
                }
            }
        }
        (distance, before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    #[test]
    fn a_loop_goes_through_its_seeds_whatever_their_order() {
        let sheet = shapes::cloth([1.0, 1.0], [20, 20]).unwrap().0;
        let (a, b, c, d) = (5 * 21 + 5, 5 * 21 + 15, 15 * 21 + 15, 15 * 21 + 5);
        let grown = grow(&sheet, &[a, c, b, d], Some(0.06), Some(0.2)).unwrap();
        assert!([a, b, c, d].iter().all(|v| grown.loop_.contains(v)));
        assert_eq!(grown.loop_.len(), 40, "ten edges a side");
        let edges = Edges::new(&sheet.positions, &sheet.triangles).unwrap();
        for (k, v) in grown.loop_.iter().enumerate() {
            let next = grown.loop_[(k + 1) % grown.loop_.len()];
            assert!(edges.neighbours(*v).contains(&(next as usize)), "{v} and {next}");
        }
        assert!(grown.loop_.iter().all(|v| grown.inner.contains(v)));
        assert!(grown.inner.len() > 80 && grown.mouth.len() > grown.inner.len());
        assert!(grown.inner.iter().all(|v| grown.mouth.contains(v)));
    }

    #[test]
    fn distances_are_lengths_along_edges() {
        let sheet = shapes::cloth([1.0, 1.0], [10, 10]).unwrap().0;
        let edges = Edges::new(&sheet.positions, &sheet.triangles).unwrap();
        let distance = edges.distances(&[0]);
        let along = sheet.positions.iter().map(|x| x.distance(sheet.positions[0]));
        assert!(distance.iter().zip(along).all(|(d, straight)| *d >= straight - 1e-12));
        assert!((distance[10] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn seeds_that_cannot_be_joined_are_named() {
        let sheet = shapes::cloth([1.0, 1.0], [2, 2]).unwrap().0;
        assert!(grow(&sheet, &[], None, None).is_err());
        assert!(grow(&sheet, &[99], None, None).is_err());
        assert!(grow(&sheet, &[0, 2], Some(0.5), Some(0.4)).is_err());
        let mut apart = sheet.clone();
        apart.positions.push(DVec3::ONE);
        let error = grow(&apart, &[0, 9], None, None).unwrap_err().to_string();
        assert!(error.starts_with("no path along edges leads from vertex"), "{error}");
    }
}
