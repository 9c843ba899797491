//! TRACKS \[bergou2007\] for solids, as section 9 and Fig. 15 of \[li2017enriching\] describe it.
//!
//! Γ is cut into regions. In each region the result may differ from the input, but not on average
//! (a Petrov–Galerkin constraint with a constant test function per region):
//!
//! ```text
//! Σ aᵥ (Cu − Cū)ᵥ = 0   over the vertices v of every region, with areas a.
//! ```
//!
//! ū replaces the input, so that badly fitted exact vertices do not displace their neighbours. A
//! step is taken without the constraint, then projected onto it: with the constraint rows G and the
//! matrix A = M/h² + E L of an elastic step (L the Laplacian of Ω),
//!
//! ```text
//! u ← u + A⁻¹Gᵀ (G A⁻¹ Gᵀ)⁻¹ (ḡ − G u),   and the same over h for the velocities.
//! ```

use glam::DVec3;
use pliant_math::team::Team;
use pliant_mesh::Mesh;

use crate::embedding::EmbeddedSurface;
use crate::error::EnrichError;
use crate::numerics::poisson::{Element, FactoredMatrix};
use crate::numerics::{FreeVertices, extend_distances, vertex_flags};

/// Number of regions, as in Fig. 15.
const REGIONS: usize = 40;
/// Free share below which a region is not constrained: its few free vertices would move too far.
const FREE: f64 = 0.25;

/// Constraints of an embedded surface.
pub struct Tracks {
    /// Constraint of every vertex of Γ, and its share of it; `usize::MAX` if it has none.
    constraint_of: Vec<(usize, f64)>,
    /// Rows of (A⁻¹Gᵀ)ᵀ: displacement of each vertex of Ω per unit multiplier of a constraint.
    responses: Vec<Vec<f64>>,
    /// G A⁻¹ Gᵀ.
    schur: FactoredMatrix,
    team: Team,
}

impl Tracks {
    /// Prepares the constraints of Ω with the vertices `exact` fixed, masses \[kg\], a Young's
    /// modulus \[Pa\] and the length of a frame in `seconds`.
    pub fn new(
        embedded: &EmbeddedSurface,
        exact: &[u32],
        masses: &[f64],
        young: f64,
        seconds: f64,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let team = Team::new(threads);
        let count = embedded.solid.positions.len();
        let free = FreeVertices::new(&vertex_flags("what follows exactly", exact, count)?);
        let region_of = regions(&embedded.surface, REGIONS);
        let regions = region_of.iter().map(|(r, _)| r + 1).max().unwrap_or(0);
        // G, a dense row per region over the free vertices.
        let mut rows = vec![vec![0.0; free.vertices().len()]; regions];
        for (v, &(region, share)) in region_of.iter().enumerate() {
            for (&corner, weight) in embedded.corners(v).iter().zip(embedded.embedding.weights[v]) {
                if let Some(n) = free.number(corner as usize) {
                    rows[region][n] += share * weight;
                }
            }
        }
        // Shares sum to 1 in a region, and weights in a tet.
        let is_free = |r: &usize| rows[*r].iter().sum::<f64>() > FREE;
        let constrained: Vec<usize> = (0..regions).filter(is_free).collect();
        let mut constraint = vec![usize::MAX; regions];
        constrained.iter().enumerate().for_each(|(k, &r)| constraint[r] = k);
        let elastic = Element::all(&embedded.solid);
        let entries = elastic
            .iter()
            .flat_map(Element::entries)
            .filter_map(|(i, j, value)| Some((free.number(i)?, free.number(j)?, young * value)));
        let inertia = free.vertices().iter().enumerate();
        let inertia = inertia.map(|(n, &v)| (n, n, masses[v] / (seconds * seconds)));
        let mut responses = Vec::new();
        if !free.vertices().is_empty() {
            let unknowns = free.vertices().len();
            let mut matrix = FactoredMatrix::new(unknowns, entries.chain(inertia), &team)?;
            for &region in &constrained {
                let mut x: Vec<DVec3> = rows[region].iter().map(|&g| DVec3::splat(g)).collect();
                matrix.solve(&mut x, &team);
                let at = |v: usize| free.number(v).map_or(0.0, |n| x[n].x);
                responses.push((0..count).map(at).collect::<Vec<f64>>());
            }
        }
        let mut schur = Vec::new();
        let dot = |row: &[f64], response: &[f64]| -> f64 {
            let terms = response.iter().enumerate();
            terms.map(|(v, r)| free.number(v).map_or(0.0, |n| row[n] * r)).sum()
        };
        for (i, &region) in constrained.iter().enumerate() {
            schur.extend((0..=i).map(|j| (i, j, dot(&rows[region], &responses[j]))));
        }
        let schur = FactoredMatrix::new(constrained.len(), schur.into_iter(), &team)?;
        let constraint_of = region_of.iter().map(|&(r, share)| (constraint[r], share)).collect();
        Ok(Tracks { constraint_of, responses, schur, team })
    }

    /// Displacement of every vertex of Ω from `solid` that makes the regions' mean positions those
    /// of `fitted` \[m\].
    pub fn correction(
        &mut self,
        embedded: &EmbeddedSurface,
        fitted: &[DVec3],
        solid: &[DVec3],
    ) -> Vec<DVec3> {
        let mut off = vec![DVec3::ZERO; self.responses.len()];
        for (v, &(constraint, share)) in self.constraint_of.iter().enumerate() {
            if let Some(off) = off.get_mut(constraint) {
                *off += share
                    * (embedded.surface_position(v, fitted) - embedded.surface_position(v, solid));
            }
        }
        self.schur.solve(&mut off, &self.team);
        let mut moved = vec![DVec3::ZERO; solid.len()];
        for (response, multiplier) in self.responses.iter().zip(off) {
            moved.iter_mut().zip(response).for_each(|(x, r)| *x += *r * multiplier);
        }
        moved
    }
}

/// Cuts a surface into regions and returns every vertex's region and share of its area. Each seed
/// is the vertex farthest along edges from earlier seeds; vertices belong to the nearest seed.
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
    // Vertices without a triangle cannot be seeds.
    let beyond = |own: &Vec<u32>| if own.is_empty() { 0.0 } else { f64::INFINITY };
    let mut away: Vec<f64> = around.iter().map(beyond).collect();
    let mut made = 0;
    while made < count.min(vertices) {
        let farthest = |best: usize, v: usize| if away[v] > away[best] { v } else { best };
        let seed = (0..vertices).fold(0, farthest);
        if made > 0 && away[seed] <= 0.0 {
            break;
        }
        (away[seed], region[seed]) = (0.0, made);
        let neighbours = |v: usize| around[v].iter().map(|&n| n as usize);
        let reached = |v: usize| region[v] = made;
        extend_distances(&surface.positions, neighbours, &[seed], &mut away, reached);
        made += 1;
    }
    let mut sums = vec![0.0; made];
    region.iter().zip(&areas).for_each(|(&r, a)| sums[r] += a);
    let share = |(&r, a): (&usize, &f64)| (r, if sums[r] > 0.0 { a / sums[r] } else { 0.0 });
    region.iter().zip(&areas).map(share).collect()
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
        let embedded = EmbeddedSurface::new(surface, None, &filling, &Team::new(1)).unwrap();
        let left = (0u32..).zip(&embedded.solid.positions).filter(|(_, x)| x.x < -0.4);
        let exact: Vec<u32> = left.map(|(v, _)| v).collect();
        let masses = embedded.masses(1000.0);
        let mut tracks = Tracks::new(&embedded, &exact, &masses, 1e4, 1.0 / 30.0, 1).unwrap();
        let sunk = |x: &DVec3| *x - DVec3::Y * (x.x + 0.4).max(0.0).powi(2);
        let solid: Vec<DVec3> = embedded.solid.positions.iter().map(sunk).collect();
        let input = &embedded.surface.positions;
        let moved = tracks.correction(&embedded, &embedded.solid.positions, &solid);
        assert!(exact.iter().all(|&v| moved[v as usize] == DVec3::ZERO));
        let after: Vec<DVec3> = solid.iter().zip(&moved).map(|(x, d)| *x + *d).collect();
        let mut means = vec![DVec3::ZERO; tracks.responses.len()];
        for (v, &(constraint, share)) in tracks.constraint_of.iter().enumerate() {
            if let Some(mean) = means.get_mut(constraint) {
                *mean += share * (embedded.surface_position(v, &after) - input[v]);
            }
        }
        assert!(means.len() > 20 && means.iter().all(|m| m.length() < 1e-9), "{means:?}");
        // It was far from there before, and is not everywhere there now.
        let off = (0..input.len()).map(|v| embedded.surface_position(v, &after).distance(input[v]));
        assert!(off.fold(0.0, f64::max) > 1e-4);
    }
}
