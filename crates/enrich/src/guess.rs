//! Where a fit starts: a first guess of ū from the input alone.
//!
//! How the tracked surface has turned is known from its triangles. The rotations are spread into the
//! body as a harmonic field, and Ω is put together from tets that have turned so:
//!
//! ```text
//! min Σ V ‖F − R‖² + r Σ Λ ‖C′u − q̄‖²
//! ```
//!
//! Both are solves with matrices factored once. Unlike the frame before, which the paper starts from, it
//! is as good for a pose out of nowhere as for the next frame, and nothing drifts.

use glam::{DMat3, DVec3};
use pliant_math::decomposition::closest_rotations;
use pliant_math::team::Team;
use pliant_mesh::{Mesh, edges_of_tets};
use pliant_model::potentials::Tracked;

use crate::bound::Bound;
use crate::error::EnrichError;
use crate::poisson::{Element, Factored};
use crate::samples::Sample;
use crate::sums::{WeightedSums, fill};

/// How firmly tracked vertices keep the rotation of the surface, against one edge.
const HELD: f64 = 10.0;
/// r in cells: how firmly tracked points are put in place.
const PLACED: f64 = 10.0;
/// What keeps pieces that nothing tracks from being anywhere.
const AFLOAT: f64 = 1e-9;

/// Matrices and memory of guesses.
pub struct Guess {
    triangles: Vec<Triangle>,
    /// Of triangles, for every vertex of Γ: how it has turned.
    around: WeightedSums<f64>,
    /// Of vertices of Γ, for every vertex of Ω: what turns it.
    held: WeightedSums<f64>,
    /// Of tets, for every vertex of Ω: V ∇N, which their rotations push it by.
    pushed: WeightedSums<DVec3>,
    /// Of samples, for every vertex of Ω: what pulls it into place.
    pulled: WeightedSums<f64>,
    tets: Vec<[u32; 4]>,
    turn: Factored,
    place: Factored,
    rotations: Vec<DMat3>,
    turned: Vec<DMat3>,
    fields: [Vec<DVec3>; 3],
}

impl Guess {
    /// For the samples of a bound surface and their rows of C′, over vertices of Ω.
    pub fn new(
        bound: &Bound,
        samples: &[Sample],
        points: &[Tracked],
        team: &Team,
    ) -> Result<Self, EnrichError> {
        let (solid, size) = (&bound.solid, bound.report.size);
        let count = solid.positions.len();
        let mut turn: Vec<(usize, usize, f64)> = (0..count).map(|v| (v, v, AFLOAT)).collect();
        let mut place: Vec<(usize, usize, f64)> =
            (0..count).map(|v| (v, v, AFLOAT * size)).collect();
        for [a, b] in edges_of_tets(&solid.tets) {
            let (a, b) = (a as usize, b as usize);
            turn.extend([(a, a, 1.0), (b, b, 1.0), (a.max(b), a.min(b), -1.0)]);
        }
        let elements = Element::all(solid);
        place.extend(elements.iter().flat_map(Element::entries));
        let (mut held, mut pulled) = (Vec::new(), Vec::new());
        for (k, (sample, point)) in (0u32..).zip(samples.iter().zip(points)) {
            let pull = PLACED * sample.area / size;
            for (i, wi) in point.corners.into_iter().zip(point.weights) {
                turn.push((i as usize, i as usize, HELD * wi.max(0.0)));
                pulled.push((i, k, wi * pull));
                for (vertex, weight) in sample.corners.into_iter().zip(sample.weights) {
                    if weight * wi > 0.0 {
                        held.push((i, vertex, HELD * wi * weight));
                    }
                }
                for (j, wj) in point.corners.into_iter().zip(point.weights) {
                    place.push((i as usize, j as usize, pull * wi * wj));
                }
            }
        }
        let (triangles, around) = triangles(&bound.surface);
        let mut pushed = Vec::new();
        for (t, element) in (0u32..).zip(&elements) {
            let own = element.corners.into_iter().zip(element.gradients);
            pushed.extend(own.map(|(v, gradient)| (v, t, element.volume * gradient)));
        }
        Ok(Guess {
            rotations: vec![DMat3::ZERO; triangles.len().max(elements.len())],
            turned: vec![DMat3::ZERO; count.max(bound.surface.positions.len())],
            fields: std::array::from_fn(|_| vec![DVec3::ZERO; count]),
            triangles,
            around: WeightedSums::new(bound.surface.positions.len(), &around),
            held: WeightedSums::new(count, &held),
            pushed: WeightedSums::new(count, &pushed),
            pulled: WeightedSums::new(count, &pulled),
            tets: solid.tets.clone(),
            turn: Factored::new(count, turn.into_iter(), team)?,
            place: Factored::new(count, place.into_iter(), team)?,
        })
    }

    /// Positions of Ω's vertices for an input of Γ, and of the samples \[m\].
    pub fn of(&mut self, frame: &[DVec3], targets: &[DVec3], solid: &mut [DVec3], team: &Team) {
        self.spread(frame, team);
        let Guess { fields: [x, y, z], tets, .. } = self;
        let rotations = &mut self.rotations[..tets.len()];
        // A sum in place of a mean: only its rotation counts.
        let field = |v: u32| DMat3::from_cols(x[v as usize], y[v as usize], z[v as usize]);
        fill(rotations, team, |t| tets[t].into_iter().map(field).sum());
        closest_rotations(rotations, team);
        solid.fill(DVec3::ZERO);
        self.pushed.add(rotations, solid, team);
        self.pulled.add(targets, solid, team);
        self.place.solve(solid, team);
    }

    /// How the surface has turned as a field over Ω, column by column.
    fn spread(&mut self, frame: &[DVec3], team: &Team) {
        let Guess { triangles, turned, fields, .. } = self;
        let rotations = &mut self.rotations[..triangles.len()];
        fill(rotations, team, |t| triangles[t].turned(frame));
        let count = fields[0].len();
        let around = &mut turned[..frame.len()];
        around.fill(DMat3::ZERO);
        self.around.add(rotations, around, team);
        let mut sums = vec![DMat3::IDENTITY * AFLOAT; count];
        self.held.add(around, &mut sums, team);
        for (column, field) in fields.iter_mut().enumerate() {
            field.iter_mut().zip(&sums).for_each(|(x, sum)| *x = sum.col(column));
            self.turn.solve(field, team);
        }
    }
}

/// A triangle at rest.
struct Triangle {
    corners: [u32; 3],
    /// Along its first side, across it, and its normal.
    frame: DMat3,
    /// The first side's length, and how far the third corner is along and across it \[m\].
    sides: [f64; 3],
}

impl Triangle {
    /// None where it has no area.
    fn new(corners: [u32; 3], positions: &[DVec3]) -> Option<Triangle> {
        let (frame, sides) = spanned(corners, positions)?;
        Some(Triangle { corners, frame, sides })
    }

    /// The rotation of its gradient, which maps its normal to its normal: what is left is plane, and
    /// has its closest rotation in closed form. Zero where the triangle has no area any more.
    fn turned(&self, positions: &[DVec3]) -> DMat3 {
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

/// All triangles with an area, and what part each has in how its corners turn: (vertex, triangle,
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

/// A triangle's frame: along its first side, across it, and its normal; with the length of that side and
/// how far the third corner is along and across it. None without an area.
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
            assert!(triangle.turned(&moved).abs_diff_eq(expected, 1e-9));
        }
        let flat = vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        assert!(Triangle::new([0, 1, 2], &flat).is_none());
        let triangle = Triangle::new([0, 1, 2], &[DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap();
        assert_eq!(triangle.turned(&flat), DMat3::ZERO);
    }
}
