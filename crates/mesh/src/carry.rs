//! Tets for surfaces whose parts touch or cross: built where they are apart, carried back.
//!
//! "Enriching triangle mesh animations with physically based simulation", section 8.1 and Fig. 12: the lattice is made in a pose whose parts are
//! separated, then deformed so that the embedded vertices reach their places,
//! min Σ aᵥ |(C x − q)ᵥ|² + γ Σ κₜ Vₜ ‖F − R‖², R the rotation closest to F. Nothing is welded, since no new
//! neighbours are made. Vertices are then embedded by walking from their old tet towards
//! their place (Fig. 11).

use glam::{DMat3, DVec3};
use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::decomposition::polar;
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::Team;
use pliant_math::{MathError, Row};

use crate::embedding::{Embedding, INSIDE, barycentric};
use crate::error::MeshError;
use crate::mesh::{Mesh, signed_volume};
use crate::quality;
use crate::tetrahedralise::{TetOptions, Tetrahedralised, tetrahedralise};

/// γ in cells: how much shape weighs against place.
const SHAPE_WEIGHT: f64 = 0.02;
/// Passes of rotations and solves, at first and after every stiffening.
const PASSES: usize = 25;
/// Inverted tets and their neighbours are made this much stiffer, so many times.
const STIFFER: f64 = 8.0;
const STIFFENINGS: usize = 8;
/// A tet that has less than this part of its volume is stiffened, too.
const FLAT: f64 = 0.05;

/// Fills `surface` by way of `pose`: the same vertices where its parts do not touch.
///
/// ```
/// use pliant_math::team::Team;
/// use pliant_mesh::{DVec3, TetOptions, shapes, tetrahedralise_separated};
/// let rest = shapes::solid_box(DVec3::new(2.0, 1.0, 1.0), [4, 2, 2])?;
/// let mut pose = rest.clone();
/// pose.positions.iter_mut().for_each(|x| x.y *= 1.2);
/// let filled = tetrahedralise_separated(&rest, &pose, &TetOptions::default(), &Team::new(1))?;
/// assert_eq!(filled.report.inverted, 0);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn tetrahedralise_separated(
    surface: &Mesh,
    pose: &Mesh,
    options: &TetOptions,
    team: &Team,
) -> Result<Tetrahedralised, MeshError> {
    let (found, expected) = (pose.positions.len(), surface.positions.len());
    if found != expected {
        return Err(MeshError::AnotherSurface { found, expected });
    }
    let apart = Mesh::surface(pose.positions.clone(), surface.triangles.clone());
    let mut filled = tetrahedralise(&apart, options, team)?;
    let mut carrier = Carrier::new(&filled, surface);
    carrier.carry(team).map_err(|error| MeshError::NotCarried(error.to_string()))?;
    filled.solid.positions = carrier.positions;
    filled.embedding = walked(&filled.solid, &filled.embedding, &surface.positions);
    let report = &mut filled.report;
    report.min_dihedral = quality::min_dihedral(&filled.solid);
    report.inverted = quality::inverted(&filled.solid);
    let outside = filled.embedding.outside();
    let finite = |v: usize| surface.positions[v].is_finite();
    report.embedded = (0..expected).filter(|&v| finite(v)).count()
        - outside.iter().filter(|&&v| finite(v as usize)).count();
    Ok(filled)
}

/// A vertex and where it is to go.
struct Aim {
    corners: [u32; 4],
    weights: [f64; 4],
    place: DVec3,
    /// aᵥ (m²)
    area: f64,
}

struct Carrier {
    positions: Vec<DVec3>,
    tets: Vec<[u32; 4]>,
    /// Inverse of the edges in the pose, and the volume there.
    shapes: Vec<(DMat3, f64)>,
    stiffness: Vec<f64>,
    aims: Vec<Aim>,
    gamma: f64,
}

impl Carrier {
    fn new(filled: &Tetrahedralised, surface: &Mesh) -> Self {
        let solid = &filled.solid;
        let shapes: Vec<(DMat3, f64)> = (0..solid.tets.len())
            .map(|t| {
                let corners = solid.corners(t).unwrap_or_default();
                (edges(corners).inverse(), signed_volume(corners))
            })
            .collect();
        let mut areas = vec![0.0; surface.positions.len()];
        for triangle in &surface.triangles {
            let Some([a, b, c]) = corners(surface, triangle) else { continue };
            let third = (b - a).cross(c - a).length() / 6.0;
            triangle.iter().for_each(|&v| areas[v as usize] += third);
        }
        let least = 1e-4 * filled.report.size * filled.report.size;
        let aims = (0..surface.positions.len())
            .filter(|&v| surface.positions[v].is_finite() && areas[v].is_finite())
            .filter(|&v| filled.embedding.weights[v].iter().all(|w| *w >= INSIDE))
            .map(|v| Aim {
                corners: solid.tets[filled.embedding.tets[v] as usize],
                weights: filled.embedding.weights[v],
                place: surface.positions[v],
                area: areas[v].max(least),
            })
            .collect();
        Carrier {
            positions: solid.positions.clone(),
            stiffness: vec![1.0; shapes.len()],
            tets: solid.tets.clone(),
            shapes,
            aims,
            gamma: SHAPE_WEIGHT * filled.report.size,
        }
    }

    fn carry(&mut self, team: &Team) -> Result<(), MathError> {
        for round in 0..=STIFFENINGS {
            self.settle(team)?;
            let bad = self.bad_tets();
            if bad.is_empty() || round == STIFFENINGS {
                return Ok(());
            }
            self.stiffen(&bad);
        }
        Ok(())
    }

    /// Rotations and solves in turn, with one factor.
    fn settle(&mut self, team: &Team) -> Result<(), MathError> {
        let matrix = self.matrix()?;
        let order = nested_dissection(&matrix.adjacency())?;
        let factor = PanelCholesky::<f64>::new(&matrix.permuted(&order)?)?;
        let mut work = PanelWork::new(&factor, team.size());
        let mut sides = vec![Row::new(0.0, 0.0, 0.0); order.len()];
        for _ in 0..PASSES {
            let right = self.right_hand_side();
            for (row, &v) in sides.iter_mut().zip(&order) {
                *row = Row::new(right[v].x, right[v].y, right[v].z);
            }
            factor.solve(&mut sides, &mut work, team);
            for (row, &v) in sides.iter().zip(&order) {
                self.positions[v] = DVec3::new(row.0[0], row.0[1], row.0[2]);
            }
        }
        Ok(())
    }

    /// CᵀAC + γ Σ κ V GᵀG, with F = Σ xₖ gₖᵀ.
    fn matrix(&self) -> Result<SymmetricMatrix, MathError> {
        let tets = self.tets.iter().enumerate().flat_map(|(t, tet)| {
            let gradients = self.gradients(t);
            let weight = self.weight(t);
            lower(*tet, move |i, j| weight * gradients[i].dot(gradients[j]))
        });
        let aims = self.aims.iter().flat_map(|aim| {
            lower(aim.corners, move |i, j| aim.area * aim.weights[i] * aim.weights[j])
        });
        SymmetricMatrix::from_triplets(self.positions.len(), tets.chain(aims))
    }

    /// CᵀAq + γ Σ κ V Gᵀ R.
    fn right_hand_side(&self) -> Vec<DVec3> {
        let mut right = vec![DVec3::ZERO; self.positions.len()];
        for (t, tet) in self.tets.iter().enumerate() {
            let now = edges(tet.map(|v| self.positions[v as usize]));
            let rotation = polar(&(now * self.shapes[t].0));
            let weight = self.weight(t);
            for (&v, g) in tet.iter().zip(self.gradients(t)) {
                right[v as usize] += weight * (rotation * g);
            }
        }
        for aim in &self.aims {
            for (&v, w) in aim.corners.iter().zip(aim.weights) {
                right[v as usize] += aim.area * w * aim.place;
            }
        }
        right
    }

    fn weight(&self, tet: usize) -> f64 {
        self.gamma * self.stiffness[tet] * self.shapes[tet].1
    }

    /// Gradients of the corners' weights in the pose.
    fn gradients(&self, tet: usize) -> [DVec3; 4] {
        let rows = self.shapes[tet].0.transpose();
        let [b, c, d] = [rows.x_axis, rows.y_axis, rows.z_axis];
        [-(b + c + d), b, c, d]
    }

    fn bad_tets(&self) -> Vec<usize> {
        let volume = |t: usize| signed_volume(self.tets[t].map(|v| self.positions[v as usize]));
        let good = |t: usize| volume(t) > FLAT * self.shapes[t].1;
        (0..self.tets.len()).filter(|&t| !good(t)).collect()
    }

    /// Makes tets, and those that share a vertex with them, stiffer.
    fn stiffen(&mut self, bad: &[usize]) {
        let mut touched = vec![false; self.positions.len()];
        bad.iter().flat_map(|&t| self.tets[t]).for_each(|v| touched[v as usize] = true);
        for (tet, stiffness) in self.tets.iter().zip(&mut self.stiffness) {
            if tet.iter().any(|&v| touched[v as usize]) {
                *stiffness *= STIFFER;
            }
        }
    }
}

fn edges([a, b, c, d]: [DVec3; 4]) -> DMat3 {
    DMat3::from_cols(b - a, c - a, d - a)
}

fn corners(mesh: &Mesh, triangle: &[u32; 3]) -> Option<[DVec3; 3]> {
    let at = |v: u32| mesh.positions.get(v as usize).copied();
    Some([at(triangle[0])?, at(triangle[1])?, at(triangle[2])?])
}

/// The entries of the lower triangle between four vertices.
fn lower(
    vertices: [u32; 4],
    value: impl Fn(usize, usize) -> f64,
) -> impl Iterator<Item = (usize, usize, f64)> {
    let pairs = (0..4).flat_map(|i| (0..=i).map(move |j| (i, j)));
    pairs.map(move |(i, j)| (vertices[i] as usize, vertices[j] as usize, value(i, j)))
}

/// The most tets on the way to a vertex's place.
const STEPS: usize = 64;

/// Embeds every point by walking through tets that are joined by faces, from the tet that had it.
fn walked(solid: &Mesh, before: &Embedding, points: &[DVec3]) -> Embedding {
    let across = neighbours(&solid.tets);
    let mut embedding = before.clone();
    for (p, &point) in points.iter().enumerate() {
        if !point.is_finite() {
            continue;
        }
        let least = |w: &[f64; 4]| (1..4).fold(0, |m, k| if w[k] < w[m] { k } else { m });
        let weights =
            |tet: u32| barycentric(solid.corners(tet as usize).unwrap_or_default(), point);
        let mut tet = before.tets[p];
        let mut best = (tet, weights(tet));
        for _ in 0..STEPS {
            let here = weights(tet);
            let low = least(&here);
            if here[low] > best.1[least(&best.1)] {
                best = (tet, here);
            }
            if here[low] >= INSIDE {
                break;
            }
            // Towards the point: out through the face that it is furthest behind.
            match across[tet as usize][low] {
                Some(next) => tet = next,
                None => break,
            }
        }
        if best.1.iter().all(|w| w.is_finite()) {
            (embedding.tets[p], embedding.weights[p]) = best;
        }
    }
    embedding
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use crate::tetrahedralise::Resolution;

    /// A hairpin: two arms joined at one end, whose gap is `gap`.
    fn hairpin(gap: f64) -> Mesh {
        let solid = shapes::solid_box(DVec3::new(8.0, 1.0, 1.0), [48, 6, 6]).unwrap();
        let mut mesh = Mesh::surface(solid.positions, solid.triangles);
        let inner = 0.5 * gap;
        for x in &mut mesh.positions {
            // Bent about the middle by half a turn of a circle of radius `bend`.
            let (along, across) = (x.x, x.y + 0.5);
            let bend = 0.8;
            let half = 0.5 * std::f64::consts::PI * bend;
            let far = (along.abs() - half).max(0.0);
            let angle = along.clamp(-half, half) / bend;
            let radius = bend + across;
            let mut to = DVec3::new(-radius * angle.cos() + far, radius * angle.sin(), x.z);
            // The arms close towards their ends.
            let closing = (far / 2.0).min(1.0) * (bend - inner);
            to.y -= closing * along.signum() * f64::from(far > 0.0);
            *x = to;
        }
        mesh
    }

    #[test]
    fn arms_that_touch_are_not_welded() {
        let (open, shut) = (hairpin(1.6), hairpin(0.02));
        let options = TetOptions { resolution: Resolution::Cells(20), ..TetOptions::default() };
        let team = Team::new(2);
        let welded = tetrahedralise(&shut, &options, &team).unwrap();
        let apart = tetrahedralise_separated(&shut, &open, &options, &team).unwrap();
        assert_eq!(apart.report.inverted, 0);
        let back = apart.embedding.positions(&apart.solid);
        let furthest =
            back.iter().zip(&shut.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(furthest < 1e-9, "{furthest}");
        // Weights tell how far outside of its tet a vertex is; a little is the fit's error.
        let lowest = apart.embedding.weights.iter().flatten().copied().fold(0.0, f64::min);
        assert!(lowest > -0.2, "{lowest}");
        // Welding makes a ring of the pin: V − E + F − T tells.
        let euler = |mesh: &Mesh| {
            let edges = crate::edges_of_tets(&mesh.tets).len() as i64;
            let faces = (4 * mesh.tets.len() + mesh.triangles.len()) as i64 / 2;
            mesh.positions.len() as i64 - edges + faces - mesh.tets.len() as i64
        };
        assert_eq!(euler(&apart.solid), 1);
        assert_ne!(euler(&welded.solid), 1);
    }

    #[test]
    fn another_surface_is_refused() {
        let (one, other) = (hairpin(1.6), Mesh::default());
        let error = tetrahedralise_separated(&one, &other, &TetOptions::default(), &Team::new(1));
        assert!(error.unwrap_err().to_string().starts_with("the separated pose has 0 vertices"));
    }
}
