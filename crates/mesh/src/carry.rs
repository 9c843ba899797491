//! Tets for surfaces whose parts touch or cross: built where they are apart, carried back.
//!
//! "Enriching triangle mesh animations with physically based simulation", section 8.1 and Fig. 12:
//! the lattice is made in a pose whose parts are separated, then deformed so that the embedded
//! vertices reach their places, min Σ aᵥ |(C x − q)ᵥ|² + γ Σ Vₜ ‖F − R‖², R the rotation closest to
//! F. Nothing is welded, since no new neighbours are made. What the fit leaves inverted or outside
//! is untangled (`untangle.rs`), and vertices are embedded by walking from their old tet towards
//! their place (Fig. 11, `walk.rs`).

mod untangle;
mod untangler;
mod walk;

use glam::{DMat3, DVec3};
use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::decomposition::polar;
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::Team;
use pliant_math::{MathError, Row};

use self::untangle::{Around, ROUNDS, Tangle};
pub use self::untangler::Untangler;
use crate::embedding::{Embedding, INSIDE};
use crate::error::MeshError;
use crate::mesh::{Mesh, signed_volume};
use crate::quality;
use crate::tetrahedralise::{TetOptions, Tetrahedralised, tetrahedralise, used_vertices};

/// γ in cells: how much shape weighs against place.
const SHAPE_WEIGHT: f64 = 0.02;
/// Passes of rotations and solves.
const PASSES: usize = 25;

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
    let used = used_vertices(&apart);
    let mut carrier = Carrier::new(&filled, surface, &used);
    carrier.carry(team).map_err(|error| MeshError::NotCarried(error.to_string()))?;
    let (inhabitants, others): (Vec<usize>, Vec<usize>) =
        (0..expected).filter(|&v| surface.positions[v].is_finite()).partition(|&v| used[v]);
    let point = |&v: &usize| (surface.positions[v], filled.embedding.tets[v]);
    let points: Vec<(DVec3, u32)> = inhabitants.iter().map(point).collect();
    let tangle = Tangle {
        tets: &carrier.tets,
        around: &Around::new(carrier.positions.len(), carrier.tets.iter().copied()),
        shapes: &carrier.shapes,
        points: &points,
        size: filled.report.size,
        patience: ROUNDS,
    };
    let found = tangle.resolve(&mut carrier.positions, team);
    for (&v, found) in inhabitants.iter().zip(found) {
        (filled.embedding.tets[v], filled.embedding.weights[v]) = (found.tet, found.weights);
    }
    filled.solid.positions = carrier.positions;
    // What no triangle uses is bound to where it is, and pulls at nothing.
    let places: Vec<DVec3> = others.iter().map(|&v| surface.positions[v]).collect();
    let bound = Embedding::new(&filled.solid, &places, team);
    for (k, v) in others.into_iter().enumerate() {
        (filled.embedding.tets[v], filled.embedding.weights[v]) = (bound.tets[k], bound.weights[k]);
    }
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
    aims: Vec<Aim>,
    gamma: f64,
}

impl Carrier {
    fn new(filled: &Tetrahedralised, surface: &Mesh, used: &[bool]) -> Self {
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
            .filter(|&v| used[v] && surface.positions[v].is_finite() && areas[v].is_finite())
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
            tets: solid.tets.clone(),
            shapes,
            aims,
            gamma: SHAPE_WEIGHT * filled.report.size,
        }
    }

    /// Rotations and solves in turn, with one factor.
    fn carry(&mut self, team: &Team) -> Result<(), MathError> {
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

    /// CᵀAC + γ Σ V GᵀG, with F = Σ xₖ gₖᵀ.
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

    /// CᵀAq + γ Σ V Gᵀ R.
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
        self.gamma * self.shapes[tet].1
    }

    /// Gradients of the corners' weights in the pose.
    fn gradients(&self, tet: usize) -> [DVec3; 4] {
        let rows = self.shapes[tet].0.transpose();
        let [b, c, d] = [rows.x_axis, rows.y_axis, rows.z_axis];
        [-(b + c + d), b, c, d]
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

#[cfg(test)]
mod tests;
