//! Extended position-based dynamics: compliant constraints, relaxed one after the other
//! (Macklin, Müller, Chentanez 2016, "XPBD: Position-Based Simulation of Compliant Constrained
//! Dynamics").
//!
//! An energy Σ ½C²/α is minimised together with inertia by x = x̃ + Σ w∇C λ with λ = −C/α: start
//! where inertia and gravity alone lead, x̃ = ŷ + g/κ, and change one multiplier after the other
//! by Δλ = −(C + αλ)/(w|∇C|² + α) (their Eq. 18), where w = 1/(κm) holds the step length. Hard
//! vertices have w = 0.
//!
//! | potential | constraint C | compliance α |
//! |---|---|---|
//! | springs | l − r | 1/k |
//! | tets, any density ψ | VP/k, nine components; F − R for as-rigid-as-possible | 1/k |
//! | attachments, following | x − t, three components | 1/k |
//! | wind | the drag of a triangle, its own quadratic equation | |
//! | contact | the distance d < 0, by its law | 1/k |
//! | friction, rebound | the displacement relative to the collider, by their laws | |
//!
//! XPBD adds every Δλ along the ∇C of the moment, and so keeps parts of forces that point where
//! ∇C no longer does: its fixed point is not the minimiser, because the derivation drops the
//! change of ∇C (their Section 4). Here each constraint remembers the *force* it exerts instead
//! of a multiplier, and each visit lets the force turn as well: x = x̃ + Σ w f holds all the time,
//! and where visits change nothing any more every f is minus its energy's gradient. That is the
//! minimiser, to rounding. Across ∇C a visit takes the step that the stiffness along it allows,
//! which is no less than the stiffness across, so that it does not overshoot.
//!
//! What is relaxed at the same time shares no vertex: bits do not depend on the number of threads.

mod colored;
mod domains;
mod drag;
mod held;
mod springs;
mod tets;
mod touch;

use std::time::Instant;

use pliant_math::Row;
use pliant_math::team::{SharedSlice, Team};
use pliant_model::potentials::{CompliantElement, CompliantTet};
use pliant_model::{ElasticModel, Model};
use thiserror::Error;

use super::SolverInfo;
use crate::objective::{EvaluationSpace, Forces, Objective};
use drag::Drag;
use held::{Held, Point, Pull};
use springs::Springs;
use tets::{Tet, Tets};
use touch::Touch;

/// What the solver is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XpbdParams {
    /// Visits to every constraint.
    pub iterations: u32,
}

/// A potential that cannot be relaxed element by element.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("XPBD has no constraint for the potential `{0}`: use another solver")]
pub struct NoConstraint(pub &'static str);

/// The constraints of a model, with the forces that they exert during a step.
pub struct XpbdSpace {
    /// Zero for hard vertices [1/kg].
    inverse_masses: Vec<f64>,
    held: Held,
    springs: Springs,
    tets: Vec<Tets>,
    drag: Drag,
    touch: Touch,
}

impl XpbdSpace {
    /// Colours a model's constraints.
    ///
    /// # Errors
    /// When a potential of the model cannot be relaxed element by element.
    ///
    /// ```
    /// use pliant_mesh::shapes;
    /// use pliant_model::{Body, DVec3, ElasticModel, Material, ModelBuilder};
    /// use pliant_sim::solver::xpbd::XpbdSpace;
    ///
    /// let mesh = shapes::solid_box(DVec3::ONE, [2, 2, 2])?;
    /// let cube = Body::solid("cube", mesh, Material::tissue(1e5, 0.3, 1000.0));
    /// let space = XpbdSpace::new(&ModelBuilder::new().body(cube).build()?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(model: &Model) -> Result<Self, NoConstraint> {
        let free = model.free_count();
        let inverse = |(v, &m): (usize, &f64)| if v < free && m > 0.0 { 1.0 / m } else { 0.0 };
        let inverse_masses: Vec<f64> = model.masses().iter().enumerate().map(inverse).collect();
        let (mut points, mut springs, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        let mut tets: Vec<(ElasticModel, Vec<Tet>)> = Vec::new();
        let mut point = |vertex, pull| points.push(Point { vertex, pull });
        let visit = &mut |element| match element {
            CompliantElement::Spring(spring) => springs.push(spring),
            CompliantElement::Tet(CompliantTet { corners, inverse, mu, lambda, model }) => {
                let tet = Tet { corners, inverse, mu, lambda };
                match tets.iter_mut().find(|(known, _)| *known == model) {
                    Some((_, list)) => list.push(tet),
                    None => tets.push((model, vec![tet])),
                }
            }
            CompliantElement::Attached { vertex, stiffness, index } => {
                point(vertex, Pull::Attachment(stiffness, index));
            }
            CompliantElement::Followed { vertex, index } => point(vertex, Pull::Follow(index)),
            CompliantElement::Blown { corners, number, drag } => {
                triangles.push((corners, number, drag))
            }
            // All free vertices at all colliders, with their own forces.
            CompliantElement::Touching => {}
        };
        model.field().visit_elements(visit).map_err(NoConstraint)?;
        let positions: Vec<_> = model.initial_positions().iter().map(|row| row.xyz()).collect();
        let of_model =
            |(model, list): &(_, Vec<Tet>)| Tets::new(*model, list, &inverse_masses, &positions);
        Ok(XpbdSpace {
            held: Held::new(points),
            springs: Springs::new(springs, &positions),
            tets: tets.iter().map(of_model).collect(),
            drag: Drag::new(&triangles, &inverse_masses, &positions),
            touch: Touch::new(model),
            inverse_masses,
        })
    }
}

/// Minimises the objective; the free vertices' `p` are overwritten, the hard ones' obeyed.
///
/// Without inertia (κ = 0) there is nothing to relax with: the report says that it stalled.
///
/// # Panics
/// When `p` or the objective belongs to another model than `space`.
pub fn minimise(
    objective: &Objective,
    params: &XpbdParams,
    p: &mut [Row],
    gradient: &mut [Row],
    space: &mut XpbdSpace,
    evaluation: &mut EvaluationSpace,
    team: &Team,
) -> SolverInfo {
    // Kernels follow vertex numbers without asking again.
    assert_eq!(p.len(), space.inverse_masses.len(), "a position per vertex of the model");
    let mut info = SolverInfo { stalled: true, ..SolverInfo::default() };
    let clock = Instant::now();
    if objective.kappa > 0.0 {
        predict(objective, space, p);
        for _ in 0..params.iterations {
            sweep(objective, p, space, team);
        }
        info.stalled = false;
        info.iterations = params.iterations;
    }
    info.timings.solve = clock.elapsed();
    let clock = Instant::now();
    let sums = objective.gradient(p, gradient, None, evaluation, team);
    info.timings.evaluate = clock.elapsed();
    info.evaluations = 1;
    (info.residual, info.stored) = (sums.residual(), sums.stored);
    info
}

/// Where inertia and gravity alone lead, with no forces of constraints yet.
fn predict(objective: &Objective, space: &mut XpbdSpace, p: &mut [Row]) {
    let fall = Row::from(objective.drive.gravity / objective.kappa);
    let free = p.iter_mut().zip(objective.inertia).zip(&space.inverse_masses);
    for ((x, &y), _) in free.filter(|(_, w)| **w > 0.0) {
        *x = y + fall;
    }
    space.held.release();
    space.springs.release(1.0 / objective.kappa, &space.inverse_masses);
    space.tets.iter_mut().for_each(Tets::release);
    space.drag.release();
    space.touch.release();
}

/// Visits every constraint once.
fn sweep(objective: &Objective, p: &mut [Row], space: &mut XpbdSpace, team: &Team) {
    let softness = 1.0 / objective.kappa;
    space.held.relax(objective.drive, &space.inverse_masses, softness, p);
    let positions = SharedSlice::new(p);
    space.springs.relax(positions, team);
    for tets in &mut space.tets {
        tets.relax(positions, softness, team);
    }
    if objective.forces == Forces::All {
        space.drag.relax(objective, positions, team);
    }
    space.touch.relax(objective, &space.inverse_masses, positions, team);
}
