//! What the paper compares itself with in Fig. 15: "TRACKS: Toward directable thin shells" (Bergou,
//! Mathur, Wardetzky, Grinspun 2007), made for solids as section 9 says.
//!
//! Γ is cut into regions, and in each the result may differ from the input but not on average
//! (a Petrov–Galerkin constraint with a constant test function per region):
//!
//! ```text
//! Σ aᵥ (Cu − Cū)ᵥ = 0   over the vertices v of every region, a their areas.
//! ```
//!
//! ū stands for the input, so that what is fitted badly but follows exactly asks nothing of its neighbours. A
//! step is taken without it, then put back onto it the elastic way: with G the constraints' rows and
//! A = M/h² + E L the matrix of an elastic step (L the Laplacian of Ω),
//!
//! ```text
//! u ← u + A⁻¹Gᵀ (G A⁻¹ Gᵀ)⁻¹ (ḡ − G u),   and as much over h to the velocities.
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::Mesh;

use crate::bound::Bound;
use crate::error::EnrichError;
use crate::poisson::{Element, Factored};

/// As many as in Fig. 15.
pub const REGIONS: usize = 40;
/// A region of which less is free is not held: a few vertices would be thrown about to make up for the rest.
const FREE: f64 = 0.25;

/// The constraints of a bound surface.
pub struct Tracks {
    /// The region of every vertex of Γ, and its share in it; `usize::MAX` where it is not held.
    of: Vec<(usize, f64)>,
    /// A⁻¹Gᵀ: for every region what its multiplier moves, a number per vertex of Ω.
    ways: Vec<Vec<f64>>,
    /// G A⁻¹ Gᵀ.
    schur: Factored,
    team: Team,
}

impl Tracks {
    /// For Ω of which `exact` keep their place, with masses \[kg\] and a Young's modulus \[Pa\], and frames
    /// of `seconds`.
    pub fn new(
        bound: &Bound,
        exact: &[u32],
        masses: &[f64],
        young: f64,
        seconds: f64,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let team = Team::new(threads);
        let count = bound.solid.positions.len();
        let mut number: Vec<Option<usize>> = vec![Some(0); count];
        for &v in exact {
            *number.get_mut(v as usize).ok_or(EnrichError::NoSuchVertex {
                what: "what follows exactly",
                vertex: v,
                count,
            })? = None;
        }
        let mut free = 0;
        for n in number.iter_mut().flatten() {
            *n = free;
            free += 1;
        }
        let of = regions(&bound.surface, REGIONS);
        let regions = of.iter().map(|(r, _)| r + 1).max().unwrap_or(0);
        // G, a dense row per region over the free vertices.
        let mut rows = vec![vec![0.0; free]; regions];
        for (v, &(region, share)) in of.iter().enumerate() {
            for (&corner, weight) in bound.corners(v).iter().zip(bound.embedding.weights[v]) {
                if let Some(n) = number[corner as usize] {
                    rows[region][n] += share * weight;
                }
            }
        }
        // Shares sum to 1 in a region, and weights in a tet.
        let is_free = |r: &usize| rows[*r].iter().sum::<f64>() > FREE;
        let held: Vec<usize> = (0..regions).filter(is_free).collect();
        let mut place = vec![usize::MAX; regions];
        held.iter().enumerate().for_each(|(k, &r)| place[r] = k);
        let elastic = Element::all(&bound.solid);
        let entries = elastic
            .iter()
            .flat_map(Element::entries)
            .filter_map(|(i, j, value)| Some((number[i]?, number[j]?, young * value)));
        let inertia = (0..count).filter_map(|v| {
            let n = number[v]?;
            Some((n, n, masses[v] / (seconds * seconds)))
        });
        let mut ways = Vec::new();
        if free > 0 {
            let mut matrix = Factored::new(free, entries.chain(inertia), &team)?;
            for &region in &held {
                let mut x: Vec<DVec3> = rows[region].iter().map(|&g| DVec3::splat(g)).collect();
                matrix.solve(&mut x, &team);
                let at = |n: &Option<usize>| n.map_or(0.0, |n| x[n].x);
                ways.push(number.iter().map(at).collect::<Vec<f64>>());
            }
        }
        let mut schur = Vec::new();
        let dot = |row: &[f64], way: &[f64]| -> f64 {
            number.iter().zip(way).map(|(n, w)| n.map_or(0.0, |n| row[n] * w)).sum()
        };
        for (i, &region) in held.iter().enumerate() {
            schur.extend((0..=i).map(|j| (i, j, dot(&rows[region], &ways[j]))));
        }
        let schur = Factored::new(held.len(), schur.into_iter(), &team)?;
        let placed = |&(region, share): &(usize, f64)| (place[region], share);
        Ok(Tracks { of: of.iter().map(placed).collect(), ways, schur, team })
    }

    /// How far every vertex of Ω, at `solid`, must go for the surface to be on average where it is when Ω is at
    /// `fitted`, both \[m\].
    pub fn way_back(&mut self, bound: &Bound, fitted: &[DVec3], solid: &[DVec3]) -> Vec<DVec3> {
        let mut off = vec![DVec3::ZERO; self.ways.len()];
        for (v, &(region, share)) in self.of.iter().enumerate() {
            if let Some(off) = off.get_mut(region) {
                *off += share * (bound.carried(v, fitted) - bound.carried(v, solid));
            }
        }
        self.schur.solve(&mut off, &self.team);
        let mut moved = vec![DVec3::ZERO; solid.len()];
        for (way, multiplier) in self.ways.iter().zip(off) {
            moved.iter_mut().zip(way).for_each(|(x, w)| *x += *w * multiplier);
        }
        moved
    }
}

/// Cuts a surface into regions: seeds each time the vertex farthest along edges from those before, and every
/// vertex to the nearest. A region, and the vertex' share of its area, for every vertex.
fn regions(surface: &Mesh, count: usize) -> Vec<(usize, f64)> {
    let vertices = surface.positions.len();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); vertices];
    let mut areas = vec![0.0; vertices];
    for &triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|v| surface.positions[v as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        for k in 0..3 {
            let [v, w] = [triangle[k], triangle[(k + 1) % 3]];
            around[v as usize].push(w);
            around[w as usize].push(v);
            areas[v as usize] += area / 3.0;
        }
    }
    let mut region = vec![0; vertices];
    // Vertices of no triangle are no place to begin at.
    let beyond = |own: &Vec<u32>| if own.is_empty() { 0.0 } else { f64::INFINITY };
    let mut away: Vec<f64> = around.iter().map(beyond).collect();
    let mut made = 0;
    while made < count.min(vertices) {
        let farthest = |best: usize, v: usize| if away[v] > away[best] { v } else { best };
        let seed = (0..vertices).fold(0, farthest);
        if made > 0 && away[seed] <= 0.0 {
            break;
        }
        spread(surface, &around, seed, made, &mut away, &mut region);
        made += 1;
    }
    let mut sums = vec![0.0; made];
    region.iter().zip(&areas).for_each(|(&r, a)| sums[r] += a);
    let share = |(&r, a): (&usize, &f64)| (r, if sums[r] > 0.0 { a / sums[r] } else { 0.0 });
    region.iter().zip(&areas).map(share).collect()
}

/// Takes for a new region what is nearer to its seed than to those before.
fn spread(
    surface: &Mesh,
    around: &[Vec<u32>],
    seed: usize,
    name: usize,
    away: &mut [f64],
    region: &mut [usize],
) {
    // Lengths are not negative, so that their bits are in their order.
    let mut open = BinaryHeap::from([Reverse((0u64, seed))]);
    (away[seed], region[seed]) = (0.0, name);
    while let Some(Reverse((bits, v))) = open.pop() {
        let here = f64::from_bits(bits);
        if here > away[v] {
            continue;
        }
        for &n in &around[v] {
            let n = n as usize;
            let there = here + surface.positions[v].distance(surface.positions[n]);
            if there < away[n] {
                (away[n], region[n]) = (there, name);
                open.push(Reverse((there.to_bits(), n)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::{Resolution, TetOptions, shapes};

    #[test]
    fn regions_are_as_many_as_asked_for_and_about_as_large() {
        let cube = shapes::solid_box(DVec3::ONE, [12, 12, 12]).unwrap();
        let surface = Mesh::surface(cube.positions.clone(), cube.triangles.clone());
        let of = regions(&surface, 24);
        let mut sizes = vec![0; 24];
        let mut shares = vec![0.0; 24];
        for &(region, share) in &of {
            sizes[region] += usize::from(share > 0.0);
            shares[region] += share;
        }
        assert!(shares.iter().filter(|s| (*s - 1.0).abs() < 1e-9).count() >= 23, "{shares:?}");
        assert!(*sizes.iter().max().unwrap() < 120, "{sizes:?}");
    }

    #[test]
    fn afterwards_regions_are_on_average_where_the_input_is() {
        let bar = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [20, 4, 4]).unwrap();
        let surface = Mesh::surface(bar.positions.clone(), bar.triangles.clone());
        let filling = TetOptions { resolution: Resolution::Cells(14), ..TetOptions::default() };
        let bound = Bound::new(surface, None, &filling, &Team::new(1)).unwrap();
        let left = (0u32..).zip(&bound.solid.positions).filter(|(_, x)| x.x < -0.4);
        let exact: Vec<u32> = left.map(|(v, _)| v).collect();
        let masses = bound.masses(1000.0);
        let mut tracks = Tracks::new(&bound, &exact, &masses, 1e4, 1.0 / 30.0, 1).unwrap();
        let sunk = |x: &DVec3| *x - DVec3::Y * (x.x + 0.4).max(0.0).powi(2);
        let solid: Vec<DVec3> = bound.solid.positions.iter().map(sunk).collect();
        let input = &bound.surface.positions;
        let moved = tracks.way_back(&bound, &bound.solid.positions, &solid);
        assert!(exact.iter().all(|&v| moved[v as usize] == DVec3::ZERO));
        let after: Vec<DVec3> = solid.iter().zip(&moved).map(|(x, d)| *x + *d).collect();
        let mut means = vec![DVec3::ZERO; tracks.ways.len()];
        for (v, &(region, share)) in tracks.of.iter().enumerate() {
            if let Some(mean) = means.get_mut(region) {
                *mean += share * (bound.carried(v, &after) - input[v]);
            }
        }
        assert!(means.len() > 20 && means.iter().all(|m| m.length() < 1e-9), "{means:?}");
        // It was far from there before, and is not everywhere there now.
        let off = (0..input.len()).map(|v| bound.carried(v, &after).distance(input[v]));
        assert!(off.fold(0.0, f64::max) > 1e-4);
    }
}
