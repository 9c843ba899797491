//! Rayleigh damping: forces −(αM + βK)v, taken implicitly in a step of their own,
//!
//! ```text
//! (M + h(αM + βK)) v′ = M v,
//! ```
//!
//! so that it takes energy at any rate and any step length, and never gives any.
//!
//! K is the stiffness at the current positions of what joins vertices (tets and springs), each
//! element's with negative eigenvalues set to zero; attachments, following and contact are not
//! damped by β. A translation strains nothing: β leaves the linear momentum of a free body as it
//! is. A rotation does not strain either, but K of a *stressed* body does not know (K(ω × x) is ω
//! times the forces inside): β keeps angular momentum of a body close to rest, and takes from that
//! of a stretched one. α takes from all motion. Where hard vertices move, their velocities are part
//! of v, and what they give to the body through β counts as (negative) damping.

use pliant_math::cholesky::SparseCholesky;
use pliant_math::team::Team;
use pliant_math::{MathError, Row};
use pliant_model::potentials::Curvature;
use pliant_model::{Model, ModelBody};

use crate::objective::Objective;
use crate::solver::hessian::HessianLayout;

/// α \[1/s\] and β \[s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rayleigh {
    /// α: towards rest.
    pub mass: f64,
    /// β: against straining.
    pub stiffness: f64,
}

/// Matrix and factorisation.
pub struct RayleighSpace {
    layout: HessianLayout,
    cholesky: SparseCholesky,
    change: Vec<f64>,
}

impl RayleighSpace {
    /// Analyses a model's matrix.
    pub fn new(model: &Model) -> Result<Self, MathError> {
        let layout = HessianLayout::new(model)?;
        let size = 3 * model.free_count();
        let order: Vec<usize> = (0..size).collect();
        let cholesky = SparseCholesky::analyse(layout.matrix(), &order)?;
        Ok(RayleighSpace { layout, cholesky, change: vec![0.0; size] })
    }
}

/// Damps velocities for h seconds; the objective is evaluated where the body is.
pub fn damp(
    rates: Rayleigh,
    h: f64,
    objective: &Objective,
    velocities: &mut [Row],
    space: &mut RayleighSpace,
    team: &Team,
) -> Result<(), MathError> {
    let (model, Rayleigh { mass, stiffness }) = (objective.model, rates);
    let (masses, free) = (model.masses(), model.free_count());
    if h * stiffness <= 0.0 {
        let keep = 1.0 / (1.0 + h * mass);
        velocities[..free].iter_mut().for_each(|v| *v = *v * keep);
        return Ok(());
    }
    // Divided by hβ, and for v′ − v: (κM + K) (v′ − v) = −(α/β Mv + Kv).
    let kappa = (1.0 + h * mass) / (h * stiffness);
    let joins = |task: usize| model.field().task_chunk(task).corners > 1;
    let stored = |task: usize| model.field().is_stored(task);
    let strained = |task: usize| joins(task) && stored(task);
    let stiff = Objective { kappa, ..*objective };
    let positions = objective.start;
    space.layout.assemble(&stiff, positions, Curvature::Definite, 0.0, &strained, team);
    space.change.fill(0.0);
    space.layout.multiply_elements(model, velocities, &mut space.change);
    for (v, out) in space.change.chunks_exact_mut(3).enumerate() {
        for (c, out) in out.iter_mut().enumerate() {
            *out = -*out - mass / stiffness * masses[v] * velocities[v].0[c];
        }
    }
    space.cholesky.factor(space.layout.matrix().values())?;
    space.cholesky.solve(&mut space.change)?;
    for body in model.bodies() {
        let mut wanted = momentum(body, masses, velocities) * (1.0 / (1.0 + h * mass));
        for v in body.free.clone() {
            let change = &space.change[3 * v..3 * v + 3];
            velocities[v] = velocities[v] + Row::new(change[0], change[1], change[2]);
        }
        let total: f64 = masses[body.free.clone()].iter().sum();
        // At high rates the matrix is nearly singular, and the solve rounds: not what is known.
        if body.hard.is_empty() && total > 0.0 {
            wanted = (wanted - momentum(body, masses, velocities)) * (1.0 / total);
            velocities[body.free.clone()].iter_mut().for_each(|v| *v = *v + wanted);
        }
    }
    Ok(())
}

/// Σ m v of a body's free vertices [kg m/s].
fn momentum(body: &ModelBody, masses: &[f64], velocities: &[Row]) -> Row {
    let add = |sum: Row, v: usize| sum.plus_scaled(masses[v], velocities[v]);
    body.free.clone().fold(Row::zero(), add)
}
