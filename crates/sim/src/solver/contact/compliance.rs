//! What touches, around a matrix that stays factored.
//!
//! Contact adds terms c cᵀ to the factored matrix A, c = √β g ⊗ u for every eigenvector u of a touch's
//! e″ with weights g. With all of them as columns of C (Woodbury):
//!
//! ```text
//! (A + C Cᵀ)⁻¹ r = A⁻¹ (r − C z),   (I + CᵀA⁻¹C) z = CᵀA⁻¹ r:
//! ```
//!
//! a small dense system, and more of the solve in the panels above what touches ([`Correction`]). CᵀA⁻¹C is made of A⁻¹ between the vertices that touch, 3×3
//! blocks that do not change. Three columns of A⁻¹ are solved for when a vertex first touches, and kept at
//! the *candidates*, the surface vertices that may touch at all. Of the two columns that a block is in, it is
//! taken from that of the later candidate, so that no result depends on what touched before.

use pliant_math::cholesky::Correction;
use pliant_math::decomposition::{SymmetricEigen, symmetric_eigen};
use pliant_math::team::Team;
use pliant_math::{DMat3, DVec3, Row};
use pliant_model::potentials::{Curvature, Situation};
use pliant_model::{Drive, Model, StiffPoints};

use super::patches::{factor_lower, solve_lower};

/// Surface vertices this near to an obstacle that stays may touch it, in lengths of edges; one that moves may touch
/// all.
const NEAR: f64 = 2.5;
/// With more candidates than this, columns would take too much memory: contact is for others to know.
const MOST_CANDIDATES: usize = 8192;
/// With no more than this, all columns are solved for before anything touches.
const MOST_AT_ONCE: usize = 1536;
/// Whoever asks for columns in advance has room for so many terms in advance, too: lips that are pressed have hundreds
/// in some iterations, and memory that grows with the most there has been is not seen to be bounded.
const ROOM: usize = 768;
/// Vertices of a touch: a vertex or an edge, and a tet at most.
const MOST_JOINED: usize = 6;
/// Eigenvalues below this part of the largest count for nothing.
const NEGLIGIBLE: f64 = 1e-6;
/// No place.
const NONE: u32 = u32::MAX;

/// A⁻¹ between vertices that have touched, and what touches now.
#[derive(Default)]
pub(super) struct Compliance {
    /// Of each free vertex its place among the candidates.
    places: Vec<u32>,
    candidates: Vec<u32>,
    /// Candidates that need no obstacle to come along.
    near: Vec<u32>,
    /// Per candidate three columns at all candidates, nine numbers each; empty before it is needed.
    columns: Vec<Vec<f32>>,
    terms: Vec<Term>,
    found: Vec<StiffPoints>,
    /// Candidates that touch now.
    touched: Vec<u32>,
    /// A⁻¹C of one term at these \[m\].
    response: Vec<DVec3>,
    /// Place of each candidate in `touched`.
    slots: Vec<u32>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    is_factored: bool,
}

/// A column of C.
struct Term {
    /// Candidates, and the column there, in the vertices' own frames.
    parts: [(u32, DVec3); MOST_JOINED],
    count: usize,
}

impl Term {
    fn parts(&self) -> &[(u32, DVec3)] {
        &self.parts[..self.count]
    }
}

impl Compliance {
    /// Of a model whose obstacles are at rest as driven.
    pub fn new(model: &Model, drive: &Drive) -> Self {
        let free = model.free_count();
        let mut candidates: Vec<u32> =
            model.solids().map(|solids| solids.vertices().collect()).unwrap_or_default();
        let obstacles = model.colliders().iter().zip(&drive.colliders);
        for (collider, pose) in obstacles.filter(|(collider, _)| collider.motion.is_none()) {
            let placed = collider.placed(pose);
            for (b, body) in model.bodies().iter().enumerate() {
                let number = |v: u32| model.number(b, v as usize);
                for triangle in &body.triangles {
                    let corners = triangle.map(|v| model.rest()[number(v)].xyz());
                    let edge = corners[0].distance(corners[1]).max(corners[0].distance(corners[2]));
                    for (&v, x) in triangle.iter().zip(corners) {
                        let own = number(v) as u32;
                        let meets = body.meeting.binary_search(&own).is_ok();
                        if meets && placed.shape.nearest(x).distance < NEAR * edge {
                            candidates.push(own);
                        }
                    }
                }
            }
        }
        let tidied = |candidates: &mut Vec<u32>| {
            candidates.retain(|&v| (v as usize) < free);
            candidates.sort_unstable();
            candidates.dedup();
            if candidates.len() > MOST_CANDIDATES {
                candidates.clear();
            }
        };
        tidied(&mut candidates);
        let near = candidates.clone();
        if model.colliders().iter().any(|collider| collider.motion.is_some()) {
            candidates.extend(model.meeting().map(|v| v as u32));
            tidied(&mut candidates);
            if candidates.is_empty() {
                candidates.clone_from(&near);
            }
        }
        let mut places = vec![NONE; free];
        for (place, &v) in (0u32..).zip(&candidates) {
            places[v as usize] = place;
        }
        let near = near.iter().map(|&v| places[v as usize]).collect();
        Compliance {
            columns: vec![Vec::new(); candidates.len()],
            slots: vec![NONE; candidates.len()],
            candidates,
            near,
            places,
            ..Compliance::default()
        }
    }

    /// How many terms there are.
    pub fn count(&self) -> usize {
        self.terms.len()
    }

    /// The terms of a situation, with the gradient's rows there, if they are known, for vertices that have turned.
    pub fn find(
        &mut self,
        model: &Model,
        at: &Situation,
        curvature: Curvature,
        felt: Option<&[Row]>,
        turns: &[DMat3],
        team: &Team,
    ) {
        let Compliance { places, terms, touched, slots, found, .. } = self;
        terms.clear();
        touched.drain(..).for_each(|place| slots[place as usize] = NONE);
        let free = places.len();
        model.field().passing_terms(at, curvature, felt, found, team, &mut |joined, bend| {
            let own = || joined.iter().filter(|(v, w)| *w != 0.0 && (*v as usize) < free);
            let is_known = own().all(|(v, _)| places[*v as usize] != NONE);
            if !is_known || !bend.is_finite() || own().count() > MOST_JOINED {
                return;
            }
            let SymmetricEigen { values, vectors } = symmetric_eigen(&bend);
            for k in (0..3).filter(|&k| values[k] > NEGLIGIBLE * values.max_element()) {
                let along = vectors.col(k) * values[k].sqrt();
                let mut term = Term { parts: [(NONE, DVec3::ZERO); MOST_JOINED], count: 0 };
                for &(v, weight) in own() {
                    let place = places[v as usize];
                    let pull = turns[v as usize].transpose() * along * weight;
                    term.parts[term.count] = (place, pull);
                    term.count += 1;
                    if slots[place as usize] == NONE {
                        slots[place as usize] = touched.len() as u32;
                        touched.push(place);
                    }
                }
                terms.push(term);
            }
        });
    }

    /// Asks for the columns of all that may touch what stays, unless these are too many.
    pub fn ask_all(&mut self) {
        if self.near.len() <= MOST_AT_ONCE {
            self.touched.clone_from(&self.near);
            let room = ROOM.min(3 * self.near.len());
            self.terms.reserve(room);
            self.matrix.resize(room * room, 0.0);
        }
    }

    /// Solves for columns that are needed now and were not before; `solve` is given what is to be done
    /// with a right-hand side and its solver.
    pub fn solve_columns(
        &mut self,
        solve: impl FnOnce(&mut dyn FnMut(&mut [Row<f32>], &mut dyn FnMut(&mut [Row<f32>]))),
    ) {
        let Compliance { candidates, columns, touched, .. } = self;
        if touched.iter().all(|&place| !columns[place as usize].is_empty()) {
            return;
        }
        solve(&mut |numbers, divide| {
            for &place in touched.iter() {
                let column = &mut columns[place as usize];
                if !column.is_empty() {
                    continue;
                }
                numbers.fill(Row::zero());
                let first = 3 * candidates[place as usize] as usize;
                for axis in 0..3 {
                    numbers[first + axis].0[axis] = 1.0;
                }
                divide(numbers);
                column.reserve_exact(9 * candidates.len());
                for &v in &*candidates {
                    let three = &numbers[3 * v as usize..3 * v as usize + 3];
                    column.extend((0..9).map(|k| three[k % 3].0[k / 3]));
                }
            }
        });
    }

    /// Factors I + CᵀA⁻¹C.
    pub fn factor(&mut self) {
        let Compliance { columns, terms, touched, response, slots, matrix, vector, .. } = self;
        let size = terms.len();
        vector.resize(size, 0.0);
        matrix.clear();
        matrix.resize(size * size, 0.0);
        for (j, term) in terms.iter().enumerate() {
            response.clear();
            for &at in touched.iter() {
                let moved = |&(place, pull): &(u32, DVec3)| block(columns, at, place) * pull;
                response.push(term.parts().iter().map(moved).sum());
            }
            for (i, other) in terms.iter().enumerate().skip(j) {
                let work = |&(place, pull): &(u32, DVec3)| {
                    pull.dot(response[slots[place as usize] as usize])
                };
                let own = if i == j { 1.0 } else { 0.0 };
                matrix[i * size + j] = own + other.parts().iter().map(work).sum::<f64>();
            }
        }
        // Numbers that are none: as if nothing touched.
        self.is_factored = size > 0 && factor_lower(matrix, size);
    }

    /// What contact does to a right-hand side, and the unknowns where it does; nothing where nothing is known to touch.
    pub fn reaction(&mut self) -> Option<(impl Iterator<Item = usize>, Reaction<'_>)> {
        let Compliance { candidates, terms, touched, matrix, vector, is_factored, .. } = self;
        let first = |place: &u32| 3 * candidates[*place as usize] as usize;
        let unknowns = touched.iter().map(first).flat_map(|first| first..first + 3);
        is_factored.then_some((unknowns, Reaction { candidates, terms, matrix, vector }))
    }
}

/// −C z of what touches.
pub(super) struct Reaction<'a> {
    candidates: &'a [u32],
    terms: &'a [Term],
    matrix: &'a [f64],
    vector: &'a mut [f64],
}

impl Correction<f32> for Reaction<'_> {
    /// z from A⁻¹r.
    fn read(&mut self, numbers: &[f32]) {
        for (out, term) in self.vector.iter_mut().zip(self.terms) {
            let along = |&(place, pull): &(u32, DVec3)| {
                let first = 3 * self.candidates[place as usize] as usize;
                pull.dot(DVec3::from_array([0, 1, 2].map(|k| f64::from(numbers[first + k]))))
            };
            *out = term.parts().iter().map(along).sum();
        }
        solve_lower(self.matrix, self.vector);
    }

    fn add(&self, numbers: &mut [f32]) {
        for (z, term) in self.vector.iter().zip(self.terms) {
            for &(place, pull) in term.parts() {
                let first = 3 * self.candidates[place as usize] as usize;
                for (k, pull) in pull.to_array().into_iter().enumerate() {
                    numbers[first + k] -= (pull * z) as f32;
                }
            }
        }
    }
}

/// A⁻¹ between two candidates: what a force on the second does to the first [m/N].
fn block(columns: &[Vec<f32>], first: u32, second: u32) -> DMat3 {
    let (column, at) = if first <= second { (second, first) } else { (first, second) };
    let numbers = columns[column as usize].get(9 * at as usize..9 * at as usize + 9);
    let entries = numbers.map_or([0.0; 9], |n| std::array::from_fn(|k| f64::from(n[k])));
    let own = DMat3::from_cols_array(&entries);
    if first <= second { own } else { own.transpose() }
}
