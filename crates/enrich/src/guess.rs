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
use pliant_math::Row;
use pliant_math::cholesky::{PanelCholesky, PanelWork};
use pliant_math::decomposition::polar;
use pliant_math::ordering::nested_dissection;
use pliant_math::sparse::SymmetricMatrix;
use pliant_math::team::Team;
use pliant_mesh::edges_of_tets;
use pliant_model::potentials::Tracked;

use crate::bound::Bound;
use crate::error::EnrichError;
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
    tets: Vec<Turning>,
    size: f64,
    turn: Factored,
    place: Factored,
    team: Team,
}

/// A tet with the gradients of its corners' weights [1/m] and its part of the energy.
struct Turning {
    corners: [u32; 4],
    gradients: [DVec3; 4],
    weight: f64,
}

struct Factored {
    order: Vec<usize>,
    factor: PanelCholesky<f64>,
    work: PanelWork<f64>,
}

impl Factored {
    fn new(
        size: usize,
        triplets: Vec<(usize, usize, f64)>,
        team: &Team,
    ) -> Result<Self, EnrichError> {
        let matrix = SymmetricMatrix::from_triplets(size, triplets)?;
        let order = nested_dissection(&matrix.adjacency())?;
        let factor = PanelCholesky::<f64>::new(&matrix.permuted(&order)?)?;
        let work = PanelWork::new(&factor, team.size());
        Ok(Factored { order, factor, work })
    }

    /// A⁻¹b for right-hand sides by vertex.
    fn solve(&mut self, right: &[DVec3], team: &Team) -> Vec<DVec3> {
        let mut rows: Vec<Row> = self.order.iter().map(|&v| right[v].into()).collect();
        self.factor.solve(&mut rows, &mut self.work, team);
        let mut solution = vec![DVec3::ZERO; right.len()];
        for (&v, row) in self.order.iter().zip(&rows) {
            solution[v] = row.xyz();
        }
        solution
    }
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
        let mut turn: Vec<(usize, usize, f64)> =
            (0..count).map(|v| (v, v, AFLOAT)).collect();
        let mut place: Vec<(usize, usize, f64)> =
            (0..count).map(|v| (v, v, AFLOAT * size)).collect();
        for [a, b] in edges_of_tets(&solid.tets) {
            let (a, b) = (a as usize, b as usize);
            turn.extend([(a, a, 1.0), (b, b, 1.0), (a.max(b), a.min(b), -1.0)]);
        }
        let mut tets = Vec::with_capacity(solid.tets.len());
        for &corners in &solid.tets {
            let [o, a, b, c] = corners.map(|v| solid.positions[v as usize]);
            let edges = DMat3::from_cols(a - o, b - o, c - o);
            let inverse = edges.inverse().transpose();
            let [ga, gb, gc] = [inverse.x_axis, inverse.y_axis, inverse.z_axis];
            let gradients = [-(ga + gb + gc), ga, gb, gc];
            let weight = edges.determinant() / 6.0;
            for (i, gi) in gradients.iter().enumerate() {
                for (j, gj) in gradients.iter().enumerate() {
                    if corners[i] >= corners[j] {
                        let value = weight * gi.dot(*gj);
                        place.push((corners[i] as usize, corners[j] as usize, value));
                    }
                }
            }
            tets.push(Turning { corners, gradients, weight });
        }
        for (sample, point) in samples.iter().zip(&points) {
            for (i, wi) in point.corners.into_iter().zip(point.weights) {
                turn.push((i as usize, i as usize, HELD * wi.max(0.0)));
                for (j, wj) in point.corners.into_iter().zip(point.weights) {
                    if i >= j {
                        let value = PLACED * sample.area / size * wi * wj;
                        place.push((i as usize, j as usize, value));
                    }
                }
            }
        }
        Ok(Guess {
            triangles: bound.surface.triangles.clone(),
            rest: bound.surface.positions.clone(),
            turn: Factored::new(count, turn, &team)?,
            place: Factored::new(count, place, &team)?,
            samples,
            points,
            tets,
            size,
            team,
        })
    }

    /// Positions of Ω's vertices for an input of Γ \[m\].
    pub fn of(&mut self, frame: &[DVec3], solid: &mut [DVec3]) {
        let turned = self.turned(frame);
        let fields = self.spread(&turned, solid.len());
        let mut right = vec![DVec3::ZERO; solid.len()];
        for tet in &self.tets {
            let mean = |k: usize| tet.corners.iter().map(|&v| fields[k][v as usize]).sum::<DVec3>();
            let rotation = polar(&DMat3::from_cols(mean(0), mean(1), mean(2)));
            for (&v, gradient) in tet.corners.iter().zip(tet.gradients) {
                right[v as usize] += tet.weight * (rotation * gradient);
            }
        }
        for (sample, point) in self.samples.iter().zip(&self.points) {
            let pull = PLACED * sample.area / self.size * sample.position(frame);
            for (&v, weight) in point.corners.iter().zip(point.weights) {
                right[v as usize] += weight * pull;
            }
        }
        solid.copy_from_slice(&self.place.solve(&right, &self.team));
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
            self.turn.solve(&right, &self.team)
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
