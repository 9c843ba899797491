//! Contact that couples vertices: the terms g e″ gᵀ of its Hessian.
//!
//! Contacts change from iterate to iterate, and Newton's matrix has fixed slots. Its diagonal has a
//! bound of these terms, 2 |gᵢ| e″ (see
//! [`pliant_model::potentials::ContactPotential::stiff_points`]). With the bound alone two lips
//! that lie on each other cannot move together, and Newton's method creeps. Products with the
//! matrix add the difference from here.

use pliant_math::{DMat3, DVec3, Row};
use pliant_model::potentials::{Curvature, Situation, Turning};

use super::MOST_VERTICES;
use crate::objective::Objective;

/// The terms at one iterate; memory that grows to the most contacts at a time.
#[derive(Default)]
pub(in crate::solver) struct Couplings {
    all: Vec<Coupling>,
    turnings: Vec<Turning>,
    free: u32,
}

struct Coupling {
    /// Free vertices with their weights; zero for those that take no part.
    vertices: [u32; MOST_VERTICES],
    weights: [f64; MOST_VERTICES],
    /// e″ [N/m].
    bend: DMat3,
}

impl Couplings {
    /// Takes over the terms of a situation.
    pub fn find(&mut self, objective: &Objective, at: &Situation, curvature: Curvature) {
        self.all.clear();
        self.turnings.clear();
        let free = objective.model.free_count() as u32;
        objective.model.field().couplings(at, curvature, &mut |joined, bend| {
            let (mut vertices, mut weights) = ([0; MOST_VERTICES], [0.0; MOST_VERTICES]);
            let own = joined.iter().filter(|(v, weight)| *v < free && *weight != 0.0);
            for ((to, by), &(v, weight)) in vertices.iter_mut().zip(&mut weights).zip(own) {
                (*to, *by) = (v, weight);
            }
            if bend.is_finite() {
                self.all.push(Coupling { vertices, weights, bend });
            }
        });
        self.free = free;
        if curvature == Curvature::Exact {
            objective.model.field().turnings(at, &mut |turning| self.turnings.push(turning));
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Vertices, their weights g, and e″ of every term.
    pub fn terms(
        &self,
    ) -> impl Iterator<Item = (&[u32; MOST_VERTICES], &[f64; MOST_VERTICES], &DMat3)> {
        self.all.iter().map(|Coupling { vertices, weights, bend }| (vertices, weights, bend))
    }

    /// Adds Σ (g e″ gᵀ − 2 diag|g| e″) x to a product, without the second term if the matrix has
    /// no bounds, and the part of turning directions.
    pub fn add_product(&self, has_bounds: bool, x: &[Row], out: &mut [Row]) {
        let bound = if has_bounds { 2.0 } else { 0.0 };
        for Coupling { vertices, weights, bend } in &self.all {
            let joined = || vertices.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
            let apart: DVec3 = joined().map(|(&v, &w)| x[v as usize].xyz() * w).sum();
            let pull = *bend * apart;
            for (&v, &w) in joined() {
                let own = *bend * x[v as usize].xyz();
                out[v as usize] = out[v as usize] + Row::from(pull * w - own * (bound * w.abs()));
            }
        }
        let free = self.free;
        let motion = |v: u32| if v < free { x[v as usize].xyz() } else { DVec3::ZERO };
        for turning in &self.turnings {
            turning.product(motion, |v, product| {
                if v < free {
                    out[v as usize] = out[v as usize] + Row::from(product);
                }
            });
        }
    }
}
