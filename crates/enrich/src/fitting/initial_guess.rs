//! Initial guess of ū for the fit, from the input alone.
//!
//! The rotations of the tracked triangles are extended into the body as a harmonic field R. The
//! positions of Ω then solve
//!
//! ```text
//! min Σ V ‖F − R‖² + r Σ Λ ‖C′u − q̄‖².
//! ```
//!
//! Both matrices are factored once. \[li2017enriching\] starts from the previous frame instead;
//! this guess is as good for an unrelated pose as for the next frame, and nothing drifts.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::closest_rotations;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, edges_of_tets};
use pliant_model::potentials::Tracked;

use crate::embedding::EmbeddedSurface;
use crate::embedding::samples::Sample;
use crate::error::EnrichError;
use crate::numerics::poisson::{Element, FactoredMatrix};
use crate::numerics::weighted_sums::{WeightedSums, fill};

/// Weight of a tracked vertex's rotation, relative to one edge of the harmonic field.
const ROTATION_WEIGHT: f64 = 10.0;
/// Weight r of tracked positions, in cells.
const POSITION_WEIGHT: f64 = 10.0;
/// Diagonal that regularises pieces without tracked points.
const REGULARISATION: f64 = 1e-9;

/// Factored matrices and memory of the initial guess.
pub struct InitialGuess {
    triangles: Vec<Triangle>,
    /// Rotation of each vertex of Γ, as sums over triangles.
    around: WeightedSums<f64>,
    /// Right-hand side of the rotation field at vertices of Ω, as sums over vertices of Γ.
    held: WeightedSums<f64>,
    /// Right-hand side V ∇N of positions at vertices of Ω, as sums over rotations of tets.
    pushed: WeightedSums<DVec3>,
    /// Right-hand side of positions at vertices of Ω, as sums over targets of samples.
    pulled: WeightedSums<f64>,
    tets: Vec<[u32; 4]>,
    rotation_matrix: FactoredMatrix,
    position_matrix: FactoredMatrix,
    /// Rotations of triangles or tets.
    rotations: Vec<DMat3>,
    /// Rotations of vertices of Γ.
    vertex_rotations: Vec<DMat3>,
    /// Columns of the rotation field over Ω.
    fields: [Vec<DVec3>; 3],
}

impl InitialGuess {
    /// Factors the matrices for the samples of an embedded surface and their rows of C′.
    pub fn new(
        embedded: &EmbeddedSurface,
        samples: &[Sample],
        points: &[Tracked],
        team: &Team,
    ) -> Result<Self, EnrichError> {
        let (solid, size) = (&embedded.solid, embedded.report.size);
        let count = solid.positions.len();
        let diagonal = |value: f64| (0..count).map(|v| (v, v, value)).collect::<Vec<_>>();
        let mut rotation_entries = diagonal(REGULARISATION);
        let mut position_entries = diagonal(REGULARISATION * size);
        for [a, b] in edges_of_tets(&solid.tets) {
            let (a, b) = (a as usize, b as usize);
            rotation_entries.extend([(a, a, 1.0), (b, b, 1.0), (a.max(b), a.min(b), -1.0)]);
        }
        let elements = Element::all(solid);
        position_entries.extend(elements.iter().flat_map(Element::entries));
        let (mut held, mut pulled) = (Vec::new(), Vec::new());
        for (k, (sample, point)) in (0u32..).zip(samples.iter().zip(points)) {
            let pull = POSITION_WEIGHT * sample.area / size;
            for (i, wi) in point.corners.into_iter().zip(point.weights) {
                rotation_entries.push((i as usize, i as usize, ROTATION_WEIGHT * wi.max(0.0)));
                pulled.push((i, k, wi * pull));
                for (vertex, weight) in sample.corners.into_iter().zip(sample.weights) {
                    if weight * wi > 0.0 {
                        held.push((i, vertex, ROTATION_WEIGHT * wi * weight));
                    }
                }
                for (j, wj) in point.corners.into_iter().zip(point.weights) {
                    position_entries.push((i as usize, j as usize, pull * wi * wj));
                }
            }
        }
        let (triangles, around) = triangles(&embedded.surface);
        let mut pushed = Vec::new();
        for (t, element) in (0u32..).zip(&elements) {
            let own = element.corners.into_iter().zip(element.gradients);
            pushed.extend(own.map(|(v, gradient)| (v, t, element.volume * gradient)));
        }
        Ok(InitialGuess {
            rotations: vec![DMat3::ZERO; triangles.len().max(elements.len())],
            vertex_rotations: vec![DMat3::ZERO; count.max(embedded.surface.positions.len())],
            fields: std::array::from_fn(|_| vec![DVec3::ZERO; count]),
            triangles,
            around: WeightedSums::new(embedded.surface.positions.len(), &around),
            held: WeightedSums::new(count, &held),
            pushed: WeightedSums::new(count, &pushed),
            pulled: WeightedSums::new(count, &pulled),
            tets: solid.tets.clone(),
            rotation_matrix: FactoredMatrix::new(count, rotation_entries.into_iter(), team)?,
            position_matrix: FactoredMatrix::new(count, position_entries.into_iter(), team)?,
        })
    }

    /// Computes positions of Ω's vertices for input positions of Γ and of the samples \[m\].
    pub fn compute(
        &mut self,
        frame: &[DVec3],
        targets: &[DVec3],
        solid: &mut [DVec3],
        team: &Team,
    ) {
        self.extend_rotations(frame, team);
        let InitialGuess { fields: [x, y, z], tets, .. } = self;
        let rotations = &mut self.rotations[..tets.len()];
        // The sum can replace the mean, since only its closest rotation is used.
        let field = |v: u32| DMat3::from_cols(x[v as usize], y[v as usize], z[v as usize]);
        fill(rotations, team, |t| tets[t].into_iter().map(field).sum());
        closest_rotations(rotations, team);
        solid.fill(DVec3::ZERO);
        self.pushed.add(rotations, solid, team);
        self.pulled.add(targets, solid, team);
        self.position_matrix.solve(solid, team);
    }

    /// Extends the rotations of the surface into a field over Ω, column by column.
    fn extend_rotations(&mut self, frame: &[DVec3], team: &Team) {
        let InitialGuess { triangles, vertex_rotations, fields, .. } = self;
        let rotations = &mut self.rotations[..triangles.len()];
        fill(rotations, team, |t| triangles[t].rotation(frame));
        let count = fields[0].len();
        let around = &mut vertex_rotations[..frame.len()];
        around.fill(DMat3::ZERO);
        self.around.add(rotations, around, team);
        let mut sums = vec![DMat3::IDENTITY * REGULARISATION; count];
        self.held.add(around, &mut sums, team);
        for (column, field) in fields.iter_mut().enumerate() {
            field.iter_mut().zip(&sums).for_each(|(x, sum)| *x = sum.col(column));
            self.rotation_matrix.solve(field, team);
        }
    }
}

/// A triangle at rest.
struct Triangle {
    corners: [u32; 3],
    /// Direction of its first side, the in-plane perpendicular, and its normal.
    frame: DMat3,
    /// Length of the first side, and coordinates of the third corner along and across it \[m\].
    sides: [f64; 3],
}

impl Triangle {
    /// A triangle at rest; `None` if it has no area.
    fn new(corners: [u32; 3], positions: &[DVec3]) -> Option<Triangle> {
        let (frame, sides) = spanned(corners, positions)?;
        Some(Triangle { corners, frame, sides })
    }

    /// Rotation of the triangle's deformation gradient. The gradient maps the normal to the normal,
    /// so the closest rotation of its in-plane part has a closed form. Zero if the triangle has no
    /// area.
    fn rotation(&self, positions: &[DVec3]) -> DMat3 {
        let Some((frame, [side, along, across])) = spanned(self.corners, positions) else {
            return DMat3::ZERO;
        };
        let [side0, along0, across0] = self.sides;
        let stretch = side / side0;
        let (diagonal, shear) = (across / across0, (along - stretch * along0) / across0);
        let turn = DVec3::new(stretch + diagonal, -shear, 0.0).normalize_or(DVec3::X);
        let (x, y) = (frame.x_axis, frame.y_axis);
        let (c, s) = (turn.x, turn.y);
        DMat3::from_cols(c * x + s * y, c * y - s * x, frame.z_axis) * self.frame.transpose()
    }
}

/// Returns all triangles with an area, and their weights at their corners: (vertex, triangle,
/// weight).
fn triangles(surface: &Mesh) -> (Vec<Triangle>, Vec<(u32, u32, f64)>) {
    let all = surface.triangles.iter();
    let all: Vec<Triangle> = all.filter_map(|&t| Triangle::new(t, &surface.positions)).collect();
    let weight = |t: &Triangle| (t.sides[0] * t.sides[2]).powf(1.5);
    let mut sums = vec![0.0; surface.positions.len()];
    for triangle in &all {
        triangle.corners.iter().for_each(|&v| sums[v as usize] += weight(triangle));
    }
    let mut around = Vec::new();
    for (t, triangle) in (0u32..).zip(&all) {
        let share = |v: u32| (v, t, weight(triangle) / sums[v as usize]);
        around.extend(triangle.corners.map(share));
    }
    (all, around)
}

/// Orthonormal frame of a triangle along its first side, with the length of that side and the
/// coordinates of the third corner along and across it. `None` if the triangle has no area.
fn spanned(triangle: [u32; 3], positions: &[DVec3]) -> Option<(DMat3, [f64; 3])> {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    let (u, v) = (b - a, c - a);
    let side = u.length();
    let x = u / side;
    let normal = x.cross(v);
    let across = normal.length();
    if !(side > 0.0 && across > 0.0 && across.is_finite()) {
        return None;
    }
    let z = normal / across;
    Some((DMat3::from_cols(x, z.cross(x), z), [side, x.dot(v), across]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_math::decomposition::polar;

    #[test]
    fn a_triangle_turns_as_its_gradient_does() {
        let x = |n: f64| DVec3::new((3.1 * n).sin(), (5.3 * n + 1.0).cos(), (7.7 * n).sin());
        for k in 0..50 {
            let at = |m: usize| -> Vec<DVec3> {
                (0..3).map(|c| x((3 * (2 * k + m) + c) as f64)).collect()
            };
            let (rest, moved) = (at(0), at(1));
            let triangle = Triangle::new([0, 1, 2], &rest).unwrap();
            let gradient = |x: &[DVec3]| {
                let (u, v) = (x[1] - x[0], x[2] - x[0]);
                DMat3::from_cols(u, v, u.cross(v).normalize())
            };
            let expected = polar(&(gradient(&moved) * gradient(&rest).inverse()));
            assert!(triangle.rotation(&moved).abs_diff_eq(expected, 1e-9));
        }
        let flat = vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        assert!(Triangle::new([0, 1, 2], &flat).is_none());
        let triangle = Triangle::new([0, 1, 2], &[DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap();
        assert_eq!(triangle.rotation(&flat), DMat3::ZERO);
    }
}
