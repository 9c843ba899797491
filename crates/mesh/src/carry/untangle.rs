//! Tets that moved, made positive again, with the points in them that were there before.
//!
//! Every tet has the energy of Garanzha et al. 2021, "Foldover-free maps in 50 lines of code"
//! (Eq. 3 and 4), against the shape that it had: with J the gradient of the map and D = det J,
//!
//! ```text
//! ⅓ tr JᵀJ / χ^⅔ + ½ θ (D² + 1) / χ,    χ = ½ (D + √(ε² + D²)),
//! ```
//!
//! finite for inverted tets while ε > 0, and a barrier as ε → 0. Points that are outside pull the
//! boundary over themselves, harder from round to round. Vertices move one after the other: D is
//! linear in one vertex, so that Newton's matrix without χ″ is three by three and never
//! indefinite. Only vertices around something bad move at all.

use glam::{DMat3, DVec3};
use pliant_math::team::Team;

use super::walk::{Found, SHORES, Walker};
use crate::mesh::signed_volume;
use crate::signed_distance::evaluate;

/// θ: how much volume weighs against shape.
const VOLUME_WEIGHT: f64 = 0.5;
/// A tet with less than this part of its volume is to be improved.
pub const FLAT: f64 = 0.02;
/// How much a vertex wants to stay, against a tet's shape, per cell².
const STAY: f64 = 0.05;
/// How deep points are to be inside, in cells.
const DEPTH: f64 = 0.01;
/// Points nearer to the boundary than this hold it, in cells.
const NEAR: f64 = 0.3;
/// The pull of a point, per cell², at first; doubled in every round that it is outside.
const PULL: f64 = 200.0;
const MOST_PULL: f64 = 1e6;
/// Sweeps over the vertices per round, and the most rounds.
const SWEEPS: usize = 6;
pub const ROUNDS: usize = 40;
/// Vertices so many edges away move, too; one more every few rounds.
const RINGS: usize = 2;
const ROUNDS_PER_RING: usize = 8;

/// Tets with the shapes that they should have, and points that should be in them.
pub struct Tangle<'a> {
    pub tets: &'a [[u32; 4]],
    /// The tets around every vertex.
    pub around: &'a Around,
    /// Inverse of the edges in the shape, and its volume (m³).
    pub shapes: &'a [(DMat3, f64)],
    /// Where points are to be (m), and the tets that they start from.
    pub points: &'a [(DVec3, u32)],
    /// Side of a cell (m).
    pub size: f64,
    /// Rounds after which it is enough that tets are positive at all.
    pub patience: usize,
}

/// Part of a boundary's face that is to pass a point.
#[derive(Clone, Copy)]
struct Pull {
    vertices: [u32; 3],
    weights: [f64; 3],
    outward: DVec3,
    /// Where the face's place is to be along `outward` (m), at least.
    level: f64,
    strength: f64,
}

impl Pull {
    /// How far the face is from where it is to be (m); not positive if it is there.
    fn lacking(&self, positions: &[DVec3]) -> f64 {
        let place: DVec3 =
            (0..3).map(|k| self.weights[k] * positions[self.vertices[k] as usize]).sum();
        self.level - self.outward.dot(place)
    }
}

impl Tangle<'_> {
    /// Moves vertices around what is bad until all tets are positive and all points inside, or
    /// for as many rounds as may be; tells where the points were found.
    pub fn resolve(&self, positions: &mut [DVec3], team: &Team) -> Vec<Found> {
        // Who is whose neighbour is only asked for points.
        let walker = Walker::new(if self.points.is_empty() { &[] } else { self.tets });
        let anchors = positions.to_vec();
        let mut strengths = vec![PULL; self.points.len()];
        let mut round = 0;
        loop {
            let found = {
                let here = &*positions;
                evaluate(self.points, team, |(point, from)| walker.find(here, from, point))
            };
            let least =
                (0..self.tets.len()).map(|t| self.part(t, positions)).fold(f64::INFINITY, f64::min);
            let wanted = if round < self.patience { FLAT } else { f64::MIN_POSITIVE };
            if (least >= wanted && found.iter().all(Found::is_inside)) || round == ROUNDS {
                return found;
            }
            for (strength, _) in strengths.iter_mut().zip(&found).filter(|(_, f)| !f.is_inside()) {
                *strength = (2.0 * *strength).min(MOST_PULL);
            }
            let pulls = self.pulls(&walker, positions, &found, &strengths, team);
            let reach = RINGS + round / ROUNDS_PER_RING;
            let active = self.active(positions, &pulls, reach);
            let sweep = Sweep {
                tangle: self,
                around: self.around,
                pulls_around: Around::new(positions.len(), pulls.iter().map(|p| p.vertices)),
                pulls,
                anchors: &anchors,
                epsilon: 1e-3 + 0.3 * (-least).max(0.0),
            };
            for _ in 0..SWEEPS {
                active.iter().for_each(|&v| sweep.improve(v, positions));
            }
            round += 1;
        }
    }

    /// D: the part of its volume that a tet has.
    fn part(&self, tet: usize, positions: &[DVec3]) -> f64 {
        signed_volume(self.tets[tet].map(|v| positions[v as usize])) / self.shapes[tet].1
    }

    /// Of all points that are not deep enough, or nearly so.
    fn pulls(
        &self,
        walker: &Walker,
        positions: &[DVec3],
        found: &[Found],
        strengths: &[f64],
        team: &Team,
    ) -> Vec<Pull> {
        let numbers: Vec<usize> = (0..self.points.len()).collect();
        let pulls = evaluate(&numbers, team, |p| {
            let (point, mut own) = (self.points[p].0, [None; SHORES]);
            let shores = walker.shores(positions, &found[p], point, NEAR * self.size);
            for (slot, shore) in own.iter_mut().zip(shores) {
                let vertices = walker.face(shore.tet, shore.corner);
                let level = shore.outward.dot(point) + DEPTH * self.size;
                let (weights, outward, strength) = (shore.weights, shore.outward, strengths[p]);
                *slot = Some(Pull { vertices, weights, outward, level, strength });
            }
            own
        });
        pulls.into_iter().flatten().flatten().collect()
    }

    /// Vertices within so many edges of flat tets and of pulls, ascending.
    fn active(&self, positions: &[DVec3], pulls: &[Pull], reach: usize) -> Vec<u32> {
        let mut near = vec![false; positions.len()];
        for (t, tet) in self.tets.iter().enumerate() {
            if self.part(t, positions) < FLAT {
                tet.iter().for_each(|&v| near[v as usize] = true);
            }
        }
        for pull in pulls.iter().filter(|pull| pull.lacking(positions) > 0.0) {
            pull.vertices.iter().for_each(|&v| near[v as usize] = true);
        }
        for _ in 0..reach {
            let before = near.clone();
            for tet in self.tets.iter().filter(|tet| tet.iter().any(|&v| before[v as usize])) {
                tet.iter().for_each(|&v| near[v as usize] = true);
            }
        }
        (0u32..).zip(near).filter(|(_, near)| *near).map(|(v, _)| v).collect()
    }
}

/// What is needed to improve one vertex.
struct Sweep<'a> {
    tangle: &'a Tangle<'a>,
    around: &'a Around,
    pulls: Vec<Pull>,
    pulls_around: Around,
    anchors: &'a [DVec3],
    epsilon: f64,
}

/// An energy with its derivatives by one vertex.
#[derive(Clone, Copy, Default)]
struct Local {
    energy: f64,
    gradient: DVec3,
    hessian: DMat3,
}

/// A vertex that would move less than this stays, in cells.
const SETTLED: f64 = 1e-3;
/// The shortest part of a step that is tried: 2⁻ᵏ.
const HALVINGS: usize = 12;

impl Sweep<'_> {
    /// One step of Newton's method with one vertex, if it lowers the energy.
    fn improve(&self, vertex: u32, positions: &mut [DVec3]) {
        let from = positions[vertex as usize];
        let here = self.local(vertex, positions);
        let step = -(here.hessian.inverse() * here.gradient);
        // Where nothing is to be gained, as for most vertices after some sweeps, a look is enough.
        if !step.is_finite() || step.length() < SETTLED * self.tangle.size {
            return;
        }
        // Further than a cell nothing is as it was.
        let mut part = (self.tangle.size / step.length()).min(1.0);
        for _ in 0..HALVINGS {
            positions[vertex as usize] = from + part * step;
            if self.local(vertex, positions).energy < here.energy {
                return;
            }
            part *= 0.5;
        }
        positions[vertex as usize] = from;
    }

    fn local(&self, vertex: u32, positions: &[DVec3]) -> Local {
        let cells = 1.0 / (self.tangle.size * self.tangle.size);
        let away = positions[vertex as usize] - self.anchors[vertex as usize];
        let mut sum = Local {
            energy: STAY * cells * away.length_squared(),
            gradient: 2.0 * STAY * cells * away,
            hessian: DMat3::from_diagonal(DVec3::splat(2.0 * STAY * cells)),
        };
        for &(tet, corner) in self.around.of(vertex) {
            self.add_tet(tet as usize, corner as usize, positions, &mut sum);
        }
        for &(pull, corner) in self.pulls_around.of(vertex) {
            let pull = &self.pulls[pull as usize];
            let lacking = pull.lacking(positions);
            if lacking > 0.0 {
                let along = pull.weights[corner as usize] * pull.outward;
                let strength = pull.strength * cells;
                sum.energy += strength * lacking * lacking;
                sum.gradient -= 2.0 * strength * lacking * along;
                sum.hessian += 2.0 * strength * outer(along, along);
            }
        }
        sum
    }

    fn add_tet(&self, tet: usize, corner: usize, positions: &[DVec3], sum: &mut Local) {
        let corners = self.tangle.tets[tet].map(|v| positions[v as usize]);
        let inverse = &self.tangle.shapes[tet].0;
        let [a, b, c, d] = corners;
        let map = DMat3::from_cols(b - a, c - a, d - a) * *inverse;
        let rows = inverse.transpose();
        let own = match corner {
            0 => -(rows.x_axis + rows.y_axis + rows.z_axis),
            1 => rows.x_axis,
            2 => rows.y_axis,
            _ => rows.z_axis,
        };
        let [p, q, r] = [map.x_axis, map.y_axis, map.z_axis];
        let squares = p.length_squared() + q.length_squared() + r.length_squared();
        let part = p.dot(q.cross(r));
        // ∂D/∂x, which does not depend on x.
        let slope = DMat3::from_cols(q.cross(r), r.cross(p), p.cross(q)) * own;
        let root = (self.epsilon * self.epsilon + part * part).sqrt();
        // D + √(ε² + D²) without cancellation.
        let chi = if part >= 0.0 {
            0.5 * (part + root)
        } else {
            0.5 * self.epsilon * self.epsilon / (root - part)
        };
        let chi_slope = chi / root;
        let root_of_chi = chi.cbrt();
        let power = 1.0 / (root_of_chi * root_of_chi);
        let squares_slope = 2.0 * (map * own);
        let (ratio, volume) = (chi_slope / chi, part * part + 1.0);
        sum.energy += squares * power / 3.0 + 0.5 * VOLUME_WEIGHT * volume / chi;
        let bulk = 0.5 * VOLUME_WEIGHT / chi * (2.0 * part - volume * ratio);
        let shear = -2.0 / 3.0 * squares * power * ratio;
        sum.gradient += (power / 3.0) * squares_slope + (shear / 3.0 + bulk) * slope;
        let bulk_curve = VOLUME_WEIGHT / chi * (1.0 - 2.0 * part * ratio + volume * ratio * ratio);
        let curve = 10.0 / 27.0 * squares * power * ratio * ratio + bulk_curve;
        let mixed = -2.0 / 9.0 * power * ratio;
        sum.hessian += DMat3::from_diagonal(DVec3::splat(2.0 / 3.0 * power * own.length_squared()))
            + mixed * (outer(squares_slope, slope) + outer(slope, squares_slope))
            + curve * outer(slope, slope);
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}

/// The elements around every vertex, each with the vertex's place in it.
#[derive(Clone, Debug)]
pub struct Around {
    starts: Vec<u32>,
    elements: Vec<(u32, u8)>,
}

impl Around {
    pub fn new<const N: usize>(
        vertices: usize,
        elements: impl Iterator<Item = [u32; N]> + Clone,
    ) -> Self {
        let mut starts = vec![0u32; vertices + 1];
        elements.clone().flatten().for_each(|v| starts[v as usize + 1] += 1);
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut around = vec![(0, 0); starts[vertices] as usize];
        for (e, element) in (0u32..).zip(elements) {
            for (k, v) in (0u8..).zip(element) {
                around[next[v as usize] as usize] = (e, k);
                next[v as usize] += 1;
            }
        }
        Around { starts, elements: around }
    }

    fn of(&self, vertex: u32) -> &[(u32, u8)] {
        let [from, to] = [vertex, vertex + 1].map(|v| self.starts[v as usize] as usize);
        &self.elements[from..to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::quality;
    use crate::shapes;
    use pliant_math::derivative::gradient_error;

    fn shapes_of(mesh: &Mesh) -> Vec<(DMat3, f64)> {
        (0..mesh.tets.len())
            .map(|t| {
                let [a, b, c, d] = mesh.corners(t).unwrap();
                let inverse = DMat3::from_cols(b - a, c - a, d - a).inverse();
                (inverse, signed_volume([a, b, c, d]))
            })
            .collect()
    }

    fn shaken(positions: &[DVec3], by: f64) -> Vec<DVec3> {
        let shake = |(k, x): (usize, &DVec3)| {
            let t = k as f64;
            *x + by * DVec3::new((12.9 * t).sin(), (78.2 * t).cos(), (37.7 * t + 1.0).sin())
        };
        positions.iter().enumerate().map(shake).collect()
    }

    #[test]
    fn a_shaken_box_is_untangled() {
        let mesh = shapes::solid_box(DVec3::splat(6.0), [6, 6, 6]).unwrap();
        let shapes = shapes_of(&mesh);
        let mut tangled = mesh.clone();
        tangled.positions = shaken(&mesh.positions, 0.9);
        assert!(quality::inverted(&tangled) > mesh.tets.len() / 10);
        let around = &Around::new(mesh.positions.len(), mesh.tets.iter().copied());
        let (tets, shapes) = (&mesh.tets, &shapes);
        let tangle = Tangle { tets, around, shapes, points: &[], size: 1.0, patience: ROUNDS };
        tangle.resolve(&mut tangled.positions, &Team::new(1));
        assert_eq!(quality::inverted(&tangled), 0);
    }

    #[test]
    fn points_draw_the_boundary_over_themselves() {
        let mesh = shapes::solid_box(DVec3::splat(6.0), [6, 6, 6]).unwrap();
        let shapes = shapes_of(&mesh);
        // Beside a face, an edge and a corner, and on the boundary itself.
        let places = [[3.4, 0.1, 0.2], [3.3, 3.2, 0.4], [3.3, 3.3, 3.3], [-3.0, 0.5, 0.7]];
        let walker = Walker::new(&mesh.tets);
        let points: Vec<(DVec3, u32)> = places
            .map(DVec3::from_array)
            .map(|p| (p, walker.find(&mesh.positions, 0, p).tet))
            .to_vec();
        let tangle = Tangle {
            tets: &mesh.tets,
            around: &Around::new(mesh.positions.len(), mesh.tets.iter().copied()),
            shapes: &shapes,
            points: &points,
            size: 1.0,
            patience: ROUNDS,
        };
        let mut positions = mesh.positions.clone();
        let found = tangle.resolve(&mut positions, &Team::new(1));
        assert!(found.iter().all(Found::is_inside), "{found:?}");
        let drawn = Mesh { positions, ..mesh.clone() };
        assert_eq!(quality::inverted(&drawn), 0);
        // What is far from all of them has not moved.
        let far = |x: &DVec3| (*x - DVec3::new(-3.0, -3.0, -3.0)).length() < 0.1;
        let corner = mesh.positions.iter().position(far).unwrap();
        assert_eq!(drawn.positions[corner], mesh.positions[corner]);
    }

    #[test]
    fn gradients_are_those_of_the_energy() {
        let mesh = shapes::solid_box(DVec3::splat(2.0), [2, 2, 2]).unwrap();
        let shapes = shapes_of(&mesh);
        let around = &Around::new(mesh.positions.len(), mesh.tets.iter().copied());
        let (tets, shapes) = (&mesh.tets, &shapes);
        let tangle = Tangle { tets, around, shapes, points: &[], size: 1.0, patience: ROUNDS };
        let pull = Pull {
            vertices: [13, 4, 5],
            weights: [0.5, 0.2, 0.3],
            outward: DVec3::new(0.6, 0.0, 0.8),
            level: 3.0,
            strength: 2.0,
        };
        let sweep = Sweep {
            tangle: &tangle,
            around,
            pulls_around: Around::new(mesh.positions.len(), [pull.vertices].into_iter()),
            pulls: vec![pull],
            anchors: &mesh.positions,
            epsilon: 0.3,
        };
        for by in [0.1, 0.4, 1.0] {
            let at = |x: &[f64]| {
                let mut positions = shaken(&mesh.positions, by);
                positions[13] = DVec3::from_slice(x);
                sweep.local(13, &positions)
            };
            let start = shaken(&mesh.positions, by)[13].to_array();
            let gradient = |x: &[f64]| at(x).gradient.to_array().to_vec();
            let error = gradient_error(|x| at(x).energy, gradient, &start);
            assert!(error < 1e-8, "{error} at {by}");
            // Without χ″ the matrix is never indefinite: all leading minors are positive.
            let h = at(&start).hessian;
            let second = h.x_axis.x * h.y_axis.y - h.x_axis.y * h.x_axis.y;
            assert!(h.x_axis.x > 0.0 && second > 0.0 && h.determinant() > 0.0);
        }
    }
}
