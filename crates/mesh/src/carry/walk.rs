//! Finding points again in tets that moved: by way of neighbours, since tets may overlap.
//!
//! "Enriching triangle mesh animations with physically based simulation", Fig. 11: from the tet
//! that had the point towards it, through faces. Where the way ends at the boundary, the tets
//! around its end are searched, nearest first: behind a corner of the boundary the point may still
//! be inside.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use glam::DVec3;

use crate::embedding::{INSIDE, barycentric};
use crate::triangle::closest;

/// The most tets on the way towards a point.
const STEPS: usize = 64;
/// The most tets that are searched where the way has ended: those within some three cells.
const SEARCHED: usize = 300;
/// The most tets that are asked for the boundary next to a point inside.
const BESIDE: usize = 24;

/// Which tets meet at which faces.
pub struct Walker<'a> {
    tets: &'a [[u32; 4]],
    across: Vec<[Option<u32>; 4]>,
}

/// Where a point was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    pub tet: u32,
    /// Of the tet's corners; all at least [`INSIDE`] for a point in the tet.
    pub weights: [f64; 4],
}

impl Found {
    pub fn is_inside(&self) -> bool {
        self.weights.iter().all(|w| *w >= INSIDE)
    }
}

/// A place of the boundary next to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shore {
    /// The tet, and the corner opposite to the boundary's face.
    pub tet: u32,
    pub corner: usize,
    /// Weights of the face's corners at the place.
    pub weights: [f64; 3],
    /// From inside to outside, of length 1.
    pub outward: DVec3,
    /// From there to the point, and how far (m).
    away: DVec3,
    distance: f64,
}

/// The most places of the boundary that matter to a point.
pub const SHORES: usize = 4;

impl<'a> Walker<'a> {
    pub fn new(tets: &'a [[u32; 4]]) -> Self {
        Walker { tets, across: neighbours(tets) }
    }

    /// The tet around a point, starting from one that had it; the one with the nearest face of
    /// the boundary if there is none.
    pub fn find(&self, positions: &[DVec3], from: u32, point: DVec3) -> Found {
        let end = self.walk(positions, from, point);
        if end.is_inside() {
            return end;
        }
        let mut inside = None;
        self.visit(positions, end.tet, point, SEARCHED, |tet| {
            let found = self.at(positions, tet, point);
            inside = found.is_inside().then_some(found);
            inside.is_none()
        });
        let outside = || {
            let nearest = self.shores(positions, &end, point, 0.0).first().copied();
            nearest.map_or(end, |shore| self.at(positions, shore.tet, point))
        };
        inside.unwrap_or_else(outside)
    }

    /// Faces of the boundary around the tet where a point was found, nearest first: for a point
    /// inside those within `reach` that it is behind, for one outside also the nearest.
    pub fn shores(
        &self,
        positions: &[DVec3],
        near: &Found,
        point: DVec3,
        reach: f64,
    ) -> Vec<Shore> {
        let inside = near.is_inside();
        let limit = if inside { BESIDE } else { SEARCHED };
        let mut shores = Vec::new();
        self.visit(positions, near.tet, point, limit, |tet| {
            for corner in (0..4).filter(|&k| self.across[tet as usize][k].is_none()) {
                shores.push(self.shore_at(positions, tet, corner, point));
            }
            true
        });
        shores.sort_by(|s: &Shore, t: &Shore| s.distance.total_cmp(&t.distance));
        let mut first = if inside { None } else { shores.first().copied() };
        if let Some(shore) = &mut first
            && shore.distance > 0.0
        {
            // At an edge or a corner of the boundary the way out is not a face's.
            shore.outward = shore.away / shore.distance;
        }
        let behind = shores
            .into_iter()
            .skip(usize::from(first.is_some()))
            .filter(|shore| shore.distance <= reach && shore.away.dot(shore.outward) <= 0.0);
        first.into_iter().chain(behind).take(SHORES).collect()
    }

    fn shore_at(&self, positions: &[DVec3], tet: u32, corner: usize, point: DVec3) -> Shore {
        let [a, b, c] = self.face(tet, corner).map(|v| positions[v as usize]);
        let weights = closest(point, [a, b, c]).0;
        let away = point - (weights[0] * a + weights[1] * b + weights[2] * c);
        let outward = (b - a).cross(c - a).normalize_or_zero();
        Shore { tet, corner, weights, outward, away, distance: away.length() }
    }

    /// The face opposite to a corner, counter-clockwise seen from outside of the tet.
    pub fn face(&self, tet: u32, corner: usize) -> [u32; 3] {
        let [a, b, c, d] = self.tets[tet as usize];
        match corner {
            0 => [b, c, d],
            1 => [a, d, c],
            2 => [a, b, d],
            _ => [a, c, b],
        }
    }

    fn at(&self, positions: &[DVec3], tet: u32, point: DVec3) -> Found {
        let corners = self.tets[tet as usize].map(|v| positions[v as usize]);
        Found { tet, weights: barycentric(corners, point) }
    }

    /// Out through the face that the point is furthest behind, until there is none.
    fn walk(&self, positions: &[DVec3], from: u32, point: DVec3) -> Found {
        let least = |w: &[f64; 4]| (1..4).fold(0, |m, k| if w[k] < w[m] { k } else { m });
        let mut here = self.at(positions, from, point);
        for _ in 0..STEPS {
            let low = least(&here.weights);
            match self.across[here.tet as usize][low] {
                Some(next) if !here.is_inside() => here = self.at(positions, next, point),
                _ => break,
            }
        }
        here
    }

    /// Tets around one, nearest to the point first, until `visitor` has seen enough.
    fn visit(
        &self,
        positions: &[DVec3],
        from: u32,
        point: DVec3,
        limit: usize,
        mut visitor: impl FnMut(u32) -> bool,
    ) {
        // Distances are not negative: their bits are in their order.
        let key = |tet: u32| {
            let middle: DVec3 =
                self.tets[tet as usize].iter().map(|&v| positions[v as usize]).sum();
            Reverse(((0.25 * middle).distance_squared(point).to_bits(), tet))
        };
        let mut open = BinaryHeap::from([key(from)]);
        let mut seen = BTreeSet::from([from]);
        let mut count = 0;
        while let Some(Reverse((_, tet))) = open.pop() {
            count += 1;
            if !visitor(tet) || count >= limit {
                return;
            }
            for next in self.across[tet as usize].into_iter().flatten() {
                if seen.insert(next) {
                    open.push(key(next));
                }
            }
        }
    }
}

/// The tet across the face opposite to every corner.
fn neighbours(tets: &[[u32; 4]]) -> Vec<[Option<u32>; 4]> {
    let mut faces: Vec<([u32; 3], u32, usize)> = Vec::with_capacity(4 * tets.len());
    for (t, tet) in (0u32..).zip(tets) {
        for k in 0..4 {
            let mut face = [tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4]];
            face.sort_unstable();
            faces.push((face, t, k));
        }
    }
    faces.sort_unstable();
    let mut across = vec![[None; 4]; tets.len()];
    for pair in faces.windows(2) {
        if pair[0].0 == pair[1].0 {
            across[pair[0].1 as usize][pair[0].2] = Some(pair[1].1);
            across[pair[1].1 as usize][pair[1].2] = Some(pair[0].1);
        }
    }
    across
}
