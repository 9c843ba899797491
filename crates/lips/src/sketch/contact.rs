//! Two lips that do not pass through each other: vertices of one against the triangles of the
//! other.
//!
//! Which lip a vertex belongs to is told by which half of the contour it is nearer to along the
//! surface; around the corners, where both are equally near, nothing is in contact.

use glam::DVec3;
use pliant_mesh::{Feature, Mesh, SurfaceTree};

use super::camera::Camera;
use super::rim::Rim;
use crate::growth::Edges;

/// A vertex belongs to a lip when the other is farther than this many times as far.
const CLEARLY: f64 = 1.3;
/// How deep a vertex is looked for inside the other lip, in lengths of the inner lip's box.
const REACH: f64 = 0.08;

/// A vertex that touches the other lip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The vertex.
    pub vertex: u32,
    /// A plane: where the other lip is, and the way out of it.
    point: DVec3,
    normal: DVec3,
    gap: f64,
}

impl Contact {
    /// Where a vertex that is at `x` should be \[m\]: half of the way out, the other lip goes the
    /// rest.
    pub fn settled(&self, x: DVec3) -> DVec3 {
        let height = self.normal.dot(x - self.point);
        x + (0.5 * (self.gap - height).max(0.0)) * self.normal
    }
}

/// The upper and the lower lip.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    vertices: [Vec<u32>; 2],
    triangles: [Vec<[u32; 3]>; 2],
    /// Whether a vertex is at the edge of its lip's triangles: beyond it, there is no inside.
    is_edge: Vec<bool>,
    reach: f64,
}

impl Sides {
    /// Of the rims; empty when they do not tell the lips apart.
    pub fn new(mesh: &Mesh, edges: &Edges, inner: &[u32], rims: &[Rim], camera: &Camera) -> Sides {
        let mut lips = [Vec::new(), Vec::new()];
        for rim in rims {
            let own = rim.lips(&mesh.positions, camera);
            lips.iter_mut().zip(own).for_each(|(lip, own)| lip.extend(own));
        }
        let chains: Vec<Vec<u32>> = rims.iter().filter_map(Rim::chain).collect();
        if let ([one, other], true) = (&chains[..], lips[0].is_empty()) {
            lips = [one.clone(), other.clone()];
        }
        if lips.iter().any(Vec::is_empty) {
            return Sides::default();
        }
        let distances = lips.each_ref().map(|lip| edges.distances(lip));
        let of = |v: u32| {
            let [one, other] = distances.each_ref().map(|d| d[v as usize]);
            match (CLEARLY * one < other, CLEARLY * other < one) {
                (true, false) => Some(0),
                (false, true) => Some(1),
                _ => None,
            }
        };
        let mut is_free = vec![false; mesh.positions.len()];
        inner.iter().for_each(|v| is_free[*v as usize] = true);
        let mut sides = Sides::default();
        for &v in inner {
            of(v).into_iter().for_each(|side: usize| sides.vertices[side].push(v));
        }
        let known = |v: &u32| (*v as usize) < mesh.positions.len();
        for triangle in mesh.triangles.iter().filter(|t| t.iter().all(known)) {
            let [a, b, c] = triangle.map(of);
            if a == b && b == c && triangle.iter().any(|v| is_free[*v as usize]) {
                a.into_iter().for_each(|side| sides.triangles[side].push(*triangle));
            }
        }
        sides.is_edge = vec![false; mesh.positions.len()];
        for triangles in &sides.triangles {
            for v in open_edges(triangles).as_flattened() {
                sides.is_edge[*v as usize] = true;
            }
        }
        let places = inner.iter().map(|v| mesh.positions[*v as usize]);
        let box_ = pliant_mesh::Bounds::of(&places.collect::<Vec<_>>());
        sides.reach = REACH * box_.map_or(0.0, |b| b.size().max_element());
        sides
    }

    /// Looks up planes of known contacts anew, and adds vertices that come closer than `gap` \[m\]
    /// to the other lip; whether there are new ones.
    pub fn update(&self, positions: &[DVec3], contacts: &mut Vec<Contact>, gap: f64) -> bool {
        let known: Vec<u32> = contacts.iter().map(|contact| contact.vertex).collect();
        let before = contacts.len();
        contacts.clear();
        for (vertex, point, normal) in self.near(positions) {
            let is_near = normal.dot(positions[vertex as usize] - point) < gap;
            if is_near || known.binary_search(&vertex).is_ok() {
                contacts.push(Contact { vertex, point, normal, gap });
            }
        }
        contacts.sort_by_key(|contact| contact.vertex);
        contacts.len() > before
    }

    /// How deep one lip is inside the other \[m\].
    pub fn penetration(&self, positions: &[DVec3]) -> f64 {
        let depth =
            |(v, point, normal): (u32, DVec3, DVec3)| normal.dot(point - positions[v as usize]);
        self.near(positions).into_iter().map(depth).fold(0.0, f64::max)
    }

    /// Moves what is still inside of the other lip out of it, half of the way each, until nothing
    /// is.
    pub fn separate(&self, positions: &mut [DVec3], gap: f64) {
        const TRIES: usize = 20;
        for _ in 0..TRIES {
            if self.penetration(positions) <= 0.0 {
                return;
            }
            for (vertex, point, normal) in self.near(positions) {
                let contact = Contact { vertex, point, normal, gap };
                let place = &mut positions[vertex as usize];
                *place = contact.settled(*place);
            }
        }
    }

    /// Every free vertex of either lip with the nearest point of the other and its normal.
    fn near(&self, positions: &[DVec3]) -> Vec<(u32, DVec3, DVec3)> {
        let mut found = Vec::new();
        for (side, vertices) in self.vertices.iter().enumerate() {
            let triangles = self.triangles[1 - side].clone();
            let mut normals = vec![DVec3::ZERO; positions.len()];
            for triangle in &triangles {
                let [a, b, c] = triangle.map(|v| positions[v as usize]);
                let normal = (b - a).cross(c - a);
                triangle.iter().for_each(|v| normals[*v as usize] += normal);
            }
            let other = Mesh::surface(positions.to_vec(), triangles);
            let tree = SurfaceTree::new(&other);
            for &v in vertices {
                let x = positions[v as usize];
                let Some(nearest) = tree.closest_within(x, self.reach) else { continue };
                let corners = other.triangles[nearest.triangle as usize];
                let inside = |(c, w): (&u32, f64)| w > 0.0 && !self.is_edge[*c as usize];
                if nearest.feature != Feature::Face
                    && !corners.iter().zip(nearest.weights).any(inside)
                {
                    continue;
                }
                let normal =
                    corners.iter().zip(nearest.weights).fold(DVec3::ZERO, |sum, (c, w)| {
                        sum + w * normals[*c as usize].normalize_or_zero()
                    });
                if let Some(normal) = normal.try_normalize() {
                    found.push((v, nearest.point, normal));
                }
            }
        }
        found
    }
}

/// Edges of one triangle only.
fn open_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    let alone = edges.chunk_by(|a, b| a == b).filter(|same| same.len() == 1);
    alone.map(|same| same[0]).collect()
}
