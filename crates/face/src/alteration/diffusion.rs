//! Diffusion over the vertices of tets or triangles, which carries painted weights from the skin
//! into the flesh (section 8 of \[ichim2017phace\]).
//!
//! Linear elements: K of the Laplacian, M of lumped volumes or areas. Where the paper takes
//! explicit steps by hand, values here are solved for: (M/depth² + K) u = 0 under values that are
//! given, which is Laplace's equation without a depth, and (M + ℓ²K) u = M u₀ for one step of heat
//! by a length ℓ. No flux goes through what is not given. Conjugate gradients with the diagonal as
//! preconditioner; sums have a fixed order.

use glam::DVec3;
use pliant_mesh::{Mesh, edge_matrix};

/// Relative residual at which a solve ends, and most of its iterations.
const TOLERANCE: f64 = 1e-8;
const MOST_ITERATIONS: usize = 2000;

/// K and M of a mesh.
pub(crate) struct Laplacian {
    /// Those around vertex v are `around[starts[v]..starts[v + 1]]`, with −K.
    starts: Vec<usize>,
    around: Vec<(u32, f64)>,
    masses: Vec<f64>,
}

impl Laplacian {
    /// Of tets (K in m, M in m³).
    pub fn of_tets(mesh: &Mesh) -> Laplacian {
        let mut masses = vec![0.0; mesh.positions.len()];
        let mut pairs = Vec::with_capacity(12 * mesh.tets.len());
        for tet in &mesh.tets {
            let edges = edge_matrix(tet.map(|v| mesh.positions[v as usize]));
            let volume = edges.determinant() / 6.0;
            let rows = edges.inverse().transpose();
            let [b, c, d] = [rows.x_axis, rows.y_axis, rows.z_axis];
            let slopes = [-b - c - d, b, c, d];
            let is_good = volume > 0.0 && slopes.iter().all(|s| s.is_finite());
            for (i, &v) in tet.iter().enumerate().filter(|_| is_good) {
                masses[v as usize] += volume / 4.0;
                for (j, &w) in tet.iter().enumerate().filter(|(j, _)| *j != i) {
                    pairs.push((v, w, -volume * slopes[i].dot(slopes[j])));
                }
            }
        }
        Laplacian::new(masses, pairs)
    }

    /// Of triangles (K without a unit, M in m²).
    pub fn of_triangles(mesh: &Mesh) -> Laplacian {
        let mut masses = vec![0.0; mesh.positions.len()];
        let mut pairs = Vec::with_capacity(6 * mesh.triangles.len());
        for triangle in &mesh.triangles {
            let corners = triangle.map(|v| mesh.positions[v as usize]);
            let area = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
            for k in 0..3 {
                let (v, w) = (triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
                let [p, q] = [1, 2].map(|j| corners[(k + j) % 3] - corners[k]);
                // Obtuse corners would draw values out of their range.
                let weight = (0.5 * p.dot(q) / p.cross(q).length()).max(0.0);
                masses[triangle[k] as usize] += area / 3.0;
                if weight.is_finite() {
                    pairs.extend([(v, w, weight), (w, v, weight)]);
                }
            }
        }
        Laplacian::new(masses, pairs)
    }

    /// Of products of slopes of triangles, not weighted by their areas (K in 1/m²), without M.
    pub fn of_slopes(mesh: &Mesh, slopes: impl Fn([DVec3; 3]) -> Option<[DVec3; 3]>) -> Laplacian {
        let mut pairs = Vec::with_capacity(6 * mesh.triangles.len());
        for triangle in &mesh.triangles {
            let Some(own) = slopes(triangle.map(|v| mesh.positions[v as usize])) else { continue };
            for i in 0..3 {
                for j in (0..3).filter(|j| *j != i) {
                    pairs.push((triangle[i], triangle[j], -own[i].dot(own[j])));
                }
            }
        }
        Laplacian::new(vec![0.0; mesh.positions.len()], pairs)
    }

    fn new(masses: Vec<f64>, mut pairs: Vec<(u32, u32, f64)>) -> Laplacian {
        // A stable sort: entries of a pair are summed in the order of the elements.
        pairs.sort_by_key(|(v, w, _)| (*v, *w));
        let mut starts = vec![0; masses.len() + 1];
        let mut around: Vec<(u32, f64)> = Vec::new();
        let mut last = None;
        for (v, w, weight) in pairs {
            if last == Some((v, w)) {
                around.last_mut().into_iter().for_each(|(_, sum)| *sum += weight);
            } else {
                around.push((w, weight));
                starts[v as usize + 1] += 1;
            }
            last = Some((v, w));
        }
        for v in 0..masses.len() {
            starts[v + 1] += starts[v];
        }
        Laplacian { starts, around, masses }
    }

    /// Values at all vertices from those that are given; they fade within `depth` (m), or not at
    /// all. Within the range of what is given, and zero where nothing given is joined to.
    pub fn extended(&self, given: &[Option<f64>], depth: Option<f64>) -> Vec<f64> {
        let fade = depth.map_or(0.0, |depth| 1.0 / (depth * depth));
        let mut u: Vec<f64> = given.iter().map(|value| value.unwrap_or(0.0)).collect();
        let is_fixed: Vec<bool> = given.iter().map(Option::is_some).collect();
        self.solve(fade, 1.0, &vec![0.0; u.len()], &is_fixed, &mut u);
        let known = || given.iter().flatten().copied();
        let [low, high] = [known().fold(0.0, f64::min), known().fold(0.0, f64::max)];
        u.iter_mut().for_each(|u| *u = u.clamp(low, high));
        u
    }

    /// Values after one implicit step of heat by a length (m).
    pub fn spread(&self, values: &[f64], length: f64) -> Vec<f64> {
        let right: Vec<f64> = values.iter().zip(&self.masses).map(|(u, m)| u * m).collect();
        let mut u = values.to_vec();
        self.solve(1.0, length * length, &right, &vec![false; u.len()], &mut u);
        u
    }

    /// (mass · M + stiffness · K) u, where it is not fixed.
    fn times(&self, mass: f64, stiffness: f64, u: &[f64], is_fixed: &[bool], out: &mut [f64]) {
        for (v, out) in out.iter_mut().enumerate() {
            *out = 0.0;
            if !is_fixed[v] {
                let around = &self.around[self.starts[v]..self.starts[v + 1]];
                let flux: f64 = around.iter().map(|(w, k)| k * (u[v] - u[*w as usize])).sum();
                *out = mass * self.masses[v] * u[v] + stiffness * flux;
            }
        }
    }

    /// (mass · M + stiffness · K) u = right where it is not fixed, from a start.
    pub fn solve(
        &self,
        mass: f64,
        stiffness: f64,
        right: &[f64],
        is_fixed: &[bool],
        u: &mut [f64],
    ) {
        let count = u.len();
        let inverse = |v: usize| {
            let around = &self.around[self.starts[v]..self.starts[v + 1]];
            let sum: f64 = around.iter().map(|(_, k)| k).sum();
            let own = mass * self.masses[v] + stiffness * sum;
            if own > 0.0 { 1.0 / own } else { 0.0 }
        };
        let inverse: Vec<f64> = (0..count).map(inverse).collect();
        let mut product = vec![0.0; count];
        self.times(mass, stiffness, u, is_fixed, &mut product);
        let mut residual: Vec<f64> =
            (0..count).map(|v| if is_fixed[v] { 0.0 } else { right[v] - product[v] }).collect();
        let mut direction: Vec<f64> = residual.iter().zip(&inverse).map(|(r, i)| r * i).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut size = dot(&residual, &direction);
        let enough = TOLERANCE * TOLERANCE * size;
        for _ in 0..MOST_ITERATIONS {
            self.times(mass, stiffness, &direction, is_fixed, &mut product);
            let step = size / dot(&direction, &product);
            if !step.is_finite() || size <= enough {
                break;
            }
            for v in 0..count {
                u[v] += step * direction[v];
                residual[v] -= step * product[v];
            }
            let next: Vec<f64> = residual.iter().zip(&inverse).map(|(r, i)| r * i).collect();
            let now = dot(&residual, &next);
            direction.iter_mut().zip(&next).for_each(|(d, n)| *d = n + now / size * *d);
            size = now;
        }
    }
}

/// A heap of heat at a point: 1 at the vertex nearest to it, and as a bell of this radius (m)
/// around it, along the tets.
pub(super) fn bell(laplacian: &Laplacian, positions: &[DVec3], at: DVec3, radius: f64) -> Vec<f64> {
    /// A bell exp(−r²/radius²) is heat after ¼ radius²; so many implicit steps are round enough.
    const STEPS: u32 = 16;
    let nearest = (0..positions.len())
        .filter(|&v| laplacian.masses[v] > 0.0)
        .min_by(|&a, &b| positions[a].distance(at).total_cmp(&positions[b].distance(at)));
    let mut heat = vec![0.0; positions.len()];
    let Some(nearest) = nearest else { return heat };
    heat[nearest] = 1.0;
    for _ in 0..STEPS {
        heat = laplacian.spread(&heat, 0.5 * radius / f64::from(STEPS).sqrt());
    }
    let most = heat.iter().copied().fold(0.0, f64::max);
    heat.iter_mut().for_each(|h| *h = if most > 0.0 { (*h / most).clamp(0.0, 1.0) } else { 0.0 });
    heat
}

#[cfg(test)]
mod tests {
    use pliant_mesh::shapes::solid_box;

    use super::*;

    fn bar() -> Mesh {
        solid_box(DVec3::new(1.0, 0.2, 0.2), [20, 4, 4]).expect("a box")
    }

    fn given(mesh: &Mesh, right: Option<f64>) -> Vec<Option<f64>> {
        let end = |p: &DVec3| match p.x {
            x if x < -0.499 => Some(1.0),
            x if x > 0.499 => right,
            _ => None,
        };
        mesh.positions.iter().map(end).collect()
    }

    #[test]
    fn between_two_values_it_is_linear_and_it_does_not_fade_without_a_depth() {
        let mesh = bar();
        let laplacian = Laplacian::of_tets(&mesh);
        let ramp = laplacian.extended(&given(&mesh, Some(0.0)), None);
        for (p, u) in mesh.positions.iter().zip(&ramp) {
            assert!((u - (0.5 - p.x)).abs() < 1e-6, "{u} at {p}");
        }
        // No flux through what is not given: all of it is the same.
        let flat = laplacian.extended(&given(&mesh, None), None);
        assert!(flat.iter().all(|u| (u - 1.0).abs() < 1e-6));
    }

    #[test]
    fn with_a_depth_it_fades_by_the_e_in_that_depth() {
        let mesh = bar();
        let faded = Laplacian::of_tets(&mesh).extended(&given(&mesh, None), Some(0.2));
        for (p, u) in mesh.positions.iter().zip(&faded) {
            let from_end = (p.x + 0.5) / 0.2;
            let exact = (5.0 - from_end).cosh() / 5.0f64.cosh();
            assert!((u - exact).abs() < 0.02, "{u}, expected {exact} at {p}");
        }
    }

    #[test]
    fn a_bell_has_its_radius() {
        let mesh = solid_box(DVec3::ONE, [20, 20, 20]).expect("a box");
        let around = bell(&Laplacian::of_tets(&mesh), &mesh.positions, DVec3::ZERO, 0.25);
        for (p, u) in mesh.positions.iter().zip(&around) {
            let exact = (-p.length_squared() / (0.25 * 0.25)).exp();
            assert!((u - exact).abs() < 0.08, "{u}, expected {exact} at {p}");
        }
    }

    #[test]
    fn what_is_painted_on_a_sheet_is_smoothed() {
        let solid = solid_box(DVec3::new(1.0, 1.0, 0.1), [20, 20, 1]).expect("a box");
        let sheet = Mesh::surface(solid.positions.clone(), solid.triangles.clone());
        let half = |p: &DVec3| if p.x < 0.0 { 1.0 } else { 0.0 };
        let painted: Vec<f64> = sheet.positions.iter().map(half).collect();
        let smooth = Laplacian::of_triangles(&sheet).spread(&painted, 0.1);
        for (p, u) in sheet.positions.iter().zip(&smooth) {
            assert!((-1e-6..=1.0 + 1e-6).contains(u));
            assert!(p.x.abs() < 0.4 || (u - half(p)).abs() < 0.05, "{u} at {p}");
        }
    }
}
