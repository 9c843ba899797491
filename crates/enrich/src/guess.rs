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
use pliant_math::decomposition::polar;
use pliant_math::team::Team;
use pliant_mesh::edges_of_tets;
use pliant_model::potentials::Tracked;

use crate::bound::Bound;
use crate::error::EnrichError;
use crate::poisson::{Element, Factored};
use crate::samples::Sample;

/// How firmly tracked vertices keep the rotation of the surface, against one edge.
const HELD: f64 = 10.0;
/// r in cells: how firmly tracked points are put in place.
const PLACED: f64 = 10.0;
/// What keeps pieces that nothing tracks from being anywhere.
const AFLOAT: f64 = 1e-9;

/// Matrices and memory of guesses.
pub struct Guess {
    triangles: Vec<[u32; 3]>,
    rest: Vec<DVec3>,
    samples: Vec<Sample>,
    points: Vec<Tracked>,
    elements: Vec<Element>,
    size: f64,
    turn: Factored,
    place: Factored,
    team: Team,
}

impl Guess {
    /// For the samples of a bound surface and their rows of C′, over vertices of Ω.
    pub fn new(
        bound: &Bound,
        samples: Vec<Sample>,
        points: Vec<Tracked>,
        threads: usize,
    ) -> Result<Self, EnrichError> {
        let team = Team::new(threads);
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
        for (sample, point) in samples.iter().zip(&points) {
            for (i, wi) in point.corners.into_iter().zip(point.weights) {
                turn.push((i as usize, i as usize, HELD * wi.max(0.0)));
                for (j, wj) in point.corners.into_iter().zip(point.weights) {
                    let value = PLACED * sample.area / size * wi * wj;
                    place.push((i as usize, j as usize, value));
                }
            }
        }
        Ok(Guess {
            triangles: bound.surface.triangles.clone(),
            rest: bound.surface.positions.clone(),
            turn: Factored::new(count, turn.into_iter(), &team)?,
            place: Factored::new(count, place.into_iter(), &team)?,
            samples,
            points,
            elements,
            size,
            team,
        })
    }

    /// Positions of Ω's vertices for an input of Γ \[m\].
    pub fn of(&mut self, frame: &[DVec3], solid: &mut [DVec3]) {
        let turned = self.turned(frame);
        let fields = self.spread(&turned, solid.len());
        solid.fill(DVec3::ZERO);
        for element in &self.elements {
            let corners = &element.corners;
            let mean = |k: usize| corners.iter().map(|&v| fields[k][v as usize]).sum::<DVec3>();
            let rotation = polar(&DMat3::from_cols(mean(0), mean(1), mean(2)));
            element.push(&rotation, solid);
        }
        for (sample, point) in self.samples.iter().zip(&self.points) {
            let pull = PLACED * sample.area / self.size * sample.position(frame);
            for (&v, weight) in point.corners.iter().zip(point.weights) {
                solid[v as usize] += weight * pull;
            }
        }
        self.place.solve(solid, &self.team);
    }

    /// Around every vertex of Γ, how its triangles have turned: a mean of rotations, not one itself.
    fn turned(&self, frame: &[DVec3]) -> Vec<DMat3> {
        let mut sums = vec![(DMat3::ZERO, 0.0); frame.len()];
        for triangle in &self.triangles {
            let [before, after] = [&self.rest[..], frame].map(|x| spanned(*triangle, x));
            let gradient = after * before.inverse();
            if gradient.is_finite() {
                let area = before.determinant().abs();
                let rotation = polar(&gradient) * area;
                for &v in triangle {
                    let (sum, weight) = &mut sums[v as usize];
                    *sum += rotation;
                    *weight += area;
                }
            }
        }
        let mean = |(sum, weight): (DMat3, f64)| {
            if weight > 0.0 { sum * (1.0 / weight) } else { DMat3::IDENTITY }
        };
        sums.into_iter().map(mean).collect()
    }

    /// The rotations of the surface as a field over Ω, column by column.
    fn spread(&mut self, turned: &[DMat3], count: usize) -> [Vec<DVec3>; 3] {
        [0, 1, 2].map(|column| {
            let mut right: Vec<DVec3> = vec![AFLOAT * DMat3::IDENTITY.col(column); count];
            for (sample, point) in self.samples.iter().zip(&self.points) {
                let at = |k: usize| turned[sample.corners[k] as usize].col(column);
                let value: DVec3 = (0..3).map(|k| sample.weights[k] * at(k)).sum();
                for (&v, weight) in point.corners.iter().zip(point.weights) {
                    right[v as usize] += HELD * weight.max(0.0) * value;
                }
            }
            self.turn.solve(&mut right, &self.team);
            right
        })
    }
}

/// Two sides of a triangle and, as long as they are, its normal.
fn spanned(triangle: [u32; 3], positions: &[DVec3]) -> DMat3 {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    let (u, v) = (b - a, c - a);
    let normal = u.cross(v);
    let length = normal.length().sqrt();
    DMat3::from_cols(u, v, normal.normalize_or_zero() * length)
}
