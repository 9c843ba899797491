//! Contact around a matrix that stays factored.
//!
//! Contact adds the columns of `contact.rs` to the factored matrix A. With them as columns of C:
//!
//! ```text
//! (A + C Cᵀ)⁻¹ r = A⁻¹ (r − C z),   (I + CᵀA⁻¹C) z = CᵀA⁻¹ r.
//! ```
//!
//! The solve runs once more in the panels above the touching vertices ([`Correction`]). CᵀA⁻¹C is
//! made of A⁻¹ between touching vertices, 3×3 blocks that do not change. Three columns of A⁻¹ are
//! solved for when a vertex first touches, and kept at the *candidates* (`candidates.rs`). A block
//! is in two columns. It is taken from that of the later candidate, so that no result depends on
//! earlier contacts.

use pliant_math::cholesky::Correction;
use pliant_math::team::Team;
use pliant_math::woodbury::Woodbury;
use pliant_math::{DMat3, DVec3, Row};
use pliant_model::potentials::{Curvature, Situation};
use pliant_model::{Drive, Model, StiffPoints};

use super::candidates::Candidates;
use super::{MOST_VERTICES, NONE, column_vectors};

/// With no more candidates than this, all columns are solved for before anything touches.
const MOST_AT_ONCE: usize = 1536;
/// Terms for which memory is reserved together with those columns. Pressed lips have hundreds in
/// some iterations; memory that grew with them could not be shown to be bounded.
const ROOM: usize = 768;

/// A⁻¹ between vertices that have touched, and the contacts of the moment.
#[derive(Default)]
pub(in crate::solver) struct ContactCompliance {
    candidates: Candidates,
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
    update: Woodbury,
    is_factored: bool,
}

/// A column of C.
struct Term {
    /// Candidates with the column's entries, in the vertices' own frames.
    parts: [(u32, DVec3); MOST_VERTICES],
    count: usize,
}

impl Term {
    fn parts(&self) -> &[(u32, DVec3)] {
        &self.parts[..self.count]
    }
}

impl ContactCompliance {
    /// Of a model whose colliders are at rest as driven.
    pub fn new(model: &Model, drive: &Drive) -> Self {
        let candidates = Candidates::new(model, drive);
        ContactCompliance {
            columns: vec![Vec::new(); candidates.vertices.len()],
            slots: vec![NONE; candidates.vertices.len()],
            candidates,
            ..ContactCompliance::default()
        }
    }

    /// How many terms there are.
    pub fn count(&self) -> usize {
        self.terms.len()
    }

    /// Takes over the terms of a situation for vertices that have turned. `felt` are the
    /// gradient's rows there, if they are known.
    pub fn find(
        &mut self,
        model: &Model,
        at: &Situation,
        curvature: Curvature,
        felt: Option<&[Row]>,
        turns: &[DMat3],
        team: &Team,
    ) {
        let ContactCompliance { candidates, terms, touched, slots, found, .. } = self;
        let places = &candidates.places;
        terms.clear();
        touched.drain(..).for_each(|place| slots[place as usize] = NONE);
        let free = places.len();
        model.field().contact_terms(at, curvature, felt, found, team, &mut |joined, bend| {
            let own = || joined.iter().filter(|(v, w)| *w != 0.0 && (*v as usize) < free);
            let is_known = own().all(|(v, _)| places[*v as usize] != NONE);
            if !is_known || !bend.is_finite() || own().count() > MOST_VERTICES {
                return;
            }
            for along in column_vectors(&bend) {
                let mut term = Term { parts: [(NONE, DVec3::ZERO); MOST_VERTICES], count: 0 };
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

    /// Asks for the columns of all candidates near colliders that stay, unless these are too many.
    pub fn ask_all(&mut self) {
        let near = &self.candidates.near;
        if near.len() <= MOST_AT_ONCE {
            self.touched.clone_from(near);
            let room = ROOM.min(3 * near.len());
            self.terms.reserve(room);
            self.update.reserve(room);
        }
    }

    /// Solves for columns that are needed now and were not before. `solve` gets a function that
    /// fills a right-hand side and calls the solver.
    pub fn solve_columns(
        &mut self,
        solve: impl FnOnce(&mut dyn FnMut(&mut [Row<f32>], &mut dyn FnMut(&mut [Row<f32>]))),
    ) {
        let ContactCompliance { candidates, columns, touched, .. } = self;
        let candidates = &candidates.vertices;
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
                for &v in candidates {
                    let three = &numbers[3 * v as usize..3 * v as usize + 3];
                    column.extend((0..9).map(|k| three[k % 3].0[k / 3]));
                }
            }
        });
    }

    /// Factors I + CᵀA⁻¹C.
    pub fn factor(&mut self) {
        let ContactCompliance { columns, terms, touched, response, slots, update, .. } = self;
        update.begin(terms.len());
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
                update.set(i, j, other.parts().iter().map(work).sum());
            }
        }
        // Where numbers are NaN: as if nothing touched.
        self.is_factored = !terms.is_empty() && update.factor();
    }

    /// The reaction of contact to a right-hand side, and its unknowns; `None` without contact.
    pub fn reaction(&mut self) -> Option<(impl Iterator<Item = usize>, Reaction<'_>)> {
        let ContactCompliance { candidates, terms, touched, update, is_factored, .. } = self;
        let candidates = &candidates.vertices[..];
        let first = |place: &u32| 3 * candidates[*place as usize] as usize;
        let unknowns = touched.iter().map(first).flat_map(|first| first..first + 3);
        is_factored.then_some((unknowns, Reaction { candidates, terms, update }))
    }
}

/// −C z of the contacts.
pub(in crate::solver) struct Reaction<'a> {
    candidates: &'a [u32],
    terms: &'a [Term],
    update: &'a mut Woodbury,
}

impl Correction<f32> for Reaction<'_> {
    /// z from A⁻¹r.
    fn read(&mut self, numbers: &[f32]) {
        for (out, term) in self.update.weights.iter_mut().zip(self.terms) {
            let along = |&(place, pull): &(u32, DVec3)| {
                let first = 3 * self.candidates[place as usize] as usize;
                pull.dot(DVec3::from_array([0, 1, 2].map(|k| f64::from(numbers[first + k]))))
            };
            *out = term.parts().iter().map(along).sum();
        }
        self.update.solve();
    }

    fn add(&self, numbers: &mut [f32]) {
        for (z, term) in self.update.weights.iter().zip(self.terms) {
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
