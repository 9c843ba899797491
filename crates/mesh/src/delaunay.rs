//! Delaunay tetrahedra of points: one inserted after the other (Bowyer 1981, Watson 1981), with
//! exact predicates (Shewchuk 1997).
//!
//! Predicates see every point moved by a few millionths of the whole, by a fixed sequence: no five
//! points are then on one sphere, and no case is special. Tets are flat where points really are
//! cospherical and coplanar.

use glam::DVec3;
use robust::{Coord3D, insphere, orient3d};

use crate::mesh::Bounds;

/// How far points are moved for the predicates, and the enclosing tet's size, in sizes of the
/// whole.
const JITTER: f64 = 1e-6;
const ENCLOSING: f64 = 1e3;
const NONE: u32 = u32::MAX;
/// The face opposite of each corner.
const OPPOSITE: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/// The Delaunay tets of some points, positively oriented but for rounding; those of fewer than four
/// points, and of points that are not finite, are none.
///
/// ```
/// use pliant_mesh::{DVec3, delaunay};
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.2)];
/// assert_eq!(delaunay(&corners).len(), 4);
/// ```
pub fn delaunay(points: &[DVec3]) -> Vec<[u32; 4]> {
    let Some(bounds) = Bounds::of(points) else { return Vec::new() };
    let size = bounds.size().max_element();
    if points.iter().any(|p| !p.is_finite()) || size <= 0.0 {
        return Vec::new();
    }
    let mut mesh = Triangulation::around(&bounds, size);
    mesh.points.extend((0u32..).zip(points).map(|(v, p)| *p + JITTER * size * noise(v)));
    for v in along_curve(points, &bounds) {
        mesh.insert(v + 4);
    }
    let real = |tet: &&Tet| tet.corners.iter().all(|&v| v >= 4) && tet.alive;
    mesh.tets.iter().filter(real).map(|tet| tet.corners.map(|v| v - 4)).collect()
}

#[derive(Clone, Copy)]
struct Tet {
    corners: [u32; 4],
    /// Opposite of each corner.
    neighbours: [u32; 4],
    alive: bool,
}

struct Triangulation {
    /// Those of the enclosing tet first.
    points: Vec<DVec3>,
    tets: Vec<Tet>,
    free: Vec<u32>,
    last: u32,
    /// For every tet the last point that was compared with it, and whether it must go.
    seen: Vec<(u32, bool)>,
}

impl Triangulation {
    fn around(bounds: &Bounds, size: f64) -> Self {
        let corner =
            |x: f64, y: f64, z: f64| bounds.center() + ENCLOSING * size * DVec3::new(x, y, z);
        let points = vec![
            corner(1.0, 1.0, 1.0),
            corner(1.0, -1.0, -1.0),
            corner(-1.0, 1.0, -1.0),
            corner(-1.0, -1.0, 1.0),
        ];
        let mut first = Tet { corners: [0, 1, 2, 3], neighbours: [NONE; 4], alive: true };
        if !is_positive([points[0], points[1], points[2], points[3]]) {
            first.corners.swap(0, 1);
        }
        Triangulation {
            points,
            tets: vec![first],
            free: Vec::new(),
            last: 0,
            seen: vec![(NONE, false)],
        }
    }

    fn at(&self, corners: [u32; 4]) -> [DVec3; 4] {
        corners.map(|v| self.points[v as usize])
    }

    /// Walks towards a point until it is in a tet.
    fn locate(&self, point: DVec3) -> u32 {
        let mut tet = self.last;
        'walk: loop {
            let here = &self.tets[tet as usize];
            for k in 0..4 {
                let mut corners = self.at(here.corners);
                corners[k] = point;
                if here.neighbours[k] != NONE && !is_positive(corners) {
                    tet = here.neighbours[k];
                    continue 'walk;
                }
            }
            return tet;
        }
    }

    fn is_in_conflict(&mut self, tet: u32, v: u32) -> bool {
        let (who, answer) = self.seen[tet as usize];
        if who == v {
            return answer;
        }
        let [a, b, c, d] = self.at(self.tets[tet as usize].corners).map(coordinates);
        let answer = insphere(b, a, c, d, coordinates(self.points[v as usize])) > 0.0;
        self.seen[tet as usize] = (v, answer);
        answer
    }

    /// Replaces the tets whose spheres hold a point by those between it and what is around them.
    fn insert(&mut self, v: u32) {
        let start = self.locate(self.points[v as usize]);
        self.seen[start as usize] = (v, true);
        let mut cavity = vec![start];
        let mut walls: Vec<(Tet, usize, u32)> = Vec::new();
        let mut next = 0;
        while let Some(&tet) = cavity.get(next) {
            next += 1;
            let here = self.tets[tet as usize];
            for k in 0..4 {
                let beyond = here.neighbours[k];
                if beyond == NONE || !self.is_in_conflict(beyond, v) {
                    walls.push((here, k, beyond));
                } else if !cavity.contains(&beyond) {
                    cavity.push(beyond);
                }
            }
        }
        for &tet in &cavity {
            self.tets[tet as usize].alive = false;
        }
        self.free.extend(cavity);
        let mut open: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * walls.len());
        for (old, k, beyond) in walls {
            let mut corners = old.corners;
            corners[k] = v;
            let mut neighbours = [NONE; 4];
            neighbours[k] = beyond;
            let tet = self.add(Tet { corners, neighbours, alive: true });
            if beyond != NONE {
                let face = OPPOSITE[k].map(|c| corners[c]);
                let there = &mut self.tets[beyond as usize];
                let across = (0..4).find(|&c| !face.contains(&there.corners[c]));
                if let Some(c) = across {
                    there.neighbours[c] = tet;
                }
            }
            for c in OPPOSITE[k] {
                // The face opposite of c holds the new point and the edge of the other two.
                let mut edge = OPPOSITE[k].into_iter().filter(|&o| o != c).map(|o| corners[o]);
                let (Some(a), Some(b)) = (edge.next(), edge.next()) else { continue };
                open.push(([a.min(b), a.max(b)], tet, c));
            }
        }
        open.sort_unstable();
        for pair in open.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, s, i), (_, t, j)] = *pair {
                self.tets[s as usize].neighbours[i] = t;
                self.tets[t as usize].neighbours[j] = s;
            }
        }
        self.last = open.last().map_or(self.last, |edge| edge.1);
    }

    fn add(&mut self, tet: Tet) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.tets[place as usize] = tet;
                self.seen[place as usize] = (NONE, false);
                place
            }
            None => {
                self.tets.push(tet);
                self.seen.push((NONE, false));
                self.tets.len() as u32 - 1
            }
        }
    }
}

fn coordinates(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

fn is_positive([a, b, c, d]: [DVec3; 4]) -> bool {
    orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(d)) < 0.0
}

/// A fixed vector in the unit cube for every number.
pub(crate) fn noise(number: u32) -> DVec3 {
    let mut state = u64::from(number).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    DVec3::new(next(), next(), next())
}

/// An order in which points that follow each other are near: along Morton's curve.
fn along_curve(points: &[DVec3], bounds: &Bounds) -> Vec<u32> {
    let scale = 1023.0 / bounds.size().max(DVec3::splat(f64::MIN_POSITIVE));
    let spread = |x: f64| (0..10).map(|bit| ((x as u64) >> bit & 1) << (3 * bit)).sum::<u64>();
    let code = |p: &DVec3| {
        let at = (*p - bounds.min) * scale;
        spread(at.x) | spread(at.y) << 1 | spread(at.z) << 2
    };
    let mut order: Vec<(u64, u32)> = points.iter().map(code).zip(0u32..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, v)| v).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;

    #[test]
    fn tets_of_random_points_fill_their_hull_and_have_empty_spheres() {
        let points: Vec<DVec3> = (0..400).map(noise).collect();
        let tets = delaunay(&points);
        let solid = Mesh::solid(points.clone(), tets.clone());
        let shell = Mesh::surface(points.clone(), solid.triangles.clone());
        assert!((solid.volume() - shell.volume()).abs() < 1e-12);
        let mut used: Vec<u32> = tets.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), points.len());
        for tet in &tets {
            let [a, b, c, d] = tet.map(|v| coordinates(points[v as usize]));
            for p in &points {
                // Points of the sphere itself are within the jitter.
                let moved = DVec3::new(p.x, p.y, p.z);
                if tet.iter().all(|&v| points[v as usize] != moved) {
                    assert!(insphere(b, a, c, d, coordinates(moved)) < 1e-5);
                }
            }
        }
    }

    #[test]
    fn a_lattice_of_cospherical_points_is_filled_whole() {
        let points: Vec<DVec3> = (0..6 * 6 * 6)
            .map(|k: u32| DVec3::new((k % 6).into(), (k / 6 % 6).into(), (k / 36).into()))
            .collect();
        let solid = Mesh::solid(points.clone(), delaunay(&points));
        assert!((solid.volume() - 125.0).abs() < 1e-3, "{}", solid.volume());
        assert!(delaunay(&points[..3]).is_empty() && delaunay(&[DVec3::NAN; 5]).is_empty());
    }
}
